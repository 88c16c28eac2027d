/* Finds the strength of a penalty from the noise of the data and of the direct method, and from local responses. See
 * recon/noise/local_noise_model.h, and docs/regularizers.md, "Strength from the noise". It needs a volume on host
 * and device and a set of projections on the device, in addition to the memory of the solver. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/array.h>
#include <gantry/regularizer.h>
#include "core/clock.h"
#include "core/device/host_memory.h"
#include "core/log.h"
#include "core/arguments.h"
#include "core/spec.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/noise/noise_estimate.h"
#include "recon/noise/penalty_strength.h"
#include "recon/penalty/penalty_spec.h"
#include "recon/noise/patch_descent.h"
#include "recon/noise/strength_search.h"
#include "recon/noise/structure_noise.h"
#include "recon/team/team_split.h"
#include "regularizers/spec_of_water.h"
#include "team/team.h"

/* Voxels along each axis of a patch; more in one or two slices, for enough samples of noise. */
enum { MAX_PATCH_VOXELS = 32, MAX_SLICE_VOXELS = 64, MAX_WIDE_SLICES = 2 };
/* Size of the problem's first version. */
#define FIRST_SIZE offsetof(gt_strength_problem, first_slice)
/* Fraction of the direct method's noise that remains with the automatic strength. */
#define REMAINING_NOISE_RATIO 0.4
/* Rays with fewer photons are starved. */
enum { MIN_PHOTONS = GT_STRENGTH_MIN_PHOTONS };
/* Largest ratio of the noise of positions, and of noise to target, with weights that are inverse variances. */
#define MAX_FACTOR 1e3

/* Draws a sample of the data's noise. */
static gt_status draw(gt_strength_search *s, gt_array *data)
{
	const size_t n = gt_array_size(data), most = n < GT_STRENGTH_DRAWN ? n : GT_STRENGTH_DRAWN;
	float *deviation = gt_locked_new(s->be, most * sizeof *deviation, "a sample of noise");
	gt_array *part = NULL;
	gt_status st = deviation ? GT_OK : gt_fail(GT_ERR_MEMORY, "a sample of noise needs %.3g MB", (double)most * 4e-6);
	GT_TRY(st);
	s->starved = (gt_photon_starvation){ 0, 0, 0 };
	for (size_t i = 0; i < n; i += most) {
		const size_t here = n - i < most ? n - i : most;
		GT_TRY(gt_noise_deviations(s->model, 1. / MIN_PHOTONS, gt_backend_pool(s->be), i, here, deviation, &s->starved));
		GT_TRY(gt_array_part(data, i, here, &part));
		gt_array_put_float(deviation, part);
		gt_array_free(part);
		part = NULL;
	}
	gt_mul_normals(1, data);
done:
	gt_array_free(part);
	gt_locked_free(s->be, deviation);
	return st;
}

/* Slices of the direct method for a sample of noise, into s->host. */
static gt_status run_direct(gt_strength_search *s, const gt_array *data, gt_range slices)
{
	const gt_grid grid = gt_grid_slab(s->q->grid, slices);
	gt_array *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(s->be, s->type, gt_grid_voxels(&grid), &x));
	GT_TRY(gt_analytic_run(s->direct, s->be, &grid, s->q->projections->scan, NULL, data, x));
	if (!gt_backend_is_dry_run(s->be))
		gt_array_get_float(x, s->host + slices.first * grid.n[0] * grid.n[1]);
	GT_TRY(gt_backend_status(s->be));
done:
	gt_array_free(x);
	return st;
}

/* Noise of the direct method in the object, from a noise sample alone, because the method is linear. Padding slices are
 * computed if the method supports the grid only with them. A dry run computes all. */
