#ifndef GT_PROJECTORS_RAY_FAST_JOSEPH_SINGLE_H
#define GT_PROJECTORS_RAY_FAST_JOSEPH_SINGLE_H
/* Joseph's pair on the CPU for arrays in single precision and level scans (ray_level.h): the interface between driver
 * (joseph_single.c) and kernels. The kernels are joseph_single_kernels.inc, compiled for each instruction set by
 * joseph_single_any.c, joseph_single_avx2.c and joseph_single_avx512.c. Positions are in double; values are
 * interpolated and added in float, in vectors of rows (forward) or z (adjoint). */
#include "core/vectors/sets.h"
#include "projectors/kit/vector_jobs.h"
#include "projectors/ray/ray_impl.h"
#include "projectors/ray/ray_level.h"

/* Tables of a scan, on the backend. The list holds the views with entries of axis 0, then the views with entries of
 * axis 1. */
typedef struct {
	gt_ray_level level;
	size_t *views;           /* count[] views of each axis */
	size_t count[2];
	size_t bytes;            /* bytes of all tables, in one block; 0: these kernels do not take the scan */
} gt_joseph_tables;

/* Data of the jobs of one direction; lines of a batch: see gt_joseph_line(). */
typedef struct {
	const gt_rays *g;
	const gt_ray_level *level;
	gt_line_order order;     /* forward: all views count as axis 0, because they may have entries of both */
	gt_line_memory memory;
} gt_joseph_single;

/* Line of entry p of view i of a batch: ascending rows, times their ray lengths in a slice, then zeros up to the next
 * line. GT_JOSEPH_BELOW zeros precede the first entry of a view. */
enum { GT_JOSEPH_BELOW = GT_LINE_PAD + 32 };
static inline size_t gt_joseph_stride(int rows) { return gt_lanes_of((size_t)rows + 2) + GT_LINE_PAD; }
static inline size_t gt_joseph_view_floats(const gt_rays *g) { return GT_JOSEPH_BELOW + (size_t)g->columns * gt_joseph_stride(g->rows); }
static inline float *gt_joseph_line(const gt_joseph_single *j, size_t i, int p)
{
	return j->memory.lines + i * gt_joseph_view_floats(j->g) + GT_JOSEPH_BELOW + (size_t)p * j->memory.stride;
}

/* Loops over y (lines of a volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* name of the instruction set */
	gt_loop copy_lines, forward, weigh_columns, adjoint;
} gt_joseph_single_kernels;
extern const gt_joseph_single_kernels gt_joseph_single_any;
#ifdef GT_X86_KERNELS
extern const gt_joseph_single_kernels gt_joseph_single_avx2, gt_joseph_single_avx512;
#endif

/* Creates the tables of a scan from those of `host` in host memory. t->bytes is 0 if these kernels do not take it. */
gt_status gt_joseph_single_make(gt_backend *be, const gt_rays *host, gt_joseph_tables *t);
void      gt_joseph_single_free(gt_backend *be, gt_joseph_tables *t);
size_t    gt_joseph_single_scratch(gt_backend *be, const gt_rays *g);
void      gt_joseph_single_forward(gt_backend *be, const gt_rays *g, const gt_joseph_tables *t, const float *x, float *y);
void      gt_joseph_single_adjoint(gt_backend *be, const gt_rays *g, const gt_joseph_tables *t, const float *y, float *x);
/* Returns the kernels of an instruction set, NULL if the processor lacks it; name NULL: the best set. */
const gt_joseph_single_kernels *gt_joseph_single_find(const char *name);
/* For tests: all operators use these kernels from now on; NULL: the best set. */
void      gt_joseph_single_use(const gt_joseph_single_kernels *k);
#endif
