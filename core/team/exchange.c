/* What members do together: a few bytes of the host, pieces of arrays, and the numbers of reductions. */
#include <math.h>
#include <string.h>
#include "core/team/team_impl.h"

gt_status gt_team_gather(gt_backend *be, const void *mine, size_t bytes, void *all)
{
	const int n = gt_members(be);
	if (n == 1) {
		memcpy(all, mine, bytes);
		return GT_OK;
	}
	be->member->post = mine;
	if (!gt_team_meet(be))
		return gt_backend_known(be);
	for (int i = 0; i < n; i++)
		memcpy((char *)all + (size_t)i * bytes, gt_team_peer(be, i)->post, bytes);
	return gt_team_meet(be) ? GT_OK : gt_backend_known(be);
}

double gt_team_first(gt_backend *be, double v)
{
	double all[GT_TEAM_MAX];
	return gt_members(be) > 1 && gt_team_gather(be, &v, sizeof v, all) == GT_OK ? all[0] : v;
}

double gt_team_least(gt_backend *be, double v)
{
	double all[GT_TEAM_MAX];
	if (gt_members(be) == 1 || gt_team_gather(be, &v, sizeof v, all) != GT_OK)
		return v;
	for (int i = 0; i < gt_members(be); i++)
		v = fmin(v, all[i]);
	return v;
}

/* Pieces --------------------------------------------------------------------- */

static void copy_on_host(const gt_piece *from, const gt_piece *to)
{
	for (size_t k = 0; k < to->count; k++)
		memcpy((char *)to->at + k * to->stride, (const char *)from->at + k * from->stride, to->bytes);
}

/* The piece at the peer that meets in[k]; NULL: there is none like it. */
static const gt_piece *partner(const gt_backend *be, const gt_piece *in, size_t k)
{
	const struct gt_member *peer = gt_team_peer(be, in[k].peer);
	const gt_piece *out = peer->post;
	size_t before = 0;
	for (size_t i = 0; i < k; i++)
		before += in[i].peer == in[k].peer;
	for (size_t i = 0; i < peer->posts; i++)
		if (out[i].peer == be->member->rank && before-- == 0)
			return out[i].bytes == in[k].bytes && out[i].count == in[k].count ? &out[i] : NULL;
	return NULL;
}

static void pull(gt_backend *be, const struct gt_exchange_impl *impl, const gt_piece *in, size_t k)
{
	const gt_piece *from = partner(be, in, k);
	if (!from) {
		gt_backend_fail(be, gt_fail(GT_ERR_DEVICE, "exchange: member %d expects %zu x %zu bytes of member %d, which sends others",
		                            be->member->rank, in[k].count, in[k].bytes, in[k].peer));
		return;
	}
	if (impl)
		impl->pull(be, gt_team_peer(be, in[k].peer)->state, from, &in[k]);
	else
		copy_on_host(from, &in[k]);
	be->member->exchanged += in[k].bytes * in[k].count;
}

void gt_team_exchange(gt_backend *be, const gt_piece *out, size_t outs, const gt_piece *in, size_t ins)
{
	struct gt_member *m = be->member;
	if (gt_members(be) == 1 || be->rehearsed || be->status != GT_OK)
		return;
	const struct gt_exchange_impl *impl = gt_team_exchange_impl(be);
	m->post = out;
	m->posts = outs;
	if (impl)
		impl->ready(be, m->state);
	if (!gt_team_meet(be))
		return;
	for (size_t k = 0; k < ins; k++) {
		if (impl)
			impl->after(be, gt_team_peer(be, in[k].peer)->state, 0);
		pull(be, impl, in, k);
	}
	if (impl)
		impl->taken(be, m->state);
	if (!gt_team_meet(be) || !impl)
		return;
	for (size_t k = 0; k < outs; k++)
		impl->after(be, gt_team_peer(be, out[k].peer)->state, 1);
}

size_t gt_team_exchanged(const gt_backend *be) { return be->member ? be->member->exchanged : 0; }

/* Numbers -------------------------------------------------------------------- */

void gt_team_slot(gt_backend *be, size_t slot, int join)
{
	be->member->join[slot] = (unsigned char)join;
	be->member->is_part[slot] = 0;
}

void gt_team_join_later(gt_backend *be, double *value)
{
	if (gt_members(be) == 1 || be->rehearsed)
		return;
	struct gt_member *m = be->member;
	gt_backend_lock(be);
	size_t slot = 0;
	while (slot < be->pending && be->later[slot] != value)
		slot++;
	if (slot == be->pending) { /* the host has made it */
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

/* In the order of members, so that all have the same bits. */
void gt_team_settle(gt_backend *be, size_t slots)
{
	struct gt_member *m = be->member;
	int any = 0;
	for (size_t k = 0; k < slots; k++) {
		if (m->is_part[k])
			be->slot[k] = m->part[k];
		any |= m->join[k];
	}
	if (!any || be->rehearsed || gt_members(be) == 1 || be->status != GT_OK)
		return;
	m->post = be->slot;
	m->posts = slots;
	if (!gt_team_meet(be))
		return;
	for (size_t k = 0; k < slots; k++) {
		if (m->join[k])
			m->sum[k] = ((const double *)gt_team_peer(be, 0)->post)[k];
		for (int i = 1; m->join[k] && i < gt_members(be); i++)
			m->sum[k] = join(m->join[k], m->sum[k], ((const double *)gt_team_peer(be, i)->post)[k]);
	}
	if (!gt_team_meet(be))
		return;
	for (size_t k = 0; k < slots; k++)
		if (m->join[k])
			be->slot[k] = m->sum[k];
}

/* Room ----------------------------------------------------------------------- */

gt_status gt_team_room_reserve(gt_backend *be, const size_t bytes[GT_TEAM_ROOMS])
{
	struct gt_member *m = be->member;
	for (int i = 0; i < GT_TEAM_ROOMS; i++) {
		if (bytes[i] <= m->room_bytes[i])
			continue;
		gt_backend_wait(be);
		gt_backend_free(be, m->room[i], m->room_bytes[i]);
		m->room_bytes[i] = 0;
		if (!(m->room[i] = gt_backend_alloc(be, bytes[i], "room for what members exchange")))
			return GT_ERR_MEMORY;
		m->room_bytes[i] = bytes[i];
	}
	m->room_users++;
	return GT_OK;
}

void gt_team_room_release(gt_backend *be)
{
	struct gt_member *m = be->member;
	if (!m || --m->room_users)
		return;
	for (int i = 0; i < GT_TEAM_ROOMS; i++) {
		gt_backend_free(be, m->room[i], m->room_bytes[i]);
		m->room[i] = NULL;
		m->room_bytes[i] = 0;
	}
}
