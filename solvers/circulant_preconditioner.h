#ifndef GT_SOLVERS_CIRCULANT_PRECONDITIONER_H
#define GT_SOLVERS_CIRCULANT_PRECONDITIONER_H
#include <gantry/solver.h>

/* Private to solvers/. Approximate inverse of the Hessian of a problem with one subset,
 *    M = sum_k S_k F' [1/(h + eta_k rho)] F S_k.
 * F is the transform of padded slices; h and rho are spectra within a slice of the responses of A'A and R'' at the
 * central voxel. The data weight of a voxel relative to the central one without weights is kappa^2. The curvature of
 * its penalty relative to the central maximum is b. S_k interpolates 1/kappa by the distance of b/kappa^2 from eta_k.
 * Fessler and Booth, IEEE Trans. Image Process. 8 (1999) 688, section IV. M is symmetric and positive definite. Until
 * it is adapted, b follows R's majorizer. */
typedef struct gt_circulant gt_circulant;
/* GT_ERR_ARG if p has no grid, or one that differs from x; GT_ERR_UNSUPPORTED if no ray meets the central voxel. Both
 * name `solver`. Overwrites r, as large as p's data, and the volumes g and z. */
gt_status gt_circulant_new (const char *solver, const gt_problem *p, gt_array *r, gt_array *g, gt_array *z, gt_circulant **m);
void      gt_circulant_free(gt_circulant *m);
void      gt_circulant_apply(const gt_circulant *m, const gt_array *g, gt_array *z);       /* z = M g */
/* Returns 1 if the penalty's curvature depends on x. gt_circulant_adapt() then updates b from the output d of
 * gt_penalty_gradient(). */
int       gt_circulant_adapts(const gt_circulant *m);
void      gt_circulant_adapt (gt_circulant *m, const gt_array *curvature);
enum { GT_CIRCULANT_STATE = 3 };
/* Lists the filter's state, which exists only with a penalty. Call gt_circulant_resume() after it is read back. */
void      gt_circulant_kept  (gt_circulant *m, gt_state_entry kept[GT_CIRCULANT_STATE]);
void      gt_circulant_resume(gt_circulant *m);

#endif
