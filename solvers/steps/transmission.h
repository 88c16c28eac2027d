#ifndef GT_SOLVERS_STEPS_TRANSMISSION_H
#define GT_SOLVERS_STEPS_TRANSMISSION_H
/* Private to solvers/. Transmission counts behind line integrals, for solvers/mltr.c. */
#include "core/counts/counts.h"
#include "solvers/pwls.h"

typedef struct {
	const gt_problem *p;
	double background;
	gt_pwls_buffers rows, off;      /* ray sums of all subsets; scratch */
	gt_array *at_data;              /* NULL, or denominators of all subsets with the curvatures at the data */
} gt_transmission;
/* GT_ERR_ARG, with the solver's name, if data are no line integrals. */
gt_status gt_transmission_check      (const char *solver, const gt_problem *p);
void      gt_transmission_counts     (const gt_transmission *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *out);
/* Computes d = A'(B c A 1) of all subsets, c the expected curvature at the data. Overwrites the volumes one and g. s:
 * all 0. Free it even after a failure. */
gt_status gt_transmission_new        (const gt_problem *p, double background, gt_array *one, gt_array *g, gt_array *d, gt_transmission *s);
void      gt_transmission_free       (gt_transmission *s);
/* Computes d = A'(B c A 1) of one subset, c at the given line integrals. */
void      gt_transmission_denominator(const gt_transmission *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *d);
/* at_data = d. */
gt_status gt_transmission_keep       (const gt_array *d, gt_transmission *s);
/* Sets d = at_data if no voxel's denominator from the curvatures at A x exceeds it by more than half; *near then
 * stays 1. Else d is the one at A x.
 * The curvature at the data, exp(-data) times the one at 0, makes a step from far below too long, by up to exp(data).
 * With the curvature at its start a step ends before the data.
 * The penalty's majorizer is added. Waits. Overwrites g and at. */
void gt_transmission_approach(const gt_transmission *s, const gt_array *x, const gt_pwls_buffers *at, double min, gt_array *g, gt_array *d,
                              double *near);
#endif
