/* Arrays that a team shares. */
#include <stdlib.h>
#include "core/device/get_staged.h"
#include "core/team/share.h"
#include "core/team/team_impl.h"
#include "core/try.h"

gt_status gt_array_new_share(gt_backend *be, gt_type type, size_t all, gt_range own, gt_array **a)
{
	if (own.first > all || own.n > all - own.first)
		return gt_fail(GT_ERR_ARG, "a share of elements %zu to %zu of an array of %zu", own.first, own.first + own.n, all);
	const gt_status st = gt_array_new(be, type, own.n, a);
	if (st != GT_OK)
		return st;
	(*a)->shared = 1;
	(*a)->all = all;
	(*a)->first = own.first;
	return GT_OK;
}

gt_status gt_array_new_shared(gt_backend *be, gt_type type, size_t each, size_t n, gt_array **a)
{
	if (gt_members(be) == 1)
		return gt_array_new(be, type, each * n, a);
	const gt_range own = gt_my_share(be, n);
	return gt_array_new_share(be, type, each * n, (gt_range){ own.first * each, own.n * each }, a);
}

size_t gt_array_here(const gt_array *a) { return a->n; }
gt_range gt_array_own(const gt_array *a) { return (gt_range){ a->first, a->n }; }
int gt_array_is_shared(const gt_array *a) { return a->shared; }

gt_status gt_array_local(const gt_array *a, gt_array **local) { return gt_array_wrap(a->be, a->type, a->n, a->data, local); }

gt_status gt_array_shaped(const gt_array *room, size_t at, const gt_array *model, gt_array **part)
{
	if (room->shared || at > room->n || model->n > room->n - at)
		return gt_fail(GT_ERR_ARG, "room of %zu elements, not for %zu from element %zu on", room->n, model->n, at);
	const gt_status st = gt_array_wrap(room->be, room->type, model->n, (char *)room->data + at * gt_type_size(room->type), part);
	if (st != GT_OK)
		return st;
	(*part)->shared = model->shared;
	(*part)->all = model->all;
	(*part)->first = model->first;
	return GT_OK;
}

gt_status gt_share_part(const gt_array *whole, size_t first, size_t n, gt_array **part)
{
	const size_t end = whole->first + whole->n, low = first > whole->first ? first : whole->first,
		     high = first + n < end ? first + n : end, here = high > low ? high - low : 0;
	const size_t at = here ? low - whole->first : 0;
	const gt_status st = gt_array_wrap(whole->be, whole->type, here, (char *)whole->data + at * gt_type_size(whole->type), part);
	if (st != GT_OK)
		return st;
	(*part)->shared = 1;
	(*part)->all = n;
	(*part)->first = here ? low - first : 0;
	return GT_OK;
}

/* This member's elements into the memory of one of them. */
static void write_own(const gt_array *a, gt_type type, void *host)
{
	gt_array own = *a;
	own.shared = 0;
	own.all = own.n;
	own.first = 0;
	char *to = (char *)host + a->first * gt_type_size(type);
	if (!a->n)
		return;
	if (type == a->type && gt_array_get_staged(&own, to))
		return;
	if (type == a->type)
		gt_array_get(&own, to);
	else
		gt_array_get_float(&own, (float *)(void *)to);
}

void gt_share_get(const gt_array *a, gt_type type, void *host)
{
	void *all[GT_TEAM_MAX];
	if (a->be->rehearsed)
		return;
	if (gt_team_gather(a->be, &host, sizeof host, all) != GT_OK)
		return;
	for (int i = 0; i < gt_members(a->be); i++) {
		int is_first = all[i] != NULL;
		for (int k = 0; k < i && is_first; k++)
			is_first = all[k] != all[i];
		if (is_first)
			write_own(a, type, all[i]);
	}
	gt_team_gather(a->be, &host, sizeof host, all); /* nobody goes on before all is written */
}
