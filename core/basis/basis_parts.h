#ifndef GT_CORE_BASIS_BASIS_PARTS_H
#define GT_CORE_BASIS_BASIS_PARTS_H
/* Operations on sets of vectors as operators, for benchmarks. */
#include <gantry/linop.h>

/* Operations of solvers on sets of vectors, NULL-terminated: products of all with one vector, their linear
 * combination, and orthogonalisation. */
extern const char *const gt_basis_parts[];
/* Creates an operator whose forward runs operation number `part` on `vectors` random vectors of n values and one
 * vector. Its result is not written, and it has no adjoint. *bytes: minimum number of bytes read and written.
 * GT_ERR_MEMORY: not enough memory. */
gt_status gt_basis_part_new(gt_backend *be, gt_type type, size_t n, size_t vectors, size_t part, gt_linop **A, double *bytes);
#endif
