/* Batches of integral images that fit the memory of the options and the device; the kernels are in
 * dd_integral_cuda.cu. */
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "projectors/dd/published/dd_integral.h"

/* Rows of nodes begin at multiples of 128 or 256 bytes. */
enum { ALIGNED = 32 };

extern "C" gt_dd_images gt_dd_images_of(int width, int height, size_t images)
{
	gt_dd_images g = { width, height, ((size_t)width / ALIGNED + 1) * ALIGNED, 0, images, images };
	g.stride = g.pitch * ((size_t)height + 1);
	return g;
}

extern "C" size_t gt_dd_images_bytes(const gt_dd_images *g, gt_type nodes) { return g->batch * (g->stride + 1) * gt_type_size(nodes); }

/* Divides the images into batches of similar size that fit `bytes`, with at least one image each. */
static void divide(gt_dd_images *g, gt_type nodes, double bytes)
{
	const double max = bytes / ((double)(g->stride + 1) * gt_type_size(nodes));
	if (max >= (double)g->images)
		return;
	const size_t fit = max > 1 ? (size_t)max : 1, batches = (g->images + fit - 1) / fit;
	g->batch = (g->images + batches - 1) / batches;
}

extern "C" gt_status gt_dd_branchless_new(gt_backend *be, const gt_dd_setup *s, gt_type nodes, gt_dd_branchless *b)
{
	const gt_dd *d = &s->host;
	const gt_dd_options *o = (const gt_dd_options *)s->options;
	size_t available, total, of[2] = { 0, 0 }, place[2] = { 0, 0 };
	be->ops->memory(be, &available, &total);
	const double half = ((double)available + (double)be->scratch_bytes) / 2, limit = o->memory * 1048576;
	for (size_t v = 0; v < d->views; v++)
		of[d->view[v].axis]++;
	place[1] = of[0];
	b->type = nodes;
	for (int axis = 0; axis < 2; axis++) {
		b->slices[axis] = gt_dd_images_of(d->n[1 - axis], d->n[2], of[axis] ? (size_t)d->n[axis] : 0);
		b->views[axis] = gt_dd_images_of(d->columns, d->rows, of[axis]);
		divide(&b->slices[axis], nodes, half < limit ? half : limit);
		divide(&b->views[axis], nodes, half < limit ? half : limit);
	}
	b->view_bytes = d->views * sizeof *b->view;
	size_t *view = (size_t *)malloc(b->view_bytes);
	if (!view)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for a list of %zu views", s->name, d->views);
	for (size_t v = 0; v < d->views; v++)
		view[place[d->view[v].axis]++] = v;
	b->view = (size_t *)gt_dd_upload(be, view, b->view_bytes);
	free(view);
	return b->view ? GT_OK : GT_ERR_MEMORY;
}

extern "C" void gt_dd_branchless_free(gt_backend *be, gt_dd_branchless *b) { gt_backend_free(be, b->view, b->view_bytes); }

extern "C" size_t gt_dd_branchless_scratch(const gt_dd_branchless *b)
{
	size_t max = 0;
	for (int axis = 0; axis < 2; axis++) {
		const size_t slices = gt_dd_images_bytes(&b->slices[axis], b->type), views = gt_dd_images_bytes(&b->views[axis], b->type);
		max = slices > max ? slices : max;
		max = views > max ? views : max;
	}
	return max;
}

static size_t batch_at(const gt_dd_images *g, size_t first) { return g->images - first < g->batch ? g->images - first : g->batch; }

extern "C" void gt_dd_forward_batches(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, const void *x, gt_dd_each *each,
                                      void *state, void *y)
{
	for (int axis = 0; axis < 2; axis++)
		for (size_t first = 0; first < b->slices[axis].images; first += b->slices[axis].batch) {
			const size_t count = batch_at(&b->slices[axis], first);
			gt_dd_integrate_slices(be, d, b, axis, t, x, first, count);
			each(be, d, state, axis, first, count, y);
		}
}

extern "C" void gt_dd_adjoint_batches(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, const void *y, gt_dd_each *each,
                                      void *state, void *x)
{
	cudaMemsetAsync(x, 0, (size_t)d->n[0] * d->n[1] * d->n[2] * gt_type_size(t), gt_cuda_queue(be));
	for (int axis = 0; axis < 2; axis++)
		for (size_t first = 0; first < b->views[axis].images; first += b->views[axis].batch) {
			const size_t count = batch_at(&b->views[axis], first);
			gt_dd_integrate_views(be, d, b, axis, t, y, first, count);
			each(be, d, state, axis, first, count, x);
		}
}

extern "C" double gt_dd_images_alone(gt_backend *be, const gt_dd *d, const gt_dd_branchless *b, gt_type t, int kind, const void *in)
{
	double bytes = 0;
	for (int axis = 0; axis < 2; axis++) {
		const gt_dd_images *g = kind == 2 ? &b->views[axis] : &b->slices[axis];
		if (kind < 2 && kind != axis)
			continue;
		bytes += (double)g->images * ((double)g->width * g->height * gt_type_size(t) +
		                              ((double)g->width + 1) * ((double)g->height + 1) * gt_type_size(b->type));
		for (size_t first = 0; in && first < g->images; first += g->batch)
			if (kind == 2)
				gt_dd_integrate_views(be, d, b, axis, t, in, first, batch_at(g, first));
			else
				gt_dd_integrate_slices(be, d, b, axis, t, in, first, batch_at(g, first));
	}
	return bytes;
}
