#ifndef GANTRY_BASIS_PARTS_H
#define GANTRY_BASIS_PARTS_H
/* For benchmarks: what solvers that keep vectors do with them. No reconstruction needs it. */
#include <gantry/linop.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Their names (NULL-terminated): products of all with one, a sum of all added to one, and one made orthogonal to
 * all. */
GT_API extern const char *const gt_basis_parts[];
/* An operator whose forward does number `part` of these with `vectors` random vectors of n values, and a vector of n
 * values; its one result is not written, and it has no adjoint. *bytes: what that cannot but read and write.
 * GT_ERR_MEMORY where they do not fit. */
GT_API gt_status gt_basis_part_new(gt_backend *be, gt_type type, size_t n, size_t vectors, size_t part, gt_linop **A, double *bytes);

#ifdef __cplusplus
}
#endif
#endif
