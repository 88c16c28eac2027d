#ifndef GT_IO_HDF5_NXTOMO_H
#define GT_IO_HDF5_NXTOMO_H
/* NXtomo and the layouts of synchrotrons in which a key of every frame says what it is; private to io/. */
#include <gantry/io.h>
#include "io/frames/frame_source.h"

/* Views, flat and dark fields of one data set, NULL where there are none; angle: of every view, rad; before: how many
 * views were taken before each flat field. */
typedef struct {
	gt_frame_source *scan, *flat, *dark;
	double *angle;
	size_t *before;
} gt_nxtomo;

int       gt_is_nxtomo(const char *path);
/* External links lie below the file's own folder. GT_ERR_IO names the file that a link leads to and that is not
 * there; GT_ERR_FORMAT: keys or angles that do not fit the frames. */
gt_status gt_nxtomo_open(const char *path, const gt_read_options *o, gt_nxtomo *n);

#endif
