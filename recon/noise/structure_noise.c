/* Noise around structure. A short run of the solver gives an image x with the structure and most of the noise of the
 * result. Around it the cost of a patch is 1/2 <z, F z> + <g, z> + strength kappa^2 R(x + z). The vector g is the
 * gradient of the data term at x. Let z(g) be the minimiser and n a normal field of spectrum G. The difference
 * of z(g + PART n) and z(g - PART n), over 2 PART, is the response to n. It exceeds the noise between scans, because x
 * has noise already. The same response in a uniform object with the target noise gives the scale. A small PART keeps
 * this scale near 1, since structure needs less of it.
 * Takes a tenth of the iterations, and one projection and backprojection. Figures: docs/measurements.md, "Why the
 * noise exceeds the target". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/grid.h"
#include "recon/noise/patch_descent.h"
#include "recon/noise/structure_noise.h"
#include "team/team.h"

/* Voxels at each end of a patch of more than MIN_CUT voxels: the penalty lacks neighbours there. */
enum { MARGIN = 4, MIN_CUT = 16 };
/* The strength is changed until the noise is met as a logarithm, at most in this number of rounds. */
#define MAX_LOG_MISSED 0.03
enum { ROUNDS = 5 };

void gt_structure_free(gt_structure_patches *t)
{
	free(t->image);
	free(t->slope);
	free(t->counts);
	*t = (gt_structure_patches){ .missed = 1 };
}

/* Returns 1 if voxel i of the patch is away from its ends. Sets *of to its index in the volume, or to the nearest. */
static int voxel_of(const gt_strength_search *s, size_t voxel, size_t i, size_t *of)
{
	const size_t *n = s->q->grid->n, *m = s->patch.n, layer = i / s->patch.box;
	const size_t at[3] = { voxel % n[0], voxel / n[0] % n[1], voxel / n[0] / n[1] };
	const size_t in[3] = { i % m[0], i / m[0] % m[1], i / m[0] / m[1] % m[2] };
	size_t k[3] = { 0, 0, layer };
	int inner = 1;
	for (int a = 0; a < (s->patch.layers > 1 ? 2 : 3); a++) {
		const size_t sum = at[a] + in[a], first = m[a] / 2, margin = m[a] > MIN_CUT ? MARGIN : 0;
		k[a] = sum < first ? 0 : sum - first < n[a] ? sum - first : n[a] - 1;
		inner &= k[a] + first == sum && in[a] >= margin && in[a] + margin < m[a];
	}
	*of = k[0] + n[0] * (k[1] + n[1] * k[2]);
	return inner;
}

/* patches: [patch][layer][z][y][x] of the volume. kappa scales it to the centre, because F follows kappa^2; NULL: 1. */
static gt_status cut(const gt_strength_search *s, const gt_array *volume, const float *kappa, double **patches)
{
	const size_t size = s->patch.size;
	gt_array_get_float(volume, s->host);
	const gt_status st = gt_backend_status(s->be);
	if (st != GT_OK)
		return st;
	if (!(*patches = malloc(s->patch.places * size * sizeof **patches)))
		return gt_patch_no_memory(&s->patch);
	for (size_t i = 0; i < s->patch.places * size; i++) {
		size_t of;
		voxel_of(s, s->voxel[i / size], i % size, &of);
		(*patches)[i] = s->host[of];
		if (kappa && kappa[of] > 0)
			(*patches)[i] *= s->patch.at[i / size].square / ((double)kappa[of] * kappa[of]);
	}
	return GT_OK;
}

static int ascending(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

/* Returns 1 if a voxel of the volume is away from the ends of the patch at `voxel`. */
static int is_inside(const gt_strength_search *s, size_t voxel, size_t of)
{
	const size_t *n = s->q->grid->n, *m = s->patch.n;
	const size_t at[3] = { voxel % n[0], voxel / n[0] % n[1], voxel / n[0] / n[1] };
	const size_t k[3] = { of % n[0], of / n[0] % n[1], of / n[0] / n[1] };
	int inner = 1;
	for (int a = 0; a < (s->patch.layers > 1 ? 2 : 3); a++) {
		const size_t in = k[a] + m[a] / 2, margin = m[a] > MIN_CUT ? MARGIN : 0;
		inner &= in >= at[a] + margin && in - at[a] + margin < m[a];
	}
	return inner;
}

/* Counts the patches that share each judged voxel. */
static gt_status mark(const gt_strength_search *s, unsigned char **counts)
{
	const gt_noise_patches *p = &s->patch;
	if (!(*counts = calloc(p->places, p->size)))
		return gt_patch_no_memory(p);
	for (size_t i = 0; i < p->places * p->size; i++) {
		size_t of;
		const size_t layer = i % p->size / p->box;
		if (voxel_of(s, s->voxel[i / p->size], i % p->size, &of) && layer >= p->first && layer < p->end &&
		    bsearch(&of, s->object.at, s->object.voxels, sizeof of, ascending))
			for (size_t k = 0; k < p->places; k++)
				(*counts)[i] += (unsigned char)is_inside(s, s->voxel[k], of);
	}
	return GT_OK;
}

/* g: gradient of 1/2 |A x - b|^2_W at x. */
static gt_status data_gradient(const gt_subsets *sub, const gt_array *x, gt_array *g)
{
	gt_array *rest = NULL, *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_like(g, &part));
	for (size_t k = 0; k < sub->subsets; k++) {
		GT_TRY(gt_array_like(sub->b[k], &rest));
		gt_forward(sub->A[k], x, rest);
		gt_axpy(-1, sub->b[k], rest);
		if (sub->w)
			gt_mul(sub->w[k], rest);
		gt_adjoint(sub->A[k], rest, k ? part : g);
		if (k)
			gt_axpy(1, part, g);
		gt_array_free(rest);
		rest = NULL;
	}
done:
	gt_array_free(rest);
	gt_array_free(part);
	return st;
}

