/* Reconstruction by the direct method, projection by the distance-driven pair, and smoothing of images. */
#include <stdlib.h>
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include "core/try.h"
#include "geometry/grid.h"
#include "prepare/images.h"

gt_status gt_prepare_backend(const gt_prepare_call *c, gt_backend **be)
{
	return gt_backend_open(c->o->backend ? c->o->backend : "auto", be);
}

gt_status gt_prepare_backend_check(const char *name)
{
	gt_backend *be = NULL;
	const gt_status st = gt_backend_open(name, &be);
	gt_backend_close(be);
	return st;
}

gt_status gt_prepare_image(gt_backend *be, const gt_scan *scan, const float *values, const gt_grid *grid, float *out)
{
	gt_array *data = NULL, *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(be, GT_F32, gt_scan_size(scan), &data));
	GT_TRY(gt_array_new(be, GT_F32, gt_grid_voxels(grid), &x));
	gt_array_put_float(values, data);
	GT_TRY(gt_analytic_run(gt_analytic_for(scan), be, grid, scan, NULL, data, x));
	gt_array_get_float(x, out);
	st = gt_backend_status(be);
done:
	gt_array_free(data);
	gt_array_free(x);
	return st;
}

gt_status gt_prepare_project(gt_backend *be, const gt_scan *scan, const gt_grid *grid, const float *image, float *out)
{
	gt_array *data = NULL, *x = NULL;
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(be, GT_F32, gt_scan_size(scan), &data));
	GT_TRY(gt_array_new(be, GT_F32, gt_grid_voxels(grid), &x));
	GT_TRY(gt_projector_new("dd", be, GT_F32, grid, scan, &A));
	gt_array_put_float(image, x);
	gt_forward(A, x, data);
	gt_array_get_float(data, out);
	st = gt_backend_status(be);
done:
	gt_linop_free(A);
	gt_array_free(data);
	gt_array_free(x);
	return st;
}

gt_status gt_prepare_grid(const gt_scan *scan, size_t side, gt_grid *grid)
{
	gt_grid all;
	const gt_status st = gt_grid_default(scan, &all);
	if (st == GT_OK)
		gt_grid_coarsen(&all, side, grid);
	return st;
}

typedef struct {
	float *x;
	size_t n, lines, stride; /* along the axis; number of lines; `inner` of them are adjacent */
	size_t inner;
} smooth_call;

static void smooth_lines(void *self, size_t begin, size_t end, int worker)
{
	const smooth_call *s = self;
	(void)worker;
	for (size_t line = begin; line < end; line++) {
		float *x = s->x + line / s->inner * s->inner * s->n + line % s->inner;
		float before = x[0];
		for (size_t i = 0; i < s->n; i++) {
			const float here = x[i * s->stride], after = x[(i + 1 < s->n ? i + 1 : i) * s->stride];
			x[i * s->stride] = (before + 2 * here + after) / 4;
			before = here;
		}
	}
}

void gt_prepare_smooth(const gt_grid *g, gt_pool *pool, float *image)
{
	size_t inner = 1;
	for (int a = 0; a < 3; a++) {
		smooth_call s = { image, g->n[a], gt_grid_voxels(g) / g->n[a], inner, inner };
		gt_parallel(pool, s.lines, 64, smooth_lines, &s);
		inner *= g->n[a];
	}
}
