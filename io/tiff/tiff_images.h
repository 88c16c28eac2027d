#ifndef GT_IO_TIFF_TIFF_IMAGES_H
#define GT_IO_TIFF_TIFF_IMAGES_H
/* TIFF files with more images than pages; private to io/. */
#include <gantry/status.h>
#include <stdint.h>
#include <tiffio.h>

/* Number of images in the description of the current page, if ImageJ or tifffile wrote it; pixels: of one image. The
 * result may be a fraction, 0 or not finite. */
double    gt_tiff_images(TIFF *t, double pixels);
/* GT_ERR_UNSUPPORTED: the current page contains a volume (SGI's ImageDepth) or a MetaMorph stack. */
gt_status gt_tiff_check_depth(const char *path, TIFF *t);
/* 1: the image is uncompressed and its strips form one block of `bytes` bytes at offset *begin. */
int       gt_tiff_is_contiguous(TIFF *t, uint64_t bytes, uint64_t *begin);

#endif
