/* Passes over a volume: common checks of the penalties that use them, and dispatch to the backend. */
#include <math.h>
#include <string.h>
#include "core/try.h"
#include "regularizers/pass.h"
#include "team/team.h"

static const struct gt_pass_impl *impl(const gt_backend *be) { return gt_backend_is_gpu(be) ? GT_IF_CUDA(&gt_pass_cuda) : &gt_pass_cpu; }

gt_status gt_site_open(struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid)
{
	return gt_site_open_wide(s, name, be, type, grid, 1);
}

gt_status gt_site_open_wide(struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid, size_t reach)
{
	*s = (struct gt_site){ .be = be, .type = type, .name = name, .voxels = gt_grid_voxels(grid), .end = grid->n[2] };
	memcpy(s->n, grid->n, sizeof s->n);
	if (gt_ranks(be) > 1) {
		s->shares = 1;
		gt_halo_open(&s->halo, be, type, grid, reach);
		gt_halo_counts(&s->halo, &s->from, &s->end);
		s->n[2] = gt_halo_slices(&s->halo);
		s->voxels = s->halo.own.n * s->halo.plane;
	}
	const gt_status st = gt_scratch_reserve(be, impl(be)->scratch, "sums of a penalty");
	s->open = st == GT_OK;
	return st;
}

void gt_site_close(struct gt_site *s)
{
	if (s->open)
		gt_scratch_release(s->be);
	s->open = 0;
}

int gt_site_fits(const struct gt_site *s, const gt_array *a)
{
	if (s->be->status != GT_OK)
		return 0;
	if (a->be != s->be || a->type != s->type || a->n != s->voxels)
		gt_backend_fail(s->be, gt_fail(GT_ERR_ARG, "%s is for %zu %s values on %s, not %zu (%s, %s)", s->name, s->voxels,
		                               gt_type_name(s->type), s->be->name, a->n, gt_type_name(a->type), a->be->name));
	return s->be->status == GT_OK;
}

int gt_site_takes_step(const struct gt_site *s, double t, double lo, double hi)
{
	if (t >= 0 && isfinite(t) && lo <= hi)
		return 1;
	gt_backend_fail(s->be, gt_fail(GT_ERR_ARG, "%s: proximal step of %g between %g and %g: expected one of 0 or more, bounds in order",
	                               s->name, t, lo, hi));
	return 0;
}

/* A dry run computes nothing, also when a penalty is created. */
void gt_site_run(const struct gt_site *s, enum gt_pass pass, const struct gt_pass_call *call, double *first, double *second)
{
	const struct gt_pass_range range = { s->n, s->from, s->end };
	if (!s->be->dry_run && s->end > s->from)
		impl(s->be)->run(s->be, s->type, &range, pass, call, first, second);
	else if (!s->be->dry_run && first) /* a rank without slices adds 0 */
		*first = second ? *second = 0 : 0;
	if (s->shares && first)
		gt_team_join_later(s->be, first);
	if (s->shares && second)
		gt_team_join_later(s->be, second);
}

void gt_site_run_on(const struct gt_site *s, const size_t *n, enum gt_pass pass, const struct gt_pass_call *call)
{
	const struct gt_pass_range range = { n, 0, n[2] };
	if (!s->be->dry_run && n[2])
		impl(s->be)->run(s->be, s->type, &range, pass, call, NULL, NULL);
}

gt_status gt_site_room(const struct gt_site *s, size_t fields, gt_array **room)
{
	const gt_status st = s->shares ? GT_OK : gt_array_new(s->be, s->type, fields * s->voxels, room);
	if (s->shares)
		return gt_halo_room(&s->halo, fields, room);
	if (st == GT_OK)
		gt_fill(0, *room);
	return st;
}

size_t gt_site_apart(const struct gt_site *s) { return s->shares ? gt_halo_apart(&s->halo) : s->voxels; }

void *gt_site_reads(const struct gt_site *s, const gt_array *x, gt_array *room)
{
	if (!s->shares)
		return x->data;
	gt_halo_fetch(&s->halo, x, room);
	return room->data;
}

void *gt_site_writes(const struct gt_site *s, const gt_array *y, const gt_array *room) { return s->shares ? room->data : y->data; }

void gt_site_take(const struct gt_site *s, const gt_array *room, gt_array *y)
{
	if (s->shares)
		gt_halo_take(&s->halo, room, y);
}

void gt_site_refresh(const struct gt_site *s, gt_array *const *rooms, size_t n)
{
	if (s->shares)
		gt_halo_refresh(&s->halo, rooms, n);
}

gt_array gt_site_own(const struct gt_site *s, const gt_array *room)
{
	return s->shares ? gt_halo_own(&s->halo, room) : gt_array_at(s->be, s->type, s->voxels, room->data);
}

gt_status gt_site_kept(const struct gt_site *s, const gt_array *room, size_t first, gt_array **kept)
{
	if (s->shares)
		return gt_halo_shared(&s->halo, room, first, kept);
	const size_t from = first * s->voxels;
	return gt_array_part(room, from, gt_array_size(room) - from, kept);
}
