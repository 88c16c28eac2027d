/* Varian's .hnd and .hnc: positions of header and pixels. gt_xim_pixels() reads the pixels. */
#include <string.h>
#include <strings.h>
#include "core/try.h"
#include "io/frames/hnd_file.h"

enum { HND_HEAD = 1024, HNC_HEAD = 512, COLUMNS_AT = 120, ROWS_AT = 124, MAX_SIDE = 1 << 15 };

static int ends_in(const char *path, const char *extension)
{
	const size_t n = strlen(path), m = strlen(extension);
	return n > m && !strcasecmp(path + n - m, extension);
}

int gt_is_hnd(const char *path) { return ends_in(path, ".hnd") || ends_in(path, ".hnc"); }

static size_t count_at(const unsigned char *b) { return (size_t)b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24; }

gt_status gt_hnd_open(const char *path, gt_xim *x)
{
	const int compressed = ends_in(path, ".hnd");
	const size_t head = compressed ? HND_HEAD : HNC_HEAD;
	gt_status st = GT_OK;
	*x = (gt_xim){ .bytes = NULL };
	GT_TRY(gt_xim_load(path, head, x));
	x->columns = count_at(x->bytes + COLUMNS_AT);
	x->rows = count_at(x->bytes + ROWS_AT);
	if (x->columns < 1 || x->rows < 1 || x->columns > MAX_SIDE || x->rows > MAX_SIDE)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu rows x %zu columns, expected 1 to %d: is it a .hnd or .hnc?", path, x->rows,
		               x->columns, MAX_SIDE));
	if (compressed && (x->rows < 2 || (x->rows - 1) * x->columns % 4))
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: %zu rows x %zu columns: expected at least two rows, with a multiple of four pixels after the first row",
		               path, x->rows, x->columns));
	x->pixel_bytes = compressed ? 4 : 2;
	x->lookup = head;
	x->lookups = compressed ? (x->rows - 1) * x->columns / 4 : 0;
	x->data = head + x->lookups;
	x->data_bytes = x->data < x->size ? x->size - x->data : 0;
	const size_t min = compressed ? 4 * (x->columns + 1) : 2 * x->rows * x->columns;
	if (x->data_bytes < min)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: truncated: has %zu bytes, expected at least %zu for %zu rows x %zu columns", path,
		               x->size, x->data + min, x->rows, x->columns));
done:
	if (st != GT_OK)
		gt_xim_close(x);
	return st;
}
