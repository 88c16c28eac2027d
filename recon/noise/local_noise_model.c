/* Local noise of penalised weighted least squares.
 * Noise near a solution follows a linear system (Fessler, IEEE Trans. Image Process. 5 (1996) 493; Fessler and Rogers,
 * ibid. 1346). For a locally shift-invariant response and a quadratic penalty,
 * variance(strength) = mean over frequencies of H^-1 G H^-1, H = F + strength kappa^2 R.
 * These are numbers, or for few slices, whose ends are near, matrices [layer][layer]. Noise of edge-preserving
 * penalties is simulated on the patch, with the same normal field n of spectrum G for all strengths.
 * The simulation minimises
 * 1/2 <z, F z> - <z, n> + strength kappa^2 R(z)
 * by conjugate gradients with a Fourier preconditioner and the steps of Fessler and Booth, IEEE Trans. Image Process. 8
 * (1999) 688. Memory: 120 bytes per voxel of a patch, and 16 per number of a spectrum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "core/try.h"
#include "recon/noise/layers.h"
#include "recon/noise/local_noise_model.h"

/* Fraction of the target noise: a target is out of reach if even the weakest penalty leaves less. */
#define UNREACHED 0.5
enum { BISECTIONS = 45, MAX_ITERATIONS = 30, LINE_SEARCH_STEPS = 3, MAX_TRIALS = 14 };
/* Scale of noise so small that any penalty is quadratic in its differences. */
#define QUADRATIC_RANGE_SCALE 1e-5
/* End of a minimisation: norm of the preconditioned gradient relative to the first. */
#define MAX_RELATIVE_GRADIENT 3e-3
/* End of the strength search: logarithm of the noise relative to the target. */
#define MAX_LOG_NOISE_ERROR 0.02
/* Above this strength (mm^2) the target noise is out of reach. */
#define MAX_STRENGTH 1e18

enum { NUMBERS = GT_NOISE_LAYERS * GT_NOISE_LAYERS };

/* Inverse of H at frequency i. */
static void inverse_hessian(const gt_noise_patches *p, size_t k, size_t i, double strength, double *out)
{
	const size_t m = p->layers;
	double H[NUMBERS];
	for (size_t j = 0; j < m * m; j++)
		H[j] = p->at[k].F[i * m * m + j] + strength * p->at[k].square * p->R[i * m * m + j];
	gt_small_inverse(m, H, out);
}

