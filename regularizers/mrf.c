/* Markov random field penalties on differences of neighbouring voxels (Bouman and Sauer, IEEE Trans. Image Process. 2
 * (1993) 296):
 *    R(x) = strength sum over pairs {j, k} of w_jk kappa_j kappa_k psi(x_j - x_k).
 * Each pair counts once. The weights w_jk are proportional to 1/distance in mm. Over all neighbours of an inner voxel
 * they sum to 1; border voxels lack some. For psi see potential.h.
 * The separable majorizer is 2 sum_k w_jk kappa_j kappa_k c(x_j - x_k): De Pierro, IEEE Trans. Med. Imaging 14 (1995)
 * 132, with (u - v)^2 <= 2u^2 + 2v^2. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/halo.h"
#include "regularizers/mrf.h"
#include "regularizers/prior_image.h"
#include "team/team.h"

struct options {
	double strength;
	int neighbours; /* index */
	double delta, p, q;
	char map[GT_PARAM_TEXT];
};

struct pairs {
	gt_backend *be;
	const struct gt_mrf_impl *impl;
	const char *name;
	gt_mrf s;
	gt_array *kappa;
	/* In a team s covers local slices and halo, which are fetched into buffers. */
	int shares;
	struct gt_halo halo;
	gt_array *room[4];
};
enum { ROOM_X, ROOM_P, ROOM_G, ROOM_D };

static const char *const neighbour_names[] = { "6", "26", NULL };

static void fill_weights(const gt_grid *g, const struct options *o, double *weight)
{
	double sum = 0;
	for (int k = 1; k < 8; k++) {
		double square = 0;
		for (int a = 0; a < 3; a++)
			square += k >> a & 1 ? g->pitch[a] * g->pitch[a] : 0;
		const int axes = (k & 1) + (k >> 1 & 1) + (k >> 2);
		weight[k] = axes == 1 || o->neighbours ? 1 / sqrt(square) : 0;
		sum += (1 << axes) * weight[k];
	}
	for (int k = 1; k < 8; k++)
		weight[k] *= o->strength / sum;
	weight[0] = 0;
}

static void fill_numbers(gt_potential kind, const struct options *o, double *k)
{
	const double delta = o->delta;
	k[GT_DELTA] = delta;
	k[GT_PER_DELTA] = isfinite(delta) ? 1 / delta : 0;
	k[GT_AREA] = delta * delta;
	k[GT_P] = o->p;
	k[GT_HALF_P] = o->p / 2;
	k[GT_HALF_Q] = o->q / 2;
	k[GT_P_Q] = o->p - o->q;
	k[GT_MIN] = kind == GT_QGGMRF_P ? GT_FLAT : 1e-30; /* not 0, because its logarithm is taken */
	k[GT_REST] = 0;
	if (kind == GT_QGGMRF_P)
		k[GT_REST] = gt_potential_value(kind, k, 0) * 2 / k[GT_AREA];
}

/* Returns 1 if the backend has not failed and the arrays fit. */
static int fits(const struct pairs *r, const gt_array *a, const char *what)
{
	const size_t n = r->s.n[0] * r->s.n[1] * (r->shares ? r->halo.own.n : r->s.n[2]);
	if (r->be->status != GT_OK)
		return 0;
	if (a && (a->be != r->be || a->n != n || a->type != r->s.type))
		gt_backend_fail(r->be, gt_fail(GT_ERR_ARG, "%s: %s has %zu %s values on %s, expected %zu %s values on %s", r->name, what,
		                               a->n, gt_type_name(a->type), a->be->name, n, gt_type_name(r->s.type), r->be->name));
	return r->be->status == GT_OK;
}

/* Pointers for the loops to an input array and to an output array. */
static const void *reads(const struct pairs *r, const gt_array *a, int room)
{
	if (!r->shares)
		return a->data;
	gt_halo_fetch(&r->halo, a, r->room[room]);
	return gt_halo_begin(&r->halo, r->room[room]);
}

static void *adds(const struct pairs *r, const gt_array *a, int room)
{
	if (!a || !r->shares)
		return a ? a->data : NULL;
	gt_fill(0, r->room[room]);
	return gt_halo_begin(&r->halo, r->room[room]);
}

static void added(const struct pairs *r, gt_array *a, int room)
{
	if (a && r->shares)
		gt_halo_add(&r->halo, r->room[room], a);
}

/* A rank without slices adds 0. */
static void sums(const struct pairs *r, const gt_array *x, const gt_array *p, double a, double *first, double *curvature)
{
	const void *X = reads(r, x, ROOM_X), *P = p ? reads(r, p, ROOM_P) : NULL;
	if (r->s.end > r->s.from) {
		r->impl->sum(r->be, &r->s, X, P, a, first, curvature);
	} else {
		*first = 0;
		if (curvature)
			*curvature = 0;
	}
	gt_team_join_later(r->be, first);
	if (curvature)
		gt_team_join_later(r->be, curvature);
}

