#ifndef GANTRY_CONSISTENCY_H
#define GANTRY_CONSISTENCY_H
/* Consistency of conjugate rays, which are measured in both directions, as a test of the scan geometry.
 * The line from the source of one view to that of another is seen by both, in opposite directions: for a circle and a fan that is
 * the ray (theta, beta) and its conjugate (theta + pi + 2 beta, -beta) (docs/geometry.md), for a helix the same with the row that
 * looks to the other's height. No angle is interpolated, only columns and rows. Parallel beams: opposite views, or the two around
 * the opposite direction. Truncated bodies, short scans, flying spots and shifted detectors need nothing of their own.
 *
 * Every supposed fault moves the cells that belong to such a pair. With u and v counted in cells from the central ray, they are
 * center +- u and row +- v: four ways round, and for each the center that fits best. What cannot be told by any data, since it is the
 * mirror image of another body: columns and turn both reversed; on a helix rows and the direction of the table; on a circle
 * rows at all; with parallel beams columns and turn. Of columns and turn the offset of the detector decides which: reversed columns are counted from
 * the other end, so that the central ray is at columns - 1 - column_center among them; without an offset either may be wrong. */
#include <gantry/data.h>
#include <gantry/io.h>
#include <gantry/message.h>
#include <gantry/scan.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_CONJUGATE_COLUMNS = 1, GT_CONJUGATE_DIRECTION = 2, GT_CONJUGATE_ROWS = 4, GT_CONJUGATE_CENTER = 8 };

/* Hypothesis: the scan with these faults corrected. center: column of the central ray in the projections as stored. */
typedef struct {
	unsigned faults;
	double center;
	size_t pairs;                   /* number of compared pairs */
	double rms, expected;           /* RMS difference: measured, and expected from noise and interpolation */
} gt_conjugate_case;

enum { GT_CONJUGATE_CASES = 10 };
typedef struct {
	size_t pairs, views;            /* chosen, of that many views */
	double value, noise;            /* root mean square of their line integrals; of the noise of a cell among them */
	size_t cases;
	gt_conjugate_case item[GT_CONJUGATE_CASES];     /* first: as given; then each fault alone and with others; then the best center */
	/* The verdict. */
	unsigned faults;                /* 0: as given */
	unsigned instead;               /* not 0: alternative faults that explain the data equally well */
	unsigned hidden;                /* faults that this geometry or this object cannot show */
	int explained;                  /* 0: inconsistent, and no fault explains it */
	size_t best;                    /* the item with those faults */
	double center, error;           /* of the column of the central ray with those faults: fitted, standard error */
} gt_conjugate_report;

/* data: [view][row][column]. Chooses some ten thousand pairs of at most 1024 views: a few MB and about a second for any scan.
 * GT_ERR_UNSUPPORTED: fewer than 4 columns, or too few rays that are measured from both ends, or nothing in them. */
GT_API gt_status gt_conjugate_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report);
/* Checks a sample of some thousand pairs in a tenth of a second. If they agree, no fault is tried, and the report has
 * the first case only. */
GT_API gt_status gt_conjugate_quick_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report);

/* Writes the verdict of a report as text: `size` characters, GT_CONJUGATE_TEXT suffice; always terminated. */
enum { GT_CONJUGATE_TEXT = 512 };
GT_API void gt_conjugate_verdict(const gt_scan *scan, const gt_conjugate_report *report, char *text, size_t size);
/* Writes the command that corrects the faults `what` of the file: faults or instead of the report. */
GT_API void gt_conjugate_remedy(const char *file, const gt_scan *scan, const gt_conjugate_report *report, unsigned what, char *text,
                                size_t size);
/* "columns", "turn", "rows", "center" of the bits 1 << 0, 1 << 1 ...; NULL past the last. */
GT_API const char *gt_conjugate_fault_name(int fault);
/* Returns the column of the central ray after correction of the faults; stored: its column before. */
GT_API double gt_conjugate_center(const gt_scan *scan, unsigned faults, double stored);
/* Warns if gt_conjugate_quick_check() finds a disagreement, with the commands that correct `file` (NULL: no file).
 * threads: 0: one per processor. Silent if nothing can be compared. */
GT_API void gt_conjugate_warn(const gt_projections *p, const gt_listener *log, const char *file, int threads);
/* Moves the axis of rotation to the column that gt_conjugate_quick_check() finds if that column is the only fault, and
 * reports it by log. For scans whose axis was assumed, not measured. Returns 1 if the axis was moved. threads: 0: one
 * per processor. */
GT_API int gt_conjugate_move_axis(gt_projections *p, const gt_listener *log, const char *file, int threads);
/* gt_conjugate_move_axis() if the axis was assumed: for images of a cone beam that were read with `o`, without an axis
 * or a geometry. If p holds no values, a sample of views and rows is read from the file. */
GT_API int gt_conjugate_move_assumed_axis(gt_projections *p, const gt_read_options *o, const gt_listener *log, const char *file,
                                          int threads);

#ifdef __cplusplus
}
#endif
#endif
