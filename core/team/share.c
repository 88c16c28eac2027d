/* Arrays that a team shares. */
#include <stdlib.h>
#include <string.h>
#include "core/device/get_staged.h"
#include "core/team/share.h"
#include "core/team/processes.h"
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

gt_status gt_array_wrap_fields(gt_backend *be, gt_type type, void *data, const gt_share_fields *f, gt_array **a)
{
	if (!f->count || f->first > f->each || f->n > f->each - f->first || f->n > f->apart)
		return gt_fail(GT_ERR_ARG, "a share of elements %zu to %zu of %zu fields of %zu, %zu apart", f->first, f->first + f->n,
		               f->count, f->each, f->apart);
	const gt_status st = gt_array_wrap(be, type, f->count * f->n, data, a);
	if (st != GT_OK)
		return st;
	(*a)->shared = 1;
	(*a)->all = f->count * f->each;
	(*a)->fields = *f;
	(*a)->fields.from = 0;
	return GT_OK;
}

/* What is here and meant of a field; in *at, where that begins in the array. */
static gt_array run_of(const gt_array *a, size_t field, size_t *at)
{
	const gt_share_fields *f = &a->fields;
	const size_t begin = field * f->each + f->first, low = begin > f->from ? begin : f->from, end = begin + f->n,
		     high = end < f->from + a->all ? end : f->from + a->all, n = high > low ? high - low : 0;
	const size_t place = n ? field * f->apart + low - begin : 0;
	*at = n ? low - f->from : 0;
	return gt_array_at(a->be, a->type, n, (char *)a->data + place * gt_type_size(a->type));
}

void gt_fields_put(const void *host, gt_array *a)
{
	for (size_t i = 0; i < a->fields.count; i++) {
		size_t at;
		gt_array run = run_of(a, i, &at);
		if (run.n)
			gt_array_put((const char *)host + at * gt_type_size(a->type), &run);
	}
}

void gt_fields_fill(double value, gt_array *a)
{
	for (size_t i = 0; i < a->fields.count; i++) {
		size_t at;
		gt_array run = run_of(a, i, &at);
		gt_fill(value, &run);
	}
}

/* Field by field; of a part that is not whole fields nobody asks. */
static void get_fields(const gt_array *a, gt_type type, void *host)
{
	const gt_share_fields *f = &a->fields;
	for (size_t i = 0; i < f->count; i++) {
		gt_array one = gt_array_at(a->be, a->type, f->n, (char *)a->data + i * f->apart * gt_type_size(a->type));
		one.shared = 1;
		one.all = f->each;
		one.first = f->first;
		gt_share_get(&one, type, host ? (char *)host + i * f->each * gt_type_size(type) : NULL);
	}
}

gt_status gt_share_part(const gt_array *whole, size_t first, size_t n, gt_array **part)
{
	if (whole->fields.count) {
		const gt_status made = gt_array_wrap_fields(whole->be, whole->type, whole->data, &whole->fields, part);
		if (made == GT_OK) {
			(*part)->fields.from = whole->fields.from + first;
			(*part)->all = n;
		}
		return made;
	}
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

/* This member's elements into memory of the host that begins with them. */
static void write_own(const gt_array *a, gt_type type, void *to)
{
	gt_array own = *a;
	own.shared = 0;
	own.all = own.n;
	own.first = 0;
	if (!a->n)
		return;
	if (type == a->type && gt_array_get_staged(&own, to))
		return;
	if (type == a->type)
		gt_array_get(&own, to);
	else
		gt_array_get_float(&own, (float *)to);
}

/* What a member says of where an array goes. */
struct wish {
	void *host;
	size_t first, n;
};

/* Memory of this process that wants all, once each. */
static int is_first_wish(const gt_team *t, const struct wish *w, int i)
{
	int is_first = !gt_is_far(t, i) && w[i].host;
	for (int k = t->first; k < i && is_first; k++)
		is_first = w[k].host != w[i].host;
	return is_first;
}

/* 1: some member of the process of `member` wants all. first: of that process. */
static int wants(const struct wish *w, int first, int end)
{
	for (int i = first; i < end; i++)
		if (w[i].host)
			return 1;
	return 0;
}

/* Elements of members of other processes: each member of this one sends its own, and the first of those here that
 * want all takes theirs into its memory. */
static void exchange_wishes(const gt_array *a, gt_type type, const struct wish *w, void *own)
{
	gt_backend *be = a->be;
	const gt_team *t = be->member->team;
	const size_t bytes = gt_type_size(type);
	gt_piece out[GT_TEAM_MAX], in[GT_TEAM_MAX];
	size_t outs = 0, ins = 0;
	int first, end, taker = t->first;
	while (taker < t->first + t->here && !w[taker].host)
		taker++;
	for (int i = 0; i < t->n; i = end) {
		gt_processes_members(t, i, &first, &end);
		if (!gt_is_far(t, i))
			continue;
		int to = first;
		while (to < end && !w[to].host)
			to++;
		if (wants(w, first, end) && a->n)
			out[outs++] = (gt_piece){ to, own, a->n * bytes, 1, 0 };
		for (int k = first; k < end && taker == gt_member(be); k++)
			if (w[k].n)
				in[ins++] = (gt_piece){ k, (char *)w[taker].host + w[k].first * bytes, w[k].n * bytes, 1, 0 };
	}
	gt_team_exchange_host(be, out, outs, in, ins);
	/* Others here that want all in memory of their own. */
	for (int k = t->first; k < t->first + t->here && taker == gt_member(be); k++)
		for (int i = 0; i < t->n && k != taker && is_first_wish(t, w, k); i++)
			if (gt_is_far(t, i))
				memcpy((char *)w[k].host + w[i].first * bytes, (char *)w[taker].host + w[i].first * bytes, w[i].n * bytes);
}

static void get_far(const gt_array *a, gt_type type, const struct wish *w)
{
	char *own = malloc(a->n * gt_type_size(type) + 1);
	if (own)
		write_own(a, type, own);
	else
		gt_backend_fail(a->be, gt_fail(GT_ERR_MEMORY, "no memory for %zu elements on their way to another process", a->n));
	exchange_wishes(a, type, w, own);
	free(own);
}

void gt_share_get(const gt_array *a, gt_type type, void *host)
{
	struct wish mine = { host, a->first, a->n }, all[GT_TEAM_MAX];
	const size_t at = a->first * gt_type_size(type);
	if (a->be->rehearsed)
		return;
	if (a->fields.count && a->all < a->fields.count * a->fields.each) {
		gt_backend_fail(a->be, gt_fail(GT_ERR_UNSUPPORTED, "elements of a part of fields that a team shares: expected all"));
		return;
	}
	if (a->fields.count) {
		get_fields(a, type, host);
		return;
	}
	if (gt_members(a->be) == 1) {
		write_own(a, type, (char *)host + at);
		return;
	}
	const gt_team *t = a->be->member->team;
	if (gt_team_gather(a->be, &mine, sizeof mine, all) != GT_OK)
		return;
	for (int i = 0; i < gt_members(a->be); i++)
		if (is_first_wish(t, all, i))
			write_own(a, type, (char *)all[i].host + at);
	if (t->processes)
		get_far(a, type, all);
	gt_team_gather(a->be, &mine, sizeof mine, all); /* nobody goes on before all is written */
}
