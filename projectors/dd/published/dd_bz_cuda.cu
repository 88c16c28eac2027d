/* dd-bz, Z-line backprojection: Liu, Fu, De Man, Yu, IEEE Trans. Comput. Imaging 3 (2017), III-G, eqs 26-28. A thread
 * owns voxels along z; two fetches give the difference w at an edge between two of them. By default the previous w
 * stays in a register. With w=shared a thread computes all its w first, in shared memory as published, and then their
 * differences. The forward projection and the order of the sums are those of dd-bl.
 *
 * Limit: fetches, two per (voxel, view) and two more per column of voxels.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_BZ_WARPS /* warps per block, adjacent along y: 1, 2, 4, 8 */
#define GT_DD_BZ_WARPS 8
#endif
#include "core/device/blocks.cuh"
#include "core/linop.h"
#include "projectors/dd/published/dd_bl_cuda.cuh"

enum { WARP = 32, SHARED_BYTES = 48 << 10 };

static __device__ inline float edge_of(const gt_dd &d, const gt_dd_rectangle &r, int z)
{
	return fminf(fmaxf(r.row + z * r.step, 0), (float)d.rows);
}

/* w: one float per edge and thread of the block. */
template <int VOXELS>
static __device__ void add_shared(const gt_dd &d, const gt_dd_walk &image, const gt_dd_rectangle &r, float width, int z0, int voxels,
                                  float *w, float (&sum)[VOXELS])
{
	const int threads = WARP * blockDim.y;
	for (int z = 0; z <= voxels; z++) {
		const float edge = edge_of(d, r, z0 + z);
		w[z * threads] = image.sum(r.right, edge) - image.sum(r.left, edge);
	}
#pragma unroll
	for (int z = 0; z < VOXELS; z++)
		if (z < voxels)
			sum[z] += (w[(z + 1) * threads] - w[z * threads]) + width * (edge_of(d, r, z0 + z + 1) - edge_of(d, r, z0 + z));
}

template <int VOXELS>
static __device__ void add(const gt_dd &d, const gt_dd_walk &image, const gt_dd_rectangle &r, float width, int z0, int voxels,
                           float (&sum)[VOXELS])
{
	float edge = edge_of(d, r, z0), w = image.sum(r.right, edge) - image.sum(r.left, edge);
#pragma unroll
	for (int z = 0; z < VOXELS; z++) {
		if (z >= voxels)
			break;
		const float next = edge_of(d, r, z0 + z + 1), above = image.sum(r.right, next) - image.sum(r.left, next);
		sum[z] += (above - w) + width * (next - edge);
		edge = next;
		w = above;
	}
}

template <int AXIS, int VOXELS, int SHARED>
static __global__ void __launch_bounds__(WARP *GT_DD_BZ_WARPS)
	adjoint_kernel(gt_dd d, gt_dd_stack stack, const float *constant, const size_t *view, const gt_dd_screen *screen, float *x,
                       int views, int groups, int lines, int tall)
{
	extern __shared__ float edges[];
	const int ix = blockIdx.x % groups * WARP + threadIdx.x, iy = blockIdx.x / groups % lines * blockDim.y + threadIdx.y;
	const int z0 = blockIdx.x / groups / lines * tall, voxels = min(tall, d.n[2] - z0);
	if (ix >= d.n[0] || iy >= d.n[1])
		return;
	float sum[VOXELS] = { 0 };
	gt_dd_walk image(stack, 0);
	for (int v = 0; v < views; v++, image.next(stack)) {
		const size_t at = view[v];
		const gt_dd_rectangle r = gt_dd_rectangle_at(&d.view[at], &screen[at], d.columns, AXIS ? iy : ix, AXIS ? ix : iy);
		const float width = constant[v] * (r.right - r.left);
		if (!(r.left < r.right && r.row + z0 * r.step < d.rows && r.row + (z0 + voxels) * r.step > 0))
			continue;
		if (SHARED)
			add_shared<VOXELS>(d, image, r, width, z0, voxels, edges + threadIdx.y * WARP + threadIdx.x, sum);
		else
			add<VOXELS>(d, image, r, width, z0, voxels, sum);
	}
	float *out = x + ((size_t)z0 * d.n[1] + iy) * d.n[0] + ix;
#pragma unroll
	for (int z = 0; z < VOXELS; z++)
		if (z < voxels)
			out[(size_t)z * d.n[1] * d.n[0]] += sum[z];
}