static gt_status measure_direct(gt_strength_search *s)
{
	const size_t slices = s->q->grid->n[2];
	const int is_part = s->has_asked && s->q->slices && s->q->slices < slices;
	gt_array *data = NULL;
	double square = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(s->be, s->type, gt_scan_size(s->q->projections->scan), &data));
	if (!gt_backend_is_dry_run(s->be))
		GT_TRY(draw(s, data));
	s->direct = gt_analytic_for(s->q->projections->scan);
	st = is_part ? run_direct(s, data, (gt_range){ s->q->first_slice, s->q->slices }) : GT_ERR_UNSUPPORTED;
	if (st == GT_ERR_UNSUPPORTED)
		st = run_direct(s, data, (gt_range){ 0, slices });
	if (st == GT_ERR_UNSUPPORTED) {
		s->direct = NULL;
		st = GT_OK;
		goto done;
	}
	GT_TRY(st);
	if (gt_backend_is_dry_run(s->be))
		goto done;
	GT_TRY(gt_strength_mean_of_object(s, 1, &square));
	s->reference = sqrt(square);
done:
	gt_array_free(data);
	return st;
}

/* If no direct method fits, the noise at the strength that halves detail of two voxels along x replaces its noise. */
static double reference_without_direct(const gt_strength_search *s)
{
	const size_t finest = s->patch.n[0] / 2;
	const double R = gt_noise_answer(&s->patch, s->patch.R, finest, s->patch.first) * s->patch.at[0].square;
	const double F = gt_noise_answer(&s->patch, s->patch.at[0].F, finest, s->patch.first);
	return R > 0 ? gt_noise_patches_quadratic(&s->patch, F / R) : 0;
}

/* Grids of air show no object whose noise a strength could leave. Lungs and foams are above this fraction of water. */
#define MAX_AIR 0.05

/* 0: the grid reaches into the field of view. */
static double radius_beyond(const gt_strength_problem *q)
{
	double low, high, off[2];
	const double radius = gt_scan_field_of_view(q->projections->scan, &low, &high);
	for (int a = 0; a < 2; a++)
		off[a] = fmax(0, fabs(q->grid->center[a]) - (double)q->grid->n[a] * q->grid->pitch[a] / 2);
	return hypot(off[0], off[1]) > radius ? radius : 0;
}

/* In place of another failure of the search for such a grid. A start of 0 shows nothing. */
static gt_status holds_air(const gt_strength_search *s, gt_status st)
{
	if (st != GT_ERR_ARG || gt_backend_is_dry_run(s->be))
		return st;
	const double beyond = radius_beyond(s->q);
	if (beyond > 0)
		return gt_fail(GT_ERR_ARG,
		               "--grid: lies outside the field of view, a circle of radius %.4g mm: expected voxels that every view sees; "
		               "move or widen the grid, or use strength=NUMBER",
		               beyond);
	if (!s->object.voxels || s->mean == 0 || !(s->mean < MAX_AIR * s->q->water))
		return st;
	return gt_fail(GT_ERR_ARG,
	               "--grid: holds only air: its mean attenuation is %.2g mm-1, water has %.3g: expected an object for which to find "
	               "a strength; move or widen the grid, or use strength=NUMBER",
	               s->mean, s->q->water);
}

void gt_strength_mark(const gt_strength_search *s, const char *name)
{
	if (!gt_backend_is_dry_run(s->be))
		gt_mark_stage(name);
}

static gt_status measure(gt_strength_search *s)
{
	gt_status st = GT_OK;
	gt_strength_mark(s, "penalty: noise of the data");
	if (!gt_backend_is_dry_run(s->be)) {
		gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE, "searching the strength of the penalty: noise at %d positions ...",
		          GT_NOISE_PATCHES);
		if (!s->q->noise)
			GT_TRY(gt_noise_estimate(s->q->projections, s->q->known, gt_backend_pool(s->be), &s->own));
		s->model = s->q->noise ? s->q->noise : s->own;
	}
	GT_TRY(gt_strength_find_object(s));
	gt_strength_mark(s, "penalty: noise of the direct method");
	GT_TRY(measure_direct(s));
	gt_strength_mark(s, "penalty: local responses");
	if (s->subsets)
		GT_TRY(gt_strength_measure_known(s));
	GT_TRY(gt_strength_measure_places(s));
done:
	return st;
}

/* Refuses a strength whose noise statistical weights cannot cause: one position, or a few rays, determined it.
 * Positions without weighted rays have no noise. */