static gt_status measure(gt_strength_search *s, double strength)
{
	const gt_short_run *run = s->q->short_run;
	gt_array *x = NULL, *g = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_like(s->q->start, &x));
	gt_copy(s->q->start, x);
	GT_TRY(run->run(run->self, strength, s->subsets ? s->kappa : s->q->kappa, x));
	GT_TRY(gt_array_like(x, &g));
	GT_TRY(data_gradient(run->data, x, g));
	if (gt_backend_is_dry_run(s->be))
		goto done;
	s->structure.strength = strength;
	GT_TRY(cut(s, x, NULL, &s->structure.image));
	GT_TRY(cut(s, g, s->subsets ? NULL : s->q->kappa, &s->structure.slope));
	GT_TRY(mark(s, &s->structure.counts));
done:
	gt_array_free(x);
	gt_array_free(g);
	return st;
}

gt_status gt_structure_measure(gt_strength_search *s, double strength)
{
	if (!s->q->short_run)
		return GT_OK;
	gt_team_alone(s->be, 0);
	gt_strength_mark(s, "penalty: short run");
	const gt_status st = measure(s, strength);
	gt_strength_mark(s, "penalty: strength");
	gt_team_alone(s->be, 1);
	/* The run itself reports a divergence, with its best image. */
	return st == GT_ERR_DIVERGED ? GT_OK : st;
}

/* Lanes of a measurement: without noise, and with a part of it in both directions. */
#define PART 0.6
static const double parts[GT_PATCH_LANES] = { 0, PART, -PART };

/* One measurement of the response to noise, in all patches. */
struct measurement {
	const gt_structure_patches *t; /* NULL: uniform object */
	gt_patch_descents *d;
	int first; /* 0: from the iterates of another strength */
};

/* Without curvature F along a direction, a slope there has no minimum. */
static void remove_undetermined(gt_patch_descent *s)
{
	const size_t numbers = s->p->layers * s->p->layers;
	const double *S = s->p->at[s->k].S;
	gt_layers_transform(&s->t, s->Fz);
	for (size_t i = 0; i < s->p->box; i++)
		gt_layers_multiply(&s->t, i, S + i * numbers, NULL);
	gt_layers_field(&s->t, s->Fz);
}

/* s->Fz: gradient of the data term at the image. At the ends of the patch, where the penalty lacks neighbours, it
 * balances the penalty of the short run, of gradient s->g, instead. */
static void set_slope(gt_patch_descent *s, void *self)
{
	const struct measurement *a = self;
	const gt_noise_patches *p = s->p;
	const double *slope = a->t->slope + s->k * p->size, strength = a->t->strength * p->at[s->k].square;
	for (size_t i = 0; i < p->size; i++) {
		const size_t at[3] = { i % p->n[0], i / p->n[0] % p->n[1], i / p->n[0] / p->n[1] % p->n[2] };
		int inner = 1;
		for (int k = 0; k < 3; k++)
			inner &= p->n[k] <= MIN_CUT || (at[k] >= 1 && at[k] + 1 < p->n[k]);
		s->Fz[i] = inner ? slope[i] : -strength * s->g[i];
	}
	remove_undetermined(s);
}

static void start_uniform(gt_patch_descent *s, void *self)
{
	(void)self;
	s->about = NULL;
	gt_patch_descent_noise(s, 200 + s->k);
	gt_patch_descent_start(s);
}

/* Sets the first lane. */
static void start(struct measurement *a)
{
	gt_patch_descents *d = a->d;
	const size_t places = d->p->places;
	for (size_t i = 0; i < d->count; i++)
		d->s[i].about = a->t ? a->t->image + d->s[i].k * d->p->size : NULL;
	if (!a->t) {
		gt_patch_descents_lane(d, 0, start_uniform, NULL);
		return;
	}
	for (size_t k = 0; k < places; k++)
		memset(d->s[k].z, 0, d->p->size * sizeof *d->s[k].z);
	gt_patch_penalty_gradients(d, 0, places);
	gt_patch_descents_lane(d, 0, set_slope, a);
}

