/* Block-diagonal operator. Applications neither allocate nor copy. */
#include <stdlib.h>
#include "core/partition/partition.h"
#include "recon/joint/block_operator.h"
#include "team/split.h"

typedef struct {
	size_t blocks;
	gt_linop *A[];
} block;

gt_array gt_block_of(const gt_array *all, size_t i, size_t first, size_t n)
{
	gt_array one = *all;
	one.borrowed = 1;
	if (all->shared)
		return all->runs ? gt_array_run(all, i) : one;
	return gt_array_at(all->be, all->type, n, (char *)all->data + first * gt_type_size(all->type));
}

static void apply(const block *s, int back, const gt_array *from, gt_array *to)
{
	size_t x = 0, y = 0;
	for (size_t i = 0; i < s->blocks; i++) {
		const size_t nx = gt_linop_nx(s->A[i]), ny = gt_linop_ny(s->A[i]);
		const gt_array in = back ? gt_block_of(from, i, y, ny) : gt_block_of(from, i, x, nx);
		gt_array out = back ? gt_block_of(to, i, x, nx) : gt_block_of(to, i, y, ny);
		if (back)
			gt_adjoint(s->A[i], &in, &out);
		else
			gt_forward(s->A[i], &in, &out);
		x += nx;
		y += ny;
	}
}

static void forward(void *self, const gt_array *x, gt_array *y) { apply(self, 0, x, y); }
static void adjoint(void *self, const gt_array *y, gt_array *x) { apply(self, 1, y, x); }

gt_status gt_block_operator_new(gt_linop *const *A, size_t blocks, gt_linop **out)
{
	static const struct gt_linop_ops ops = { .name = "blocks", .forward = forward, .adjoint = adjoint, .free = free };
	size_t nx = 0, ny = 0;
	block *s = malloc(sizeof *s + blocks * sizeof *s->A);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for an operator of %zu blocks", blocks);
	s->blocks = blocks;
	for (size_t i = 0; i < blocks; i++) {
		s->A[i] = A[i];
		nx += gt_linop_nx(A[i]);
		ny += gt_linop_ny(A[i]);
	}
	gt_backend *be = gt_linop_backend(A[0]);
	const gt_status st = gt_linop_new(&ops, s, be, gt_linop_type(A[0]), nx, ny, out);
	if (st == GT_OK && gt_ranks(be) > 1)
		gt_linop_take_shared(*out);
	return st;
}
