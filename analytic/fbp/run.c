/* Filtered backprojection of flat, arc and parallel detectors: options, and batches of views through a backend.
 * Feldkamp, Davis, Kress, JOSA A 1 (1984) 612; Kak, Slaney, Principles of Computerized Tomographic Imaging, 1988, ch.
 * 3. Memory: the plan, with one record per view, and on the backend the filtered views of a batch. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "analytic/fbp/fbp.h"
#include "analytic/table.h"
#include "core/poll.h"
#include "core/try.h"
#include "geometry/detector_edges.h"

static const char *const short_names[] = { "auto", "off", NULL };
static const char *const offset_names[] = { "auto", "off", NULL };
static const char *const extend_names[] = { "cosine", "none", NULL };
static const char *const rows_names[] = { "clamp", "zero", NULL };
static const char *const mask_names[] = { "fov", "none", NULL };
#define GT_FORM(NAME, id, text) text,
const char *const gt_kernel_names[] = { "auto",
#include "analytic/fbp/back/forms.def"
	                                NULL };
#undef GT_FORM
static const char *const block_names[] = { "16x16", "256x1", "128x2", "64x4", "32x8",  "8x32",  "4x64",  "2x128",
	                                   "1x256", "8x8",   "16x8",  "8x16", "32x16", "16x32", "32x32", NULL };
static const char *const views_names[] = { "0", "1", "2", "4", "8", "12", "16", "20", "24", "32", NULL };

#define AT(field) offsetof(gt_fbp_options, field)
const gt_param gt_fbp_params[] = {
	{ "filter", "window on the ramp filter", GT_CHOICE, AT(filter), 0, 0, gt_window_names },
	{ "cutoff", "cut-off frequency of the window, relative to the highest frequency", GT_REAL, AT(cutoff), 0.01, 1, NULL },
	{ "short-scan", "redundancy weights of a short scan (Parker), or off", GT_CHOICE, AT(short_scan), 0, 0, short_names },
	{ "offset", "displaced-detector weights on a full rotation if the detector is displaced by more than 4 pixels, or off", GT_CHOICE,
	  AT(offset), 0, 0, offset_names },
	{ "extend", "truncation extension: how rows of a truncated object continue beyond the detector", GT_CHOICE, AT(extend), 0, 0,
	  extend_names },
	{ "rows", "voxels above or below the detector: take its last row, or zero", GT_CHOICE, AT(rows), 0, 0, rows_names },
	{ "mask", "voxels outside the field of view: set to 0, or left as computed", GT_CHOICE, AT(mask), 0, 0, mask_names },
	{ "kernel", "kernel of the backprojection on CUDA: auto takes the fastest that fits", GT_CHOICE, AT(kernel), 0, 0,
	  gt_kernel_names },
	{ "block", "columns of voxels per block, along x and y, of a kernel with textures", GT_CHOICE, AT(block), 0, 0, block_names },
	{ "views", "views per launch of such a kernel; 0: as published", GT_CHOICE, AT(views), 0, 0, views_names },
	{ "slab", "slices per launch of such a kernel; 0: 128", GT_INT, AT(slab), 0, 65536, NULL },
	{ .key = NULL },
};

const gt_fbp_options gt_fbp_defaults = {
	.filter = GT_RAM_LAK,
	.cutoff = 1,
	.short_scan = GT_SHORT_AUTO,
	.offset = GT_OFFSET_AUTO,
	.extend = GT_EXTEND_COSINE,
	.rows = GT_ROWS_CLAMP,
	.mask = GT_MASK_FOV,
};

gt_status gt_fbp_launch(const char *who, const gt_fbp_options *o, gt_launch *launch)
{
	gt_launch l = { { 0, 0 }, (unsigned)strtoul(views_names[o->views], NULL, 10), (unsigned)o->slab };
	sscanf(block_names[o->block], "%ux%u", &l.block[0], &l.block[1]);
	if (o->kernel < GT_KERNEL_STRIDED && (o->block || o->views || o->slab))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: kernel=%s with block=%s,views=%s,slab=%d: expected a kernel with textures, %s to %s", who,
		               gt_kernel_names[o->kernel], block_names[o->block], views_names[o->views], o->slab,
		               gt_kernel_names[GT_KERNEL_STRIDED], gt_kernel_names[GT_NKERNELS - 1]);
	*launch = l;
	return GT_OK;
}

static const struct gt_fbp_impl *const impls[GT_NBACKENDS] = { &gt_fbp_cpu, GT_IF_CUDA(&gt_fbp_cuda) };

size_t gt_fbp_batch(gt_backend *be, const gt_fbp_plan *p, size_t view_bytes)
{
	const size_t max_bytes = (size_t)(gt_backend_is_gpu(be) ? 4096 : 512) << 20;
	size_t available, total;
	gt_backend_memory(be, &available, &total);
	const size_t bytes = available / 4 < max_bytes ? available / 4 : max_bytes, max = bytes / view_bytes;
	if (max >= p->views)
		return p->views;
	/* Batches of equal size: a small last one would cost as much as a full pass. */
	const size_t batches = max ? (p->views + max - 1) / max : p->views;
	return (p->views + batches - 1) / batches;
}

