/* Variants of the distance-driven forward kernel: which one an operator gets, whether it fits the problem, and its
 * launch. The space of values stands at the head of dd_forward.cuh; what is compiled is that file, by core/variant.
 * One tile serves all groups of views. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/pieces.cuh"
#include "core/try.h"
#include "core/variant/variant.h"
#include "projectors/dd/fast/dd_forward.cuh"
#include "projectors/dd/fast/dd_tuned.cuh"

struct gt_dd_tuned {
	gt_dd_tile tile;
	gt_variant *kernel;
};

static const char *const names[] = { "ROWS", "LANES", "COLUMNS", "EXTRA", "WARPS", "SLOT", "SLOTS", "BLOCKS", "WHOLE", "FLUSH", "AHEAD" };
enum { NAMES = sizeof names / sizeof *names };
static_assert(sizeof(gt_dd_tile) == NAMES * sizeof(int), "a name for each number of a tile");

static void write_tile(const gt_dd_tile *t, char *text, size_t size)
{
	int number[NAMES];
	size_t n = 0;
	memcpy(number, t, sizeof number);
	for (int i = 0; i < NAMES && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s=%d", i ? " " : "", names[i], number[i]);
}

static void read_tile(const char *text, const gt_dd_tile *otherwise, gt_dd_tile *t)
{
	int number[NAMES];
	memcpy(number, otherwise, sizeof number);
	for (int i = 0; i < NAMES; i++)
		number[i] = (int)gt_variant_value(text, names[i], number[i]);
	memcpy(t, number, sizeof number);
}

/* What must hold so that the kernel stays within its memory and its lanes: also of a text that somebody wrote. */
static const char *not_legal(const gt_dd_tile *t)
{
	const int tall = t->rows * t->lanes + t->extra;
	if (t->rows < 1 || t->rows > 8 || t->lanes < 4 || t->lanes > WARP || (t->lanes & (t->lanes - 1)))
		return "expected 1 to 8 ROWS of 4, 8, 16 or 32 LANES";
	if (t->columns < 2 || t->columns > 8 || (t->columns & (t->columns - 1)) || t->columns * t->lanes < WARP)
		return "expected 2, 4 or 8 COLUMNS, which with the LANES fill a warp";
	if (t->extra < 0 || t->extra > WARP / t->columns - 1)
		return "expected EXTRA rows less than 32 / COLUMNS";
	if (t->warps < 4 || t->warps > 28 || t->warps % GT_DD_GROUP || t->blocks < 1 || t->blocks > 8)
		return "expected WARPS in fours, 28 at most, and 1 to 8 BLOCKS";
	if (t->slots < 2 || t->slots > 8 || t->slot < 4096 || t->slot % 128 || t->slot > 1 << 17)
		return "expected 2 to 8 SLOTS of 4096 bytes and more in multiples of 128";
	if ((size_t)tall * (t->warps * t->columns + GT_DD_GROUP) * sizeof(float) > (size_t)t->slot * t->slots)
		return "expected SLOTS that hold the results of a block";
	if (t->whole < 16 || t->whole > 512 || t->flush < 512 || t->flush > 8192 || t->ahead < 0 || t->ahead > 1)
		return "expected WHOLE of 16 to 512, FLUSH of 512 to 8192, AHEAD of 0 or 1";
	return NULL;
}

static gt_status compile(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned *u)
{
	const gt_dd_tile *t = &u->tile;
	const int tall = is_tall(t->rows * t->lanes + t->extra), form = !tall && gt_dd_forward_short(d, f, t) ? SHORT : FINE;
	static const char *const macro[] = { "WARPS", "WARPS_TALL", "SLOT",        "SLOT_LOW", "SLOT_TALL",
		                             "SLOTS", "BLOCKS",     "BLOCKS_TALL", "WHOLE" };
	const int value[] = { t->warps, t->warps, t->slot, t->slot, t->slot, t->slots, t->blocks, t->blocks, t->whole };
	enum { MACROS = sizeof macro / sizeof *macro };
	char instance[96], text[MACROS][48];
	const char *macros[MACROS + 1] = { NULL };
	for (int i = 0; i < MACROS; i++) {
		snprintf(text[i], sizeof text[i], "-DGT_DD_FORWARD_%s=%d", macro[i], value[i]);
		macros[i] = text[i];
	}
	snprintf(instance, sizeof instance, "forward_kernel<%d,%d,%d,%d,%d,%s>", t->rows, t->lanes, t->columns, t->extra, form,
	         t->ahead ? "true" : "false");
	const gt_variant_code code = { "projectors/dd/fast/dd_forward.cuh", instance, macros };
	return gt_variant_new(&code, (size_t)t->slot * t->slots, &u->kernel);
}

