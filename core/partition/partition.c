/* Memory of arrays that are partitioned among the ranks of a team. */
#include <stdlib.h>
#include <string.h>
#include "core/partition/partition.h"
#include "core/try.h"

gt_status gt_array_new_partition(gt_backend *be, gt_type type, size_t all, gt_range own, gt_array **a)
{
	if (own.first > all || own.n > all - own.first)
		return gt_fail(GT_ERR_ARG, "a local range of elements %zu to %zu of an array of %zu", own.first, own.first + own.n, all);
	const gt_status st = gt_array_new(be, type, own.n, a);
	if (st != GT_OK)
		return st;
	(*a)->shared = 1;
	(*a)->all = all;
	(*a)->first = own.first;
	return GT_OK;
}

size_t gt_array_here(const gt_array *a) { return a->n; }
gt_range gt_array_own(const gt_array *a) { return (gt_range){ a->first, a->n }; }
int gt_array_is_shared(const gt_array *a) { return a->shared; }

gt_status gt_array_local(const gt_array *a, gt_array **local) { return gt_array_wrap(a->be, a->type, a->n, a->data, local); }

static gt_status take_runs(const gt_partition_run *run, size_t count, gt_array **a)
{
	gt_partition_runs *r = malloc(sizeof *r + count * sizeof *run);
	size_t n = 0, all = 0;
	if (!r) {
		gt_array_free(*a);
		*a = NULL;
		return gt_fail(GT_ERR_MEMORY, "no memory for the offsets of %zu runs", count);
	}
	r->count = count;
	r->dense = 1;
	r->run = (gt_partition_run *)(r + 1); /* one allocation: C++ kernels read the structure, so it has no flexible
	                                       * array */
	for (size_t i = 0; i < count; i++) {
		r->run[i] = run[i];
		r->dense &= !run[i].n || run[i].at == n;
		n += run[i].n;
		all += run[i].all;
	}
	(*a)->shared = 1;
	(*a)->runs = r;
	(*a)->all = all;
	(*a)->first = 0;
	return GT_OK;
}

/* Sets the offsets of runs that follow each other without gaps. */
static gt_status lay_dense(const gt_partition_run *run, size_t count, gt_array **a)
{
	gt_status st = take_runs(run, count, a);
	size_t at = 0;
	for (size_t i = 0; st == GT_OK && i < count; i++) {
		(*a)->runs->run[i].at = at;
		at += run[i].n;
	}
	if (st == GT_OK)
		(*a)->runs->dense = 1;
	return st;
}

gt_status gt_array_shaped(const gt_array *room, size_t at, const gt_array *model, gt_array **part)
{
	if (room->shared || at > room->n || model->n > room->n - at)
		return gt_fail(GT_ERR_ARG, "buffer of %zu elements: too small for %zu from element %zu on", room->n, model->n, at);
	const gt_status st = gt_array_wrap(room->be, room->type, model->n, (char *)room->data + at * gt_type_size(room->type), part);
	if (st != GT_OK)
		return st;
	(*part)->shared = model->shared;
	(*part)->all = model->all;
	(*part)->first = model->first;
	return model->runs ? take_runs(model->runs->run, model->runs->count, part) : GT_OK;
}

/* Number of runs of an array, and the i-th run. */
static size_t runs_of(const gt_array *a) { return a->runs ? a->runs->count : 1; }
static gt_partition_run run_of(const gt_array *a, size_t i)
{
	return a->runs ? a->runs->run[i] : (gt_partition_run){ a->all, a->first, a->n, 0 };
}

gt_status gt_array_shaped_all(const gt_array *room, size_t count, const gt_array *model, gt_array **all)
{
	const size_t each = runs_of(model);
	gt_status st = GT_OK;
	if (room->shared || !model->shared || (model->n && count > room->n / model->n))
		return gt_fail(GT_ERR_ARG, "buffer of %zu elements: too small for %zu times %zu", room->n, count, model->n);
	gt_partition_run *run = malloc((count * each + 1) * sizeof *run);
	if (!run)
		return gt_fail(GT_ERR_MEMORY, "no memory for the offsets of %zu runs", count * each);
	for (size_t i = 0; i < count * each; i++) {
		run[i] = run_of(model, i % each);
		run[i].at += i / each * model->n;
	}
	GT_TRY(gt_array_wrap(room->be, room->type, count * model->n, room->data, all));
	st = take_runs(run, count * each, all);
done:
	free(run);
	return st;
}

gt_status gt_array_new_runs(gt_backend *be, gt_type type, const gt_partition_run *run, size_t count, gt_array **a)
{
	size_t n = 0, all = 0;
	for (size_t i = 0; i < count; i++) {
		if (run[i].first > run[i].all || run[i].n > run[i].all - run[i].first)
			return gt_fail(GT_ERR_ARG, "a local range of elements %zu to %zu of a run of %zu", run[i].first,
			               run[i].first + run[i].n, run[i].all);
		n += run[i].n;
		all += run[i].all;
	}
	if (gt_ranks(be) == 1)
		return gt_array_new(be, type, all, a);
	if (count == 1)
		return gt_array_new_partition(be, type, all, (gt_range){ run->first, run->n }, a);
	const gt_status st = gt_array_new(be, type, n, a);
	return st == GT_OK ? lay_dense(run, count, a) : st;
}

