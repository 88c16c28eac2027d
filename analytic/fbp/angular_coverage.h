#ifndef GT_ANALYTIC_FBP_ANGULAR_COVERAGE_H
#define GT_ANALYTIC_FBP_ANGULAR_COVERAGE_H
/* Angular coverage of a scan, from its views alone; private to analytic/. Angles in rad, counter-clockwise seen from
 * +z. "Fan" is the angle of a ray from the central ray source -> axis; parallel: the ray's signed distance from the
 * axis, mm. */
#include <gantry/author/scan_math.h>
#include "analytic/fbp/redundancy.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const gt_scan *scan;
	gt_detector detector;
	/* gt_scan_is_laminography(), or inclined parallel rays: the fan of tilted panels contains the tangent */
	int laminography;
	int tilted;                     /* views need matrices: rows not along z, or inclined parallel rays */
	double center[2];               /* rotation axis, mm */
	double *direction;              /* [views]: direction of the source from the axis */
	double *weight;                 /* [views]: angular weight, rad */
	gt_coverage cover;              /* over 2 pi, or over pi for a parallel beam that needs no more */
	/* signed displacement of the axis from the centre of the columns, pixels, mean over views */
	double offset;
	int long_side;                  /* side of the longer half of the detector: 1 or -1 times fan */
	double shorter, longer;         /* fan of the outermost edges, minimum over views; > 0 */
	double half_fan;                /* fan of the outermost pixel centres on the shorter side, maximum over views */
	double distance;                /* source to axis, mean; parallel: 0 */
} gt_angular_coverage;

/* GT_ERR_UNSUPPORTED, beginning with `who`: rows not along z, missing angles, some inclined parallel rays, sources off
 * a circle, or an axis outside the detector. Laminography: columns not along the tangent of the orbit, or a tilt above
 * 75 degrees. */
gt_status gt_angular_coverage_new(const char *who, const gt_scan *scan, gt_angular_coverage *s);
/* Recomputes the coverage over 2 pi, for parallel beams too, for a displaced detector. A rotation with gaps of up to
 * GT_CLOSED_GAP counts as full. */
gt_status gt_angular_coverage_whole_turn(gt_angular_coverage *s);
/* Returns pi for level parallel rays, which repeat in reverse after 180 degrees, else 2 pi. */
double    gt_angular_coverage_period(const gt_angular_coverage *s);
void      gt_angular_coverage_free(gt_angular_coverage *s);

/* Returns the fan of a fractional column; *reach (may be NULL): distance source -> pixel in the x-y plane, mm. */
double gt_angular_coverage_fan(const gt_angular_coverage *s, size_t view, double column, double *reach);
/* Returns the tangent of the orbit, a unit vector in the x-y plane: the direction in which fans grow. */
void   gt_angular_coverage_tangent(const gt_angular_coverage *s, size_t view, double tangent[3]);
/* Returns the distance from source to axis of one view in the x-y plane, mm. */
double gt_angular_coverage_distance(const gt_angular_coverage *s, size_t view);

#ifdef __cplusplus
}
#endif
#endif
