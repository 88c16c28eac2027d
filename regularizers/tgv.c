/* Total generalised variation of second order: Bredies, Kunisch, Pock, SIAM J. Imaging Sci. 3 (2010) 492.
 *    R(u) = strength min over v of sum |D u - v| + ratio sum |E v|
 * D are forward differences, E symmetrised backward differences. Both are divided by the pitch of their axis relative
 * to that of x; |E v| counts off-diagonal entries twice. If v equals the gradient, only its curvature costs, which
 * avoids the staircasing of tv.
 * The function prox() is exact, by the primal-dual method of Chambolle and Pock, J. Math. Imaging Vis. 40 (2011) 120,
 * algorithm 1. With tau = t strength it solves
 *    |u - z|^2/(2 tau) + max over |p| <= 1, |q| <= ratio of <p, D u - v> + <q, E v>
 * with primal step tau `step` and dual step 1/(tau step |K|^2): u and v first, then p and q from the extrapolated u
 * and v. v, p and q are stored between calls; u starts and ends as P(z - tau D'p).
 * value() uses the v of the last call, initially 0, and is an upper bound of R.
 *
 * In a team ranks fetch a slice below and above before each half of an inner iteration. This happens twice per
 * iteration, with 13 numbers per voxel of a slice each way.
 *
 * Memory: 17 numbers per voxel, in a team 18. An inner iteration is two passes: 22 numbers per voxel read and written
 * in each (88 bytes in single).
 * On CUDA 26 numbers, because u, v, p and q are double-buffered, and one pass: 27 numbers per voxel. With lean=yes,
 * in a team, or on a device with little shared memory: 17 and two passes. */
#include <math.h>
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/pass_params.h"
#include "regularizers/smooth_prior.h"
#include "regularizers/tgv.h"

struct options {
	double strength, ratio, step;
	int inner, lean;
};
static const struct options defaults = { .strength = 1, .ratio = 2, .step = 0.2, .inner = 40 };
static const gt_param params[] = {
	GT_PARAM_STRENGTH(struct options),
	{ .key = "ratio",
	  .help = "cost of bending, in that of a gradient, per voxel along x",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, ratio),
	  .min = 1e-3,
	  .max = 1e6 },
	{ .key = "step",
	  .help = "length of its steps: long ones are soon near the result, short ones come nearer in the end",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, step),
	  .min = 1e-3,
	  .max = 1e3 },
	GT_PARAM_INT(struct options, inner, "iterations of a proximal step", 1, 1e6),
	{ .key = "lean",
	  .help = "GPU: two passes for one, with 17 numbers per voxel in place of 26",
	  .kind = GT_FLAG,
	  .at = offsetof(struct options, lean) },
	{ .key = NULL },
};

struct state {
	struct gt_site site;
	double strength, step, norm2; /* norm2: |K|^2 */
	struct gt_pass_call call;
	int inner;
	const struct gt_tgv_impl *impl; /* NULL: two passes */
	int now;                        /* x[now] and dual[now] are the iterate; without impl x[1] is the extrapolated point */
	gt_array *x[2], *dual[2];       /* u v; p q: buffers of the site */
	gt_array *v[2], *kept[2];       /* their state of a run */
	gt_array *given;                /* in a team the input with its halo */
};

static void value_async(void *self, const gt_array *x, double *value)
{
	const struct state *s = self;
	struct gt_pass_call call = s->call;
	*value = NAN;
	if (!gt_site_fits(&s->site, x))
		return;
	call.a[1] = s->x[s->now]->data;
	call.a[4] = gt_site_reads(&s->site, x, s->given);
	gt_site_refresh(&s->site, &s->x[s->now], 1);
	gt_site_run(&s->site, GT_PASS_tgv_value, &call, value, NULL);
}

static double value(void *self, const gt_array *x)
{
	double sum;
	value_async(self, x, &sum);
	gt_reductions_wait(((const struct state *)self)->site.be);
	return sum;
}

