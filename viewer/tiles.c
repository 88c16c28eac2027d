/* Quantization, prediction and packing of slices. The choice of the step packs some slices with each candidate and
 * takes the whole in proportion. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "core/try.h"
#include "viewer/tiles.h"

enum { FINEST = 65520, MAX_QUARTERS = 48, TRIED_SLICES = 9, COARSE_SIDE = 96, ESCAPE = 15, LANES = 16 };

gt_status gt_tile_new(const size_t n[3], struct gt_tile *t)
{
	const size_t pixels = n[0] * n[1];
	*t = (struct gt_tile){ .room = compressBound((uLong)(2 * pixels)) };
	t->code = malloc(pixels * sizeof *t->code);
	t->rest = malloc(pixels * sizeof *t->rest);
	t->raw = malloc(2 * pixels);
	t->packed = malloc(t->room);
	if (t->code && t->rest && t->raw && t->packed)
		return GT_OK;
	gt_tile_free(t);
	return gt_fail(GT_ERR_MEMORY, "out of memory for a slice of %zu x %zu", n[0], n[1]);
}

void gt_tile_free(struct gt_tile *t)
{
	free(t->code);
	free(t->rest);
	free(t->raw);
	free(t->packed);
	*t = (struct gt_tile){ 0 };
}

/* Range of a block; the compiler vectorises over the lanes. */
struct range {
	float min[LANES], max[LANES];
	unsigned missing[LANES];
};

static inline void take(struct range *r, size_t lane, float v)
{
	const int finite = fabsf(v) <= FLT_MAX;
	const float low = finite ? v : INFINITY, high = finite ? v : -INFINITY;
	r->min[lane] = low < r->min[lane] ? low : r->min[lane];
	r->max[lane] = high > r->max[lane] ? high : r->max[lane];
	r->missing[lane] += !finite;
}

struct look {
	struct gt_page_tiles *t;
	pthread_mutex_t lock;
};

static void look_at_slices(void *self, size_t begin, size_t end, int worker)
{
	struct look *look = self;
	struct gt_page_tiles *t = look->t;
	const size_t pixels = t->n[0] * t->n[1];
	(void)worker;
	for (size_t z = begin; z < end; z++) {
		const float *v = t->data + z * pixels;
		struct range r = { .missing = { 0 } };
		size_t i = 0;
		for (size_t k = 0; k < LANES; k++) {
			r.min[k] = INFINITY;
			r.max[k] = -INFINITY;
		}
		for (; i + LANES <= pixels; i += LANES)
			for (size_t k = 0; k < LANES; k++)
				take(&r, k, v[i + k]);
		for (; i < pixels; i++)
			take(&r, 0, v[i]);
		pthread_mutex_lock(&look->lock);
		for (size_t k = 0; k < LANES; k++) {
			t->min = fmin(t->min, (double)r.min[k]);
			t->max = fmax(t->max, (double)r.max[k]);
			t->missing += r.missing[k];
		}
		pthread_mutex_unlock(&look->lock);
	}
}

void gt_tiles_range(gt_pool *pool, struct gt_page_tiles *t)
{
	struct look look = { .t = t, .lock = PTHREAD_MUTEX_INITIALIZER };
	t->min = (double)INFINITY;
	t->max = -(double)INFINITY;
	t->missing = 0;
	gt_parallel(pool, t->n[2], 1, look_at_slices, &look);
	if (t->min > t->max)
		t->min = t->max = 0;
}

/* A code represents 0 exactly, so that air stays 0. */
static void set_step(struct gt_page_tiles *t, double step)
{
	t->step = step;
	t->offset = floor(t->min / step) * step;
	t->bits = (t->max - t->offset) / step + 1 < 254 ? 8 : 16;
}

