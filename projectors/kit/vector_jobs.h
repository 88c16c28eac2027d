#ifndef GT_PROJECTORS_KIT_VECTOR_JOBS_H
#define GT_PROJECTORS_KIT_VECTOR_JOBS_H
/* The drivers of the projectors on the CPU which work on lines by vectors. Forward: lines of the volume, then jobs of
 * some views and columns of the detector. Back: lines of a batch of views of one axis, then jobs of tiles of voxels.
 * Memory: those lines, and what each worker needs. */
#include <gantry/threads.h>
#include "core/device/backend.h"
#include "projectors/kit/vector_lines.h"

enum { GT_LINE_BATCH = 32 /* views whose lines the adjoint holds at a time */ };

/* What is taken together; views of an axis see slices perpendicular to it: 0 (x) or 1 (y). */
typedef struct {
	const size_t *views;     /* forward: those of axis 0, then those of axis 1; back: a batch of one axis */
	size_t count[2];         /* how many views of each axis */
	int axis;                /* back: of the batch, and of its tiles */
	int both;                /* back: a batch may have views of both axes; in its jobs: it has */
	int first;               /* back: 1 for the first batch, 0 for those that add to it */
	int group, columns;      /* views and columns of a job of the forward direction */
} gt_line_order;

/* What the jobs of one direction read and write. */
typedef struct {
	const float *in;
	float *out;
	float *lines;            /* of the volume [y][x][stride], or of a batch of views */
	size_t stride, row;      /* floats of a line, a multiple of 16; lines of the volume from one y to the next */
	int past;                /* lines of the volume, and the volume, are more than the caches hold */
	float *scratch;          /* scratch_floats for each worker */
	size_t scratch_floats;
} gt_line_memory;

/* Floats, by the direction: lines of the volume and of a batch, and what a worker needs. list: for a list of views in
 * front of them. */
typedef struct {
	size_t list, row;
	struct { size_t lines, stride, worker; } forward, adjoint;
} gt_line_sizes;

/* Lines of the volume from one y to the next: an odd number, so that the same place of neighbouring lines is not in the
 * same set of a cache. */
static inline size_t gt_line_row(const int *n) { return (size_t)n[0] | 1; }
static inline size_t gt_line_batch(size_t views) { return views < GT_LINE_BATCH ? views : (size_t)GT_LINE_BATCH; }
/* A line between constant entries. */
static inline size_t gt_line_window(int length) { return gt_lanes_of((size_t)length) + 2 * GT_LINE_PAD; }
/* Of the list of views, whole vectors as all else. */
static inline size_t gt_line_list_floats(size_t views) { return gt_lanes_of(views * sizeof(size_t) / sizeof(float)); }

/* Bytes of scratch for both directions. */
size_t gt_line_scratch(gt_backend *be, const gt_line_sizes *s);
/* Where the list, the lines and the workers' memory of a direction are; *list: where the list is, may be NULL. */
gt_line_memory gt_line_start(gt_backend *be, const gt_line_sizes *s, int back, size_t **list);
/* Tests: 1: small volumes too are written past the caches; 0: large ones alone. */
void gt_line_past(int always);
/* Lists the views of both axes. axis: that of the first view; the others' follow so many bytes apart. */
void gt_line_list(const int *axis, size_t apart, size_t views, size_t *list, gt_line_order *o);

/* `lines` over y, then `jobs`, all with j, of which o is a part; o->group and o->columns are the most for a job, and
 * become less where the scan has few of them: no pixel may depend on that. columns: of the detector. */
void gt_line_forward(gt_backend *be, const int *n, int columns, gt_line_order *o, gt_loop lines, gt_loop jobs, void *j);
/* For each batch `lines` over its views, then `jobs` over gt_line_tiles(). */
void gt_line_adjoint(gt_backend *be, const int *n, gt_line_order *o, gt_loop lines, gt_loop jobs, void *j);
#endif
