#ifndef GT_PREPARE_STEP_H
#define GT_PREPARE_STEP_H
/* What steps of preparation share; private to prepare/. */
#include <gantry/prepare.h>
#include <gantry/threads.h>
#include "geometry/projections.h"

struct gt_prepare_call {
	gt_projections **p;             /* values are there and the handle's own */
	gt_pool *pool;
	const gt_prepare_options *o;
	const char *step;               /* its name, for messages */
};

/* What passes less than one step of a 16-bit detector is not known better than that. */
#define GT_LEAST_TRANSMISSION (1.0 / 65536)

void gt_prepare_note(const gt_prepare_call *c, const char *format, ...) GT_PRINTF(2, 3);
/* Weights of the projections, 1 where there are none yet. */
gt_status gt_prepare_weights(gt_prepare_call *c, float **weights);
/* The same projections, of that scan, in new arrays; weights and photons where there are some; the values are 0. */
gt_status gt_prepare_like(const gt_projections *p, const gt_scan *scan, gt_projections **out);
void      gt_prepare_replace(gt_prepare_call *c, gt_projections *by);

/* Row by row: sinogram [view][column] of a row of the detector, which is put back afterwards, and scratch of that
 * many doubles, one per thread. */
typedef void (*gt_row_work)(void *self, size_t row, float *sinogram, double *scratch);
gt_status gt_prepare_rows(const gt_prepare_call *c, gt_row_work work, void *self, size_t scratch);

/* Photons of a pixel that nothing attenuated: what the projections say, else what differences of neighbours tell;
 * 0: cannot be told. */
double gt_prepare_photons(const gt_prepare_call *c);
/* Median of n <= 64 values, which are put into another order. */
float gt_median_few(float *x, size_t n);

/* Marks bad[row][column] in all views: values are interpolated from good neighbours, weights are 0. */
gt_status gt_prepare_fill(gt_prepare_call *c, const unsigned char *bad);
/* |x| beyond `factor` robust deviations (1.4826 median |x - median x|) of n values; both may be NULL. */
gt_status gt_robust_spread(const float *x, size_t n, double *median, double *deviation);
/* out = the median of the 5 x 5 pixels around each, fewer at edges, on both sides alike. */
void gt_local_medians(const float *x, size_t rows, size_t columns, gt_pool *pool, float *out);

#endif
