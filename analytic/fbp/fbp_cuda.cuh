#ifndef GT_ANALYTIC_FBP_FBP_CUDA_CUH
#define GT_ANALYTIC_FBP_FBP_CUDA_CUH
/* CUDA side of filtered backprojection, private to analytic/: layout of filtered views on the device, and the kernels
 * (forms) of the backprojection. */
#include "analytic/fbp/fbp.h"
#include "core/device/cuda.cuh"

/* Rows of `pitch` samples, [view][pad + row + pad], with copies of the first row below and of the last row above. A
 * sample is a number of the data's type, or a pair of floats: the value, and the difference to the next value. The last
 * column of a row holds zeros, so that nothing is seen beyond it. */
typedef struct {
	int pairs;
	size_t pitch, pad;
} gt_layout;

/* One batch: filtered views and their records on the device; adds to x. */
struct gt_back_call {
	gt_backend *be;
	const gt_fbp_plan *plan;
	gt_type type;
	gt_layout layout;
	const void *filtered;
	const struct gt_back_view *view, *host; /* records on the device, and on the host */
	size_t views;
	void *x;
};

/* Bound of the distance of rows in a run of voxels, and thus the bits left for a fraction: see gt_cut(). */
struct gt_bias {
	float less, magic; /* -BIAS, GT_MAGIC_SIGNED + BIAS */
	unsigned whole;    /* integer bits */
	float step;        /* rows per voxel, maximum */
};

/* Choice of a form for a plan: the layout, and the parameters of its kernel. */
struct gt_back_choice {
	gt_layout layout;
	const void *kind;
	int rows, stages;
	struct gt_bias bias;
};

/* A kernel of the backprojection. */
struct gt_back_form {
	/* Returns NULL if it supports the plan, else the reason, which completes "kernel=NAME: ". Samples many blocks
	 * and views: call it once. */
	const char *(*choose)(gt_backend *be, const gt_fbp_plan *plan, gt_type type, struct gt_back_choice *choice);
	/* Allocates for batches of at most `batch` views. */
	gt_status   (*open)(gt_backend *be, const gt_fbp_plan *plan, const struct gt_back_choice *choice, size_t batch, void **self);
	void        (*run)(void *self, const struct gt_back_call *call);
	void        (*close)(void *self);
};
#define GT_FORM(NAME, id, text) extern const struct gt_back_form gt_back_##id;
#include "analytic/fbp/back/forms.def"
#undef GT_FORM

static inline struct gt_back_grid gt_back_grid_of(const struct gt_back_call *c)
{
	struct gt_back_grid g = gt_plan_grid(c->plan);
	g.views = c->views;
	g.view = c->view;
	return g;
}
static inline size_t gt_layout_row(const gt_layout *l, gt_type type) { return l->pitch * (l->pairs ? 2 * sizeof(float) : gt_type_size(type)); }
static inline size_t gt_layout_view(const gt_layout *l, const gt_fbp_plan *p, gt_type type)
{
	return (p->rows + 2 * l->pad) * gt_layout_row(l, type);
}

/* Runs the plain kernel for views whose bit in `left` is set (one word per 32 views, [tile][words]), for tiles of side
 * x side x slices voxels. Floats only. Serves views that fit into no tile. */
void gt_back_leftovers(const struct gt_back_call *c, const unsigned *left, size_t words, size_t side, size_t slices);

/* Copies images [n][rows - 2][columns] into that layout, with a border of zeros. Not for layouts of pairs, which need
 * upright rows. */
void gt_upload_images(gt_backend *be, const gt_fbp_plan *plan, gt_type type, const gt_layout *layout, size_t n, const float *images,
                     void *filtered);

/* Weights and filters rows, in batches of at most `batch` views in that layout. layout NULL: for the transpose. */
struct gt_row_filter;
gt_status gt_row_filter_new(gt_backend *be, const gt_fbp_plan *plan, gt_type type, const gt_layout *layout, size_t batch,
                            struct gt_row_filter **f);
void      gt_row_filter_free(struct gt_row_filter *f);
/* Views first ... first+n-1 of data [view][row][column]; view: their records on the device. */
void      gt_row_filter_run(struct gt_row_filter *f, size_t first, size_t n, const struct gt_back_view *view, const void *data,
                            void *filtered);

/* Transpose: sets views first ... first+n-1 of data from filtered views [n][row][filtered column]. */
void      gt_row_filter_back(struct gt_row_filter *f, size_t first, size_t n, const struct gt_back_view *view, const void *filtered,
                             void *data);

/* Transposed backprojection of upright views in single precision: sets filtered [n][row][filtered column] of views
 * first ... first+n-1 from the volume x. Batches begin with first = 0. */
struct gt_line_gather;
int       gt_line_gather_supports(const gt_fbp_plan *plan, gt_type type);
gt_status gt_line_gather_new(gt_backend *be, const gt_fbp_plan *plan, struct gt_line_gather **l);
void      gt_line_gather_free(struct gt_line_gather *l);
void      gt_line_gather_run(struct gt_line_gather *l, size_t first, size_t n, const struct gt_back_view *view, const void *x,
                             void *filtered);

#endif
