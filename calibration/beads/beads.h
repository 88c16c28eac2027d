#ifndef GT_CALIBRATION_BEADS_BEADS_H
#define GT_CALIBRATION_BEADS_BEADS_H
/* Common declarations of the calibration by beads; private to it. */
#include <gantry/calibrate.h>
#include "calibration/beads/blobs.h"
#include "calibration/beads/least_squares.h"

enum { GT_BEADS_NONE = -1 };

/* A scan under correction, its bead projections, and their assignment to beads. */
typedef struct {
	const gt_scan *given;
	gt_scan *scan;                  /* given, corrected by value[] */
	gt_blobs blobs;
	size_t beads;
	double (*place)[3];             /* [GT_BEADS_MAX] */
	long *sight;                    /* [views][GT_BEADS_MAX]: index of the bead projection, or GT_BEADS_NONE */
	double value[GT_BEADS_PARAMETERS];
	double shift[2];                /* offset of bead projections from `scan`, pixels, before the adjustment */
} gt_bead_search;

/* Applies the corrections to `given`; the result is in scan. */
void gt_beads_apply(const gt_scan *given, const double value[GT_BEADS_PARAMETERS], gt_scan *scan);
/* off: bead projection minus projected position, pixels (du, dv); large if the position is behind the source. */
void gt_beads_off(const gt_scan *scan, size_t view, const double place[3], const gt_blob *b, double off[2]);

/* Rotates x about w by |w| rad (O. Rodrigues, 1840). */
void gt_beads_turn(const double w[3], double x[3]);

/* Finds beads that at least half of the views show within `gate` pixels; adds positions and sights to those in s, up to
 * GT_BEADS_MAX beads. Bead projections of earlier beads are not used again. */
gt_status gt_beads_match(gt_bead_search *s, double gate);
/* Assigns each bead the nearest bead projection within `gate` pixels, unless another bead is close. */
void gt_beads_assign(gt_bead_search *s, double gate);

/* Fits value[] except `fixed` (bits), and bead positions or the pose of the known positions (shape not NULL), to all
 * sights. Returns the sum of squared residuals and the inverse of J'J, [unknowns][unknowns], malloc'ed or NULL.
 * Unknowns: values first, then positions or pose. */
typedef struct { size_t unknowns, sights; double squares, *inverse; } gt_beads_fit;
gt_status gt_beads_adjust(gt_bead_search *s, unsigned fixed, const double (*shape)[3], gt_beads_fit *fit);

/* Identifies the known positions with the beads found, up to rotation, translation and scale. shape: known positions in
 * the order of the beads. GT_ERR_UNSUPPORTED: they do not match. */
gt_status gt_beads_recognise(const gt_bead_search *s, const double (*known)[3], double (*shape)[3]);
/* moved: shape in the pose that fits place best, also scaled if scale is not NULL. */
void gt_beads_superpose(size_t n, const double (*shape)[3], const double (*place)[3], double *scale, double (*moved)[3]);

/* Estimates source and detector of each view independently from the bead positions. */
gt_status gt_beads_each_view(gt_bead_search *s, gt_beads_report *r);

#endif