static void value_async(void *self, const gt_array *x, double *value)
{
	const struct pairs *r = self;
	*value = NAN;
	if (fits(r, x, "the volume"))
		sums(r, x, NULL, 0, value, NULL);
}

static double value(void *self, const gt_array *x)
{
	double sum;
	value_async(self, x, &sum);
	gt_reductions_wait(((const struct pairs *)self)->be);
	return sum;
}

static void gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	const struct pairs *r = self;
	if (!fits(r, x, "the volume") || !fits(r, g, "the gradient") || !fits(r, d, "the majorizer"))
		return;
	const void *X = reads(r, x, ROOM_X);
	void *G = adds(r, g, ROOM_G), *D = adds(r, d, ROOM_D);
	if (r->s.end > r->s.from)
		r->impl->gradient(r->be, &r->s, X, G, D);
	added(r, g, ROOM_G);
	added(r, d, ROOM_D);
}

static void majorize(void *self, gt_array *d)
{
	const struct pairs *r = self;
	if (!fits(r, d, "the majorizer"))
		return;
	void *D = adds(r, d, ROOM_D);
	if (r->s.end > r->s.from)
		r->impl->majorize(r->be, &r->s, D);
	added(r, d, ROOM_D);
}

static void line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	const struct pairs *r = self;
	*slope = *curvature = NAN;
	if (fits(r, x, "the volume") && fits(r, p, "the direction"))
		sums(r, x, p, a, slope, curvature);
	gt_reductions_wait(r->be);
}

static void destroy(void *self)
{
	struct pairs *r = self;
	if (r->impl->free)
		r->impl->free(r->be, &r->s);
	gt_array_free(r->kappa);
	for (int i = 0; i < 4; i++)
		gt_array_free(r->room[i]);
	free(r);
}

static gt_status check(const char *name, const gt_grid *g, const struct options *o)
{
	if (o->q > o->p)
		return gt_fail(GT_ERR_ARG, "%s: q=%g with p=%g: expected q of at most p", name, o->q, o->p);
	for (int a = 0; a < 3; a++)
		if (g->n[a] > INT_MAX / 4)
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu voxels along one axis: expected at most %d", name, g->n[a],
			               INT_MAX / 4);
	return GT_OK;
}

/* Roots of the strengths per voxel, times kappa: a pair has the product of both. */
static gt_status make_weights(const char *name, const struct pairs *r, const gt_grid *g, const char *map, const gt_array *kappa,
                              gt_array **out)
{
	char what[64];
	gt_status st = GT_OK;
	snprintf(what, sizeof what, "penalty %s: map", name);
	if (*map) {
		GT_TRY(gt_prior_image_read(what, map, 0, r->be, r->s.type, g, out));
		gt_pow(0.5, *out);
		if (kappa)
			gt_mul(kappa, *out);
	} else if (kappa) {
		GT_TRY(gt_array_like(kappa, out));
		gt_copy(kappa, *out);
	}
done:
	return st;
}

/* Sets up local slices and halo, with the voxel weights of both. */
static gt_status share(struct pairs *r, const gt_grid *g)
{
	gt_array *kappa = NULL;
	gt_status st = GT_OK;
	r->shares = 1;
	gt_halo_open(&r->halo, r->be, r->s.type, g, 1);
	r->s.n[2] = gt_halo_slices(&r->halo);
	gt_halo_counts(&r->halo, &r->s.from, &r->s.end);
	for (int i = 0; i < 4; i++)
		GT_TRY(gt_halo_room(&r->halo, 1, &r->room[i]));
	if (!r->kappa)
		return GT_OK;
	GT_TRY(gt_halo_room(&r->halo, 1, &kappa));
	gt_halo_fetch(&r->halo, r->kappa, kappa);
	gt_array_free(r->kappa);
	r->kappa = kappa;
	r->s.kappa = gt_halo_begin(&r->halo, kappa);
done:
	return st;
}