/* Mean of H^-1 G H^-1 over the requested layers. */
static double density(const gt_noise_patches *p, size_t k, size_t i, double strength)
{
	const size_t m = p->layers;
	double inverse[NUMBERS], product[NUMBERS], sum = 0;
	inverse_hessian(p, k, i, strength, inverse);
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

static gt_status no_memory(const gt_noise_patches *p) { return gt_fail(GT_ERR_MEMORY, "no memory for a patch of %zu voxels", p->size); }

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* t: transform of a normal field with the spectrum G of patch k; z: scratch field. */
static void normal_field(const gt_noise_patches *p, size_t k, uint64_t seed, double *z, gt_layers *t)
{
	const size_t m = p->layers;
	double root[NUMBERS];
	for (size_t i = 0; i < p->size; i++) {
		gt_random r;
		gt_random_at(seed, i, &r);
		z[i] = gt_normal(&r);
	}
	gt_layers_transform(t, z);
	for (size_t i = 0; i < p->box; i++) {
		gt_small_root(m, p->at[k].G + i * m * m, root);
		gt_layers_multiply(t, i, root, NULL);
	}
}

static void put(const gt_noise_patches *p, const double *z, double scale, float *host, gt_array *x)
{
	for (size_t i = 0; i < p->size; i++)
		host[i] = (float)(scale * z[i]);
	gt_array_put_float(host, x);
}

/* Mean curvature of the penalty along a field: <z, R'(scale z)>/scale. */
static double curvature_along(const gt_noise_patches *p, const double *z, double scale, float *host)
{
	put(p, z, scale, host, p->x);
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
		GT_TRY(no_memory(p));
	GT_TRY(gt_layers_new(p->n, p->layers, &t));
	for (size_t k = 0; k < p->places; k++) {
		normal_field(p, k, k, z, &t);
		for (size_t i = 0; i < p->box; i++) {
			inverse_hessian(p, k, i, strength, inverse);
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

/* Minimisation on one patch. */
struct descent {
	const gt_noise_patches *p;
	size_t k;
	double strength;  /* times kappa^2 */
	double *M, *FM;   /* spectra of the preconditioner M, and of F M */
	double *z, *d;    /* iterate, direction */
	double *Fz, *Fd;  /* F z - n, F d */
	double *g, *old;  /* gradient, previous gradient */
	double *Mg, *FMg; /* M g, F M g */
	gt_layers t;
	float *host;
};

static void gradient(struct descent *s)
{
	const gt_noise_patches *p = s->p;
	put(p, s->z, 1, s->host, p->x);
	gt_fill(0, p->g);
	gt_penalty_gradient(p->penalty, p->x, p->g, NULL);
	gt_array_get_float(p->g, s->host);
	for (size_t i = 0; i < p->size; i++)
		s->g[i] = s->Fz[i] + s->strength * s->host[i];
}

static void precondition(struct descent *s)
{
	gt_layers_transform(&s->t, s->g);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->Mg, s->FMg);
}

/* Step along d from z, which p->x holds since gradient(). */
static void step(struct descent *s)
{
	const gt_noise_patches *p = s->p;
	const size_t n = p->size;
	const double data_slope = dot(s->d, s->Fz, n), data_curvature = dot(s->d, s->Fd, n);
	double a = 0;
	put(p, s->d, 1, s->host, p->g);
	for (int i = 0; i < LINE_SEARCH_STEPS; i++) {
		double slope = 0, curvature = 0;
		gt_penalty_line(p->penalty, p->x, p->g, a, &slope, &curvature);
		const double whole = data_curvature + s->strength * curvature;
		a -= whole > 0 ? (data_slope + a * data_curvature + s->strength * slope) / whole : 0;
	}
	for (size_t i = 0; i < n; i++) {
		s->z[i] += a * s->d[i];
		s->Fz[i] += a * s->Fd[i];
	}
}

static void descend(struct descent *s)
{
	const size_t n = s->p->size;
	double first = 0, before = 0;
	for (int k = 0; k < MAX_ITERATIONS; k++) {
		gradient(s);
		precondition(s);
		const double now = dot(s->Mg, s->g, n), beta = k ? fmax(0, (now - dot(s->Mg, s->old, n)) / before) : 0;
		if (!k)
			first = now;
		if (!(now > MAX_RELATIVE_GRADIENT * MAX_RELATIVE_GRADIENT * first))
			return;
		for (size_t i = 0; i < n; i++) {
			s->d[i] = beta * s->d[i] - s->Mg[i];
			s->Fd[i] = beta * s->Fd[i] - s->FMg[i];
			s->old[i] = s->g[i];
		}
		before = now;
		step(s);
	}
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

static void add_to_diagonal(const gt_noise_patches *p, double value, double *spectrum)
{
	for (size_t i = 0; i < p->box * p->layers; i++)
		spectrum[i * p->layers + i % p->layers] += value;
}

/* Starts with the linear solution z = M n for the noise n, and Fz = F M n - n. */
static void begin(struct descent *s, double left)
{
	const gt_noise_patches *p = s->p;
	const size_t m = p->layers, numbers = m * m;
	for (size_t i = 0; i < p->box; i++) {
		inverse_hessian(p, s->k, i, s->strength / p->at[s->k].square * left, s->M + i * numbers);
		gt_small_product(m, p->at[s->k].F + i * numbers, s->M + i * numbers, s->FM + i * numbers);
	}
	normal_field(p, s->k, 100 + s->k, s->z, &s->t);
	add_to_diagonal(p, -1, s->FM);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->z, s->Fz);
	add_to_diagonal(p, 1, s->FM);
	memset(s->d, 0, p->size * sizeof *s->d);
	memset(s->Fd, 0, p->size * sizeof *s->Fd);
}

/* noise: RMS over all patches at this strength. */
static gt_status simulate(gt_noise_patches *p, double strength, double left, double *noise)
{
	const size_t n = p->size, numbers = n * p->layers;
	double sum = 0;
	struct descent s = { .p = p, .host = malloc(n * sizeof *s.host) };
	double **const of[] = { &s.z, &s.d, &s.Fz, &s.Fd, &s.g, &s.old, &s.Mg, &s.FMg };
	const size_t fields = sizeof of / sizeof *of;
	double *scratch = calloc(fields * n + 2 * numbers, sizeof *scratch);
	gt_status st = GT_OK;
	if (!scratch || !s.host)
		GT_TRY(no_memory(p));
	GT_TRY(gt_layers_new(p->n, p->layers, &s.t));
	for (size_t i = 0; i < fields; i++)
		*of[i] = scratch + i * n;
	s.M = scratch + fields * n;
	s.FM = s.M + numbers;
	for (s.k = 0; s.k < p->places; s.k++) {
		s.strength = strength * p->at[s.k].square;
		begin(&s, left);
		descend(&s);
		const double square = inner_square(p, s.z);
		p->noise[s.k] = sqrt(square);
		sum += square;
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*noise = sqrt(sum / (double)p->places);
done:
	free(scratch);
	free(s.host);
	gt_layers_free(&s.t);
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
