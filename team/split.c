/* Operator of a team. Memory: received blocks, and input and output of the local operator if they differ from the owned
 * blocks. It is sized for the largest operator of the backend, and allocated once. */
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "team/split.h"
#include "team/team_impl.h"

enum { X, Y };

struct side {
	size_t each, n;
	gt_block *own, *local;
	int is_plain; /* own blocks equal local blocks: no exchange */
	size_t *at;   /* [ranks + 1]: offsets of the received blocks in the buffer, in elements */
};

struct split {
	gt_backend *be;
	gt_type type;
	gt_linop *local;
	struct side side[2];
	int has_room;
};

/* Intersection of two blocks of one side. */
static gt_block both(gt_block a, gt_block b)
{
	const size_t first = a.first > b.first ? a.first : b.first, low = a.low > b.low ? a.low : b.low;
	const size_t end = a.first + a.n < b.first + b.n ? a.first + a.n : b.first + b.n;
	const size_t high = a.low + a.wide < b.low + b.wide ? a.low + a.wide : b.low + b.wide;
	if (end <= first || high <= low)
		return (gt_block){ 0, 0, 0, 0 };
	return (gt_block){ first, end - first, low, high - low };
}

static size_t size_of(gt_block b) { return b.n * b.wide; }
static int same(gt_block a, gt_block b) { return size_of(a) + size_of(b) == 0 || !memcmp(&a, &b, sizeof a); }

static gt_exchange_block block(int peer, const void *data, gt_type type, gt_block whole, gt_block part)
{
	const size_t s = gt_type_size(type);
	if (!size_of(part))
		return (gt_exchange_block){ peer, NULL, 0, 0, 0 };
	const size_t at = (part.first - whole.first) * whole.wide + (part.low - whole.low);
	if (part.wide == whole.wide)
		return (gt_exchange_block){ peer, (char *)data + at * s, size_of(part) * s, 1, 0 };
	return (gt_exchange_block){ peer, (char *)data + at * s, part.wide * s, part.n, whole.wide * s };
}

/* If one of two blocks has gaps, both are counted by things. */
static void by_things(gt_exchange_block *p, gt_block part, gt_type type)
{
	if (p->count == 1 && part.n > 1)
		*p = (gt_exchange_block){ p->peer, p->at, part.wide * gt_type_size(type), part.n, part.wide * gt_type_size(type) };
}

static size_t add_piece(gt_exchange_block *list, size_t n, gt_exchange_block p)
{
	if (p.bytes)
		list[n++] = p;
	return n;
}

/* Shared buffers of the operators of a backend: input and output of the local operator, and received blocks. */
static void *room(const struct split *s, int which) { return s->be->rank->room[which]; }

/* NULL if nothing comes: then the offset is 0. */
static void *room_at(const struct split *s, int which, size_t bytes)
{
	char *first = room(s, which);
	return first ? first + bytes : NULL;
}

/* Gathers the input of the local operator from its owners. */
static void fetch(const struct split *s, int side, const gt_array *x)
{
	const struct side *d = &s->side[side];
	gt_exchange_block out[GT_TEAM_MAX], in[GT_TEAM_MAX];
	size_t outs = 0, ins = 0;
	const int me = gt_rank(s->be);
	for (int p = 0; p < gt_ranks(s->be); p++) {
		const gt_block to = both(d->own[me], d->local[p]), from = both(d->own[p], d->local[me]);
		gt_exchange_block a = block(p, x->data, s->type, d->own[me], to), b = block(p, room(s, side), s->type, d->local[me], from);
		if (d->local[p].wide != d->each)
			by_things(&a, to, s->type);
		if (d->local[me].wide != d->each)
			by_things(&b, from, s->type);
		outs = add_piece(out, outs, a);
		ins = add_piece(in, ins, b);
	}
	gt_team_exchange(s->be, out, outs, in, ins);
}

static gt_array array_of(const struct split *s, void *data, size_t n) { return gt_array_at(s->be, s->type, n, data); }

/* The data of rank p lies in the buffer with the layout of y; rows outside its block are 0. */
static gt_block arrives(const struct side *d, int p, int me)
{
	gt_block b = both(d->local[p], d->own[me]);
	if (!size_of(b))
		return b;
	b.low = 0;
	b.wide = d->each;
	return b;
}

/* The contribution of this rank to its own block, where the local operator wrote it; NULL: it needs its own layout. */
static void *mine_in_place(const struct split *s, int side)
{
	const struct side *d = &s->side[side];
	const int me = gt_rank(s->be);
	const gt_block own = both(d->local[me], d->own[me]);
	if (!size_of(own) || d->local[me].wide != d->each)
		return NULL;
	return (char *)room(s, side) + (own.first - d->local[me].first) * d->each * gt_type_size(s->type);
}

