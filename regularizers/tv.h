#ifndef GT_REGULARIZERS_TV_H
#define GT_REGULARIZERS_TV_H
/* Private to regularizers/. Backend interface of tv.c. */
#include <gantry/author/scan_math.h>
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif

struct gt_tv_plan {
	size_t n[3];
	size_t from, end;               /* slices included in sums */
	double w[3];                    /* pitch of x divided by pitch of the axis, times the weight of the axis */
	double strength, eps;
	int anisotropic;
};

/* One pass of the proximal step. Dual arrays, one per axis, are 0 at the last voxel of their axis, and stay 0. */
struct gt_tv_step { double tau, step, ahead, lo, hi; };
struct gt_tv_dual { void *a[3]; };

struct gt_tv_impl {
	size_t (*scratch)(gt_backend *be, const struct gt_tv_plan *p, gt_type type);     /* bytes */
	/* p NULL: *first is R(x); else slope and curvature of R_eps(x + a p); valid after gt_reductions_wait() */
	void (*sums    )(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const void *x, const void *p, double a, double *first,
	                 double *curvature);
	void (*gradient)(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const void *x, void *g, void *d);
	void (*majorize)(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, void *d);
	/* out = Pi(r + step D u), u = P(z - tau D'r), r = p + ahead (p - old); p and old may be equal, out must
	 * differ */
	void (*dual    )(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const struct gt_tv_step *s, const void *z,
	                 const struct gt_tv_dual *p, const struct gt_tv_dual *old, const struct gt_tv_dual *out);
	/* x = P(z - tau D'p); x may be z */
	void (*primal  )(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const struct gt_tv_step *s, const void *z,
	                 const struct gt_tv_dual *p, void *x);
};
extern const struct gt_tv_impl gt_tv_cpu, gt_tv_cuda;

GT_HD unsigned gt_tv_next(const size_t *n, size_t x, size_t y, size_t z)
{
	return (x + 1 < n[0] ? 1u : 0) | (y + 1 < n[1] ? 2u : 0) | (z + 1 < n[2] ? 4u : 0);
}
GT_HD unsigned gt_tv_previous(size_t x, size_t y, size_t z) { return (x ? 1u : 0) | (y ? 2u : 0) | (z ? 4u : 0); }

#ifdef __cplusplus
}
#endif
#endif
