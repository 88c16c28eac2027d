#ifndef GT_TESTS_SMOOTH_MODEL_H
#define GT_TESTS_SMOOTH_MODEL_H
/* Smooth penalties, files of prior images for some of them, and plain loops of their definitions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include <gantry/regularizer.h>
#include "tests/support/images.h"
#include "tests/support/support.h"

/* PRIOR stands for a file with random voxels on a larger grid. */
static const char *const specs[] = { "awtv:strength=1.7,delta=0.8,smooth=0.3", "awtv:strength=0.4,delta=0.2,smooth=0.5",
	                             "piccs:strength=1.3,alpha=0.3,smooth=0.3,prior=PRIOR",
	                             "nltv:strength=1.1,h=0.9,smooth=0.3,prior=PRIOR",
	                             "nltv:strength=40,h=0.5,smooth=0.2,search=3,patch=1,prior=PRIOR" };
enum { SPECS = sizeof specs / sizeof *specs };

static const gt_grid grids[] = {
	{ { 7, 5, 6 }, { 0.7, 1.1, 2.3 }, { 3, -2, 1 } },
	{ { 1, 6, 5 }, { 0.7, 1.3, 0.4 }, { 0, 0, 0 } },
	{ { 9, 1, 5 }, { 0.5, 1.3, 0.9 }, { 0, 0, 0 } },
	{ { 11, 8, 1 }, { 0.5, 0.6, 0.9 }, { 0, 0, 0 } },
};
enum { GRIDS = sizeof grids / sizeof *grids };

struct prior {
	gt_backend *be;
	size_t n;
	gt_penalty *R;
	gt_array *x, *g, *d, *u;
};

/* Additional voxels of the prior image's file, below and above the grid. */
static const size_t more[3][2] = { { 1, 2 }, { 0, 3 }, { 2, 0 } };

/* Writes the file, which the caller removes. */
static inline void write_prior(const gt_grid *grid, double scale, char path[64])
{
	gt_grid g = *grid;
	gt_volume *v;
	for (int a = 0; a < 3; a++) {
		g.n[a] += more[a][0] + more[a][1];
		g.center[a] += ((double)more[a][1] - (double)more[a][0]) / 2 * g.pitch[a];
	}
	ck_ok(gt_volume_new(&g, &v));
	gt_test_random(99, gt_grid_voxels(&g), gt_volume_data(v));
	for (size_t i = 0; i < gt_grid_voxels(&g); i++)
		gt_volume_data(v)[i] = (float)scale * (1 + gt_volume_data(v)[i]);
	snprintf(path, 64, "/tmp/gantry-prior-%ld.nc", (long)getpid());
	ck_ok(gt_write_volume(path, NULL, v));
	gt_volume_free(v);
}

/* Returns the voxels of the grid in that file. */
static inline double *prior_values(const gt_grid *g, double scale)
{
	const size_t nx = g->n[0] + more[0][0] + more[0][1], ny = g->n[1] + more[1][0] + more[1][1], nz = g->n[2] + more[2][0] + more[2][1];
	float *all = malloc(nx * ny * nz * sizeof *all);
	double *out = malloc(gt_grid_voxels(g) * sizeof *out);
	gt_test_random(99, nx * ny * nz, all);
	for (size_t i = 0; i < gt_grid_voxels(g); i++) {
		const size_t x = i % g->n[0] + more[0][0], y = i / g->n[0] % g->n[1] + more[1][0], z = i / g->n[0] / g->n[1] + more[2][0];
		out[i] = (float)scale * (1 + all[(z * ny + y) * nx + x]);
	}
	free(all);
	return out;
}

/* Makes a penalty whose spec may name the file. */
static inline gt_status make(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, gt_penalty **R)
{
	char path[64] = "", text[256];
	const char *file = strstr(spec, "PRIOR");
	if (file)
		write_prior(grid, 1, path);
	snprintf(text, sizeof text, "%.*s%s", file ? (int)(file - spec) : (int)strlen(spec), spec, path);
	const gt_status st = gt_regularizer_new(text, be, type, grid, NULL, R);
	unlink(path);
	return st;
}

static inline struct prior prior_on(gt_backend *be, gt_type type, const char *spec, const gt_grid *grid)
{
	struct prior p = { .be = be, .n = gt_grid_voxels(grid) };
	ck_ok(make(spec, be, type, grid, &p.R));
	p.x = gt_test_array(be, type, p.n, 1);
	p.u = gt_test_array(be, type, p.n, 2);
	ck_ok(gt_array_like(p.x, &p.g));
	ck_ok(gt_array_like(p.x, &p.d));
	gt_fill(0, p.g);
	gt_fill(0, p.d);
	return p;
}

static inline void prior_free(struct prior *p)
{
	ck_ok(gt_backend_status(p->be));
	gt_penalty_free(p->R);
	gt_array_free(p->x), gt_array_free(p->g), gt_array_free(p->d), gt_array_free(p->u);
}

/* The penalty at x + a u. */
static inline double at(const struct prior *p, const gt_array *x, double a, const gt_array *u)
{
	gt_array *there;
	ck_ok(gt_array_like(x, &there));
	gt_copy(x, there);
	gt_axpy(a, u, there);
	const double value = gt_penalty_value(p->R, there);
	gt_array_free(there);
	return value;
}

/* By the definition. */
static inline double awtv(const gt_grid *g, const double *x, double delta, double eps)
{
	double sum = 0;
	for (size_t v = 0; v < gt_grid_voxels(g); v++) {
		double s = eps * eps;
		for (size_t a = 0, stride = 1; a < 3; stride *= g->n[a++]) {
			const double d = v / stride % g->n[a] + 1 < g->n[a] ? (x[v + stride] - x[v]) * g->pitch[0] / g->pitch[a] : 0;
			s += d * d * exp(-d * d / delta / delta);
		}
		sum += sqrt(s) - eps;
	}
	return sum;
}
#endif
