#ifndef GANTRY_CALIBRATE_H
#define GANTRY_CALIBRATE_H
/* Self-calibration: estimates the scan geometry from the projections alone. No phantom is needed. */
#include <gantry/data.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parameters: corrections common to all views. Rotations are about the point (column_center, row_center) of the
 * detector. */
typedef enum {
	GT_CALIBRATE_CENTER,            /* column_center, pixels */
	GT_CALIBRATE_ROLL,              /* the detector in its own plane, column_axis towards row_axis, rad */
	GT_CALIBRATE_SLANT,             /* about row_axis, column_axis away from the source, rad */
	GT_CALIBRATE_TILT,              /* about column_axis, row_axis away from the source, rad */
	GT_CALIBRATE_DISTANCE,          /* source to detector, mm; the source stays */
	GT_CALIBRATE_AXIS_TILT,         /* source and detector about the tangent of the orbit through the origin, the
	                                 * detector towards -z, rad; laminography */
	GT_CALIBRATE_PARAMETERS
} gt_calibrate_parameter;
GT_API extern const char *const gt_calibrate_names[];          /* "center", "roll", ..., "axis-tilt", NULL */

typedef struct {
	size_t size;                    /* sizeof(gt_calibrate_options), as gt_calibrate_defaults says */
	unsigned what;                  /* bits 1 << gt_calibrate_parameter: parameters to find */
	int iterations;                 /* maximum */
	size_t columns, views;          /* maximum size of the coarsened scan */
	int threads;                    /* 0: one per processor */
	gt_listener notes;              /* receives the start, each iteration, parameters not identifiable */
	const char *backend;            /* NULL: the CPU with `threads` threads */
} gt_calibrate_options;
GT_API extern const gt_calibrate_options gt_calibrate_defaults;        /* centre and roll */

typedef struct {
	int asked, identifiable;        /* identifiable 0: not determined by the projections; value unchanged */
	/* Correction and standard error, in the units above. Tilt and distance: with twice the difference to a search
	 * with pixels twice as large; a warning if there is none. */
	double value, error;
} gt_calibrated;
typedef struct {
	gt_calibrated parameter[GT_CALIBRATE_PARAMETERS];
	double before, after;           /* RMS residual of the line integrals: scan as given, scan as found */
	int iterations, converged;      /* converged 0: the last step exceeds the tolerance */
	double step;                    /* largest last step, as a multiple of the tolerance, which is at least 0.01
	                                 * standard errors */
} gt_calibration;

/* Minimises |y - A(g) x|^2 over the geometry g and the volume x (variable projection: Golub, Pereyra, SIAM J.
 * Numer. Anal. 10 (1973) 413). Gauss-Newton steps use residuals without the part that another volume would explain.
 * Their derivatives follow from motions of the views (gt_motion), for the centre alone from differences of
 * projections. Without convergence the search starts again with differences, on the CPU in double precision.
 * The start value of the centre comes from conjugate rays. Corrects the scan of p; values and sizes stay.
 * GT_ERR_UNSUPPORTED: conjugate rays show reversed columns, rows or rotation (the message names the correction);
 * helical scans; fewer than eight views; empty projections. */
GT_API gt_status gt_calibrate(gt_projections *p, const gt_calibrate_options *o, gt_calibration *result);
/* Jitter: a shift of each view by some pixels, as by sample motion. Alternates between reconstruction from all views
 * and registration of each view with its reprojection (Guizar-Sicairos et al., Opt. Express 19 (2011) 21345).
 * Constant shifts and shifts equivalent to a translation of the object are not identifiable and are subtracted. These
 * are a + b cos + c sin of the angle along columns, and a along rows. */
typedef struct {
	size_t size;                    /* sizeof(gt_jitter_options), as gt_jitter_defaults says */
	int rounds;                     /* maximum */
	size_t columns;                 /* maximum columns of the coarsened scan */
	int threads;                    /* 0: one per processor */
	gt_listener notes;
	const char *backend;            /* NULL: the CPU with `threads` threads */
} gt_jitter_options;
GT_API extern const gt_jitter_options gt_jitter_defaults;

typedef struct {
	size_t views;
	double (*shift)[2];             /* [views]: columns and rows of the image minus those of the scan */
	double (*error)[2];             /* [views]: standard errors, from the residual of the view */
	int identifiable[2];            /* 0: the projections have too little structure along columns, rows */
	double change;                  /* root mean square of the last round, pixels */
	int rounds, converged;
	double before, after;           /* RMS residual of the line integrals: scan as given, scan as found */
	int kept;                       /* 1: shifts would increase the residual: all are 0, scan unchanged */
} gt_jitter;
/* Moves the detectors of the scan of p; values stay. Free r by gt_jitter_free(), also after an error.
 * GT_ERR_UNSUPPORTED: arcs, helices, fewer than 16 views, empty projections. */
