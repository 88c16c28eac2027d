#ifndef GT_IO_FRAMES_SINOGRAM_SOURCE_H
#define GT_IO_FRAMES_SINOGRAM_SOURCE_H
#include "io/frames/frame_source.h"

/* Converts images of one detector row in all views, [view][column], to views. Replaces *s, which the new source
 * owns. */
gt_status gt_sinogram_source(gt_frame_source **s);

#endif