/* Whole powers of two by halves: 512, 768, 1024 ... */
static int bin_of(double n)
{
	double low = 1;
	while (2 * low <= n)
		low *= 2;
	return (int)(n >= 1.5 * low ? 1.5 * low : low);
}
static int fine_bin_of(int n) { return n <= 128 ? (n + 7) / 8 * 8 : bin_of(n); }

/* The class of a problem, and the built-in tile that most of its rows get. */
static void describe(const gt_dd *d, const gt_dd_fast *f, char *about, char *built_in, size_t size)
{
	int shape = 0, most = 0;
	for (int i = 0; i < GT_DD_SHAPES; i++)
		if (f->run[0][i].groups + f->run[1][i].groups > most) {
			most = f->run[0][i].groups + f->run[1][i].groups;
			shape = i;
		}
	const gt_dd_tile t = gt_dd_forward_tile(f, shape);
	write_tile(&t, built_in, size);
	snprintf(about, size, "rows=%d slices=%d views=%d columns=%d across=%d together=%d height=%d/8", fine_bin_of(d->rows),
	         fine_bin_of(d->n[2]), bin_of((double)d->views), bin_of(d->columns), bin_of(d->n[0]), f->together,
	         (int)(4 * (f->most_A + f->least_A) + 0.5));
}

extern "C" void gt_dd_tuned_free(gt_dd_tuned *u)
{
	if (u)
		gt_variant_free(u->kernel);
	free(u);
}

extern "C" const gt_dd_tile *gt_dd_tuned_tile(const gt_dd_tuned *u) { return &u->tile; }

/* A kept variant that cannot be had is none; one that is being tried is a failure. */
extern "C" gt_status gt_dd_tuned_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned **out)
{
	char about[512], built_in[512], text[512];
	gt_dd_tile first;
	gt_dd_fast as_tuned = *f;
	gt_status st = GT_OK;
	*out = NULL;
	describe(d, f, about, built_in, sizeof about);
	const gt_variant_wish wish = { "dd-forward", about, built_in };
	const int found = gt_variant_find(&wish, text, sizeof text);
	if (!found)
		return GT_OK;
	gt_dd_tuned *u = (gt_dd_tuned *)calloc(1, sizeof *u);
	if (!u)
		return gt_fail(GT_ERR_MEMORY, "no memory for a variant of dd-forward");
	read_tile(built_in, &u->tile, &first);
	read_tile(text, &first, &u->tile);
	as_tuned.tuned = u;
	if (not_legal(&u->tile))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "dd-forward %s: %s", text, not_legal(&u->tile)));
	if (2 * (gt_dd_forward_entries(d, &as_tuned, &u->tile) + 20) * 4 + sizeof(unit) > u->tile.slot)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "dd-forward %s: a line of this problem does not fit into a SLOT", text));
	GT_TRY(compile(d, f, u));
	gt_variant_took("dd-forward", text);
	*out = u;
done:
	if (st != GT_OK)
		gt_dd_tuned_free(u);
	return found == GT_VARIANT_TRIED ? st : GT_OK;
}

cudaError_t gt_dd_tuned_launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const struct job *j, size_t blocks)
{
	const gt_dd_tuned *u = f->tuned;
	gt_dd grid = *d;
	gt_dd_fast fast = *f;
	struct job job = *j;
	void *arguments[] = { &grid, &fast, &job };
	const int e = gt_variant_launch(u->kernel, (unsigned)blocks, (unsigned)(u->tile.warps + 1) * WARP,
	                                (size_t)u->tile.slot * u->tile.slots, queue, arguments);
	return (cudaError_t)e;
}
