/* Varian's .xim. A pixel is a[i] = difference + a[i - 1] + a[i - w] - a[i - w - 1]; the first row and one more pixel
 * are stored directly. Two bits per pixel give the bytes of its difference. Little endian. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/xim_file.h"

enum { MAGIC = 8, HEAD = 32, MAX_BYTES = 1 << 28, MAX_SIDE = 1 << 15, MAX_PROPERTIES = 1 << 16 };
enum { A_NUMBER = 0, A_REAL = 1, A_TEXT = 2, SOME_REALS = 4, SOME_NUMBERS = 5 };
static const char magic[] = "VMS.XI";

static int32_t number_at(const unsigned char *b)
{
	return (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
}

double gt_xim_real_at(const unsigned char *b)
{
	const uint64_t bits = (uint32_t)number_at(b) | (uint64_t)(uint32_t)number_at(b + 4) << 32;
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

int gt_is_xim(const char *path)
{
	char head[MAGIC] = "";
	return gt_file_start(path, head, sizeof head) == sizeof head && !memcmp(head, magic, sizeof magic - 1);
}

gt_status gt_xim_load(const char *path, size_t min, gt_xim *x)
{
	int file;
	size_t size;
	gt_status st = gt_file_open(path, &file, &size);
	if (st != GT_OK)
		return st;
	if (size < min || size > MAX_BYTES)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has %zu bytes, expected %zu to %d of such an image", path, size, min, MAX_BYTES));
	if (!(x->bytes = malloc(size)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	x->size = size;
	st = gt_read_at(path, file, 0, size, x->bytes);
done:
	close(file);
	return st;
}

/* Reads a count at *at and advances it; all items of `bytes_each` bytes must lie within the file. */
static gt_status count_at(const char *path, const gt_xim *x, const char *what, size_t bytes_each, size_t *at, size_t *count)
{
	if (x->size - *at < 4)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated before the number of its %s, at byte %zu", path, what, *at);
	const int32_t n = number_at(x->bytes + *at);
	*at += 4;
	if (n < 0 || (size_t)n > (x->size - *at) / bytes_each)
		return gt_fail(GT_ERR_FORMAT, "%s: states %ld %s, but %zu bytes are left", path, (long)n, what, x->size - *at);
	*count = (size_t)n;
	return GT_OK;
}

static gt_status find_pixels(const char *path, gt_xim *x, int compressed, size_t *at)
{
	const size_t pixels = x->rows * x->columns;
	gt_status st = GT_OK;
	size_t plain;
	if (compressed) {
		GT_TRY(count_at(path, x, "bytes of lookup", 1, at, &x->lookups));
		x->lookup = *at;
		*at += x->lookups;
	}
	GT_TRY(count_at(path, x, "bytes of pixels", 1, at, &x->data_bytes));
	x->data = *at;
	*at += x->data_bytes;
	if (x->data_bytes == 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: has no pixels: expected %zu rows x %zu columns; remove this file and set --gaps to use the others",
		               path, x->rows, x->columns));
	if (!compressed && x->data_bytes != pixels * x->pixel_bytes)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has %zu bytes of pixels, expected %zu for %zu x %zu of %zu bytes", path, x->data_bytes,
		               pixels * x->pixel_bytes, x->rows, x->columns, x->pixel_bytes));
	if (compressed && (x->rows < 2 || x->lookups < (pixels - x->columns - 1 + 3) / 4 || x->data_bytes < 4 * (x->columns + 1)))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu bytes of lookup and %zu of pixels are too few for %zu rows x %zu columns", path,
		               x->lookups, x->data_bytes, x->rows, x->columns));
	if (compressed) {
		if (x->size - *at < 4)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: truncated after its pixels", path));
		plain = (size_t)(uint32_t)number_at(x->bytes + *at);
		*at += 4;
		if (plain != pixels * x->pixel_bytes)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: states %zu bytes without compression, expected %zu", path, plain,
			               pixels * x->pixel_bytes));
	}
done:
	return st;
}

