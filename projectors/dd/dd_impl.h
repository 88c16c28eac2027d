#ifndef GT_PROJECTORS_DD_DD_IMPL_H
#define GT_PROJECTORS_DD_DD_IMPL_H
/* Kernel functions of each variant, one table per variant and backend. Volumes [z][y][x], data [view][row][column],
 * both of the operator's type. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/device/backend.h"
#include "core/linop.h"
#include "projectors/dd/dd_row.h"
#ifdef __cplusplus
extern "C" {
#endif
/* Host data while an operator is created; `host`: the operator's gt_dd with tables in host memory. */
typedef struct {
	const char    *name;
	const gt_grid *grid;
	const gt_scan *scan;
	const void    *options;         /* options of the variant's gt_projector; NULL if it has none */
	gt_dd          host;
} gt_dd_setup;

/* Sums over all views for the minimum work of a variant; independent of rows and z. */
typedef struct {
	double pairs;           /* (view, slice, column) that meet the volume */
	double overlaps;        /* (view, slice, column, voxel along the slice) that overlap */
} gt_dd_counts;

struct gt_dd_impl {
	/* Creates the variant's own tables on the backend; *state is passed to the functions below. NULL: no own
	 * tables. */
	gt_status (*make)(gt_backend *be, const gt_dd *d, const gt_dd_setup *s, gt_type t, void **state);
	/* NULL if make is NULL; state may be NULL */
	void   (*free   )(gt_backend *be, void *state);
	/* bytes of gt_scratch() for the other functions */
	size_t (*scratch)(gt_backend *be, const gt_dd *d, void *state, gt_type t);
	void   (*forward)(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y);
	void   (*adjoint)(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x);
	/* may be NULL */
	int    (*roofline)(const gt_dd *d, void *state, gt_type t, const gt_dd_counts *c, int adjoint, gt_roofline *min);
	/* Computes integral images alone, in scratch: of slices perpendicular to x (0) or y (1), or of the views (2).
	 * Returns the bytes read and written; only counts them if in is NULL. May be NULL. */
	double (*images )(gt_backend *be, const gt_dd *d, void *state, gt_type t, int kind, const void *in);
};
extern const struct gt_dd_impl gt_dd_cpu, gt_dd_cuda, gt_dd_bs_cuda, gt_dd_bl_cuda, gt_dd_bz_cuda, gt_dd_db_cuda;

/* Allocates a table and fills it from the host. Returns NULL after gt_fail() if memory is short. */
void *gt_dd_upload(gt_backend *be, const void *host, size_t bytes);
#ifdef __cplusplus
}
#endif
#endif