static void quantize(const struct gt_page_tiles *t, const float *slice, unsigned short *code)
{
	const size_t pixels = t->n[0] * t->n[1];
	const unsigned short missing = (unsigned short)((1u << t->bits) - 1);
	const double per_step = 1 / t->step, offset = t->offset, max = (double)missing - 1;
	for (size_t i = 0; i < pixels; i++) {
		const double steps = ((double)slice[i] - offset) * per_step + 0.5, above = steps > 0 ? steps : 0;
		code[i] = (unsigned short)(int)(above < max ? above : max);
	}
	for (size_t i = 0; i < pixels && t->missing; i++)
		code[i] = isfinite(slice[i]) ? code[i] : missing;
}

/* Residual of a code against its neighbours modulo 2^bits, mapped to an unsigned number. */
static inline unsigned short folded(unsigned code, unsigned before, unsigned above, unsigned bits)
{
	const unsigned r = (code - (before + above) / 2) & ((1u << bits) - 1);
	return (unsigned short)((r << 1 ^ (0 - (r >> (bits - 1)))) & ((1u << bits) - 1));
}

/* Pixels outside the slice take the value of the inner neighbour, 0 in the corner. */
static inline void fold(const unsigned short *code, size_t w, size_t h, unsigned bits, unsigned short *rest)
{
	rest[0] = folded(code[0], 0, 0, bits);
	for (size_t x = 1; x < w; x++)
		rest[x] = folded(code[x], code[x - 1], code[x - 1], bits);
	for (size_t y = 1; y < h; y++) {
		const unsigned short *row = code + y * w, *above = row - w;
		unsigned short *out = rest + y * w;
		out[0] = folded(row[0], above[0], above[0], bits);
		for (size_t x = 1; x < w; x++)
			out[x] = folded(row[x], row[x - 1], above[x], bits);
	}
}

static size_t put_wide(const unsigned short *rest, size_t pixels, unsigned char *raw)
{
	for (size_t i = 0; i < pixels; i++)
		raw[i] = (unsigned char)rest[i];
	for (size_t i = 0; i < pixels; i++)
		raw[pixels + i] = (unsigned char)(rest[i] >> 8);
	return 2 * pixels;
}

static inline unsigned half(unsigned rest) { return rest < ESCAPE ? rest : ESCAPE; }

static size_t put_halves(const unsigned short *rest, size_t pixels, unsigned char *raw)
{
	size_t bytes = (pixels + 1) / 2;
	for (size_t i = 0; i < pixels / 2; i++)
		raw[i] = (unsigned char)(half(rest[2 * i]) << 4 | half(rest[2 * i + 1]));
	if (pixels % 2)
		raw[pixels / 2] = (unsigned char)(half(rest[pixels - 1]) << 4);
	for (size_t i = 0; i < pixels; i++) {
		raw[bytes] = (unsigned char)rest[i];
		bytes += rest[i] >= ESCAPE;
	}
	return bytes;
}

/* Returns the number of bytes. */
static size_t predict(const struct gt_page_tiles *t, struct gt_tile *tile)
{
	const size_t w = t->n[0], h = t->n[1];
	if (t->bits == 16) {
		fold(tile->code, w, h, 16, tile->rest);
		return put_wide(tile->rest, w * h, tile->raw);
	}
	fold(tile->code, w, h, 8, tile->rest);
	return put_halves(tile->rest, w * h, tile->raw);
}

