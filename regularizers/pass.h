#ifndef GT_REGULARIZERS_PASS_H
#define GT_REGULARIZERS_PASS_H
/* Inside this room: passes over the voxels of a volume. What a pass computes at one voxel is written once, in a
 * *_math.inc, as PASS(name); loops for the CPU and kernels for CUDA, in single and double precision, are made from
 * it. A pass reads any voxels and writes its own alone. */
#include <gantry/grid.h>
#include <gantry/penalty.h>
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

/* What a pass is given: arrays of the site's type, and numbers. Which are which the *_math.inc says. */
enum { GT_PASS_ARRAYS = 8, GT_PASS_NUMBERS = 20 };
struct gt_pass_call { void *a[GT_PASS_ARRAYS]; double k[GT_PASS_NUMBERS]; };
/* Numbers that all have: place on a line, strength, and (pitch of x)/(pitch of the axis) of three axes. */
enum { GT_PASS_ALONG, GT_PASS_STRENGTH, GT_PASS_W, GT_PASS_OWN = GT_PASS_W + 3 };

/* The volume that passes go over, for the penalty `name`. In a team n is of the member's slices and their neighbours,
 * passes compute the slices [from, end) of these, voxels are the member's, and sums are those of all members. */
struct gt_site {
	gt_backend *be;
	gt_type type;
	const char *name;
	size_t n[3], voxels, from, end;
	int open, shares;               /* shares: in a team */
	struct gt_halo halo;
};
gt_status gt_site_open (struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid);
/* The same for passes that read up to `reach` slices away, not 1. */
gt_status gt_site_open_wide(struct gt_site *s, const char *name, gt_backend *be, gt_type type, const gt_grid *grid, size_t reach);
void      gt_site_close(struct gt_site *s);
/* 1: no failure before, and an array of its size, type and backend; else the failure is recorded. */
int       gt_site_fits (const struct gt_site *s, const gt_array *a);
/* sum: NULL, or where the pass adds up two numbers; they are there after gt_reductions_wait(). second may be NULL. */
void      gt_site_run  (const struct gt_site *s, enum gt_pass pass, const struct gt_pass_call *call, double *first, double *second);
/* Arrays that passes read from, of `fields` volumes like the site's: in a team each with the slices of neighbours. All
 * 0. */
gt_status gt_site_room   (const struct gt_site *s, size_t fields, gt_array **room);
size_t    gt_site_apart  (const struct gt_site *s);     /* voxels from field to field */
/* What passes read in place of x: x itself, in a team the room that fetches it. Then all members call this. */
void     *gt_site_reads  (const struct gt_site *s, const gt_array *x, gt_array *room);
/* Where passes write, whose result is then taken by y: y itself, or the room. */
void     *gt_site_writes (const struct gt_site *s, const gt_array *y, const gt_array *room);
void      gt_site_take   (const struct gt_site *s, const gt_array *room, gt_array *y);
/* The neighbours' slices of rooms whose own have changed. Nothing without a team, in which all members call it. */
void      gt_site_refresh(const struct gt_site *s, gt_array *const *rooms, size_t n);
/* Of a room, and of an array like the volume, what is the member's own, as an array. */
gt_array  gt_site_own    (const struct gt_site *s, const gt_array *room);
/* A room's fields from `first` on, but for what is of neighbours: the state of a run. Lives as long as the room. */
gt_status gt_site_kept   (const struct gt_site *s, const gt_array *room, size_t first, gt_array **kept);
/* The same over another volume than the site's, n[0] n[1] n[2] voxels. */
void      gt_site_run_on(const struct gt_site *s, const size_t *n, enum gt_pass pass, const struct gt_pass_call *call);
/* Refuses, on the backend and by the site's name, a proximal step t that is not 0 or more, or bounds that are not in
 * order. */
int       gt_site_takes_step(const struct gt_site *s, double t, double lo, double hi);

/* The slices [from, end) of a volume of n[0] n[1] n[2] voxels. */
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
