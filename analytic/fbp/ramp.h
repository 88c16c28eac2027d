#ifndef GT_ANALYTIC_FBP_RAMP_H
#define GT_ANALYTIC_FBP_RAMP_H
/* Frequency responses of ramp filters, computed on the host in double from spatial kernels: sampling |f| itself would
 * lose the mean of a row (Kak, Slaney: Principles of Computerized Tomographic Imaging, 1988, sections 3.3 and 3.4). */
#include <stddef.h>
#include "core/fft/fft.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_RAM_LAK, GT_SHEPP_LOGAN, GT_COSINE, GT_HANN, GT_HAMMING, GT_PARZEN, GT_BLACKMAN } gt_window;
extern const char *const gt_window_names[];             /* "ram-lak" ... , NULL */

typedef struct {
	double pitch;           /* sample pitch: mm, or rad if equiangular */
	int equiangular;        /* arc: the kernel has sin(n pitch) instead of n pitch */
	gt_window window;
	double cutoff;          /* relative to Nyquist, 0 < cutoff <= 1 */
} gt_ramp;

/* Returns the kernel at a lag of n samples, without window. Equiangular: 0 beyond 5/6 pi, which no fan reaches. */
double gt_ramp_kernel(const gt_ramp *r, size_t n);
/* Returns the window at f in [0,1] of the cutoff; 0 beyond; 1 at f = 0. */
double gt_window_value(gt_window w, double f);
/* Computes pitch x transform of the windowed kernel: response[k], k = 0 .. n/2, real; n from gt_fft_size(). */
gt_status gt_ramp_response(const gt_ramp *r, size_t n, double *response);

/* Convolves line[n + 2], with n values, in place with the kernel of this response. Sums are not divided by n. */
gt_status gt_filter_line(size_t n, const double *response, double *line);

#ifdef __cplusplus
}
#endif
#endif
