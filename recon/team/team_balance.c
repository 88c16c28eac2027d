/* Load balancing: ranks time a projection and a backprojection of their part of the first subset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/team/team_balance.h"
#include "team/balance.h"

enum { MAX_RANKS = 64 };

struct probe {
	const gt_recon_job *j;
	const gt_split_spec *split;
	gt_team_problem problem;
	const char *what;
};

static gt_status measure(gt_backend *be, void *self, double *seconds)
{
	const struct probe *p = self;
	return gt_team_probe(p->split, be, &p->problem, seconds);
}

static void report(void *self, int split, int ranks, const size_t *share, const double *seconds)
{
	const struct probe *p = self;
	char *text = gt_text("%s", "");
	for (int i = 0; i < ranks && text; i++) {
		char *more = gt_text("%s%s%zu in %.3g ms", text, i ? ", " : "", share[i], 1e3 * seconds[i]);
		free(text);
		text = more;
	}
	if (text)
		gt_notify(&p->j->on.log, GT_INFO, GT_ABOUT_CHOICE, "balance, split %d: %s %s", split, p->what, text);
	free(text);
}

static void report_ranges(const gt_recon_job *j, const char *how, const char *what, int ranks, const size_t *share)
{
	char *text = gt_text("%s", "");
	for (int i = 0; i < ranks && text; i++) {
		char *more = gt_text("%s%s%zu", text, i ? ":" : "", share[i]);
		free(text);
		text = more;
	}
	if (text)
		gt_notify(&j->on.log, GT_INFO, GT_ABOUT_CHOICE, "balance: %s %s, %s", what, text, how);
	free(text);
}

/* 1: ranks are heterogeneous. Collective. */
static int are_heterogeneous(gt_backend *be)
{
	char mine[192] = "", all[MAX_RANKS][192];
	int unlike = 0;
	snprintf(mine, sizeof mine, "%s", gt_backend_describe(be));
	if (gt_team_gather(be, mine, sizeof mine, all) != GT_OK)
		return 0;
	for (int i = 1; i < gt_ranks(be); i++)
		unlike |= strcmp(all[0], all[i]) != 0;
	return unlike;
}

/* Describes all that the ranges depend on. */
static char *problem_of(const gt_recon_job *j, gt_backend *be, const struct probe *p, size_t things)
{
	char name[32];
	const gt_team_problem *q = &p->problem;
	gt_split_print(p->split, name);
	return gt_text("%s %s %s %s %zux%zux%zu %zux%zux%zu subsets=%zu %s=%zu", j->with.backend, gt_backend_describe(be), q->projector,
	               gt_type_name(q->type), q->grid->n[0], q->grid->n[1], q->grid->n[2], q->scan->columns, q->scan->rows, q->scan->views,
	               q->subsets, name, things);
}

gt_status gt_team_balance(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, const gt_split_spec *split)
{
	size_t share[MAX_RANKS], subsets, sum = 0;
	gt_status st = GT_OK;
	char *problem = NULL;
	const int n = gt_ranks(be), by_views = split->slabs == 1;
	if (j->with.balance == GT_BALANCE_NO || !j->chosen.method.solver || (j->with.balance == GT_BALANCE_AUTO && !are_heterogeneous(be)))
		return gt_backend_known(be);
	if (split->slabs > 1 && split->blocks > 1) {
		gt_notify(&j->on.log, GT_WARNING, GT_ABOUT_CHOICE,
		          "balance: only for splits by views or by slices: with %zux%zu all ranks have equal ranges", split->slabs,
		          split->blocks);
		return GT_OK;
	}
	GT_TRY(gt_recon_count_subsets(&j->chosen.method, e->p.scan, &subsets));
	struct probe p = {
		j, split, { j->chosen.projector, j->chosen.type, &e->grid, e->p.scan, NULL, NULL, subsets }, by_views ? "views" : "slices"
	};
	const size_t things = by_views ? (e->p.scan->views + subsets - 1) / subsets : e->grid.n[2];
	if (!(problem = problem_of(j, be, &p, things)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	/* Rank 0 reads the file, so that all ranks use the same ranges. */
	const int known = gt_rank(be) == 0 && j->with.balance == GT_BALANCE_AUTO && gt_ranges_recall(problem, n, share);
	for (int i = 0; i < n; i++) {
		share[i] = (size_t)gt_team_first(be, known ? (double)share[i] : 0);
		sum += share[i];
	}
	GT_TRY(gt_backend_known(be));
	if (sum == things) {
		report_ranges(j, "as found before", p.what, n, share);
		GT_TRY(gt_balance_set(be, share));
		goto done;
	}
	GT_TRY(gt_balance_run(be, &(gt_balance_work){ things, measure, &p, report }, share));
	report_ranges(j, "as measured", p.what, n, share);
	if (gt_rank(be) == 0)
		gt_ranges_remember(problem, n, share);
done:
	free(problem);
	return st;
}
