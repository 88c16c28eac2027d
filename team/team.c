/* Teams: backends of the ranks, and partition by load fractions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/prefetch.h"
#include "core/try.h"
#include "team/processes.h"
#include "team/remote.h"

enum { SPINS = 20000 }; /* polls before a rank with a GPU sleeps: about 10 us */
static const double timeout = 600;

static int ranks_of(const gt_backend *be) { return be->rank->alone ? 1 : be->rank->team->n; }

static const struct gt_rank_ops rank_ops = { ranks_of, gt_team_gather, gt_team_get, gt_team_slot, gt_team_allreduce, gt_team_failed };

/* Opening -------------------------------------------------------------------- */

static gt_status add_rank(gt_team *t, int rank, const char *name)
{
	gt_status st = GT_OK;
	struct gt_rank *m = calloc(1, sizeof *m);
	if (!m)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	m->team = t;
	m->id = rank;
	t->rank[rank] = m;
	if (!(m->all = calloc((size_t)t->n * GT_SLOTS, sizeof *m->all)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a team"));
	GT_TRY(gt_backend_open_now(name, &t->be[rank]));
	t->be[rank]->rank = m;
	t->be[rank]->rank_ops = &rank_ops;
	snprintf(t->where[rank], sizeof t->where[rank], "%s", gt_backend_name(t->be[rank]));
done:
	return st;
}

static gt_status add_members(gt_team *t, char name[GT_TEAM_MAX][32])
{
	gt_status st = GT_OK;
	GT_TRY(gt_team_state_new(&t->state));
	for (int i = 0; i < t->here; i++)
		GT_TRY(add_rank(t, t->first + i, name[i]));
	t->impl = gt_backend_is_gpu(t->be[t->first]) ? GT_IF_CUDA(&gt_exchange_cuda) : NULL;
	t->spins = t->impl ? SPINS : 0;
	for (int i = 0; t->impl && i < t->here; i++)
		GT_TRY(t->impl->open(t->be + t->first, t->here, i, &t->rank[t->first + i]->state));
done:
	return st;
}

static gt_status open_ranks(int n, char name[GT_TEAM_MAX][32], struct gt_processes *processes, gt_team **out)
{
	gt_team *t = calloc(1, sizeof *t);
	if (!t) {
		gt_processes_free(processes);
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	}
	pthread_mutex_init(&t->one, NULL);
	*t = (gt_team){ .n = n, .here = n, .timeout = timeout, .processes = processes, .one = t->one };
	for (int i = 0; i < GT_TEAM_MAX; i++)
		t->weight[i] = 1;
	if (processes)
		gt_processes_place(processes, &t->n, &t->first);
	gt_status st = add_members(t, name);
	if (processes) /* also after a failure, which the others must learn */
		st = gt_processes_agree(t, st);
	if (st == GT_OK)
		*out = t;
	else
		gt_team_close(t);
	return st;
}

gt_status gt_team_open_now(const char *spec, gt_team **out)
{
	struct gt_processes *processes = NULL;
	char name[GT_TEAM_MAX][32];
	int n = 0;
	gt_status st = GT_OK;
	if (gt_processes_are_spec(spec))
		GT_TRY(gt_processes_new(spec, 0, &n, name, &processes));
	else
		GT_TRY(gt_team_parse(spec, &n, name));
	st = open_ranks(n, name, processes, out);
done:
	return st;
}

gt_status gt_team_open(const char *spec, gt_team **out)
{
	gt_backend_prefetch_end();
	return gt_team_open_now(spec, out);
}

gt_status gt_team_open_distributed(const char *spec, int ranks, gt_team **out)
{
	char name[GT_TEAM_MAX][32], distributed[GT_TEAM_MAX][32];
	struct gt_processes *processes = NULL;
	int n = 0;
	gt_status st = GT_OK;
	gt_backend_prefetch_end();
	if (gt_processes_are_spec(spec)) {
		GT_TRY(gt_processes_new(spec, ranks, &n, distributed, &processes));
		return open_ranks(n, distributed, processes, out);
	}
	if (gt_team_is_spec(spec))
		GT_TRY(gt_team_parse(spec, &n, name));
	else
		GT_TRY(gt_team_name_alone(spec, ranks, &n, name));
	GT_TRY(gt_team_distribute(spec, n, name, ranks, distributed));
	st = open_ranks(ranks, distributed, NULL, out);
done:
	return st;
}

void gt_team_close(gt_team *t)
{
	if (!t)
		return;
	for (int i = 0; i < GT_TEAM_MAX; i++) {
		if (t->be[i]) {
			gt_backend_wait(t->be[i]);
			gt_remote_close(t->be[i]);
			if (t->impl && t->rank[i]->state)
				t->impl->close(t->be[i], t->rank[i]->state);
			t->be[i]->rank = NULL;
			gt_backend_close(t->be[i]);
		}
		if (t->rank[i]) {
			free(t->rank[i]->all);
			free(t->rank[i]->packed);
		}
		free(t->rank[i]);
	}
	gt_processes_free(t->processes);
	gt_team_state_free(t->state);
	pthread_mutex_destroy(&t->one);
	free(t);
}

void gt_team_set_timeout(gt_team *t, double seconds) { t->timeout = seconds; }

gt_status gt_team_set_weights(gt_team *t, const double *weight)
{
	for (int i = 0; weight && i < t->n; i++)
		if (!(weight[i] > 0) || !isfinite(weight[i]))
			return gt_fail(GT_ERR_ARG, "load fraction of rank %d: %g: expected a number above 0", i, weight[i]);
	for (int i = 0; i < t->n; i++)
		t->weight[i] = weight ? weight[i] : 1;
	return GT_OK;
}
