/* Collectives: host gather, block exchange and allreduce. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "team/processes.h"
#include "team/remote.h"

/* The lowest rank of each process gathers; the others copy the result. */
static gt_status gather_remote(gt_backend *be, size_t bytes, void *all)
{
	gt_team *t = be->rank->team;
	struct gt_rank *first = t->rank[t->first];
	const void *remote = gt_team_leads(be) ? gt_processes_gather(t, bytes) : NULL;
	if (gt_team_leads(be))
		first->takes = remote;
	if (!gt_team_barrier(be))
		return gt_backend_known(be);
	if (gt_team_begin_reading(be)) {
		memcpy(all, first->takes, (size_t)t->n * bytes);
		gt_team_end_reading(be);
	}
	return gt_team_barrier(be) ? GT_OK : gt_backend_known(be);
}

gt_status gt_team_gather(gt_backend *be, const void *mine, size_t bytes, void *all)
{
	const int n = gt_ranks(be);
	if (n == 1) {
		memcpy(all, mine, bytes);
		return GT_OK;
	}
	be->rank->post = mine;
	if (!gt_team_barrier(be))
		return gt_backend_known(be);
	if (be->rank->team->processes)
		return gather_remote(be, bytes, all);
	if (gt_team_begin_reading(be)) {
		for (int i = 0; i < n; i++)
			memcpy((char *)all + (size_t)i * bytes, gt_team_peer(be, i)->post, bytes);
		gt_team_end_reading(be);
	}
	return gt_team_barrier(be) ? GT_OK : gt_backend_known(be);
}

double gt_team_first(gt_backend *be, double v)
{
	double all[GT_TEAM_MAX];
	return gt_ranks(be) > 1 && gt_team_gather(be, &v, sizeof v, all) == GT_OK ? all[0] : v;
}

double gt_team_min(gt_backend *be, double v)
{
	double all[GT_TEAM_MAX];
	if (gt_ranks(be) == 1 || gt_team_gather(be, &v, sizeof v, all) != GT_OK)
		return v;
	for (int i = 0; i < gt_ranks(be); i++)
		v = fmin(v, all[i]);
	return v;
}

/* Blocks --------------------------------------------------------------------- */

static void copy_on_host(const gt_exchange_block *from, const gt_exchange_block *to)
{
	for (size_t k = 0; k < to->count; k++)
		memcpy((char *)to->at + k * to->stride, (const char *)from->at + k * from->stride, to->bytes);
}

/* Returns the block of the peer that matches in[k]; NULL: none. */
static const gt_exchange_block *partner(const gt_backend *be, const gt_exchange_block *in, size_t k)
{
	const struct gt_rank *peer = gt_team_peer(be, in[k].peer);
	const gt_exchange_block *out = peer->post;
	size_t before = 0;
	for (size_t i = 0; i < k; i++)
		before += in[i].peer == in[k].peer;
	for (size_t i = 0; i < peer->posts; i++)
		if (out[i].peer == be->rank->id && before-- == 0)
			return out[i].bytes == in[k].bytes && out[i].count == in[k].count ? &out[i] : NULL;
	return NULL;
}

static void pull(gt_backend *be, const struct gt_exchange_impl *impl, const gt_exchange_block *in, size_t k)
{
	const gt_exchange_block *from = partner(be, in, k);
	if (!from) {
		gt_backend_fail(be, gt_fail(GT_ERR_DEVICE,
		                            "exchange: rank %d expects %zu x %zu bytes from rank %d, which sent no matching block",
		                            be->rank->id, in[k].count, in[k].bytes, in[k].peer));
		return;
	}
	if (impl)
		impl->pull(be, gt_team_peer(be, in[k].peer)->state, from, &in[k]);
	else
		copy_on_host(from, &in[k]);
}

/* Blocks of other processes, dense in host memory: in place, or packed. */
struct remote {
	gt_exchange_block *list; /* outs, then ins; blocks of this process have no bytes and no peer */
	size_t outs, ins;
};

static int is_dense(const gt_exchange_block *p) { return p->count == 1 || p->stride == p->bytes; }

static int lies_well(const gt_backend *be, const gt_exchange_block *p) { return !gt_backend_is_gpu(be) && is_dense(p); }

static int is_remote_block(const gt_backend *be, const gt_exchange_block *p)
{
	return gt_is_remote(be->rank->team, p->peer) && p->bytes && p->count;
}

