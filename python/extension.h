#ifndef PYTHON_EXTENSION_H
#define PYTHON_EXTENSION_H
/* Calls in C that replace many calls from Python. */
#include <gantry/linop.h>
#include <stdint.h>

/* Returns GT_ERR_ARG with the index of the first of n values in host memory that is not finite. */
gt_status gt_py_finite(gt_backend *be, gt_type type, const void *data, size_t n);
/* Computes to = A from, or the transpose with adjoint 1, for `batch` consecutive arrays of A's type and sizes in memory
 * of A's device. Blocks until done. Refuses values in host memory that are not finite. Returns and clears the first
 * failure of A's backend. */
gt_status gt_py_apply(const gt_linop *A, int adjoint, size_t batch, void *from, void *to);
/* Queues the product between the work of a CUDA stream (cudaStream_t) before and after the call. The host does not
 * wait. Returns and clears the first failure known so far. */
gt_status gt_py_apply_on_stream(const gt_linop *A, int adjoint, size_t batch, void *from, void *to, void *stream);
/* DLPack (dmlc/dlpack, version 0.8) exchanges memory between array libraries. Returns the memory of a DLManagedTensor
 * in contiguous C order; NULL for another order. */
void *gt_py_dlpack_data(const void *managed);
/* Returns a DLManagedTensor of a CUDA array, whose deleter frees the array. Takes ownership of a. NULL: no memory. */
void *gt_py_dlpack_new(gt_array *a, int device, int dimensions, const int64_t *shape);
/* Frees the tensor of a capsule that was not consumed. */
void gt_py_dlpack_free(void *managed);
/* GT_VERSION_NUMBER of the headers that the extension was built with. */
int gt_py_built_for(void);
#endif
