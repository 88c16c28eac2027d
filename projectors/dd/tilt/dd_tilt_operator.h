#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_OPERATOR_H
#define GT_PROJECTORS_DD_TILT_DD_TILT_OPERATOR_H
/* The distance-driven pair for tilted detectors: its tables, its operator (dd_tilt.c), its backends, and the interface
 * between the CPU driver (dd_tilt_cpu.c) and its kernels. The kernels are dd_tilt_kernels.inc, compiled for each
 * instruction set and for both types. Positions are in double; sums and differences have the type of the arrays, in
 * vectors of rows or z. */
#include <gantry/threads.h>
#include <gantry/projector.h>
#include "projectors/dd/fast/dd_single.h"
#include "projectors/dd/tilt/dd_tilt.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Tables and lists on the backend. */
typedef struct {
	gt_dd_tilt d;
	const size_t *order;     /* views of axis 0, then those of axis 1 */
	size_t count[2];         /* number of views of each axis */
	size_t limit;            /* GPU: maximum bytes of scratch, if one slice and one view need less */
	double rows;             /* maximum number of pieces of a strip in a voxel's height */
} gt_dd_tilt_plan;

/* Functions of a backend. Volumes [z][y][x], data [view][row][column], of type t. */
struct gt_dd_tilt_impl {
	size_t (*scratch)(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t);
	void   (*forward)(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *x, void *y);
	void   (*adjoint)(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *y, void *x);
};
extern const struct gt_dd_tilt_impl gt_dd_tilt_cpu, gt_dd_tilt_cuda;

/* Fills the tables of all views, in the layout of gt_dd_tilt. Returns GT_ERR_UNSUPPORTED after gt_fail() if a view has
 * rays along the slices. */
gt_status gt_dd_tilt_fill(gt_pool *pool, const char *name, const gt_scan *scan, const gt_grid *g, gt_dd_pose *view, gt_dd_tilt_edge *edge,
                          gt_dd_tilt_strip *strip);
/* Maximum number of pieces of one strip in the height of a voxel, in slices that the view sees. */
double gt_dd_tilt_rows(const gt_dd_pose *v, const gt_dd_tilt_strip *strip);
/* Creates the operator, for scans whose rows are not all along z. memory: limit of scratch on a GPU, in MiB. */
gt_status gt_dd_tilt_make(const char *name, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, double memory,
                          gt_linop **A);

/* Data of the jobs of one direction; `in`, `out`, `lines` and `scratch` have the type of the kernels. */
typedef struct {
	const gt_dd_tilt *d;
	const void *in;
	void *out;
	/* lines of the volume [y][x][stride], or of weighted pixels [view][d->strips][stride] */
	void *lines;
	size_t stride;           /* values of a line, a multiple of 16 */
	size_t row;              /* lines of the volume from y to y + 1 */
	void *scratch;           /* scratch_size values for each worker */
	size_t scratch_size;
	gt_line_order order;     /* its columns are strips */
} gt_dd_tilt_jobs;

/* Loops over y (lines of the volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* name of the instruction set */
	gt_loop copy_lines, forward, weigh_views, adjoint;
} gt_dd_tilt_kernels;
extern const gt_dd_tilt_kernels gt_dd_tilt_any, gt_dd_tilt_any_double;
#ifdef GT_X86_KERNELS
extern const gt_dd_tilt_kernels gt_dd_tilt_avx2, gt_dd_tilt_avx512, gt_dd_tilt_avx2_double;
#endif
/* For tests: all operators in single precision use these kernels from now on; NULL: the best set. */
void gt_dd_tilt_use(const gt_dd_tilt_kernels *k);
/* Returns the single-precision kernels of an instruction set; NULL if the processor lacks it. */
const gt_dd_tilt_kernels *gt_dd_tilt_find(const char *name);
#ifdef __cplusplus
}
#endif
#endif
