/* Denoising of volumes and projections: one proximal step of a penalty, or fista with the identity operator for a
 * penalty without one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include <gantry/solver.h>
#include "core/device/backend.h"
#include "core/spec.h"
#include "core/try.h"
#include "regularizers/spec_of_water.h"

const gt_denoise_options gt_denoise_defaults = { .size = sizeof(gt_denoise_options), .iterations = 200, .min = -INFINITY };

static void identity(void *self, const gt_array *x, gt_array *y)
{
	(void)self;
	gt_copy(x, y);
}

/* Denoises with the gradient of the penalty. */
static gt_status solve(const gt_denoise_options *o, const gt_penalty *R, gt_array *z, gt_array *x)
{
	static const struct gt_linop_ops ops = { .name = "identity", .forward = identity, .adjoint = identity };
	gt_linop *A = NULL;
	const gt_module *solver;
	void *options = NULL;
	char spec[64];
	gt_status st = GT_OK;
	snprintf(spec, sizeof spec, "fista:iterations=%d,nonneg=no", o->iterations);
	GT_TRY(gt_module_parse("solver", spec, &solver, &options));
	GT_TRY(gt_linop_new(&ops, NULL, gt_array_backend(x), gt_array_type(x), gt_array_size(x), gt_array_size(x), &A));
	const gt_problem problem = { .subsets = 1, .A = &A, .b = &z, .lo = o->min, .hi = INFINITY, .R = R };
	gt_copy(z, x);
	GT_TRY(gt_solve((const gt_solver *)solver, &problem, options, x, NULL));
done:
	gt_free(options);
	gt_linop_free(A);
	return st;
}

/* Requires a strength for penalties, whose unit is that of the data, so no default fits. Pure denoisers have none. */
static gt_status check_strength(const char *spec, const gt_penalty *R)
{
	const int needs = gt_penalty_is_convex(R) || gt_penalty_has(R) & GT_HAS_GRADIENT;
	if (!needs || strstr(spec, ":strength=") || strstr(spec, ",strength="))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "penalty %s: no strength: expected strength=NUMBER, there is no scan to find it by", gt_penalty_name(R));
}

static gt_status check_options(const gt_denoise_options *o)
{
	if (!o || o->size != sizeof *o)
		return gt_fail(GT_ERR_ARG, "denoising: options of %zu bytes, expected %zu", o ? o->size : 0, sizeof *o);
	if (!o->penalty)
		return gt_fail(GT_ERR_ARG, "denoising: no penalty, expected NAME or NAME:key=value");
	if (o->iterations < 1 || isnan(o->min))
		return gt_fail(GT_ERR_ARG, "denoising: %d iterations and values of at least %g: expected 1 or more, and a number",
		               o->iterations, o->min);
	return GT_OK;
}

/* Rejects large numbers for volumes in mm^-1, where HU were intended, and units for projections, which have none. */
static gt_status check_units(const char *spec, int projections)
{
	const gt_spec cut = gt_spec_cut(spec);
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)cut.length, spec);
	const gt_regularizer *r = gt_regularizer_find(name);
	if (projections && cut.values && (strstr(cut.values, "HU") || strstr(cut.values, "mm-1")))
		return gt_fail(GT_ERR_ARG, "penalty %s: line integrals have no unit: expected numbers without one", spec);
	return projections || !r ? GT_OK : gt_fail_in(gt_spec_check_units(r->params, cut.values), "penalty %s", name);
}

/* Data to denoise: data[volumes], each on the grid. */
struct subject {
	const gt_grid *grid;
	size_t volumes;
	float *const *data;
};

static void move(const struct subject *s, int back, gt_array *all)
{
	const size_t each = gt_grid_voxels(s->grid);
	for (size_t i = 0; i < s->volumes; i++) {
		gt_array part = gt_array_at(all->be, all->type, each, (char *)all->data + i * each * gt_type_size(all->type));
		if (back)
			gt_array_get_float(&part, s->data[i]);
		else
			gt_array_put_float(s->data[i], &part);
	}
}

