/* Pose of a view in DICOM-CT-PD: the inverse of the reader's conversion. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "io/dicom/dicom_ct_pd.h"

/* Tolerances for files in single precision: distances relative to the source-to-detector distance, and unit vectors. */
#define PLACE 1e-6
#define AXIS 1e-6

static gt_status cannot(size_t view, const char *why)
{
	return gt_fail(GT_ERR_UNSUPPORTED, "view %zu: %s: DICOM-CT-PD cannot describe that", view, why);
}

gt_status gt_ctpd_place_of(const gt_scan *s, size_t view, gt_ctpd_place *p, int *columns, int *rows)
{
	const gt_view *w = &s->view[view];
	const double D = s->source_to_detector;
	double u[2] = { w->column_axis[0], w->column_axis[1] }, depth = 0, side = 0, beside = 0;
	if (s->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED, "the scan is parallel: DICOM-CT-PD is for fan beams");
	if (!(D > 0))
		return gt_fail(GT_ERR_UNSUPPORTED, "source_to_detector=%g: DICOM-CT-PD needs the distance", D);
	if (fabs(w->column_axis[2]) > AXIS || fabs(fabs(w->row_axis[2]) - 1) > AXIS)
		return cannot(view, "the detector is tilted or rolled");
	/* Columns run counter-clockwise around the focal centre, which fixes the direction from there to the
	 * detector. */
	*columns = u[1] * w->detector[0] - u[0] * w->detector[1] < u[1] * w->source[0] - u[0] * w->source[1];
	*rows = w->row_axis[2] < 0;
	for (int a = 0; a < 2; a++)
		u[a] = *columns ? -u[a] : u[a];
	const double center[2] = { w->detector[0] - D * u[1], w->detector[1] + D * u[0] };
	for (int a = 0; a < 2; a++) {
		side += center[a] * u[a];
		beside += s->shape == GT_ARC ? fabs(center[a] - w->arc_center[a]) : 0;
	}
	depth = -center[0] * u[1] + center[1] * u[0];
	if (beside > PLACE * D)
		return cannot(view, "the axis of the arc is not opposite the central pixel");
	if (fabs(side) > PLACE * D || !(depth > 0))
		return cannot(view, "the central ray does not meet the axis");
	p->angle = atan2(u[1], u[0]);
	p->radius = depth;
	p->z = w->detector[2];
	p->shift[0] = remainder(atan2(-w->source[0], w->source[1]) - p->angle, 2 * GT_PI);
	p->shift[1] = hypot(w->source[0], w->source[1]) - depth;
	p->shift[2] = w->source[2] - p->z;
	/* Rounding errors of a spot at rest. */
	if (fabs(p->shift[0]) * depth < 1e-9 * D && fabs(p->shift[1]) < 1e-9 * D && fabs(p->shift[2]) < 1e-9 * D)
		memset(p->shift, 0, sizeof p->shift);
	return GT_OK;
}
