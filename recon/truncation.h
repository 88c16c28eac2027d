#ifndef GT_RECON_TRUNCATION_H
#define GT_RECON_TRUNCATION_H
/* Remarks on what a scan does not cover, or a grid does not hold. */
#include <gantry/data.h>
#include <gantry/message.h>

/* Slices of the grid that the scan does not cover. */
void gt_note_slices(const gt_listener *log, const gt_grid *grid, const gt_scan *scan);
/* A body that is wider than the grid of an iterative method. */
void gt_note_sides(const gt_listener *log, const gt_grid *grid, const gt_projections *p);
/* GT_ERR_UNSUPPORTED, naming the gap, if the object extends beyond the nearer side of a displaced detector and the
 * views leave a gap. who: the method. */
gt_status gt_check_displaced(const char *who, const gt_projections *p);
/* Gaps in the views of a displaced detector that the neighbouring views fill. */
void gt_note_gap(const gt_listener *log, const gt_scan *scan);
/* An object that is wider than the detector: rows that do not end in air. */
void gt_note_body(const gt_listener *log, const gt_projections *p, int iterative);
/* A range of angles that the data contradict (geometry/angular_closure.h). */
void gt_note_range(const gt_listener *log, const gt_projections *p);
/* Weights of the file that are all 0, or nearly all of one value. */
void gt_note_weights(const gt_listener *log, const gt_projections *p);

/* Warns if the detector is nearer to the source than the axis of rotation. */
void      gt_note_detector(const gt_listener *log, const gt_scan *scan);
#endif
