#ifndef GANTRY_CONSISTENCY_H
#define GANTRY_CONSISTENCY_H
/* Consistency of conjugate rays, which are measured in both directions, as a test of the scan geometry.
 * The line between the sources of two views is measured by both, in opposite directions. For a circle and a fan these
 * are the rays (theta, beta) and (theta + pi + 2 beta, -beta) (docs/geometry.md). On a helix the rows also match the
 * height of the other source. Columns and rows are interpolated, angles are not. Parallel beams: opposite views, or
 * the two nearest ones. Truncation, short scans, flying spots and shifted detectors need no special treatment.
 *
 * Each hypothetical fault moves the pixels of such a pair. Relative to the central ray, in pixels, they become
 * center +- u and row +- v. Each of the four combinations gets the centre that fits best. No data identify a fault
 * that corresponds to the mirror image of another object. These are columns and rotation direction both reversed, on a
 * helix rows and table direction, and on a circle rows. With parallel beams neither columns nor rotation direction are
 * identifiable. The offset of the
 * detector distinguishes reversed columns from a reversed rotation, because reversed columns move the central ray to
 * columns - 1 - column_center. Without an offset either may be wrong. */
#include <gantry/data.h>
#include <gantry/message.h>
#include <gantry/scan.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Hypothesis: the scan with these faults corrected. center: column of the central ray in the projections as stored. */
typedef struct {
	unsigned faults;
	double center;
	size_t pairs;                   /* number of compared pairs */
	double rms, expected;           /* RMS difference: measured, and expected from noise and interpolation */
} gt_conjugate_case;

enum { GT_CONJUGATE_CASES = 10 };
typedef struct {
	size_t pairs, views;            /* number of pairs, and of views that they come from */
	double value, noise;            /* RMS of their line integrals; RMS noise of a pixel */
	size_t cases;
	gt_conjugate_case item[GT_CONJUGATE_CASES];     /* as given; then faults alone and combined; then the best centre */
	/* The verdict. */
	unsigned faults;                /* 0: as given */
	unsigned instead;               /* not 0: alternative faults that explain the data equally well */
	unsigned hidden;                /* faults that this geometry or this object cannot show */
	int explained;                  /* 0: inconsistent, and no fault explains it */
	size_t best;                    /* the item with those faults */
	double center, error;           /* column of the central ray with these faults: fitted value, standard error */
} gt_conjugate_report;

/* data: [view][row][column]. Chooses some ten thousand pairs of at most 1024 views: a few MB and about a second for
 * any scan. GT_ERR_UNSUPPORTED: fewer than 4 columns, or too few rays that are measured from both ends, or nothing
 * in them. */
GT_API gt_status gt_conjugate_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report);

/* Writes the verdict of a report as text: `size` characters, GT_CONJUGATE_TEXT suffice; always terminated. */
enum { GT_CONJUGATE_TEXT = 512 };
GT_API void gt_conjugate_verdict(const gt_scan *scan, const gt_conjugate_report *report, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
