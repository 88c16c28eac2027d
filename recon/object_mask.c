/* Object mask from means over blocks of voxels, which suppress noise. A block belongs to the object if its mean is near
 * water, or above a fraction of the densest. It must lie within the field of view, and so must its neighbours across x
 * and y belong to the object. Memory: 10 bytes per block of 8 x 8 mm or less, and 8 bytes per voxel of the list. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/arguments.h"
#include "core/device/host_memory.h"
#include "core/try.h"
#include "recon/object_mask.h"

/* Blocks are one slice thick and about BLOCK_MM wide, at most MAX_OF_FIELD of the diameter of the field of view. They
 * hold at least MIN_BLOCK_VOXELS along an axis, if it has that many. */
#define BLOCK_MM 8.
#define MAX_OF_FIELD (1 / 30.)
enum { MIN_BLOCK_VOXELS = 3, BLOCKS_PER_PIECE = 256, ROWS_PER_PIECE = 64 };
/* Relative deviation up to which a mean counts as water. */
#define MAX_OFF_WATER 0.25
/* If no block is similar to water, blocks above this fraction of the largest mean are the object. */
#define MIN_OF_DENSEST 0.1

struct blocks {
	const gt_grid *g;
	size_t size[3], n[3], count;
	size_t first[3]; /* voxels of an incomplete first block, or 0 */
	const gt_object_region *region;
	const float *x;
	double *mean;
	char *in, *inner;
};

static size_t start(const struct blocks *b, int axis, size_t k)
{
	const size_t first = b->first[axis];
	return k == b->n[axis] ? b->g->n[axis] : k && first ? first + (k - 1) * b->size[axis] : k * b->size[axis];
}

static void range(const struct blocks *b, int axis, size_t k, size_t *from, size_t *to)
{
	*from = start(b, axis, k);
	*to = start(b, axis, k + 1);
}

static size_t block_of(const struct blocks *b, int axis, size_t at)
{
	const size_t first = b->first[axis], k = at < first ? 0 : (at - first) / b->size[axis] + (first > 0);
	return k < b->n[axis] ? k : b->n[axis] - 1;
}

static int is_cut(const struct blocks *b, int axis)
{
	return b->region && axis < 2 && b->region->voxels[axis] && b->region->voxels[axis] < b->g->n[axis];
}

/* 0: the block has no voxel of the region. */
static int is_of_region(const struct blocks *b, size_t block)
{
	const size_t k[2] = { block % b->n[0], block / b->n[0] % b->n[1] };
	for (int a = 0; a < 2; a++)
		if (is_cut(b, a) &&
		    (start(b, a, k[a] + 1) <= b->region->first[a] || start(b, a, k[a]) >= b->region->first[a] + b->region->voxels[a]))
			return 0;
	return 1;
}

/* Along a cut axis, blocks begin at the region, and incomplete ones at the ends of the grid are blocks of their own.
 * Thus they do not depend on the size of the grid around the region. Along others the last block takes the
 * remainder. */
static gt_status make_blocks(const gt_grid *g, const gt_object_region *region, double field, struct blocks *b)
{
	const double wide = field > 0 ? fmin(BLOCK_MM, MAX_OF_FIELD * field) : BLOCK_MM;
	*b = (struct blocks){ .g = g, .count = 1, .region = region };
	for (int a = 0; a < 3; a++) {
		const double fits = a == 2 ? 1 : fmax(MIN_BLOCK_VOXELS, ceil(wide / g->pitch[a]));
		b->size[a] = fits < (double)g->n[a] ? (size_t)fits : g->n[a];
		const int cut = is_cut(b, a);
		b->first[a] = cut ? region->first[a] % b->size[a] : 0;
		b->n[a] = cut ? (g->n[a] - b->first[a] + b->size[a] - 1) / b->size[a] + (b->first[a] > 0) : g->n[a] / b->size[a];
		b->count *= b->n[a];
	}
	b->mean = calloc(b->count, sizeof *b->mean);
	b->in = calloc(b->count, 1);
	b->inner = calloc(b->count, 1);
	return b->mean && b->in && b->inner ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for %zu blocks of the volume", b->count);
}

static double mean_of(const struct blocks *b, size_t block)
{
	const float *x = b->x;
	const size_t k[3] = { block % b->n[0], block / b->n[0] % b->n[1], block / b->n[0] / b->n[1] };
	size_t from[3], to[3];
	double sum = 0;
	for (int a = 0; a < 3; a++)
		range(b, a, k[a], &from[a], &to[a]);
	for (size_t z = from[2]; z < to[2]; z++)
		for (size_t y = from[1]; y < to[1]; y++)
			for (size_t i = from[0]; i < to[0]; i++)
				sum += x[i + b->g->n[0] * (y + b->g->n[1] * z)];
	return sum / (double)((to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]));
}

static void find_means(void *self, size_t begin, size_t end, int worker)
{
	const struct blocks *b = self;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		b->mean[i] = mean_of(b, i);
}

static int covered(const struct blocks *b, size_t block, double radius, double low, double high)
{
	const size_t k[3] = { block % b->n[0], block / b->n[0] % b->n[1], block / b->n[0] / b->n[1] };
	double middle[3];
	for (int a = 0; a < 3; a++) {
		size_t from, to;
		range(b, a, k[a], &from, &to);
		middle[a] = gt_grid_first(b->g, a) + ((double)(from + to) / 2 - 0.5) * b->g->pitch[a];
	}
	return hypot(middle[0], middle[1]) <= radius && (!(high > low) || (middle[2] >= low && middle[2] <= high));
}

