#ifndef GT_PROJECTORS_DD_DD_OPERATOR_H
#define GT_PROJECTORS_DD_DD_OPERATOR_H
/* The distance-driven projector on the host: its tables, its operator, and its variants, which use other kernels. */
#include <gantry/projector.h>
#include "core/linop.h"
#include "projectors/dd/dd_impl.h"

/* Tables in host memory, with the layouts of gt_dd. */
typedef struct {
	const char *name;       /* the variant's name, for messages */
	gt_dd_view *view;
	double *edge;
	gt_dd_column *column;
	int *guess;
} gt_dd_tables;
/* Fills allocated tables; tallest: see gt_dd. */
gt_status gt_dd_fill_tables(gt_backend *be, const gt_scan *scan, const gt_grid *g, gt_dd_tables *h, double *tallest);
/* Counts the pairs and overlaps; d has its tables in host memory. */
gt_dd_counts gt_dd_count(const gt_dd *d);

/* Slices of a view: perpendicular to `axis`, R = sign (position along it - plane). */
typedef struct { int axis; double sign, plane; } gt_dd_slicing;
gt_dd_slicing gt_dd_slicing_of(const gt_scan *scan, const gt_grid *g, const gt_view *w);
/* A ray in the slices: slope per unit of R and position at R = 0, in voxels of axis b from the lower edge of the
 * first. */
struct gt_dd_line { double slope, start; };
struct gt_dd_line gt_dd_in_slices(const gt_dd_slicing *c, const gt_grid *g, int b, const double point[3], const double direction[3]);
/* Finds slices [*first, *end) whose planes lie at least half a voxel in front of the source; all n for parallel
 * rays. */
void gt_dd_slices_in_front(int fan, int n, double pitch, double R0, double dR, int *first, int *end);

/* Kernels for each backend, NULL if a backend has none. */
typedef struct {
	const char *name;
	const struct gt_dd_impl *impl[GT_NBACKENDS];
	int single_only;
	struct gt_linop_ops ops;
} gt_dd_variant;
void gt_dd_apply(void *self, const gt_array *x, gt_array *y);
void gt_dd_apply_adjoint(void *self, const gt_array *y, gt_array *x);
void gt_dd_destroy(void *self);
int  gt_dd_roofline(void *self, int back, gt_roofline *min);
gt_status gt_dd_make(const gt_dd_variant *variant, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                     const void *options, gt_linop **A);
/* Creates an operator for the integral images of a variant alone, see gt_dd_impl.images. */
gt_status gt_dd_make_part(const gt_dd_variant *variant, size_t part, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                          const void *options, gt_linop **A);
#endif
