/* Distance-driven pair on CUDA: operators of the fast pair in single precision, and the choice of kernels. Branch-based
 * kernels compute all other cases: double precision, compute capability below 9.0, parallel rays whose slopes along z
 * differ between columns, and pixels of hundreds of voxels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/cuda.cuh"
#include "core/linop.h"
#include "projectors/dd/dd_kept.h"
#include "projectors/dd/fast/dd_room.cuh"
#include "projectors/dd/fast/dd_tables.cuh"
#include "projectors/dd/published/dd_integral.h"

struct state {
	gt_dd_fast f;
	gt_dd_tuned *tuned;
	gt_dd_tuned_back *back;
	int forward, adjoint; /* 1 if the fast kernels compute this direction */
	size_t view_bytes, edge_bytes, group_bytes, bundle_bytes, share_bytes[2];
};

/* A tuned variant has one tile: one run per axis, in the order of views. */
static int by_view(const void *a, const void *b) { return ((const gt_dd_group *)a)->view[0] - ((const gt_dd_group *)b)->view[0]; }
static void join_runs(gt_dd_fast_tables *h, gt_dd_fast *f)
{
	for (int axis = 0; axis < 2; axis++) {
		gt_dd_run all = { axis ? f->groups[0] : 0, f->groups[axis], 0 };
		for (int i = 0; i < GT_DD_SHAPES; i++)
			all.rows = f->run[axis][i].rows > all.rows ? f->run[axis][i].rows : all.rows;
		memset(f->run[axis], 0, sizeof f->run[axis]);
		f->run[axis][0] = all;
		qsort(h->group + all.first, (size_t)all.groups, sizeof *h->group, by_view);
	}
}

static void free_(gt_backend *be, void *state)
{
	struct state *s = (struct state *)state;
	gt_backend_free(be, (void *)s->f.view, s->view_bytes);
	gt_backend_free(be, (void *)s->f.height, s->edge_bytes);
	gt_backend_free(be, (void *)s->f.inverse, s->edge_bytes);
	gt_backend_free(be, (void *)s->f.group, s->group_bytes);
	gt_backend_free(be, (void *)s->f.bundle, s->bundle_bytes);
	gt_backend_free(be, (void *)s->f.share, s->share_bytes[0]);
	gt_backend_free(be, s->f.done, s->share_bytes[1]);
	gt_dd_tuned_free(s->tuned);
	gt_dd_tuned_back_free(s->back);
	free(s);
}

static gt_status fill(gt_backend *be, const gt_dd *d, const gt_dd_options *options, gt_dd_fast_host *h, struct state *s)
{
	gt_dd_fast *f = &s->f;
	gt_status st = GT_OK;
	size_t available = 0, total = 0;
	int device = 0;
	*f = h->f;
	if (!h->fits)
		return GT_OK;
	gt_backend_memory(be, &available, &total);
	f->limit = available / 4;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&f->processors, cudaDevAttrMultiProcessorCount, device);
	if (options && options->memory * 1048576 < (double)f->limit)
		f->limit = (size_t)(options->memory * 1048576);
	gt_dd_forward_narrow(d, f);
	if (d->n[2] > GT_DD_THIN && gt_dd_fast_forward_fits(d, f) && (st = gt_dd_tuned_find(d, f, &s->tuned)) != GT_OK)
		return st;
	if (s->tuned) {
		f->tuned = s->tuned;
		join_runs(h, f);
	}
	if ((st = gt_dd_tuned_back_find(d, f, &s->back)) != GT_OK)
		return st;
	f->back = s->back;
	if (!(f->view = (const gt_dd_near *)gt_dd_upload(be, h->view, s->view_bytes)) ||
	    !(f->height = (const gt_dd_edge_q *)gt_dd_upload(be, h->height, s->edge_bytes)) ||
	    !(f->inverse = (const gt_dd_edge_q *)gt_dd_upload(be, h->inverse, s->edge_bytes)) ||
	    !(f->group = (const gt_dd_group *)gt_dd_upload(be, h->group, s->group_bytes)) ||
	    !(f->bundle = (const int *)gt_dd_upload(be, h->bundle, s->bundle_bytes)))
		return GT_ERR_MEMORY;
	if (!gt_dd_forward_share(be, d, f, h, s->share_bytes))
		return GT_ERR_MEMORY;
	s->forward = gt_dd_fast_forward_fits(d, f) && (f->tuned || gt_dd_fast_forward_has_room(d, f));
	s->adjoint = gt_dd_fast_adjoint_fits(d, f) && (f->back || gt_dd_fast_adjoint_has_room(d, f));
	return GT_OK;
}

static void free_host(gt_kept *self)
{
	gt_dd_fast_host *h = static_cast<gt_dd_fast_host *>(self);
	free(h->view);
	free(h->height);
	free(h->inverse);
	free(h->group);
	free(h->bundle);
	free(h->shares.share);
	free(h);
}

