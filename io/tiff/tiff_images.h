#ifndef GT_IO_TIFF_TIFF_IMAGES_H
#define GT_IO_TIFF_TIFF_IMAGES_H
/* TIFF files that hold more images than pages; private to io/. */
#include <gantry/status.h>
#include <stdint.h>
#include <tiffio.h>

/* The number of images that the current page's description claims, if it is of ImageJ or tifffile; pixels: of one
 * image. It may be a fraction, 0 or not finite. */
double    gt_tiff_images(TIFF *t, double pixels);
/* GT_ERR_UNSUPPORTED: the current page holds a volume (SGI's ImageDepth) or a stack of MetaMorph. */
gt_status gt_tiff_check_depth(const char *path, TIFF *t);
/* 1: the image is uncompressed and its strips form one block of `bytes` bytes from *begin on. */
int       gt_tiff_is_contiguous(TIFF *t, uint64_t bytes, uint64_t *begin);

#endif
