/* Images of scanners at accelerators, one per file: Elekta's .his, Varian's .xim, .hnd and .hnc. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/frame_source.h"
#include "io/frames/hnd_file.h"
#include "io/frames/xim_file.h"

enum { HIS_HEAD = 68, MAX_SIDE = 1 << 15 };
static const unsigned char his_magic[4] = { 0x00, 0x70, 0x44, 0x00 };

typedef struct {
	size_t rows, columns, at; /* at: offset of the pixels */
} his_head;

struct linac_source {
	gt_frame_source base;
	gt_file_list files;
	int is_his;
};

static size_t u16(const unsigned char *b) { return (size_t)(b[0] | b[1] << 8); }

int gt_is_his(const char *path)
{
	unsigned char head[HIS_HEAD];
	return gt_file_start(path, head, sizeof head) == sizeof head && !memcmp(head, his_magic, sizeof his_magic);
}

/* The header has the corners of the image, both inclusive; as in RTK their second numbers count columns. */
static gt_status open_his(const char *path, int *file, his_head *h)
{
	unsigned char head[HIS_HEAD];
	size_t size;
	gt_status st = gt_file_open(path, file, &size);
	if (st != GT_OK || (st = gt_read_at(path, *file, 0, sizeof head, head)) != GT_OK)
		return st;
	if (memcmp(head, his_magic, sizeof his_magic) != 0)
		return gt_fail(GT_ERR_FORMAT, "%s: does not have the signature of a .his file", path);
	const long columns = (long)u16(head + 18) - (long)u16(head + 14) + 1, rows = (long)u16(head + 16) - (long)u16(head + 12) + 1;
	const size_t frames = u16(head + 20);
	if (rows < 1 || columns < 1 || rows > MAX_SIDE || columns > MAX_SIDE || frames != 1 || u16(head + 32) != 4)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: %ld rows x %ld columns, %zu frames, samples of type %zu: expected 1 frame of type 4 (16 bits)", path,
		               rows, columns, frames, u16(head + 32));
	h->rows = (size_t)rows;
	h->columns = (size_t)columns;
	h->at = HIS_HEAD + u16(head + 10);
	const size_t expected = h->at + 2 * h->rows * h->columns;
	if (size < expected)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated: has %zu bytes, expected %zu", path, size, expected);
	return GT_OK;
}

/* Values grow with darkness: 65536 minus the value is proportional to the signal. 0 and 65535 are not measurements, and
 * count as the lowest signal. */
static gt_status read_his(const char *path, const gt_frame_source *s, size_t row, size_t rows, float *out)
{
	his_head h = { 0, 0, 0 };
	int file = -1;
	const size_t n = rows * s->columns;
	unsigned char *bytes = malloc(2 * n);
	gt_status st = bytes ? open_his(path, &file, &h) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (st == GT_OK && (h.rows != s->rows || h.columns != s->columns))
		st = gt_fail(GT_ERR_FORMAT, "%s: has changed: %zu x %zu, expected %zu x %zu", path, h.rows, h.columns, s->rows, s->columns);
	if (st == GT_OK)
		st = gt_read_at(path, file, (off_t)(h.at + 2 * row * s->columns), 2 * n, bytes);
	for (size_t i = 0; st == GT_OK && i < n; i++) {
		const size_t v = u16(bytes + 2 * i);
		out[i] = v == 0 || v == 65535 ? 1 : (float)(65536 - v);
	}
	if (file >= 0)
		close(file);
	free(bytes);
	return st;
}

static gt_status open_varian(const char *path, gt_xim *x) { return (gt_is_hnd(path) ? gt_hnd_open : gt_xim_open)(path, x); }

/* Divides by the counts of the tube's monitor chamber, so that images of different exposures are comparable (.xim; .hnd
 * and .hnc are not divided, as in RTK). */
static gt_status read_xim(const char *path, const gt_frame_source *s, size_t row, size_t rows, float *out)
{
	gt_xim x;
	int32_t *pixel = NULL;
	double chamber = 1;
	gt_status st = open_varian(path, &x);
	if (st != GT_OK)
		return st;
	if (x.rows != s->rows || x.columns != s->columns)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has changed: %zu x %zu, expected %zu x %zu", path, x.rows, x.columns, s->rows,
		               s->columns));
	if (!(pixel = malloc((row + rows) * x.columns * sizeof *pixel)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(gt_xim_pixels(path, &x, row + rows, pixel));
	if (!gt_xim_number(&x, "KVNormChamber", &chamber) || !(chamber > 0 && isfinite(chamber)))
		chamber = 1;
	for (size_t i = 0; i < rows * x.columns; i++)
		out[i] = (float)(pixel[row * x.columns + i] / chamber);
done:
	free(pixel);
	gt_xim_close(&x);
	return st;
}

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct linac_source *s = (const struct linac_source *)self;
	return (s->is_his ? read_his : read_xim)(s->files.path[frame], self, row, rows, out);
}

static const char *name_(const gt_frame_source *self, size_t frame) { return ((const struct linac_source *)self)->files.path[frame]; }

static void free_(gt_frame_source *self)
{
	struct linac_source *s = (struct linac_source *)self;
	gt_file_list_free(&s->files);
	free(s);
}

static gt_status size_of(const char *path, int is_his, size_t *rows, size_t *columns)
{
	his_head h = { 0, 0, 0 };
	gt_xim x;
	int file = -1;
	const gt_status st = is_his ? open_his(path, &file, &h) : open_varian(path, &x);
	if (file >= 0)
		close(file);
	*rows = is_his ? h.rows : st == GT_OK ? x.rows : 0;
	*columns = is_his ? h.columns : st == GT_OK ? x.columns : 0;
	if (!is_his && st == GT_OK)
		gt_xim_close(&x);
	return st;
}

gt_status gt_linac_source(gt_file_list *files, gt_frame_source **out)
{
	struct linac_source *s = calloc(1, sizeof *s);
	gt_status st = s ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	s->base = (gt_frame_source){ .frames = files->n, .read = read_, .name = name_, .free = free_ };
	s->is_his = !gt_is_hnd(files->path[0]) && gt_is_his(files->path[0]);
	for (size_t i = 0; i < files->n; i++) {
		size_t rows, columns;
		GT_TRY(size_of(files->path[i], s->is_his, &rows, &columns));
		if (i && (rows != s->base.rows || columns != s->base.columns))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu rows x %zu columns, but %s has %zu x %zu: expected the same in all files",
			               files->path[i], rows, columns, files->path[0], s->base.rows, s->base.columns));
		s->base.rows = rows;
		s->base.columns = columns;
	}
	s->base.bytes = s->base.rows * s->base.columns * (s->is_his ? 2 : 8);
	s->files = *files;
	*files = (gt_file_list){ NULL, 0 };
	*out = &s->base;
	s = NULL;
done:
	free(s);
	return st;
}