GT_API gt_status gt_calibrate_jitter(gt_projections *p, const gt_jitter_options *o, gt_jitter *r);
GT_API void      gt_jitter_free(gt_jitter *r);

/* Beads ----------------------------------------------------------------
 *
 * Geometry from projections of small beads in a holder with little attenuation. Bead projections are detected in every
 * view and matched. Geometry and bead positions are adjusted together (bundle adjustment: Triggs et al., Vision
 * Algorithms, LNCS 1883 (2000) 298; circular orbit, tilted panel: Cho et al., Med. Phys. 32 (2005) 968). The centre of
 * a bead projection approximates the projected bead centre. Its error is about (bead radius / distance to the source)^2
 * times the distance to the centre of the panel, so beads must be small. */

/* Corrections common to all views; CENTER, ROLL, SLANT and TILT as in gt_calibrate_parameter. */
typedef enum {
	GT_BEADS_CENTER,                /* column_center, pixels */
	GT_BEADS_ROW,                   /* row_center, pixels */
	GT_BEADS_ROLL,                  /* rad */
	GT_BEADS_SLANT,                 /* rad */
	GT_BEADS_TILT,                  /* rad */
	GT_BEADS_DISTANCE,              /* source to detector, mm; the source stays */
	GT_BEADS_AXIS,                  /* source to axis, mm; source and detector move together */
	GT_BEADS_PARAMETERS
} gt_beads_parameter;
GT_API extern const char *const gt_beads_names[];      /* "center", "row", ..., "axis", NULL */

/* Numbers of beads: minimum, maximum, and minimum for each_view. */
enum { GT_BEADS_MIN = 4, GT_BEADS_MAX = 64, GT_BEADS_MIN_EACH_VIEW = 6 };

typedef struct {
	size_t size;                    /* sizeof(gt_beads_options), as gt_beads_defaults says */
	size_t beads;                   /* number of beads */
	const double (*place)[3];       /* [beads], positions in any right-handed frame, mm; NULL: unknown */
	double span;                    /* largest distance between two beads, mm; 0: unknown. Without span and place
	                                 * the distance from source to axis is not identifiable. */
	int each_view;                  /* 1: then estimates source and detector of each view from the bead positions;
	                                 * needs six beads that do not lie in one plane */
	gt_listener notes;
} gt_beads_options;
GT_API extern const gt_beads_options gt_beads_defaults;

/* Measured and modelled position of a bead in a view, pixels. All NAN: not seen, or overlapping another bead. */
typedef struct { double column, row, model_column, model_row; } gt_bead_sight;

typedef struct {
	size_t beads, views, seen;      /* seen: number of bead projections used */
	double value[GT_BEADS_PARAMETERS], error[GT_BEADS_PARAMETERS];          /* corrections, standard errors */
	int identifiable[GT_BEADS_PARAMETERS]; /* 0: value unchanged */
	double (*place)[3], (*place_error)[3];                                  /* [beads], frame of the scan, mm */
	gt_bead_sight *sight;           /* [views][beads] */
	double *view_rms;               /* [views], RMS residual of both coordinates, pixels; NAN: no bead seen */
	double (*view_error)[2];        /* [views], standard errors of source and detector positions, mm; NAN: the
	                                 * view uses the common geometry (all views without each_view) */
	size_t views_alone;             /* number of views with a geometry of their own */
	double before, after;           /* RMS residual of one coordinate, pixels: scan as given, scan as found */
} gt_beads_report;

/* Estimates the geometry and corrects the scan of p; values stay. Free r, also after an error. GT_ERR_ARG: invalid
 * number of beads or length. GT_ERR_UNSUPPORTED: arcs, parallel rays, helices, fewer than eight views. Also a
 * number of beads that differs from `beads`, positions that do not fit, and an ambiguous solution. The residual must
 * not exceed 1 pixel, for given positions 0.5 mm. */
GT_API gt_status gt_calibrate_beads(gt_projections *p, const gt_beads_options *o, gt_beads_report *r);
GT_API void      gt_beads_free(gt_beads_report *r);    /* frees the members of r, not r itself */
/* Reads bead positions: one line "x y z" in mm per bead, separated by blanks or commas; '#' begins a comment.
 * *place is malloc'ed. GT_ERR_IO; GT_ERR_FORMAT names the line. */
GT_API gt_status gt_beads_read(const char *path, double (**place)[3], size_t *beads);

#ifdef __cplusplus
}
#endif
#endif
