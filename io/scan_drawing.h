#ifndef GT_IO_SCAN_DRAWING_H
#define GT_IO_SCAN_DRAWING_H
/* Drawings of scans. */
#include <gantry/grid.h>

/* Draws a scan along the axis and from the side: source path, detectors of some views, measured cylinder, and the
 * grid (NULL: none). PNG or SVG by the extension. */
gt_status      gt_scan_draw(const char *path, const gt_scan *scan, const gt_grid *grid, const char *title);
#endif
