#ifndef GT_PROJECTORS_KIT_VECTOR_JOBS_H
#define GT_PROJECTORS_KIT_VECTOR_JOBS_H
/* Drivers of the vectorised CPU projectors. Forward: lines of the volume, then jobs of views and columns. Adjoint:
 * lines of a batch of views of one axis, then jobs of voxel tiles. Memory: the lines and the scratch of each worker. */
#include <gantry/threads.h>
#include "core/device/backend.h"
#include "projectors/kit/vector_lines.h"

enum { GT_LINE_BATCH = 32 /* views whose lines the adjoint holds at a time */ };

/* Views by axis: views of axis 0 (x) or 1 (y) use slices perpendicular to it. */
typedef struct {
	const size_t *views;     /* forward: views of axis 0, then of axis 1; adjoint: a batch */
	size_t count[2];         /* number of views of each axis */
	int axis;                /* adjoint: axis of the batch and of its tiles */
	int both;                /* adjoint: the batch may hold views of both axes; in its jobs: it does */
	int first;               /* adjoint: 1 for the first batch, 0 for later ones, which add to it */
	int group, columns;      /* views and columns of a forward job */
} gt_line_order;

/* A step of a solver, in place of the sums of the adjoint (core/linop.h); out is x. */
typedef struct {
	float a, lo, hi;
	const float *w, *from;
} gt_row_step;

/* Memory of the jobs of one direction. */
typedef struct {
	const float *in;
	float *out;
	const gt_row_step *step; /* NULL: none; only if one batch has all views */
	float *lines;            /* lines of the volume [y][x][stride], or of a batch of views */
	size_t stride, row;      /* floats of a line, a multiple of 16; lines of the volume from y to y + 1 */
	int past;                /* the volume and its lines exceed the caches: streaming stores */
	float *scratch;          /* scratch_floats for each worker */
	size_t scratch_floats;
} gt_line_memory;

/* Floats for each direction: lines of the volume or a batch, and scratch of a worker. list: for a list of views before
 * the lines. */
typedef struct {
	size_t list, row;
	struct { size_t lines, stride, worker; } forward, adjoint;
} gt_line_sizes;

/* Lines of the volume from y to y + 1: an odd number, so that neighbouring lines do not share cache sets. */
static inline size_t gt_line_row(const int *n) { return (size_t)n[0] | 1; }
static inline size_t gt_line_batch(size_t views) { return views < GT_LINE_BATCH ? views : (size_t)GT_LINE_BATCH; }
/* Floats of a line with its constant entries on both sides. */
static inline size_t gt_line_window(int length) { return gt_lanes_of((size_t)length) + 2 * GT_LINE_PAD; }
/* Floats of the list of views, in whole vectors. */
static inline size_t gt_line_list_floats(size_t views) { return gt_lanes_of(views * sizeof(size_t) / sizeof(float)); }

/* Bytes of scratch for both directions. */
size_t gt_line_scratch(gt_backend *be, const gt_line_sizes *s);
/* Returns the memory of one direction; *list: the list of views, may be NULL. */
gt_line_memory gt_line_start(gt_backend *be, const gt_line_sizes *s, int back, size_t **list);
/* For tests: 1 uses streaming stores for small volumes too; 0 for large ones only. */
void gt_line_past(int always);
/* Lists the views of both axes. axis: that of the first view; apart: bytes from one view's axis to the next. */
void gt_line_list(const int *axis, size_t apart, size_t views, size_t *list, gt_line_order *o);

/* Runs `lines` over y, then `jobs`, with j, which contains o. o->group and o->columns are maxima; both decrease if the
 * scan has too few jobs. No pixel may depend on them. columns: of the detector. */
void gt_line_forward(gt_backend *be, const int *n, int columns, gt_line_order *o, gt_loop lines, gt_loop jobs, void *j);
/* For each batch runs `lines` over its views, then `jobs` over gt_line_tiles(). */
void gt_line_adjoint(gt_backend *be, const int *n, gt_line_order *o, gt_loop lines, gt_loop jobs, void *j);
#endif
