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
	int asked, identifiable;        /* told 0: the projections do not say; the value stayed as it was */
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
 * (with what mends it); helical scans; less than eight views; nothing in the projections. */
GT_API gt_status gt_calibrate(gt_projections *p, const gt_calibrate_options *o, gt_calibration *result);
/* Jitter: the detector of each view lies some pixels off, as a sample does that moves. The projections of a volume
 * that was made from all views are compared with each view, the view is moved, and so on (the idea:
 * Guizar-Sicairos et al., Opt. Express 19 (2011) 21345). A shift of all views, and those that move the whole object
 * (a + b cos + c sin of the angle along columns, a along rows), cannot be told and are taken off. */
typedef struct {
	size_t size;                    /* sizeof(gt_jitter_options), as gt_jitter_defaults says */
	int rounds;                     /* at most */
	size_t columns;                 /* the scan is coarsened to so many at most */
	int threads;                    /* 0: one per processor */
	gt_listener notes;
	const char *backend;            /* NULL: the processors that `threads` says */
} gt_jitter_options;
GT_API extern const gt_jitter_options gt_jitter_defaults;

typedef struct {
	size_t views;
	double (*shift)[2];             /* [views]: what was seen lies so many columns and rows further on than the scan said */
	double (*error)[2];             /* [views]: standard errors, by what is left of the view */
	int identifiable[2];            /* 0: the projections have too little structure along columns, rows */
	double change;                  /* root mean square of the last round, pixels */
	int rounds, converged;
	double before, after;           /* of line integrals what the volume does not explain, root mean square: as given, as found */
	int kept;                       /* 1: moved views would have left more: the scan is as it was, all shifts are 0 */
} gt_jitter;
/* Moves the detectors of p's scan; values stay. r is to be freed by gt_jitter_free(), also after an error.
 * GT_ERR_UNSUPPORTED: arcs, helices, less than 16 views, nothing in the projections. */
GT_API gt_status gt_calibrate_jitter(gt_projections *p, const gt_jitter_options *o, gt_jitter *r);
GT_API void      gt_jitter_free(gt_jitter *r);

/* The corrections of gt_calibrate() to a scan. */
GT_API void gt_calibrate_apply(const double value[GT_CALIBRATE_PARAMETERS], gt_scan *scan);

/* Beads ----------------------------------------------------------------
 *
 * The geometry of a scan from projections of small balls in a holder that attenuates little: their shadows are found in
 * every view and matched, and geometry and places of the balls are adjusted together (bundle adjustment: Triggs et al.,
 * Vision Algorithms, LNCS 1883 (2000) 298; a circle seen by a tilted panel: Cho et al., Med. Phys. 32 (2005) 968). The
 * centre of a shadow stands for the centre of its ball, which is off by some (ball's radius / distance to the source)^2
 * of the way to the middle of the panel: balls must be small. */

/* Corrections that all views share; the first, and the turns, are those of gt_calibrate_parameter. */
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

/* Fewest balls, most of them. */
enum { GT_BEADS_MIN = 4, GT_BEADS_MAX = 64, GT_BEADS_MIN_EACH_VIEW = 6 };

typedef struct {
	size_t size;                    /* sizeof(gt_beads_options), as gt_beads_defaults says */
	size_t beads;                   /* how many there are */
	const double (*place)[3];       /* [beads], mm, in any right-handed frame; NULL: not known */
	double span;                    /* mm, distance of the two balls that are furthest apart; 0: not known. Without it
	                                 * and without places the source's distance from the axis cannot be told. */
	int each_view;                  /* 1: then source and detector of each view by themselves, with the balls as found;
	                                 * at least six of them, not in one plane */
	gt_listener notes;
} gt_beads_options;
GT_API extern const gt_beads_options gt_beads_defaults;

/* The shadow of a ball in a view, and what the geometry makes of it: pixels. All NAN: not seen, or not by itself. */
typedef struct { double column, row, model_column, model_row; } gt_bead_sight;

typedef struct {
	size_t beads, views, seen;      /* seen: sights that were used */
	double value[GT_BEADS_PARAMETERS], error[GT_BEADS_PARAMETERS];          /* corrections, standard errors */
	int identifiable[GT_BEADS_PARAMETERS]; /* 0: stayed as it was */
	double (*place)[3], (*place_error)[3];                                  /* [beads] in the scan's frame, mm */
	gt_bead_sight *sight;           /* [views][beads] */
	double *view_rms;               /* [views], pixels along columns and rows together; NAN: nothing seen */
	double (*view_error)[2];        /* [views], standard errors of source and detector as lengths, mm; NAN: the view has
	                                 * the shared geometry (all of them without each_view) */
	size_t views_alone;             /* views with a geometry of their own */
	double before, after;           /* rms of one coordinate, pixels: of places fitted to the scan as given; as found */
} gt_beads_report;

/* Finds it and corrects p's scan; values stay. r is to be freed, also after an error. GT_ERR_ARG: numbers of balls,
 * lengths. GT_ERR_UNSUPPORTED: arcs, parallel rays, helices, less than eight views; another number of balls than
 * asked for, with both; places that do not fit the balls that were found; more than 1 pixel left (0.5 mm of the
 * places given); what is not unique. */
GT_API gt_status gt_calibrate_beads(gt_projections *p, const gt_beads_options *o, gt_beads_report *r);
GT_API void      gt_beads_free(gt_beads_report *r);    /* what it holds; not r itself */
/* Places from a text: a line "x y z" in mm for each ball, with blanks or commas between; '#' begins a comment.
 * *place is malloc'ed. GT_ERR_IO, GT_ERR_FORMAT with the line. */
GT_API gt_status gt_beads_read(const char *path, double (**place)[3], size_t *beads);

#ifdef __cplusplus
}
#endif
#endif
