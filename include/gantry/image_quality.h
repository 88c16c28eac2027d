#ifndef GANTRY_IMAGE_QUALITY_H
#define GANTRY_IMAGE_QUALITY_H
/* What a volume says of its own quality: regions, lines, sharpness of an edge (MTF), spectrum of the noise (NPS),
 * agreement of two halves of a scan (FSC). Volumes are [z][y][x] on a grid, in any unit; lengths mm, frequencies
 * 1/mm. Functions that return a status refuse (GT_ERR_ARG) what lies outside the grid or holds too few voxels,
 * naming it. */
#include <stddef.h>
#include <gantry/grid.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Voxels whose centre is in a cylinder along z. height 0: the nearest slice alone. */
typedef struct { double center[3], radius, height; } gt_roi;
typedef struct {
	size_t count;
	double mean, sd, min, max;
	double error;                   /* standard error of the mean, by means of 4 x 4 voxels: noise of neighbours is
	                                 * alike; NAN: too few */
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

/* Sharpness from the edge of a disc or a cylinder along z, brighter or darker than around it: its centre is found,
 * values by their distance to it are averaged in bins of 1/8 voxel over slices first ... first+slices-1, the
 * derivative is the line spread, which is cut out by a Tukey window over 8 standard deviations on both sides, and
 * whose Fourier transform's modulus is the MTF. */
typedef struct {
	double center[2], radius;       /* mm: about where it is, and its radius to a fifth */
	size_t first, slices;
} gt_disc;
typedef struct {
	double center[2], radius;       /* found, mm */
	double inside, outside, noise;  /* levels, and the standard deviation of voxels inside */
	double f50, f10;                /* where the MTF is 0.5 and 0.1; NAN: beyond half a voxel's frequency */
	double width;                   /* full width of the line spread at half of its maximum, mm */
	gt_curve mtf;
} gt_mtf;
GT_API gt_status gt_mtf_of_disc(const gt_grid *grid, const float *volume, const gt_disc *disc, gt_mtf *m);

/* Noise power of squares of side x side voxels, half overlapping, within a region of slices, less a polynomial of
 * second order each, or of the difference of two volumes over sqrt 2 (other not NULL). NPS(f) = pitch_x pitch_y /
 * (side^2) <|F|^2>: its sum over all frequencies times their spacings is the variance. */
typedef struct {
	double variance, sum;           /* of the squares' voxels; of the NPS */
	double peak, mean;              /* frequency where the radial mean is largest; mean frequency */
	size_t squares;
	gt_curve radial;                /* radial mean, unit^2 mm^2 */
} gt_nps;
GT_API gt_status gt_nps_measure(const gt_grid *grid, const float *volume, const float *other, const gt_roi *roi, size_t side, gt_nps *s);

/* Fourier shell correlation of two volumes on one grid, as of the even and the odd views of a scan: Re sum F1 F2* /
 * sqrt(sum |F1|^2 sum |F2|^2) per shell of frequencies. Frequencies are weighed by a smooth window at the edges of
 * the grid. half_bit: the limit of van Heel and Schatz, J. Struct. Biol. 151 (2005) 250. resolution: mm,
 * 1/frequency where the curve falls below it first; NAN: it never does. */
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
