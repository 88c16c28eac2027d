/* dd-bl, branchless as published: Liu, Fu, De Man, Yu, IEEE Trans. Comput. Imaging 3 (2017), III-C, D, eqs 19-25. A
 * thread owns a pixel and loops over the slices, or a voxel and loops over the views. Each step is four fetches from an
 * integral image, which the texture units interpolate. The forward projection is the model of dd_row.h up to the 8-bit
 * fractions of the textures. The backprojection uses one rectangle of the detector per voxel (dd_bl.h). The exact
 * adjoint has other row edges in each column, so this is only an approximate transpose.
 *
 * Limit: fetches, four per intersecting (pixel, slice) and per (voxel, view). Rectangles need more arithmetic than a
 * fetch hides, so the voxels of a block along z share them.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_BL_ROWS /* rows of pixels, or voxels along z, per block: 1, 2, 4, 8, 16 */
#define GT_DD_BL_ROWS 8
#endif
/* maximum rows of nodes in a texture, so that positions keep 11 bits of fraction: 1024 to 8192 */
#ifndef GT_DD_BL_STACK
#define GT_DD_BL_STACK 4096
#endif
#include <stdlib.h>
#include "core/device/blocks.cuh"
#include "core/linop.h"
#include "core/try.h"
#include "projectors/dd/published/dd_bl_cuda.cuh"

enum { WARP = 32 };

/* One thread: a pixel of the views whose slices are perpendicular to `axis`, in slices first .. end-1. */
static __global__ void __launch_bounds__(WARP *GT_DD_BL_ROWS)
	forward_kernel(gt_dd d, gt_dd_stack stack, const float *constant, const size_t *view, float *y, int axis, int first, int end,
                       int columns, int rows)
{
	const int k = blockIdx.x % columns * WARP + threadIdx.x, l = blockIdx.x / columns % rows * blockDim.y + threadIdx.y;
	if (k >= d.columns || l >= d.rows)
		return;
	const size_t at = view[blockIdx.x / columns / rows];
	const gt_dd_view v = d.view[at];
	const gt_dd_column c = d.column[at * d.columns + k];
	const double U0 = d.edge[at * (d.columns + 1) + k], U1 = d.edge[at * (d.columns + 1) + k + 1];
	const float width = (float)d.n[1 - axis], height = (float)d.n[2];
	const int from = max(first, v.first), to = min(end, v.end);
	float sum = 0;
	gt_dd_walk image(stack, max(from - first, 0));
	for (int n = from; n < to; n++, image.next(stack)) {
		const double R = gt_dd_depth(&v, n), step = gt_dd_row_height(&c, R), start = gt_dd_row_start(&c, R) + l * step;
		const float x0 = (float)gt_dd_edge(&v, R, U0), x1 = (float)gt_dd_edge(&v, R, U1), z0 = (float)start,
			    z1 = (float)(start + step);
		const float left = fmaxf(x0, 0), right = fminf(x1, width), low = fmaxf(z0, 0), high = fminf(z1, height);
		if (!(left < right && low < high))
			continue;
		const float inside = (image.sum(right, high) - image.sum(left, high)) - (image.sum(right, low) - image.sum(left, low)) +
		                     constant[n - first] * ((right - left) * (high - low));
		sum += inside / ((x1 - x0) * (z1 - z0));
	}
	float *out = y + gt_dd_pixel(&d, &v, at, l, k);
	sum *= (float)gt_dd_slant(&c, l, d.pitch[2], d.pitch[axis]);
	*out = first ? *out + sum : sum;
}

static void forward_batch(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *y)
{
	const gt_dd_bl *p = (const gt_dd_bl *)state;
	const gt_dd_images *g = &p->images.slices[axis];
	const int high = d->rows < GT_DD_BL_ROWS ? d->rows : GT_DD_BL_ROWS, columns = pieces(d->columns, WARP),
		  rows = pieces(d->rows, high);
	const float *constant = (const float *)gt_scratch(be) + g->batch * g->stride;
	forward_kernel<<<(unsigned)(p->images.views[axis].images * columns * rows), dim3(WARP, high), 0, gt_cuda_queue(be)>>>(
		*d, p->slices[axis], constant, gt_dd_views_of(&p->images, axis), (float *)y, axis, (int)first, (int)(first + count),
		columns, rows);
	gt_cuda_check(be, cudaGetLastError(), "dd-bl forward");
}

/* One thread: a voxel; lanes along x. The warps of a block are stacked along z; each computes the rectangles of another
 * view for all of them. */
