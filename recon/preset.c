/* Presets: a table of settings, and their combination with requested ones. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/module.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/preset.h"
#include "recon/spec_merge.h"

#define GT_PRESET_WORD(name, word) word,
const char *const gt_preset_names[] = { GT_PRESET_LIST(GT_PRESET_WORD) NULL };
#undef GT_PRESET_WORD

const gt_preset_entry gt_presets[GT_NPRESETS] = {
	[GT_PRESET_NONE] = { .about = "no preset: the default" },
	[GT_PRESET_FAST] = { .about = "the analytic method that fits the scan, as without --solver", .analytic = 1 },
	[GT_PRESET_ITERATIVE] = { .about = "a low-noise image without tuning:",
	                          .solver = "os-sqs",
	                          .passes = 20,
	                          .subsets = 12,
	                          .min_views = 16,
	                          .min_steps = 140,
	                          .penalty = "qggmrf:c=10HU,strength=auto,kappa=yes",
	                          .weights = "model" },
};

static void print_entry(const char *name, const gt_preset_entry *e, FILE *out)
{
	fprintf(out, "%-10s %s\n", name, e->about);
	if (e->solver)
		fprintf(out,
		        "             --solver %s:iterations=%zu,subsets=%zu (fewer below %zu views, and more iterations below %zu)\n"
		        "             --weights %s --penalty %s;\n"
		        "             requested keys replace its own (--penalty qggmrf:noise=4HU); another name replaces all of its keys\n",
		        e->solver, e->passes, e->subsets, e->subsets * e->min_views, e->min_steps / e->passes * e->min_views, e->weights,
		        e->penalty);
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
	if (gt_presets[q].analytic && asked->solver)
		return gt_fail(GT_ERR_ARG, "--preset=%s chooses the solver: it cannot be combined with --solver=%s", gt_preset_names[q],
		               asked->solver);
	if (gt_presets[q].analytic && asked->penalty)
		return gt_fail(GT_ERR_ARG,
		               "--preset=%s is the direct method, which takes no penalty: expected --preset=iterative with --penalty",
		               gt_preset_names[q]);
	return GT_OK;
}

void gt_preset_made_free(gt_preset_made *m)
{
	free(m->solver);
	free(m->weights);
	free(m->penalty);
	free(m->changed);
	*m = (gt_preset_made){ .solver = NULL };
}

/* 1: a method or penalty of another name was requested. */
static int is_other(const char *own, const char *asked)
{
	const size_t n = strcspn(own, ":");
	return asked && (strcspn(asked, ":") != n || strncmp(own, asked, n) != 0);
}

/* Returns the number of subsets that was requested of the preset's own solver, which checks it later; 0: none. */
static size_t asked_subsets(const char *own, const char *asked)
{
	static const char key[] = "subsets=";
	const char *at = asked && !is_other(own, asked) ? gt_spec_cut(asked).values : NULL;
	while (at && strncmp(at, key, sizeof key - 1) != 0) {
		const char *comma = strchr(at, ',');
		at = comma ? comma + 1 : NULL;
	}
	const double n = at ? gt_strtod(at + sizeof key - 1, NULL) : 0;
	return n >= 1 && n <= INT_MAX ? (size_t)n : 0;
}

/* Lists the requested options. */
static gt_status list_changes(const gt_preset_settings *a, gt_preset_made *m)
{
	if (!a->solver && !a->weights && !a->penalty)
		return GT_OK;
	m->changed = gt_text("%s%s%s%s%s%s", a->solver ? " --solver " : "", a->solver ? a->solver : "", a->weights ? " --weights " : "",
	                     a->weights ? a->weights : "", a->penalty ? " --penalty " : "", a->penalty ? a->penalty : "");
	return m->changed ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status gt_preset_make(gt_preset q, size_t views, const gt_preset_settings *asked, gt_preset_made *m)
{
	static const char *const rivals[] = { "noise", "strength", NULL };
	const gt_preset_entry *e = &gt_presets[q];
	const size_t fit = e->solver ? views / e->min_views : 0, subsets = fit < 1 ? 1 : fit < e->subsets ? fit : e->subsets;
	const size_t wanted = e->solver ? asked_subsets(e->solver, asked->solver) : 0, steps = wanted ? wanted : subsets,
		     enough = (e->min_steps + steps - 1) / steps, passes = enough > e->passes ? enough : e->passes;
	/* "auto" is equivalent to no weights option. */
	const gt_preset_settings a = { asked->solver, asked->weights && strcmp(asked->weights, "auto") ? asked->weights : NULL,
		                       asked->penalty };
	char *solver = NULL;
	gt_status st = GT_OK;
	*m = (gt_preset_made){ .solver = NULL };
	if (!e->solver)
		return GT_OK;
	if (!(solver = gt_text("%s:iterations=%zu,subsets=%zu", e->solver, passes, subsets)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_spec_merge(solver, a.solver, NULL, &m->solver));
	GT_TRY(gt_spec_merge(e->weights, a.weights, NULL, &m->weights));
	GT_TRY(gt_spec_merge(e->penalty, a.penalty, rivals, &m->penalty));
	GT_TRY(list_changes(&a, m));
	m->is_replaced = is_other(solver, a.solver) && is_other(e->weights, a.weights) && is_other(e->penalty, a.penalty);
done:
	free(solver);
	return st;
}
