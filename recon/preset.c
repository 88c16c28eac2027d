#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/text.h"
#include "geometry/projections.h"
#include "recon/preset.h"

const char *const gt_preset_names[] = { "none", "fast", "iterative", NULL };

/* os-sqs: passes over the data, and ordered subsets, each of enough views to see all directions. */
enum { PASSES = 20, SUBSETS = 12, VIEWS = 16 };
#define PENALTY "qggmrf:c=10HU,strength=auto,kappa=yes"

gt_status gt_preset_help(const char *name, FILE *out)
{
	size_t kinds = 0;
	int found = !name;
	while (gt_preset_names[kinds]) {
		found |= name && !strcmp(name, gt_preset_names[kinds]);
		kinds++;
	}
	if (!found)
		return gt_unknown_of("quality", name, gt_preset_names, kinds);
	if (!name || !strcmp(name, gt_preset_names[GT_PRESET_NONE]))
		fputs("none       nothing is chosen: the default\n", out);
	if (!name || !strcmp(name, gt_preset_names[GT_PRESET_FAST]))
		fputs("fast       the direct method that fits the scan, as without --solver\n", out);
	if (!name || !strcmp(name, gt_preset_names[GT_PRESET_ITERATIVE]))
		fprintf(out,
		        "iterative  a quiet picture without tuning:\n"
		        "             --solver os-sqs:iterations=%d,subsets=%d (fewer for less than %d views) --penalty %s\n"
		        "             and the weights of the file or of its photons, else --weights noise;\n"
		        "             --weights and --penalty may be given beside it\n",
		        PASSES, SUBSETS, SUBSETS * VIEWS, PENALTY);
	fputs("\n  as in  gantry recon scan.nc -o vol.nc --quality iterative\n", out);
	return GT_OK;
}

gt_status gt_preset_check(gt_preset q, const gt_preset_settings *asked)
{
	if (q != GT_PRESET_NONE && asked->solver)
		return gt_fail(GT_ERR_ARG, "--quality=%s chooses the solver: it cannot be combined with --solver=%s", gt_preset_names[q],
		               asked->solver);
	if (q == GT_PRESET_FAST && asked->penalty)
		return gt_fail(GT_ERR_ARG,
		               "--quality=fast is the direct method, which takes no penalty: expected --quality=iterative with --penalty");
	return GT_OK;
}

gt_status gt_preset_set(gt_preset q, const gt_projections *p, gt_preset_settings *s, char **solver)
{
	const size_t views = p->scan->views, fit = views / VIEWS, subsets = fit < 1 ? 1 : fit < SUBSETS ? fit : SUBSETS;
	*solver = NULL;
	if (q != GT_PRESET_ITERATIVE)
		return GT_OK;
	if (!(*solver = gt_text("os-sqs:iterations=%d,subsets=%zu", PASSES, subsets)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	s->solver = *solver;
	if (!s->penalty)
		s->penalty = PENALTY;
	if (!strcmp(s->weights, "auto") && !p->weight && !p->photons)
		s->weights = "noise";
	return GT_OK;
}
