#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_OPERATOR_H
#define GT_PROJECTORS_DD_TILT_DD_TILT_OPERATOR_H
/* The distance-driven pair for flat detectors in any pose, on the CPU: its tables, its operator, and what the driver
 * (dd_tilt.c) and the kernels share. The kernels are one text, dd_tilt_kernels.inc, compiled for each instruction set
 * and for both types. Places are found in double; sums and differences are taken in the type of the arrays, in vectors
 * of rows or z. */
#include <gantry/threads.h>
#include <gantry/projector.h>
#include "projectors/dd/fast/dd_single.h"
#include "projectors/dd/tilt/dd_tilt.h"

/* Tables of view `at`; GT_ERR_UNSUPPORTED with a text where the view has rays along the slices. */
gt_status gt_dd_tilt_fill(const char *name, const gt_scan *scan, const gt_grid *g, size_t at, gt_dd_pose *v, gt_dd_tilt_edge *edge,
                          gt_dd_tilt_strip *strip);
/* The operator, for scans whose rows do not all run along z. */
gt_status gt_dd_tilt_make(const char *name, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, gt_linop **A);

/* What the jobs of one direction share; `in`, `out`, `lines` and `scratch` are of the type of the kernels. */
typedef struct {
	const gt_dd_tilt *d;
	const void *in;
	void *out;
	void *lines;             /* of the volume [y][x][stride], or of weighted pixels [view][d->strips][stride] */
	size_t stride;           /* values of a line: a multiple of 16 */
	size_t row;              /* lines of the volume from one y to the next */
	void *scratch;           /* scratch_size values for each worker */
	size_t scratch_size;
	const size_t *views;     /* forward: those of axis 0, then those of axis 1; back: a batch of one axis */
	size_t count[2];         /* how many views of each axis */
	int group, strips;       /* views and strips of a job of the forward direction */
	int axis;                /* back: of the batch */
} gt_dd_tilt_job;

/* Loops over y (lines of the volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* of the instruction set */
	gt_loop copy_lines, forward, weigh_views, adjoint;
} gt_dd_tilt_kernels;
extern const gt_dd_tilt_kernels gt_dd_tilt_any, gt_dd_tilt_any_double;
#ifdef GT_X86_KERNELS
extern const gt_dd_tilt_kernels gt_dd_tilt_avx2, gt_dd_tilt_avx512, gt_dd_tilt_avx2_double;
#endif
/* Tests: every operator in single precision uses these kernels from here on; NULL: the best that there are. */
void gt_dd_tilt_use(const gt_dd_tilt_kernels *k);
/* Kernels in single precision by the name of their instruction set; NULL if the processor does not have it. */
const gt_dd_tilt_kernels *gt_dd_tilt_find(const char *name);
#endif
