/* Shared arrays: partition by load fractions, and the collective copy of the whole to host memory. */
#include <stdlib.h>
#include <string.h>
#include "core/partition/partition.h"
#include "team/processes.h"

gt_status gt_array_new_shared(gt_backend *be, gt_type type, size_t each, size_t n, gt_array **a)
{
	if (gt_ranks(be) == 1)
		return gt_array_new(be, type, each * n, a);
	const gt_range own = gt_local_range(be, n);
	return gt_array_new_partition(be, type, each * n, (gt_range){ own.first * each, own.n * each }, a);
}

struct wish {
	void *host;
	size_t first, n;
};

/* Distinct destinations in this process that receive the whole array. */
static int is_first_request(const gt_team *t, const struct wish *w, int i)
{
	int is_first = !gt_is_remote(t, i) && w[i].host;
	for (int k = t->first; k < i && is_first; k++)
		is_first = w[k].host != w[i].host;
	return is_first;
}

/* 1: a rank of the process with ranks first ... end - 1 requests the whole array. */
static int wants(const struct wish *w, int first, int end)
{
	for (int i = first; i < end; i++)
		if (w[i].host)
			return 1;
	return 0;
}

/* Exchanges elements between processes: each rank sends its own; the first local rank that requests the whole array
 * receives into its memory. */
static void exchange_requests(const gt_array *a, gt_type type, const struct wish *w, void *own)
{
	gt_backend *be = a->be;
	const gt_team *t = be->rank->team;
	const size_t bytes = gt_type_size(type);
	gt_exchange_block out[GT_TEAM_MAX], in[GT_TEAM_MAX];
	size_t outs = 0, ins = 0;
	int first, end, taker = t->first;
	while (taker < t->first + t->here && !w[taker].host)
		taker++;
	for (int i = 0; i < t->n; i = end) {
		gt_processes_ranks(t, i, &first, &end);
		if (!gt_is_remote(t, i))
			continue;
		int to = first;
		while (to < end && !w[to].host)
			to++;
		if (wants(w, first, end) && a->n)
			out[outs++] = (gt_exchange_block){ to, own, a->n * bytes, 1, 0 };
		for (int k = first; k < end && taker == gt_rank(be); k++)
			if (w[k].n)
				in[ins++] = (gt_exchange_block){ k, (char *)w[taker].host + w[k].first * bytes, w[k].n * bytes, 1, 0 };
	}
	gt_team_exchange_host(be, out, outs, in, ins);
	/* other local ranks that request the whole array in separate memory */
	for (int k = t->first; k < t->first + t->here && taker == gt_rank(be); k++)
		for (int i = 0; i < t->n && k != taker && is_first_request(t, w, k); i++)
			if (gt_is_remote(t, i))
				memcpy((char *)w[k].host + w[i].first * bytes, (char *)w[taker].host + w[i].first * bytes, w[i].n * bytes);
}

static void get_remote(const gt_array *a, gt_type type, const struct wish *w)
{
	char *own = malloc(a->n * gt_type_size(type) + 1);
	if (own)
		gt_partition_get_own(a, type, own);
	else
		gt_backend_fail(a->be, gt_fail(GT_ERR_MEMORY, "no memory for %zu elements sent to another process", a->n));
	exchange_requests(a, type, w, own);
	free(own);
}

void gt_team_get(const gt_array *a, gt_type type, void *host)
{
	const gt_team *t = a->be->rank->team;
	struct wish mine = { host, a->first, a->n }, all[GT_TEAM_MAX];
	if (gt_team_gather(a->be, &mine, sizeof mine, all) != GT_OK)
		return;
	for (int i = 0; i < t->n; i++)
		if (is_first_request(t, all, i))
			gt_partition_get_own(a, type, (char *)all[i].host + a->first * gt_type_size(type));
	if (t->processes)
		get_remote(a, type, all);
	gt_team_gather(a->be, &mine, sizeof mine, all); /* barrier: all destinations are written */
}
