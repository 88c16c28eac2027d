/* Quantization, prediction and packing of slices. The choice of the step packs some slices with each candidate and
 * takes the whole in proportion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "core/try.h"
#include "viewer/tiles.h"

enum { FINEST = 65520, MAX_QUARTERS = 48, TRIED_SLICES = 9, COARSE_SIDE = 96, ESCAPE = 15 };

gt_status gt_tile_new(const size_t n[3], struct gt_tile *t)
{
	const size_t pixels = n[0] * n[1];
	*t = (struct gt_tile){ .room = compressBound((uLong)(2 * pixels)) };
	t->code = malloc(pixels * sizeof *t->code);
	t->raw = malloc(2 * pixels);
	t->packed = malloc(t->room);
	if (t->code && t->raw && t->packed)
		return GT_OK;
	gt_tile_free(t);
	return gt_fail(GT_ERR_MEMORY, "out of memory for a slice of %zu x %zu", n[0], n[1]);
}

void gt_tile_free(struct gt_tile *t)
{
	free(t->code);
	free(t->raw);
	free(t->packed);
	*t = (struct gt_tile){ 0 };
}

static void look_at_values(struct gt_page_tiles *t)
{
	const size_t all = t->n[0] * t->n[1] * t->n[2];
	float least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < all; i++) {
		if (!isfinite(t->data[i])) {
			t->missing++;
			continue;
		}
		least = t->data[i] < least ? t->data[i] : least;
		most = t->data[i] > most ? t->data[i] : most;
	}
	t->least = least <= most ? (double)least : 0;
	t->most = least <= most ? (double)most : 0;
}

/* 0 has a code of its own, so that air stays 0. */
static void set_step(struct gt_page_tiles *t, double step)
{
	t->step = step;
	t->offset = floor(t->least / step) * step;
	t->bits = (t->most - t->offset) / step + 1 < 254 ? 8 : 16;
}

static void quantize(const struct gt_page_tiles *t, const float *slice, unsigned short *code)
{
	const size_t pixels = t->n[0] * t->n[1];
	const unsigned missing = (1u << t->bits) - 1;
	const double per_step = 1 / t->step;
	const double most = (double)missing - 1;
	for (size_t i = 0; i < pixels; i++) {
		const double steps = ((double)slice[i] - t->offset) * per_step + 0.5, within = steps > 0 ? steps < most ? steps : most : 0;
		code[i] = (unsigned short)(isfinite(slice[i]) ? (unsigned)within : missing);
	}
}

/* Remainder of a pixel modulo 2^bits, folded. */
static inline unsigned folded(const unsigned short *code, size_t x, size_t y, size_t w, unsigned bits)
{
	const unsigned mask = (1u << bits) - 1, sign = 1u << (bits - 1);
	const unsigned before = x ? code[-1] : y ? code[-(ptrdiff_t)w] : 0, above = y ? code[-(ptrdiff_t)w] : before;
	const unsigned r = (*code - (before + above) / 2) & mask;
	return r & sign ? (~r & mask) * 2 + 1 : r * 2;
}

static void put_wide(unsigned char *raw, size_t pixels, size_t i, unsigned f)
{
	raw[i] = (unsigned char)f;
	raw[pixels + i] = (unsigned char)(f >> 8);
}

static void put_half(unsigned char *raw, size_t *bytes, size_t i, unsigned f)
{
	const unsigned half = f < ESCAPE ? f : ESCAPE;
	raw[i / 2] = (unsigned char)(i % 2 ? raw[i / 2] | half : half << 4);
	if (half == ESCAPE)
		raw[(*bytes)++] = (unsigned char)f;
}

/* Gives the number of bytes. */
static size_t predict(const struct gt_page_tiles *t, const unsigned short *code, unsigned char *raw)
{
	const size_t w = t->n[0], h = t->n[1], pixels = w * h;
	const int wide = t->bits == 16;
	size_t bytes = wide ? 2 * pixels : (pixels + 1) / 2;
	for (size_t y = 0, i = 0; y < h; y++)
		for (size_t x = 0; x < w; x++, i++)
			if (wide)
				put_wide(raw, pixels, i, folded(code + i, x, y, w, 16));
			else
				put_half(raw, &bytes, i, folded(code + i, x, y, w, 8));
	return bytes;
}

