#ifndef GT_CORE_COUNTS_COUNTS_IMPL_H
#define GT_CORE_COUNTS_COUNTS_IMPL_H
/* Interface of counts.c to a backend, and the formulas of one ray. */
#include <math.h>
#include <gantry/author/host_device.h>
#include "core/counts/counts.h"
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	enum gt_counts what;
	double background;
	size_t n;
	const void *l, *p, *w;          /* w: NULL is 1 */
	void *out;
} gt_counts_work;

struct gt_counts_impl {
	void (*run)(gt_backend *be, gt_type type, const gt_counts_work *w);
};
extern const struct gt_counts_impl gt_counts_cpu, gt_counts_cuda;

GT_HD double gt_counts_ray(enum gt_counts what, double background, double l, double p)
{
	const double e = exp(-l), m = e + background, part = m > 0 ? e / m : 1;
	if (what == GT_COUNTS_FISHER)
		return e * part;
	const double y = exp(-p) + background, slope = (y - m) * part;
	if (what == GT_COUNTS_SLOPE)
		return slope;
	if (what == GT_COUNTS_DEVIANCE) {
		const double off = (m - y) / y;
		return 2 * y * (off - log1p(off));
	}
	/* At 0: the second derivative there, which is the largest. */
	const double none = 1 + background;
	const double curvature = l < 1e-3 ? 1 - y * background / (none * none) : 2 * (none - m - y * log(none / m) + l * slope) / (l * l);
	return curvature > 0 ? curvature : 0;
}

#ifdef __cplusplus
}
#endif
#endif
