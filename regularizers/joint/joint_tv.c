/* Joint total variation of several volumes on one grid, which aligns their edges:
 *    R(u) = strength sum over voxels of |J|
 * The matrix J holds the forward differences along three axes (as in tv) of all volumes. With kind=vector |J| is the
 * Frobenius norm (Blomgren, Chan, IEEE Trans. Image Process. 7 (1998) 304).
 * kind=nuclear: the sum of the singular values, which also aligns the gradients of all volumes (Holt, IEEE Trans.
 * Image Process. 23 (2014) 3975). For one volume both equal tv.
 * prox() is fast gradient projection on the dual: Beck and Teboulle, IEEE Trans. Image Process. 18 (2009) 2419, with
 * the projection on matrices of Frobenius (spectral) norm at most 1. The dual is stored between calls.
 *
 * Memory: 7 numbers per voxel of every volume, in a team 8. */
#include <math.h>
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/momentum.h"
#include "regularizers/pass_params.h"
#include "regularizers/smooth_prior.h"

static const char *const kinds[] = { "vector", "nuclear", NULL };

struct options {
	double strength;
	int kind, inner;
};
static const struct options defaults = { .strength = 1, .kind = 0, .inner = 30 };
static const gt_param params[] = {
	GT_PARAM_STRENGTH(struct options),
	{ .key = "kind",
	  .help = "length of all gradients, or the sum of the singular values of their matrix",
	  .kind = GT_CHOICE,
	  .at = offsetof(struct options, kind),
	  .names = kinds },
	GT_PARAM_INT(struct options, inner, "iterations of a proximal step", 1, 1e6),
	{ .key = NULL },
};

struct state {
	struct gt_site site; /* one volume */
	struct gt_pass_call call;
	double strength, norm2; /* |D|^2 */
	size_t volumes;
	int inner;
	gt_array *u, *p, *r, *given; /* buffers of the site; given: in a team the input with its halo */
	gt_array *kept;              /* state of p */
};

/* Like gt_site_fits(), for all volumes. */
static int fits(const struct state *s, const gt_array *a)
{
	struct gt_site all = s->site;
	all.voxels *= s->volumes;
	return gt_site_fits(&all, a);
}

static void value_async(void *self, const gt_array *x, double *value)
{
	const struct state *s = self;
	struct gt_pass_call call = s->call;
	*value = NAN;
	if (!fits(s, x))
		return;
	call.a[0] = gt_site_reads(&s->site, x, s->given);
	gt_site_run(&s->site, GT_PASS_joint_value, &call, value, NULL);
}

static double value(void *self, const gt_array *x)
{
	double sum;
	value_async(self, x, &sum);
	gt_reductions_wait(((const struct state *)self)->site.be);
	return sum;
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	const struct state *s = self;
	struct gt_pass_call call = s->call;
	double *k = call.k + GT_PASS_OWN, momentum = 1;
	if (!fits(s, z) || !fits(s, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	k[2] = t * s->strength;
	k[3] = 1 / (k[2] * s->norm2);
	k[5] = lo;
	k[6] = hi;
	call.a[0] = gt_site_reads(&s->site, z, s->given);
	gt_copy(s->p, s->r);
	gt_site_refresh(&s->site, &s->r, 1);
	for (int i = 0; i < s->inner && isfinite(k[3]); i++) {
		const double ahead = gt_momentum_ahead(&momentum);
		k[4] = i + 1 < s->inner ? ahead : 0;
		gt_site_run(&s->site, GT_PASS_joint_primal, &call, NULL, NULL);
		gt_site_refresh(&s->site, &s->u, 1);
		gt_site_run(&s->site, GT_PASS_joint_dual, &call, NULL, NULL);
		gt_site_refresh(&s->site, &s->r, 1);
	}
	call.a[1] = gt_site_writes(&s->site, x, s->u);
	gt_site_run(&s->site, GT_PASS_joint_primal, &call, NULL, NULL);
	gt_site_take(&s->site, s->u, x);
}

static size_t state(void *self, gt_state_entry *list)
{
	const struct state *s = self;
	list[0] = (gt_state_entry){ "joint_tv_dual", s->kept, NULL };
	return 1;
}

static void release(void *self)
{
	struct state *s = self;
	gt_array_free(s->kept);
	gt_array_free(s->given);
	gt_array_free(s->u);
	gt_array_free(s->p);
	gt_array_free(s->r);
	gt_site_close(&s->site);
	free(s);
}

static const struct gt_penalty_ops ops = {
	.name = "joint-tv", .value_async = value_async, .value = value, .prox = prox, .state = state, .free = release
};

static gt_status fill(struct state *s, const gt_grid *grid)
{
	gt_status st = GT_OK;
	for (int a = 0; a < 3; a++)
		s->norm2 += grid->n[a] > 1 ? 4 * s->call.k[GT_PASS_W + a] * s->call.k[GT_PASS_W + a] : 0;
	GT_TRY(gt_site_room(&s->site, s->volumes, &s->u));
	GT_TRY(gt_site_room(&s->site, 3 * s->volumes, &s->p));
	GT_TRY(gt_site_room(&s->site, 3 * s->volumes, &s->r));
	GT_TRY(gt_site_kept(&s->site, s->p, 0, &s->kept));
	if (s->site.shares)
		GT_TRY(gt_site_room(&s->site, s->volumes, &s->given));
	s->call.a[1] = s->u->data;
	s->call.a[2] = s->p->data;
	s->call.a[3] = s->r->data;
done:
	return st;
}

static gt_status make_joint(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, const void *options, gt_penalty **R)
{
	const struct options *o = options;
	gt_status st = GT_OK;
	struct state *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'joint-tv'");
	s->strength = o->strength;
	s->volumes = volumes;
	s->inner = o->inner;
	gt_pass_call_set(&s->call, grid, o->strength);
	s->call.k[GT_PASS_OWN] = (double)volumes;
	s->call.k[GT_PASS_OWN + 1] = o->kind;
	GT_TRY(gt_site_open(&s->site, "joint-tv", be, type, grid));
	GT_TRY(fill(s, grid));
done:
	if (st == GT_OK)
		return gt_penalty_new(&ops, s, be, type, volumes * gt_grid_voxels(grid), 1, R);
	release(s);
	return st;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const gt_status st = gt_no_kappa("joint-tv", kappa);
	return st == GT_OK ? make_joint(be, type, grid, 1, options, R) : st;
}

const gt_regularizer gt_regularizer_joint_tv = {
	.name = "joint-tv",
	.about = "total variation of several volumes, with edges in the same places; gantry recon and denoise take them",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.make_joint = make_joint,
	.no_automatic_strength = 1,
};
