#ifndef GT_PROJECTORS_DD_FAST_DD_FAST_CUH
#define GT_PROJECTORS_DD_FAST_DD_FAST_CUH
/* Between the sources of the fast exact pair in single precision: dd_cuda.cu (tables, choice), dd_forward_cuda.cu,
 * dd_adjoint_cuda.cu. The coefficients of dd_row.h with everything linear in the slice n written out. On slice n, in
 * voxels:
 *   column edge k        X_k    = (a0 + n da) + (g0 + n dg) U_k
 *   row edge l           Z_l    = (z0 + n dz) + A (l + p),   A = (g0 + n dg) q_k the height of a pixel
 *   z edge e in rows     rho(e) = (e - z0 - n dz) / A - p */
#include "projectors/dd/dd_impl.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
	double a0, da, g0, dg, z0, dz, p;
	int first, end, at; /* slices first .. end-1; at: the view in the scan */
} gt_dd_near;
typedef struct {
	double U, q;
} gt_dd_edge_q;
/* A few neighbouring views, -1 where there are fewer. All other rows than low .. high-1 miss the volume. */
enum { GT_DD_GROUP = 4 };
typedef struct {
	int view[GT_DD_GROUP], low, high;
} gt_dd_group;
/* Consecutive groups whose rows tiles of one shape suit best: at most so many rows see the volume. */
enum { GT_DD_SHAPES = 12 };
typedef struct {
	int first, groups, rows;
} gt_dd_run;
/* A warp's tile in forward: rows of a lane, lanes of a column, columns, rows beyond; and what the kernel was compiled
 * with (dd_forward.cuh). */
typedef struct {
	int rows, lanes, columns, extra, warps, slot, slots, blocks, whole, flush, ahead;
} gt_dd_tile;
/* What a block of forward has of a tile, where blocks are few. group: of gt_dd_fast.group; column: of blocks of
 * columns; tile: of rows; begin, end: slices; at: which of done[] counts the tile's parts. */
typedef struct {
	int group, column, tile, axis, begin, end, part, parts, at;
} gt_dd_share;
/* A variant of forward's kernel, for all runs. */
typedef struct gt_dd_tuned gt_dd_tuned;
/* A warp's tile in the adjoint: z edges of a lane, voxels along the slice; what its kernel was compiled with
 * (dd_adjoint.cuh); as many blocks as a launch should have, if there are slices of z to share out. */
typedef struct {
	int edges, strip, slot, slots, blocks, fill;
} gt_dd_strip;
typedef struct gt_dd_tuned_back gt_dd_tuned_back;
enum { GT_DD_BUNDLE = 32, GT_DD_SPREAD = 8 };

typedef struct {
	/* [views], those with slices perpendicular to x first; indices below count in it */
	const gt_dd_near *view;
	const gt_dd_edge_q *height;  /* [views][columns + 1]: U and q */
	const gt_dd_edge_q *inverse; /* [views][columns + 1]: U and 1 / q */
	const gt_dd_group *group;    /* [groups], by axis and shape */
	/* [bundles + 1]: views bundle[i] .. bundle[i+1]-1, at most GT_DD_BUNDLE, see nearly the same slices of z */
	const int *bundle;
	int views[2], groups[2], bundles[2]; /* by axis */
	gt_dd_run run[2][GT_DD_SHAPES];      /* by axis and shape */
	int together;                        /* views of a group */
	double max_A, min_A;                 /* height of a pixel in voxels */
	/* that a group's columns of a block of forward meet on a slice, on the average */
	double typical_lines;
	double spread;       /* by how much that differs over GT_DD_SPREAD slices, of itself, at most */
	double typical_span; /* what a bundle sees along z on the average, in voxels, at the mean height */
	size_t limit;        /* bytes of scratch at most */
	int processors;      /* of the device */
	/* of forward, where its blocks are few; NULL: each block has a tile, by number */
	const gt_dd_share *share;
	int shares[GT_DD_SHAPES + 1]; /* those of a shape begin at */
	int parts;                    /* of a tile, at most */
	unsigned *done;               /* [tiles that have parts], parts that are done, 0 after the last */
	const gt_dd_tuned *tuned;     /* on the host; NULL: the built-in kernels, by shape */
	const gt_dd_tuned_back *back; /* likewise, of the adjoint */
} gt_dd_fast;

