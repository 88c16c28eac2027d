#ifndef GT_IO_TIFF_VOLUME_H
#define GT_IO_TIFF_VOLUME_H
/* Volumes in TIFF, a page a slice, whose first page says what they are; private to io/. */
#include <gantry/io.h>

/* 1: the description of the first page is one that gantry writes for a volume. */
int       gt_tiff_is_volume(const char *path);
/* GT_ERR_FORMAT: damaged, cut off, numbers that are missing in the description or make no grid. */
extern const gt_slice_source gt_tiff_slices;

#endif
