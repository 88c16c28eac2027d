#ifndef GT_ANALYTIC_FBP_FBP_H
#define GT_ANALYTIC_FBP_FBP_H
/* Common parts of fdk and fbp; private to analytic/. Options -> plan (host, double) -> batches of views through a
 * backend. */
#include <gantry/analytic.h>
#include "analytic/fbp/fbp_math.h"
#include "analytic/fbp/ramp.h"
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_SHORT_AUTO, GT_SHORT_OFF } gt_short_scan;
typedef enum { GT_OFFSET_AUTO, GT_OFFSET_OFF } gt_offset;
typedef enum { GT_EXTEND_COSINE, GT_EXTEND_NONE } gt_extend;
typedef enum { GT_ROWS_CLAMP, GT_ROWS_ZERO } gt_rows;
typedef enum { GT_MASK_FOV, GT_MASK_NONE } gt_mask;
/* Kernels of the backprojection on CUDA; the CPU has one, for any of them. */
#define GT_FORM(NAME, id, text) GT_KERNEL_##NAME,
typedef enum { GT_KERNEL_AUTO,
#include "analytic/fbp/back/forms.def"
               GT_NKERNELS } gt_kernel;
#undef GT_FORM
extern const char *const gt_kernel_names[];
/* Launch of these kernels: columns of voxels per block along x and y; views (N') and slices (Z') per launch, 0: as
 * published. */
typedef struct { unsigned block[2], views, slices; } gt_launch;

typedef struct { int filter; double cutoff; int short_scan, offset, extend, rows, mask, kernel, block, views, slab; } gt_fbp_options;
extern const gt_param gt_fbp_params[];
extern const gt_fbp_options gt_fbp_defaults;
extern const gt_analytic gt_analytic_fdk, gt_analytic_fbp;

/* All precomputed data of a backend. */
typedef struct {
	gt_shape shape;
	size_t views, rows, columns;
	double row_pitch;
	gt_grid grid;
	int tilted;                             /* views have matrices, see gt_angular_coverage and gt_back_point() */
	/* 0: voxels that project beyond the rows by more than half a pixel get nothing */
	int clamp_rows;
	int kernel;                             /* gt_kernel */
	double center[2], radius;               /* columns of voxels outside this circle stay 0; INFINITY: none */
	gt_row_plan row;
	double *response;                       /* [row.n/2 + 1], divided by row.n, because transforms do not scale */
	/* [row.wide]: filtered extension of edge value 1 before, and after the row; NULL: none */
	double *tail[2];
	size_t tables;                          /* number of gain and slope tables; views may share them */
	double *gain, *slope;                   /* [tables][columns]: see gt_preweight_at() */
	struct gt_back_view *view;              /* [views] */
	gt_launch launch;                       /* launch of a published kernel */
} gt_fbp_plan;

/* Checks and plans. GT_ERR_UNSUPPORTED names the missing property, beginning with `who`. */
gt_status gt_fbp_plan_new(const char *who, const gt_grid *grid, const gt_scan *scan, const gt_fbp_options *o,
                             gt_pool *pool, gt_fbp_plan **plan);
/* Checks the views as gt_fbp_plan_new() would with the default options. */
gt_status gt_fbp_supports(const char *who, const gt_scan *scan);
void      gt_fbp_plan_free(gt_fbp_plan *plan);
/* Plans only the rows of parallel views and their filter. Allocates gain and slope [tables][columns] and view [views];
 * the caller fills them. */
gt_status gt_fbp_plan_filter(const char *who, size_t views, size_t tables, size_t rows, size_t columns, double column_pitch,
                                double row_pitch, const gt_fbp_options *o, gt_fbp_plan **plan);
/* GT_ERR_UNSUPPORTED if an option does not apply to the kernel. */
gt_status gt_fbp_launch(const char *who, const gt_fbp_options *o, gt_launch *launch);
/* Fills row0, per_row, z0, height and flip_rows. Rows are counted upwards for either direction of the detector's
 * rows. */
