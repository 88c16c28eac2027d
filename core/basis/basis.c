/* Bases of vectors: checks shared by all backends, memory limits, and products of shared vectors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/basis/basis_impl.h"
#include "core/team/partition.h"
#include "core/try.h"

struct gt_basis {
	gt_basis_shape shape;
	const struct gt_basis_impl *impl;
	void *state;
	gt_array *local, *whole, **vector; /* local: local memory of shared vectors; NULL: whole is the memory */
	double *per_rank;                  /* [ranks][max]: products of each rank; NULL: not shared */
};

static const struct gt_basis_impl *impl_of(const gt_backend *be)
{
	static const struct gt_basis_impl *const impls[GT_NBACKENDS] = { [GT_CPU] = &gt_basis_cpu, [GT_CUDA] = GT_IF_CUDA(&gt_basis_cuda) };
	return impls[be->kind];
}

static gt_basis_shape shape_of(const gt_array *model, size_t max)
{
	return (gt_basis_shape){ .be = gt_array_backend(model), .type = gt_array_type(model), .n = gt_array_here(model), .max = max };
}

size_t gt_basis_bytes(const gt_array *model, size_t max)
{
	const gt_basis_shape s = shape_of(model, max);
	return max * gt_array_bytes(model) + impl_of(s.be)->bytes(&s);
}

/* A dry run only counts; the caller reports what does not fit. */
static gt_status check_room(const char *who, const gt_array *model, size_t max)
{
	size_t available, total, fit = 0;
	gt_backend *be = gt_array_backend(model);
	const double each = (double)gt_array_bytes(model);
	if (gt_backend_is_dry_run(be))
		return GT_OK;
	gt_backend_memory(be, &available, &total);
	if ((double)max * each < (double)SIZE_MAX / 4 && gt_basis_bytes(model, max) <= available)
		return GT_OK;
	if (each > 0)
		fit = (size_t)((double)available / each);
	while (fit > 0 && gt_basis_bytes(model, fit) > available)
		fit--;
	return gt_fail(GT_ERR_MEMORY,
	               "%s: a basis of %zu vectors of %.4g MiB does not fit into %.4g MiB of %s: expected %zu vectors at most", who, max,
	               each / (1 << 20), (double)available / (1 << 20), be->name, fit);
}