static gt_status denoise(gt_backend *be, gt_type type, const gt_denoise_options *o, const struct subject *s)
{
	gt_array *z = NULL, *x = NULL;
	gt_penalty *R = NULL;
	gt_status st = GT_OK;
	if (s->volumes > 1)
		GT_TRY(gt_regularizer_new_joint(o->penalty, be, type, s->grid, s->volumes, &R));
	else
		GT_TRY(gt_regularizer_new(o->penalty, be, type, s->grid, NULL, &R));
	GT_TRY(check_strength(o->penalty, R));
	GT_TRY(gt_array_new(be, type, s->volumes * gt_grid_voxels(s->grid), &z));
	GT_TRY(gt_array_like(z, &x));
	move(s, 0, z);
	if (gt_penalty_has(R) & GT_HAS_PROX)
		gt_penalty_prox(R, 1, o->min, INFINITY, z, x);
	else
		GT_TRY(solve(o, R, z, x));
	GT_TRY(gt_backend_status(be));
	move(s, 1, x);
	GT_TRY(gt_backend_status(be));
done:
	gt_penalty_free(R);
	gt_array_free(z);
	gt_array_free(x);
	return st;
}

/* HU refer to the volume's own water value if it is known. */
static gt_status denoise_of_water(gt_backend *be, gt_type type, const gt_denoise_options *o, double water, const struct subject *s)
{
	gt_denoise_options own = *o;
	char *spec = gt_penalty_spec_of_water(o->penalty, water > 0 ? water : GT_WATER_DEFAULT);
	if (!spec)
		return gt_fail(GT_ERR_MEMORY, "denoising: out of memory");
	own.penalty = spec;
	const gt_status st = denoise(be, type, &own, s);
	free(spec);
	return st;
}

gt_status gt_denoise_volumes(gt_backend *be, gt_type type, const gt_denoise_options *o, gt_volume *const *v, size_t n)
{
	float **data = NULL;
	gt_status st = check_options(o);
	GT_TRY(st);
	GT_TRY(check_units(o->penalty, 0));
	if (!v || n < 1)
		GT_TRY(gt_fail(GT_ERR_ARG, "denoising: no volumes, expected 1 or more"));
	if (!(data = calloc(n, sizeof *data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "denoising: no memory for %zu volumes", n));
	for (size_t i = 0; i < n; i++) {
		if (!(data[i] = gt_volume_data(v[i])))
			GT_TRY(gt_fail(GT_ERR_ARG, "denoising: volume %zu of %zu has no voxels", i + 1, n));
		if (!gt_grid_same(gt_volume_grid(v[0]), gt_volume_grid(v[i])))
			GT_TRY(gt_fail(GT_ERR_ARG, "denoising: volume %zu of %zu is on another grid than the first: expected one for all",
			               i + 1, n));
	}
	st = denoise_of_water(be, type, o, gt_volume_water(v[0]), &(struct subject){ gt_volume_grid(v[0]), n, data });
done:
	free(data);
	return st;
}

gt_status gt_denoise_volume(gt_backend *be, gt_type type, const gt_denoise_options *o, gt_volume *v)
{
	return gt_denoise_volumes(be, type, o, &v, 1);
}

gt_status gt_denoise_projections(gt_backend *be, gt_type type, const gt_denoise_options *o, gt_projections *p)
{
	gt_status st = check_options(o);
	if (st == GT_OK)
		st = check_units(o->penalty, 1);
	if (st != GT_OK)
		return st;
	const gt_scan *s = p ? gt_projections_scan(p) : NULL;
	if (!s || !gt_projections_data(p))
		return gt_fail(s ? GT_ERR_FORMAT : GT_ERR_ARG, "denoising: projections without line integrals");
	const gt_grid grid = { .n = { s->columns, s->rows, s->views }, .pitch = { s->column_pitch, s->row_pitch, s->column_pitch } };
	float *data = gt_projections_data(p);
	return denoise(be, type, o, &(struct subject){ &grid, 1, &data });
}
