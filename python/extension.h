#ifndef PYTHON_EXTENSION_H
#define PYTHON_EXTENSION_H
/* What the Python package has of its own in C: one call where Python would make many. */
#include <gantry/linop.h>
#include <stdint.h>

/* GT_ERR_ARG, which names the first, where one of n numbers in the host's memory is not finite. */
gt_status gt_py_finite(gt_backend *be, gt_type type, const void *data, size_t n);
/* to = A from, or with adjoint 1 its transpose, `batch` times: arrays of A's type and sizes one after the other, in
 * memory of A's device. Waits. Numbers in the host's memory that are not finite
 * are refused. The first failure of A's backend, which then is cleared. */
gt_status gt_py_apply(const gt_linop *A, int adjoint, size_t batch, void *from, void *to);
/* The same in order with what is on a CUDA stream (cudaStream_t) before and after the call; the host does not wait.
 * The first failure that is known by now, which then is cleared. */
gt_status gt_py_apply_on_stream(const gt_linop *A, int adjoint, size_t batch, void *from, void *to, void *stream);
/* DLPack (dmlc/dlpack, version 0.8), by which libraries of arrays lend memory to each other. The memory of a
 * DLManagedTensor whose elements lie one after the other in C order; NULL where they do not. */
void *gt_py_dlpack_data(const void *managed);
/* An array of a CUDA device as a DLManagedTensor of that shape, whose deleter frees it. Takes it
 * over; NULL: no memory. */
void *gt_py_dlpack_new(gt_array *a, int device, int dimensions, const int64_t *shape);
/* For a capsule that nobody took. */
void gt_py_dlpack_free(void *managed);
/* GT_VERSION_NUMBER of the headers that the extension was built with. */
int gt_py_built_for(void);
#endif