void gt_fbp_close(const struct gt_fbp_impl *impl, gt_backend *be, void *state)
{
	gt_backend_lock(be);
	if (state)
		impl->close(state);
	gt_backend_unlock(be);
}

struct stopwatch {
	gt_backend *be;
	double last;
};

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void lap(struct stopwatch *w, double *sum)
{
	gt_backend_wait(w->be);
	const double now = seconds();
	*sum += now - w->last;
	w->last = now;
}

typedef struct {
	const gt_array *data;
	float *view;
	size_t pixels;
} view_of_array;

static gt_status get_view(void *self, size_t view, const float **values)
{
	view_of_array *v = self;
	gt_array *part = NULL;
	const gt_status st = gt_array_part(v->data, view * v->pixels, v->pixels, &part);
	if (st == GT_OK)
		gt_array_get_float(part, v->view);
	gt_array_free(part);
	*values = v->view;
	return st;
}

/* Objects beyond the nearer side of a displaced detector whose views leave a gap: with offset=off they are taken as
 * they are. */
static gt_status check_object(const char *who, const gt_scan *scan, const gt_fbp_options *o, const gt_array *data)
{
	view_of_array v = { .data = data, .pixels = scan->rows * scan->columns };
	if (o->offset == GT_OFFSET_OFF || gt_backend_is_dry_run(gt_array_backend(data)) || !gt_displaced_is_open(scan))
		return GT_OK;
	if (!(v.view = malloc(v.pixels * sizeof *v.view)))
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a view of %zu pixels", who, v.pixels);
	const gt_status st = gt_displaced_check(who, scan, &(gt_view_values){ get_view, &v });
	free(v.view);
	return st;
}

gt_status gt_fbp_run(const char *who, gt_backend *be, const gt_grid *grid, const gt_scan *scan, const gt_fbp_options *o,
                     const gt_array *data, gt_array *x, gt_analytic_times *times)
{
	const struct gt_fbp_impl *impl = impls[be->kind];
	gt_fbp_plan *plan = NULL;
	void *state = NULL;
	size_t batch = 0;
	gt_status st = GT_OK;
	struct stopwatch w = { be, times ? seconds() : 0 };
	GT_TRY(gt_fbp_plan_new(who, grid, scan, o, be->pool, &plan));
	GT_TRY(check_object(who, scan, o, data));
	GT_TRY(impl->open(be, plan, data->type, &batch, &state));
	gt_fill(0, x);
	if (times) {
		*times = (gt_analytic_times){ 0 };
		lap(&w, &times->plan);
	}
	for (size_t v = 0; v < plan->views && gt_backend_begin(be); v += batch) {
		const size_t n = plan->views - v < batch ? plan->views - v : batch;
		const double before = (double)v / (double)plan->views, after = (double)(v + n) / (double)plan->views;
		gt_poll_part(before, before);
		impl->filter(state, v, n, data->data);
		gt_poll_part(before, after);
		if (times)
			lap(&w, &times->filter);
		impl->back(state, v, n, x->data);
		if (times)
			lap(&w, &times->back);
		gt_backend_end(be);
	}
	GT_TRY(gt_backend_status(be));
done:
	if (state)
		impl->close(state);
	gt_fbp_plan_free(plan);
	return st;
}
