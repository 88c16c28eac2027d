/* Beam hardening by a second material: Joseph, Spital, J. Comput. Assist. Tomogr. 2 (1978) 100. An image of
 * projections corrected for the first material shows the dense one, and its projection is the path through it.
 * Newton's method then solves the measurement for the path through the first material, ray by ray. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "prepare/images.h"
#include "prepare/two_materials.h"

enum { STEPS = 6, SIDE = 512 };

typedef struct {
	const gt_two_materials *t;
	const float *measured, *dense; /* line integrals; of the dense part of the image */
	const double *mu[2];           /* by energy */
	double reference[2];           /* mm^-1 */
	float *out;
} solve_call;

/* Returns the path through the first material that gives p together with `dense` mm of the second one. */
static double way_through(const solve_call *c, double p, double start, double dense)
{
	const gt_spectrum *s = c->t->s;
	double way = start;
	for (int k = 0; k < STEPS; k++) {
		double passed = 0, slope = 0;
		for (size_t e = 0; e < s->n; e++) {
			const double part = s->part[e] * exp(-c->mu[0][e] * way - c->mu[1][e] * dense);
			passed += part;
			slope += part * c->mu[0][e];
		}
		way += (p + log(passed)) * passed / slope;
	}
	return way;
}

static void solve(void *self, size_t begin, size_t end, int worker)
{
	const solve_call *c = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const double dense = c->dense[i] / c->reference[1], by_both = c->out[i] - c->dense[i];
		if (!(dense > 0))
			continue;
		const double way = way_through(c, c->measured[i], fmax(0, by_both) / c->reference[0], dense);
		c->out[i] = (float)(c->reference[0] * way + c->dense[i]);
	}
}

static gt_status find_dense(const gt_prepare_call *c, gt_backend *be, const gt_grid *grid, double min, float *image, float *lines,
                            size_t *voxels)
{
	const gt_projections *p = *c->p;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_image(be, p->scan, p->data, grid, image));
	*voxels = 0;
	for (size_t i = 0; i < gt_grid_voxels(grid); i++) {
		*voxels += image[i] > min;
		image[i] = image[i] > min ? image[i] : 0;
	}
	st = gt_prepare_project(be, p->scan, grid, image, lines);
done:
	return st;
}

gt_status gt_prepare_two_materials(gt_prepare_call *c, const gt_two_materials *t, const float *measured)
{
	const gt_projections *p = *c->p;
	double *mu[2] = { gt_spectrum_attenuation(t->s, t->body), gt_spectrum_attenuation(t->s, t->dense) };
	solve_call call = {
		t, measured, NULL, { mu[0], mu[1] }, { gt_material_mu(t->body, t->energy), gt_material_mu(t->dense, t->energy) }, p->data
	};
	const double min = t->threshold * call.reference[0];
	gt_backend *be = NULL;
	gt_grid grid;
	float *image = NULL, *lines = NULL;
	size_t voxels = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_prepare_grid(p->scan, SIDE, &grid));
	GT_TRY(gt_prepare_backend(c, &be));
	image = malloc(gt_grid_voxels(&grid) * sizeof *image);
	lines = malloc(gt_scan_size(p->scan) * sizeof *lines);
	if (!mu[0] || !mu[1] || !image || !lines)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "two materials: out of memory"));
	call.dense = lines;
	for (int pass = 0; pass < t->passes; pass++) {
		GT_TRY(find_dense(c, be, &grid, min, image, lines, &voxels));
		gt_parallel(c->pool, gt_scan_size(p->scan), 64, solve, &call);
	}
	gt_prepare_note(c, "%.3g mm^3 are above %.4g mm-1 and taken for the dense material",
	                (double)voxels * grid.pitch[0] * grid.pitch[1] * grid.pitch[2], min);
done:
	free(mu[0]);
	free(mu[1]);
	free(image);
	free(lines);
	gt_backend_close(be);
	return st;
}
