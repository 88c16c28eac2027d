/* Total variation with forward differences: Rudin, Osher, Fatemi, Physica D 60 (1992) 259.
 *    R(u) = strength sum_v |(D u)_v|
 * D: differences along an axis, divided by its pitch relative to that of x, times the weight of the axis. Unequal
 * weights make it directional: Zhang, Chen, Xia, Sidky, Pan, Phys. Med. Biol. 66 (2021) 045005.
 * value() and prox() belong to R itself. prox() is fast gradient projection on the dual: Beck and Teboulle, IEEE
 * Trans. Image Process. 18 (2009) 2419. Let tau = t strength, P the projection on [lo, hi] and Pi the projection on
 * |p| <= 1 at every voxel. Each iteration computes
 *    p+ = Pi(r + 1/(tau |D|^2) D P(z - tau D'r)),   r = p + (s_k - 1)/s_k+1 (p - previous p).
 * Finally u = P(z - tau D'p). The dual p is stored between calls, so similar inputs need few iterations.
 * gradient(), majorize() and line() belong to the smoothed R_eps, |d| -> sqrt(|d|^2 + eps^2), with half-quadratic
 * weights: Geman and Reynolds, IEEE Trans. Pattern Anal. Mach. Intell. 14 (1992) 367. R <= R_eps <= R + strength eps
 * voxels.
 *
 * Memory: nine numbers per voxel (p, previous p, and next p; three axes each), none with inner=0. An inner iteration
 * is one pass, which reads z, p and previous p and writes next p: ten numbers (40 bytes in single) per voxel. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/halo.h"
#include "regularizers/momentum.h"
#include "regularizers/tv.h"
#include "team/team.h"

static const char *const kinds[] = { "isotropic", "anisotropic", NULL };

struct options {
	double strength, smooth, along[3];
	int kind, inner;
};
static const struct options defaults = { .strength = 1, .smooth = GT_MU_WATER / 1000, .along = { 1, 1, 1 }, .kind = 0, .inner = 20 };
#define AT(field) offsetof(struct options, field)
#define DIRECTION(axis, i)                                                                                                            \
	{                                                                                                                             \
		.key = #axis, .help = "weight of differences along " #axis, .kind = GT_REAL, .at = AT(along[i]), .min = 0, .max = 1e3 \
	}
static const gt_param params[] = {
	{ .key = "strength", .help = "factor on the penalty", .kind = GT_REAL, .at = AT(strength), .min = 0, .max = 1e30 },
	{ .key = "kind", .help = "length of a gradient, or the sum over its axes", .kind = GT_CHOICE, .at = AT(kind), .names = kinds },
	{ .key = "smooth",
	  .help = "gradients below this count as quadratic where a derivative is needed; proximal steps are exact",
	  .kind = GT_MU,
	  .at = AT(smooth),
	  .min = 1e-9,
	  .max = 1e6 },
	{ .key = "inner",
	  .help = "iterations of a proximal step; 0: none, and no memory for it",
	  .kind = GT_INT,
	  .at = AT(inner),
	  .min = 0,
	  .max = 1e6 },
	DIRECTION(x, 0),
	DIRECTION(y, 1),
	DIRECTION(z, 2),
	{ .key = NULL },
};

struct state {
	gt_backend *be;
	gt_type type;
	size_t voxels;
	struct gt_tv_plan plan;
	const struct gt_tv_impl *impl;
	int inner, has_scratch;
	double norm2; /* |D|^2 */
	gt_array *dual[3][3];
	int now; /* dual[now] is p */
	/* In a team plan covers local slices and halo, which are fetched into buffers. Dual arrays are buffers too,
	 * with one more slice below if the rank has no lower neighbour. */
	int shares;
	struct gt_halo halo;
	struct gt_tv_plan prox_plan;
	gt_array *room[4], *kept[3][3]; /* kept: the dual, as state of a run */
};
enum { ROOM_X, ROOM_P, ROOM_G, ROOM_D };

static int ours(const struct state *s, const gt_array *a)
{
	if (s->be->status != GT_OK)
		return 0;
	if (a->be != s->be || a->type != s->type || a->n != s->voxels)
		gt_backend_fail(s->be, gt_fail(GT_ERR_ARG, "tv is for %zu %s values on %s, not %zu (%s, %s)", s->voxels,
		                               gt_type_name(s->type), s->be->name, a->n, gt_type_name(a->type), a->be->name));
	return s->be->status == GT_OK;
}

/* Pointers for the loops to an input array and to an output array. */
static const void *reads(const struct state *s, const gt_array *a, int room)
{
	if (!s->shares)
		return a->data;
	gt_halo_fetch(&s->halo, a, s->room[room]);
	return gt_halo_begin(&s->halo, s->room[room]);
}

