/* Self-calibration with stated errors that contain the size of the pixels. A volume of voxels does not fit sharp
 * edges. The projections of a refitted volume change little with a wrong tilt or distance. Misfits at edges therefore
 * bias both by more than noise does, and the same way in all views. The bias falls with the size of the pixels. A
 * second search with pixels twice as large shows it. */
#include <math.h>
#include <string.h>
#include <gantry/calibrate.h>
#include "calibration/calibrate_once.h"
#include "calibration/coarse_scan.h"
#include "calibration/note.h"
#include "core/try.h"
#include "geometry/projections.h"

enum { N = GT_CALIBRATE_PARAMETERS, MIN_VIEWS = 8, MIN_COLUMNS = 16 };
/* The bias falls by a factor of about 1.5 if pixels are halved (measured: 1.3 to 1.8), so it is twice the difference.
 * Both searches may agree by chance: docs/measurements.md. */
#define BIAS 2
const gt_calibrate_options gt_calibrate_defaults = { .size = sizeof(gt_calibrate_options),
	                                             .what = 1u << GT_CALIBRATE_CENTER | 1u << GT_CALIBRATE_ROLL,
	                                             .iterations = 12,
	                                             .columns = 96,
	                                             .views = 180 };
/* Corrections that depend on the size of the pixels. */
static const unsigned biased = 1u << GT_CALIBRATE_TILT | 1u << GT_CALIBRATE_DISTANCE;

static gt_status check(const gt_projections *p, const gt_calibrate_options *given, gt_calibrate_options *o)
{
	*o = gt_calibrate_defaults;
	if (given && (given->size < sizeof given->size || given->size > sizeof *o))
		return gt_fail(GT_ERR_ARG, "options of size=%zu: expected sizeof(gt_calibrate_options), which is at most %zu", given->size,
		               sizeof *o);
	if (given)
		memcpy(o, given, given->size);
	if (!p || !p->data)
		return gt_fail(GT_ERR_ARG, "gt_calibrate: found no line integrals");
	if (p->filtered)
		return gt_projections_unfiltered(p, "calibration", "");
	if (!o->what || o->what >> N || o->columns < 16 || o->views < 8 || o->iterations < 1)
		return gt_fail(GT_ERR_ARG,
		               "gt_calibrate: what=%u, iterations=%d, columns=%zu, views=%zu: "
		               "expected some of %d parameters, at least 1, 16 and 8",
		               o->what, o->iterations, o->columns, o->views, N);
	if (p->scan->shape == GT_ARC || gt_scan_is_helical(p->scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "calibration: expected flat detectors or parallel rays, and a circular orbit, found %s",
		               p->scan->shape == GT_ARC ? "an arc detector" : "a helix");
	/* With 3 or 4 views, errors of roll and centre reached 4.4 times their standard error. */
	if (p->scan->views < MIN_VIEWS)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"the geometry is not unique: %zu view%s, expected at least %d: a volume fits few views with almost any geometry",
			p->scan->views, p->scan->views == 1 ? "" : "s", MIN_VIEWS);
	return GT_OK;
}

/* Searches with pixels twice as large. large: the projections with them. */
static gt_status find_again(gt_projections *large, const gt_calibrate_options *o, gt_calibration *out)
{
	gt_calibrate_options again = *o;
	again.columns = gt_projections_scan(large)->columns;
	again.views = gt_projections_scan(large)->views;
	again.notes = (gt_listener){ NULL, NULL };
	return gt_calibrate_once(large, &again, out);
}

/* Adds the bias to the errors of tilt and distance. */
static void add_bias(const gt_calibrate_options *o, const gt_calibration *again, gt_calibration *out)
{
	for (int j = 0; j < N; j++) {
		gt_calibrated *p = &out->parameter[j];
		if (!(biased >> j & 1) || !p->identifiable)
			continue;
		if (again && again->converged && again->parameter[j].identifiable)
			p->error = hypot(p->error, BIAS * (p->value - again->parameter[j].value));
		else
			gt_calibration_note(&o->notes, GT_WARNING,
			                    "%s: the stated error is too small: it contains noise, but not the size of the pixels, "
			                    "because pixels twice as large do not determine the value; more columns and rows reduce both",
			                    gt_calibrate_names[j]);
	}
}

gt_status gt_calibrate(gt_projections *p, const gt_calibrate_options *given, gt_calibration *out)
{
	gt_calibrate_options o;
	gt_calibration again;
	gt_projections *large = NULL;
	size_t by[2];
	gt_status st = GT_OK;
	*out = (gt_calibration){ .before = NAN };
	GT_TRY(check(p, given, &o));
	GT_TRY(gt_fail_in(gt_projections_finite(p), "gt_calibrate"));
	const size_t pixels = 2 * ((p->scan->columns + o.columns - 1) / o.columns);
	const int twice = o.what & biased && p->scan->shape != GT_PARALLEL && p->scan->columns >= pixels * MIN_COLUMNS;
	if (twice)
		GT_TRY(gt_coarse_scan(p, (p->scan->columns + pixels - 1) / pixels, o.views, 0, &large, by));
	const gt_status found = twice ? find_again(large, &o, &again) : GT_ERR_UNSUPPORTED;
	if (found != GT_OK && found != GT_ERR_UNSUPPORTED)
		GT_TRY(found);
	GT_TRY(gt_calibrate_once(p, &o, out));
	add_bias(&o, found == GT_OK ? &again : NULL, out);
done:
	gt_projections_free(large);
	return st;
}