void gt_tiles_pack(const struct gt_page_tiles *t, const float *slice, struct gt_tile *out)
{
	z_stream z = { 0 };
	quantize(t, slice, out->code);
	const size_t bytes = predict(t, out->code, out->raw);
	out->failed = deflateInit2(&z, 4, Z_DEFLATED, 15, 9, Z_RLE) != Z_OK;
	if (out->failed)
		return;
	z.next_in = out->raw;
	z.avail_in = (uInt)bytes;
	z.next_out = out->packed;
	z.avail_out = (uInt)out->room;
	out->failed = deflate(&z, Z_FINISH) != Z_STREAM_END;
	out->bytes = z.total_out;
	deflateEnd(&z);
}

/* Bytes of all slices, from some of them. */
static gt_status estimate(const struct gt_page_tiles *t, struct gt_tile *tile, double *bytes)
{
	const size_t pixels = t->n[0] * t->n[1], some = t->n[2] < TRIED_SLICES ? t->n[2] : TRIED_SLICES;
	double sum = 0;
	for (size_t i = 0; i < some; i++) {
		gt_tiles_pack(t, t->data + (2 * i + 1) * t->n[2] / (2 * some) * pixels, tile);
		if (tile->failed)
			return gt_fail(GT_ERR_MEMORY, "zlib: a slice of %zu x %zu cannot be packed", t->n[0], t->n[1]);
		sum += (double)tile->bytes;
	}
	*bytes = sum / (double)some * (double)t->n[2];
	return GT_OK;
}

/* The smallest step that fits is found by halving a range of quarters of doublings. */
static gt_status find_step(struct gt_page_tiles *t, double bytes, double finest, struct gt_tile *tile)
{
	double needed;
	int small = 0, large = MAX_QUARTERS;
	gt_status st = GT_OK;
	set_step(t, finest);
	GT_TRY(estimate(t, tile, &needed));
	if (needed <= bytes)
		return GT_OK;
	set_step(t, finest * pow(2, large / 4.0));
	GT_TRY(estimate(t, tile, &needed));
	if (needed > bytes)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%zu x %zu x %zu values take %.0f MB in a page even in %d steps of grey, expected at most %.0f MB", t->n[0],
		               t->n[1], t->n[2], needed / 1e6, FINEST >> (MAX_QUARTERS / 4), bytes / 1e6);
	while (large - small > 1) {
		const int middle = (small + large) / 2;
		set_step(t, finest * pow(2, middle / 4.0));
		GT_TRY(estimate(t, tile, &needed));
		*(needed <= bytes ? &large : &small) = middle;
	}
	set_step(t, finest * pow(2, large / 4.0));
done:
	return st;
}

gt_status gt_tiles_plan(const float *data, const size_t n[3], double bytes, struct gt_page_tiles *t)
{
	struct gt_tile tile;
	*t = (struct gt_page_tiles){ .data = data, .n = { n[0], n[1], n[2] } };
	if (n[0] * n[1] > (size_t)1 << 30)
		return gt_fail(GT_ERR_UNSUPPORTED, "slices of %zu x %zu are too large for a page", n[0], n[1]);
	look_at_values(t);
	gt_status st = gt_tile_new(n, &tile);
	if (st != GT_OK)
		return st;
	const double range = t->most - t->least;
	st = find_step(t, bytes, range > 0 ? range / FINEST : t->most != 0 ? fabs(t->most) / FINEST : 1, &tile);
	gt_tile_free(&tile);
	return st;
}

void gt_tiles_coarse_size(const size_t n[3], size_t by[3], size_t size[3])
{
	for (int a = 0; a < 3; a++) {
		by[a] = (n[a] + COARSE_SIDE - 1) / COARSE_SIDE;
		size[a] = (n[a] + by[a] - 1) / by[a];
	}
}

static float block_mean(const struct gt_page_tiles *t, const size_t first[3], const size_t by[3])
{
	double sum = 0;
	size_t count = 0;
	for (size_t z = first[2]; z < first[2] + by[2] && z < t->n[2]; z++)
		for (size_t y = first[1]; y < first[1] + by[1] && y < t->n[1]; y++)
			for (size_t x = first[0]; x < first[0] + by[0] && x < t->n[0]; x++) {
				const float v = t->data[(z * t->n[1] + y) * t->n[0] + x];
				if (isfinite(v)) {
					sum += (double)v;
					count++;
				}
			}
	return count ? (float)(sum / (double)count) : NAN;
}

void gt_tiles_coarse(const struct gt_page_tiles *t, const size_t by[3], size_t z, float *out)
{
	const size_t w = (t->n[0] + by[0] - 1) / by[0], h = (t->n[1] + by[1] - 1) / by[1];
	for (size_t y = 0; y < h; y++)
		for (size_t x = 0; x < w; x++)
			out[y * w + x] = block_mean(t, (const size_t[3]){ x * by[0], y * by[1], z * by[2] }, by);
}
