#ifndef GT_METRICS_SSIM_H
#define GT_METRICS_SSIM_H
#include <stddef.h>
#include <gantry/threads.h>

/* Mean structural similarity of pictures: Z. Wang, A. Bovik, H. Sheikh, E. Simoncelli, IEEE Trans. Image Process. 13 (2004) 600, as they
 * compute it: windows of 11 x 11 pixels, Gaussian with a standard deviation of 1.5 pixels and the sum 1, wholly in the picture;
 * C1 = (0.01 range)^2, C2 = (0.03 range)^2. A stack of pictures [slice][line][cell] has the mean over all windows. */
enum { GT_SSIM_WINDOW = 11 };
typedef struct {
	const float *a, *b;             /* [slices][lines][cells] */
	size_t slices, lines, cells;
	double range;                   /* > 0: of the values that there can be */
	const unsigned char *inside;    /* [lines][cells]: windows with their middle there count; NULL: all */
} gt_ssim_pair;
/* *mean is NAN where no window fits. GT_ERR_MEMORY. */
gt_status gt_ssim(const gt_ssim_pair *p, gt_pool *pool, double *mean);
#endif
