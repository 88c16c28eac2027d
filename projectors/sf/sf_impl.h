#ifndef GT_PROJECTORS_SF_SF_IMPL_H
#define GT_PROJECTORS_SF_SF_IMPL_H
/* Kernel functions of each backend. Volumes [z][y][x], data [view][row][column], both of the operator's type. */
#include <gantry/grid.h>
#include "core/device/backend.h"
#include "core/linop.h"
#include "projectors/sf/sf_footprint.h"
#ifdef __cplusplus
extern "C" {
#endif
/* Sums over the views for the minimum work; independent of rows and z. */
typedef struct {
	double voxels;          /* (view, column of voxels) that meet the detector */
	double overlaps;        /* (view, column of voxels, column of pixels) that overlap */
} gt_sf_counts;

struct gt_sf_impl {
	/* Creates tables on the backend, from d with the views in host memory; memory: limit of scratch in MiB. NULL:
	 * no tables. */
	gt_status (*make)(gt_backend *be, const gt_sf *host, gt_type t, double memory, void **state);
	void   (*free   )(gt_backend *be, void *state);
	/* bytes of gt_scratch() for the other functions */
	size_t (*scratch)(gt_backend *be, const gt_sf *d, void *state, gt_type t);
	void   (*forward)(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *x, void *y);
	void   (*adjoint)(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *y, void *x);
	int    (*roofline)(const gt_sf *d, void *state, gt_type t, const gt_sf_counts *c, int adjoint, gt_roofline *min);    /* may be NULL */
};
/* Fills the tables in host memory; the caller frees host->view and host->ray, also after a failure, with host zeroed
 * before the call. */
gt_status gt_sf_host_new(const char *name, const gt_grid *g, const gt_scan *scan, int trapezoid, gt_sf *host);

extern const struct gt_sf_impl gt_sf_cpu, gt_sf_cuda;
#ifdef __cplusplus
}
#endif
#endif
