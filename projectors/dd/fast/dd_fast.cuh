#ifndef GT_PROJECTORS_DD_FAST_DD_FAST_CUH
#define GT_PROJECTORS_DD_FAST_DD_FAST_CUH
/* Interface between the sources of the fast exact pair in single precision: dd_cuda.cu (tables, choice),
 * dd_forward_cuda.cu, dd_adjoint_cuda.cu. Coefficients of dd_row.h as linear functions of the slice n. On slice n, in
 * voxels:
 *
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
/* Adjacent views, -1 for missing ones. Rows outside low .. high-1 miss the volume. */
enum { GT_DD_GROUP = 4 };
typedef struct {
	int view[GT_DD_GROUP], low, high;
} gt_dd_group;
/* Consecutive groups with the same best tile shape; rows: the maximum number of rows that see the volume. */
enum { GT_DD_SHAPES = 12 };
typedef struct {
	int first, groups, rows;
} gt_dd_run;
/* Tile of a forward warp: rows per lane, lanes per column, columns, extra rows; then compile-time parameters of the
 * kernel (dd_forward.cuh). */
typedef struct {
	int rows, lanes, columns, extra, warps, slot, slots, blocks, whole, flush, ahead;
} gt_dd_tile;
/* Work of a forward block if there are few blocks: a group of gt_dd_fast.group, a block of columns, a tile of rows,
 * slices begin .. end-1. It is number `part` of `parts` of the tile, whose counter is done[at]. */
typedef struct {
	int group, column, tile, axis, begin, end, part, parts, at;
} gt_dd_share;
/* A tuned variant of the forward kernel, for all runs. */
typedef struct gt_dd_tuned gt_dd_tuned;
/* Tile of an adjoint warp: z edges per lane, in-slice voxels, then compile-time parameters of the kernel
 * (dd_adjoint.cuh). `fill` is the number of blocks that a launch should have, if slices of z can be divided. */
typedef struct {
	int edges, strip, slot, slots, blocks, fill;
} gt_dd_strip;
typedef struct gt_dd_tuned_back gt_dd_tuned_back;
enum { GT_DD_BUNDLE = 32, GT_DD_SPREAD = 8 };

typedef struct {
	/* [views], first those with slices perpendicular to x; the indices below refer to it */
	const gt_dd_near *view;
	const gt_dd_edge_q *height;  /* [views][columns + 1]: U and q */
	const gt_dd_edge_q *inverse; /* [views][columns + 1]: U and 1 / q */
	const gt_dd_group *group;    /* [groups], by axis and shape */
	/* [bundles + 1]: views bundle[i] .. bundle[i+1]-1, at most GT_DD_BUNDLE, see similar slices of z */
	const int *bundle;
	int views[2], groups[2], bundles[2]; /* by axis */
	gt_dd_run run[2][GT_DD_SHAPES];      /* by axis and shape */
	int together;                        /* views of a group */
	double max_A, min_A;                /* height of a pixel in voxels, maximum and minimum */
	/* mean number of lines that a group's columns of a forward block meet on a slice */
	double typical_lines;
	double spread;       /* maximum relative change of it over GT_DD_SPREAD slices */
	double typical_span; /* mean range of a bundle along z, in voxels, at the mean height */
	size_t limit;        /* maximum bytes of scratch */
	int processors;      /* multiprocessors of the device */
	/* work of forward blocks if they are few; NULL: one tile per block, by its number */
	const gt_dd_share *share;
	int shares[GT_DD_SHAPES + 1]; /* first share of each shape */
	int parts;                    /* maximum number of parts of a tile */
	unsigned *done;               /* [tiles with parts]: finished parts, reset to 0 by the last */
	const gt_dd_tuned *tuned;     /* on the host; NULL: built-in kernels, by shape */
	const gt_dd_tuned_back *back; /* on the host; NULL: the built-in kernel of the adjoint */
} gt_dd_fast;

/* Order 0 .. n-1 from the centre outwards: blocks with few rays run last, when little other work is left. */
GT_HD int gt_dd_outwards(int i, int n) { return n / 2 + (i % 2 ? -(i + 1) / 2 : i / 2); }