static gt_status make_vectors(gt_basis *b, const gt_array *model)
{
	const size_t max = b->shape.max, n = b->shape.n;
	gt_status st = GT_OK;
	if (!(b->vector = calloc(max ? max : 1, sizeof(gt_array *))))
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu vectors", max);
	GT_TRY(gt_array_new(b->shape.be, b->shape.type, n * max, &b->whole));
	if (gt_array_is_shared(model)) {
		b->local = b->whole;
		b->whole = NULL;
		if (!(b->per_rank = calloc(((size_t)gt_ranks(b->shape.be) + 1) * (max + 1), sizeof *b->per_rank)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the products of %zu vectors", max));
		GT_TRY(gt_array_shaped_all(b->local, max, model, &b->whole));
	}
	for (size_t i = 0; i < max; i++)
		GT_TRY(b->local ? gt_array_shaped(b->local, i * n, model, &b->vector[i])
		                : gt_array_part(b->whole, i * n, n, &b->vector[i]));
done:
	return st;
}

gt_status gt_basis_new(const char *who, const gt_array *model, size_t max, gt_basis **out)
{
	gt_status st = GT_OK;
	gt_basis *b = calloc(1, sizeof *b);
	if (!b)
		return gt_fail(GT_ERR_MEMORY, "no memory for the record of a basis");
	b->shape = shape_of(model, max);
	GT_TRY(gt_backend_check(b->shape.be));
	gt_backend_hold(b->shape.be);
	b->impl = impl_of(b->shape.be);
	GT_TRY(check_room(who, model, max));
	GT_TRY(make_vectors(b, model));
	gt_backend_lock(b->shape.be);
	st = b->impl->open(&b->shape, &b->state);
	gt_backend_unlock(b->shape.be);
	GT_TRY(st);
	gt_fill(0, b->whole);
	*out = b;
done:
	if (st != GT_OK)
		gt_basis_free(b);
	return st;
}

void gt_basis_free(gt_basis *b)
{
	if (!b)
		return;
	gt_backend *be = b->impl ? b->shape.be : NULL;
	if (b->state) {
		gt_backend_lock(be);
		b->impl->close(b->state);
		gt_backend_unlock(be);
	}
	for (size_t i = 0; b->vector && i < b->shape.max; i++)
		gt_array_free(b->vector[i]);
	gt_array_free(b->whole);
	gt_array_free(b->local);
	free(b->per_rank);
	free(b->vector);
	free(b);
	if (be)
		gt_backend_let_go(be);
}

gt_array *gt_basis_vector(const gt_basis *b, size_t i) { return i < b->shape.max ? b->vector[i] : NULL; }
gt_array *gt_basis_whole(const gt_basis *b) { return b->whole; }

static int is_one_of(const gt_basis_shape *s, const gt_array *w)
{
	return gt_array_backend(w) == s->be && gt_array_type(w) == s->type && gt_array_here(w) == s->n;
}

/* Checks the arguments and locks the backend; 0 after a failure, without the lock. */
static int enter(gt_basis *b, size_t k, const gt_array *w)
{
	const gt_basis_shape *s = &b->shape;
	if (!is_one_of(s, w) || k > s->max) {
		gt_backend_fail(s->be, gt_fail(GT_ERR_ARG, "a basis of %zu vectors of %zu %s values: not %zu of %zu %s values", s->max,
		                               s->n, gt_type_name(s->type), k, gt_array_size(w), gt_type_name(gt_array_type(w))));
		return 0;
	}
	return k > 0 && s->n > 0 && gt_backend_begin(s->be);
}

/* As for reductions of arrays: NAN after a failure, 1 in a dry run. */
static void dots(gt_basis *b, size_t k, gt_array *w, int project, double *y)
{
	for (size_t i = 0; i < k; i++)
		y[i] = gt_backend_is_dry_run(b->shape.be) ? 1 : b->shape.n ? NAN : 0;
	if (!enter(b, k, w))
		return;
	b->impl->dots(b->state, k, b->local ? b->local->data : b->whole->data, w->data, project, y);
	gt_backend_end(b->shape.be);
}

/* Joins pending reductions on all ranks first: ranks without elements do not read their products. */
static void wait_reductions(const gt_basis *b)
{
	if (b->per_rank)
		gt_reductions_wait(b->shape.be);
}

/* Replaces local sums by the sums over the ranks, in order. Collective; 0: failed. */
static int join(const gt_basis *b, size_t k, double *y)
{
	gt_backend *be = b->shape.be;
	if (gt_backend_is_dry_run(be))
		return 1;
	if (k > b->shape.max || gt_team_gather(be, y, k * sizeof *y, b->per_rank) != GT_OK)
		return 0;
	for (size_t i = 0; i < k; i++) {
		y[i] = b->per_rank[i];
		for (size_t m = 1; m < (size_t)gt_ranks(be); m++)
			y[i] += b->per_rank[m * k + i];
	}
	return 1;
}

void gt_basis_dots(gt_basis *b, size_t k, const gt_array *w, double *y)
{
	wait_reductions(b);
	dots(b, k, (gt_array *)w, 0, y);
	if (b->per_rank)
		join(b, k, y);
}

void gt_basis_project_out(gt_basis *b, size_t k, gt_array *w, double *y)
{
	wait_reductions(b);
	dots(b, k, w, !b->per_rank, y);
	if (!b->per_rank || !join(b, k, y))
		return;
	for (size_t i = 0; i < k; i++)
		b->per_rank[i] = -y[i];
	gt_basis_add(b, k, b->per_rank, w);
}

void gt_basis_add(gt_basis *b, size_t k, const double *y, gt_array *w)
{
	if (!enter(b, k, w))
		return;
	b->impl->add(b->state, k, b->local ? b->local->data : b->whole->data, y, w->data);
	gt_backend_end(b->shape.be);
}
