#ifndef GT_IO_TIFF_VOLUME_H
#define GT_IO_TIFF_VOLUME_H
/* Volumes in TIFF, one page for each slice; the first page describes them. Private to io/. */
#include <gantry/io.h>

/* 1: Gantry wrote the description of the first page for a volume. */
int       gt_tiff_is_volume(const char *path);
/* GT_ERR_FORMAT: damaged, truncated, or the description lacks numbers or gives no valid grid. */
extern const gt_slice_source gt_tiff_slices;

#endif
