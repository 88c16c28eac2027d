#ifndef GT_SOLVERS_CIRCULANT_PRECONDITIONER_H
#define GT_SOLVERS_CIRCULANT_PRECONDITIONER_H
#include <gantry/solver.h>

/* Internal to solvers/. A preconditioner near the inverse of the second derivatives of a problem with one subset,
 *   M = sum_k S_k F' [1/(h + eta_k rho)] F S_k
 * F: transform of padded slices. h, rho: spectra within a slice of what A'A and R'' make of the middle voxel. Where a voxel's data
 * weigh kappa^2 as much as the middle one's without weights, and its penalty is b times as curved as the middle one's at most, S_k is a
 * share in 1/kappa by how near b/kappa^2 is to eta_k: Fessler and Booth, IEEE Trans. Image Process. 8 (1999) 688, section IV.
 * Symmetric and positive definite. b is 1 times what R's majorizer says until it is adapted. */
typedef struct gt_circulant gt_circulant;
/* GT_ERR_ARG, by the name of `solver`, if p has no grid, or another than x; GT_ERR_UNSUPPORTED if no ray sees the middle voxel.
 * Overwrites r, as p's data, and g, z, as volumes. */
gt_status gt_circulant_new (const char *solver, const gt_problem *p, gt_array *r, gt_array *g, gt_array *z, gt_circulant **m);
void      gt_circulant_free(gt_circulant *m);
void      gt_circulant_apply(const gt_circulant *m, const gt_array *g, gt_array *z);       /* z = M g */
/* Does the penalty's curvature depend on x? Then b may be found anew, from what gt_penalty_gradient() gives in d. */
int       gt_circulant_adapts(const gt_circulant *m);
void      gt_circulant_adapt (gt_circulant *m, const gt_array *curvature);
enum { GT_CIRCULANT_STATE = 3 };
/* What the filter depends on beside the problem; after these were read back, gt_circulant_resume(). Only with a penalty. */
void      gt_circulant_kept  (gt_circulant *m, gt_state_entry kept[GT_CIRCULANT_STATE]);
void      gt_circulant_resume(gt_circulant *m);

#endif
