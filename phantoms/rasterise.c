/* Line integrals of all pixels of a scan, and voxel values. Both run in slabs on a pool, so that the caller's thread
 * can report progress and stop. Every output depends on its own index alone. */
#include <math.h>
#include <stdlib.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "core/arguments.h"
#include "core/try.h"
#include "phantoms/solids.h"

enum { MAX_SAMPLES = 1000 }; /* maximum per pixel or voxel along one axis; more is taken for a mistake */

static gt_status run_slabs(gt_pool *pool, size_t n, size_t grain, gt_loop body, void *job, size_t *start, gt_phantom_progress progress,
                           void *self)
{
	const size_t threads = (size_t)gt_pool_threads(pool), min = 4 * grain * threads;
	const size_t slab = n / 100 > min ? n / 100 : min;
	for (*start = 0; *start < n; *start += slab) {
		const size_t left = n - *start;
		gt_parallel(pool, left < slab ? left : slab, grain, body, job);
		if (progress && progress(self, left <= slab ? 1 : (double)(*start + slab) / (double)n))
			return gt_fail(GT_STOPPED, "stopped");
	}
	return GT_OK;
}

/* hits: [threads][2 solids] */
typedef struct {
	const gt_phantom *p;
	const gt_scan *scan;
	gt_detector detector;
	int rays, whole;
	const double *band;
	size_t start;
	gt_hit *hits;
	float *out;
} projecting;

static double cell_mean(const projecting *j, const gt_view *view, size_t row, size_t column, gt_hit *hits)
{
	double sum = 0, point[3], direction[3];
	for (int v = 0; v < j->rays; v++)
		for (int u = 0; u < j->rays; u++) {
			gt_pixel_ray(&j->detector, view, (double)column + ((u + 0.5) / j->rays - 0.5),
			             (double)row + ((v + 0.5) / j->rays - 0.5), point, direction);
			sum += gt_solids_line(j->p, point, direction, j->whole, j->band, hits);
		}
	return sum / ((double)j->rays * j->rays);
}

static void project_cells(void *self, size_t begin, size_t end, int worker)
{
	const projecting *j = self;
	gt_hit *hits = j->hits + 2 * j->p->solids * (size_t)worker;
	for (size_t i = j->start + begin; i < j->start + end; i++) {
		const size_t line = i / j->scan->columns;
		const gt_view *view = &j->scan->view[line / j->scan->rows];
		j->out[i] = (float)cell_mean(j, view, line % j->scan->rows, i % j->scan->columns, hits);
	}
}

static gt_status project_all(projecting *j, gt_pool *pool, gt_phantom_progress progress, void *self)
{
	gt_status st = GT_OK;
	if (j->rays < 1 || j->rays > MAX_SAMPLES)
		return gt_fail(GT_ERR_ARG, "rays=%d: expected a number from 1 to %d", j->rays, MAX_SAMPLES);
	GT_TRY(gt_scan_check(j->scan));
	j->detector = gt_scan_detector(j->scan);
	j->whole = j->scan->shape == GT_PARALLEL;
	j->hits = calloc(j->p->solids, 2 * (size_t)gt_pool_threads(pool) * sizeof *j->hits);
	if (!j->hits)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory to project a phantom of %zu shapes", j->p->solids));
	GT_TRY(run_slabs(pool, gt_scan_size(j->scan), 256, project_cells, j, &j->start, progress, self));
done:
	free(j->hits);
	return st;
}

gt_status gt_phantom_project(const gt_phantom *p, const gt_scan *scan, int rays, gt_pool *pool, gt_phantom_progress progress, void *self,
                             float *out)
{
	GT_NEED(p);
	GT_NEED(scan);
	GT_NEED(out);
	projecting j = { .p = p, .scan = scan, .rays = rays, .out = out };
	return project_all(&j, pool, progress, self);
}

gt_status gt_phantom_project_band(const gt_phantom *p, const gt_scan *scan, const double band[2], int rays, gt_pool *pool, float *out)
{
	GT_NEED(p);
	GT_NEED(scan);
	GT_NEED(band);
	GT_NEED(out);
	projecting j = { .p = p, .scan = scan, .rays = rays, .band = band, .out = out };
	return project_all(&j, pool, NULL, NULL);
}