void      gt_fbp_set_rows(const gt_scan *scan, const gt_view *w, struct gt_back_view *b);
/* Fills the record of view v, whose columns count from `lead` before the first; tilted: as a matrix. */
void      gt_fbp_set_view(const gt_scan *scan, int tilted, size_t v, size_t lead, struct gt_back_view *b);

static inline struct gt_back_grid gt_plan_grid(const gt_fbp_plan *p)
{
	struct gt_back_grid g;
	g.shape = p->shape;
	g.radius = p->radius;
	g.clamp_rows = p->clamp_rows;
	g.tilted = p->tilted;
	g.rows = p->rows;
	g.wide = p->row.wide;
	g.views = p->views;
	g.view = p->view;
	for (int a = 0; a < 3; a++) {
		g.n[a] = p->grid.n[a];
		g.first[a] = gt_grid_first(&p->grid, a);
		g.pitch[a] = p->grid.pitch[a];
	}
	g.center[0] = p->center[0];
	g.center[1] = p->center[1];
	return g;
}

/* Operations of a backend. data and x have the type given to open(). Each backend chooses layout and size of its
 * scratch: a faster backprojector replaces both filter() and back(). */
struct gt_fbp_impl {
	/* For *batch views at a time; 0 is replaced by gt_fbp_batch(). GT_ERR_UNSUPPORTED: the requested kernel does
	 * not support the plan. */
	gt_status (*open)(gt_backend *be, const gt_fbp_plan *plan, gt_type type, size_t *batch, void **state);
	/* Weights and filters views first .. first+n-1 (n <= batch) of data [view][row][column] into the scratch. */
	void      (*filter)(void *state, size_t first, size_t n, const void *data);
	/* Copies filtered images [n][rows - 2][columns] of floats with a border of zeros, for plans of
	 * matrix_backprojector.c (row.n is 0). Their matrices are the plan's first n. */
	void      (*place)(void *state, size_t n, const float *images);
	/* Adds the views of the scratch to x. */
	void      (*back)(void *state, size_t first, size_t n, void *x);
	void      (*close)(void *state);
};
extern const struct gt_fbp_impl gt_fbp_cpu, gt_fbp_cuda;
/* Exact transpose of filter and backprojection of a plan, which must live as long: sets data from x. */
struct gt_fbp_transpose {
	gt_status (*open)(gt_backend *be, const gt_fbp_plan *plan, gt_type type, void **state);
	void      (*run)(void *state, const void *x, void *data);
	void      (*close)(void *state);
};
extern const struct gt_fbp_transpose gt_fbp_transpose_cpu, gt_fbp_transpose_cuda;
/* Transposed filter of a state of gt_fbp_transpose_cpu: sets a view of data from q [filtered column][row]. line:
 * scratch of row.n + 2. */
void gt_fbp_cpu_unfilter(const void *state, size_t view, const double *q, double *line, void *data);
/* Closes a state whose backend is not locked yet. Does nothing if state is NULL. */
void gt_fbp_close(const struct gt_fbp_impl *impl, gt_backend *be, void *state);
/* Returns the CPU's scratch: [view][filtered column][row], of the type given to open(). */
const void *gt_fbp_cpu_filtered(const void *state);

/* Returns the number of filtered views held at a time, of view_bytes each. They take a bounded fraction of the memory,
 * enough for a pass over the volume. */
size_t gt_fbp_batch(gt_backend *be, const gt_fbp_plan *plan, size_t view_bytes);

/* Plans, then runs all views through the backend of x. */
gt_status gt_fbp_run(const char *who, gt_backend *be, const gt_grid *grid, const gt_scan *scan,
                        const gt_fbp_options *o, const gt_array *data, gt_array *x, gt_analytic_times *times);

#ifdef __cplusplus
}
#endif
#endif
