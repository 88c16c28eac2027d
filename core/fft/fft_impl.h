#ifndef GT_CORE_FFT_FFT_IMPL_H
#define GT_CORE_FFT_FFT_IMPL_H
/* Interface of fft.c to a backend. */
#include <math.h>
#include <gantry/author/host_device.h>
#include "core/device/backend.h"
#include "core/fft/fft.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
	gt_backend *be;
	gt_type type;
	size_t n[3], padded[2], batch;  /* batch: maximum number of slices at a time */
} gt_slice_filter_plan;

/* Floats of a padded slice with an in-place transform, and complex numbers of the transform. */
static inline size_t gt_slice_filter_reals(const gt_slice_filter_plan *p) { return (p->padded[0] + 2) * p->padded[1]; }
static inline size_t gt_slice_filter_waves(const gt_slice_filter_plan *p) { return (p->padded[0] / 2 + 1) * p->padded[1]; }

GT_HD double gt_share(double scale, double place, double at)
{
	const double part = 1 - fabs(place - at);
	return part > 0 ? scale * sqrt(part) : 0;
}

struct gt_slice_filter_impl {
	gt_status (*open  )(const gt_slice_filter_plan *p, void **state);
	void      (*filter)(void *state, const void *response, const gt_slice_filter_share *share, int add, const void *x, void *y);
	void      (*close )(void *state);       /* NULL: nothing to do */
};
extern const struct gt_slice_filter_impl gt_slice_filter_cpu, gt_slice_filter_cuda;
#ifdef __cplusplus
}
#endif
#endif
