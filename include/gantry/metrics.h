#ifndef GANTRY_METRICS_H
#define GANTRY_METRICS_H
/* Differences and structural similarity of images. */
#include <stddef.h>
#include <gantry/grid.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A stack of slices [slice][line][pixel] of a volume [z][y][x], or of projections by rows, [row][view][column]:
 * strides say which. */
typedef struct {
	const float *a, *b;             /* the image, and the reference */
	size_t slices, lines, pixels;
	size_t slice_stride, line_stride;       /* numbers from slice to slice and from line to line */
} gt_image_pair;
/* Compared region. */
typedef struct {
	size_t first_slice, slices;
	const unsigned char *inside;    /* [line][pixel]: 0 excludes the pixel in every slice; NULL: all pixels */
} gt_image_region;
GT_API void gt_image_pair_of_volumes(const gt_grid *grid, const float *a, const float *b, gt_image_pair *p);
/* The central part of n slices, which is all but floor(n (1 - central)/2) at each end; central from 0 to 1. All of
 * each slice. */
GT_API void gt_image_region_central(size_t slices, double central, gt_image_region *region);
/* Fills inside[line][pixel] of a grid: 1 within a distance from the z axis, in mm; INFINITY: all. */
GT_API void gt_image_region_circle(const gt_grid *grid, double radius, unsigned char *inside);

/* Differences a - b in the unit of the images. NAN where nothing is in the region. */
typedef struct {
	size_t count;                   /* number of compared values */
	double rmse, mean, max;         /* root mean square, mean, largest absolute difference (NAN if there is one) */
	double relative;                /* rmse over the root mean square of b */
	double range;                   /* largest less smallest value of b */
	double psnr;                    /* 20 log10(range/rmse), dB */
} gt_image_distance;
GT_API void gt_image_error(const gt_image_pair *p, const gt_image_region *region, gt_image_distance *d);

/* Mean structural similarity of slices: Z. Wang, A. Bovik, H. Sheikh, E. Simoncelli, IEEE Trans. Image Process. 13
 * (2004) 600, as they compute it: windows of 11 x 11 pixels, Gaussian with a standard deviation of 1.5 pixels and
 * the sum 1, wholly in the picture; C1 = (0.01 range)^2, C2 = (0.03 range)^2, range > 0: of the values that there
 * can be. Windows whose middle is in the region count. *mean is NAN where no window fits. The pool may be NULL.
 * GT_ERR_MEMORY. */
enum { GT_SSIM_WINDOW = 11 };
GT_API gt_status gt_ssim(const gt_image_pair *p, const gt_image_region *region, double range, gt_pool *pool, double *mean);

#ifdef __cplusplus
}
#endif
#endif
