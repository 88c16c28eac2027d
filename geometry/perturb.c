/* Random displacements of the views: shifts and tilts of source and detector by functions of the seed and the view. */
#include <math.h>
#include <gantry/scan.h>
#include <gantry/author/scan_math.h>
#include "core/arguments.h"
#include "core/random.h"
#include "geometry/scan.h"

#define OTHER_SEED 0x5ca1ab1e00000000u /* the noise uses the plain seed */

static double either_way(gt_random *r) { return 2 * gt_uniform(r) - 1; }

/* Rodrigues' rotation formula. */
static void rotate(const double axis[3], double angle, double v[3])
{
	const double along = gt_dot3(axis, v), c = cos(angle), s = sin(angle);
	double turned[3];
	for (int a = 0; a < 3; a++) {
		const double cross = axis[(a + 1) % 3] * v[(a + 2) % 3] - axis[(a + 2) % 3] * v[(a + 1) % 3];
		turned[a] = c * v[a] + s * cross + (1 - c) * along * axis[a];
	}
	for (int a = 0; a < 3; a++)
		v[a] = turned[a];
}

gt_status gt_scan_perturb(gt_scan *scan, double shift, double tilt, uint64_t seed)
{
	GT_NEED(scan);
	if (scan->shape != GT_FLAT)
		return gt_fail(GT_ERR_UNSUPPORTED, "--shift and --tilt: found detector shape %s: expected a flat detector",
		               gt_shape_names[scan->shape]);
	for (size_t v = 0; v < scan->views; v++) {
		gt_random r;
		gt_random_at(seed ^ OTHER_SEED, v, &r);
		gt_view *w = &scan->view[v];
		double axis[3];
		for (int a = 0; a < 3; a++) {
			w->source[a] += shift * either_way(&r);
			w->detector[a] += shift * either_way(&r);
			w->arc_center[a] = w->source[a];
			axis[a] = gt_normal(&r);
		}
		const double length = sqrt(gt_dot3(axis, axis)), angle = tilt * gt_uniform(&r);
		for (int a = 0; a < 3; a++)
			axis[a] /= length;
		rotate(axis, angle, w->column_axis);
		rotate(axis, angle, w->row_axis);
	}
	return GT_OK;
}