static gt_status check_places(const gt_strength_search *s, double noise, double strength)
{
	double lowest = INFINITY, highest = 0, square = 0, min = INFINITY;
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		const double here = s->patch.noise[k];
		min = fmin(min, here);
		lowest = here > 0 ? fmin(lowest, here) : lowest;
		highest = fmax(highest, here);
		square += here * here / GT_NOISE_PATCHES;
	}
	if (strength >= FLT_MIN && highest <= MAX_FACTOR * lowest && sqrt(square) <= MAX_FACTOR * noise && highest * MAX_FACTOR >= noise)
		return GT_OK;
	return gt_fail(GT_ERR_ARG,
	               "--penalty: with these weights the noise is %.3g to %.3g HU depending on the position, for a target of %.3g HU, "
	               "at any strength: the weights vary too much to be inverse variances; expected inverse variances, --weights "
	               "uniform, or strength=NUMBER",
	               gt_strength_hu(s, min), gt_strength_hu(s, highest), gt_strength_hu(s, noise));
}

/* Finds the strength from the measurements, with the penalty of strength 1 on the grid of a patch. */
static gt_status solve(gt_strength_search *s, gt_strength_found *found)
{
	gt_array *x = NULL, *g = NULL, *one[2] = { NULL, NULL };
	gt_penalty *R = NULL;
	const size_t lanes = s->q->short_run ? GT_PATCH_LANES : 1;
	const gt_grid box = gt_strength_patch_grid(s, s->object.at[0]);
	char *own = gt_penalty_spec_of_water(s->q->penalty, s->q->water), *spec = own ? gt_spec_with(own, "strength=1") : NULL;
	gt_status st = spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_team_alone(s->be, 1); /* each rank has its own patches */
	GT_TRY(st);
	GT_TRY(gt_regularizer_new(spec, s->be, GT_F64, &box, NULL, &R));
	GT_TRY(gt_array_new(s->be, GT_F64, lanes * s->patch.places * s->patch.size, &x));
	GT_TRY(gt_array_like(x, &g));
	GT_TRY(gt_array_part(x, 0, s->patch.size, &one[0]));
	GT_TRY(gt_array_part(g, 0, s->patch.size, &one[1]));
	GT_TRY(gt_strength_measure_penalty(s, R, one[0], one[1]));
	if (gt_backend_is_dry_run(s->be)) {
		st = gt_structure_measure(s, 1);
		goto done;
	}
	if (!s->direct)
		s->reference = reference_without_direct(s);
	const double noise = fmin(s->reference, s->noise > 0 ? s->noise : REMAINING_NOISE_RATIO * s->reference);
	s->patch.penalty = R;
	s->patch.x = x;
	s->patch.g = g;
	gt_strength_mark(s, "penalty: strength");
	if (s->subsets)
		GT_TRY(gt_strength_even_out(s, noise));
	GT_TRY(gt_structure_strength(s, noise, &found->strength));
	if (s->q->weights)
		GT_TRY(check_places(s, noise, found->strength));
	found->strength *= s->factor;
	const double unreached = gt_strength_report_unreached(s, noise);
	if (isfinite(unreached))
		s->structure.missed = 1;
	found->noise_hu = gt_strength_hu(s, fmin(noise * s->structure.missed, unreached));
	found->reference_hu = gt_strength_hu(s, s->reference);
done:
	free(own);
	free(spec);
	gt_penalty_free(R);
	gt_array_free(one[0]);
	gt_array_free(one[1]);
	gt_array_free(x);
	gt_array_free(g);
	gt_team_alone(s->be, 0);
	return st;
}

/* Sides of patches: powers of two, at most the grid's; few slices are all included. */
static void size_patches(const gt_grid *grid, gt_noise_patches *p)
{
	const size_t slices = grid->n[2];
	p->layers = slices <= GT_NOISE_LAYERS ? slices : 1;
	p->box = 1;
	for (int a = 0; a < 3; a++) {
		const size_t max = slices <= MAX_WIDE_SLICES ? MAX_SLICE_VOXELS : MAX_PATCH_VOXELS;
		for (p->n[a] = 1; !(a == 2 && p->layers > 1) && p->n[a] < max && 2 * p->n[a] <= grid->n[a];)
			p->n[a] *= 2;
		p->box *= p->n[a];
	}
	p->size = p->box * p->layers;
}