/* 0, 1, ... n-1 from the middle: blocks that few rays meet come last, when there is little left to do beside them. */
GT_HD int gt_dd_outwards(int i, int n) { return n / 2 + (i % 2 ? -(i + 1) / 2 : i / 2); }

/* Running sums along z of the voxels of slices begin .. end-1 of a volume, [slice - begin][voxel][stride]: entry e is
 * the sum of voxels 0 .. e-1 less a constant of the line; entries past the last keep its value. */
typedef struct {
	const float *lines;
	int axis, begin, end, stride;
} gt_dd_lines;

size_t gt_dd_fast_forward_scratch(const gt_dd *d, const gt_dd_fast *f);
size_t gt_dd_fast_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f);
/* Tables on the host, as gt_dd_fast has them on the device. */
typedef struct {
	gt_dd_near *view;
	gt_dd_edge_q *height, *inverse;
	gt_dd_group *group;
	int *bundle;
} gt_dd_fast_tables;
/* What blocks of forward have where they are few, on the device, and how many bytes that and the counters take.
 * Returns 0 without memory. */
int gt_dd_forward_share(gt_backend *be, const gt_dd *d, gt_dd_fast *f, const gt_dd_fast_tables *h, size_t bytes[2]);
/* Tiles of fewer columns, where blocks are few. */
void gt_dd_forward_narrow(const gt_dd *d, gt_dd_fast *f);
/* Of forward: how often blocks fill the device; blocks of a shape; the sums of all slices are there at once, and leave
 * so many bytes of the limit. */
double gt_dd_forward_waves(const gt_dd *d, const gt_dd_fast *f);
double gt_dd_forward_blocks(const gt_dd *d, const gt_dd_fast *f, int axis, int shape);
int gt_dd_forward_is_whole(const gt_dd *d, const gt_dd_fast *f, size_t *room);
/* The shape of forward's tiles that suits so many rows. */
int gt_dd_fast_forward_shape(int rows);
/* The variant for this problem, if there is one that fits it; its runs are the caller's to join. */
gt_status gt_dd_tuned_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned **tuned);
void gt_dd_tuned_free(gt_dd_tuned *tuned);
/* Its tile; launches it. Rows of d that a slot may not serve: see dd_tuned_cuda.cu. */
const gt_dd_tile *gt_dd_tuned_tile(const gt_dd_tuned *tuned);
/* The same of the adjoint, whose tile is the built-in kernel's without a variant. */
gt_status gt_dd_tuned_back_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned_back **tuned);
void gt_dd_tuned_back_free(gt_dd_tuned_back *tuned);
const gt_dd_strip *gt_dd_tuned_back_strip(const gt_dd_tuned_back *tuned);
gt_dd_strip gt_dd_adjoint_strip(const gt_dd *d, const gt_dd_fast *f);
int gt_dd_adjoint_form(const gt_dd *d);
/* Bytes of a line's window that a tile fetches, in entries at most about; do rounded places do? */
double gt_dd_forward_entries(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t);
int gt_dd_forward_short(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t);
gt_dd_tile gt_dd_forward_tile(const gt_dd_fast *f, int shape);
int gt_dd_fast_forward_fits(const gt_dd *d, const gt_dd_fast *f);
int gt_dd_fast_adjoint_fits(const gt_dd *d, const gt_dd_fast *f);
void gt_dd_fast_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y);
void gt_dd_fast_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x);
/* lines: those of t, to be filled from x, the volume. */
void gt_dd_sum_lines(gt_backend *be, const gt_dd *d, const float *x, gt_dd_lines t, float *lines);
/* The same for all slices of both axes, in one pass over x. */
void gt_dd_sum_lines_of_both(gt_backend *be, const gt_dd *d, const float *x, int stride, float *const lines[2]);
/* Forward of volumes of at most GT_DD_THIN slices of z, for the views of an axis; adds to y where begin > 0. */
enum { GT_DD_THIN = 6 };
void gt_dd_thin_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, float *y);
/* Adjoint by tiles of few slices of z. cost: of 16 voxels beside each other, in the units of the other kernels'
 * costs. */
double gt_dd_thin_adjoint_cost(const gt_dd *d, const gt_dd_fast *f);
size_t gt_dd_thin_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f);
void gt_dd_thin_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x);
#ifdef __cplusplus
}
#endif
#endif
