/* dd-bz, Z-line backprojection: Liu, Fu, De Man, Yu, IEEE Trans. Comput. Imaging 3 (2017), III-G, eqs 26-28. A thread
 * owns voxels along z; two fetches give the difference w at an edge between two of them. The previous w stays in a
 * register; the published version held all of them in shared memory. The forward projection and the order of the sums
 * are those of dd-bl.
 *
 * Limit: fetches, two per (voxel, view) and two more per column of voxels.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_BZ_VOXELS /* voxels along z per thread: 8, 16, 32 */
#define GT_DD_BZ_VOXELS 16
#endif
#ifndef GT_DD_BZ_WARPS /* warps per block, adjacent along y: 1, 2, 4, 8 */
#define GT_DD_BZ_WARPS 8
#endif
#include "core/device/blocks.cuh"
#include "core/linop.h"
#include "projectors/dd/published/dd_bl_cuda.cuh"

enum { WARP = 32 };

template <int AXIS, int VOXELS>
static __global__ void __launch_bounds__(WARP *GT_DD_BZ_WARPS)
	adjoint_kernel(gt_dd d, gt_dd_stack stack, const float *constant, const size_t *view, const gt_dd_screen *screen, float *x,
                       int views, int groups, int lines, int tall)
{
	const int ix = blockIdx.x % groups * WARP + threadIdx.x, iy = blockIdx.x / groups % lines * GT_DD_BZ_WARPS + threadIdx.y;
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
		float edge = fminf(fmaxf(r.row + z0 * r.step, 0), (float)d.rows), w = image.sum(r.right, edge) - image.sum(r.left, edge);
#pragma unroll
		for (int z = 0; z < VOXELS; z++) {
			if (z >= voxels)
				break;
			const float next = fminf(fmaxf(r.row + (z0 + z + 1) * r.step, 0), (float)d.rows),
				    above = image.sum(r.right, next) - image.sum(r.left, next);
			sum[z] += (above - w) + width * (next - edge);
			edge = next;
			w = above;
		}
	}
	float *out = x + ((size_t)z0 * d.n[1] + iy) * d.n[0] + ix;
#pragma unroll
	for (int z = 0; z < VOXELS; z++)
		if (z < voxels)
			out[(size_t)z * d.n[1] * d.n[0]] += sum[z];
}

template <int AXIS, int VOXELS> static void launch(gt_backend *be, const gt_dd *d, const gt_dd_bl *p, size_t first, size_t count, float *x)
{
	const gt_dd_images *g = &p->images.views[AXIS];
	const int groups = pieces(d->n[0], WARP), lines = pieces(d->n[1], GT_DD_BZ_WARPS), parts = pieces(d->n[2], VOXELS),
		  tall = pieces(d->n[2], parts);
	const float *constant = (const float *)gt_scratch(be) + g->batch * g->stride;
	adjoint_kernel<AXIS, VOXELS><<<(unsigned)((size_t)groups * lines * parts), dim3(WARP, GT_DD_BZ_WARPS), 0, gt_cuda_queue(be)>>>(
		*d, p->views[AXIS], constant, gt_dd_views_of(&p->images, AXIS) + first, p->screen, x, (int)count, groups, lines, tall);
	gt_cuda_check(be, cudaGetLastError(), "dd-bz back");
}

template <int VOXELS>
static void launch_for(gt_backend *be, const gt_dd *d, const gt_dd_bl *p, int axis, size_t first, size_t count, float *x)
{
	if (axis)
		launch<1, VOXELS>(be, d, p, first, count, x);
	else
		launch<0, VOXELS>(be, d, p, first, count, x);
}

static void adjoint_batch(gt_backend *be, const gt_dd *d, void *state, int axis, size_t first, size_t count, void *x)
{
	const gt_dd_bl *p = (const gt_dd_bl *)state;
	if (d->n[2] == 1)
		launch_for<1>(be, d, p, axis, first, count, (float *)x);
	else if (d->n[2] <= 4)
		launch_for<4>(be, d, p, axis, first, count, (float *)x);
	else
		launch_for<GT_DD_BZ_VOXELS>(be, d, p, axis, first, count, (float *)x);
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
	gt_dd_bl_make, gt_dd_bl_free, gt_dd_bl_scratch, gt_dd_bl_forward, adjoint, roofline, gt_dd_bl_images,
};