void gt_tiles_pack(const struct gt_page_tiles *t, const float *slice, struct gt_tile *out)
{
	z_stream z = { 0 };
	quantize(t, slice, out->code);
	const size_t bytes = predict(t, out);
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

/* Buffers for trying steps: a tile per thread, and the bytes of each tried slice. */
struct tries {
	gt_pool *pool;
	const struct gt_page_tiles *t;
	struct gt_tile *tile;
	size_t slices, bytes[TRIED_SLICES];
	int failed[TRIED_SLICES];
};

static void try_slices(void *self, size_t begin, size_t end, int worker)
{
	struct tries *a = self;
	struct gt_tile *tile = &a->tile[worker];
	const size_t pixels = a->t->n[0] * a->t->n[1];
	for (size_t i = begin; i < end; i++) {
		gt_tiles_pack(a->t, a->t->data + (2 * i + 1) * a->t->n[2] / (2 * a->slices) * pixels, tile);
		a->bytes[i] = tile->bytes;
		a->failed[i] = tile->failed;
	}
}

/* Estimates the bytes of all slices from a sample. */
static gt_status estimate(struct tries *a, double *bytes)
{
	const size_t *n = a->t->n;
	double sum = 0;
	gt_parallel(a->pool, a->slices, 1, try_slices, a);
	for (size_t i = 0; i < a->slices; i++) {
		if (a->failed[i])
			return gt_fail(GT_ERR_MEMORY, "zlib: a slice of %zu x %zu cannot be packed", n[0], n[1]);
		sum += (double)a->bytes[i];
	}
	*bytes = sum / (double)a->slices * (double)n[2];
	return GT_OK;
}

/* Finds the smallest step that fits by bisection over powers of the fourth root of two. */
static gt_status find_step(struct gt_page_tiles *t, double bytes, double finest, struct tries *a)
{
	double needed = 0;
	int small = 0, large = MAX_QUARTERS;
	gt_status st = GT_OK;
	set_step(t, finest);
	GT_TRY(estimate(a, &t->packed));
	if (t->packed <= bytes)
		return GT_OK;
	set_step(t, finest * pow(2, large / 4.0));
	GT_TRY(estimate(a, &t->packed));
	if (t->packed > bytes)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%zu x %zu x %zu values take %.0f MB in a page even in %d steps of grey, expected at most %.0f MB", t->n[0],
		               t->n[1], t->n[2], t->packed / 1e6, FINEST >> (MAX_QUARTERS / 4), bytes / 1e6);
	while (large - small > 1) {
		const int middle = (small + large) / 2;
		set_step(t, finest * pow(2, middle / 4.0));
		GT_TRY(estimate(a, &needed));
		*(needed <= bytes ? &large : &small) = middle;
		t->packed = needed <= bytes ? needed : t->packed;
	}
	set_step(t, finest * pow(2, large / 4.0));
done:
	return st;
}

/* Integers such as counts need no step below 1. */
static double finest_step(const struct gt_page_tiles *t)
{
	const double range = t->max - t->min;
	const size_t all = t->n[0] * t->n[1] * t->n[2];
	size_t i = 0;
	if (!(range > 0))
		return t->max != 0 ? fabs(t->max) / FINEST : 1;
	while (range <= FINEST && i < all && (!isfinite(t->data[i]) || t->data[i] == rintf(t->data[i])))
		i++;
	return i == all ? 1 : range / FINEST;
}

gt_status gt_tiles_plan(gt_pool *pool, const float *data, const size_t n[3], double bytes, struct gt_page_tiles *t)
{
	const int threads = gt_pool_threads(pool);
	struct tries a = { .pool = pool, .t = t, .slices = n[2] < TRIED_SLICES ? n[2] : TRIED_SLICES };
	gt_status st = GT_OK;
	*t = (struct gt_page_tiles){ .data = data, .n = { n[0], n[1], n[2] } };
	if (n[0] * n[1] > (size_t)1 << 30)
		return gt_fail(GT_ERR_UNSUPPORTED, "slices of %zu x %zu are too large for a page", n[0], n[1]);
	gt_tiles_range(pool, t);
	a.tile = calloc((size_t)threads, sizeof *a.tile);
	if (!a.tile)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (int i = 0; i < threads; i++)
		GT_TRY(gt_tile_new(n, &a.tile[i]));
	GT_TRY(find_step(t, bytes, finest_step(t), &a));
done:
	for (int i = 0; i < threads && a.tile; i++)
		gt_tile_free(&a.tile[i]);
	free(a.tile);
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
