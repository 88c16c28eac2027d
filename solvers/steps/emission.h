#ifndef GT_SOLVERS_STEPS_EMISSION_H
#define GT_SOLVERS_STEPS_EMISSION_H
/* Inside this room: data that are counts of emitted photons, and the volume that methods which multiply begin with. */
#include <gantry/solver.h>

enum gt_negative { GT_NEGATIVE_REFUSE, GT_NEGATIVE_ZERO };
extern const char *const gt_emission_negatives[];
/* GT_ERR_ARG by the solver's name where data are below 0 by more than rounding. */
gt_status gt_emission_check(const char *solver, const gt_problem *p);
void      gt_emission_data (const gt_problem *p, size_t k, gt_array *r);       /* r = b_k, or 0 where that is less */
/* x is no less than a hundredth of the constant volume that has the data's sum, nor than lo. Overwrites g, and of
 * each subset seen and off. */
void      gt_emission_lift (const gt_problem *p, double lo, gt_array *g, gt_array *const *seen, gt_array *const *off, gt_array *x);
#endif
