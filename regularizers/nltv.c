/* Non-local total variation: Gilboa, Osher, Multiscale Model. Simul. 7 (2008) 1005; in pairwise form with weights
 * from an image, as Lou, Zhang, Osher, Bertozzi, J. Sci. Comput. 42 (2010) 185.
 *    R(x) = strength/W sum over pairs {j, k} of w_jk (sqrt((x_j - x_k)^2 + smooth^2) - smooth)
 *    w_jk = exp(-|P_j y - P_k y|^2/(h^2 |P|))
 * over the k in the search window around j, W of them, with the patches P of the prior image y. It draws voxels with
 * similar patches in y together, independent of their distance.
 * Memory: one padded volume; in a team four more, with the slices that patches reach. */
#include <math.h>
#include <stddef.h>
#include <gantry/regularizer.h>
#include "core/try.h"
#include "regularizers/pass_params.h"
#include "regularizers/patches.h"
#include "regularizers/prior_image.h"
#include "regularizers/smooth_prior.h"

struct options {
	double strength, smooth, h;
	int search, patch;
	char prior[GT_PARAM_TEXT];
};
static const struct options defaults = { .strength = 1, .smooth = GT_MU_WATER / 1000, .h = GT_MU_WATER / 50, .search = 5, .patch = 3 };
static const gt_param params[] = {
	GT_PARAM_STRENGTH(struct options),
	GT_PARAM_FILE(struct options, prior, "prior image whose patches define similarity"),
	GT_PARAM_MU(struct options, h, "root mean square difference of similar patches: about the noise of the prior image"),
	GT_PARAM_MU(struct options, smooth, "differences below this count as quadratic"),
	GT_PARAM_INT(struct options, search, "voxels along an edge of the search, odd", 1, 21),
	GT_PARAM_INT(struct options, patch, "voxels along an edge of a patch, odd", 1, 9),
	{ .key = NULL },
};

/* Counts the neighbours of an inner voxel. */
static double neighbours(const gt_grid *grid, int search)
{
	double n = 1;
	for (int a = 0; a < 3; a++)
		n *= grid->n[a] > 1 ? search : 1;
	return n > 1 ? n - 1 : 1;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	static const struct gt_smooth_passes passes = { GT_PASS_nltv_value, GT_PASS_nltv_gradient, GT_PASS_nltv_majorize,
		                                        GT_PASS_nltv_line };
	const struct options *o = options;
	const struct gt_patch_options patch = { .search = o->search, .patch = o->patch, .h = o->h };
	struct gt_pass_call call = { .k = { 0 } };
	struct gt_site site = { .open = 0 };
	gt_array *image = NULL, *given = NULL, *padded = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_no_kappa("nltv", kappa));
	GT_TRY(gt_patch_check("nltv", &patch));
	GT_TRY(gt_prior_image_read("penalty nltv: prior", o->prior, -INFINITY, be, type, grid, &image));
	gt_pass_call_set(&call, grid, o->strength / neighbours(grid, o->search));
	gt_patch_call_set(&call, &patch);
	call.k[GT_PASS_OWN + 4] = o->smooth;
	GT_TRY(gt_site_open_wide(&site, "nltv", be, type, grid, gt_patch_reach(&patch)));
	if (site.shares)
		GT_TRY(gt_site_room(&site, 1, &given));
	GT_TRY(gt_patch_room(&site, &call, &padded));
	gt_patch_pad(&site, &call, gt_site_reads(&site, image, given), padded);
	call.a[4] = padded->data;
	gt_array_free(image);
	gt_array_free(given);
	return gt_smooth_prior_new(&site, &passes, &call, 1, padded, R);
done:
	gt_array_free(image);
	gt_array_free(given);
	gt_site_close(&site);
	return st;
}

const gt_regularizer gt_regularizer_nltv = {
	.name = "nltv",
	.about = "non-local total variation: draws voxels with similar patches in a prior image together",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.no_automatic_strength = 1, /* the local noise depends on the prior image */
};
