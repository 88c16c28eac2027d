#ifndef GT_SOLVERS_STEPS_TRANSMISSION_H
#define GT_SOLVERS_STEPS_TRANSMISSION_H
/* Inside this room: counts of transmitted photons behind line integrals, for solvers/mltr.c. */
#include "core/counts/counts.h"
#include "solvers/pwls.h"

typedef struct {
	const gt_problem *p;
	double background;
	gt_pwls_buffers rows, off;      /* sums of rays, of all subsets; room */
	gt_array *at_data;              /* NULL, or denominators of all subsets with the curvatures at the data */
} gt_transmission;
/* GT_ERR_ARG by the solver's name where data are no line integrals. */
gt_status gt_transmission_check      (const char *solver, const gt_problem *p);
void      gt_transmission_counts     (const gt_transmission *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *out);
/* d = A'(B c A 1) of all subsets, c the expected one at the data. Overwrites one, g, volumes. s: all 0; to be freed
 * also after a failure. */
gt_status gt_transmission_new        (const gt_problem *p, double background, gt_array *one, gt_array *g, gt_array *d, gt_transmission *s);
void      gt_transmission_free       (gt_transmission *s);
/* d = A'(B c A 1) of one subset, c at these line integrals. */
void      gt_transmission_denominator(const gt_transmission *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *d);
/* at_data = d. */
gt_status gt_transmission_keep       (const gt_array *d, gt_transmission *s);
/* d = at_data, where no voxel's denominator by the curvatures at A x is above it by more than half, which *near then
 * says for good. Else d is that at A x: the curvature at the data, which is that at 0 times exp(-data), makes a step
 * from far below exp(data) times too long, while one by the curvature where it begins ends before the data. Beside, the
 * majorizer of the penalty. Waits. Overwrites g and at. */
void gt_transmission_approach(const gt_transmission *s, const gt_array *x, const gt_pwls_buffers *at, double min, gt_array *g, gt_array *d,
                              double *near);
#endif