/* Copies between a block and its dense host copy. */
static void copy_packed(gt_backend *be, const gt_exchange_block *p, char *packed, int unpacks)
{
	const size_t n = is_dense(p) ? 1 : p->count, bytes = is_dense(p) ? p->count * p->bytes : p->bytes;
	gt_backend_lock(be);
	for (size_t k = 0; k < n; k++) {
		char *at = (char *)p->at + k * p->stride;
		if (unpacks)
			be->ops->put(be, packed + k * p->bytes, at, bytes);
		else
			be->ops->get(be, at, packed + k * p->bytes, bytes);
	}
	gt_backend_unlock(be);
}

static size_t packed_bytes(const gt_backend *be, const gt_exchange_block *p, size_t n)
{
	size_t bytes = 0;
	for (size_t k = 0; k < n; k++)
		bytes += is_remote_block(be, &p[k]) && !lies_well(be, &p[k]) ? p[k].bytes * p[k].count : 0;
	return bytes;
}

static gt_status pack_remote(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins,
                             struct remote *f)
{
	struct gt_rank *m = be->rank;
	const size_t bytes = packed_bytes(be, out, outs) + packed_bytes(be, in, ins);
	size_t at = 0;
	*f = (struct remote){ calloc(outs + ins + 1, sizeof *f->list), outs, ins };
	if (bytes > m->packed_bytes) {
		free(m->packed);
		m->packed = malloc(bytes);
		m->packed_bytes = m->packed ? bytes : 0;
	}
	if (!f->list || (bytes && !m->packed))
		return gt_fail(GT_ERR_MEMORY, "no memory of %zu bytes for exchanges between processes", bytes);
	for (size_t k = 0; k < outs + ins; k++) {
		const gt_exchange_block *p = k < outs ? &out[k] : &in[k - outs];
		f->list[k] = (gt_exchange_block){ .peer = -1 };
		if (!is_remote_block(be, p))
			continue;
		f->list[k] = (gt_exchange_block){ p->peer, p->at, p->bytes * p->count, 1, 0 };
		if (lies_well(be, p))
			continue;
		f->list[k].at = m->packed + at;
		at += p->bytes * p->count;
		if (k < outs)
			copy_packed(be, p, f->list[k].at, 0);
	}
	return GT_OK;
}

static void unpack_remote(gt_backend *be, const gt_exchange_block *in, const struct remote *f)
{
	for (size_t k = 0; k < f->ins; k++) {
		const gt_exchange_block *p = &f->list[f->outs + k];
		if (p->peer < 0)
			continue;
		if (!lies_well(be, &in[k]))
			copy_packed(be, &in[k], p->at, 1);
	}
}

void gt_team_exchange_host(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	struct gt_rank *m = be->rank;
	m->post = out;
	m->takes = in;
	m->posts = outs;
	m->takings = ins;
	if (gt_team_barrier(be) && gt_team_leads(be) && gt_team_begin_reading(be)) {
		gt_processes_exchange(m->team);
		gt_team_end_reading(be);
	}
	gt_team_barrier(be);
}

static size_t copy_remote(const gt_backend *be, const gt_exchange_block *p, size_t n, gt_exchange_block *list)
{
	size_t remote = 0;
	for (size_t k = 0; k < n; k++)
		if (is_remote_block(be, &p[k]))
			list[remote++] = p[k];
	return remote;
}

static void exchange_devices(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	gt_exchange_block *list = malloc((outs + ins + 1) * sizeof *list);
	if (!list) {
		gt_backend_fail(be, gt_fail(GT_ERR_MEMORY, "no memory for exchanges between processes"));
		return;
	}
	const size_t sent = copy_remote(be, out, outs, list), taken = copy_remote(be, in, ins, list + sent);
	gt_remote_exchange(be, list, sent, list + sent, taken);
	free(list);
}

static void exchange_remote(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	struct remote f;
	if (gt_remote_is_open(be)) {
		exchange_devices(be, out, outs, in, ins);
		return;
	}
	const gt_status st = pack_remote(be, out, outs, in, ins, &f);
	if (st != GT_OK)
		gt_backend_fail(be, st);
	gt_team_exchange_host(be, f.list, outs, f.list + outs, ins);
	if (be->status == GT_OK)
		unpack_remote(be, in, &f);
	free(f.list);
}