/* Running sums along z of the voxels of slices begin .. end-1 of a volume, [slice - begin][voxel][stride]. Entry e is
 * the sum of voxels 0 .. e-1 minus a constant of the line; entries past the last repeat its value. */
typedef struct {
	const float *lines;
	int axis, begin, end, stride;
} gt_dd_lines;

size_t gt_dd_fast_forward_scratch(const gt_dd *d, const gt_dd_fast *f);
size_t gt_dd_fast_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f);
/* Tables on the host, with the layouts of gt_dd_fast. */
typedef struct {
	gt_dd_near *view;
	gt_dd_edge_q *height, *inverse;
	gt_dd_group *group;
	int *bundle;
} gt_dd_fast_tables;
/* Uploads the shares of forward blocks if these are few; bytes: of the shares and of the counters. Returns 0 if memory
 * is short. */
int gt_dd_forward_share(gt_backend *be, const gt_dd *d, gt_dd_fast *f, const gt_dd_fast_tables *h, size_t bytes[2]);
/* Replaces tiles by narrower ones if blocks are few. */
void gt_dd_forward_narrow(const gt_dd *d, gt_dd_fast *f);
/* Forward direction: number of waves of blocks; number of blocks of a shape; whether the sums of all slices fit. *room:
 * bytes of the limit that they leave. */
double gt_dd_forward_waves(const gt_dd *d, const gt_dd_fast *f);
double gt_dd_forward_blocks(const gt_dd *d, const gt_dd_fast *f, int axis, int shape);
int gt_dd_forward_is_whole(const gt_dd *d, const gt_dd_fast *f, size_t *room);
/* Best shape of forward tiles for this number of rows. */
int gt_dd_fast_forward_shape(int rows);
/* Finds the tuned variant for this problem, if one fits; the caller joins the runs. */
gt_status gt_dd_tuned_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned **tuned);
void gt_dd_tuned_free(gt_dd_tuned *tuned);
/* Returns its tile. */
const gt_dd_tile *gt_dd_tuned_tile(const gt_dd_tuned *tuned);
/* Tuned variants of the adjoint; gt_dd_adjoint_strip() returns the tile of the variant or of the built-in kernel. */
gt_status gt_dd_tuned_back_find(const gt_dd *d, const gt_dd_fast *f, gt_dd_tuned_back **tuned);
void gt_dd_tuned_back_free(gt_dd_tuned_back *tuned);
const gt_dd_strip *gt_dd_tuned_back_strip(const gt_dd_tuned_back *tuned);
gt_dd_strip gt_dd_adjoint_strip(const gt_dd *d, const gt_dd_fast *f);
int gt_dd_adjoint_form(const gt_dd *d);
/* Maximum entries of a line's window that a tile copies, approximately; whether rounded positions are accurate
 * enough. */
double gt_dd_forward_entries(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t);
int gt_dd_forward_short(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t);
gt_dd_tile gt_dd_forward_tile(const gt_dd_fast *f, int shape);
int gt_dd_fast_forward_fits(const gt_dd *d, const gt_dd_fast *f);
int gt_dd_fast_adjoint_fits(const gt_dd *d, const gt_dd_fast *f);
void gt_dd_fast_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y);
void gt_dd_fast_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x);
/* Fills lines, which are those of t, from the volume x. */
void gt_dd_sum_lines(gt_backend *be, const gt_dd *d, const float *x, gt_dd_lines t, float *lines);
/* Fills the lines of all slices of both axes in one pass over x. */
void gt_dd_sum_lines_of_both(gt_backend *be, const gt_dd *d, const float *x, int stride, float *const lines[2]);
/* Forward projection of volumes of at most GT_DD_THIN slices of z, for the views of an axis; adds to y if begin > 0. */
enum { GT_DD_THIN = 6 };
void gt_dd_thin_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, float *y);
/* Adjoint by tiles of few slices of z. cost: of 16 adjacent voxels, in the units of the other kernels' costs. */
double gt_dd_thin_adjoint_cost(const gt_dd *d, const gt_dd_fast *f);
size_t gt_dd_thin_adjoint_scratch(const gt_dd *d, const gt_dd_fast *f);
void gt_dd_thin_adjoint(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *y, float *x);
#ifdef __cplusplus
}
#endif
#endif
