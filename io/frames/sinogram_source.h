#ifndef GT_IO_FRAMES_SINOGRAM_SOURCE_H
#define GT_IO_FRAMES_SINOGRAM_SOURCE_H
#include "io/frames/frame_source.h"

/* Images that are one row of the detector in all views, [view][column], as the views they are made of: replaces *s,
 * which the new one owns. */
gt_status gt_sinogram_source(gt_frame_source **s);

#endif
