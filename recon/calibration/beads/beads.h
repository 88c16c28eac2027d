#ifndef GT_RECON_CALIBRATION_BEADS_BEADS_H
#define GT_RECON_CALIBRATION_BEADS_BEADS_H
/* Common declarations of the calibration by beads; private to it. */
#include <gantry/calibrate.h>
#include "recon/calibration/beads/blobs.h"
#include "recon/calibration/beads/least_squares.h"

enum { GT_BEADS_NONE = -1 };

/* A scan under correction, its shadows, and which of them belongs to which ball. */
typedef struct {
	const gt_scan *given;
	gt_scan *scan;                  /* given, corrected by value[] */
	gt_blobs blobs;
	size_t beads;
	double (*place)[3];             /* [GT_BEADS_MAX] */
	long *sight;                    /* [views][GT_BEADS_MAX]: number of the shadow, or GT_BEADS_NONE */
	double value[GT_BEADS_PARAMETERS];
	double shift[2];                /* pixels by which shadows lie off what `scan` says, before anything is adjusted */
} gt_bead_search;

/* The corrections to `given`, into `scan`. */
void gt_beads_apply(const gt_scan *given, const double value[GT_BEADS_PARAMETERS], gt_scan *scan);
/* Pixels from where the scan sees the place to where shadow k is: du, dv. Far off where it is behind the source. */
void gt_beads_off(const gt_scan *scan, size_t view, const double place[3], const gt_blob *b, double off[2]);

/* x turned about w by |w| rad (O. Rodrigues, 1840). */
void gt_beads_turn(const double w[3], double x[3]);

/* Finds balls that at least half of the views show within `gate` pixels: places, sights, how many (more than
 * GT_BEADS_MAX are not looked for). Shadows of balls there are before are taken. */
gt_status gt_beads_match(gt_bead_search *s, double gate);
/* Sights anew by what the scan says: each ball the shadow nearest within `gate`, where no other ball is near. */
void gt_beads_assign(gt_bead_search *s, double gate);

/* Adjusts value[] but those of `fixed` (bits) and the balls' places, or the pose of the known places (shape not NULL),
 * to all sights; *squares of how many sights; the inverse of J'J, [unknowns][unknowns]: values first, as they stand,
 * then places or pose. Malloc'ed, or NULL. */
typedef struct { size_t unknowns, sights; double squares, *inverse; } gt_beads_fit;
gt_status gt_beads_adjust(gt_bead_search *s, unsigned fixed, const double (*shape)[3], gt_beads_fit *fit);

/* Which of the known places is which ball: turned, moved and scaled known places that lie next to those found.
 * shape: known places in the order of the balls. GT_ERR_UNSUPPORTED. */
gt_status gt_beads_recognise(const gt_bead_search *s, const double (*known)[3], double (*shape)[3]);
/* Places <- the pose of shape that fits them best, scaled where scale is not NULL. */
void gt_beads_superpose(size_t n, const double (*shape)[3], const double (*place)[3], double *scale, double (*moved)[3]);

/* Source and detector of each view by itself. */
gt_status gt_beads_each_view(gt_bead_search *s, gt_beads_report *r);

#endif
