/* Frequent operations of the Python package as single C calls. */
#include "python/dlpack.h"
#include "python/extension.h"
#include <gantry/threads.h>
#include <gantry/version.h>
#include <stdlib.h>
#include <string.h>

/* Searches values that are not finite in chunks: their exponent bits are all ones. */
enum { PIECE = 1 << 16 };
typedef struct {
	const char *data;
	gt_type type;
	char *bad; /* one flag per piece */
	size_t n;
} looking;

static int all_finite(const char *data, gt_type type, size_t n)
{
	int bad = 0;
	if (type == GT_F32) {
		for (size_t i = 0; i < n; i++) {
			uint32_t bits;
			memcpy(&bits, data + 4 * i, sizeof bits);
			bad |= (bits & 0x7f800000u) == 0x7f800000u;
		}
	} else {
		for (size_t i = 0; i < n; i++) {
			uint64_t bits;
			memcpy(&bits, data + 8 * i, sizeof bits);
			bad |= (bits & 0x7ff0000000000000u) == 0x7ff0000000000000u;
		}
	}
	return !bad;
}

static void look(void *self, size_t begin, size_t end, int worker)
{
	const looking *s = self;
	(void)worker;
	for (size_t piece = begin; piece < end; piece++) {
		const size_t first = piece * PIECE, rest = s->n - first;
		s->bad[piece] = !all_finite(s->data + first * gt_type_size(s->type), s->type, rest < PIECE ? rest : PIECE);
	}
}

gt_status gt_py_finite(gt_backend *be, gt_type type, const void *data, size_t n)
{
	const size_t pieces = (n + PIECE - 1) / PIECE, element = gt_type_size(type);
	char one = 0, *bad = pieces > 1 ? malloc(pieces) : &one;
	looking s = { data, type, bad, n };
	gt_status st = GT_OK;
	if (!bad)
		return gt_fail(GT_ERR_MEMORY, "out of memory to check %zu numbers", n);
	gt_parallel(pieces > 1 ? gt_backend_pool(be) : NULL, pieces, 1, look, &s);
	for (size_t piece = 0; piece < pieces && st == GT_OK; piece++)
		for (size_t i = piece * PIECE; bad[piece] && i < n && st == GT_OK; i++)
			if (!all_finite(s.data + i * element, type, 1))
				st = gt_fail(GT_ERR_ARG, "x: number %zu is not finite, expected finite numbers", i);
	if (bad != &one)
		free(bad);
	return st;
}

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
	if (!gt_backend_is_gpu(gt_linop_backend(A))) {
		const gt_status looked = gt_py_finite(gt_linop_backend(A), gt_linop_type(A), from,
		                                      batch * (adjoint ? gt_linop_ny(A) : gt_linop_nx(A)));
		if (looked != GT_OK)
			return looked;
	}
	const gt_status st = apply_all(A, adjoint, batch, from, to), be = gt_backend_status(gt_linop_backend(A));
	return st != GT_OK ? st : be;
}

gt_status gt_py_apply_on_stream(const gt_linop *A, int adjoint, size_t batch, void *from, void *to, void *stream)
{
	gt_backend *be = gt_linop_backend(A);
	gt_status st = gt_backend_after(be, stream);
	if (st == GT_OK)
		st = apply_all(A, adjoint, batch, from, to);
	const gt_status then = gt_backend_before(be, stream);
	if (st != GT_OK || then != GT_OK)
		return st != GT_OK ? st : then;
	return gt_backend_known(be) == GT_OK ? GT_OK : gt_backend_status(be); /* a failure is reported once */
}

void *gt_py_dlpack_data(const void *managed)
{
	const dlpack_tensor *t = &((const dlpack_managed *)managed)->tensor;
	int64_t stride = 1;
	for (int32_t d = t->dimensions; t->strides && d-- > 0; stride *= t->shape[d])
		if (t->shape[d] != 1 && t->strides[d] != stride)
			return NULL;
	return (char *)t->data + t->byte_offset;
}

static void free_managed(dlpack_managed *self)
{
	gt_array_free(self->owner);
	free(self->tensor.shape);
	free(self);
}

void *gt_py_dlpack_new(gt_array *a, int device, int dimensions, const int64_t *shape)
{
	dlpack_managed *m = calloc(1, sizeof *m);
	int64_t *copy = calloc((size_t)dimensions + 1, sizeof *copy);
	if (!m || !copy) {
		free(m);
		free(copy);
		gt_array_free(a);
		return NULL;
	}
	for (int d = 0; d < dimensions; d++)
		copy[d] = shape[d];
	m->tensor.data = gt_array_data(a);
	m->tensor.device.type = DLPACK_CUDA;
	m->tensor.device.id = device;
	m->tensor.dimensions = dimensions;
	m->tensor.element.code = DLPACK_FLOAT;
	m->tensor.element.bits = (uint8_t)(8 * gt_type_size(gt_array_type(a)));
	m->tensor.element.lanes = 1;
	m->tensor.shape = copy;
	m->owner = a;
	m->deleter = free_managed;
	return m;
}

void gt_py_dlpack_free(void *managed) { free_managed(managed); }

int gt_py_built_for(void) { return GT_VERSION_NUMBER; }