/* Moves lanes 1 and 2 from the iterate without noise by parts of the linear response to the noise. */
static void add_noise(gt_patch_descent *s, void *self)
{
	const gt_patch_descents *d = self;
	const size_t lane = (size_t)(s - d->s) / d->p->places;
	const gt_patch_descent *from = &d->s[s->k];
	gt_patch_descent_noise(s, 100 + s->k);
	gt_patch_descent_start(s);
	for (size_t i = 0; i < s->p->size; i++) {
		s->z[i] = from->z[i] + parts[lane] * s->z[i];
		s->Fz[i] = from->Fz[i] + parts[lane] * s->Fz[i];
	}
}

static void respond(struct measurement *a)
{
	gt_patch_descents *d = a->d;
	if (!a->first) {
		gt_patch_descents_run(d, 0, d->count, GT_PATCH_ITERATIONS);
		return;
	}
	start(a);
	gt_patch_descents_run(d, 0, d->p->places, GT_PATCH_ITERATIONS);
	gt_patch_descents_lane(d, 1, add_noise, d);
	gt_patch_descents_lane(d, 2, add_noise, d);
	gt_patch_descents_run(d, d->p->places, d->count, GT_PATCH_ITERATIONS);
	a->first = 0;
}

/* Returns the RMS of the response over the voxels that count, mm^-1, 0: none. Voxels of several patches count once in
 * all. Patches overlap at the centre of an object, which has less structure. p->noise: the response of each patch
 * with such voxels, times scale. */
static double rms_response(gt_noise_patches *p, const struct measurement *a, const unsigned char *counts, double scale)
{
	double sum = 0, count = 0;
	for (size_t k = 0; k < p->places; k++) {
		const unsigned char *shared = counts + k * p->size;
		double squares = 0, here = 0;
		for (size_t i = 0; i < p->size; i++) {
			const double d = a->d->s[p->places + k].z[i] - a->d->s[2 * p->places + k].z[i];
			squares += shared[i] ? d * d / (4 * PART * PART) / shared[i] : 0;
			here += shared[i] ? 1. / shared[i] : 0;
		}
		if (here > 0)
			p->noise[k] = scale * sqrt(squares / here);
		sum += squares;
		count += here;
	}
	return count > 0 ? sqrt(sum / count) : 0;
}

/* Leaves out patches without a voxel that counts. */
static void choose_patches(gt_patch_descents *d, const unsigned char *counts)
{
	const size_t n = d->p->size;
	for (size_t i = 0; i < d->count; i++) {
		d->s[i].used = 0;
		for (size_t j = 0; j < n && !d->s[i].used; j++)
			d->s[i].used = counts[d->s[i].k * n + j] > 0;
	}
}

struct rounds {
	gt_noise_patches *p;
	const unsigned char *counts;
	struct measurement a;
	double uniform, response; /* noise of a uniform object, and its response; 0: not yet measured */
};

/* The response to noise is scaled to the noise of a uniform object, which is below the target if voxels are large. */
static gt_status measure_round(void *self, double strength, double *off)
{
	struct rounds *r = self;
	const gt_status st = gt_noise_patches_linearise(r->p, strength);
	if (st != GT_OK)
		return st;
	gt_patch_descents_at(r->a.d, strength, r->p->curvature);
	respond(&r->a);
	*off = log(rms_response(r->p, &r->a, r->counts, r->uniform / r->response) / r->response);
	return gt_backend_status(gt_array_backend(r->p->x));
}

static gt_status meet_noise(gt_strength_search *s, gt_patch_descents *d, double *strength)
{
	gt_noise_patches *p = &s->patch;
	struct rounds r = { .p = p, .counts = s->structure.counts, .uniform = gt_noise_patches_mean(p), .a = { .d = d, .first = 1 } };
	const gt_noise_trials trials = { measure_round, &r, MAX_LOG_MISSED, ROUNDS };
	double off = 0;
	gt_status st = GT_OK;
	choose_patches(d, r.counts);
	gt_patch_descents_at(d, *strength, p->curvature);
	respond(&r.a);
	r.response = rms_response(p, &r.a, r.counts, 1);
	r.a.first = 1;
	r.a.t = &s->structure;
	if (!(r.response > 0))
		return GT_OK;
	GT_TRY(gt_noise_search(&trials, strength, &off));
	if (!isfinite(off))
		return GT_OK;
	s->structure.missed = exp(off);
	gt_noise_patches_scale(p, r.uniform * exp(off) / gt_noise_patches_mean(p));
done:
	return st;
}

gt_status gt_structure_strength(gt_strength_search *s, double noise, double *strength)
{
	gt_noise_patches *p = &s->patch;
	gt_patch_descents d;
	gt_status st = gt_noise_patches_strength(p, noise, strength);
	if (st == GT_OK)
		st = gt_structure_measure(s, *strength);
	if (st != GT_OK || !s->structure.counts || p->unreached)
		return st;
	GT_TRY(gt_patch_descents_new(p, GT_PATCH_LANES, &d));
	GT_TRY(meet_noise(s, &d, strength));
done:
	gt_patch_descents_free(&d);
	return st;
}
