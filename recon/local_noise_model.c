/* Noise near a solution of penalised weighted least squares is that of a linear system (Fessler, IEEE Trans. Image Process. 5 (1996)
 * 493; Fessler and Rogers, ibid. 1346). With the same response all around, in Fourier space and for a quadratic penalty,
 *   variance(strength) = mean over frequencies of G / (F + strength kappa^2 R)^2.
 * Penalties that keep edges are not quadratic in the noise either: what noise does to them is simulated, by minimising
 *   1/2 <z, F z> - <z, n> + strength kappa^2 R(z),   n a normal field of spectrum G,
 * on the patch by conjugate gradients, preconditioned in Fourier space, with the steps of Fessler and Booth, IEEE Trans. Image
 * Process. 8 (1999) 688. The same n for every strength. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/random.h>
#include "core/try.h"
#include "recon/local_noise_model.h"

enum { HALVINGS = 80, ITERATIONS = 30, PARABOLAS = 3, TRIES = 14 };
/* Small against any difference that a penalty treats otherwise. Good enough: of the gradient, of the noise. */
#define TINY 1e-5
#define CLOSE 3e-3
#define NEAR 0.02
#define MOST_STRENGTH 1e18

static double hessian(const gt_noise_patches *p, int k, size_t i, double strength)
{
	return p->at[k].F[i] + strength * p->at[k].square * p->R[i];
}

static double density(const gt_noise_patches *p, int k, size_t i, double strength)
{
	const double H = hessian(p, k, i, strength);
	return H > 0 ? p->at[k].G[i] / (H * H) : 0;
}

double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength)
{
	double sum = 0;
	for (int k = 0; k < GT_NOISE_PATCHES; k++)
		for (size_t i = 0; i < p->size; i++)
			sum += density(p, k, i, strength);
	return sqrt(sum / (double)(GT_NOISE_PATCHES * p->size));
}

double gt_noise_patches_quadratic_strength(const gt_noise_patches *p, double noise)
{
	double low = -30, high = 30, most = 0, stiffest = 0;
	for (size_t i = 0; i < p->size; i++) {
		most = fmax(most, p->at[0].F[i]);
		stiffest = fmax(stiffest, p->R[i]);
	}
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (low + high) / 2;
		if (gt_noise_patches_quadratic(p, most / stiffest * exp(middle)) > noise)
			low = middle;
		else
			high = middle;
	}
	return most / stiffest * exp((low + high) / 2);
}

static gt_status no_memory(const gt_noise_patches *p) { return gt_fail(GT_ERR_MEMORY, "no memory for a patch of %zu voxels", p->size); }

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* b = the transform of a normal field of the spectrum `variance`. */
static void normal_field(gt_box *b, const double *variance, uint64_t seed)
{
	const size_t n = gt_box_size(b);
	for (size_t i = 0; i < n; i++) {
		gt_random r = gt_random_at(seed, i);
		b->re[i] = gt_normal(&r);
		b->im[i] = 0;
	}
	gt_box_transform(b, 0);
	for (size_t i = 0; i < n; i++) {
		b->re[i] *= sqrt(variance[i]);
		b->im[i] *= sqrt(variance[i]);
	}
}

/* The transform of a real field -> the operator `first` of that field in re, and `second` of it in im. */
static void apply_both(gt_box *b, const double *first, const double *second)
{
	const size_t n = gt_box_size(b);
	for (size_t i = 0; i < n; i++) {
		const double re = b->re[i], im = b->im[i];
		b->re[i] = first[i] * re - second[i] * im;
		b->im[i] = first[i] * im + second[i] * re;
	}
	gt_box_transform(b, 1);
}

static void put(const gt_noise_patches *p, const double *z, double scale, float *host, gt_array *x)
{
	for (size_t i = 0; i < p->size; i++)
		host[i] = (float)(scale * z[i]);
	gt_array_put_float(host, x);
}

/* <z, R'(z)> of scale z over scale^2. */
static double bends(const gt_noise_patches *p, const double *z, double scale, float *host)
{
	put(p, z, scale, host, p->x);
	gt_fill(0, p->g);
	gt_penalty_gradient(p->penalty, p->x, p->g, NULL);
	return gt_dot(p->x, p->g) / (scale * scale);
}

/* How much of its curvature the penalty has left for differences as of normal noise of this size: statistical linearisation. */
static gt_status gain(const gt_noise_patches *p, double strength, double *left)
{
	double *S = malloc(p->size * sizeof *S), all = 0, small = 0;
	float *host = malloc(p->size * sizeof *host);
	gt_box b = { .re = NULL };
	gt_status st = GT_OK;
	if (!S || !host || !gt_box_new(p->n, &b))
		GT_TRY(no_memory(p));
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		for (size_t i = 0; i < p->size; i++)
			S[i] = density(p, k, i, strength);
		normal_field(&b, S, (uint64_t)k);
		gt_box_transform(&b, 1);
		all += bends(p, b.re, 1, host);
		small += bends(p, b.re, TINY, host);
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*left = small > 0 ? fmin(1, all / small) : 1;
done:
	free(S);
	free(host);
	gt_box_free(&b);
	return st;
}