gt_status gt_xim_open(const char *path, gt_xim *x)
{
	gt_status st = GT_OK;
	size_t at = HEAD, bins;
	*x = (gt_xim){ .bytes = NULL };
	GT_TRY(gt_xim_load(path, HEAD, x));
	if (memcmp(x->bytes, magic, sizeof magic - 1) != 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: does not begin with %s: not a .xim", path, magic));
	const int32_t columns = number_at(x->bytes + 12), rows = number_at(x->bytes + 16), each = number_at(x->bytes + 24),
		      compressed = number_at(x->bytes + 28);
	if (columns < 1 || rows < 1 || columns > MAX_SIDE || rows > MAX_SIDE || (each != 1 && each != 2 && each != 4) || compressed < 0 ||
	    compressed > 1)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: %ld rows x %ld columns of %ld bytes, compressed %ld: expected sizes up to %d, 1, 2 or 4, 0 or 1", path,
		               (long)rows, (long)columns, (long)each, (long)compressed, MAX_SIDE));
	x->rows = (size_t)rows;
	x->columns = (size_t)columns;
	x->pixel_bytes = (size_t)each;
	GT_TRY(find_pixels(path, x, compressed, &at));
	GT_TRY(count_at(path, x, "bins of its histogram", 4, &at, &bins));
	at += 4 * bins;
	GT_TRY(count_at(path, x, "properties", 8, &at, &x->properties));
	x->property = at;
done:
	if (st != GT_OK)
		gt_xim_close(x);
	return st;
}

void gt_xim_close(gt_xim *x)
{
	free(x->bytes);
	*x = (gt_xim){ .bytes = NULL };
}

static int32_t signed_at(const unsigned char *b, size_t bytes)
{
	if (bytes == 1)
		return (int8_t)b[0];
	return bytes == 2 ? (int16_t)(b[0] | b[1] << 8) : number_at(b);
}

gt_status gt_xim_pixels(const char *path, const gt_xim *x, size_t rows, int32_t *out)
{
	const size_t w = x->columns, n = rows * w, raw = w + 1;
	const unsigned char *at = x->bytes + x->data, *end = at + x->data_bytes;
	if (!x->lookups) {
		for (size_t i = 0; i < n; i++, at += x->pixel_bytes)
			out[i] = x->pixel_bytes == 4 ? number_at(at) : x->pixel_bytes == 2 ? at[0] | at[1] << 8 : at[0];
		return GT_OK;
	}
	for (size_t i = 0; i < n && i < raw; i++, at += 4)
		out[i] = number_at(at);
	for (size_t i = raw; i < n; i++) {
		const size_t m = i - raw;
		const unsigned code = x->bytes[x->lookup + m / 4] >> 2 * (m % 4) & 3;
		const size_t bytes = (size_t)1 << code;
		if (code > 2 || (size_t)(end - at) < bytes)
			return gt_fail(GT_ERR_FORMAT,
			               code > 2 ? "%s: its lookup has a 3 at pixel %zu, expected 0, 1 or 2"
			                        : "%s: its compressed pixels end at pixel %zu",
			               path, i);
		/* sums wrap around in damaged files */
		out[i] = (int32_t)((uint32_t)signed_at(at, bytes) + (uint32_t)out[i - 1] + (uint32_t)out[i - w] - (uint32_t)out[i - raw]);
		at += bytes;
	}
	return GT_OK;
}

int gt_xim_number(const gt_xim *x, const char *name, double *value)
{
	size_t at = x->property;
	for (size_t k = 0; k < x->properties && k < MAX_PROPERTIES; k++) {
		if (x->size - at < 8)
			return 0;
		const int32_t length = number_at(x->bytes + at);
		if (length < 0 || (size_t)length > x->size - at - 8)
			return 0;
		const unsigned char *its = x->bytes + at + 4;
		const int32_t type = number_at(its + length);
		const int same = strlen(name) == (size_t)length && !memcmp(its, name, (size_t)length);
		at += 8 + (size_t)length;
		size_t bytes = type == A_NUMBER ? 4 : 8;
		if (type == A_TEXT || type == SOME_REALS || type == SOME_NUMBERS) {
			if (x->size - at < 4 || number_at(x->bytes + at) < 0)
				return 0;
			bytes = 4 + (size_t)number_at(x->bytes + at);
		} else if (type != A_NUMBER && type != A_REAL) {
			return 0;
		}
		if (bytes > x->size - at)
			return 0;
		if (same && type == A_NUMBER)
			*value = number_at(x->bytes + at);
		if (same && type == A_REAL)
			*value = gt_xim_real_at(x->bytes + at);
		if (same)
			return type == A_NUMBER || type == A_REAL;
		at += bytes;
	}
	return 0;
}
