/* A team: its members' backends and their shares. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/team/far.h"
#include "core/team/processes.h"
#include "core/try.h"

enum { SPINS = 20000 }; /* looks before a member of a team of GPUs sleeps: some ten microseconds */
static const double patience = 600;

const struct gt_exchange_impl *gt_exchange_of(const gt_team *t) { return t->impl; }
const struct gt_exchange_impl *gt_team_exchange_impl(const gt_backend *be) { return gt_exchange_of(be->member->team); }

/* Opening -------------------------------------------------------------------- */

static gt_status add_member(gt_team *t, int rank, const char *name)
{
	gt_status st = GT_OK;
	struct gt_member *m = calloc(1, sizeof *m);
	if (!m)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	m->team = t;
	m->rank = rank;
	t->member[rank] = m;
	if (!(m->all = calloc((size_t)t->n * GT_SLOTS, sizeof *m->all)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a team"));
	GT_TRY(gt_backend_open(name, &t->be[rank]));
	t->be[rank]->member = m;
	snprintf(t->where[rank], sizeof t->where[rank], "%s", gt_backend_name(t->be[rank]));
done:
	return st;
}

/* Members of this process, as the team says which they are. */
static gt_status add_members(gt_team *t, char name[GT_TEAM_MAX][32])
{
	gt_status st = GT_OK;
	GT_TRY(gt_team_state_new(&t->state));
	for (int i = 0; i < t->here; i++)
		GT_TRY(add_member(t, t->first + i, name[i]));
	t->impl = gt_backend_is_gpu(t->be[t->first]) ? GT_IF_CUDA(&gt_exchange_cuda) : NULL;
	t->spins = t->impl ? SPINS : 0;
	for (int i = 0; t->impl && i < t->here; i++)
		GT_TRY(t->impl->open(t->be + t->first, t->here, i, &t->member[t->first + i]->state));
done:
	return st;
}

static gt_status open_members(int n, char name[GT_TEAM_MAX][32], struct gt_processes *processes, gt_team **out)
{
	gt_team *t = calloc(1, sizeof *t);
	if (!t) {
		gt_processes_free(processes);
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	}
	pthread_mutex_init(&t->one, NULL);
	*t = (gt_team){ .n = n, .here = n, .patience = patience, .processes = processes, .one = t->one };
	for (int i = 0; i < GT_TEAM_MAX; i++)
		t->weight[i] = 1;
	if (processes)
		gt_processes_place(processes, &t->n, &t->first);
	gt_status st = add_members(t, name);
	if (processes) /* also of those that failed: the others must know */
		st = gt_processes_agree(t, st);
	if (st == GT_OK)
		*out = t;
	else
		gt_team_close(t);
	return st;
}

gt_status gt_team_open(const char *spec, gt_team **out)
{
	struct gt_processes *processes = NULL;
	char name[GT_TEAM_MAX][32];
	int n = 0;
	gt_status st = GT_OK;
	if (gt_processes_are_spec(spec))
		GT_TRY(gt_processes_new(spec, 0, &n, name, &processes));
	else
		GT_TRY(gt_team_parse(spec, &n, name));
	st = open_members(n, name, processes, out);
done:
	return st;
}

gt_status gt_team_deal(const char *spec, int n, char name[GT_TEAM_MAX][32], int members, char dealt[GT_TEAM_MAX][32])
{
	if (members % n && n % members)
		return gt_fail(GT_ERR_ARG, "backend '%s': %d devices: expected a number of which %d is a multiple", spec, n, members);
	for (int i = 0; i < members; i++)
		memcpy(dealt[i], name[i * n / members], sizeof dealt[i]);
	return GT_OK;
}

gt_status gt_team_open_dealt(const char *spec, int members, gt_team **out)
{
	char name[GT_TEAM_MAX][32], dealt[GT_TEAM_MAX][32];
	struct gt_processes *processes = NULL;
	int n = 0;
	gt_status st = GT_OK;
	if (gt_processes_are_spec(spec)) {
		GT_TRY(gt_processes_new(spec, members, &n, dealt, &processes));
		return open_members(n, dealt, processes, out);
	}
	if (gt_team_is_spec(spec))
		GT_TRY(gt_team_parse(spec, &n, name));
	else
		GT_TRY(gt_team_name_alone(spec, members, &n, name));
	GT_TRY(gt_team_deal(spec, n, name, members, dealt));
	st = open_members(members, dealt, NULL, out);
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
			gt_far_close(t->be[i]);
			if (t->impl && t->member[i]->state)
				t->impl->close(t->be[i], t->member[i]->state);
			t->be[i]->member = NULL;
			gt_backend_close(t->be[i]);
		}
		if (t->member[i]) {
			free(t->member[i]->all);
			free(t->member[i]->packed);
		}
		free(t->member[i]);
	}
	gt_processes_free(t->processes);
	gt_team_state_free(t->state);
	pthread_mutex_destroy(&t->one);
	free(t);
}

int gt_team_size(const gt_team *t) { return t->n; }
gt_backend *gt_team_backend(const gt_team *t, int member) { return t->be[member]; }
gt_backend *gt_team_backend_here(const gt_team *t) { return t->be[t->first]; }
const char *gt_team_where(const gt_team *t, int member) { return t->where[member]; }
void gt_team_set_patience(gt_team *t, double seconds) { t->patience = seconds; }

gt_status gt_team_set_weights(gt_team *t, const double *weight)
{
	for (int i = 0; weight && i < t->n; i++)
		if (!(weight[i] > 0) || !isfinite(weight[i]))
			return gt_fail(GT_ERR_ARG, "share of member %d: %g: expected a number above 0", i, weight[i]);
	for (int i = 0; i < t->n; i++)
		t->weight[i] = weight ? weight[i] : 1;
	return GT_OK;
}

int gt_team_leads(const gt_backend *be) { return !be || !be->member || be->member->rank == be->member->team->first; }
int gt_member(const gt_backend *be) { return be && be->member ? be->member->rank : 0; }
int gt_members(const gt_backend *be) { return be && be->member && !be->member->alone ? be->member->team->n : 1; }
void gt_team_alone(gt_backend *be, int alone)
{
	if (be->member)
		be->member->alone = alone;
}

void gt_team_lock(gt_backend *be)
{
	if (be->member)
		pthread_mutex_lock(&be->member->team->one);
}

void gt_team_unlock(gt_backend *be)
{
	if (be->member)
		pthread_mutex_unlock(&be->member->team->one);
}

const struct gt_member *gt_team_peer(const gt_backend *be, int rank) { return be->member->team->member[rank]; }

gt_range gt_team_share_among(const gt_backend *be, int first, int members, int member, size_t n)
{
	if (!be->member)
		return (gt_range){ 0, n };
	const double *weight = be->member->team->weight;
	double before = 0, all = 0;
	for (int i = first; i < first + members; i++) {
		before += i < member ? weight[i] : 0;
		all += weight[i];
	}
	const size_t begin = (size_t)floor((double)n * before / all + 0.5);
	const size_t end = member + 1 == first + members ? n : (size_t)floor((double)n * (before + weight[member]) / all + 0.5);
	return (gt_range){ begin, end - begin };
}

gt_range gt_team_share(const gt_backend *be, int member, size_t n) { return gt_team_share_among(be, 0, gt_members(be), member, n); }

gt_range gt_my_share(const gt_backend *be, size_t n) { return gt_team_share(be, gt_member(be), n); }
