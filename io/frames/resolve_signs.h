#ifndef GT_IO_FRAMES_RESOLVE_SIGNS_H
#define GT_IO_FRAMES_RESOLVE_SIGNS_H
#include <gantry/geometry_files.h>
#include <gantry/io.h>

/* Finds in the images what a geometry file leaves open, by conjugate rays in the middle rows, and takes it so.
 * GT_ERR_UNSUPPORTED, with the options to give: the images do not tell. */
gt_status gt_resolve_signs(gt_view_reader *v, gt_geometry *g, const gt_read_options *o);

#endif
