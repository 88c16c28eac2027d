#ifndef GT_REGULARIZERS_PRIOR_IMAGE_H
#define GT_REGULARIZERS_PRIOR_IMAGE_H
#include <gantry/array.h>
#include <gantry/grid.h>

/* Private to regularizers/. Reads the volume of a penalty's file parameter onto this grid; what: "penalty NAME: KEY",
 * for messages. The file's voxel positions must coincide with the grid's and may extend beyond it. GT_ERR_ARG names
 * both: no path, another grid, a value below `least`. */
gt_status gt_prior_image_read(const char *what, const char *path, double min, gt_backend *be, gt_type type,
                              const gt_grid *grid, gt_array **image);
#endif
