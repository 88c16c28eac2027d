/* Decides collectively whether GPUs of different processes exchange directly (NCCL) or through the host. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "team/process_group.h"
#include "team/remote.h"

static const struct gt_remote_impl *impl_of(const gt_backend *be) { return gt_backend_is_gpu(be) ? GT_IF_CUDA(&gt_remote_nccl) : NULL; }

static void look(gt_backend *be, struct gt_remote_report *mine, int *number)
{
	const struct gt_remote_impl *impl = impl_of(be);
	gt_status st = impl ? impl->load(&mine->version) : gt_fail(GT_ERR_UNSUPPORTED, "a rank is not a GPU");
	if (st == GT_OK)
		st = impl->device(be, mine->device, number);
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

/* Opening in a thread, between two gathers. */
struct gt_remote_opening {
	pthread_t thread;
	int is_running, device, rank, ranks;
	const struct gt_remote_impl *impl;
	struct gt_remote_report mine, *all; /* all: [ranks] */
	void *state;
	char why[GT_REMOTE_REASON];
};

static void *open_(void *self)
{
	struct gt_remote_opening *o = self;
	o->mine.can = o->impl->open(o->device, o->all[0].id, o->ranks, o->rank, &o->state) == GT_OK;
	snprintf(o->mine.why, sizeof o->mine.why, "%s", o->mine.can ? "" : gt_error());
	return NULL;
}

static gt_status begin(gt_backend *be, struct gt_remote_opening *o)
{
	o->rank = gt_rank(be);
	o->ranks = gt_ranks(be);
	o->impl = impl_of(be);
	if (!(o->all = calloc((size_t)o->ranks, sizeof *o->all)))
		return gt_fail(GT_ERR_MEMORY, "no memory for the reports of the ranks");
	look(be, &o->mine, &o->device);
	const gt_status st = gt_team_gather(be, &o->mine, sizeof o->mine, o->all);
	if (st == GT_OK && gt_remote_can(o->all, o->ranks, o->why)) {
		o->is_running = pthread_create(&o->thread, NULL, open_, o) == 0;
		if (!o->is_running)
			open_(o);
	}
	return st;
}

void gt_remote_begin(gt_backend *be)
{
	struct gt_rank *m = be->rank;
	if (m->opening || *m->how || !gt_backend_is_gpu(be))
		return;
	m->opening = calloc(1, sizeof *m->opening);
	const gt_status st = m->opening ? begin(be, m->opening) : gt_fail(GT_ERR_MEMORY, "no memory for NCCL");
	if (st != GT_OK)
		gt_backend_fail(be, st);
}

/* Waits for the thread, and frees the record. */
static void end_opening(struct gt_rank *m)
{
	struct gt_remote_opening *o = m->opening;
	if (!o)
		return;
	if (o->is_running)
		pthread_join(o->thread, NULL);
	m->remote = o->state;
	m->opening = NULL;
	free(o->all);
	free(o);
}

static gt_status settle(gt_backend *be, struct gt_remote_opening *o)
{
	struct gt_rank *m = be->rank;
	const int version = o->all[0].version;
	gt_status st = GT_OK;
	if (!*o->why) {
		if (o->is_running)
			pthread_join(o->thread, NULL);
		o->is_running = 0;
		st = gt_team_gather(be, &o->mine, sizeof o->mine, o->all);
		snprintf(m->how, sizeof m->how, "NCCL %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
	}
	const int can = st == GT_OK && gt_remote_can(o->all, o->ranks, o->why);
	if (st == GT_OK && !can)
		snprintf(m->how, sizeof m->how, "memory of the host: %s", o->why);
	end_opening(m);
	if (!can)
		gt_remote_close(be);
	return st;
}

int gt_remote_is_open(gt_backend *be)
{
	struct gt_rank *m = be->rank;
	if (!gt_backend_is_gpu(be))
		return 0;
	gt_remote_begin(be);
	if (m->opening && be->status == GT_OK) {
		const gt_status st = settle(be, m->opening);
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
	end_opening(be->rank);
	if (be->rank->remote)
		impl_of(be)->close(be, be->rank->remote);
	be->rank->remote = NULL;
}
