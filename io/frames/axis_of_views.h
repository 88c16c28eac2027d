#ifndef GT_IO_FRAMES_AXIS_OF_VIEWS_H
#define GT_IO_FRAMES_AXIS_OF_VIEWS_H
#include "io/frames/rotation_axis.h"
#include "io/view_reader.h"

/* gt_axis_find() for views that are read as they are needed. Rows are averaged: all of a small scan, the middle ones
 * of a large one. Images that seem to be in another order than their angles are told. */
gt_status gt_axis_of_views(gt_view_reader *v, const double *angle, const gt_read_options *o, gt_axis_found *found);

/* The column of the axis of a scan: as o says, in the middle of a cone beam, else found; and told. */
gt_status gt_set_axis(gt_view_reader *v, const gt_read_options *o, const double *angle, gt_scan *scan);

#endif
