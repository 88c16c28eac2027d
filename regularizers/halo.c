/* Slices of neighbours in a team. */
#include "core/device/backend.h"
#include "regularizers/halo.h"

enum { MAX_ROOMS = 8 };

/* Who owns a slice; -1: nobody. */
static int owner(gt_backend *be, size_t slices, size_t slice)
{
	for (int i = 0; i < gt_members(be); i++) {
		const gt_range r = gt_team_share(be, i, slices);
		if (slice >= r.first && slice < r.first + r.n)
			return i;
	}
	return -1;
}

void gt_halo_open(struct gt_halo *h, gt_backend *be, gt_type type, const gt_grid *grid)
{
	*h = (struct gt_halo){ .be = be,
		               .type = type,
		               .plane = grid->n[0] * grid->n[1],
		               .slices = grid->n[2],
		               .own = gt_my_share(be, grid->n[2]),
		               .lower = -1,
		               .upper = -1 };
	if (h->own.n && h->own.first)
		h->lower = owner(be, grid->n[2], h->own.first - 1);
	if (h->own.n)
		h->upper = owner(be, grid->n[2], h->own.first + h->own.n);
}

static size_t slices_of_room(const struct gt_halo *h) { return 1 + h->own.n + (h->upper >= 0); }

gt_status gt_halo_room(const struct gt_halo *h, gt_array **room)
{
	const gt_status st = gt_array_new(h->be, h->type, slices_of_room(h) * h->plane, room);
	if (st == GT_OK)
		gt_fill(0, *room);
	return st;
}

size_t gt_halo_slices(const struct gt_halo *h) { return h->own.n + (h->lower >= 0) + (h->upper >= 0); }

static void *slice_of(const struct gt_halo *h, const gt_array *room, size_t slice)
{
	return (char *)gt_array_data(room) + slice * h->plane * gt_type_size(h->type);
}

void *gt_halo_begin(const struct gt_halo *h, const gt_array *room) { return slice_of(h, room, h->lower >= 0 ? 0 : 1); }

void gt_halo_counts(const struct gt_halo *h, size_t *from, size_t *end)
{
	*from = h->lower >= 0;
	*end = *from + h->own.n;
}

void gt_halo_refresh(const struct gt_halo *h, gt_array *const *rooms, size_t n)
{
	gt_piece out[2 * MAX_ROOMS], in[2 * MAX_ROOMS];
	size_t pieces = 0;
	const size_t bytes = h->plane * gt_type_size(h->type);
	for (size_t i = 0; i < n; i++) {
		if (h->lower >= 0) {
			out[pieces] = (gt_piece){ h->lower, slice_of(h, rooms[i], 1), bytes, 1, 0 };
			in[pieces++] = (gt_piece){ h->lower, slice_of(h, rooms[i], 0), bytes, 1, 0 };
		}
		if (h->upper >= 0) {
			out[pieces] = (gt_piece){ h->upper, slice_of(h, rooms[i], h->own.n), bytes, 1, 0 };
			in[pieces++] = (gt_piece){ h->upper, slice_of(h, rooms[i], h->own.n + 1), bytes, 1, 0 };
		}
	}
	gt_team_exchange(h->be, out, pieces, in, pieces);
}

/* What a room has of the member's slices, as an array of its own. */
static gt_array own_part(const struct gt_halo *h, const gt_array *room)
{
	const size_t n = h->own.n * h->plane;
	return (gt_array){ GT_IS_ARRAY, h->be, h->type, n, slice_of(h, room, 1), 1, 0, n, 0 };
}

static gt_array local(const gt_array *y) { return (gt_array){ GT_IS_ARRAY, y->be, y->type, y->n, y->data, 1, 0, y->n, 0 }; }

void gt_halo_fetch(const struct gt_halo *h, const gt_array *x, gt_array *room)
{
	const gt_array from = local(x);
	gt_array to = own_part(h, room);
	gt_copy(&from, &to);
	gt_halo_refresh(h, &room, 1);
}

void gt_halo_add(const struct gt_halo *h, const gt_array *room, gt_array *y)
{
	const gt_array from = own_part(h, room);
	gt_array to = local(y);
	gt_axpy(1, &from, &to);
}

void gt_halo_take(const struct gt_halo *h, const gt_array *room, gt_array *y)
{
	const gt_array from = own_part(h, room);
	gt_array to = local(y);
	gt_copy(&from, &to);
}

gt_status gt_halo_shared(const struct gt_halo *h, const gt_array *room, gt_array **shared)
{
	const gt_array own = own_part(h, room);
	const gt_status st = gt_array_wrap(h->be, h->type, own.n, own.data, shared);
	if (st != GT_OK)
		return st;
	(*shared)->shared = 1;
	(*shared)->all = h->slices * h->plane;
	(*shared)->first = h->own.first * h->plane;
	return GT_OK;
}
