#ifndef GT_TESTS_ANALYTIC_BODIES_H
#define GT_TESTS_ANALYTIC_BODIES_H
/* Balls and infinite cylinders along z: exact line integrals, and measures of their reconstruction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "tests/support/support.h"


/* A ball, or a cylinder along z if flat is 1; mu is added to the attenuation around it. */
typedef struct { int flat; double center[3], radius, mu; } body;

/* Chord of the whole line through `from`. */
static inline double body_chord(const body *b, const double from[3], const double direction[3])
{
	double dd = 0, df = 0, ff = 0, length = 0;
	for (int a = 0; a < 3; a++) {
		const double d = b->flat && a == 2 ? 0 : direction[a], f = b->flat && a == 2 ? 0 : from[a] - b->center[a];
		dd += d * d;
		df += d * f;
		ff += f * f;
		length += direction[a] * direction[a];
	}
	const double disc = df * df - dd * (ff - b->radius * b->radius);
	return disc > 0 ? 2 * sqrt(disc) / dd * sqrt(length) : 0;
}

/* Line integrals along the rays through the pixel centres. */
static inline double *bodies_project(const body *b, size_t bodies, const gt_scan *scan)
{
	const gt_detector d = gt_scan_detector(scan);
	double *p = calloc(gt_scan_size(scan), sizeof *p), *at = p;
	ck_assert_ptr_nonnull(p);
	for (size_t v = 0; v < scan->views; v++)
		for (size_t l = 0; l < scan->rows; l++)
			for (size_t k = 0; k < scan->columns; k++, at++) {
				double from[3], direction[3];
				gt_pixel_ray(&d, &scan->view[v], (double)k, (double)l, from, direction);
				for (size_t i = 0; i < bodies; i++)
					*at += b[i].mu * body_chord(&b[i], from, direction);
			}
	return p;
}

/* Rotates a detector around `detector`: in its plane by roll, and around its rows by pitch (rad). */
static inline void tilt_view(gt_view *w, double roll, double pitch)
{
	double normal[3];
	for (int a = 0; a < 3; a++) {
		const double c = w->column_axis[a], r = w->row_axis[a];
		w->column_axis[a] = cos(roll) * c + sin(roll) * r;
		w->row_axis[a] = cos(roll) * r - sin(roll) * c;
	}
	for (int a = 0; a < 3; a++)
		normal[a] = w->column_axis[(a + 1) % 3] * w->row_axis[(a + 2) % 3] - w->column_axis[(a + 2) % 3] * w->row_axis[(a + 1) % 3];
	for (int a = 0; a < 3; a++)
		w->row_axis[a] = cos(pitch) * w->row_axis[a] + sin(pitch) * normal[a];
}

/* Runs a method with the parameters in `text`. */
static inline void run_method(gt_backend *be, const char *method, const char *text, const gt_grid *grid, const gt_scan *scan,
                              const gt_array *p, gt_array *x)
{
	const gt_analytic *m = gt_analytic_find(method);
	ck_assert_ptr_nonnull(m);
	void *options = malloc(m->options_size);
	ck_assert_ptr_nonnull(options);
	memcpy(options, m->defaults, m->options_size);
	ck_ok(gt_params_parse(m->params, text, options));
	ck_ok(gt_analytic_run(m, be, grid, scan, options, p, x));
	free(options);
}

/* Runs a method on data in double precision; the caller frees the volume. */
static inline double *reconstruct_as(gt_backend *be, gt_type type, const char *method, const char *text, const gt_grid *grid,
                                     const gt_scan *scan, const double *data)
{
	const size_t cells = gt_scan_size(scan), voxels = gt_grid_voxels(grid);
	gt_array *p, *x;
	float *single = malloc((cells > voxels ? cells : voxels) * sizeof *single);
	double *volume = malloc(voxels * sizeof *volume);
	ck_assert(single && volume);
	ck_ok(gt_array_new(be, type, cells, &p));
	ck_ok(gt_array_new(be, type, voxels, &x));
	for (size_t i = 0; i < cells; i++)
		single[i] = (float)data[i];
	gt_array_put(type == GT_F64 ? (const void *)data : single, p);
	gt_fill(123, x);
	run_method(be, method, text, grid, scan, p, x);
	gt_array_get(x, type == GT_F64 ? (void *)volume : single);
	for (size_t i = 0; type == GT_F32 && i < voxels; i++)
		volume[i] = single[i];
	ck_ok(gt_backend_status(be));
	gt_array_free(p);
	gt_array_free(x);
	free(single);
	return volume;
}

static inline double *reconstruct(const char *method, const char *text, const gt_grid *grid, const gt_scan *scan, const double *data)
{
	gt_backend *be = gt_test_backend();
	double *x = reconstruct_as(be, GT_F32, method, text, grid, scan, data);
	gt_backend_close(be);
	return x;
}

static inline double voxel_at(const gt_grid *g, int axis, size_t i)
{
	return gt_grid_first(g, axis) + (double)i * g->pitch[axis];
}

/* Mean over |z - z0| <= half and a circle of this radius around (x, y). */
static inline double region_mean(const gt_grid *g, const double *volume, double x, double y, double radius, double z0, double half)
{
	double sum = 0, count = 0;
	for (size_t k = 0; k < g->n[2]; k++)
		for (size_t j = 0; j < g->n[1]; j++)
			for (size_t i = 0; i < g->n[0]; i++)
				if (hypot(voxel_at(g, 0, i) - x, voxel_at(g, 1, j) - y) <= radius && fabs(voxel_at(g, 2, k) - z0) <= half) {
					sum += volume[(k * g->n[1] + j) * g->n[0] + i];
					count++;
				}
	ck_assert_msg(count > 8, "only %g voxels around (%g, %g)", count, x, y);
	return sum / count;
}

static inline double true_value(const body *b, size_t bodies, const double x[3])
{
	double mu = 0;
	for (size_t i = 0; i < bodies; i++) {
		const double dx = x[0] - b[i].center[0], dy = x[1] - b[i].center[1], dz = b[i].flat ? 0 : x[2] - b[i].center[2];
		mu += dx * dx + dy * dy + dz * dz < b[i].radius * b[i].radius ? b[i].mu : 0;
	}
	return mu;
}

/* Distance (voxels, largest over the axes) between a ball and the centre of mass of the values above its
 * surroundings. */
static inline double ball_error(const gt_grid *g, const double *volume, const body *b, double reach)
{
	double sum = 0, mass[3] = { 0, 0, 0 }, worst = 0;
	for (size_t k = 0; k < g->n[2]; k++)
		for (size_t j = 0; j < g->n[1]; j++)
			for (size_t i = 0; i < g->n[0]; i++) {
				const double x[3] = { voxel_at(g, 0, i), voxel_at(g, 1, j), voxel_at(g, 2, k) };
				const double value = volume[(k * g->n[1] + j) * g->n[0] + i];
				const double d[3] = { x[0] - b->center[0], x[1] - b->center[1], x[2] - b->center[2] };
				if (gt_dot3(d, d) > reach * reach || value < 0.1 * b->mu)
					continue;
				sum += value;
				for (int a = 0; a < 3; a++)
					mass[a] += value * d[a];
			}
	ck_assert_msg(sum > 0, "nothing where a ball should be");
	for (int a = 0; a < 3; a++)
		worst = fmax(worst, fabs(mass[a] / sum) / g->pitch[a]);
	return worst;
}

#endif
