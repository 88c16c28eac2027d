#ifndef GT_REGULARIZERS_PRIOR_IMAGE_H
#define GT_REGULARIZERS_PRIOR_IMAGE_H
#include <gantry/array.h>
#include <gantry/grid.h>

/* Inside this room: the volume in a file, which a penalty has as a parameter, on this grid; what: "penalty NAME: KEY",
 * for messages. The file's voxels must lie where the grid's do; there may be more of them. GT_ERR_ARG, by the names of
 * both: no path, another grid, a value below `least`. */
gt_status gt_prior_image_read(const char *what, const char *path, double min, gt_backend *be, gt_type type,
                              const gt_grid *grid, gt_array **image);
#endif
