/* `gantry tune --list, --export, --import`: prints the entries of the cache. */
#include <stdio.h>
#include "apps/commands/tune/tune.h"
#include "tuner/tuner.h"

static void show(void *self, const gt_tune_entry *e)
{
	size_t *n = self;
	++*n;
	if (!*e->device || !*e->about || !(e->ms > 0) || !(e->built_in_ms > 0)) {
		printf("%s: entry %zu of the cache is %s (gantry tune --forget %s removes all of them)\n", e->kernel, *n,
		       e->why ? e->why : "damaged", e->kernel);
		return;
	}
	printf("%s on %s, %s\n  %s %.4f ms, built-in %.4f ms; %s, %s%s%s%s\n", e->kernel, e->device, e->about,
	       *e->variant ? e->variant : "built-in", e->ms, e->built_in_ms, e->strategy, e->when,
	       e->shipped ? "; distributed with gantry" : "", e->why ? "; " : "", e->why ? e->why : "");
}

gt_status tune_list(void)
{
	size_t n = 0;
	gt_status st = GT_OK;
	for (size_t i = 0; gt_tune_kernel_name(i) && st == GT_OK; i++)
		st = gt_tune_list(gt_tune_kernel_name(i), show, &n);
	if (st == GT_OK && n == 0)
		printf("the cache is empty: the built-in kernels are used\n");
	return st;
}

/* Prints an exported or imported entry, or the reason why it is not. */
static void moved(void *self, const gt_tune_entry *e)
{
	size_t *n = self;
	*n += !e->why;
	printf("%s on %s, %s: %s%s\n", e->kernel, e->device, e->about, *e->variant ? e->variant : "built-in", e->why ? "" : "; taken");
	if (e->why)
		printf("  %s\n", e->why);
}

gt_status tune_export(const char *path)
{
	size_t n = 0;
	const gt_status st = gt_tune_export(path, moved, &n);
	if (st == GT_OK)
		printf("%s: %zu entries\n", path, n);
	return st;
}

gt_status tune_import(const char *path)
{
	size_t n = 0;
	return gt_tune_import(path, "cuda:0", moved, &n);
}
