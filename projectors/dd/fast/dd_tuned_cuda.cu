/* Tuned variants of the distance-driven forward kernel: choice for an operator, check against the problem, and launch.
 * The kernel dd_forward.cuh, compiled by core/variant, defines the search space. One tile serves all groups of
 * views. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/pieces.cuh"
#include "core/variant/variant.h"
#include "projectors/dd/fast/dd_forward.cuh"
#include "projectors/dd/fast/dd_tuned.cuh"

struct gt_dd_tuned {
	gt_dd_tile tile;
	gt_variant *kernel;
};

static const gt_variant_number numbers[] = {
	{ "ROWS", 1, 8, 1 },     { "LANES", 4, 32, 1 },        { "COLUMNS", 2, 8, 1 }, { "EXTRA", 0, 15, 1 },
	{ "WARPS", 4, 28, 0 },   { "SLOT", 4096, 1 << 17, 0 }, { "SLOTS", 2, 8, 0 },   { "BLOCKS", 1, 8, 0 },
	{ "WHOLE", 16, 512, 0 }, { "FLUSH", 512, 8192, 0 },    { "AHEAD", 0, 1, 1 },   { NULL, 0, 0, 0 },
};
static const gt_variant_family family = { "dd-forward", "projectors/dd/fast/dd_forward.cuh", "GT_DD_FORWARD_", numbers };
enum { NUMBERS = sizeof numbers / sizeof *numbers - 1 };
static_assert(sizeof(gt_dd_tile) == NUMBERS * sizeof(int), "a name for each number of a tile");

/* Checks that the kernel stays within its memory and lanes, also for values from the user's cache. */
static const char *not_legal(const gt_dd_tile *t)
{
	const int tall = t->rows * t->lanes + t->extra;
	if (t->lanes & (t->lanes - 1))
		return "expected rows of 4, 8, 16 or 32 LANES";
	if ((t->columns & (t->columns - 1)) || t->columns * t->lanes < WARP)
		return "expected 2, 4 or 8 COLUMNS, which with the LANES fill a warp";
	if (t->extra > WARP / t->columns - 1)
		return "expected EXTRA rows less than 32 / COLUMNS";
	if (t->warps % GT_DD_GROUP || t->slot % 128)
		return "expected WARPS in fours, and SLOTS in multiples of 128 bytes";
	if ((size_t)tall * (t->warps * t->columns + GT_DD_GROUP) * sizeof(float) > (size_t)t->slot * t->slots)
		return "expected SLOTS that hold the results of a block";
	return NULL;
}

static gt_status compile(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned *u)
{
	const gt_dd_tile *t = &u->tile;
	const int tall = is_tall(t->rows * t->lanes + t->extra), form = !tall && gt_dd_forward_short(d, f, t) ? SHORT : FINE;
	static const char *const macro[] = { "WARPS", "WARPS_TALL", "SLOT",        "SLOT_LOW",      "SLOT_TALL", "SLOT_NARROW",
		                             "SLOTS", "BLOCKS",     "BLOCKS_TALL", "BLOCKS_NARROW", "WHOLE" };
	const int value[] = { t->warps, t->warps, t->slot, t->slot, t->slot, t->slot, t->slots, t->blocks, t->blocks, t->blocks, t->whole };
	enum { MACROS = sizeof macro / sizeof *macro };
	char instance[96], text[MACROS][48];
	const char *macros[MACROS + 1] = { NULL };
	for (int i = 0; i < MACROS; i++) {
		snprintf(text[i], sizeof text[i], "-DGT_DD_FORWARD_%s=%d", macro[i], value[i]);
		macros[i] = text[i];
	}
	snprintf(instance, sizeof instance, "forward_kernel<%d,%d,%d,%d,%d,%s>", t->rows, t->lanes, t->columns, t->extra, form,
	         t->ahead ? "true" : "false");
	const gt_variant_code code = { family.source, instance, macros, NULL };
	return gt_variant_new(&code, (size_t)t->slot * t->slots, &u->kernel);
}

void gt_dd_tuned_describe(const gt_dd *d, const gt_dd_fast *f, char *about, size_t size)
{
	snprintf(about, size, "rows=%d slices=%d views=%d columns=%d across=%d together=%d height=%d/8", gt_variant_fine_bin(d->rows),
	         gt_variant_fine_bin(d->n[2]), gt_variant_bin((double)d->views), gt_variant_bin(d->columns), gt_variant_bin(d->n[0]),
	         f->together, (int)(4 * (f->max_A + f->min_A) + 0.5));
}

/* The built-in tile of most groups of a problem. */
static gt_dd_tile tile_of_most(const gt_dd_fast *f)
{
	int shape = 0, most = 0;
	for (int i = 0; i < GT_DD_SHAPES; i++)
		if (f->run[0][i].groups + f->run[1][i].groups > most) {
			most = f->run[0][i].groups + f->run[1][i].groups;
			shape = i;
		}
	return gt_dd_forward_tile(f, shape);
}

extern "C" void gt_dd_tuned_free(gt_dd_tuned *u)
{
	if (u)
		gt_variant_free(u->kernel);
	free(u);
}

extern "C" const gt_dd_tile *gt_dd_tuned_tile(const gt_dd_tuned *u) { return &u->tile; }

/* Returns the reason why the variant does not fit, or NULL if it fits. */
static const char *unfit(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tuned *u)
{
	gt_dd_fast as_tuned = *f;
	as_tuned.tuned = u;
	if (not_legal(&u->tile))
		return not_legal(&u->tile);
	return 2 * (gt_dd_forward_entries(d, &as_tuned, &u->tile) + 20) * 4 + sizeof(unit) > u->tile.slot
	               ? "a line of this problem does not fit into a SLOT"
	               : NULL;
}

extern "C" gt_status gt_dd_tuned_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned **out)
{
	char about[256];
	int value[NUMBERS], found;
	const gt_dd_tile built_in = tile_of_most(f);
	memcpy(value, &built_in, sizeof value);
	gt_dd_tuned_describe(d, f, about, sizeof about);
	gt_status st = gt_variant_choose(&family, about, value, &found);
	*out = NULL;
	if (st != GT_OK || !found)
		return st;
	gt_dd_tuned *u = (gt_dd_tuned *)calloc(1, sizeof *u);
	if (!u)
		return gt_fail(GT_ERR_MEMORY, "no memory for a variant of %s", family.kernel);
	memcpy(&u->tile, value, sizeof value);
	st = unfit(d, f, u) ? gt_fail(GT_ERR_UNSUPPORTED, "%s: %s", family.kernel, unfit(d, f, u)) : compile(d, f, u);
	if (st == GT_OK)
		*out = u;
	else
		gt_dd_tuned_free(u);
	return gt_variant_settle(&family, value, found, st);
}

cudaError_t gt_dd_tuned_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks)
{
	const gt_dd_tuned *u = f->tuned;
	gt_dd grid = *d;
	gt_dd_fast fast = *f;
	struct job job = *j;
	void *arguments[] = { &grid, &fast, &job };
	const gt_variant_grid g = { blocks, { (unsigned)(u->tile.warps + 1) * WARP, 1 }, 0, queue };
	return (cudaError_t)gt_variant_launch(u->kernel, &g, arguments);
}
