/* Presets: a table of whole settings, and how they go with what else was asked for. */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/text.h"
#include "geometry/projections.h"
#include "recon/preset.h"

#define GT_PRESET_WORD(name, word) word,
const char *const gt_preset_names[] = { GT_PRESET_LIST(GT_PRESET_WORD) NULL };
#undef GT_PRESET_WORD

const gt_preset_entry gt_presets[GT_NPRESETS] = {
	[GT_PRESET_NONE] = { .about = "no preset: the default" },
	[GT_PRESET_FAST] = { .about = "the analytic method that fits the scan, as without --solver", .chooses_method = 1, .analytic = 1 },
	[GT_PRESET_ITERATIVE] = { .about = "a low-noise picture without tuning:",
	                          .chooses_method = 1,
	                          .solver = "os-sqs",
	                          .passes = 20,
	                          .subsets = 12,
	                          .min_views = 16,
	                          .penalty = "qggmrf:c=10HU,strength=auto,kappa=yes",
	                          .weights = "noise" },
};

static void print_entry(const char *name, const gt_preset_entry *e, FILE *out)
{
	fprintf(out, "%-10s %s\n", name, e->about);
	if (e->solver)
		fprintf(out,
		        "             --solver %s:iterations=%zu,subsets=%zu (fewer for less than %zu views) --penalty %s\n"
		        "             and the weights of the file or of its photons, else --weights %s;\n"
		        "             --weights and --penalty may be given beside it\n",
		        e->solver, e->passes, e->subsets, e->subsets * e->min_views, e->penalty, e->weights);
}

gt_status gt_preset_help(const char *name, FILE *out)
{
	int known = !name;
	for (int i = 0; i < GT_NPRESETS; i++)
		known |= name && !strcmp(name, gt_preset_names[i]);
	if (!known)
		return gt_unknown_of("preset", name, gt_preset_names, GT_NPRESETS);
	for (int i = 0; i < GT_NPRESETS; i++)
		if (!name || !strcmp(name, gt_preset_names[i]))
			print_entry(gt_preset_names[i], &gt_presets[i], out);
	fputs("\n  as in  gantry recon scan.nc -o vol.nc --preset iterative\n", out);
	return GT_OK;
}

gt_status gt_preset_check(gt_preset q, const gt_preset_settings *asked)
{
	if (gt_presets[q].chooses_method && asked->solver)
		return gt_fail(GT_ERR_ARG, "--preset=%s chooses the solver: it cannot be combined with --solver=%s", gt_preset_names[q],
		               asked->solver);
	if (gt_presets[q].analytic && asked->penalty)
		return gt_fail(GT_ERR_ARG,
		               "--preset=%s is the direct method, which takes no penalty: expected --preset=iterative with --penalty",
		               gt_preset_names[q]);
	return GT_OK;
}

gt_status gt_preset_set(gt_preset q, const gt_projections *p, gt_preset_settings *s, char **solver)
{
	const gt_preset_entry *e = &gt_presets[q];
	*solver = NULL;
	if (!e->solver)
		return GT_OK;
	const size_t views = p->scan->views, fit = views / e->min_views, subsets = fit < 1 ? 1 : fit < e->subsets ? fit : e->subsets;
	if (!(*solver = gt_text("%s:iterations=%zu,subsets=%zu", e->solver, e->passes, subsets)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	s->solver = *solver;
	if (!s->penalty)
		s->penalty = e->penalty;
	if ((!s->weights || !strcmp(s->weights, "auto")) && !p->weight && !p->photons)
		s->weights = e->weights;
	return GT_OK;
}