template <int AXIS>
static __global__ void __launch_bounds__(WARP *GT_DD_BL_ROWS)
	adjoint_kernel(gt_dd d, gt_dd_stack stack, const float *constant, const size_t *view, const gt_dd_screen *screen, float *x,
                       int views, int groups, int tall)
{
	__shared__ gt_dd_rectangle shared[GT_DD_BL_ROWS][WARP];
	const int ix = blockIdx.x % groups * WARP + threadIdx.x, iy = blockIdx.x / groups % d.n[1];
	const int z = blockIdx.x / groups / d.n[1] * tall + threadIdx.y;
	float sum = 0;
	gt_dd_walk image(stack, 0);
	for (int base = 0; base < views; base += tall) {
		if (base + threadIdx.y < views) {
			const size_t at = view[base + threadIdx.y];
			shared[threadIdx.y][threadIdx.x] = gt_dd_rectangle_at(&d.view[at], &screen[at], d.columns, AXIS ? iy : ix,
			                                                      AXIS ? ix : iy);
		}
		__syncthreads();
		for (int v = base; v < views && v < base + tall; v++, image.next(stack)) {
			const gt_dd_rectangle r = shared[v - base][threadIdx.x];
			const float low = fminf(fmaxf(r.row + z * r.step, 0), (float)d.rows),
				    high = fminf(fmaxf(r.row + (z + 1) * r.step, 0), (float)d.rows);
			if (r.left < r.right && low < high)
				sum += (image.sum(r.right, high) - image.sum(r.left, high)) -
				       (image.sum(r.right, low) - image.sum(r.left, low)) +
				       constant[v] * ((r.right - r.left) * (high - low));
		}
		__syncthreads();
	}
	if (ix < d.n[0] && z < d.n[2])
		x[((size_t)z * d.n[1] + iy) * d.n[0] + ix] += sum;
}

static void adjoint_batch(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *x)
{
	const gt_dd_bl *p = (const gt_dd_bl *)state;
	const gt_dd_images *g = &p->images.views[axis];
	const int high = d->n[2] < GT_DD_BL_ROWS ? d->n[2] : GT_DD_BL_ROWS, groups = pieces(d->n[0], WARP);
	const float *constant = (const float *)gt_scratch(be) + g->batch * g->stride;
	const auto kernel = axis ? adjoint_kernel<1> : adjoint_kernel<0>;
	kernel<<<(unsigned)((size_t)groups * d->n[1] * pieces(d->n[2], high)), dim3(WARP, high), 0, gt_cuda_queue(be)>>>(
		*d, p->views[axis], constant, gt_dd_views_of(&p->images, axis) + first, p->screen, (float *)x, (int)count, groups, high);
	gt_cuda_check(be, cudaGetLastError(), "dd-bl back");
}

/* Stacks at least four images, so that each texture begins at a multiple of 512 bytes. */
static gt_status stack_images(const char *name, const char *what, const gt_dd_images *g, gt_dd_stack *s)
{
	int width = 0, height = 0, device = 0;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture2DLinearWidth, device);
	cudaDeviceGetAttribute(&height, cudaDevAttrMaxTexture2DLinearHeight, device);
	s->rows = g->height + 1;
	s->images = GT_DD_BL_STACK / 4 > s->rows ? GT_DD_BL_STACK / s->rows / 4 * 4 : 4;
	if (g->width >= width || g->height >= height / 4)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: %s of %d x %d: expected less than %d x %d, which textures hold", name, what,
		               g->width, g->height, width, height / 4);
	return GT_OK;
}

static size_t textures_of(const gt_dd_images *g, const gt_dd_stack *s) { return (g->batch + s->images - 1) / s->images; }

static cudaError_t show(const gt_dd_images *g, const gt_dd_stack *s, float *nodes, cudaTextureObject_t *out)
{
	struct cudaTextureDesc how = {};
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = cudaFilterModeLinear;
	for (size_t first = 0; first < g->batch; first += s->images, out++) {
		const size_t images = g->batch - first < (size_t)s->images ? g->batch - first : s->images;
		struct cudaResourceDesc what = {};
		what.resType = cudaResourceTypePitch2D;
		what.res.pitch2D.devPtr = nodes + first * g->stride;
		what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
		what.res.pitch2D.width = g->width + 1;
		what.res.pitch2D.height = images * s->rows;
		what.res.pitch2D.pitchInBytes = g->pitch * sizeof(float);
		const cudaError_t e = cudaCreateTextureObject(out, &what, &how, NULL);
		if (e != cudaSuccess)
			return e;
	}
	return cudaSuccess;
}

static void hide(gt_dd_bl *p)
{
	for (size_t i = 0; i < p->textures; i++)
		if (p->on_host[i])
			cudaDestroyTextureObject(p->on_host[i]);
	if (p->on_host)
		memset(p->on_host, 0, p->textures * sizeof *p->on_host);
	p->bound = NULL;
}

/* Creates the textures again if scratch, which is shared, has moved for a later operator. */
static int bind(gt_backend *be, gt_dd_bl *p)
{
	float *nodes = (float *)gt_scratch(be);
	if (p->bound == nodes)
		return 1;
	gt_cuda_queue(be);
	hide(p);
	cudaError_t e = cudaSuccess;
	for (int axis = 0; axis < 2 && e == cudaSuccess; axis++) {
		e = show(&p->images.slices[axis], &p->slices[axis], nodes, p->on_host + (p->slices[axis].texture - p->texture));
		if (e == cudaSuccess)
			e = show(&p->images.views[axis], &p->views[axis], nodes, p->on_host + (p->views[axis].texture - p->texture));
	}
	if (gt_cuda_check(be, e, "textures of dd-bl"))
		return 0;
	gt_backend_put(be, p->on_host, p->texture, p->textures * sizeof *p->texture);
	p->bound = nodes;
	return 1;
}

