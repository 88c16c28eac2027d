/* Local noise of penalised weighted least squares.
 * Noise near a solution follows a linear system (Fessler, IEEE Trans. Image Process. 5 (1996) 493; Fessler and Rogers,
 * ibid. 1346). For a locally shift-invariant response and a quadratic penalty,
 * variance(strength) = mean over frequencies of H^-1 G H^-1, H = F + strength kappa^2 R.
 * These are numbers, or for few slices, whose ends are near, matrices [layer][layer]. Noise of edge-preserving
 * penalties is simulated on the patch (recon/noise/patch_descent.h), with the same normal field of spectrum G for all
 * strengths. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "recon/noise/layers.h"
#include "recon/noise/local_noise_model.h"
#include "recon/noise/patch_descent.h"

/* Fraction of the target noise: a target is out of reach if even the weakest penalty leaves less. */
#define UNREACHED 0.98
enum { BISECTIONS = 36, MAX_TRIALS = 20 };
/* Scale of noise so small that any penalty is quadratic in its differences. */
#define QUADRATIC_RANGE_SCALE 1e-5
/* End of the strength search: logarithm of the noise relative to the target. */
#define MAX_LOG_NOISE_ERROR 0.02
/* Slope of the logarithm of the noise over that of the strength, if no two trials measure it; largest step. */
#define PLAIN_SLOPE 0.5
#define MAX_LOG_STEP 3
/* Logarithm of the ratio of strengths with about the same remaining curvature; fixed-point iterations for it. */
#define MAX_LOG_LINEARISED 1
enum { LINEARISATIONS = 3 };
/* Above this strength (mm^2) the target noise is out of reach. */
#define MAX_STRENGTH 1e18

enum { NUMBERS = GT_NOISE_LAYERS * GT_NOISE_LAYERS };

/* Mean of H^-1 G H^-1 over the requested layers. */
static double density(const gt_noise_patches *p, size_t k, size_t i, double strength)
{
	const size_t m = p->layers;
	double inverse[NUMBERS], product[NUMBERS], sum = 0;
	if (m == 1) { /* millions of times */
		const double h = p->at[k].F[i] + strength * p->at[k].square * p->R[i];
		return h > 0 ? fmax(0, p->at[k].G[i]) / (h * h) : 0;
	}
	gt_patch_inverse(p, k, i, strength, inverse);
	gt_small_product(m, inverse, p->at[k].G + i * m * m, product);
	for (size_t l = p->first; l < p->end; l++)
		for (size_t j = 0; j < m; j++)
			sum += product[l * m + j] * inverse[j * m + l];
	return fmax(0, sum) / (double)(p->end - p->first);
}

double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength)
{
	double sum = 0;
	for (size_t k = 0; k < p->places; k++)
		for (size_t i = 0; i < p->box; i++)
			sum += density(p, k, i, strength);
	return sqrt(sum / (double)(p->places * p->box));
}

double gt_noise_patches_quadratic_strength(const gt_noise_patches *p, double noise)
{
	double low = -30, high = 30, largest = 0, stiffest = 0;
	/* Some positions and layers may have no weighted ray. */
	for (size_t at = 0; at < p->places * (p->end - p->first) && !(largest > 0); at++)
		for (size_t i = 0; i < p->box; i++)
			largest = fmax(largest, gt_noise_answer(p, p->at[at % p->places].F, i, p->first + at / p->places));
	for (size_t i = 0; i < p->box; i++)
		stiffest = fmax(stiffest, gt_noise_answer(p, p->R, i, p->first));
	for (int i = 0; i < BISECTIONS; i++) {
		const double middle = (low + high) / 2;
		if (gt_noise_patches_quadratic(p, largest / stiffest * exp(middle)) > noise)
			low = middle;
		else
			high = middle;
	}
	return largest / stiffest * exp((low + high) / 2);
}

