#ifndef GT_TESTS_PAIRS_H
#define GT_TESTS_PAIRS_H
/* Shared set-up of the projectors' tests: scans on orbits, projections of volumes, the transpose, lengths in boxes. */
#include <math.h>
#include <stdlib.h>
#include <gantry/projector.h>
#include <gantry/author/vec3.h>
#include "tests/support/geometries.h"
#include "tests/support/images.h"
#include "tests/support/support.h"
#include "tests/support/transpose.h"

static inline gt_scan *orbit_scan(const gt_orbit *orbit)
{
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(orbit, &scan));
	return scan;
}

struct orbit_case {
	const char *name;
	gt_orbit orbit;
	gt_grid grid;
};
static inline struct gt_test_geometry orbit_geometry(const struct orbit_case *c)
{
	return (struct gt_test_geometry){ c->name, orbit_scan(&c->orbit), c->grid };
}

static inline void rotate(double *a, double *b, double angle)
{
	for (int i = 0; i < 3; i++) {
		const double x = a[i], y = b[i];
		a[i] = cos(angle) * x + sin(angle) * y;
		b[i] = cos(angle) * y - sin(angle) * x;
	}
}

/* Forward and adjoint have equal entries. kernels: their name, for messages. */
static inline void check_transpose(const char *pair, gt_backend *be, gt_type type, const struct gt_test_geometry *g, const char *kernels)
{
	gt_linop *A = NULL;
	double difference, largest;
	ck_ok(gt_projector_new(pair, be, type, &g->grid, g->scan, &A));
	gt_test_transpose(A, &difference, &largest);
	ck_assert_msg(largest > 0 && difference <= (type == GT_F64 ? 1e-12 : 1e-5) * largest,
	              "%s, %s, %s, %s kernels: %.3e of the largest entry", pair, g->name, gt_type_name(type), kernels,
	              difference / largest);
	gt_linop_free(A);
}

/* Projects x; NULL: ones. */
static inline gt_array *projections(const char *pair, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                    const float *x)
{
	gt_linop *A = NULL;
	gt_array *in = NULL, *out = NULL;
	ck_ok(gt_array_new(be, type, gt_grid_voxels(grid), &in));
	ck_ok(gt_array_new(be, type, gt_scan_size(scan), &out));
	if (x)
		gt_array_put_float(x, in);
	else
		gt_fill(1, in);
	ck_ok(gt_projector_new(pair, be, type, grid, scan, &A));
	gt_forward(A, in, out);
	ck_ok(gt_backend_status(be));
	gt_array_free(in);
	gt_linop_free(A);
	return out;
}

/* The caller frees the result of project() and project_double(). */
static inline float *project(const char *pair, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *x)
{
	gt_array *out = projections(pair, be, type, grid, scan, x);
	float *y = malloc(gt_array_size(out) * sizeof *y);
	gt_array_get_float(out, y);
	gt_array_free(out);
	return y;
}
static inline double *project_double(const char *pair, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                     const float *x)
{
	gt_array *out = projections(pair, be, type, grid, scan, x);
	double *y = gt_test_values(out);
	gt_array_free(out);
	return y;
}

/* Length of the line p + t e within a box; half: t >= 0. Lower faces belong to the box, upper ones do not. */
static inline double length_in_box(const double *p, const double *e, int half, const double *low, const double *high)
{
	double from = half ? 0 : -INFINITY, to = INFINITY;
	for (int a = 0; a < 3; a++) {
		if (fabs(e[a]) < 1e-12) {
			if (p[a] < low[a] || p[a] >= high[a])
				return 0;
			continue;
		}
		from = fmax(from, fmin((low[a] - p[a]) / e[a], (high[a] - p[a]) / e[a]));
		to = fmin(to, fmax((low[a] - p[a]) / e[a], (high[a] - p[a]) / e[a]));
	}
	return to > from ? (to - from) * sqrt(gt_dot3(e, e)) : 0;
}
#endif
