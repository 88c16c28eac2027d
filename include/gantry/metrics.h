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

/* Image quality without a reference: regions, line profiles, sharpness of an edge (MTF), noise spectrum (NPS),
 * agreement of two half scans (FSC). Volumes are [z][y][x] on a grid, in any unit; lengths mm, frequencies 1/mm.
 * GT_ERR_ARG names a region that lies outside the grid or holds too few voxels. */
/* Voxels whose centre is in a cylinder along z. height 0: the nearest slice alone. */
typedef struct { double center[3], radius, height; } gt_roi;
typedef struct {
	size_t count;
	double mean, sd, min, max;
	double error;                   /* standard error of the mean, from means of 4 x 4 voxels, because noise of
	                                 * neighbours is correlated; NAN: too few */
} gt_roi_figures;
GT_API gt_status gt_roi_measure(const gt_grid *grid, const float *volume, const gt_roi *roi, gt_roi_figures *f);
/* Contrast to noise: |mean - mean| / sqrt((sd^2 + sd^2)/2); INFINITY without noise. */
GT_API double    gt_contrast_to_noise(const gt_roi_figures *a, const gt_roi_figures *b);

/* n >= 2 values at equal steps from `from` to `to`, both included, interpolated between voxels. */
GT_API gt_status gt_line_profile(const gt_grid *grid, const float *volume, const double from[3], const double to[3], size_t n,
                                  double *value);

/* A curve over frequencies; both arrays belong to it. */
typedef struct { double *frequency, *value; size_t n; } gt_curve;
GT_API void gt_curve_free(gt_curve *c);

/* MTF from the edge of a disc or of a cylinder along z. Finds the centre and averages slices first ...
 * first+slices-1 in bins of 1/8 voxel by distance to it. The derivative of this edge profile is the line spread. The
 * MTF is the modulus of its Fourier transform, after a Tukey window of 8 standard deviations on both sides. */
typedef struct {
	double center[2], radius;       /* mm: about where it is, and its radius to a fifth */
	size_t first, slices;
} gt_disc;
typedef struct {
	double center[2], radius;       /* found, mm */
	double inside, outside, noise;  /* levels, and the standard deviation of voxels inside */
	double f50, f10;                /* frequencies of MTF 0.5 and 0.1; NAN: above the Nyquist frequency */
	double width;                   /* full width of the line spread at half of its maximum, mm */
	gt_curve mtf;
} gt_mtf;
GT_API gt_status gt_mtf_of_disc(const gt_grid *grid, const float *volume, const gt_disc *disc, gt_mtf *m);

/* Noise power spectrum of squares of side x side voxels, half overlapping, within a region of slices. A polynomial of
 * second order is subtracted from each square. other not NULL: of the difference of both volumes over sqrt 2.
 * NPS(f) = pitch_x pitch_y / side^2 <|F|^2>. Its integral over all frequencies is the variance. */
typedef struct {
	double variance, sum;           /* variance of the voxels of the squares; integral of the NPS */
	double peak, mean;              /* frequency where the radial mean is largest; mean frequency */
	size_t squares;
	gt_curve radial;                /* radial mean, unit^2 mm^2 */
} gt_nps;
GT_API gt_status gt_nps_measure(const gt_grid *grid, const float *volume, const float *other, const gt_roi *roi, size_t side, gt_nps *s);

/* Fourier shell correlation of two volumes on one grid, such as those of even and odd views. Per shell of frequencies
 * it is Re sum F1 F2* / sqrt(sum |F1|^2 sum |F2|^2). A smooth window tapers the volumes at the edges of the grid.
 * half_bit: the limit of van Heel and Schatz, J. Struct. Biol. 151 (2005) 250. resolution: 1/frequency at the first
 * value below that limit, mm; NAN: no such value. */
typedef struct {
	gt_curve fsc;
	double *half_bit;               /* [fsc.n] */
	double resolution, resolution_143;      /* the second: below 1/7 */
} gt_fsc;
GT_API gt_status gt_fsc_measure(const gt_grid *grid, const float *a, const float *b, gt_fsc *f);
GT_API void      gt_fsc_free(gt_fsc *f);

#ifdef __cplusplus
}
#endif
#endif
