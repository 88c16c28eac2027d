#ifndef GT_IO_FRAMES_AXIS_OF_VIEWS_H
#define GT_IO_FRAMES_AXIS_OF_VIEWS_H
#include "io/frames/rotation_axis.h"
#include "io/view_reader.h"

/* gt_axis_find() for views that are read on demand. Averages all rows of a small scan, central rows of a large one.
 * Notes images that seem to be out of order. */
gt_status gt_axis_of_views(gt_view_reader *v, const double *angle, const gt_read_options *o, gt_axis_found *found);

/* Sets the scan's axis column: as in o, or the detector centre for a cone beam, or estimated. Notes the result. */
gt_status gt_set_axis(gt_view_reader *v, const gt_read_options *o, const double *angle, gt_scan *scan);

#endif