/* in: blocks of the region with a mean from `lowest` to `highest`; inner: those whose neighbours across x and y have
 * such a mean too. */
static void choose(struct blocks *b, const gt_scan *scan, double lowest, double highest)
{
	double low, high;
	const double radius = gt_scan_field_of_view(scan, &low, &high);
	const double within = radius > 0 ? radius : INFINITY;
	for (size_t i = 0; i < b->count; i++)
		b->in[i] = b->mean[i] >= lowest && b->mean[i] <= highest && covered(b, i, within, low, high);
	for (size_t i = 0; i < b->count; i++) {
		const size_t x = i % b->n[0], y = i / b->n[0] % b->n[1];
		b->inner[i] = (char)(b->in[i] && x > 0 && y > 0 && x + 1 < b->n[0] && y + 1 < b->n[1] && b->in[i - 1] && b->in[i + 1] &&
		                     b->in[i - b->n[0]] && b->in[i + b->n[0]]);
	}
	for (size_t i = 0; i < b->count; i++) {
		b->in[i] = (char)(b->in[i] && is_of_region(b, i));
		b->inner[i] = (char)(b->inner[i] && b->in[i]);
	}
}

static size_t count(const char *in, size_t n)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += in[i] != 0;
	return sum;
}

struct list {
	const struct blocks *b;
	const char *in;
	size_t *first, *at; /* first: position in `at`, of each row of voxels */
};

static const char *row_of_blocks(const struct list *l, size_t row)
{
	const struct blocks *b = l->b;
	return l->in + b->n[0] * (block_of(b, 1, row % b->g->n[1]) + b->n[1] * block_of(b, 2, row / b->g->n[1]));
}

static size_t count_row(const struct list *l, size_t row)
{
	const char *in = row_of_blocks(l, row);
	size_t from, to, voxels = 0;
	for (size_t k = 0; k < l->b->n[0]; k++)
		if (in[k]) {
			range(l->b, 0, k, &from, &to);
			voxels += to - from;
		}
	return voxels;
}

static void list_rows(void *self, size_t begin, size_t end, int worker)
{
	const struct list *l = self;
	(void)worker;
	for (size_t row = begin; row < end; row++) {
		const char *in = row_of_blocks(l, row);
		size_t *at = l->at + l->first[row], from, to;
		for (size_t k = 0; k < l->b->n[0]; k++) {
			range(l->b, 0, k, &from, &to);
			for (size_t x = from; x < to && in[k]; x++)
				*at++ = x + l->b->g->n[0] * row;
		}
	}
}

static gt_status list_voxels(gt_pool *pool, const struct blocks *b, const char *in, gt_object_voxels *object)
{
	const size_t rows = b->g->n[1] * b->g->n[2];
	struct list l = { b, in, malloc(rows * sizeof *l.first), NULL };
	size_t voxels = 0;
	for (size_t row = 0; l.first && row < rows; row++) {
		l.first[row] = voxels;
		voxels += count_row(&l, row);
	}
	l.at = l.first ? gt_host_alloc(voxels * sizeof *l.at) : NULL;
	if (l.at)
		gt_parallel(pool, rows, ROWS_PER_PIECE, list_rows, &l);
	free(l.first);
	object->at = l.at;
	object->voxels = voxels;
	return l.at ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a list of %zu voxels", gt_grid_voxels(b->g));
}

gt_status gt_object_voxels_find(gt_pool *pool, const gt_grid *grid, const gt_object_region *region, const gt_scan *scan, const float *x,
                                double water, gt_object_voxels *object)
{
	struct blocks b;
	double densest = 0;
	gt_status st = GT_OK;
	*object = (gt_object_voxels){ 0, NULL, 0 };
	GT_TRY(make_blocks(grid, region, 2 * gt_scan_field_of_view(scan, NULL, NULL), &b));
	b.x = x;
	gt_parallel(pool, b.count, BLOCKS_PER_PIECE, find_means, &b);
	for (size_t i = 0; i < b.count; i++)
		densest = is_of_region(&b, i) ? fmax(densest, b.mean[i]) : densest;
	choose(&b, scan, (1 - MAX_OFF_WATER) * water, (1 + MAX_OFF_WATER) * water);
	object->like_water = count(b.inner, b.count) > 0;
	if (!object->like_water)
		choose(&b, scan, MIN_OF_DENSEST * densest, INFINITY);
	const char *in = count(b.inner, b.count) ? b.inner : b.in;
	if (!count(in, b.count))
		memset(b.in, 1, b.count);
	GT_TRY(list_voxels(pool, &b, count(in, b.count) ? in : b.in, object));
done:
	free(b.mean);
	free(b.in);
	free(b.inner);
	return st;
}

void gt_object_voxels_free(gt_object_voxels *object)
{
	free(object->at);
	object->at = NULL;
}

gt_status gt_object_mask(const gt_grid *grid, const float *x, const gt_scan *scan, double water, unsigned char *mask, int *like_water)
{
	GT_NEED(grid);
	GT_NEED(x);
	GT_NEED(mask);
	gt_object_voxels object;
	const gt_status st = gt_object_voxels_find(NULL, grid, NULL, scan, x, water, &object);
	if (st == GT_OK) {
		memset(mask, 0, gt_grid_voxels(grid));
		for (size_t i = 0; i < object.voxels; i++)
			mask[object.at[i]] = 1;
		if (like_water)
			*like_water = object.like_water;
	}
	gt_object_voxels_free(&object);
	return st;
}