static void *adds(const struct state *s, const gt_array *a, int room)
{
	if (!a || !s->shares)
		return a ? a->data : NULL;
	gt_fill(0, s->room[room]);
	return gt_halo_begin(&s->halo, s->room[room]);
}

static void added(const struct state *s, gt_array *a, int room)
{
	if (a && s->shares)
		gt_halo_add(&s->halo, s->room[room], a);
}

/* A rank without slices adds 0. */
static void sums(const struct state *s, const gt_array *x, const gt_array *p, double a, double *first, double *curvature)
{
	const void *X = reads(s, x, ROOM_X), *P = p ? reads(s, p, ROOM_P) : NULL;
	if (s->voxels) {
		s->impl->sums(s->be, &s->plan, s->type, X, P, a, first, curvature);
	} else {
		*first = 0;
		if (curvature)
			*curvature = 0;
	}
	gt_team_join_later(s->be, first);
	if (curvature)
		gt_team_join_later(s->be, curvature);
}

static void value_async(void *self, const gt_array *x, double *value)
{
	const struct state *s = self;
	*value = NAN;
	if (ours(s, x))
		sums(s, x, NULL, 0, value, NULL);
}

static double value(void *self, const gt_array *x)
{
	double sum;
	value_async(self, x, &sum);
	gt_reductions_wait(((const struct state *)self)->be);
	return sum;
}

static void gradient(void *self, const gt_array *x, gt_array *g, gt_array *d)
{
	const struct state *s = self;
	if (!ours(s, x) || !ours(s, g) || (d && !ours(s, d)))
		return;
	const void *X = reads(s, x, ROOM_X);
	void *G = adds(s, g, ROOM_G), *D = adds(s, d, ROOM_D);
	if (s->voxels)
		s->impl->gradient(s->be, &s->plan, s->type, X, G, D);
	added(s, g, ROOM_G);
	added(s, d, ROOM_D);
}

static void majorize(void *self, gt_array *d)
{
	const struct state *s = self;
	if (!ours(s, d))
		return;
	void *D = adds(s, d, ROOM_D);
	if (s->voxels)
		s->impl->majorize(s->be, &s->plan, s->type, D);
	added(s, d, ROOM_D);
}

static void line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	const struct state *s = self;
	*slope = *curvature = NAN;
	if (ours(s, x) && ours(s, p))
		sums(s, x, p, a, slope, curvature);
	gt_reductions_wait(s->be);
}

static struct gt_tv_dual dual(const struct state *s, int which)
{
	struct gt_tv_dual d;
	for (int a = 0; a < 3; a++)
		d.a[a] = s->dual[which % 3][a]->data;
	return d;
}

/* Fetches the dual of the halo slices, 0 outside the volume. */
static void refresh_dual(const struct state *s)
{
	if (!s->shares)
		return;
	gt_halo_refresh(&s->halo, s->dual[s->now], 3);
	for (int a = 0; a < 3 && !s->halo.below; a++) {
		gt_array below = gt_array_at(s->be, s->type, s->halo.plane, s->dual[s->now][a]->data);
		gt_fill(0, &below);
	}
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	struct state *s = self;
	struct gt_tv_step step = { .tau = t * s->plan.strength, .lo = lo, .hi = hi };
	if (!ours(s, z) || !ours(s, x))
		return;
	if (!(t >= 0) || !isfinite(step.tau) || !(lo <= hi)) {
		gt_backend_fail(s->be,
		                gt_fail(GT_ERR_ARG, "tv: proximal step of %g between %g and %g: expected one of 0 or more, bounds in order",
		                        t, lo, hi));
		return;
	}
	if (s->shares)
		gt_halo_fetch(&s->halo, z, s->room[ROOM_X]);
	refresh_dual(s);
	const struct gt_tv_plan *plan = s->shares ? &s->prox_plan : &s->plan;
	const void *Z = s->shares ? s->room[ROOM_X]->data : z->data;
	double momentum = 1;
	step.step = 1 / (step.tau * s->norm2);
	for (int k = 0; k < s->inner && isfinite(step.step); k++) {
		const struct gt_tv_dual p = dual(s, s->now), old = k ? dual(s, s->now + 2) : p, out = dual(s, s->now + 1);
		if (s->voxels)
			s->impl->dual(s->be, plan, s->type, &step, Z, &p, &old, &out);
		s->now = (s->now + 1) % 3;
		refresh_dual(s);
		step.ahead = gt_momentum_ahead(&momentum);
	}
	const struct gt_tv_dual p = dual(s, s->now);
	step.ahead = 0;
	if (s->voxels)
		s->impl->primal(s->be, plan, s->type, &step, Z, &p, s->shares ? s->room[ROOM_P]->data : x->data);
	if (s->shares)
		gt_halo_take(&s->halo, s->room[ROOM_P], x);
}

