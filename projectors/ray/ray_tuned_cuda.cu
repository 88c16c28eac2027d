/* Tuned variants of the kernels of level scans; see the header. The kernels ray_level.cuh and ray_strip.cuh, compiled
 * by core/variant, define the search spaces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/variant/variant.h"
#include "projectors/ray/ray_tuned.cuh"

enum { WARP = GT_RAY_WARP, ROWS = 0, VIEWS = 1, STRIP = 0, TILES = 1, STRIP_WARPS = 2, NUMBERS = 3 };
static const gt_variant_number forward_numbers[] = {
	{ "ROWS", 2, 32, 1 }, { "VIEWS", 1, 32, 0 }, { "BLOCKS", 1, 32, 0 }, { NULL, 0, 0, 0 }
};
static const gt_variant_number strip_numbers[] = {
	{ "STRIP", 2, 64, 0 }, { "TILES", 1, 8, 1 }, { "STRIP_WARPS", 1, 32, 0 }, { NULL, 0, 0, 0 }
};
static const gt_variant_family families[2] = {
	{ "joseph-forward", "projectors/ray/ray_level.cuh", "GT_RAY_FORWARD_", forward_numbers },
	{ "joseph-back", "projectors/ray/ray_strip.cuh", "GT_RAY_", strip_numbers },
};

struct gt_ray_tuned {
	int value[2][NUMBERS];    /* by direction */
	gt_variant *kernel[2][2]; /* by direction and, for the adjoint, axis; NULL: built-in kernel */
};

static void describe(const gt_rays *g, const gt_ray_level *v, char *about, size_t size)
{
	snprintf(about, size, "rows=%d slices=%d views=%d columns=%d across=%d height=%d/8", gt_variant_fine_bin(g->rows),
	         gt_variant_fine_bin(g->n[2]), gt_variant_bin((double)g->views), gt_variant_bin(g->columns), gt_variant_bin(g->n[0]),
	         (int)(4 * (v->lowest + v->highest) + 0.5));
}

static gt_status compile(const gt_ray_level *v, const gt_variant_family *f, int back, gt_ray_tuned *t)
{
	const int *value = t->value[back], ordinary = !(v->lowest < 0.5 || v->highest > 2);
	gt_status st = GT_OK;
	for (int axis = 0; axis < (back ? 2 : 1) && st == GT_OK; axis++) {
		char instance[64];
		if (back)
			snprintf(instance, sizeof instance, "strip_kernel<float,%d,%d,%d>", ordinary, value[TILES], axis);
		else
			snprintf(instance, sizeof instance, "forward_kernel<GT_RAY_JOSEPH,float,%d>", value[ROWS]);
		st = gt_variant_build(f, value, instance, NULL, 0, &t->kernel[back][axis]);
	}
	return st;
}

static void drop(gt_ray_tuned *t, int back)
{
	for (int axis = 0; axis < 2; axis++) {
		gt_variant_free(t->kernel[back][axis]);
		t->kernel[back][axis] = NULL;
	}
}

static gt_status find(const gt_rays *g, const gt_ray_level *v, int back, gt_ray_tuned *t)
{
	char about[256];
	int found;
	describe(g, v, about, sizeof about);
	gt_status st = gt_variant_choose(&families[back], about, t->value[back], &found);
	if (st != GT_OK || !found)
		return st;
	if ((st = compile(v, &families[back], back, t)) != GT_OK)
		drop(t, back);
	return gt_variant_settle(&families[back], t->value[back], found, st);
}

gt_status gt_ray_tuned_find(gt_backend *be, const gt_ray_operator *o, const gt_rays *g, const gt_ray_level *v, gt_ray_tuned **tuned)
{
	gt_status st = GT_OK;
	*tuned = NULL;
	if (o->type != GT_F32 || o->model != GT_RAY_JOSEPH)
		return GT_OK;
	gt_cuda_queue(be);
	gt_ray_tuned *t = (gt_ray_tuned *)calloc(1, sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for variants of Joseph's kernels");
	gt_ray_level_numbers(t->value[0]);
	gt_ray_strip_numbers(g, v, t->value[1]);
	if (g->rows > 4)
		st = find(g, v, 0, t);
	if (st == GT_OK && gt_ray_takes_strips(o))
		st = find(g, v, 1, t);
	if (st == GT_OK && (t->kernel[0][0] || t->kernel[1][0]))
		*tuned = t;
	else
		gt_ray_tuned_free(t);
	return st;
}

void gt_ray_tuned_free(gt_ray_tuned *t)
{
	for (int back = 0; back < 2 && t; back++)
		drop(t, back);
	free(t);
}

int gt_ray_tuned_has(const gt_ray_tuned *t, int back) { return t && t->kernel[back][0]; }

int gt_ray_tuned_forward(cudaStream_t queue, const gt_ray_tuned *t, const gt_rays *g, const gt_ray_level *level, const float *y_slices,
                         const float *x_slices, float *y)
{
	const int *value = t->value[0];
	gt_rays rays = *g;
	gt_ray_level tables = *level;
	int groups = pieces(g->columns, WARP), tiles = pieces(g->rows, value[ROWS]);
	void *arguments[] = { &rays, &tables, &y_slices, &x_slices, &y, &groups, &tiles };
	const size_t views = (g->views + (size_t)value[VIEWS] - 1) / (size_t)value[VIEWS];
	const gt_variant_grid grid = { views * groups * tiles, { WARP, (unsigned)value[VIEWS] }, 0, queue };
	return gt_variant_launch(t->kernel[0][0], &grid, arguments);
}

int gt_ray_tuned_adjoint(cudaStream_t queue, const gt_ray_tuned *t, const gt_rays *g, const gt_ray_level *level, const float *pixels,
                         float *x, gt_ray_batch batch)
{
	const int *value = t->value[1];
	gt_rays rays = *g;
	gt_ray_level tables = *level;
	int e = 0;
	for (int axis = 0; axis < 2; axis++) {
		int strips = pieces(g->n[1 - axis], value[STRIP]), groups = pieces(g->n[axis], value[STRIP_WARPS]);
		void *arguments[] = { &rays, &tables, &pixels, &x, &batch.first, &batch.views, &strips, &groups };
		const gt_variant_grid grid = {
			(size_t)strips * groups * pieces(g->n[2], WARP * value[TILES]), { WARP, (unsigned)value[STRIP_WARPS] }, 0, queue
		};
		if (level->sliced[axis] && !e)
			e = gt_variant_launch(t->kernel[1][axis], &grid, arguments);
	}
	return e;
}