/* Mean curvature of the penalty along a field: <z, R'(scale z)>/scale. */
static double curvature_along(const gt_noise_patches *p, const double *z, double scale, double *scaled)
{
	for (size_t i = 0; i < p->size; i++)
		scaled[i] = scale * z[i];
	gt_array_put(scaled, p->x);
	gt_fill(0, p->g);
	gt_penalty_gradient(p->penalty, p->x, p->g, NULL);
	return gt_dot(p->x, p->g) / (scale * scale);
}

/* left: fraction of its curvature that the penalty retains for differences of normal noise of this size (statistical
 * linearisation). */
static gt_status remaining_curvature(const gt_noise_patches *p, double strength, double *left)
{
	double *z = malloc(2 * p->size * sizeof *z), full = 0, small = 0;
	double inverse[NUMBERS];
	gt_layers t = { .layers = 0 };
	gt_status st = GT_OK;
	if (!z)
		GT_TRY(gt_patch_no_memory(p));
	GT_TRY(gt_layers_new(p->n, p->layers, &t));
	for (size_t k = 0; k < p->places; k++) {
		gt_patch_normal_field(p, k, k, z, &t);
		for (size_t i = 0; i < p->box; i++) {
			gt_patch_inverse(p, k, i, strength, inverse);
			gt_layers_multiply(&t, i, inverse, NULL);
		}
		gt_layers_field(&t, z);
		full += curvature_along(p, z, 1, z + p->size);
		small += curvature_along(p, z, QUADRATIC_RANGE_SCALE, z + p->size);
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*left = small > 0 ? fmin(1, full / small) : 1;
done:
	free(z);
	gt_layers_free(&t);
	return st;
}

gt_status gt_noise_patches_linearise(gt_noise_patches *p, double strength)
{
	gt_status st = GT_OK;
	if (p->linearised > 0 && fabs(log(strength / p->linearised)) < MAX_LOG_LINEARISED)
		return GT_OK;
	for (int i = 0; i < LINEARISATIONS && st == GT_OK; i++)
		st = remaining_curvature(p, strength * p->curvature, &p->curvature);
	p->linearised = strength;
	return st;
}

/* Mean square of the requested layers, away from the borders, where neighbours are missing. */
static double inner_square(const gt_noise_patches *p, const double *z)
{
	double sum = 0;
	size_t count = 0;
	for (size_t i = p->first * p->box; i < p->end * p->box; i++) {
		const size_t at[3] = { i % p->n[0], i / p->n[0] % p->n[1], i / p->n[0] / p->n[1] % p->n[2] };
		int inner = 1;
		for (int a = 0; a < 3; a++)
			inner &= p->n[a] < 8 || (at[a] >= 2 && at[a] + 2 < p->n[a]);
		sum += inner ? z[i] * z[i] : 0;
		count += (size_t)inner;
	}
	return sum / (double)count;
}

/* A trial: logarithms of the strength, and of the noise relative to the target. */
typedef struct {
	double at, off;
} trial;

/* Next strength: by growing factors until two trials enclose the noise, then by interpolation of logarithms. */
static double next_strength(const trial *low, const trial *high, const trial *before, const trial *last)
{
	if (isnan(low->at) || isnan(high->at)) {
		const double plain = fabs(last->off) / PLAIN_SLOPE, grown = isnan(before->at) ? 0 : 2 * fabs(last->at - before->at);
		return last->at + copysign(fmin(MAX_LOG_STEP, fmax(plain, grown)), last->off);
	}
	return low->at + fmax(0.1, fmin(0.9, low->off / (low->off - high->off))) * (high->at - low->at);
}

/* Logarithm of the strength with no noise off the target, from the last trials. So the strength does not jump if a
 * change of the data makes the search end one trial earlier or later. */
static double last_step(const trial *before, const trial *last)
{
	const double measured = (before->off - last->off) / (last->at - before->at);
	const double slope = measured > PLAIN_SLOPE / 4 && measured < 4 * PLAIN_SLOPE ? measured : PLAIN_SLOPE;
	return last->at + last->off / slope;
}

gt_status gt_noise_search(const gt_noise_trials *t, double *strength, double *off)
{
	trial low = { NAN, 0 }, high = { NAN, 0 }, before = { NAN, 0 }, last = { log(*strength), 0 };
	gt_status st = GT_OK;
	for (int i = 0; i < t->max_trials; i++) {
		GT_TRY(t->measure(t->self, exp(last.at), &last.off));
		*strength = exp(last.at);
		*off = last.off;
		if (fabs(last.off) < t->tolerance) {
			*strength = exp(last_step(&before, &last));
			*off = 0;
		}
		if (!(fabs(last.off) >= t->tolerance) || !isfinite(last.off))
			break;
		*(last.off > 0 ? &low : &high) = last;
		const double next = next_strength(&low, &high, &before, &last);
		before = last;
		last.at = next;
	}
done:
	return st;
}

static void start(gt_patch_descent *s, void *self)
{
	(void)self;
	gt_patch_normal_field(s->p, s->k, 100 + s->k, s->z, &s->t);
	gt_patch_descent_start(s);
}

/* Minimisations of the patches with noise alone. */
struct simulation {
	gt_noise_patches *p;
	gt_patch_descent s[GT_NOISE_PATCHES];
	double noise; /* target */
};

static gt_status simulate(void *self, double strength, double *off)
{
	struct simulation *a = self;
	gt_noise_patches *p = a->p;
	const gt_status st = gt_noise_patches_linearise(p, strength);
	if (st != GT_OK)
		return st;
	gt_patch_descents_at(a->s, strength, p->curvature);
	/* From another strength's result, a penalty that is not convex (awtv) would end in another minimum. */
	gt_patch_descents_each(a->s, start, NULL);
	gt_patch_descents_run(a->s, GT_PATCH_ITERATIONS);
	for (size_t k = 0; k < p->places; k++)
		p->noise[k] = sqrt(inner_square(p, a->s[k].z));
	*off = log(gt_noise_patches_mean(p) / a->noise);
	return gt_backend_status(gt_array_backend(p->x));
}

double gt_noise_patches_mean(const gt_noise_patches *p)
{
	double sum = 0;
	for (size_t k = 0; k < p->places; k++)
		sum += p->noise[k] * p->noise[k];
	return sqrt(sum / (double)p->places);
}

void gt_noise_patches_scale(gt_noise_patches *p, double factor)
{
	for (size_t k = 0; k < p->places; k++)
		p->noise[k] *= factor;
}

gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength)
{
	struct simulation a = { .p = p, .noise = noise };
	const gt_noise_trials trials = { simulate, &a, MAX_LOG_NOISE_ERROR, MAX_TRIALS };
	const double quadratic = gt_noise_patches_quadratic_strength(p, noise);
	double off;
	gt_status st = gt_patch_descents_new(p, a.s);
	GT_TRY(st);
	if (!(quadratic > 0))
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "--penalty: no weighted ray passes the object: cannot find a strength: expected strength=NUMBER"));
	GT_TRY(remaining_curvature(p, quadratic, &p->curvature));
	*strength = p->linearised = quadratic / p->curvature;
	/* If voxels are so large that the noise is below the target without a penalty, no strength is searched. */
	p->unreached = gt_noise_patches_quadratic(p, quadratic) < UNREACHED * noise;
	if (p->unreached) {
		GT_TRY(simulate(&a, *strength, &off));
	} else {
		GT_TRY(gt_noise_search(&trials, strength, &off));
		gt_noise_patches_scale(p, noise * exp(off) / gt_noise_patches_mean(p));
	}
	if (!(*strength < MAX_STRENGTH))
		GT_TRY(gt_fail(GT_ERR_ARG, "--penalty: no strength reaches the target noise in this volume (too small, outside the beam, "
		                           "or weights that are not inverse variances): expected a larger noise=, or strength=NUMBER"));
done:
	gt_patch_descents_free(a.s);
	return st;
}
