/* Conjugate gradients on the patches of a local noise model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/threads.h>
#include "core/clones.h"
#include "core/random.h"
#include "core/try.h"
#include "recon/noise/patch_descent.h"

/* End of a minimisation: norm of the preconditioned gradient, which estimates the error of z, relative to the norm of
 * the noise. */
#define MAX_RELATIVE_ERROR 1e-2
enum { NUMBERS = GT_NOISE_LAYERS * GT_NOISE_LAYERS };

gt_status gt_patch_no_memory(const gt_noise_patches *p) { return gt_fail(GT_ERR_MEMORY, "no memory for a patch of %zu voxels", p->size); }

void gt_patch_slots_free(gt_patch_slots *s)
{
	for (size_t i = 0; i < GT_PATCH_LANES; i++) {
		gt_array_free(s->x[i]);
		gt_array_free(s->g[i]);
	}
	for (size_t i = 0; i < GT_PATCH_LANES * GT_NOISE_PATCHES; i++) {
		gt_array_free(s->x_of[i]);
		gt_array_free(s->g_of[i]);
	}
	*s = (gt_patch_slots){ { NULL }, { NULL }, { NULL }, { NULL } };
}

gt_status gt_patch_slots_new(const gt_noise_patches *p, size_t lanes, gt_patch_slots *s)
{
	const size_t lane = p->places * p->size;
	gt_status st = GT_OK;
	for (size_t i = 0; i < lanes; i++) {
		GT_TRY(gt_array_part(p->x, i * lane, lane, &s->x[i]));
		GT_TRY(gt_array_part(p->g, i * lane, lane, &s->g[i]));
	}
	for (size_t i = 0; i < lanes * p->places; i++) {
		GT_TRY(gt_array_part(p->x, i * p->size, p->size, &s->x_of[i]));
		GT_TRY(gt_array_part(p->g, i * p->size, p->size, &s->g_of[i]));
	}
done:
	return st;
}

static gt_status new_descent(const gt_noise_patches *p, size_t k, gt_patch_descent *s)
{
	const size_t n = p->size, numbers = n * p->layers;
	double **const of[] = { &s->z, &s->Fz, &s->Fd, &s->old, &s->Mg, &s->FMg };
	const size_t fields = sizeof of / sizeof *of;
	*s = (gt_patch_descent){ .p = p, .k = k, .used = 1, .scratch = calloc((fields + 2) * n + 2 * numbers, sizeof *s->scratch) };
	if (!s->scratch)
		return gt_patch_no_memory(p);
	for (size_t i = 0; i < fields; i++)
		*of[i] = s->scratch + i * n;
	s->kept = (double(*)[2])(s->scratch + fields * n);
	s->M = s->scratch + (fields + 2) * n;
	s->FM = s->M + numbers;
	return gt_layers_new(p->n, p->layers, &s->t);
}

gt_status gt_patch_descents_new(const gt_noise_patches *p, size_t lanes, gt_patch_descents *t)
{
	const size_t n = p->size, count = lanes * p->places;
	gt_status st = GT_OK;
	*t = (gt_patch_descents){ .p = p, .count = count };
	GT_TRY(gt_patch_slots_new(p, lanes, &t->slots));
	if (!(t->host = gt_locked_new(gt_array_backend(p->x), 3 * count * n * sizeof *t->host, "patches of the noise model")))
		GT_TRY(gt_patch_no_memory(p));
	for (size_t i = 0; i < count; i++) {
		gt_patch_descent *s = &t->s[i];
		GT_TRY(new_descent(p, i % p->places, s));
		s->sum = t->host + i * n;
		s->d = t->host + (count + i) * n;
		s->g = t->host + (2 * count + i) * n;
	}
	memset(t->host, 0, 3 * count * n * sizeof *t->host);
done:
	return st;
}

void gt_patch_descents_free(gt_patch_descents *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->s[i].scratch);
		gt_layers_free(&t->s[i].t);
	}
	gt_patch_slots_free(&t->slots);
	if (t->host)
		gt_locked_free(gt_array_backend(t->p->x), t->host);
	t->count = 0;
	t->host = NULL;
}

/* Spectra F, G and S; with several lanes image and slope of the object's structure. A descent has fields and spectra, a
 * transform, shared fields, and two on the backend. The linearisation needs less, before descents use theirs. */
