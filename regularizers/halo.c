/* Halo exchange of slices between the ranks of a team. */
#include "core/device/backend.h"
#include "regularizers/halo.h"
#include "team/team.h"

enum { MAX_ROOMS = 4, MAX_PIECES = MAX_ROOMS * 64 };

/* Slices [first, end). */
struct span {
	size_t first, end;
};

static struct span common(struct span a, struct span b)
{
	const size_t first = a.first > b.first ? a.first : b.first, end = a.end < b.end ? a.end : b.end;
	return (struct span){ first, end > first ? end : first };
}

static struct span span_of(gt_range r) { return (struct span){ r.first, r.first + r.n }; }

/* Returns the slices that the owner of `own` reads. */
static struct span seen(const struct gt_halo *h, gt_range own)
{
	const size_t end = own.first + own.n, left = h->slices - end;
	if (!own.n)
		return span_of(own);
	return (struct span){ own.first > h->reach ? own.first - h->reach : 0, left > h->reach ? end + h->reach : h->slices };
}

void gt_halo_open(struct gt_halo *h, gt_backend *be, gt_type type, const gt_grid *grid, size_t reach)
{
	*h = (struct gt_halo){ .be = be,
		               .type = type,
		               .plane = grid->n[0] * grid->n[1],
		               .slices = grid->n[2],
		               .reach = reach,
		               .own = gt_local_range(be, grid->n[2]) };
	const struct span all = seen(h, h->own);
	h->below = h->lead = h->own.first - all.first;
	h->above = all.end - h->own.first - h->own.n;
}

/* A rank without slices has memory for one. */
size_t gt_halo_apart(const struct gt_halo *h)
{
	const size_t slices = h->lead + h->own.n + h->above;
	return (slices ? slices : 1) * h->plane;
}

gt_status gt_halo_room(const struct gt_halo *h, size_t fields, gt_array **room)
{
	const gt_status st = gt_array_new(h->be, h->type, fields * gt_halo_apart(h), room);
	if (st == GT_OK)
		gt_fill(0, *room);
	return st;
}

size_t gt_halo_slices(const struct gt_halo *h) { return h->below + h->own.n + h->above; }

static void *slice_of(const struct gt_halo *h, const gt_array *room, size_t slice)
{
	return (char *)gt_array_data(room) + slice * h->plane * gt_type_size(h->type);
}

void *gt_halo_begin(const struct gt_halo *h, const gt_array *room) { return slice_of(h, room, h->lead - h->below); }

void gt_halo_counts(const struct gt_halo *h, size_t *from, size_t *end)
{
	*from = h->below;
	*end = h->below + h->own.n;
}

/* Returns the block of a buffer that holds a range of slices, for all fields. */
static gt_exchange_block block(const struct gt_halo *h, const gt_array *room, int peer, struct span slices)
{
	const size_t size = gt_type_size(h->type), apart = gt_halo_apart(h);
	return (gt_exchange_block){ .peer = peer,
		                    .at = slice_of(h, room, slices.first + h->lead - h->own.first),
		                    .bytes = (slices.end - slices.first) * h->plane * size,
		                    .count = gt_array_size(room) / apart,
		                    .stride = apart * size };
}

void gt_halo_refresh(const struct gt_halo *h, gt_array *const *rooms, size_t n)
{
	gt_exchange_block out[MAX_PIECES], in[MAX_PIECES];
	size_t outs = 0, ins = 0;
	for (int i = 0; i < gt_ranks(h->be); i++) {
		const gt_range theirs = gt_team_range(h->be, i, h->slices);
		const struct span sent = common(span_of(h->own), seen(h, theirs)), taken = common(span_of(theirs), seen(h, h->own));
		for (size_t k = 0; k < n && i != gt_rank(h->be); k++) {
			if (sent.end > sent.first)
				out[outs++] = block(h, rooms[k], i, sent);
			if (taken.end > taken.first)
				in[ins++] = block(h, rooms[k], i, taken);
		}
	}
	gt_team_exchange(h->be, out, outs, in, ins);
}

static gt_array own_of(const struct gt_halo *h, const gt_array *room, size_t field)
{
	const size_t voxels = h->own.n * h->plane;
	return gt_array_at(h->be, h->type, voxels, (char *)slice_of(h, room, h->lead) + field * gt_halo_apart(h) * gt_type_size(h->type));
}

gt_array gt_halo_own(const struct gt_halo *h, const gt_array *room) { return own_of(h, room, 0); }

gt_array gt_halo_local(const gt_array *x) { return gt_array_at(x->be, x->type, x->n, x->data); }

/* Returns one of the volumes in the local part of x. */
static gt_array field_of(const struct gt_halo *h, const gt_array *x, size_t field)
{
	const size_t voxels = h->own.n * h->plane;
	return gt_array_at(h->be, h->type, voxels, (char *)x->data + field * voxels * gt_type_size(h->type));
}

static size_t fields_of(const struct gt_halo *h, const gt_array *x) { return h->own.n ? x->n / (h->own.n * h->plane) : 0; }

void gt_halo_fetch(const struct gt_halo *h, const gt_array *x, gt_array *room)
{
	for (size_t i = 0; i < fields_of(h, x); i++) {
		const gt_array from = field_of(h, x, i);
		gt_array to = own_of(h, room, i);
		gt_copy(&from, &to);
	}
	gt_halo_refresh(h, &room, 1);
}

void gt_halo_add(const struct gt_halo *h, const gt_array *room, gt_array *y)
{
	for (size_t i = 0; i < fields_of(h, y); i++) {
		const gt_array from = own_of(h, room, i);
		gt_array to = field_of(h, y, i);
		gt_axpy(1, &from, &to);
	}
}

void gt_halo_take(const struct gt_halo *h, const gt_array *room, gt_array *y)
{
	for (size_t i = 0; i < fields_of(h, y); i++) {
		const gt_array from = own_of(h, room, i);
		gt_array to = field_of(h, y, i);
		gt_copy(&from, &to);
	}
}

gt_status gt_halo_shared(const struct gt_halo *h, const gt_array *room, size_t first, gt_array **shared)
{
	const size_t apart = gt_halo_apart(h);
	const gt_partition_fields f = { .count = gt_array_size(room) / apart - first,
		                        .each = h->slices * h->plane,
		                        .first = h->own.first * h->plane,
		                        .n = h->own.n * h->plane,
		                        .apart = apart };
	return gt_array_wrap_fields(h->be, h->type, (char *)slice_of(h, room, h->lead) + first * apart * gt_type_size(h->type), &f, shared);
}