/* y = sum of the contributions of the ranks, in their order. */
static void add_up(const struct split *s, int side, gt_array *y)
{
	const struct side *d = &s->side[side];
	gt_exchange_block out[GT_TEAM_MAX], in[GT_TEAM_MAX];
	size_t outs = 0, ins = 0;
	const int me = gt_rank(s->be);
	const size_t bytes = gt_type_size(s->type);
	gt_array all = array_of(s, room(s, 2), d->at[gt_ranks(s->be)]);
	void *const mine = mine_in_place(s, side);
	int has_gaps = 0;
	for (int p = 0; p < gt_ranks(s->be); p++) {
		if (mine && p == me)
			continue;
		const gt_block to = both(d->local[me], d->own[p]), from = both(d->local[p], d->own[me]);
		gt_exchange_block a = block(p, room(s, side), s->type, d->local[me], to);
		gt_exchange_block b = block(p, room_at(s, 2, d->at[p] * bytes), s->type, arrives(d, p, me), from);
		if (d->local[me].wide != d->each)
			by_things(&a, to, s->type);
		if (d->local[p].wide != d->each)
			by_things(&b, from, s->type);
		has_gaps |= size_of(from) && from.wide != d->each;
		outs = add_piece(out, outs, a);
		ins = add_piece(in, ins, b);
	}
	if (has_gaps)
		gt_fill(0, &all);
	gt_team_exchange(s->be, out, outs, in, ins);
	int begun = 0;
	for (int p = 0; p < gt_ranks(s->be); p++) {
		const gt_block b = arrives(d, p, me);
		gt_array part = array_of(s, mine && p == me ? mine : room_at(s, 2, d->at[p] * bytes), size_of(b));
		gt_array to = array_of(s, (char *)y->data + (size_of(b) ? (b.first - d->own[me].first) * d->each * bytes : 0), size_of(b));
		if (!begun && to.n == y->n)
			gt_copy(&part, &to);
		else if (!begun)
			gt_fill(0, y);
		if (to.n && (begun || to.n != y->n))
			gt_axpy(1, &part, &to);
		begun = 1;
	}
}

static void apply(const struct split *s, int from, const gt_array *a, gt_array *b)
{
	const struct side *d = s->side;
	const int me = gt_rank(s->be), to = !from;
	if (!d[from].is_plain)
		fetch(s, from, a);
	gt_array in = array_of(s, d[from].is_plain ? a->data : room(s, from), size_of(d[from].local[me]));
	gt_array out = array_of(s, d[to].is_plain ? b->data : room(s, to), size_of(d[to].local[me]));
	if (s->local && from == X)
		gt_forward(s->local, &in, &out);
	else if (s->local)
		gt_adjoint(s->local, &in, &out);
	else
		gt_fill(0, &out);
	if (!d[to].is_plain)
		add_up(s, to, b);
}

static void forward(void *self, const gt_array *x, gt_array *y) { apply(self, X, x, y); }
static void adjoint(void *self, const gt_array *y, gt_array *x) { apply(self, Y, y, x); }

static void destroy(void *self)
{
	struct split *s = self;
	gt_linop_free(s->local);
	if (s->has_room)
		gt_team_scratch_release(s->be);
	for (int i = 0; i < 2; i++) {
		free(s->side[i].own);
		free(s->side[i].local);
		free(s->side[i].at);
	}
	free(s);
}

static gt_status copy_side(const gt_split_side *from, int n, int me, struct side *d)
{
	d->each = from->each;
	d->n = from->n;
	d->own = malloc((size_t)n * sizeof *d->own);
	d->local = malloc((size_t)n * sizeof *d->local);
	d->at = calloc((size_t)n + 1, sizeof *d->at);
	if (!d->own || !d->local || !d->at)
		return gt_fail(GT_ERR_MEMORY, "no memory for the operator of a team");
	memcpy(d->own, from->own, (size_t)n * sizeof *d->own);
	memcpy(d->local, from->local, (size_t)n * sizeof *d->local);
	d->is_plain = 1;
	for (int p = 0; p < n; p++) {
		d->is_plain &= same(d->own[p], d->local[p]);
		d->at[p + 1] = d->at[p] + (p == me && d->local[me].wide == d->each ? 0 : size_of(arrives(d, p, me)));
	}
	return GT_OK;
}

static size_t max(size_t a, size_t b) { return a > b ? a : b; }

gt_status gt_split_new(const gt_split_side side[2], gt_backend *be, gt_type type, gt_linop *local, gt_linop **A)
{
	static const struct gt_linop_ops ops = { .name = "split", .forward = forward, .adjoint = adjoint, .free = destroy };
	const int n = gt_ranks(be), me = gt_rank(be);
	gt_status st = GT_OK;
	struct split *s = be->rank ? calloc(1, sizeof *s) : NULL;
	if (!s) {
		gt_linop_free(local);
		return be->rank ? gt_fail(GT_ERR_MEMORY, "no memory for the operator of a team")
		                : gt_fail(GT_ERR_ARG, "%s: expected the backend of a team", be->name);
	}
	*s = (struct split){ .be = be, .type = type, .local = local };
	for (int i = 0; i < 2; i++)
		GT_TRY(copy_side(&side[i], n, me, &s->side[i]));
	const struct side *x = &s->side[X], *y = &s->side[Y];
	const size_t bytes[3] = { x->is_plain ? 0 : size_of(x->local[me]), y->is_plain ? 0 : size_of(y->local[me]),
		                  max(x->is_plain ? 0 : x->at[n], y->is_plain ? 0 : y->at[n]) };
	if (local && (gt_linop_nx(local) != size_of(x->local[me]) || gt_linop_ny(local) != size_of(y->local[me])))
		GT_TRY(gt_fail(GT_ERR_ARG, "operator of a rank: maps %zu to %zu values, expected %zu to %zu", gt_linop_nx(local),
		               gt_linop_ny(local), size_of(x->local[me]), size_of(y->local[me])));
	GT_TRY(gt_team_scratch_reserve(be, (const size_t[3]){ bytes[0] * gt_type_size(type), bytes[1] * gt_type_size(type),
	                                                      bytes[2] * gt_type_size(type) }));
	s->has_room = 1;
	st = gt_linop_new(&ops, s, be, type, x->each * x->n, y->each * y->n, A);
	if (st == GT_OK)
		gt_linop_take_shared(*A);
	return st;
done:
	destroy(s);
	return st;
}
