#ifndef GT_ANALYTIC_CONSISTENCY_CONJUGATE_H
#define GT_ANALYTIC_CONSISTENCY_CONJUGATE_H
/* Quick check of conjugate rays, and texts for users. */
#include <gantry/consistency.h>
#include <gantry/io.h>

/* Checks a sample of some thousand pairs in a tenth of a second. If they agree, no fault is tried, and the report has
 * the first case only. */
gt_status gt_conjugate_quick_check(const gt_scan *scan, const float *data, gt_pool *pool, gt_conjugate_report *report);
/* Writes the command that corrects the faults `what` of the file: faults or instead of the report. */
void gt_conjugate_remedy(const char *file, const gt_scan *scan, const gt_conjugate_report *report, unsigned what, char *text,
                         size_t size);
/* "columns", "turn", "rows", "center" of the bits 1 << 0, 1 << 1 ...; NULL past the last. */
const char *gt_conjugate_fault_name(int fault);
/* Returns the column of the central ray after correction of the faults; stored: its column before. */
double gt_conjugate_center(const gt_scan *scan, unsigned faults, double stored);
/* Warns if gt_conjugate_quick_check() finds a disagreement, with the commands that correct `file` (NULL: no file).
 * threads: 0: one per processor. Silent if nothing can be compared. */
void gt_conjugate_warn(const gt_projections *p, const gt_listener *log, const char *file, int threads);
/* Moves the axis of rotation to the column that gt_conjugate_quick_check() finds if that column is the only fault, and
 * reports it by log. For scans whose axis was assumed, not measured. Returns 1 if the axis was moved. threads: 0: one
 * per processor. */
int gt_conjugate_move_axis(gt_projections *p, const gt_listener *log, const char *file, int threads);
/* gt_conjugate_move_axis() if the axis was assumed: for images of a cone beam that were read with `o`, without an axis
 * or a geometry. If p holds no values, a sample of views and rows is read from the file. */
int gt_conjugate_move_assumed_axis(gt_projections *p, const gt_read_options *o, const gt_listener *log, const char *file, int threads);
#endif
