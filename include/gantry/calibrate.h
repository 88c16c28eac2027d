#ifndef GANTRY_CALIBRATE_H
#define GANTRY_CALIBRATE_H
/* The geometry of a scan from its own projections: what makes them agree with a volume best. No phantom is needed. */
#include <gantry/data.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parameters, each a correction that all views share. Turns are about the detector's point at (column_center,
 * row_center). */
typedef enum {
	GT_CALIBRATE_CENTER,            /* column_center, pixels */
	GT_CALIBRATE_ROLL,              /* the detector in its own plane, column_axis towards row_axis, rad */
	GT_CALIBRATE_SLANT,             /* about row_axis, column_axis away from the source, rad */
	GT_CALIBRATE_TILT,              /* about column_axis, row_axis away from the source, rad */
	GT_CALIBRATE_DISTANCE,          /* source to detector, mm; the source stays */
	GT_CALIBRATE_PARAMETERS
} gt_calibrate_parameter;
GT_API extern const char *const gt_calibrate_names[];          /* "center", "roll", "slant", "tilt", "distance", NULL */

typedef struct {
	size_t size;                    /* sizeof(gt_calibrate_options), as gt_calibrate_defaults says */
	unsigned what;                  /* bits 1 << gt_calibrate_parameter: those to find */
	int iterations;                 /* at most */
	size_t columns, views;          /* the scan is coarsened to so many at most */
	int threads;                    /* 0: one per processor */
	gt_listener notes;              /* what was begun with, each iteration, what could not be told */
	const char *backend;            /* NULL: the processors that `threads` says */
} gt_calibrate_options;
GT_API extern const gt_calibrate_options gt_calibrate_defaults;        /* centre and roll */

typedef struct {
	int asked, told;                /* told 0: the projections do not say; the value stayed as it was */
	double value, error;            /* the correction and its standard error, in the units above: how
	                                 * much views, and pixels, differ in what they say (errors.h) */
} gt_calibrated;
typedef struct {
	gt_calibrated parameter[GT_CALIBRATE_PARAMETERS];
	double before, after;           /* of line integrals what no volume explains, root mean square: as given, as found */
	int iterations, converged;      /* converged 0: the last step was larger than what is tolerated */
	double step;                    /* largest last step, as a part of what is tolerated */
} gt_calibration;

/* Minimises |y - A(g) x|^2 over the geometry g and the volume x (variable projection: Golub, Pereyra, SIAM J.
 * Numer. Anal. 10 (1973) 413): Gauss-Newton steps on residuals from which what another volume would explain is
 * taken off. The centre begins where conjugate rays agree best. Values and sizes of p are left as they are; its
 * scan is corrected. GT_ERR_UNSUPPORTED: conjugate rays say that columns, rows or the turn are the wrong way round
 * (with what mends it); helical scans; nothing in the projections. */
GT_API gt_status gt_calibrate(gt_projections *p, const gt_calibrate_options *o, gt_calibration *result);
/* The same corrections to a scan. */
GT_API void gt_calibrate_apply(const double value[GT_CALIBRATE_PARAMETERS], gt_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
