/* Computes one volume by a team. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/memory_estimate.h"
#include "recon/modules.h"
#include "recon/team/team_alike.h"
#include "recon/team/team_run.h"
#include "team/team.h"

#define BYTES(n) gt_bytes_text((double)(n), (char[GT_BYTES_TEXT]){ 0 })

struct run {
	const gt_recon_job *j;
	const gt_recon_extent *e;
	gt_recon_rank_function *text;
	void *to;
	const gt_team *t;
	int first;                  /* rank of this process */
	gt_recon_found *f, *others; /* results of that rank, the caller's; [ranks] of the others */
	gt_memory_estimate *plans;  /* [ranks]; NULL: no dry run */
	gt_recon_job *jobs;
};

static gt_recon_found *found(const struct run *r, int rank) { return rank != r->first ? &r->others[rank] : r->f; }

static gt_status gather_plans(struct run *r, gt_backend *be)
{
	const int me = gt_rank(be), n = gt_ranks(be);
	gt_memory_estimate *all = malloc((size_t)n * sizeof *all);
	gt_status st = all ? gt_team_gather(be, &r->plans[me], sizeof *all, all) : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st == GT_OK && gt_team_leads(be))
		memcpy(r->plans, all, (size_t)n * sizeof *all);
	free(all);
	return st;
}

static gt_status run_rank(gt_backend *be, void *self)
{
	struct run *r = self;
	const int me = gt_rank(be);
	gt_status st = GT_OK;
	if (gt_recon_is_mpi(r->j)) /* ranks of one process have the same problem */
		GT_TRY(gt_team_check_equal(r->t, be, r->j, r->e, &r->jobs[me].team->split));
	GT_TRY(r->text(&r->jobs[me], be, r->e, r->to, found(r, me)));
	if (r->plans) /* gathers the plans of other processes */
		st = gather_plans(r, be);
done:
	return st;
}

/* Only rank 0 has callbacks. */
static void prepare(struct run *r, int ranks, struct gt_recon_team *shared, gt_memory_estimate *plan)
{
	for (int i = 0; i < ranks; i++) {
		r->jobs[i] = *r->j;
		r->jobs[i].team = shared;
		if (i) {
			r->jobs[i].on.log = (gt_listener){ NULL, NULL };
			r->jobs[i].on.each = NULL;
			r->jobs[i].on.cancel = NULL;
		}
		if (plan) {
			r->plans[i] = *plan;
			found(r, i)->plan = &r->plans[i];
		}
	}
}

/* Describes the work of each rank, one line each. */
static char *describe(const struct run *r, const gt_team *t, const gt_split_spec *split)
{
	char *all = gt_text("%s", "");
	const gt_backend *be = gt_team_backend_here(t);
	for (int i = 0; i < gt_team_size(t) && all; i++) {
		const gt_range z = gt_team_range(be, i, r->e->grid.n[2]), v = gt_team_views(split, be, i, &r->e->grid, r->e->p.scan);
		const gt_memory_estimate *m = r->plans ? &r->plans[i] : NULL;
		char *more = gt_text("%srank_%d=%s slices=%zu views=%zu%s%s\n", all, i, gt_team_where(t, i), z.n,
		                     r->j->chosen.method.analytic ? r->e->all->scan->views : v.n, m ? " memory=" : "",
		                     m ? BYTES(m->peak) : "");
		free(all);
		all = more;
	}
	return all;
}

/* Memory of a GPU, including ranks that share it. */
static double on_device(const struct run *r, const gt_team *t, int rank)
{
	double all = (double)r->plans[rank].peak;
	const char *name = gt_team_where(t, rank);
	for (int i = 0; i < gt_team_size(t) && !r->plans[rank].on_host; i++)
		if (i != rank && !strcmp(name, gt_team_where(t, i)))
			all += (double)r->plans[i].peak;
	return all;
}

/* Takes the plan of the rank that needs most; host memory and penalties add up over ranks. */
static void join_plans(const struct run *r, const gt_team *t, gt_memory_estimate *plan)
{
	int max = 0;
	double others = 0, making = 0;
	for (int i = 0; i < gt_team_size(t); i++)
		max = on_device(r, t, i) > on_device(r, t, max) ? i : max;
	for (int i = 0; i < gt_team_size(t); i++) {
		others += i == max ? 0 : (double)r->plans[i].peak;
		making += r->plans[i].host_making;
	}
	*plan = r->plans[max];
	plan->peak = (size_t)on_device(r, t, max);
	plan->host_peak += plan->on_host ? others : 0;
	plan->host_making = making;
	plan->host_peak = fmax(plan->host_peak, gt_memory_estimate_held(plan) + making);
}

