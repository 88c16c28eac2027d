#include <stdlib.h>
#include <string.h>
#include "apps/cli.h"
#include "apps/quality.h"

const char *const app_quality_names[] = { "none", "fast", "iterative", NULL };

/* os-sqs: passes over the data, and ordered subsets, each of enough views to see all directions. */
enum { PASSES = 20, SUBSETS = 12, VIEWS = 16 };
#define PENALTY "qggmrf:c=10HU,strength=auto,kappa=yes"

gt_status app_quality_check(app_quality q, const app_settings *asked)
{
	if (q != APP_QUALITY_NONE && asked->solver)
		return gt_fail(GT_ERR_ARG, "--quality=%s chooses the solver: it cannot be combined with --solver=%s", app_quality_names[q],
		               asked->solver);
	if (q == APP_QUALITY_FAST && asked->penalty)
		return gt_fail(GT_ERR_ARG,
		               "--quality=fast is the direct method, which takes no penalty: expected --quality=iterative with --penalty");
	return GT_OK;
}

gt_status app_quality_set(app_quality q, const gt_projections *p, app_settings *s, char **solver)
{
	const size_t views = p->scan->views, fit = views / VIEWS, subsets = fit < 1 ? 1 : fit < SUBSETS ? fit : SUBSETS;
	*solver = NULL;
	if (q != APP_QUALITY_ITERATIVE)
		return GT_OK;
	if (!(*solver = cli_text("os-sqs:iterations=%d,subsets=%zu", PASSES, subsets)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	s->solver = *solver;
	if (!s->penalty)
		s->penalty = PENALTY;
	if (!strcmp(s->weights, "auto") && !p->weight && !p->photons)
		s->weights = "noise";
	return GT_OK;
}
