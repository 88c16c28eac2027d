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
#define UNREACHED 0.5
enum { BISECTIONS = 36, MAX_TRIALS = 14 };
/* Scale of noise so small that any penalty is quadratic in its differences. */
#define QUADRATIC_RANGE_SCALE 1e-5
/* End of the strength search: logarithm of the noise relative to the target. */
#define MAX_LOG_NOISE_ERROR 0.02
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
static double curvature_along(const gt_noise_patches *p, const double *z, double scale, float *host)
{
	gt_patch_put(p, z, scale, host, p->x);
	gt_fill(0, p->g);
	gt_penalty_gradient(p->penalty, p->x, p->g, NULL);
	return gt_dot(p->x, p->g) / (scale * scale);
}

/* left: fraction of its curvature that the penalty retains for differences of normal noise of this size (statistical
 * linearisation). */
static gt_status remaining_curvature(const gt_noise_patches *p, double strength, double *left)
{
	double *z = malloc(2 * p->size * sizeof *z), full = 0, small = 0;
	float *host = malloc(p->size * sizeof *host);
	double inverse[NUMBERS];
	gt_layers t = { .layers = 0 };
	gt_status st = GT_OK;
	if (!z || !host)
		GT_TRY(gt_patch_no_memory(p));
	GT_TRY(gt_layers_new(p->n, p->layers, &t));
	for (size_t k = 0; k < p->places; k++) {
		gt_patch_normal_field(p, k, k, z, &t);
		for (size_t i = 0; i < p->box; i++) {
			gt_patch_inverse(p, k, i, strength, inverse);
			gt_layers_multiply(&t, i, inverse, NULL);
		}
		gt_layers_field(&t, z);
		full += curvature_along(p, z, 1, host);
		small += curvature_along(p, z, QUADRATIC_RANGE_SCALE, host);
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*left = small > 0 ? fmin(1, full / small) : 1;
done:
	free(z);
	free(host);
	gt_layers_free(&t);
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

/* noise: RMS over all patches at this strength. */
static gt_status simulate(gt_noise_patches *p, double strength, double left, double *noise)
{
	double sum = 0;
	gt_patch_descent s;
	gt_status st = GT_OK;
	GT_TRY(gt_patch_descent_new(p, &s));
	for (size_t k = 0; k < p->places; k++) {
		gt_patch_descent_at(&s, k, strength, left);
		gt_patch_normal_field(p, k, 100 + k, s.z, &s.t);
		gt_patch_descent_start(&s);
		gt_patch_descent_run(&s);
		const double square = inner_square(p, s.z);
		p->noise[k] = sqrt(square);
		sum += square;
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*noise = sqrt(sum / (double)p->places);
done:
	gt_patch_descent_free(&s);
	return st;
}

/* Steps by a factor until two strengths enclose the noise, then interpolates logarithms. */
gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength)
{
	const double quadratic = gt_noise_patches_quadratic_strength(p, noise);
	double left, found, low = NAN, high = NAN, above = 0, below = 0;
	gt_status st = GT_OK;
	if (!(quadratic > 0))
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "--penalty: no weighted ray passes the object: cannot find a strength: expected strength=NUMBER"));
	GT_TRY(remaining_curvature(p, quadratic, &left));
	p->curvature = left;
	double at = log(quadratic / left);
	/* If voxels are so large that the noise is below the target without a penalty, no strength is searched. */
	const int unreached = gt_noise_patches_quadratic(p, quadratic) < UNREACHED * noise;
	for (int i = 0; i < MAX_TRIALS; i++) {
		GT_TRY(simulate(p, exp(at), left, &found));
		const double off = log(found / noise);
		if (fabs(off) < MAX_LOG_NOISE_ERROR || !isfinite(off) || unreached)
			break;
		if (off > 0) {
			low = at;
			above = off;
		} else {
			high = at;
			below = off;
		}
		if (isnan(low) || isnan(high)) {
			at += fmax(-1.5, fmin(1.5, 2 * off));
		} else {
			const double part = above / (above - below);
			at = low + fmax(0.1, fmin(0.9, part)) * (high - low);
		}
	}
	*strength = exp(at);
	if (!(*strength < MAX_STRENGTH))
		GT_TRY(gt_fail(GT_ERR_ARG, "--penalty: no strength reaches the target noise in this volume (too small, outside the beam, "
		                           "or weights that are not inverse variances): expected a larger noise=, or strength=NUMBER"));
done:
	return st;
}
