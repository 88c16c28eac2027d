/* Conjugate gradients on the patches of a local noise model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/threads.h>
#include "core/random.h"
#include "core/try.h"
#include "recon/noise/patch_descent.h"

/* End of a minimisation: norm of the preconditioned gradient, which estimates the error of z, relative to the norm of
 * the noise. */
#define MAX_RELATIVE_ERROR 1e-2
enum { NUMBERS = GT_NOISE_LAYERS * GT_NOISE_LAYERS };

gt_status gt_patch_no_memory(const gt_noise_patches *p) { return gt_fail(GT_ERR_MEMORY, "no memory for a patch of %zu voxels", p->size); }

static gt_status new_descent(const gt_noise_patches *p, size_t k, gt_patch_descent *s)
{
	const size_t n = p->size, numbers = n * p->layers;
	double **const of[] = { &s->z, &s->d, &s->Fz, &s->Fd, &s->g, &s->old, &s->Mg, &s->FMg, &s->sum };
	const size_t fields = sizeof of / sizeof *of;
	*s = (gt_patch_descent){ .p = p, .k = k, .used = 1, .scratch = calloc(fields * n + 2 * numbers, sizeof *s->scratch) };
	if (!s->scratch)
		return gt_patch_no_memory(p);
	for (size_t i = 0; i < fields; i++)
		*of[i] = s->scratch + i * n;
	s->M = s->scratch + fields * n;
	s->FM = s->M + numbers;
	return gt_layers_new(p->n, p->layers, &s->t);
}

gt_status gt_patch_descents_new(const gt_noise_patches *p, gt_patch_descent s[GT_NOISE_PATCHES])
{
	gt_status st = GT_OK;
	for (size_t k = 0; k < GT_NOISE_PATCHES; k++)
		s[k] = (gt_patch_descent){ .p = p };
	for (size_t k = 0; k < p->places && st == GT_OK; k++)
		st = new_descent(p, k, &s[k]);
	return st;
}

void gt_patch_descents_free(gt_patch_descent s[GT_NOISE_PATCHES])
{
	for (size_t k = 0; k < GT_NOISE_PATCHES; k++) {
		free(s[k].scratch);
		gt_layers_free(&s[k].t);
	}
}

struct each {
	gt_patch_descent *s;
	void (*f)(gt_patch_descent *s, void *self);
	void *self;
};

static void call_each(void *self, size_t begin, size_t end, int worker)
{
	const struct each *a = self;
	(void)worker;
	for (size_t k = begin; k < end; k++)
		if (a->s[k].used)
			a->f(&a->s[k], a->self);
}

void gt_patch_descents_each(gt_patch_descent *s, void (*f)(gt_patch_descent *s, void *self), void *self)
{
	struct each a = { s, f, self };
	gt_parallel(gt_backend_pool(gt_array_backend(s->p->x)), s->p->places, 1, call_each, &a);
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

static void put_sum(gt_patch_descent *s)
{
	for (size_t i = 0; i < s->p->size; i++)
		s->sum[i] = s->z[i] + (s->about ? s->about[i] : 0);
	gt_array_put(s->sum, s->p->x);
}

void gt_patch_penalty_gradient(gt_patch_descent *s, double *g)
{
	put_sum(s);
	gt_fill(0, s->p->g);
	gt_penalty_gradient(s->p->penalty, s->p->x, s->p->g, NULL);
	gt_array_get(s->p->g, g);
}

static void gradient(gt_patch_descent *s)
{
	gt_patch_penalty_gradient(s, s->g);
	for (size_t i = 0; i < s->p->size; i++)
		s->g[i] = s->Fz[i] + s->strength * s->g[i];
}

/* Computes the direction d, unless the gradient is small enough. */
static void turn(gt_patch_descent *s, void *self)
{
	const size_t n = s->p->size;
	(void)self;
	if (!s->active)
		return;
	gt_layers_transform(&s->t, s->g);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->Mg, s->FMg);
	const double now = dot(s->Mg, s->g, n), beta = s->before > 0 ? fmax(0, (now - dot(s->Mg, s->old, n)) / s->before) : 0;
	s->active = dot(s->Mg, s->Mg, n) > MAX_RELATIVE_ERROR * MAX_RELATIVE_ERROR * s->noise;
	if (!s->active)
		return;
	for (size_t i = 0; i < n; i++) {
		s->d[i] = beta * s->d[i] - s->Mg[i];
		s->Fd[i] = beta * s->Fd[i] - s->FMg[i];
		s->old[i] = s->g[i];
	}
	s->before = now;
}

/* Steps along d. The curvature is that of a parabola that touches the cost at z and lies above it. */
static void step(gt_patch_descent *s)
{
	const gt_noise_patches *p = s->p;
	const size_t n = p->size;
	const double data_slope = dot(s->d, s->Fz, n), data_curvature = dot(s->d, s->Fd, n);
	double slope = 0, curvature = 0;
	put_sum(s);
	gt_array_put(s->d, p->g);
	gt_penalty_line(p->penalty, p->x, p->g, 0, &slope, &curvature);
	const double whole = data_curvature + s->strength * curvature;
	const double a = whole > 0 ? -(data_slope + s->strength * slope) / whole : 0;
	for (size_t i = 0; i < n; i++) {
		s->z[i] += a * s->d[i];
		s->Fz[i] += a * s->Fd[i];
	}
}

void gt_patch_descents_run(gt_patch_descent *s, int iterations)
{
	const size_t places = s->p->places;
	size_t left = 0;
	for (size_t k = 0; k < places; k++) {
		s[k].active = s[k].used;
		s[k].before = 0;
		if (s[k].used)
			gradient(&s[k]);
		left += (size_t)s[k].used;
	}
	for (int i = 0; i < iterations && left; i++) {
		gt_patch_descents_each(s, turn, NULL);
		left = 0;
		for (size_t k = 0; k < places; k++)
			if (s[k].active) {
				step(&s[k]);
				gradient(&s[k]);
				left++;
			}
	}
}

static void add_to_diagonal(const gt_noise_patches *p, double value, double *spectrum)
{
	for (size_t i = 0; i < p->box * p->layers; i++)
		spectrum[i * p->layers + i % p->layers] += value;
}

struct at {
	double strength, left;
};

static void set_at(gt_patch_descent *s, void *self)
{
	const gt_noise_patches *p = s->p;
	const struct at *a = self;
	const size_t m = p->layers, numbers = m * m;
	double product[NUMBERS];
	s->strength = a->strength * p->at[s->k].square;
	s->noise = 0;
	for (size_t i = 0; i < p->box; i++) {
		gt_patch_inverse(p, s->k, i, a->strength * a->left, s->M + i * numbers);
		gt_small_product(m, p->at[s->k].F + i * numbers, s->M + i * numbers, s->FM + i * numbers);
		gt_small_product(m, s->M + i * numbers, p->at[s->k].G + i * numbers, product);
		s->noise += dot(s->M + i * numbers, product, numbers);
	}
}

void gt_patch_descents_at(gt_patch_descent *s, double strength, double left)
{
	struct at a = { strength, left };
	gt_patch_descents_each(s, set_at, &a);
}

void gt_patch_descent_start(gt_patch_descent *s)
{
	const gt_noise_patches *p = s->p;
	add_to_diagonal(p, -1, s->FM);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->z, s->Fz);
	add_to_diagonal(p, 1, s->FM);
}
