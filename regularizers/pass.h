#ifndef GT_REGULARIZERS_PASS_H
#define GT_REGULARIZERS_PASS_H
/* Private to regularizers/. Passes over the voxels of a volume. A *_math.inc defines the computation at one voxel
 * once, as PASS(name); CPU loops and CUDA kernels in single and double precision are generated from it. A pass reads
 * any voxels and writes only its own. */
#include <gantry/grid.h>
#include <gantry/author/penalty.h>
#include "core/device/backend.h"
#include "regularizers/halo.h"
#ifdef __cplusplus
extern "C" {
#endif

#define GT_PASSES(X)                                                                 \
	X(tgv_from_dual) X(tgv_primal) X(tgv_dual) X(tgv_value)                      \
	X(awtv_value) X(awtv_gradient) X(awtv_majorize) X(awtv_line)                 \
	X(pad) X(nlm_average) X(wavelet_split) X(wavelet_join) X(wavelet_primal)     \
	X(joint_primal) X(joint_dual) X(joint_value)                                 \
	X(nltv_value) X(nltv_gradient) X(nltv_majorize) X(nltv_line)
enum gt_pass {
#define X(name) GT_PASS_##name,
	GT_PASSES(X)
#undef X
	GT_NPASSES
};

/* Inputs of a pass: arrays of the site's type, and numbers. Each *_math.inc documents their meaning. */
enum { GT_PASS_ARRAYS = 8, GT_PASS_NUMBERS = 20 };
struct gt_pass_call { void *a[GT_PASS_ARRAYS]; double k[GT_PASS_NUMBERS]; };
/* Numbers common to all passes: position on a line, strength, and (pitch of x)/(pitch of the axis) of three axes. */
enum { GT_PASS_ALONG, GT_PASS_STRENGTH, GT_PASS_W, GT_PASS_OWN = GT_PASS_W + 3 };

/* Volume that the passes of the penalty `name` run over. In a team n counts local slices and halo, and passes compute
 * the slices [from, end) of these. The member `voxels` counts the local ones; sums are over all ranks. */
struct gt_site {
	gt_backend *be;
	gt_type type;
	const char *name;
	size_t n[3], voxels, from, end;
	int open, shares;               /* shares: 1 in a team */
	struct gt_halo halo;
};
gt_status gt_site_open (struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid);
/* Likewise for passes that read up to `reach` slices away instead of 1. */
gt_status gt_site_open_wide(struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid, size_t reach);
void      gt_site_close(struct gt_site *s);
/* Returns 1 if the backend has not failed and the array has the site's size, type and backend; else records the
 * failure. */
int       gt_site_fits (const struct gt_site *s, const gt_array *a);
/* sum: NULL, or two results of a reduction, valid after gt_reductions_wait(). second may be NULL. */
void      gt_site_run  (const struct gt_site *s, enum gt_pass pass, const struct gt_pass_call *call, double *first, double *second);
/* Allocates arrays for passes to read, of `fields` volumes like the site's, filled with 0; in a team each has a
 * halo. */
gt_status gt_site_room   (const struct gt_site *s, size_t fields, gt_array **room);
size_t    gt_site_apart  (const struct gt_site *s);     /* voxels from one field to the next */
/* Returns the input of passes for x: x itself, or in a team the buffer, into which it is fetched with its halo.
 * Collective in a team. */
void     *gt_site_reads  (const struct gt_site *s, const gt_array *x, gt_array *room);
/* Returns the output of passes for y: y itself or the buffer, whose result gt_site_take() then copies to y. */
void     *gt_site_writes (const struct gt_site *s, const gt_array *y, const gt_array *room);
void      gt_site_take   (const struct gt_site *s, const gt_array *room, gt_array *y);
/* Updates the halo of buffers whose local slices changed. Collective in a team; does nothing without one. */
void      gt_site_refresh(const struct gt_site *s, gt_array *const *rooms, size_t n);
/* Return the local part of a buffer, and of an array like the volume, as arrays. */
gt_array  gt_site_own    (const struct gt_site *s, const gt_array *room);
/* Makes a view of a buffer's fields from `first` on, without halo, as state of a run. It lives as long as the
 * buffer. */
gt_status gt_site_kept   (const struct gt_site *s, const gt_array *room, size_t first, gt_array **kept);
/* Runs a pass over another volume than the site's, n[0] n[1] n[2] voxels. */
void      gt_site_run_on(const struct gt_site *s, const size_t *n, enum gt_pass pass, const struct gt_pass_call *call);
/* Returns 1 if a proximal step t is at least 0 and the bounds are in order; else records a failure with the site's
 * name. */
int       gt_site_takes_step(const struct gt_site *s, double t, double lo, double hi);

/* Slices [from, end) of a volume of n[0] n[1] n[2] voxels. */
struct gt_pass_range { const size_t *n; size_t from, end; };
struct gt_pass_impl {
	size_t scratch;                 /* bytes */
	void (*run)(gt_backend *be, gt_type type, const struct gt_pass_range *range, enum gt_pass pass, const struct gt_pass_call *call,
	            double *first, double *second);
};
extern const struct gt_pass_impl gt_pass_cpu, gt_pass_cuda;

#ifdef __cplusplus
}
#endif
#endif