static gt_status make(const struct gt_penalty_ops *ops, gt_potential kind, gt_backend *be, gt_type type, const gt_grid *g,
                      const struct options *o, const gt_array *kappa, gt_penalty **R)
{
	static const struct gt_mrf_impl *const impl[GT_NBACKENDS] = { &gt_mrf_cpu, GT_IF_CUDA(&gt_mrf_cuda) };
	gt_status st = GT_OK;
	struct pairs *r = calloc(1, sizeof *r);
	if (!r)
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty '%s'", ops->name);
	*r = (struct pairs){ .be = be, .impl = impl[be->kind], .name = ops->name, .s = { .type = type, .potential = kind } };
	GT_TRY(check(ops->name, g, o));
	memcpy(r->s.n, g->n, sizeof g->n);
	fill_weights(g, o, r->s.weight);
	fill_numbers(kind, o, r->s.number);
	GT_TRY(make_weights(ops->name, r, g, o->map, kappa, &r->kappa));
	r->s.kappa = r->kappa ? r->kappa->data : NULL;
	r->s.end = g->n[2];
	if (gt_ranks(be) > 1)
		GT_TRY(share(r, g));
	if (r->impl->make && r->s.n[2])
		GT_TRY(r->impl->make(be, &r->s));
	return gt_penalty_new(ops, r, be, type, gt_grid_voxels(g), 1, R);
done:
	destroy(r);
	return st;
}

#define NEIGHBOURHOOD                                                                                            \
	{ .key = "strength",                                                                                     \
	  .help = "factor on the whole penalty",                                                                 \
	  .kind = GT_REAL,                                                                                       \
	  .at = offsetof(struct options, strength),                                                              \
	  .min = 0,                                                                                              \
	  .max = 1e30 },                                                                                         \
	{                                                                                                        \
		.key = "neighbours", .help = "neighbours of a voxel, weighted by 1/distance", .kind = GT_CHOICE, \
		.at = offsetof(struct options, neighbours), .names = neighbour_names                             \
	}
#define DIFFERENCE(name, text)                                                                                           \
	{                                                                                                                \
		.key = name, .help = text, .kind = GT_MU, .at = offsetof(struct options, delta), .min = 1e-9, .max = 1e3 \
	}
#define EXPONENT(id, text)                                                                                        \
	{                                                                                                         \
		.key = #id, .help = text, .kind = GT_REAL, .at = offsetof(struct options, id), .min = 1, .max = 2 \
	}
static const gt_param plain[] = { NEIGHBOURHOOD, { .key = NULL } };
static const gt_param with_delta[] = { NEIGHBOURHOOD, DIFFERENCE("delta", "difference above which it grows more slowly"), { .key = NULL } };
static const gt_param with_exponents[] = {
	NEIGHBOURHOOD,
	DIFFERENCE("c", "difference above which it grows more slowly"),
	EXPONENT(p, "exponent of small differences"),
	EXPONENT(q, "exponent of large differences, at most p; below 1 not convex"),
	{ .key = "map",
	  .help = "volume of factors on the strength, 0 or more, one per voxel; a pair has the root of its two",
	  .kind = GT_TEXT,
	  .at = offsetof(struct options, map) },
	{ .key = NULL }
};

#define HU(x) ((x) / 1000. * GT_MU_WATER)
#define REGULARIZER(id, potential, scale, text, table)                                                                                  \
	static gt_status make_##id(gt_backend *be, gt_type t, const gt_grid *g, const void *options, const gt_array *k, gt_penalty **R) \
	{                                                                                                                               \
		static const struct gt_penalty_ops ops = { .name = #id,                                                                 \
			                                   .value = value,                                                              \
			                                   .gradient = gradient,                                                        \
			                                   .majorize = majorize,                                                        \
			                                   .line = line,                                                                \
			                                   .free = destroy,                                                             \
			                                   .value_async = value_async };                                                \
		const struct options *o = options;                                                                                      \
		return make(&ops, potential, be, t, g, o, k, R);                                                                        \
	}                                                                                                                               \
	static const struct options defaults_##id = { .strength = 1, .neighbours = 1, .delta = scale, .p = 2, .q = 1.2 };               \
	const gt_regularizer gt_regularizer_##id = { .name = #id,                                                                       \
		                                     .about = text,                                                                     \
		                                     .params = table,                                                                   \
		                                     .defaults = &defaults_##id,                                                        \
		                                     .options_size = sizeof(struct options),                                            \
		                                     .neighbours_only = 1,                                                              \
		                                     .make = make_##id };

REGULARIZER(qggmrf, o->p < 2 ? GT_QGGMRF_P : GT_QGGMRF, HU(10), "q-GGMRF of neighbours: |t|^p where small, |t|^q beyond c", with_exponents)
REGULARIZER(huber, GT_HUBER, HU(10), "Huber's potential of neighbours: quadratic up to delta, linear beyond", with_delta)
REGULARIZER(hyperbola, GT_HYPERBOLA, HU(10), "hyperbola of neighbours: quadratic, beyond delta linear, smooth between", with_delta)
REGULARIZER(fair, GT_FAIR, HU(10), "Lange's potential of neighbours: linear beyond delta, approached slowly", with_delta)
REGULARIZER(logcosh, GT_LOGCOSH, HU(10), "log cosh of neighbours: linear beyond delta, approached fast", with_delta)
REGULARIZER(quadratic, GT_HUBER, INFINITY, "squared differences of neighbours: smooths edges too", plain)