static void free_others(struct run *r, int ranks)
{
	for (int i = 0; i < ranks && r->others; i++)
		gt_recon_found_free(&r->others[i]);
	free(r->others);
	free(r->plans);
	free(r->jobs);
}

/* Bit-identical results need a fixed number of parts for any devices; fewer for an analytic method with few slices. */
enum { RANKS = 8 };

static gt_status choose_for_solver(const gt_recon_job *j, const gt_split_spec *asked, size_t ranks, const gt_model_case *c,
                                   gt_split_spec *split)
{
	const gt_status st = gt_split_choose(asked, ranks, c, split);
	if (st == GT_OK || !j->with.reproducible)
		return st;
	if (asked->kind != GT_SPLIT_AUTO)
		return gt_fail_in(st, "--reproducible, which always uses %d ranks", RANKS);
	const size_t slices = c->grid->n[2], views = c->scan->views / c->subsets;
	return gt_fail(st,
	               "--reproducible uses %d ranks, too many for %zu slice%s and subsets of %zu view%s: omit it, or use fewer subsets",
	               RANKS, slices, slices == 1 ? "" : "s", views, views == 1 ? "" : "s");
}

static gt_status choose_split(const gt_recon_job *j, const gt_recon_extent *e, size_t ranks, const gt_model_case *c, gt_split_spec *split)
{
	gt_split_spec asked = { GT_SPLIT_AUTO, 0, 0 };
	gt_status st = GT_OK;
	GT_TRY(gt_split_spec_parse(j->with.split ? j->with.split : "auto", &asked));
	if (j->chosen.method.solver)
		return choose_for_solver(j, &asked, ranks, c, split);
	if (asked.kind == GT_SPLIT_VIEWS || (asked.kind == GT_SPLIT_GRID && asked.blocks > 1))
		return gt_fail(GT_ERR_ARG, "--split=%s: %s is partitioned by slices: expected auto or slices", j->with.split,
		               gt_method_name(&j->chosen.method));
	if (ranks > e->grid.n[2])
		return gt_fail(GT_ERR_ARG, "%zu ranks for %zu slice%s: %s needs at least one slice per rank", ranks, e->grid.n[2],
		               e->grid.n[2] == 1 ? "" : "s", gt_method_name(&j->chosen.method));
	*split = (gt_split_spec){ GT_SPLIT_SLICES, ranks, 1 };
done:
	return st;
}

/* Runs all ranks with the split of `shared`. */
static gt_status run_split(gt_team *t, struct run *r, struct gt_recon_team *shared)
{
	const int n = gt_team_size(t);
	gt_recon_found *const f = r->f;
	gt_memory_estimate *const plan = f->plan;
	gt_status st = GT_OK;
	r->others = calloc((size_t)n, sizeof *r->others);
	r->jobs = calloc((size_t)n, sizeof *r->jobs);
	r->plans = plan ? calloc((size_t)n, sizeof *r->plans) : NULL;
	if (!r->others || !r->jobs || (plan && !r->plans))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	r->t = t;
	r->first = gt_rank(gt_team_backend_here(t));
	prepare(r, n, shared, plan);
	st = gt_team_run(t, run_rank, r);
	f->plan = plan;
	const char *how = gt_team_exchanges(gt_team_backend_here(t));
	if (how)
		gt_notify(&r->j->on.log, GT_INFO, GT_ABOUT_CHOICE, "GPUs of several processes exchange by %s", how);
	for (int i = 0; i < n; i++)
		f->device_peak = r->others[i].device_peak > f->device_peak ? r->others[i].device_peak : f->device_peak;
	if (plan && st == GT_OK) {
		join_plans(r, t, plan);
		free(f->ranks);
		f->ranks = describe(r, t, &shared->split);
	}
done:
	free_others(r, n);
	free(shared->w);
	free(shared->weights);
	shared->w = NULL;
	shared->weights = NULL;
	return st;
}

static gt_status open_team(const gt_recon_job *j, const gt_recon_extent *e, gt_team **t)
{
	if (!j->with.reproducible)
		return gt_team_open(j->with.backend, t);
	int ranks = RANKS;
	while (j->chosen.method.analytic && (size_t)ranks > e->grid.n[2])
		ranks /= 2;
	return gt_team_open_distributed(j->with.backend, ranks, t);
}

static void report_binding(const gt_recon_job *j, const gt_team *t)
{
	char *binding = gt_team_binding(t, j->with.backend);
	if (binding)
		gt_notify(&j->on.log, GT_WARNING, GT_ABOUT_CHOICE, "%s", binding);
	free(binding);
}