static void exchange_here(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	struct gt_rank *m = be->rank;
	const struct gt_exchange_impl *impl = gt_team_exchange_impl(be);
	m->post = out;
	m->posts = outs;
	if (impl)
		impl->ready(be, m->state);
	if (!gt_team_barrier(be))
		return;
	/* Begins after its own blocks, so that the ranks do not all read from the same one at once. */
	size_t begin = 0;
	while (begin < ins && in[begin].peer <= m->id)
		begin++;
	for (size_t i = 0; i < ins && gt_team_begin_reading(be); i++) {
		const size_t k = (begin + i) % ins;
		if (!gt_is_remote(m->team, in[k].peer)) {
			if (impl)
				impl->after(be, gt_team_peer(be, in[k].peer)->state, 0);
			pull(be, impl, in, k);
		}
		gt_team_end_reading(be);
	}
	if (impl)
		impl->taken(be, m->state);
	if (!gt_team_barrier(be) || !impl)
		return;
	for (size_t k = 0; k < outs; k++)
		if (!gt_is_remote(m->team, out[k].peer))
			impl->after(be, gt_team_peer(be, out[k].peer)->state, 1);
}

void gt_team_connect(gt_backend *be)
{
	if (gt_ranks(be) > 1 && be->rank->team->processes && !be->dry_run && be->status == GT_OK)
		gt_remote_begin(be);
}

void gt_team_exchange(gt_backend *be, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	if (gt_ranks(be) == 1 || be->dry_run || be->status != GT_OK)
		return;
	exchange_here(be, out, outs, in, ins);
	if (be->rank->team->processes && be->status == GT_OK)
		exchange_remote(be, out, outs, in, ins);
}

const char *gt_team_exchanges(const gt_backend *be) { return be->rank && *be->rank->how ? be->rank->how : NULL; }

/* Reductions ----------------------------------------------------------------- */

void gt_team_slot(gt_backend *be, size_t slot, int join)
{
	be->rank->join[slot] = (unsigned char)join;
	be->rank->is_part[slot] = 0;
}

void gt_team_join_later(gt_backend *be, double *value)
{
	if (gt_ranks(be) == 1 || be->dry_run)
		return;
	struct gt_rank *m = be->rank;
	gt_backend_lock(be);
	size_t slot = 0;
	while (slot < be->pending && be->later[slot] != value)
		slot++;
	if (slot == be->pending) { /* the host computed it */
		const double part = *value;
		slot = gt_backend_slot(be, value);
		gt_team_slot(be, slot, GT_JOIN_SUM);
		m->is_part[slot] = 1;
		m->part[slot] = part;
	}
	m->join[slot] = GT_JOIN_SUM;
	gt_backend_unlock(be);
}

static double join(int how, double a, double b) { return how == GT_JOIN_SUM ? a + b : how == GT_JOIN_MAX ? fmax(a, b) : fmin(a, b); }

/* Adds in the order of ranks, so that the results are bit-identical on all of them. */
void gt_team_allreduce(gt_backend *be, size_t slots)
{
	struct gt_rank *m = be->rank;
	int any = 0;
	for (size_t k = 0; k < slots; k++) {
		if (m->is_part[k])
			be->slot[k] = m->part[k];
		any |= m->join[k];
	}
	if (!any || be->dry_run || gt_ranks(be) == 1 || be->status != GT_OK)
		return;
	if (gt_team_gather(be, be->slot, slots * sizeof *be->slot, m->all) != GT_OK)
		return;
	for (size_t k = 0; k < slots; k++) {
		double sum = m->all[k];
		for (int i = 1; i < gt_ranks(be); i++)
			sum = join(m->join[k], sum, m->all[(size_t)i * slots + k]);
		if (m->join[k])
			be->slot[k] = sum;
	}
}

/* Buffers -------------------------------------------------------------------- */

gt_status gt_team_scratch_reserve(gt_backend *be, const size_t bytes[GT_TEAM_SCRATCH])
{
	struct gt_rank *m = be->rank;
	for (int i = 0; i < GT_TEAM_SCRATCH; i++) {
		if (bytes[i] <= m->room_bytes[i])
			continue;
		gt_backend_wait(be);
		gt_backend_free(be, m->room[i], m->room_bytes[i]);
		m->room_bytes[i] = 0;
		if (!(m->room[i] = gt_backend_alloc(be, bytes[i], "exchange buffers")))
			return GT_ERR_MEMORY;
		m->room_bytes[i] = bytes[i];
	}
	m->room_users++;
	return GT_OK;
}

void gt_team_scratch_release(gt_backend *be)
{
	struct gt_rank *m = be->rank;
	if (!m || --m->room_users)
		return;
	for (int i = 0; i < GT_TEAM_SCRATCH; i++) {
		gt_backend_free(be, m->room[i], m->room_bytes[i]);
		m->room[i] = NULL;
		m->room_bytes[i] = 0;
	}
}