gt_status gt_runs_like(const gt_array *model, gt_array **a)
{
	if (!model->runs->dense)
		return gt_fail(GT_ERR_UNSUPPORTED, "an array like one of %zu shared fields: expected fields without gaps",
		               model->runs->count);
	return gt_array_new_runs(model->be, model->type, model->runs->run, model->runs->count, a);
}

int gt_runs_equal(const gt_array *x, const gt_array *y)
{
	const gt_partition_runs *a = x->runs, *b = y->runs;
	if (!a || !b)
		return !a && !b;
	int alike = a->dense && b->dense && a->count == b->count;
	for (size_t i = 0; i < a->count && alike; i++)
		alike = a->run[i].all == b->run[i].all && a->run[i].first == b->run[i].first && a->run[i].n == b->run[i].n;
	return alike;
}

gt_array gt_array_run(const gt_array *a, size_t i)
{
	const gt_partition_run *r = &a->runs->run[i];
	gt_array one = gt_array_at(a->be, a->type, r->n, (char *)a->data + r->at * gt_type_size(a->type));
	one.shared = 1;
	one.all = r->all;
	one.first = r->first;
	return one;
}

gt_status gt_array_wrap_fields(gt_backend *be, gt_type type, void *data, const gt_partition_fields *f, gt_array **a)
{
	if (!f->count || f->first > f->each || f->n > f->each - f->first || f->n > f->apart)
		return gt_fail(GT_ERR_ARG, "a local range of elements %zu to %zu of %zu fields of %zu, %zu apart", f->first,
		               f->first + f->n, f->count, f->each, f->apart);
	gt_partition_run *run = malloc(f->count * sizeof *run);
	gt_status st = run ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for the offsets of %zu fields", f->count);
	GT_TRY(st);
	for (size_t i = 0; i < f->count; i++)
		run[i] = (gt_partition_run){ f->each, f->first, f->n, i * f->apart };
	GT_TRY(gt_array_wrap(be, type, f->count * f->n, data, a));
	GT_TRY(take_runs(run, f->count, a));
	(*a)->runs->dense = f->apart == f->n; /* also on ranks without elements */
done:
	free(run);
	return st;
}

/* Intersection of a run with elements first ... first+n-1. */
static gt_partition_run clip(gt_partition_run whole, size_t first, size_t n)
{
	const size_t end = whole.first + whole.n, low = first > whole.first ? first : whole.first, high = first + n < end ? first + n : end,
		     here = high > low ? high - low : 0;
	return (gt_partition_run){ n, here ? low - first : 0, here, whole.at + (here ? low - whole.first : 0) };
}

static gt_status part_of_run(const gt_array *whole, gt_partition_run r, gt_array **part)
{
	const gt_status st = gt_array_wrap(whole->be, whole->type, r.n, (char *)whole->data + r.at * gt_type_size(whole->type), part);
	if (st != GT_OK)
		return st;
	(*part)->shared = 1;
	(*part)->all = r.all;
	(*part)->first = r.first;
	return GT_OK;
}

/* Keeps the runs that intersect the part; a single one gives an array of one run. */
static gt_status part_of_runs(const gt_array *whole, size_t first, size_t n, gt_array **part)
{
	const gt_partition_runs *from = whole->runs;
	size_t before = 0, count = 0, here = 0;
	gt_status st = GT_OK;
	gt_partition_run *run = malloc(from->count * sizeof *run);
	if (!run)
		return gt_fail(GT_ERR_MEMORY, "no memory for the offsets of %zu runs", from->count);
	for (size_t i = 0; i < from->count; i++) {
		const size_t low = first > before ? first - before : 0, end = first + n > before ? first + n - before : 0,
			     high = end < from->run[i].all ? end : from->run[i].all;
		if (high > low || (!n && !count)) {
			run[count++] = clip(from->run[i], low < from->run[i].all ? low : 0, high > low ? high - low : 0);
			here += run[count - 1].n;
		}
		before += from->run[i].all;
	}
	if (count == 1) {
		GT_TRY(part_of_run(whole, run[0], part));
	} else {
		size_t begin = 0;
		for (size_t i = count; i > 0; i--)
			begin = run[i - 1].n ? run[i - 1].at : begin;
		for (size_t i = 0; i < count; i++)
			run[i].at -= run[i].n ? begin : run[i].at;
		GT_TRY(gt_array_wrap(whole->be, whole->type, here, (char *)whole->data + begin * gt_type_size(whole->type), part));
		st = take_runs(run, count, part);
	}
done:
	free(run);
	return st;
}

gt_status gt_partition_part(const gt_array *whole, size_t first, size_t n, gt_array **part)
{
	if (whole->runs)
		return part_of_runs(whole, first, n, part);
	return part_of_run(whole, clip((gt_partition_run){ whole->all, whole->first, whole->n, 0 }, first, n), part);
}