/* One patch while it is minimised. */
struct descent {
	const gt_noise_patches *p;
	int k;
	double strength;                   /* with kappa^2 */
	double *M, *FM;                    /* spectra of the preconditioner, and of F and it */
	double *z, *d, *Fz, *Fd, *g, *old; /* iterate, direction, F z - n, F d, gradient, the one before */
	gt_box b;
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

/* s->b = M g and F M g. */
static void precondition(struct descent *s)
{
	for (size_t i = 0; i < s->p->size; i++) {
		s->b.re[i] = s->g[i];
		s->b.im[i] = 0;
	}
	gt_box_transform(&s->b, 0);
	apply_both(&s->b, s->M, s->FM);
}

/* Along d from z, which p->x holds since gradient(). */
static void step(struct descent *s)
{
	const gt_noise_patches *p = s->p;
	const size_t n = p->size;
	const double slope = dot(s->d, s->Fz, n), bend = dot(s->d, s->Fd, n);
	double a = 0;
	put(p, s->d, 1, s->host, p->g);
	for (int i = 0; i < PARABOLAS; i++) {
		double of = 0, curve = 0;
		gt_penalty_line(p->penalty, p->x, p->g, a, &of, &curve);
		const double whole = bend + s->strength * curve;
		a -= whole > 0 ? (slope + a * bend + s->strength * of) / whole : 0;
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
	for (int k = 0; k < ITERATIONS; k++) {
		gradient(s);
		precondition(s);
		const double now = dot(s->b.re, s->g, n), beta = k ? fmax(0, (now - dot(s->b.re, s->old, n)) / before) : 0;
		if (!k)
			first = now;
		if (!(now > CLOSE * CLOSE * first))
			return;
		for (size_t i = 0; i < n; i++) {
			s->d[i] = beta * s->d[i] - s->b.re[i];
			s->Fd[i] = beta * s->Fd[i] - s->b.im[i];
			s->old[i] = s->g[i];
		}
		before = now;
		step(s);
	}
}

/* Mean square away from the borders, where neighbours are missing. */
static double inner_square(const gt_noise_patches *p, const double *z)
{
	double sum = 0;
	size_t found = 0;
	for (size_t i = 0; i < p->size; i++) {
		const size_t at[3] = { i % p->n[0], i / p->n[0] % p->n[1], i / p->n[0] / p->n[1] };
		int inner = 1;
		for (int a = 0; a < 3; a++)
			inner &= p->n[a] < 8 || (at[a] >= 2 && at[a] + 2 < p->n[a]);
		sum += inner ? z[i] * z[i] : 0;
		found += (size_t)inner;
	}
	return sum / (double)found;
}

/* The linear solution M n for the field's noise n as a start, and F M n - n. */
static void begin(struct descent *s, double left)
{
	const gt_noise_patches *p = s->p;
	for (size_t i = 0; i < p->size; i++) {
		const double H = hessian(p, s->k, i, s->strength / p->at[s->k].square * left);
		s->M[i] = H > 0 ? 1 / H : 0;
		s->FM[i] = p->at[s->k].F[i] * s->M[i];
		s->g[i] = s->FM[i] - 1;
	}
	normal_field(&s->b, p->at[s->k].G, 100 + (uint64_t)s->k);
	apply_both(&s->b, s->M, s->g);
	memcpy(s->z, s->b.re, p->size * sizeof *s->z);
	memcpy(s->Fz, s->b.im, p->size * sizeof *s->Fz);
	memset(s->d, 0, p->size * sizeof *s->d);
	memset(s->Fd, 0, p->size * sizeof *s->Fd);
}

/* Noise that this strength leaves, over all patches. */
static gt_status simulate(gt_noise_patches *p, double strength, double left, double *noise)
{
	const size_t n = p->size;
	double sum = 0;
	struct descent s = { .p = p, .host = malloc(n * sizeof *s.host) };
	double **const of[] = { &s.M, &s.FM, &s.z, &s.d, &s.Fz, &s.Fd, &s.g, &s.old };
	const size_t fields = sizeof of / sizeof *of;
	double *room = calloc(fields * n, sizeof *room);
	gt_status st = GT_OK;
	if (!room || !s.host || !gt_box_new(p->n, &s.b))
		GT_TRY(no_memory(p));
	for (size_t i = 0; i < fields; i++)
		*of[i] = room + i * n;
	for (s.k = 0; s.k < GT_NOISE_PATCHES; s.k++) {
		s.strength = strength * p->at[s.k].square;
		begin(&s, left);
		descend(&s);
		const double square = inner_square(p, s.z);
		p->noise[s.k] = sqrt(square);
		sum += square;
	}
	GT_TRY(gt_backend_status(gt_array_backend(p->x)));
	*noise = sqrt(sum / GT_NOISE_PATCHES);
done:
	free(room);
	free(s.host);
	gt_box_free(&s.b);
	return st;
}

/* By steps of the factor until the noise is between two strengths, then by interpolation of logarithms. */
gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength)
{
	const double quadratic = gt_noise_patches_quadratic_strength(p, noise);
	double left, found, low = NAN, high = NAN, above = 0, below = 0;
	gt_status st = GT_OK;
	GT_TRY(gain(p, quadratic, &left));
	double at = log(quadratic / left);
	for (int i = 0; i < TRIES; i++) {
		GT_TRY(simulate(p, exp(at), left, &found));
		const double off = log(found / noise);
		if (fabs(off) < NEAR || !isfinite(off))
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
	if (!(*strength < MOST_STRENGTH))
		GT_TRY(gt_fail(
			GT_ERR_ARG,
			"--penalty: no strength leaves as little noise as is asked for in this volume (as small as this, or out of the "
			"beam): expected more noise, or strength=NUMBER"));
done:
	return st;
}
