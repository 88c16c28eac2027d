#ifndef GT_IO_FRAMES_RESOLVE_SIGNS_H
#define GT_IO_FRAMES_RESOLVE_SIGNS_H
#include <gantry/io.h>

/* Resolves the undetermined signs of g by conjugate rays in the central rows. GT_ERR_UNSUPPORTED, naming the options to
 * set: the images do not determine them. */
gt_status gt_resolve_signs(gt_view_reader *v, gt_geometry *g, const gt_read_options *o);

#endif