/* Warns if one GPU would take no longer. */
static void report_gain(const gt_recon_job *j, const gt_model_case *c, int ranks, double seconds)
{
	gt_model_times one;
	if (!c->direct || c->on_cpu)
		return;
	gt_model(c, 1, 1, &one);
	if (seconds >= one.seconds)
		gt_notify(&j->on.log, GT_WARNING, GT_ABOUT_CHOICE,
		          "%s: %d GPUs take about %.0f ms and one takes %.0f ms by the model: use --gpus 1 for problems of this size",
		          gt_method_name(&j->chosen.method), ranks, 1e3 * seconds, 1e3 * one.seconds);
}

/* Describes the memory of a rank with another split. */
static char *memory_of(const struct run *chosen, const gt_memory_estimate *begun, const gt_split_spec *split)
{
	struct gt_recon_team shared = { .split = *split };
	gt_memory_estimate e = *begun;
	gt_recon_found f = { .plan = &e };
	gt_recon_job j = *chosen->j;
	j.on.log = (gt_listener){ NULL, NULL };
	j.kept = NULL;
	struct run r = { .j = &j, .e = chosen->e, .text = chosen->text, .f = &f };
	gt_team *t = NULL; /* own team, because a backend remembers its peak */
	gt_status st = open_team(&j, chosen->e, &t);
	if (st == GT_OK)
		st = run_split(t, &r, &shared);
	gt_team_close(t);
	gt_recon_found_free(&f);
	return st == GT_OK ? gt_text("%s", BYTES(e.peak)) : gt_text("%s", "more than available");
}

/* A line for each possible split, with modelled time and memory from a dry run; and one for the assumed links. */
static char *compare_splits(int ranks, const struct run *r, const gt_model_case *c, const gt_memory_estimate *begun,
                            const gt_split_spec *chosen)
{
	char *all = gt_text("%s", "");
	gt_split_spec s;
	for (size_t k = 0; all && gt_split_nth((size_t)ranks, c, k, &s); k++) {
		char name[32];
		gt_model_times times;
		gt_split_print(&s, name);
		gt_model(c, s.slabs, s.blocks, &times);
		const int is_chosen = s.slabs == chosen->slabs && s.blocks == chosen->blocks;
		char *memory = is_chosen ? gt_text("%s", BYTES(r->f->plan->peak)) : memory_of(r, begun, &s);
		char *line = gt_model_text(name, &times), *more = NULL;
		if (memory && line)
			more = gt_text("%s%s, %s exchanged, memory %s\n", all, line, BYTES(times.moved), memory);
		free(memory);
		free(line);
		free(all);
		all = more;
	}
	char *link = all ? gt_model_link_text(c) : NULL, *with_link = link ? gt_text("%s%s\n", all, link) : NULL;
	free(link);
	free(all);
	return with_link;
}

gt_status gt_recon_run_team(const gt_recon_job *j, const gt_recon_extent *e, gt_recon_rank_function *text, void *to, gt_recon_found *f)
{
	struct gt_recon_team shared = { .w = NULL };
	struct run r = { .j = j, .e = e, .text = text, .to = to, .f = f };
	const gt_memory_estimate begun = f->plan ? *f->plan : (gt_memory_estimate){ .size = 0 };
	gt_model_case c;
	gt_team *t = NULL;
	gt_status st = GT_OK;
	char split[32];
	GT_TRY(open_team(j, e, &t));
	const int n = gt_team_size(t);
	GT_TRY(gt_recon_model_case(j, e, gt_team_backend_here(t), &c));
	if (j->with.reproducible)
		c.threads = 1; /* the split must not depend on it */
	GT_TRY(choose_split(j, e, (size_t)n, &c, &shared.split));
	gt_split_print(&shared.split, split);
	gt_notify(&j->on.log, GT_INFO, GT_ABOUT_CHOICE, "backend %s: %d ranks, split by %s, each %s",
	          j->with.backend ? j->with.backend : "auto", n, split, gt_backend_describe(gt_team_backend_here(t)));
	report_binding(j, t);
	snprintf(f->backend, sizeof f->backend, "%s", j->with.backend ? j->with.backend : "auto");
	snprintf(f->split, sizeof f->split, "%s", split);
	gt_model(&c, shared.split.slabs, shared.split.blocks, &f->model);
	report_gain(j, &c, n, f->model.seconds);
	GT_TRY(run_split(t, &r, &shared));
	if (j->how->compares && !c.direct) {
		free(f->splits);
		f->splits = compare_splits(n, &r, &c, &begun, &shared.split);
	}
done:
	gt_team_close(t);
	return st;
}
