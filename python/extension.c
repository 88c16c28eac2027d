/* Calls that the Python package makes often, in one piece. */
#include "python/extension.h"
#include <gantry/version.h>

static gt_status apply_one(const gt_linop *A, int adjoint, char *from, char *to)
{
	gt_backend *be = gt_linop_backend(A);
	const gt_type type = gt_linop_type(A);
	const size_t nx = gt_linop_nx(A), ny = gt_linop_ny(A);
	gt_array *in = NULL, *out = NULL;
	gt_status st = gt_array_wrap(be, type, adjoint ? ny : nx, from, &in);
	if (st == GT_OK)
		st = gt_array_wrap(be, type, adjoint ? nx : ny, to, &out);
	if (st == GT_OK)
		(adjoint ? gt_adjoint : gt_forward)(A, in, out);
	gt_array_free(in);
	gt_array_free(out);
	return st;
}

static gt_status apply_all(const gt_linop *A, int adjoint, size_t batch, char *from, char *to)
{
	const size_t element = gt_type_size(gt_linop_type(A)), x = element * gt_linop_nx(A), y = element * gt_linop_ny(A);
	gt_status st = GT_OK;
	for (size_t i = 0; i < batch && st == GT_OK; i++)
		st = apply_one(A, adjoint, from + i * (adjoint ? y : x), to + i * (adjoint ? x : y));
	return st;
}

gt_status gt_py_apply(const gt_linop *A, int adjoint, size_t batch, void *from, void *to)
{
	const gt_status st = apply_all(A, adjoint, batch, from, to), be = gt_backend_status(gt_linop_backend(A));
	return st != GT_OK ? st : be;
}

gt_status gt_py_apply_on_stream(const gt_linop *A, int adjoint, size_t batch, void *from, void *to, void *stream)
{
	gt_backend *be = gt_linop_backend(A);
	gt_status st = gt_backend_after(be, stream);
	if (st == GT_OK)
		st = apply_all(A, adjoint, batch, from, to);
	if (st == GT_OK)
		st = gt_backend_before(be, stream);
	return st != GT_OK ? st : gt_backend_known(be);
}

int gt_py_built_for(void) { return GT_VERSION_NUMBER; }
