/* Padded volumes for penalties that compare patches. */
#include "regularizers/patches.h"

enum { PAD = GT_PASS_OWN, SEARCH, RADIUS, PER_H2 };

gt_status gt_patch_check(const char *name, const struct gt_patch_options *o)
{
	if (o->search % 2 == 0)
		return gt_fail(GT_ERR_ARG, "%s: search=%d: expected an odd number of voxels", name, o->search);
	if (o->patch % 2 == 0)
		return gt_fail(GT_ERR_ARG, "%s: patch=%d: expected an odd number of voxels", name, o->patch);
	return GT_OK;
}

size_t gt_patch_reach(const struct gt_patch_options *o) { return (size_t)(o->search / 2 + o->patch / 2); }

void gt_patch_call_set(struct gt_pass_call *call, const struct gt_patch_options *o)
{
	call->k[PAD] = (double)gt_patch_reach(o);
	call->k[SEARCH] = o->search / 2;
	call->k[RADIUS] = o->patch / 2;
	call->k[PER_H2] = 1 / (o->h * o->h * o->patch * o->patch * o->patch);
}

static void padded_size(const struct gt_site *site, const struct gt_pass_call *call, size_t *n)
{
	for (int a = 0; a < 3; a++)
		n[a] = site->n[a] + 2 * (size_t)call->k[PAD];
}

gt_status gt_patch_room(const struct gt_site *site, const struct gt_pass_call *call, gt_array **padded)
{
	size_t n[3];
	padded_size(site, call, n);
	return gt_array_new(site->be, site->type, n[0] * n[1] * n[2], padded);
}

void gt_patch_pad(const struct gt_site *site, const struct gt_pass_call *call, const void *from, gt_array *padded)
{
	struct gt_pass_call pad = { .a = { (void *)(size_t)from, padded->data } };
	size_t n[3];
	if (!site->n[2]) /* a rank without slices has nothing to repeat */
		return;
	padded_size(site, call, n);
	pad.k[PAD] = call->k[PAD];
	for (int a = 0; a < 3; a++)
		pad.k[GT_PASS_W + a] = (double)site->n[a];
	gt_site_run_on(site, n, GT_PASS_pad, &pad);
}
