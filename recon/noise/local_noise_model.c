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
	gt_patch_inverse(p, k, i, strength, inverse);
	gt_small_product(m, inverse, p->at[k].G + i * m * m, product);
	for (size_t l = p->first; l < p->end; l++)
		for (size_t j = 0; j < m; j++)
			sum += product[l * m + j] * inverse[j * m + l];
	return fmax(0, sum) / (double)(p->end - p->first);
}

enum { CHUNK = 256 };

/* density() of at most CHUNK frequencies of a single layer. Millions of them are needed: the loop has no branches. */
static void densities(const gt_noise_patches *p, size_t k, size_t first, size_t n, double strength, double *restrict out)
{
	const double *restrict F = p->at[k].F + first, *restrict G = p->at[k].G + first, *restrict R = p->R + first;
	const double scale = strength * p->at[k].square;
	for (size_t i = 0; i < n; i++) {
		const double h = F[i] + scale * R[i], g = G[i] > 0 ? G[i] : 0, ratio = g / (h * h);
		out[i] = h > 0 ? ratio : 0;
	}
}

double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength)
{
	double sum = 0, one[CHUNK];
	for (size_t k = 0; k < p->places; k++)
		for (size_t i = 0, n; i < p->box; i += n) {
			n = p->layers > 1 ? 1 : p->box - i < CHUNK ? p->box - i : CHUNK;
			if (p->layers > 1)
				one[0] = density(p, k, i, strength);
			else
				densities(p, k, i, n, strength, one);
			for (size_t j = 0; j < n; j++)
				sum += one[j];
		}
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

/* Linear responses to noise, one per patch, for the curvature of the penalty along them. */
struct responses {
	const gt_noise_patches *p;
	double strength;
	gt_layers noise[GT_NOISE_PATCHES], t[GT_NOISE_PATCHES]; /* transforms of the noise, and of the response */
	double *inverse, *z, *host;                             /* [patch][...]; host: scaled responses, page-locked */
	gt_patch_slots slots;
};

static void responses_free(struct responses *r)
{
	for (size_t k = 0; k < r->p->places; k++) {
		gt_layers_free(&r->noise[k]);
		gt_layers_free(&r->t[k]);
	}
	free(r->z);
	if (r->host)
		gt_locked_free(gt_array_backend(r->p->x), r->host);
	gt_patch_slots_free(&r->slots);
}

static void draw_noise(void *self, size_t begin, size_t end, int worker)
{
	struct responses *r = self;
	(void)worker;
	for (size_t k = begin; k < end; k++)
		gt_patch_normal_field(r->p, k, k, r->z + k * r->p->size, &r->noise[k]);
}

static gt_status responses_new(const gt_noise_patches *p, struct responses *r)
{
	const size_t n = p->places * p->size;
	gt_status st = GT_OK;
	*r = (struct responses){ .p = p, .z = malloc(n * (1 + p->layers) * sizeof *r->z) };
	r->host = gt_locked_new(gt_array_backend(p->x), n * sizeof *r->host, "patches of the noise model");
	if (!r->z || !r->host)
		GT_TRY(gt_patch_no_memory(p));
	r->inverse = r->z + n;
	for (size_t k = 0; k < p->places; k++) {
		GT_TRY(gt_layers_new(p->n, p->layers, &r->noise[k]));
		GT_TRY(gt_layers_new(p->n, p->layers, &r->t[k]));
	}
	GT_TRY(gt_patch_slots_new(p, 1, &r->slots));
	gt_parallel(gt_backend_pool(gt_array_backend(p->x)), p->places, 1, draw_noise, r);
done:
	return st;
}

static void respond(void *self, size_t begin, size_t end, int worker)
{
	struct responses *r = self;
	const gt_noise_patches *p = r->p;
	const size_t numbers = p->layers * p->layers;
	(void)worker;
	for (size_t k = begin; k < end; k++) {
		double *inverse = r->inverse + k * p->size * p->layers;
		gt_patch_inverses(p, k, r->strength, inverse);
		for (size_t l = 0; l < p->layers; l++)
			memcpy(r->t[k].b[l].value, r->noise[k].b[l].value, p->box * sizeof *r->t[k].b[l].value);
		for (size_t i = 0; i < p->box; i++)
			gt_layers_multiply(&r->t[k], i, inverse + i * numbers, NULL);
		gt_layers_field(&r->t[k], r->z + k * p->size);
	}
}

/* Sum over the patches of the mean curvature of the penalty along the responses: <z, R'(scale z)>/scale. */
static double curvature_along(const struct responses *r, double scale)
{
	const gt_noise_patches *p = r->p;
	double along[GT_NOISE_PATCHES], sum = 0;
	for (size_t i = 0; i < p->places * p->size; i++)
		r->host[i] = scale * r->z[i];
	gt_array_put(r->host, r->slots.x[0]);
	gt_fill(0, r->slots.g[0]);
	for (size_t k = 0; k < p->places; k++) {
		gt_penalty_gradient(p->penalty, r->slots.x_of[k], r->slots.g_of[k], NULL);
		gt_dot_async(r->slots.x_of[k], r->slots.g_of[k], &along[k]);
	}
	gt_reductions_wait(gt_array_backend(p->x));
	for (size_t k = 0; k < p->places; k++)
		sum += along[k] / (scale * scale);
	return sum;
}

/* p->curvature: fraction of its curvature that the penalty retains for differences of normal noise (statistical
 * linearisation). The size of the noise follows from this fraction of the strength, by fixed-point iterations. */
static gt_status remaining_curvature(gt_noise_patches *p, double strength, int iterations)
{
	struct responses r;
	gt_status st = responses_new(p, &r);
	GT_TRY(st);
	for (int i = 0; i < iterations; i++) {
		r.strength = strength * p->curvature;
		gt_parallel(gt_backend_pool(gt_array_backend(p->x)), p->places, 1, respond, &r);
		const double full = curvature_along(&r, 1), small = curvature_along(&r, QUADRATIC_RANGE_SCALE);
		GT_TRY(gt_backend_status(gt_array_backend(p->x)));
		p->curvature = small > 0 ? fmin(1, full / small) : 1;
	}
done:
	responses_free(&r);
	return st;
}

gt_status gt_noise_patches_linearise(gt_noise_patches *p, double strength)
{
	if (p->linearised > 0 && fabs(log(strength / p->linearised)) < MAX_LOG_LINEARISED)
		return GT_OK;
	const gt_status st = remaining_curvature(p, strength, LINEARISATIONS);
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
	gt_patch_descent_noise(s, 100 + s->k);
	gt_patch_descent_start(s);
}

/* Minimisations of the patches with noise alone. */
struct simulation {
	gt_noise_patches *p;
	gt_patch_descents d;
	double noise; /* target */
};

static void measure_noise(gt_patch_descent *s, void *self)
{
	gt_noise_patches *p = self;
	p->noise[s->k] = sqrt(inner_square(p, s->z));
}

static gt_status simulate(void *self, double strength, double *off)
{
	struct simulation *a = self;
	gt_noise_patches *p = a->p;
	const gt_status st = gt_noise_patches_linearise(p, strength);
	if (st != GT_OK)
		return st;
	gt_patch_descents_at(&a->d, strength, p->curvature);
	/* From another strength's result, a penalty that is not convex (awtv) would end in another minimum. */
	gt_patch_descents_each(&a->d, start, NULL);
	gt_patch_descents_run(&a->d, 0, p->places, GT_PATCH_ITERATIONS);
	gt_patch_descents_each(&a->d, measure_noise, p);
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
	if (!(quadratic > 0))
		return gt_fail(GT_ERR_ARG,
		               "--penalty: no weighted ray passes the object: cannot find a strength: expected strength=NUMBER");
	gt_status st = gt_patch_descents_new(p, 1, &a.d);
	GT_TRY(st);
	p->curvature = 1;
	GT_TRY(remaining_curvature(p, quadratic, 1));
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
	gt_patch_descents_free(&a.d);
	return st;
}
