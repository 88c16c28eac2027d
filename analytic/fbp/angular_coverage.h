#ifndef GT_ANALYTIC_FBP_ANGULAR_COVERAGE_H
#define GT_ANALYTIC_FBP_ANGULAR_COVERAGE_H
/* Inside this room: where the sources of a scan lie, read from its table of views alone. Angles in rad,
 * counter-clockwise seen from +z. "Fan" is the angle of a ray from the central ray source -> axis; parallel: the ray's
 * signed distance from the axis, mm. */
#include <gantry/scan_math.h>
#include "analytic/fbp/redundancy.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const gt_scan *scan;
	gt_detector detector;
	double center[2];               /* the rotation axis, mm */
	double *direction;              /* [views]: of the source seen from the axis */
	double *weight;                 /* [views]: what each view stands for, rad */
	gt_coverage cover;              /* of 2 pi, or of pi for a parallel beam that needs no more */
	/* of the axis from the middle of the columns, pixels, mean over views; signed */
	double offset;
	int long_side;                  /* which way the longer side of the detector lies: 1 or -1 times fan */
	double shorter, longer;         /* fan of the outermost edges, least over views; > 0 */
	double half_fan;                /* fan of the outermost pixels' centres on the shorter side, most over views */
	double distance;                /* source to axis, mean; parallel: 0 */
} gt_angular_coverage;

/* GT_ERR_UNSUPPORTED, with `who` in front: rows not along z, missing angles, inclined parallel rays, sources that are
 * not on a circle, an axis that is not seen. */
gt_status gt_angular_coverage_new(const char *who, const gt_scan *scan, gt_angular_coverage *s);
/* Measures the coverage again, of 2 pi for parallel beams too, for a displaced detector. A turn with gaps of up to
 * GT_CLOSED_GAP counts as full. */
gt_status gt_angular_coverage_whole_turn(gt_angular_coverage *s);
void      gt_angular_coverage_free(gt_angular_coverage *s);

/* Fan of a fractional column; *reach (may be NULL) is the distance source -> pixel in the x-y plane, mm. */
double gt_angular_coverage_fan(const gt_angular_coverage *s, size_t view, double column, double *reach);
/* Source to axis of one view, mm. */
double gt_angular_coverage_distance(const gt_angular_coverage *s, size_t view);

#ifdef __cplusplus
}
#endif
#endif
