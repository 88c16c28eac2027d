/* Decides collectively whether GPUs of different processes exchange directly (NCCL) or through the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "team/process_group.h"
#include "team/remote.h"

static const struct gt_remote_impl *impl_of(const gt_backend *be) { return gt_backend_is_gpu(be) ? GT_IF_CUDA(&gt_remote_nccl) : NULL; }

static void look(gt_backend *be, struct gt_remote_report *mine)
{
	const struct gt_remote_impl *impl = impl_of(be);
	gt_status st = impl ? impl->load(&mine->version) : gt_fail(GT_ERR_UNSUPPORTED, "a rank is not a GPU");
	if (st == GT_OK)
		st = impl->device(be, mine->device);
	if (st == GT_OK && gt_rank(be) == 0)
		st = impl->make_id(mine->id);
	mine->can = st == GT_OK;
	snprintf(mine->host, sizeof mine->host, "%s", gt_group_host());
	snprintf(mine->why, sizeof mine->why, "%s", st == GT_OK ? "" : gt_error());
}

int gt_remote_can(const struct gt_remote_report *all, int n, char why[GT_REMOTE_REASON])
{
	*why = 0;
	for (int i = 0; i < n && !*why; i++) {
		if (!all[i].can)
			snprintf(why, GT_REMOTE_REASON, "rank %d (%s): %s", i, all[i].host, all[i].why);
		for (int k = 0; k < i && !*why; k++)
			if (!strcmp(all[i].device, all[k].device) && !strcmp(all[i].host, all[k].host))
				snprintf(why, GT_REMOTE_REASON, "ranks %d and %d share a device (%s of %s)", k, i, all[i].device,
				         all[i].host);
	}
	return !*why;
}

static gt_status agree(gt_backend *be, struct gt_remote_report *all)
{
	struct gt_rank *m = be->rank;
	const int n = gt_ranks(be);
	struct gt_remote_report mine = { .can = 0 };
	char why[GT_REMOTE_REASON];
	look(be, &mine);
	gt_status st = gt_team_gather(be, &mine, sizeof mine, all);
	if (st != GT_OK)
		return st;
	int can = gt_remote_can(all, n, why);
	if (can) {
		mine.can = impl_of(be)->open(be, all[0].id, n, m->id, &m->remote) == GT_OK;
		snprintf(mine.why, sizeof mine.why, "%s", mine.can ? "" : gt_error());
		const int version = all[0].version;
		st = gt_team_gather(be, &mine, sizeof mine, all);
		if (st != GT_OK)
			return st;
		can = gt_remote_can(all, n, why);
		snprintf(m->how, sizeof m->how, "NCCL %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
	}
	if (!can) {
		snprintf(m->how, sizeof m->how, "memory of the host: %s", why);
		gt_remote_close(be);
	}
	return GT_OK;
}

int gt_remote_is_open(gt_backend *be)
{
	struct gt_rank *m = be->rank;
	if (!gt_backend_is_gpu(be))
		return 0;
	if (!*m->how) {
		struct gt_remote_report *all = calloc((size_t)gt_ranks(be), sizeof *all);
		const gt_status st = all ? agree(be, all) : gt_fail(GT_ERR_MEMORY, "no memory for the reports of the ranks");
		free(all);
		if (st != GT_OK)
			gt_backend_fail(be, st);
	}
	return m->remote != NULL;
}

int gt_remote_exchange(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	char mine = 0, all[GT_TEAM_MAX];
	/* Queues nothing until all ranks have arrived: a failed rank does not arrive, and no queue may wait for it. */
	if (gt_team_gather(be, &mine, 1, all) != GT_OK)
		return 0;
	impl_of(be)->exchange(be, be->rank->remote, out, outs, in, ins);
	return be->status == GT_OK;
}

void gt_remote_close(gt_backend *be)
{
	if (be->rank->remote)
		impl_of(be)->close(be, be->rank->remote);
	be->rank->remote = NULL;
}
