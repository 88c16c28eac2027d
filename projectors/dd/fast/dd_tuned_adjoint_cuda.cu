/* Tuned variants of the distance-driven adjoint: choice for an operator, check against the problem, and launch. The
 * kernel dd_adjoint.cuh, compiled by core/variant, defines the search space. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/blocks.cuh"
#include "core/variant/variant.h"
#include "projectors/dd/fast/dd_adjoint.cuh"
#include "projectors/dd/fast/dd_tuned.cuh"

struct gt_dd_tuned_back {
	gt_dd_strip strip;
	gt_variant *kernel;
};

static const gt_variant_number numbers[] = {
	{ "EDGES", 1, 4, 1 },      { "STRIP", 4, 16, 1 }, { "SLOT", 4096, 1 << 17, 0 }, { "SLOTS", 2, 8, 0 }, { "BLOCKS", 1, 7, 0 },
	{ "FILL", 1, 1 << 20, 1 }, { NULL, 0, 0, 0 },
};
static const gt_variant_family family = { "dd-back", "projectors/dd/fast/dd_adjoint.cuh", "GT_DD_ADJOINT_", numbers };
enum { NUMBERS = sizeof numbers / sizeof *numbers - 1 };
static_assert(sizeof(gt_dd_strip) == NUMBERS * sizeof(int), "a name for each number of a strip");

extern "C" void gt_dd_tuned_back_free(gt_dd_tuned_back *u)
{
	if (u)
		gt_variant_free(u->kernel);
	free(u);
}

extern "C" const gt_dd_strip *gt_dd_tuned_back_strip(const gt_dd_tuned_back *u) { return &u->strip; }

static gt_status compile(const gt_dd *d, gt_dd_tuned_back *u)
{
	const gt_dd_strip *s = &u->strip;
	char instance[64], slot_fine[48], slot[48], slots[48], blocks[48];
	snprintf(slot, sizeof slot, "-DGT_DD_ADJOINT_SLOT=%d", s->slot);
	snprintf(slot_fine, sizeof slot_fine, "-DGT_DD_ADJOINT_SLOT_FINE=%d", s->slot);
	snprintf(slots, sizeof slots, "-DGT_DD_ADJOINT_SLOTS=%d", s->slots);
	snprintf(blocks, sizeof blocks, "-DGT_DD_ADJOINT_BLOCKS=%d", s->blocks);
	snprintf(instance, sizeof instance, "adjoint_kernel<%d,%d,%d>", s->strip, s->edges, gt_dd_adjoint_form(d));
	const char *const macros[] = { slot, slot_fine, slots, blocks, NULL };
	const gt_variant_code code = { family.source, instance, macros, NULL };
	return gt_variant_new(&code, (size_t)s->slot * s->slots, &u->kernel);
}

static gt_status make_variant(const gt_dd *d, const gt_dd_fast *f, const gt_dd_strip *strip, gt_dd_tuned_back *u)
{
	gt_dd_fast as_tuned = *f;
	as_tuned.back = u;
	u->strip = *strip;
	if (strip->slot % 128 || (strip->strip & (strip->strip - 1)))
		return gt_fail(GT_ERR_UNSUPPORTED, "dd-back: expected a SLOT in multiples of 128 bytes, a STRIP of 4, 8 or 16");
	if (!gt_dd_fast_adjoint_fits(d, &as_tuned))
		return gt_fail(GT_ERR_UNSUPPORTED, "dd-back: a column of this problem does not fit into a SLOT of %d bytes", strip->slot);
	return compile(d, u);
}

extern "C" gt_status gt_dd_tuned_back_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned_back **out)
{
	gt_dd_strip strip = gt_dd_adjoint_strip(d, f);
	int value[NUMBERS], found = GT_VARIANT_NONE;
	char about[256];
	*out = NULL;
	memcpy(value, &strip, sizeof value);
	gt_dd_tuned_describe(d, f, about, sizeof about);
	gt_status st = gt_variant_choose(&family, about, value, &found);
	gt_dd_tuned_back *u = st == GT_OK && found ? (gt_dd_tuned_back *)calloc(1, sizeof *u) : NULL;
	if (!u)
		return st == GT_OK && found ? gt_fail(GT_ERR_MEMORY, "no memory for a variant of dd-back") : st;
	memcpy(&strip, value, sizeof value);
	if ((st = make_variant(d, f, &strip, u)) == GT_OK)
		*out = u;
	else
		gt_dd_tuned_back_free(u);
	return gt_variant_settle(&family, value, found, st);
}

cudaError_t gt_dd_tuned_back_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks)
{
	gt_dd grid = *d;
	gt_dd_fast fast = *f;
	struct job job = *j;
	void *arguments[] = { &grid, &fast, &job };
	const gt_variant_grid g = { blocks, { THREADS, 1 }, j->early, queue };
	return (cudaError_t)gt_variant_launch(f->back->kernel, &g, arguments);
}