/* p alone: a proximal step starts without momentum. */
static size_t state(void *self, gt_state_entry *list)
{
	static const char *const names[] = { "tv_dual_x", "tv_dual_y", "tv_dual_z" };
	const struct state *s = self;
	for (int a = 0; a < 3; a++)
		list[a] = (gt_state_entry){ names[a], s->shares ? s->kept[s->now][a] : s->dual[s->now][a], NULL };
	return 3;
}

static void release(void *self)
{
	struct state *s = self;
	for (int k = 0; k < 9; k++)
		gt_array_free(s->dual[k / 3][k % 3]);
	for (int k = 0; k < 9; k++)
		gt_array_free(s->kept[k / 3][k % 3]);
	for (int k = 0; k < 4; k++)
		gt_array_free(s->room[k]);
	if (s->has_scratch)
		gt_scratch_release(s->be);
	free(s);
}

#define WITHOUT_PROX \
	.name = "tv", .value = value, .gradient = gradient, .majorize = majorize, .line = line, .free = release, .value_async = value_async
static const struct gt_penalty_ops ops = { WITHOUT_PROX, .prox = prox, .state = state }, ops_without_prox = { WITHOUT_PROX };

static void fill_plan(struct state *s, const gt_grid *grid, const struct options *o)
{
	s->plan = (struct gt_tv_plan){ .strength = o->strength, .eps = o->smooth, .anisotropic = o->kind };
	s->plan.end = grid->n[2];
	for (int a = 0; a < 3; a++) {
		s->plan.n[a] = grid->n[a];
		s->plan.w[a] = o->along[a] * grid->pitch[0] / grid->pitch[a];
		/* Along one axis D'D has the eigenvalues 4 w^2 sin^2(pi k/2n), k < n. */
		const double max = grid->n[a] > 1 ? 2 * s->plan.w[a] * cos(GT_PI / (2 * (double)grid->n[a])) : 0;
		s->norm2 += max * max;
	}
}

/* Sets up local slices and halo. */
static gt_status share(struct state *s, const gt_grid *grid)
{
	gt_status st = GT_OK;
	s->shares = 1;
	gt_halo_open(&s->halo, s->be, s->type, grid, 1);
	s->halo.lead = 1;
	s->voxels = s->halo.own.n * s->halo.plane;
	s->plan.n[2] = gt_halo_slices(&s->halo);
	gt_halo_counts(&s->halo, &s->plan.from, &s->plan.end);
	s->prox_plan = s->plan;
	s->prox_plan.n[2] = 1 + s->halo.own.n + s->halo.above;
	for (int i = 0; i < 4; i++)
		GT_TRY(gt_halo_room(&s->halo, 1, &s->room[i]));
done:
	return st;
}

/* In a team, allocates local slices and halo. */
static gt_status dual_new(const struct state *s, gt_array **a, gt_array **kept)
{
	gt_status st = s->shares ? gt_halo_room(&s->halo, 1, a) : gt_array_new(s->be, s->type, s->voxels, a);
	if (s->shares)
		return st == GT_OK ? gt_halo_shared(&s->halo, *a, 0, kept) : st;
	if (st == GT_OK)
		gt_fill(0, *a);
	return st;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const struct options *o = options;
	gt_status st = GT_OK;
	if (kappa)
		return gt_fail(GT_ERR_UNSUPPORTED, "tv: no weights per voxel (kappa): expected none, or a penalty on pairs of voxels");
	struct state *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'tv'");
	s->be = be;
	s->type = type;
	s->voxels = gt_grid_voxels(grid);
	s->inner = o->inner;
	s->impl = gt_backend_is_gpu(be) ? GT_IF_CUDA(&gt_tv_cuda) : &gt_tv_cpu;
	fill_plan(s, grid, o);
	if (gt_ranks(be) > 1)
		GT_TRY(share(s, grid));
	for (int k = 0; k < 9 && s->inner; k++)
		GT_TRY(dual_new(s, &s->dual[k / 3][k % 3], &s->kept[k / 3][k % 3]));
	GT_TRY(gt_scratch_reserve(be, s->impl->scratch(be, s->shares ? &s->prox_plan : &s->plan, type), "sums of total variation"));
	s->has_scratch = 1;
done:
	if (st == GT_OK)
		return gt_penalty_new(s->inner ? &ops : &ops_without_prox, s, be, type, gt_grid_voxels(grid), 1, R);
	release(s);
	return st;
}

const gt_regularizer gt_regularizer_tv = {
	.name = "tv",
	.about = "total variation: piecewise constant volumes; for solvers with proximal steps, smoothed for others",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
};
