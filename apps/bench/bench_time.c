/* Timing of operators, and the unavoidable fraction of their work. */
#include <gantry/io.h>
#include <gantry/projector.h>
#include <gantry/author/scan_math.h>
#include "apps/bench/bench.h"
#include "apps/cli/progress.h"
#include "core/linop.h"
#include "core/random.h"

double bench_peak_bytes(const gt_backend *be)
{
	gt_counters count;
	return gt_backend_counters(be, &count) == GT_OK ? (double)count.peak_bytes : 0;
}

/* One of the alternating operators, with its own backend, so that its memory is counted separately. */
typedef struct {
	gt_backend *be;
	gt_linop *A;
	gt_array *x, *y;
} contender;

static void leave(contender *c)
{
	gt_array_free(c->x);
	gt_array_free(c->y);
	gt_linop_free(c->A);
	gt_backend_close(c->be);
	*c = (contender){ 0 };
}

static gt_status enter(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *volume, const float *data,
                       const char *projector, contender *c)
{
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(backend, &c->be));
	GT_TRY(gt_projector_new(projector, c->be, type, grid, scan, &c->A));
	GT_TRY(gt_array_new(c->be, type, gt_linop_nx(c->A), &c->x));
	GT_TRY(gt_array_new(c->be, type, gt_linop_ny(c->A), &c->y));
	gt_array_put_float(volume, c->x);
	gt_array_put_float(data, c->y);
	GT_TRY(gt_backend_status(c->be));
done:
	if (st != GT_OK)
		leave(c);
	return st;
}

static double one_run(const contender *c, int adjoint)
{
	gt_backend_wait(c->be);
	const double start = app_seconds();
	if (adjoint)
		gt_adjoint(c->A, c->y, c->x);
	else
		gt_forward(c->A, c->x, c->y);
	gt_backend_wait(c->be);
	return 1e3 * (app_seconds() - start);
}

static gt_status take_turns(contender *c, int adjoint, int repeat, app_timing *t, size_t n)
{
	for (int i = -1; i < repeat; i++)
		for (size_t k = 0; k < n; k++) {
			if (t[k].refused != GT_OK)
				continue;
			const double ms = one_run(&c[k], adjoint);
			if (i >= 0)
				t[k].ms[t[k].runs++] = ms;
		}
	for (size_t k = 0; k < n; k++)
		if (t[k].refused == GT_OK) {
			GT_OR_RETURN(gt_backend_status(c[k].be));
			t[k].min_ms = 1e3 * gt_linop_min_seconds(c[k].A, adjoint, &t[k].bound);
			t[k].peak_bytes = bench_peak_bytes(c[k].be);
		}
	return GT_OK;
}

gt_status app_time_operators(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data, int adjoint,
                             int repeat, app_timing *t, size_t n)
{
	const size_t voxels = gt_grid_voxels(grid);
	contender *c = calloc(n, sizeof *c);
	float *volume = NULL;
	gt_status st = c ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_host_has_memory((double)voxels * sizeof *volume, "the volume"));
	if (!(volume = malloc(voxels * sizeof *volume)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the volume needs %.3g MB", (double)voxels * 4e-6));
	app_fill_random(volume, voxels);
	for (size_t k = 0; k < n; k++) {
		t[k].runs = 0;
		t[k].bound = "";
		t[k].why[0] = 0;
		t[k].refused = enter(backend, type, grid, scan, volume, data, t[k].projector, &c[k]);
		if (t[k].refused != GT_OK && !app_left_out(t[k].refused))
			GT_TRY(t[k].refused);
		if (t[k].refused != GT_OK)
			snprintf(t[k].why, sizeof t[k].why, "%s", gt_error());
	}
	GT_TRY(take_turns(c, adjoint, repeat, t, n));
done:
	for (size_t k = 0; c && k < n; k++)
		leave(&c[k]);
	free(c);
	free(volume);
	return st;
}

/* Unavoidable work -------------------------------------------------------- */

enum { SAMPLE_VIEWS = 48, SAMPLE_ACROSS = 48, SAMPLE_SLICES = 64 };

/* Returns 1 if some part of the voxel's height, z +- half, is in the view's fan and cone. */
static int seen(const gt_detector *d, const gt_scan *scan, const gt_view *w, double x, double y, double z, double half)
{
	double k[2], l[2];
	for (int end = 0; end < 2; end++) {
		const double p[3] = { x, y, end ? z + half : z - half };
		if (!gt_point_pixel(d, w, p, &k[end], &l[end]))
			return 0;
	}
	const double column = (k[0] + k[1]) / 2;
	return column >= -0.5 && column <= (double)scan->columns - 0.5 && fmax(l[0], l[1]) > -0.5 &&
	       fmin(l[0], l[1]) < (double)scan->rows - 0.5;
}

/* Returns index i of a sample of n, spread over `of`; shift from 0 to 1. */
static size_t spread(size_t i, size_t n, size_t of, double shift) { return (size_t)(((double)i + shift) * (double)of / (double)n); }

static size_t fewer(size_t n, size_t max) { return n < max ? n : max; }

/* The sampled slices differ between columns and views, shifted by multiples of the golden ratio, so that a thin beam
 * is not missed. */
double app_overlap(const gt_scan *scan, const gt_grid *g)
{
	const gt_detector d = gt_scan_detector(scan);
	const double golden = 0.61803398874989485;
	const size_t views = fewer(scan->views, SAMPLE_VIEWS), columns = fewer(g->n[0], SAMPLE_ACROSS);
	const size_t lines = fewer(g->n[1], SAMPLE_ACROSS), slices = fewer(g->n[2], SAMPLE_SLICES), bars = views * lines * columns;
	double count = 0, p[3];
	for (size_t i = 0; i < bars; i++) {
		const gt_view *w = &scan->view[spread(i / (lines * columns), views, scan->views, 0.5)];
		const double shift = slices < g->n[2] ? fmod((double)i * golden, 1) : 0.5;
		p[0] = gt_grid_first(g, 0) + (double)spread(i % columns, columns, g->n[0], 0.5) * g->pitch[0];
		p[1] = gt_grid_first(g, 1) + (double)spread(i / columns % lines, lines, g->n[1], 0.5) * g->pitch[1];
		for (size_t k = 0; k < slices; k++) {
			p[2] = gt_grid_first(g, 2) + (double)spread(k, slices, g->n[2], shift) * g->pitch[2];
			count += seen(&d, scan, w, p[0], p[1], p[2], g->pitch[2] / 2);
		}
	}
	return count / (double)(bars * slices) * (double)gt_grid_voxels(g) * (double)scan->views;
}
