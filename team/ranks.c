/* The ranks of a team: their backends, the lock that they share, and local ranges by load fractions. */
#include <math.h>
#include "team/team_impl.h"

const struct gt_exchange_impl *gt_exchange_of(const gt_team *t) { return t->impl; }
const struct gt_exchange_impl *gt_team_exchange_impl(const gt_backend *be) { return gt_exchange_of(be->rank->team); }
int gt_team_size(const gt_team *t) { return t->n; }
gt_backend *gt_team_backend(const gt_team *t, int rank) { return t->be[rank]; }
gt_backend *gt_team_backend_here(const gt_team *t) { return t->be[t->first]; }
const char *gt_team_where(const gt_team *t, int rank) { return t->where[rank]; }

int gt_team_leads(const gt_backend *be) { return !be || !be->rank || be->rank->id == be->rank->team->first; }
int gt_rank(const gt_backend *be) { return be && be->rank ? be->rank->id : 0; }
void gt_team_alone(gt_backend *be, int alone)
{
	if (be->rank)
		be->rank->alone = alone;
}

void gt_team_lock(gt_backend *be)
{
	if (be->rank)
		pthread_mutex_lock(&be->rank->team->one);
}

void gt_team_unlock(gt_backend *be)
{
	if (be->rank)
		pthread_mutex_unlock(&be->rank->team->one);
}

const struct gt_rank *gt_team_peer(const gt_backend *be, int rank) { return be->rank->team->rank[rank]; }

gt_range gt_team_range_among(const gt_backend *be, int first, int ranks, int rank, size_t n)
{
	if (!be->rank)
		return (gt_range){ 0, n };
	const double *weight = be->rank->team->weight;
	double before = 0, all = 0;
	for (int i = first; i < first + ranks; i++) {
		before += i < rank ? weight[i] : 0;
		all += weight[i];
	}
	const size_t begin = (size_t)floor((double)n * before / all + 0.5);
	const size_t end = rank + 1 == first + ranks ? n : (size_t)floor((double)n * (before + weight[rank]) / all + 0.5);
	return (gt_range){ begin, end - begin };
}

gt_range gt_team_range(const gt_backend *be, int rank, size_t n) { return gt_team_range_among(be, 0, gt_ranks(be), rank, n); }

gt_range gt_local_range(const gt_backend *be, size_t n) { return gt_team_range(be, gt_rank(be), n); }
