#ifndef GANTRY_CONSISTENCY_H
#define GANTRY_CONSISTENCY_H
/* Rays that are measured from both ends, and what their disagreement says about a scan.
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
#include <gantry/message.h>
#include <gantry/scan.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_CONJUGATE_COLUMNS = 1, GT_CONJUGATE_DIRECTION = 2, GT_CONJUGATE_ROWS = 4, GT_CONJUGATE_CENTER = 8 };

/* The scan with these things the other way round, and the central ray at that column of the projections as they are stored. */
typedef struct {
	unsigned faults;
	double center;
	size_t pairs;                   /* compared */
	double rms, expected;           /* difference of both ends: found, and what noise and interpolation make of it */
} gt_conjugate_case;

enum { GT_CONJUGATE_CASES = 10 };
typedef struct {
	size_t pairs, views;            /* chosen, of that many views */
	double value, noise;            /* root mean square of their line integrals; of the noise of a cell among them */
	size_t cases;
	gt_conjugate_case item[GT_CONJUGATE_CASES];     /* first: as given; then each fault alone and with others; then the best center */
	/* The verdict. */
	unsigned faults;                /* 0: as given */
	unsigned instead;               /* not 0: these would explain it as well */
	unsigned hidden;                /* faults that would not show, for the scan's geometry or for this body */
	int explained;                  /* 0: inconsistent, and none of the faults makes it right */
	size_t best;                    /* the item with those faults */
	double center, error;           /* of the column of the central ray with those faults: fitted, standard error */
} gt_conjugate_report;

/* data: [view][row][column]. Chooses some ten thousand pairs of at most 1024 views: a few MB and about a second for any scan.
 * GT_ERR_UNSUPPORTED: fewer than 4 columns, or too few rays that are measured from both ends, or nothing in them. */
GT_API gt_status gt_conjugate_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report);
/* The same of a sample of some thousand pairs, in a tenth of a second; where these agree as they are, nothing else is
 * tried, and the report has the first case alone. */
GT_API gt_status gt_conjugate_quick_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report);

/* What to tell of a report. text: size characters, GT_CONJUGATE_TEXT hold what is said of any scan; it always ends
 * with 0. */
enum { GT_CONJUGATE_TEXT = 512 };
GT_API void gt_conjugate_verdict(const gt_scan *scan, const gt_conjugate_report *report, char *text, size_t size);
/* The command that mends the file where `what` is wrong with it: the report's faults, or those instead of them. */
GT_API void gt_conjugate_remedy(const char *file, const gt_scan *scan, const gt_conjugate_report *report, unsigned what, char *text,
                                size_t size);
/* "columns", "turn", "rows", "center" of the bits 1 << 0, 1 << 1 ...; NULL behind the last. */
GT_API const char *gt_conjugate_fault_name(int fault);
/* The column of the central ray once those faults are mended, for a column of the projections as they are stored. */
GT_API double gt_conjugate_center(const gt_scan *scan, unsigned faults, double stored);
/* Warns if gt_conjugate_quick_check() finds a disagreement, with the commands that correct `file` (NULL: no file).
 * threads: 0: one per processor. Silent if nothing can be compared. */
GT_API void gt_conjugate_warn(const gt_projections *p, const gt_listener *log, const char *file, int threads);
/* Moves the axis of rotation to the column that gt_conjugate_quick_check() finds if that column is the only fault, and
 * reports it by log. For scans whose axis was assumed, not measured. Returns 1 if the axis was moved. threads: 0: one
 * per processor. */
GT_API int gt_conjugate_move_axis(gt_projections *p, const gt_listener *log, const char *file, int threads);

#ifdef __cplusplus
}
#endif
#endif
