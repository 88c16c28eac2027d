#ifndef GT_PROJECTORS_DD_PUBLISHED_DD_INTEGRAL_H
#define GT_PROJECTORS_DD_PUBLISHED_DD_INTEGRAL_H
/* Common code of the branchless variants on CUDA: batches of integral images in the scratch memory of the backend, and
 * views sorted by slice axis. Liu, Fu, De Man, Yu, IEEE Trans. Comput. Imaging 3 (2017), eqs 19-25. An image has width
 * x height cells and (width + 1) x (height + 1) nodes:
 *
 *   node(r, c) = sum of (cell - constant) over the rows below r and the columns below c
 *
 * The constant is the mean of a sample of the cells and keeps the nodes small. Differences of nodes must add constant *
 * area back. */
#include "projectors/dd/dd_impl.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct { double memory; } gt_dd_options;        /* MiB of integral images held at a time */
/* dd-bz: entries w per thread (index of 17, 33, all), which lie in registers or in shared memory. */
typedef struct { gt_dd_options common; int entries, shared; } gt_dd_bz_options;

typedef struct {
	int width, height;
	size_t pitch;                   /* nodes from one row to the next */
	size_t stride;                  /* nodes from one image to the next, whole rows */
	size_t images, batch;           /* all images; maximum held at a time */
} gt_dd_images;

typedef struct {
	gt_type type;                   /* type of the nodes */
	gt_dd_images slices[2], views[2];       /* images of the views whose slices are perpendicular to x, to y */
	size_t *view;                   /* on the backend: indices of views of axis 0, then of axis 1 */
	size_t view_bytes;
} gt_dd_branchless;

/* Sets batches that fit the options' memory and half of the device memory available. */
gt_status gt_dd_branchless_new (gt_backend *be, const gt_dd_setup *s, gt_type nodes, gt_dd_branchless *b);
void      gt_dd_branchless_free(gt_backend *be, gt_dd_branchless *b);
size_t    gt_dd_branchless_scratch(const gt_dd_branchless *b);
static inline const size_t *gt_dd_views_of(const gt_dd_branchless *b, int axis) { return b->view + (axis ? b->views[0].images : 0); }

gt_dd_images gt_dd_images_of(int width, int height, size_t images);
/* Bytes in scratch: the nodes of a batch, then a constant for each image. */
size_t    gt_dd_images_bytes(const gt_dd_images *g, gt_type nodes);
/* Integrates slices first, first + 1, ... perpendicular to the axis, with the in-slice axis along columns and z along
 * rows. */
void gt_dd_integrate_slices(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, int axis, gt_type t, const void *x, size_t first,
                            size_t count);
/* Integrates views b->view[first], ... (counted within that axis) times the slant, columns and rows ascending. */
void gt_dd_integrate_views (gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, int axis, gt_type t, const void *y, size_t first,
                            size_t count);

/* Integrates batches of slices (forward) or views (adjoint), and calls each(..., first, count) after each batch. */
typedef void gt_dd_each(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *out);
void gt_dd_forward_batches(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, const void *x, gt_dd_each *each,
                           void *state, void *y);
void gt_dd_adjoint_batches(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, const void *y, gt_dd_each *each,
                           void *state, void *x);
/* See gt_dd_impl.images. */
double gt_dd_images_alone(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, int kind, const void *in);
/* Number of (view, slice, voxel) that some column sees: each column edge within a voxel splits it into two overlaps. */
static inline double gt_dd_seen(const gt_dd_counts *c) { return c->overlaps - c->pairs; }
#ifdef __cplusplus
}
#endif
#endif