static void iterate(struct state *s, struct gt_pass_call *call)
{
	if (!s->impl) {
		gt_site_run(&s->site, GT_PASS_tgv_primal, call, NULL, NULL);
		gt_site_refresh(&s->site, &s->x[1], 1);
		gt_site_run(&s->site, GT_PASS_tgv_dual, call, NULL, NULL);
		gt_site_refresh(&s->site, &s->dual[0], 1);
		return;
	}
	call->a[5] = s->x[!s->now]->data;
	call->a[6] = s->dual[!s->now]->data;
	if (!s->site.be->dry_run)
		s->impl->step(s->site.be, s->site.type, s->site.n, call);
	s->now = !s->now;
	call->a[1] = call->a[5];
	call->a[3] = call->a[6];
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	struct state *s = self;
	struct gt_pass_call call = s->call;
	double *k = call.k + GT_PASS_OWN;
	if (!gt_site_fits(&s->site, z) || !gt_site_fits(&s->site, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	const double tau = t * s->strength, sigma = 1 / (tau * s->step * s->norm2);
	k[0] = tau;
	k[1] = tau * s->step;
	k[2] = s->step;
	k[3] = sigma;
	k[5] = lo;
	k[6] = hi;
	k[7] = 1 / (1 + k[2]);
	call.a[0] = gt_site_reads(&s->site, z, s->given);
	call.a[1] = s->x[s->now]->data;
	call.a[3] = s->dual[s->now]->data;
	call.a[4] = s->x[s->now]->data;
	gt_site_refresh(&s->site, &s->dual[s->now], 1);
	gt_site_run(&s->site, GT_PASS_tgv_from_dual, &call, NULL, NULL);
	for (int i = 0; i < s->inner && isfinite(sigma); i++)
		iterate(s, &call);
	call.a[4] = gt_site_writes(&s->site, x, s->given);
	gt_site_run(&s->site, GT_PASS_tgv_from_dual, &call, NULL, NULL);
	gt_site_take(&s->site, s->given, x);
}

static size_t state(void *self, gt_state_entry *list)
{
	const struct state *s = self;
	list[0] = (gt_state_entry){ "tgv_field", s->v[s->now], NULL };
	list[1] = (gt_state_entry){ "tgv_dual", s->kept[s->now], NULL };
	return 2;
}

static void release(void *self)
{
	struct state *s = self;
	for (int i = 0; i < 2; i++) {
		gt_array_free(s->v[i]);
		gt_array_free(s->kept[i]);
		gt_array_free(s->x[i]);
		gt_array_free(s->dual[i]);
	}
	gt_array_free(s->given);
	gt_site_close(&s->site);
	free(s);
}

static const struct gt_penalty_ops ops = {
	.name = "tgv", .value = value, .prox = prox, .free = release, .state = state, .value_async = value_async
};

/* Returns the largest eigenvalue of [[|D|^2 + 1, |E|], [|E|, |E|^2]], which bounds that of KK'. Neither |D|^2 nor
 * |E|^2 exceeds 4 sum of w^2. */
static double norm2(const struct gt_pass_call *call, const size_t *n)
{
	double d2 = 0;
	for (int a = 0; a < 3; a++)
		d2 += n[a] > 1 ? 4 * call->k[GT_PASS_W + a] * call->k[GT_PASS_W + a] : 0;
	const double trace = 2 * d2 + 1, det = d2 * d2;
	return (trace + sqrt(trace * trace - 4 * det)) / 2;
}

static gt_status fill(struct state *s)
{
	gt_status st = GT_OK;
	for (int i = 0; i < 2; i++) {
		GT_TRY(gt_site_room(&s->site, 4, &s->x[i]));
		GT_TRY(gt_site_kept(&s->site, s->x[i], 1, &s->v[i]));
		if (i && !s->impl)
			continue;
		GT_TRY(gt_site_room(&s->site, 9, &s->dual[i]));
		GT_TRY(gt_site_kept(&s->site, s->dual[i], 0, &s->kept[i]));
	}
	if (s->site.shares)
		GT_TRY(gt_site_room(&s->site, 1, &s->given));
	s->call.a[2] = s->x[1]->data;
done:
	return st;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const struct options *o = options;
	struct state *s = NULL;
	gt_status st = gt_no_kappa("tgv", kappa);
	GT_TRY(st);
	if (!(s = calloc(1, sizeof *s)))
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'tgv'");
	s->strength = o->strength;
	s->step = o->step;
	s->inner = o->inner;
	gt_pass_call_set(&s->call, grid, o->strength);
	s->call.k[GT_PASS_OWN + 4] = o->ratio;
	s->norm2 = norm2(&s->call, grid->n);
	GT_TRY(gt_site_open(&s->site, "tgv", be, type, grid));
	s->impl = gt_backend_is_gpu(be) && !o->lean && !s->site.shares ? GT_IF_CUDA(&gt_tgv_cuda) : NULL;
	if (s->impl && !s->impl->fits(type))
		s->impl = NULL;
	GT_TRY(fill(s));
	return gt_penalty_new(&ops, s, be, type, gt_grid_voxels(grid), 1, R);
done:
	if (s)
		release(s);
	return st;
}

const gt_regularizer gt_regularizer_tgv = {
	.name = "tgv",
	.about = "total generalised variation: piecewise linear volumes, slopes without staircasing; for solvers with proximal steps",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.no_automatic_strength = 1, /* the strength search needs a gradient */
};
