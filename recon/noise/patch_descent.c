/* Conjugate gradients on a patch of a local noise model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "core/try.h"
#include "recon/noise/patch_descent.h"

enum { MAX_ITERATIONS = 30 };
/* End of a minimisation: norm of the preconditioned gradient relative to the first. With 3e-3, and three steps along
 * each line, strengths differ by 0.2 %. */
#define MAX_RELATIVE_GRADIENT 3e-2
enum { NUMBERS = GT_NOISE_LAYERS * GT_NOISE_LAYERS };

gt_status gt_patch_no_memory(const gt_noise_patches *p) { return gt_fail(GT_ERR_MEMORY, "no memory for a patch of %zu voxels", p->size); }

gt_status gt_patch_descent_new(const gt_noise_patches *p, gt_patch_descent *s)
{
	const size_t n = p->size, numbers = n * p->layers;
	double **const of[] = { &s->z, &s->d, &s->Fz, &s->Fd, &s->g, &s->old, &s->Mg, &s->FMg };
	const size_t fields = sizeof of / sizeof *of;
	*s = (gt_patch_descent){ .p = p,
		                 .host = malloc(n * sizeof *s->host),
		                 .scratch = calloc(fields * n + 2 * numbers, sizeof *s->scratch) };
	if (!s->scratch || !s->host)
		return gt_patch_no_memory(p);
	for (size_t i = 0; i < fields; i++)
		*of[i] = s->scratch + i * n;
	s->M = s->scratch + fields * n;
	s->FM = s->M + numbers;
	return gt_layers_new(p->n, p->layers, &s->t);
}

void gt_patch_descent_free(gt_patch_descent *s)
{
	free(s->scratch);
	free(s->host);
	gt_layers_free(&s->t);
}

void gt_patch_inverse(const gt_noise_patches *p, size_t k, size_t i, double strength, double *out)
{
	const size_t m = p->layers;
	double H[NUMBERS];
	for (size_t j = 0; j < m * m; j++)
		H[j] = p->at[k].F[i * m * m + j] + strength * p->at[k].square * p->R[i * m * m + j];
	gt_small_inverse(m, H, out);
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

void gt_patch_normal_field(const gt_noise_patches *p, size_t k, uint64_t seed, double *z, gt_layers *t)
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

void gt_patch_put(const gt_noise_patches *p, const double *z, double scale, float *host, gt_array *x)
{
	for (size_t i = 0; i < p->size; i++)
		host[i] = (float)(scale * z[i]);
	gt_array_put_float(host, x);
}

void gt_patch_penalty_gradient(gt_patch_descent *s, double *g)
{
	const gt_noise_patches *p = s->p;
	for (size_t i = 0; i < p->size; i++)
		s->host[i] = (float)(s->z[i] + (s->about ? s->about[i] : 0));
	gt_array_put_float(s->host, p->x);
	gt_fill(0, p->g);
	gt_penalty_gradient(p->penalty, p->x, p->g, NULL);
	gt_array_get_float(p->g, s->host);
	for (size_t i = 0; i < p->size; i++)
		g[i] = s->host[i];
}

static void gradient(gt_patch_descent *s)
{
	gt_patch_penalty_gradient(s, s->g);
	for (size_t i = 0; i < s->p->size; i++)
		s->g[i] = s->Fz[i] + s->strength * s->g[i];
}

static void precondition(gt_patch_descent *s)
{
	gt_layers_transform(&s->t, s->g);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->Mg, s->FMg);
}

/* Step along d from z, which p->x holds since gradient(). */
static void step(gt_patch_descent *s)
{
	const gt_noise_patches *p = s->p;
	const size_t n = p->size;
	const double data_slope = dot(s->d, s->Fz, n), data_curvature = dot(s->d, s->Fd, n);
	double slope = 0, curvature = 0;
	gt_patch_put(p, s->d, 1, s->host, p->g);
	gt_penalty_line(p->penalty, p->x, p->g, 0, &slope, &curvature);
	const double whole = data_curvature + s->strength * curvature;
	const double a = whole > 0 ? -(data_slope + s->strength * slope) / whole : 0;
	for (size_t i = 0; i < n; i++) {
		s->z[i] += a * s->d[i];
		s->Fz[i] += a * s->Fd[i];
	}
}

void gt_patch_descent_run(gt_patch_descent *s)
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

static void add_to_diagonal(const gt_noise_patches *p, double value, double *spectrum)
{
	for (size_t i = 0; i < p->box * p->layers; i++)
		spectrum[i * p->layers + i % p->layers] += value;
}

void gt_patch_descent_at(gt_patch_descent *s, size_t k, double strength, double left)
{
	const gt_noise_patches *p = s->p;
	const size_t m = p->layers, numbers = m * m;
	s->k = k;
	s->strength = strength * p->at[k].square;
	for (size_t i = 0; i < p->box; i++) {
		gt_patch_inverse(p, k, i, strength * left, s->M + i * numbers);
		gt_small_product(m, p->at[k].F + i * numbers, s->M + i * numbers, s->FM + i * numbers);
	}
}

void gt_patch_descent_start(gt_patch_descent *s)
{
	const gt_noise_patches *p = s->p;
	add_to_diagonal(p, -1, s->FM);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->z, s->Fz);
	add_to_diagonal(p, 1, s->FM);
	memset(s->d, 0, p->size * sizeof *s->d);
	memset(s->Fd, 0, p->size * sizeof *s->Fd);
}
