/* Non-local means: Buades, Coll, Morel, Multiscale Model. Simul. 4 (2005) 490.
 *    N(z)_j = sum_k w_jk z_k / sum_k w_jk,   w_jk = exp(-|P_j z - P_k z|^2/(h^2 |P|))
 * over the k in the search window, with P_j z the patch around voxel j and |P| its number of voxels. Border voxels
 * are repeated outside the volume. As a proximal step of any length but 0: (1 - strength) z + strength N(z), within
 * the bounds. It is not the proximal step of any function.
 * Memory: one padded volume; two in a team, whose ranks fetch the slices that their patches reach. */
#include <stdlib.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/pass_params.h"
#include "regularizers/patches.h"

struct options {
	double strength;
	struct gt_patch_options patch;
};
static const struct options defaults = { .strength = 1, .patch = { .search = 5, .patch = 3, .h = GT_MU_WATER / 50 } };
static const gt_param params[] = {
	{ .key = "strength",
	  .help = "share of the average in the result; the rest is what was there",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, strength),
	  .min = 0,
	  .max = 1 },
	{ .key = "h",
	  .help = "root mean square difference of similar patches: about the noise",
	  .kind = GT_MU,
	  .at = offsetof(struct options, patch.h),
	  .min = 1e-9,
	  .max = 1e6 },
	{ .key = "search",
	  .help = "voxels along an edge of the search, odd",
	  .kind = GT_INT,
	  .at = offsetof(struct options, patch.search),
	  .min = 1,
	  .max = 21 },
	{ .key = "patch",
	  .help = "voxels along an edge of a patch, odd",
	  .kind = GT_INT,
	  .at = offsetof(struct options, patch.patch),
	  .min = 1,
	  .max = 9 },
	{ .key = NULL },
};

struct state {
	struct gt_site site;
	struct gt_pass_call call;
	gt_array *padded, *given; /* given: in a team, with the halo */
};

/* Unknown: a denoiser adds no value to the cost. */
static double value(void *self, const gt_array *x)
{
	(void)self, (void)x;
	return 0;
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	const struct state *s = self;
	struct gt_pass_call call = s->call;
	if (!gt_site_fits(&s->site, z) || !gt_site_fits(&s->site, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	gt_patch_pad(&s->site, &call, gt_site_reads(&s->site, z, s->given), s->padded);
	call.a[0] = s->padded->data;
	call.a[1] = gt_site_writes(&s->site, x, s->given);
	call.k[GT_PASS_OWN + 4] = t > 0 ? call.k[GT_PASS_STRENGTH] : 0;
	call.k[GT_PASS_OWN + 5] = lo;
	call.k[GT_PASS_OWN + 6] = hi;
	gt_site_run(&s->site, GT_PASS_nlm_average, &call, NULL, NULL);
	gt_site_take(&s->site, s->given, x);
}

static void release(void *self)
{
	struct state *s = self;
	gt_array_free(s->padded);
	gt_array_free(s->given);
	gt_site_close(&s->site);
	free(s);
}

static const struct gt_penalty_ops ops = { .name = "nlm", .value = value, .prox = prox, .free = release };

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const struct options *o = options;
	struct state *s = NULL;
	gt_status st = gt_no_kappa("nlm", kappa);
	GT_TRY(st);
	GT_TRY(gt_patch_check("nlm", &o->patch));
	if (!(s = calloc(1, sizeof *s)))
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'nlm'");
	s->call.k[GT_PASS_STRENGTH] = o->strength;
	gt_patch_call_set(&s->call, &o->patch);
	GT_TRY(gt_site_open_wide(&s->site, "nlm", be, type, grid, gt_patch_reach(&o->patch)));
	if (s->site.shares)
		GT_TRY(gt_site_room(&s->site, 1, &s->given));
	GT_TRY(gt_patch_room(&s->site, &s->call, &s->padded));
	return gt_penalty_new(&ops, s, be, type, gt_grid_voxels(grid), 0, R);
done:
	if (s)
		release(s);
	return st;
}

const gt_regularizer gt_regularizer_nlm = {
	.name = "nlm",
	.about = "non-local means, a denoiser: averages of similar patches; for gantry denoise and solvers with proximal steps",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.no_automatic_strength = 1, /* strength is a fraction */
};