/* sample: [threads][row of samples], sum: [threads][row of voxels], hits: [threads][solids] */
typedef struct {
	const gt_phantom *p;
	const gt_grid *grid;
	int points;
	size_t start;
	double *sample, *sum;
	gt_hit *hits;
	float *out;
} voxelising;

static double sample_offset(int i, int points) { return (i + 0.5) / points - 0.5; }

/* Samples one line along x through (y, z). Shapes cover runs of samples between the entry and exit of the line. */
static size_t sample_line(const voxelising *j, double y, double z, double *sample, gt_hit *hits)
{
	const gt_grid *g = j->grid;
	const size_t samples = g->n[0] * (size_t)j->points;
	const double step = g->pitch[0] / j->points;
	const double from[3] = { gt_grid_first(g, 0) + sample_offset(0, j->points) * g->pitch[0], y, z }, direction[3] = { step, 0, 0 };
	const size_t n = gt_solids_hits(j->p, from, direction, -0.5, (double)samples - 0.5, hits);
	for (size_t i = 0; n && i < samples; i++)
		sample[i] = 0;
	for (size_t h = 0; h < n; h++) {
		const double in = ceil(hits[h].in), out = floor(hits[h].out), density = hits[h].solid->density;
		if (in > out)
			continue;
		const size_t first = in > 0 ? (size_t)in : 0, last = out < (double)(samples - 1) ? (size_t)out : samples - 1;
		if (j->p->replace)
			for (size_t i = first; i <= last; i++)
				sample[i] = density;
		else
			for (size_t i = first; i <= last; i++)
				sample[i] += density;
	}
	return n;
}

static void voxelise_rows(void *self, size_t begin, size_t end, int worker)
{
	const voxelising *j = self;
	const gt_grid *g = j->grid;
	const size_t nx = g->n[0], points = (size_t)j->points;
	double *sample = j->sample + (size_t)worker * nx * points, *sum = j->sum + (size_t)worker * nx;
	gt_hit *hits = j->hits + (size_t)worker * j->p->solids;
	for (size_t row = j->start + begin; row < j->start + end; row++) {
		const double y = gt_grid_first(g, 1) + (double)(row % g->n[1]) * g->pitch[1];
		const double z = gt_grid_first(g, 2) + (double)(row / g->n[1]) * g->pitch[2];
		for (size_t x = 0; x < nx; x++)
			sum[x] = 0;
		for (int k = 0; k < j->points * j->points; k++) {
			const double ys = y + sample_offset(k % j->points, j->points) * g->pitch[1];
			const double zs = z + sample_offset(k / j->points, j->points) * g->pitch[2];
			if (!sample_line(j, ys, zs, sample, hits))
				continue;
			for (size_t x = 0; x < nx; x++)
				for (size_t i = 0; i < points; i++)
					sum[x] += sample[x * points + i];
		}
		for (size_t x = 0; x < nx; x++)
			j->out[row * nx + x] = (float)(sum[x] / ((double)points * (double)points * (double)points));
	}
}

gt_status gt_phantom_voxelise(const gt_phantom *p, const gt_grid *grid, int points, gt_pool *pool, gt_phantom_progress progress, void *self,
                              float *out)
{
	gt_status st = GT_OK;
	const size_t threads = (size_t)gt_pool_threads(pool);
	voxelising j = { .p = p, .grid = grid, .points = points, .out = out };
	if (points < 1 || points > MAX_SAMPLES)
		return gt_fail(GT_ERR_ARG, "points=%d: expected a number from 1 to %d", points, MAX_SAMPLES);
	GT_TRY(gt_grid_check(grid, NULL));
	j.sample = calloc(grid->n[0], threads * (size_t)points * sizeof *j.sample);
	j.sum = calloc(grid->n[0], threads * sizeof *j.sum);
	j.hits = calloc(p->solids, threads * sizeof *j.hits);
	if (!j.sample || !j.sum || !j.hits)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for rows of %zu voxels, %d^3 points each", grid->n[0], points));
	GT_TRY(run_slabs(pool, grid->n[1] * grid->n[2], 4, voxelise_rows, &j, &j.start, progress, self));
done:
	free(j.sample);
	free(j.sum);
	free(j.hits);
	return st;
}
