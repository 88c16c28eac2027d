#ifndef GT_SOLVERS_STEPS_EMISSION_H
#define GT_SOLVERS_STEPS_EMISSION_H
/* Private to solvers/. Emission counts as data, and the initial volume of multiplicative methods. */
#include <gantry/solver.h>

enum gt_negative { GT_NEGATIVE_REFUSE, GT_NEGATIVE_ZERO };
extern const char *const gt_emission_negatives[];
/* GT_ERR_ARG, with the solver's name, if data are below 0 by more than rounding. */
gt_status gt_emission_check(const char *solver, const gt_problem *p);
void      gt_emission_data (const gt_problem *p, size_t k, gt_array *r);       /* r = max(b_k, 0) */
/* Raises x to a hundredth of the constant volume that has the data's sum, and to lo. Overwrites g, and seen and off
 * of each subset. */
void      gt_emission_lift (const gt_problem *p, double lo, gt_array *g, gt_array *const *seen, gt_array *const *off, gt_array *x);
#endif