template <int AXIS, int VOXELS, int SHARED>
static void launch(gt_backend *be, const gt_dd *d, const gt_dd_bl *p, size_t first, size_t count, float *x)
{
	const gt_dd_images *g = &p->images.views[AXIS];
	const int bytes_of_warp = SHARED ? (VOXELS + 1) * WARP * (int)sizeof(float) : 0;
	int warps = GT_DD_BZ_WARPS;
	while (warps > 1 && warps * bytes_of_warp > SHARED_BYTES)
		warps /= 2;
	const int groups = pieces(d->n[0], WARP), lines = pieces(d->n[1], warps), parts = pieces(d->n[2], VOXELS),
		  tall = pieces(d->n[2], parts);
	const float *constant = (const float *)gt_scratch(be) + g->batch * g->stride;
	adjoint_kernel<AXIS, VOXELS, SHARED>
		<<<(unsigned)((size_t)groups * lines * parts), dim3(WARP, warps), warps * bytes_of_warp, gt_cuda_queue(be)>>>(
			*d, p->views[AXIS], constant, gt_dd_views_of(&p->images, AXIS) + first, p->screen, x, (int)count, groups, lines,
			tall);
	gt_cuda_check(be, cudaGetLastError(), "dd-bz back");
}

typedef void launcher(gt_backend *be, const gt_dd *d, const gt_dd_bl *p, size_t first, size_t count, float *x);
#define FORMS(voxels)                                                                                          \
	{                                                                                                      \
		{ launch<0, voxels, 0>, launch<0, voxels, 1> }, { launch<1, voxels, 0>, launch<1, voxels, 1> } \
	}

/* Voxels per thread: those of `entries`, no more than the volume has slices. */
static void adjoint_batch(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *x)
{
	static const int voxels[] = { 1, 4, 16, 32, 64, 128 };
	static launcher *const forms[][2][2] = { FORMS(1), FORMS(4), FORMS(16), FORMS(32), FORMS(64), FORMS(128) };
	static const int last[] = { 2, 3, 5 }; /* index of the longest column for 17, 33, all */
	const gt_dd_bl *p = (const gt_dd_bl *)state;
	int i = 0;
	while (i < last[p->column.entries] && voxels[i] < d->n[2])
		i++;
	forms[i][axis][p->column.shared](be, d, p, first, count, (float *)x);
}

static gt_status make(gt_backend *be, const gt_dd *d, const gt_dd_setup *s, gt_type t, void **state)
{
	const gt_status st = gt_dd_bl_make(be, d, s, t, state);
	if (st == GT_OK)
		((gt_dd_bl *)*state)->column = *(const gt_dd_bz_options *)s->options;
	return st;
}

static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	gt_dd_bl_back(be, d, state, t, y, adjoint_batch, x);
}

static int roofline(const gt_dd *d, void *state, gt_type t, const gt_dd_counts *c, int back, gt_roofline *least)
{
	(void)state, (void)t;
	least->bound = GT_FETCHES;
	least->amount = back ? 2 * gt_dd_seen(c) * (d->n[2] + 1) : 4 * c->pairs * d->rows;
	return 1;
}

extern "C" const struct gt_dd_impl gt_dd_bz_cuda = {
	make, gt_dd_bl_free, gt_dd_bl_scratch, gt_dd_bl_forward, adjoint, roofline, gt_dd_bl_images,
};