double gt_patch_bytes(const gt_noise_patches *p, size_t lanes)
{
	const double layers = (double)p->layers, shared = 3 * layers + (lanes > 1 ? 2.125 : 0), descent = 8 + 2 * layers + 2 + 3 + 2;
	return (double)(p->places * p->size * sizeof(double)) * (shared + (double)lanes * descent);
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
	for (size_t i = begin; i < end; i++)
		if (a->s[i].used)
			a->f(&a->s[i], a->self);
}

static void each_of(gt_patch_descents *t, size_t first, size_t end, void (*f)(gt_patch_descent *s, void *self), void *self)
{
	struct each a = { t->s + first, f, self };
	gt_parallel(gt_backend_pool(gt_array_backend(t->p->x)), end - first, 1, call_each, &a);
}

void gt_patch_descents_each(gt_patch_descents *t, void (*f)(gt_patch_descent *s, void *self), void *self)
{
	each_of(t, 0, t->count, f, self);
}

void gt_patch_descents_lane(gt_patch_descents *t, size_t lane, void (*f)(gt_patch_descent *s, void *self), void *self)
{
	each_of(t, lane * t->p->places, (lane + 1) * t->p->places, f, self);
}

void gt_patch_inverse(const gt_noise_patches *p, size_t k, size_t i, double strength, double *out)
{
	const size_t m = p->layers;
	double H[NUMBERS];
	for (size_t j = 0; j < m * m; j++)
		H[j] = p->at[k].F[i * m * m + j] + strength * p->at[k].square * p->R[i * m * m + j];
	gt_small_inverse(m, H, out);
}

/* gt_small_inverse() of numbers. */
GT_WIDER static void invert_numbers(const double *F, const double *R, size_t n, double strength, double *restrict out)
{
	for (size_t i = 0; i < n; i++) {
		const double H = F[i] + strength * R[i], root = sqrt(H > 0 && H < INFINITY ? H : 1), inverse = 1 / root / root;
		out[i] = H > 0 && H < INFINITY ? inverse : 0;
	}
}

void gt_patch_inverses(const gt_noise_patches *p, size_t k, double strength, double *out)
{
	if (p->layers == 1)
		invert_numbers(p->at[k].F, p->R, p->box, strength * p->at[k].square, out);
	else
		for (size_t i = 0; i < p->box; i++)
			gt_patch_inverse(p, k, i, strength, out + i * p->layers * p->layers);
}

/* Eight sums hide the latency of additions, and their order is the same for all vectors. */
GT_WIDER static double dot(const double *a, const double *b, size_t n)
{
	double sum[8] = { 0 }, rest = 0;
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (int l = 0; l < 8; l++)
			sum[l] += a[i + l] * b[i + l];
	for (; i < n; i++)
		rest += a[i] * b[i];
	return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])) + rest;
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

void gt_patch_descent_noise(gt_patch_descent *s, uint64_t seed)
{
	const size_t box = s->p->box;
	const int is_kept = s->seed == seed + 1;
	if (!is_kept)
		gt_patch_normal_field(s->p, s->k, seed, s->z, &s->t);
	for (size_t l = 0; l < s->p->layers; l++) {
		double(*const t)[2] = s->t.b[l].value, (*const kept)[2] = s->kept + l * box;
		memcpy(is_kept ? t : kept, is_kept ? kept : t, box * sizeof *t);
	}
	s->seed = seed + 1;
}

GT_WIDER static void put_sum(gt_patch_descent *s, void *self)
{
	(void)self;
	for (size_t i = 0; i < s->p->size; i++)
		s->sum[i] = s->z[i] + (s->about ? s->about[i] : 0);
}

/* Copies whole lanes that contain descents first to end - 1. */
static void put_lanes(gt_patch_descents *t, size_t first, size_t end, const double *host, gt_array *const lane[])
{
	const size_t places = t->p->places;
	for (size_t l = first / places; l * places < end; l++)
		gt_array_put(host + l * places * t->p->size, lane[l]);
}

/* Gradients of R at s->sum of active descents. */
static void penalty_gradients(gt_patch_descents *t, size_t first, size_t end)
{
	const size_t places = t->p->places;
	put_lanes(t, first, end, t->s[0].sum, t->slots.x);
	for (size_t l = first / places; l * places < end; l++)
		gt_fill(0, t->slots.g[l]);
	for (size_t i = first; i < end; i++)
		if (t->s[i].active)
			gt_penalty_gradient(t->p->penalty, t->slots.x_of[i], t->slots.g_of[i], NULL);
	for (size_t l = first / places; l * places < end; l++)
		gt_array_get(t->slots.g[l], t->s[0].g + l * places * t->p->size);
}

