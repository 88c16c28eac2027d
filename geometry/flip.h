#ifndef GT_GEOMETRY_FLIP_H
#define GT_GEOMETRY_FLIP_H
/* Projections the other way round: columns, rows, or the direction of rotation. */
#include <gantry/io.h>

/* What --flip names, bits of GT_CONJUGATE_COLUMNS, _ROWS and _TURN: "columns", "rows", "turn", separated by commas.
 * GT_ERR_ARG, _UNKNOWN. */
gt_status gt_flip_parse(const char *text, unsigned *what);
/* columns, rows: the other way round in projections, weights and photons; column_center and row_center stay as they
 * are. turn: every view is mirrored in x = 0, so that the gantry turns the other way, and its columns are counted from
 * the same side as before. Twice is as before. */
void gt_projections_flip(gt_projections *p, unsigned what);
#endif
