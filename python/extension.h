#ifndef PYTHON_EXTENSION_H
#define PYTHON_EXTENSION_H
/* What the Python package has of its own in C: one call where Python would make many. */
#include <gantry/linop.h>

/* to = A from, or with adjoint 1 its transpose, `batch` times: arrays of A's type and sizes one after the other, in
 * memory of A's device. Waits. The first failure of A's backend, which then is cleared. */
gt_status gt_py_apply(const gt_linop *A, int adjoint, size_t batch, void *from, void *to);
/* The same in order with what is on a CUDA stream (cudaStream_t) before and after the call; the host does not wait.
 * Failures that are known by now. */
gt_status gt_py_apply_on_stream(const gt_linop *A, int adjoint, size_t batch, void *from, void *to, void *stream);
/* GT_VERSION_NUMBER of the headers that the extension was built with. */
int gt_py_built_for(void);
#endif
