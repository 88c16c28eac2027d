/* Adaptive-weighted total variation: Liu, Ma, Fan, Liang, Phys. Med. Biol. 57 (2012) 7923.
 *    R(u) = strength sum_v ( sqrt( sum_a d_a^2 exp(-(d_a/delta)^2) + smooth^2 ) - smooth )
 * with d_a the difference to the next voxel along axis a, divided by its pitch relative to that of x. Differences
 * well above delta have almost no weight, so strong edges cost almost nothing and R is not convex.
 * The paper takes the weights from the previous image; here they are part of R, and the gradient is exact. Memory:
 * none. */
#include <stddef.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/pass_params.h"
#include "regularizers/smooth_prior.h"

struct options {
	double strength, delta, smooth;
};
static const struct options defaults = { .strength = 1, .delta = GT_MU_WATER / 50, .smooth = GT_MU_WATER / 1000 };
static const gt_param params[] = {
	GT_PARAM_STRENGTH(struct options),
	GT_PARAM_MU(struct options, delta, "difference above which edges cost less and less"),
	GT_PARAM_MU(struct options, smooth, "gradients below this count as quadratic"),
	{ .key = NULL },
};

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	static const struct gt_smooth_passes passes = { GT_PASS_awtv_value, GT_PASS_awtv_gradient, GT_PASS_awtv_majorize,
		                                        GT_PASS_awtv_line };
	const struct options *o = options;
	struct gt_pass_call call = { .k = { 0 } };
	struct gt_site site;
	gt_status st = GT_OK;
	GT_TRY(gt_no_kappa("awtv", kappa));
	gt_pass_call_set(&call, grid, o->strength);
	call.k[GT_PASS_OWN] = o->smooth;
	call.k[GT_PASS_OWN + 1] = 1 / (o->delta * o->delta);
	GT_TRY(gt_site_open(&site, "awtv", be, type, grid));
	return gt_smooth_prior_new(&site, &passes, &call, 0, NULL, R);
done:
	return st;
}

const gt_regularizer gt_regularizer_awtv = {
	.name = "awtv",
	.about = "adaptive-weighted total variation: edges above delta cost less and less; not convex",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.neighbours_only = 1,
};
