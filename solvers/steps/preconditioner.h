#ifndef GT_SOLVERS_STEPS_PRECONDITIONER_H
#define GT_SOLVERS_STEPS_PRECONDITIONER_H
/* Private to solvers/. Symmetric positive definite approximate inverses M of the Hessian of a penalised weighted
 * least squares problem with one subset. */
#include "solvers/circulant_preconditioner.h"

enum gt_preconditioner_kind { GT_PRECONDITION_NONE, GT_PRECONDITION_DIAGONAL, GT_PRECONDITION_RAMP };
extern const char *const gt_preconditioner_names[];
typedef struct {
	gt_array *m;                    /* diagonal; NULL: none */
	gt_circulant *ramp;             /* NULL: none */
	int follows;                    /* 1: the ramp has state, because there is a penalty */
} gt_preconditioner;
/* Overwrites the volumes g and z, and q, as large as the data. */
gt_status gt_preconditioner_new (const char *solver, enum gt_preconditioner_kind kind, const gt_problem *p, gt_array *q, gt_array *g,
                                 gt_array *z, gt_preconditioner *m);
void      gt_preconditioner_free(gt_preconditioner *m);
void      gt_precondition       (const gt_preconditioner *m, const gt_array *g, gt_array *z);  /* z = M g */
/* Returns 1 after iterations 4, 8, 16, ...: gt_preconditioner_adapt() then updates M from the curvatures of the
 * penalty, which it overwrites. */
int       gt_preconditioner_adapts(const gt_preconditioner *m, int iteration);
void      gt_preconditioner_adapt (gt_preconditioner *m, gt_array *curvatures);
/* List the state for checkpoints, up to GT_CIRCULANT_STATE entries, and restore M once they are filled in. */
void      gt_preconditioner_kept  (gt_preconditioner *m, gt_state_entry *list);
void      gt_preconditioner_resume(gt_preconditioner *m);
#endif
