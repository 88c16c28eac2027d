/* Basis operations of solvers as single operators, for benchmarks. Memory: the vectors and one more, all filled with
 * normal variates. */
#include <math.h>
#include <stdlib.h>
#include "core/arguments.h"
#include "core/basis/basis.h"
#include "core/basis/basis_parts.h"
#include "core/try.h"

enum basis_part { PRODUCTS, SUM, PROJECTION, PARTS };
const char *const gt_basis_parts[] = { [PRODUCTS] = "products", [SUM] = "sum", [PROJECTION] = "project out", NULL };

struct work {
	enum basis_part part;
	size_t vectors;
	gt_basis *V;
	gt_array *w;
	double *y;
};

/* The coefficients are so small that w stays constant under repetition. */
static void forward(void *self, const gt_array *x, gt_array *none)
{
	const struct work *k = self;
	(void)none;
	if (k->part == PRODUCTS)
		gt_basis_dots(k->V, k->vectors, x, k->y);
	else if (k->part == SUM)
		gt_basis_add(k->V, k->vectors, k->y, k->w);
	else
		gt_basis_project_out(k->V, k->vectors, k->w, k->y);
}

static void destroy(void *self)
{
	struct work *k = self;
	gt_basis_free(k->V);
	gt_array_free(k->w);
	free(k->y);
	free(k);
}

/* Vectors of norm about 1, nearly orthogonal if they are long: repeated projection stays finite. */
static void fill(struct work *k)
{
	const double n = (double)gt_array_size(k->w);
	gt_array *whole = gt_basis_whole(k->V);
	gt_fill(n > 0 ? 1 / sqrt(n) : 0, whole);
	gt_mul_normals(17, whole);
	gt_fill(1, k->w);
	gt_mul_normals(18, k->w);
	for (size_t i = 0; i < k->vectors; i++)
		k->y[i] = i % 2 ? 1e-9 : -1e-9;
}

gt_status gt_basis_part_new(gt_backend *be, gt_type type, size_t n, size_t vectors, size_t part, gt_linop **A, double *bytes)
{
	static const struct gt_linop_ops ops = { "basis", forward, NULL, destroy };
	struct work *k = NULL;
	gt_status st = GT_OK;
	GT_NEED(A);
	GT_NEED(bytes);
	if (part >= PARTS || !n || !vectors)
		return gt_fail(GT_ERR_ARG,
		               "bench basis: %zu vectors of %zu values, operation %zu: expected at least 1 each and an operation below %d",
		               vectors, n, part, PARTS);
	if (!(k = calloc(1, sizeof *k)) || !(k->y = calloc(vectors, sizeof *k->y))) {
		free(k);
		return gt_fail(GT_ERR_MEMORY, "no memory for %zu coefficients", vectors);
	}
	k->part = (enum basis_part)part;
	k->vectors = vectors;
	GT_TRY(gt_array_new(be, type, n, &k->w));
	GT_TRY(gt_basis_new("a benchmark", k->w, vectors, &k->V));
	fill(k);
	*bytes = (double)gt_array_bytes(k->w) * (part == PRODUCTS ? (double)vectors + 1
	                                         : part == SUM    ? (double)vectors + 2
	                                                          : 2 * (double)vectors + 3);
	return gt_linop_new(&ops, k, be, type, n, 1, A);
done:
	destroy(k);
	return st;
}