static gt_status fill_screens(gt_backend *be, const gt_dd_setup *s, gt_dd_bl *p)
{
	p->screen_bytes = s->scan->views * sizeof *p->screen;
	gt_dd_screen *screen = (gt_dd_screen *)malloc(p->screen_bytes);
	if (!screen)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", s->name, s->scan->views);
	for (size_t v = 0; v < s->scan->views; v++)
		screen[v] = gt_dd_screen_of(s->scan, s->grid, v, &s->host.view[v]);
	p->screen = (gt_dd_screen *)gt_dd_upload(be, screen, p->screen_bytes);
	free(screen);
	return p->screen ? GT_OK : GT_ERR_MEMORY;
}

static gt_status make_room(gt_backend *be, const gt_dd_setup *s, gt_dd_bl *p)
{
	gt_status st = GT_OK;
	for (int axis = 0; axis < 2; axis++) {
		GT_TRY(stack_images(s->name, "slices", &p->images.slices[axis], &p->slices[axis]));
		GT_TRY(stack_images(s->name, "views", &p->images.views[axis], &p->views[axis]));
		p->textures += textures_of(&p->images.slices[axis], &p->slices[axis]) +
		               textures_of(&p->images.views[axis], &p->views[axis]);
	}
	p->on_host = (cudaTextureObject_t *)calloc(p->textures, sizeof *p->on_host);
	if (!p->on_host)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for %zu textures", s->name, p->textures);
	p->texture = (cudaTextureObject_t *)gt_backend_alloc(be, p->textures * sizeof *p->texture, "list of textures");
	if (!p->texture)
		return GT_ERR_MEMORY;
	p->slices[0].texture = p->texture;
	p->slices[1].texture = p->slices[0].texture + textures_of(&p->images.slices[0], &p->slices[0]);
	p->views[0].texture = p->slices[1].texture + textures_of(&p->images.slices[1], &p->slices[1]);
	p->views[1].texture = p->views[0].texture + textures_of(&p->images.views[0], &p->views[0]);
done:
	return st;
}

extern "C" gt_status gt_dd_bl_make(gt_backend *be, const gt_dd *d, const gt_dd_setup *s, gt_type t, void **state)
{
	gt_status st = GT_OK;
	gt_dd_bl *p = (gt_dd_bl *)calloc(1, sizeof *p);
	(void)d;
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", s->name);
	*state = p;
	gt_cuda_queue(be);
	GT_TRY(gt_dd_branchless_new(be, s, t, &p->images));
	GT_TRY(make_room(be, s, p));
	GT_TRY(fill_screens(be, s, p));
done:
	return st;
}

extern "C" void gt_dd_bl_free(gt_backend *be, void *state)
{
	gt_dd_bl *p = (gt_dd_bl *)state;
	gt_cuda_queue(be);
	hide(p);
	gt_dd_branchless_free(be, &p->images);
	gt_backend_free(be, p->screen, p->screen_bytes);
	gt_backend_free(be, p->texture, p->textures * sizeof *p->texture);
	free(p->on_host);
	free(p);
}

extern "C" size_t gt_dd_bl_scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t)
{
	(void)be, (void)d, (void)t;
	return gt_dd_branchless_scratch(&((gt_dd_bl *)state)->images);
}

extern "C" void gt_dd_bl_forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y)
{
	gt_dd_bl *p = (gt_dd_bl *)state;
	if (bind(be, p))
		gt_dd_forward_batches(be, d, &p->images, t, x, forward_batch, p, y);
}

extern "C" void gt_dd_bl_back(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, gt_dd_each *each, void *x)
{
	gt_dd_bl *p = (gt_dd_bl *)state;
	if (bind(be, p))
		gt_dd_adjoint_batches(be, d, &p->images, t, y, each, p, x);
}

static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	gt_dd_bl_back(be, d, state, t, y, adjoint_batch, x);
}

static int roofline(const gt_dd *d, void *state, gt_type t, const gt_dd_counts *c, int back, gt_roofline *least)
{
	(void)state, (void)t;
	least->bound = GT_FETCHES;
	least->amount = back ? 4 * gt_dd_seen(c) * d->n[2] : 4 * c->pairs * d->rows;
	return 1;
}

extern "C" double gt_dd_bl_images(gt_backend *be, const gt_dd *d, void *state, gt_type t, int kind, const void *in)
{
	return gt_dd_images_alone(be, d, &((gt_dd_bl *)state)->images, t, kind, in);
}

extern "C" const struct gt_dd_impl gt_dd_bl_cuda = {
	gt_dd_bl_make, gt_dd_bl_free, gt_dd_bl_scratch, gt_dd_bl_forward, adjoint, roofline, gt_dd_bl_images,
};