void gt_patch_penalty_gradients(gt_patch_descents *t, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		t->s[i].active = t->s[i].used;
	each_of(t, first, end, put_sum, NULL);
	penalty_gradients(t, first, end);
}

GT_WIDER static void descend(gt_patch_descent *s, double beta)
{
	for (size_t i = 0; i < s->p->size; i++) {
		s->d[i] = beta * s->d[i] - s->Mg[i];
		s->Fd[i] = beta * s->Fd[i] - s->FMg[i];
		s->old[i] = s->g[i];
	}
}

GT_WIDER static void add_data_gradient(gt_patch_descent *s)
{
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
	add_data_gradient(s);
	gt_layers_transform(&s->t, s->g);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->Mg, s->FMg);
	const double now = dot(s->Mg, s->g, n), beta = s->before > 0 ? fmax(0, (now - dot(s->Mg, s->old, n)) / s->before) : 0;
	s->active = dot(s->Mg, s->Mg, n) > MAX_RELATIVE_ERROR * MAX_RELATIVE_ERROR * s->noise;
	if (!s->active)
		return;
	descend(s, beta);
	s->before = now;
	s->slope = dot(s->d, s->Fz, n);
	s->curvature = dot(s->d, s->Fd, n);
}

GT_WIDER static void move(gt_patch_descent *s, double a)
{
	for (size_t i = 0; i < s->p->size; i++) {
		s->z[i] += a * s->d[i];
		s->Fz[i] += a * s->Fd[i];
	}
}

/* Steps along d. The curvature is that of a parabola that touches the cost at z and lies above it. */
static void step(gt_patch_descent *s, void *self)
{
	if (!s->active)
		return;
	const double whole = s->curvature + s->strength * s->line[1];
	move(s, whole > 0 ? -(s->slope + s->strength * s->line[0]) / whole : 0);
	put_sum(s, self);
}

static size_t count_active(const gt_patch_descents *t, size_t first, size_t end)
{
	size_t count = 0;
	for (size_t i = first; i < end; i++)
		count += (size_t)t->s[i].active;
	return count;
}

void gt_patch_descents_run(gt_patch_descents *t, size_t first, size_t end, int iterations)
{
	for (size_t i = first; i < end; i++)
		t->s[i].before = 0;
	gt_patch_penalty_gradients(t, first, end);
	for (int i = 0; i < iterations; i++) {
		each_of(t, first, end, turn, NULL);
		if (!count_active(t, first, end))
			break;
		put_lanes(t, first, end, t->s[0].d, t->slots.g);
		for (size_t k = first; k < end; k++)
			if (t->s[k].active)
				gt_penalty_line(t->p->penalty, t->slots.x_of[k], t->slots.g_of[k], 0, &t->s[k].line[0], &t->s[k].line[1]);
		each_of(t, first, end, step, NULL);
		penalty_gradients(t, first, end);
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

/* Products of numbers; returns the sum of M M G. */
static double set_numbers(const double *F, const double *G, size_t n, const double *restrict M, double *restrict FM)
{
	double noise = 0;
	for (size_t i = 0; i < n; i++) {
		FM[i] = F[i] * M[i];
		noise += M[i] * (M[i] * G[i]);
	}
	return noise;
}

static void set_at(gt_patch_descent *s, void *self)
{
	const gt_noise_patches *p = s->p;
	const struct at *a = self;
	const size_t m = p->layers, numbers = m * m;
	double product[NUMBERS];
	s->strength = a->strength * p->at[s->k].square;
	s->noise = 0;
	gt_patch_inverses(p, s->k, a->strength * a->left, s->M);
	if (m == 1)
		s->noise = set_numbers(p->at[s->k].F, p->at[s->k].G, p->box, s->M, s->FM);
	for (size_t i = 0; i < p->box && m > 1; i++) {
		gt_small_product(m, p->at[s->k].F + i * numbers, s->M + i * numbers, s->FM + i * numbers);
		gt_small_product(m, s->M + i * numbers, p->at[s->k].G + i * numbers, product);
		s->noise += dot(s->M + i * numbers, product, numbers);
	}
}

void gt_patch_descents_at(gt_patch_descents *t, double strength, double left)
{
	struct at a = { strength, left };
	gt_patch_descents_each(t, set_at, &a);
}

void gt_patch_descent_start(gt_patch_descent *s)
{
	const gt_noise_patches *p = s->p;
	add_to_diagonal(p, -1, s->FM);
	gt_layers_apply_both(&s->t, s->M, s->FM, s->z, s->Fz);
	add_to_diagonal(p, 1, s->FM);
}
