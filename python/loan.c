/* Arrays lent by DLPack. A state that both sides exchange atomically decides whether the library or the borrower, which
 * may run in any thread, frees the memory. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "python/dlpack.h"
#include "python/extension.h"

enum { IN, OUT, ABANDONED };
enum { AXES = 3 };

struct gt_py_loan {
	dlpack_managed managed;
	int64_t shape[AXES];
	gt_backend *be;
	gt_array *array;
	atomic_int state;
};

static void destroy(gt_py_loan *l)
{
	gt_array_free(l->array);
	free(l);
}

static void give_back(dlpack_managed *m)
{
	gt_py_loan *l = m->owner;
	if (atomic_exchange(&l->state, IN) == ABANDONED)
		destroy(l);
}

gt_status gt_py_loan_new(gt_backend *be, gt_type type, const int64_t shape[AXES], int device, gt_py_loan **out)
{
	const int gpu = gt_backend_is_gpu(be);
	gt_py_loan *l = calloc(1, sizeof *l);
	if (!l)
		return gt_fail(GT_ERR_MEMORY, "no memory for an array that is lent");
	const gt_status st = gt_array_new(be, type, (size_t)(shape[0] * shape[1] * shape[2]), &l->array);
	if (st != GT_OK) {
		free(l);
		return st;
	}
	for (int a = 0; a < AXES; a++)
		l->shape[a] = shape[a];
	l->be = be;
	atomic_init(&l->state, IN);
	dlpack_tensor *t = &l->managed.tensor;
	t->data = gt_array_data(l->array);
	t->device.type = gpu ? DLPACK_CUDA : DLPACK_CPU;
	t->device.id = gpu ? device : 0;
	t->dimensions = AXES;
	t->element.code = DLPACK_FLOAT;
	t->element.bits = (uint8_t)(8 * gt_type_size(type));
	t->element.lanes = 1;
	t->shape = l->shape;
	l->managed.owner = l;
	l->managed.deleter = give_back;
	*out = l;
	return GT_OK;
}

void gt_py_loan_free(gt_py_loan *l)
{
	if (l && atomic_exchange(&l->state, ABANDONED) != OUT)
		destroy(l);
}

/* Copies within the backend, in the order of its queue. */
static gt_status copy(gt_backend *be, gt_type type, size_t n, const void *from, void *to)
{
	gt_array *in = NULL, *out = NULL;
	gt_status st = gt_array_wrap(be, type, n, (void *)(uintptr_t)from, &in);
	if (st == GT_OK)
		st = gt_array_wrap(be, type, n, to, &out);
	if (st == GT_OK) {
		gt_copy(in, out);
		gt_array_data(out); /* runs deferred operations */
		st = gt_backend_known(be);
	}
	gt_array_free(in);
	gt_array_free(out);
	return st;
}

static size_t size_of(const gt_py_loan *l) { return (size_t)(l->shape[0] * l->shape[1] * l->shape[2]); }

gt_status gt_py_loan_fill(gt_py_loan *l, const void *from, size_t slices)
{
	l->shape[0] = (int64_t)slices;
	return copy(l->be, gt_array_type(l->array), size_of(l), from, l->managed.tensor.data);
}

void *gt_py_loan_tensor(gt_py_loan *l)
{
	int before = IN;
	return atomic_compare_exchange_strong(&l->state, &before, OUT) ? &l->managed : NULL;
}

int gt_py_loan_is_out(const gt_py_loan *l) { return atomic_load(&l->state) == OUT; }

void gt_py_loan_end(gt_py_loan *l) { atomic_store(&l->state, IN); }

/* Writes "(2, 3, 4)". */
static const char *shape_text(int32_t n, const int64_t *shape, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "(");
	for (int32_t a = 0; a < n && used < size; a++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, a ? ", " : "", shape[a]);
	if (used < size)
		snprintf(text + used, size - used, ")");
	return text;
}

static int same_shape(const dlpack_tensor *t, const int64_t shape[AXES])
{
	int same = t->dimensions == AXES;
	for (int a = 0; same && a < AXES; a++)
		same = t->shape[a] == shape[a];
	return same;
}

gt_status gt_py_loan_take(const gt_py_loan *l, const void *managed, const char *what, void *to)
{
	const dlpack_tensor *t = &((const dlpack_managed *)managed)->tensor, *own = &l->managed.tensor;
	char found[128], expected[128];
	if (t->device.type != own->device.type || t->device.id != own->device.id)
		return gt_fail(GT_ERR_ARG, "%s: is on DLPack device (%d, %d), expected (%d, %d), the device of its argument", what,
		               (int)t->device.type, (int)t->device.id, (int)own->device.type, (int)own->device.id);
	if (t->element.code != DLPACK_FLOAT || t->element.bits != own->element.bits || t->element.lanes != 1)
		return gt_fail(GT_ERR_ARG, "%s: DLPack type code %d of %d bits, expected float%d, the type of its argument", what,
		               (int)t->element.code, (int)t->element.bits, (int)own->element.bits);
	if (!same_shape(t, l->shape))
		return gt_fail(GT_ERR_ARG, "%s: shape %s, expected %s: [z][y][x], as it was given", what,
		               shape_text(t->dimensions, t->shape, found, sizeof found),
		               shape_text(AXES, l->shape, expected, sizeof expected));
	const char *data = gt_py_dlpack_data(managed);
	if (!data)
		return gt_fail(GT_ERR_ARG, "%s: not contiguous, expected C order, its last axis the fastest", what);
	return copy(l->be, gt_array_type(l->array), size_of(l), data, to);
}