double gt_strength_patch_bytes(const gt_grid *grid, int has_target)
{
	gt_noise_patches p = { .places = GT_NOISE_PATCHES };
	size_patches(grid, &p);
	return gt_patch_bytes(&p, has_target ? GT_PATCH_LANES : 1);
}

static gt_status prepare(gt_strength_search *s)
{
	const size_t n = gt_array_size(s->q->start);
	gt_noise_patches *p = &s->patch;
	size_patches(s->q->grid, p);
	p->first = p->layers > 1 && s->q->slices ? s->q->first_slice : 0;
	p->end = p->layers > 1 && s->q->slices ? p->first + s->q->slices : p->layers;
	s->host = gt_backend_is_dry_run(s->be) ? NULL : gt_host_alloc(n * sizeof *s->host);
	return s->host || gt_backend_is_dry_run(s->be) ? GT_OK
	                                               : gt_fail(GT_ERR_MEMORY, "a copy of the volume needs %.3g MB", (double)n * 4e-6);
}

static void release(gt_strength_search *s)
{
	gt_noise_free(s->own);
	free(s->listed);
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		free(s->patch.at[k].F);
		free(s->patch.at[k].G);
		free(s->patch.at[k].S);
	}
	free(s->patch.R);
	gt_structure_free(&s->structure);
	free(s->known);
	free(s->host);
}

gt_status gt_strength_find_even(const gt_strength_problem *q, const gt_subsets *subsets, double noise, double factor, float *kappa,
                                gt_strength_found *found)
{
	gt_strength_search s = { .q = q,
		                 .be = gt_array_backend(q->start),
		                 .type = gt_array_type(q->start),
		                 .noise = noise,
		                 .factor = factor,
		                 .subsets = subsets,
		                 .kappa = kappa,
		                 .structure.missed = 1 };
	const double start = gt_seconds();
	gt_status st = GT_OK;
	*found = (gt_strength_found){ .strength = 1 };
	GT_TRY(prepare(&s));
	GT_TRY(holds_air(&s, measure(&s)));
	GT_TRY(holds_air(&s, solve(&s, found)));
	gt_strength_mark(&s, "penalty");
	if (gt_backend_is_dry_run(s.be))
		goto done;
	gt_strength_report(&s, found, gt_seconds() - start);
	if (subsets)
		GT_TRY(gt_strength_report_edges(&s, found->noise_hu));
done:
	release(&s);
	return st;
}

gt_status gt_strength_find(const gt_strength_problem *q, double noise, double factor, gt_strength_found *found)
{
	return gt_strength_find_even(q, NULL, noise, factor, NULL, found);
}

gt_status gt_penalty_strength(const gt_strength_problem *q, double noise_hu, double *beta)
{
	GT_NEED(q);
	GT_NEED(beta);
	gt_strength_problem all = { .size = 0 };
	gt_strength_found found;
	if (q->size < FIRST_SIZE || q->size > sizeof all)
		return gt_fail(GT_ERR_ARG, "gt_strength_problem: size=%zu: expected %zu", q->size, sizeof all);
	memcpy(&all, q, q->size);
	q = &all;
	for (int a = 0; a < 2; a++)
		if (q->first_across[a] > q->grid->n[a] || q->across[a] > q->grid->n[a] - q->first_across[a])
			return gt_fail(GT_ERR_ARG, "noise in %zu voxels along %c from voxel %zu on: the grid has %zu", q->across[a],
			               'x' + a, q->first_across[a], q->grid->n[a]);
	if (q->first_slice > q->grid->n[2] || q->slices > q->grid->n[2] - q->first_slice)
		return gt_fail(GT_ERR_ARG, "noise in %zu slices from slice %zu on: the grid has %zu", q->slices, q->first_slice,
		               q->grid->n[2]);
	if (!(noise_hu >= 0) || !(q->water > 0))
		return gt_fail(GT_ERR_ARG, "noise of %g HU, water of %g mm^-1: expected 0 or more, and more than 0", noise_hu, q->water);
	const gt_status st = gt_strength_find(q, noise_hu * q->water / 1000, 1, &found);
	*beta = found.strength;
	return st;
}