static gt_status new_host(gt_backend *be, const gt_dd *d, const gt_dd_setup *setup, const struct state *s, gt_dd_fast_host **out)
{
	gt_dd_fast_host *h = (gt_dd_fast_host *)calloc(1, sizeof *h);
	if (!h)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", setup->name);
	gt_kept *kept = h;
	kept->key = gt_dd_key("fast tables of dd", setup->grid, setup->scan);
	kept->free = free_host;
	h->view = (gt_dd_near *)malloc(s->view_bytes);
	h->height = (gt_dd_edge_q *)malloc(s->edge_bytes);
	h->inverse = (gt_dd_edge_q *)malloc(s->edge_bytes);
	h->group = (gt_dd_group *)malloc(s->group_bytes);
	h->bundle = (int *)malloc(s->bundle_bytes);
	const gt_status st = h->view && h->height && h->inverse && h->group && h->bundle
	                             ? gt_dd_fast_fill(gt_backend_pool(be), &setup->host, h, &h->f, &h->fits)
	                             : gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", setup->name, d->views);
	if (st == GT_OK)
		*out = h;
	else
		free_host(h);
	return st;
}

static gt_status make(gt_backend *be, const gt_dd *d, const gt_dd_setup *setup, gt_type t, void **state)
{
	gt_status st = GT_OK;
	struct state *s = (struct state *)calloc(1, sizeof *s);
	int device = 0, major = 0;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", setup->name);
	*state = s;
	gt_cuda_queue(be);
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	if (t != GT_F32 || major < 9 || d->views > INT32_MAX / 2)
		return GT_OK;
	s->view_bytes = d->views * sizeof(gt_dd_near);
	s->edge_bytes = d->views * (d->columns + 1) * sizeof(gt_dd_edge_q);
	s->group_bytes = d->views * sizeof(gt_dd_group);
	s->bundle_bytes = (d->views + 1) * sizeof(int);
	gt_dd_fast_host *h = static_cast<gt_dd_fast_host *>(gt_kept_take(gt_dd_key("fast tables of dd", setup->grid, setup->scan)));
	if (!h && (st = new_host(be, d, setup, s, &h)) != GT_OK)
		return st;
	st = fill(be, &setup->host, (const gt_dd_options *)setup->options, h, s);
	h->bytes = s->view_bytes + 2 * s->edge_bytes + s->group_bytes + s->bundle_bytes + s->share_bytes[0];
	if (s->tuned) /* it has sorted the groups */
		free_host(h);
	else
		gt_kept_leave(h);
	return st;
}

static size_t scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t)
{
	const struct state *s = (const struct state *)state;
	const size_t slow = s->forward && s->adjoint ? 0 : gt_dd_bs_cuda.scratch(be, d, NULL, t);
	const size_t forwards = s->forward ? gt_dd_fast_forward_scratch(d, &s->f) : 0,
		     adjoints = s->adjoint ? gt_dd_fast_adjoint_scratch(d, &s->f) : 0;
	return slow > forwards ? (slow > adjoints ? slow : adjoints) : (forwards > adjoints ? forwards : adjoints);
}

static void forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y)
{
	const struct state *s = (const struct state *)state;
	if (s->forward)
		gt_dd_fast_forward(be, d, &s->f, (const float *)x, (float *)y);
	else
		gt_dd_bs_cuda.forward(be, d, NULL, t, x, y);
}

static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	const struct state *s = (const struct state *)state;
	if (s->adjoint)
		gt_dd_fast_adjoint(be, d, &s->f, (const float *)y, (float *)x);
	else
		gt_dd_bs_cuda.adjoint(be, d, NULL, t, y, x);
}

/* Roofline. Shared memory limits the forward direction: two loads per overlapped line and 32 rows, more if rows are
 * taller than voxels. Instructions limit the adjoint: 7 per column and 32 z edges to locate, load and interpolate, and
 * one per voxel. Rows and slices count as far as they see each other at the mean height of pixels. */
static int roofline(const gt_dd *d, void *state, gt_type t, const gt_dd_counts *c, int back, gt_roofline *min)
{
	const struct state *s = (const struct state *)state;
	const double height = (s->f.min_A + s->f.max_A) / 2;
	(void)t;
	if (back ? !s->adjoint : !s->forward)
		return 0;
	min->bound = back ? GT_INSTRUCTIONS : GT_SHARED;
	min->amount = back ? (7 * c->pairs + c->overlaps) * fmin(d->n[2], d->rows * height) / 32
	                   : 2 * c->overlaps * fmin(d->rows, d->n[2] / height) / 32;
	return 1;
}

extern "C" const struct gt_dd_impl gt_dd_cuda = { make, free_, scratch, forward, adjoint, roofline, NULL };
