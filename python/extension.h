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
/* An array of three axes on a backend that another library borrows by DLPack, again and again. */
typedef struct gt_py_loan gt_py_loan;
/* device: number of the GPU; ignored on the CPU. GT_ERR_MEMORY. */
gt_status gt_py_loan_new(gt_backend *be, gt_type type, const int64_t shape[3], int device, gt_py_loan **out);
/* Frees the loan, or leaves it to the borrower, whose deleter then frees it. */
void gt_py_loan_free(gt_py_loan *loan);
/* Queues a copy of the first `slices` slices from memory of the backend. */
gt_status gt_py_loan_fill(gt_py_loan *loan, const void *from, size_t slices);
/* Returns the DLManagedTensor of these slices; NULL: it is borrowed already. */
void *gt_py_loan_tensor(gt_py_loan *loan);
int   gt_py_loan_is_out(const gt_py_loan *loan);
/* Ends a loan whose tensor was not consumed. */
void  gt_py_loan_end(gt_py_loan *loan);
/* Checks device, type and shape of the DLManagedTensor of a result against the loan. Queues a copy to `to`, memory of
 * the backend. what: name of the result. GT_ERR_ARG. */
gt_status gt_py_loan_take(const gt_py_loan *loan, const void *managed, const char *what, void *to);
/* GT_VERSION_NUMBER of the headers that the extension was built with. */
int gt_py_built_for(void);
#endif
