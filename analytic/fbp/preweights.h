#ifndef GT_ANALYTIC_FBP_PREWEIGHTS_H
#define GT_ANALYTIC_FBP_PREWEIGHTS_H
/* Weights of the pixels of a view before the filter; private to analytic/. */
#include "analytic/fbp/angular_coverage.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_EACH_ONCE, GT_SHORT_SCAN, GT_OFFSET_DETECTOR } gt_redundancy;

typedef struct {
	const gt_angular_coverage *coverage;
	int tilted;                     /* as of the plan */
	gt_redundancy redundancy;
	double norm;                    /* normalisation of the sum over views */
} gt_preweights;

/* Returns whether all views have the weights of view 0: each must be view 0 rotated about the axis, up to rounding. */
int  gt_preweights_equal(const gt_preweights *c);
/* Computes gain and slope [columns] for gt_preweight_at(). */
void gt_preweights_set(const gt_preweights *c, size_t view, double *gain, double *slope);
/* Returns the pixel at the foot of the perpendicular from the source along an axis of the detector, counted from
 * `center`. */
double gt_preweights_foot(const gt_view *w, const double axis[3], double center, double pitch);
/* Return the signed distance of the plane of a flat detector from the source along its normal n. gt_preweights_plane2()
 * uses its trace in the x-y plane. */
double gt_preweights_plane2(const gt_view *w, double n[2]);
double gt_preweights_plane3(const gt_view *w, double n[3]);

#ifdef __cplusplus
}
#endif
#endif
