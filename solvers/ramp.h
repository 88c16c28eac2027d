#ifndef GT_SOLVERS_RAMP_H
#define GT_SOLVERS_RAMP_H
#include "solvers/solver.h"

/* Internal to solvers/. A preconditioner near the inverse of the second derivatives of a problem with one subset,
 *   M = sum_k S_k F' [1/(h + eta_k rho)] F S_k
 * F: transform of padded slices. h, rho: spectra within a slice of what A'A and R'' make of the middle voxel. Where a voxel's data
 * weigh kappa^2 as much as the middle one's without weights, and its penalty b, S_k is a share in 1/kappa by how near b/kappa^2 is to
 * eta_k: Fessler and Booth, IEEE Trans. Image Process. 8 (1999) 688, section IV. Symmetric and positive definite. */
typedef struct gt_ramp_filter gt_ramp_filter;
/* GT_ERR_ARG, by the name of `solver`, if p has no grid, or another than x; GT_ERR_UNSUPPORTED if no ray sees the middle voxel.
 * R's curvature is that of its majorizer. Overwrites r, as p's data, and g, z, as volumes. */
gt_status gt_ramp_filter_new (const char *solver, const gt_problem *p, gt_array *r, gt_array *g, gt_array *z, gt_ramp_filter **m);
void      gt_ramp_filter_free(gt_ramp_filter *m);
void      gt_ramp_filter_apply(const gt_ramp_filter *m, const gt_array *g, gt_array *z);       /* z = M g */

#endif
