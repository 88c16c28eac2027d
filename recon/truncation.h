#ifndef GT_RECON_TRUNCATION_H
#define GT_RECON_TRUNCATION_H
/* Warnings about parts that a scan does not cover or a grid does not hold. */
#include <gantry/data.h>
#include <gantry/message.h>

/* Warns of slices of the grid that the scan does not cover. */
void gt_note_slices(const gt_listener *log, const gt_grid *grid, const gt_scan *scan);
/* Warns of an object wider than the grid of an iterative method. */
void gt_note_sides(const gt_listener *log, const gt_grid *grid, const gt_projections *p);
/* gt_displaced_check() of projections in memory. */
gt_status gt_check_displaced(const char *who, const gt_projections *p);
/* Warns of gaps in the views of a displaced detector that neighbouring views fill. */
void gt_note_gap(const gt_listener *log, const gt_scan *scan);
/* Warns of an object wider than the detector: rows that do not end in air. */
void gt_note_body(const gt_listener *log, const gt_projections *p, int iterative);
/* Warns of an angular range that contradicts the data (geometry/angular_closure.h). */
void gt_note_range(const gt_listener *log, const gt_projections *p);
/* Warns of file weights that are all 0, or concentrated in one value. */
void gt_note_weights(const gt_listener *log, const gt_projections *p);
/* Warns if the detector is nearer to the source than the axis of rotation. Notes the attenuation that laminography does
 * not measure. */
void gt_note_detector(const gt_listener *log, const gt_scan *scan);
#endif
