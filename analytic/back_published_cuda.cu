/* Published forms of the backprojection with textures, each a step from another, in one source:
 *   strided    one view per launch, the lanes of a warp along y (Okitsu, Ino, Hagihara 2008, form A)
 *   coalesced  lanes along x (form B)
 *   batched    4 views per launch, one sum (forms C, E)
 *   ahead      12 views per launch (forms D, F: what they keep in local memory are registers now)
 *   rsqrt      16 views, the reciprocal as rsqrt(w w) (Papenhausen, Mueller 2013)
 *   transposed besides, views along y work on a volume with x and y exchanged, put back at the end
 *   atomic     besides, sums are added without being read
 *   intra      u free of z, v by addition; layered texture, views outside, slices inside (Okitsu et al. 2010)
 *   layered    the same with slices outside and views inside, in 16 x 16 blocks (Lu, Ino, Hagihara 2016)
 * Textures interpolate with 8 bits of fraction: some thousandths of the values are lost. */
#include <stdlib.h>
#include "analytic/direct_cuda.h"

#ifndef SLAB
#define SLAB 128 /* slices per launch: Z' of the papers */
#endif

enum { STRIDED = 1, RSQRT = 2, TRANSPOSED = 4, ATOMIC = 8, CIRCLE = 16, INTRA = 32 };

/* A view in voxels from the grid's middle: (column, row, 1) / lambda = m (x, y, z, 1). */
struct matrix {
	float m[12];
};
template <int VIEWS> struct views_in {
	struct matrix view[VIEWS];
};

struct published_in {
	unsigned n[3], from, to, count, wide; /* slices from ... to-1; views in use */
	float middle[3], center[2], radius, pitch[2];
	cudaTextureObject_t texture;
	float *out;
};

static __device__ __forceinline__ float dot(const float *m, float x, float y, float z)
{
	return fmaf(m[2], z, fmaf(m[1], y, fmaf(m[0], x, m[3])));
}

template <int FLAGS> static __device__ __forceinline__ float reciprocal(float w) { return FLAGS & RSQRT ? rsqrtf(w * w) : 1 / w; }

/* Nothing beyond the filtered columns; rows are clamped by the texture. */
static __device__ __forceinline__ float fetch(const struct published_in &in, float u, float v, float weight, int layer)
{
	const float value = weight * tex2DLayered<float>(in.texture, u + 0.5f, v + 0.5f, layer);
	return u >= 0 && u <= (float)(in.wide - 1) ? value : 0.f;
}

template <int FLAGS> static __device__ __forceinline__ void add(float *to, float value)
{
	if (FLAGS & ATOMIC)
		atomicAdd(to, value);
	else
		*to += value;
}

template <int VIEWS, int FLAGS>
static __device__ __forceinline__ float voxel(const struct published_in &in, const struct views_in<VIEWS> &views, float x, float y, float z)
{
	float sum = 0;
#pragma unroll
	for (int i = 0; i < VIEWS; i++) {
		const float *m = views.view[i].m, id = reciprocal<FLAGS>(dot(m + 8, x, y, z));
		if (i < in.count)
			sum += fetch(in, dot(m, x, y, z) * id, dot(m + 4, x, y, z) * id, id * id, i);
	}
	return sum;
}

/* A column with u free of z: v grows by the same from slice to slice. */
template <int VIEWS, int FLAGS>
static __device__ __forceinline__ void column(const struct published_in &in, const struct views_in<VIEWS> &views, float x, float y,
                                              float *to, size_t slice)
{
	const float z0 = (float)in.from - in.middle[2];
	float u[VIEWS], v[VIEWS], dv[VIEWS], w[VIEWS];
#pragma unroll
	for (int i = 0; i < VIEWS; i++) {
		const float *m = views.view[i].m, id = 1 / dot(m + 8, x, y, 0);
		u[i] = dot(m, x, y, 0) * id;
		v[i] = dot(m + 4, x, y, z0) * id;
		dv[i] = m[6] * id;
		w[i] = i < in.count ? id * id : 0;
	}
	if constexpr ((FLAGS & INTRA) != 0) {
#pragma unroll
		for (int i = 0; i < VIEWS; i++)
			for (unsigned k = in.from; k < in.to; k++)
				to[k * slice] += fetch(in, u[i], fmaf(dv[i], (float)(k - in.from), v[i]), w[i], i);
	} else {
		for (unsigned k = in.from; k < in.to; k++) {
			float sum = 0;
#pragma unroll
			for (int i = 0; i < VIEWS; i++) {
				sum += fetch(in, u[i], v[i], w[i], i);
				v[i] += dv[i];
			}
			to[k * slice] += sum;
		}
	}
}

template <int VIEWS, int FLAGS>
static __global__ void __launch_bounds__(256)
	back_published(const __grid_constant__ struct published_in in, const __grid_constant__ struct views_in<VIEWS> views)
{
	const unsigned across = (in.n[0] + 15) / 16, bx = blockIdx.x % across, by = blockIdx.x / across;
	const int swap = (FLAGS & STRIDED) != 0;
	const unsigned ix = 16 * bx + (swap ? threadIdx.y : threadIdx.x), iy = 16 * by + (swap ? threadIdx.x : threadIdx.y);
	if (ix >= in.n[0] || iy >= in.n[1])
		return;
	const float x = (float)ix - in.middle[0], y = (float)iy - in.middle[1];
	if (!(hypotf(x * in.pitch[0] - in.center[0], y * in.pitch[1] - in.center[1]) <= in.radius))
		return;
	const size_t slice = (size_t)in.n[0] * in.n[1];
	float *to = in.out + (FLAGS & TRANSPOSED ? (size_t)ix * in.n[1] + iy : (size_t)iy * in.n[0] + ix);
	if constexpr ((FLAGS & CIRCLE) != 0)
		column<VIEWS, FLAGS>(in, views, x, y, to, slice);
	else
		for (unsigned k = in.from; k < in.to; k++)
			add<FLAGS>(to + k * slice, voxel<VIEWS, FLAGS>(in, views, x, y, (float)k - in.middle[2]));
}

/* y[z][y][x] += x[z][x][y], in squares that stay in shared memory (Ruetsch, Micikevicius 2009). */
static __global__ void __launch_bounds__(256) put_back(unsigned nx, unsigned ny, const float *from, float *to)
{
	__shared__ float square[32][33];
	const unsigned across = (nx + 31) / 32, x0 = 32 * (blockIdx.x % across), y0 = 32 * (blockIdx.x / across % ((ny + 31) / 32));
	const size_t z = blockIdx.x / ((size_t)across * ((ny + 31) / 32)) * nx * ny;
	for (unsigned k = threadIdx.y; k < 32; k += 8)
		if (x0 + k < nx && y0 + threadIdx.x < ny)
			square[k][threadIdx.x] = from[z + (size_t)(x0 + k) * ny + y0 + threadIdx.x];
	__syncthreads();
	for (unsigned k = threadIdx.y; k < 32; k += 8)
		if (y0 + k < ny && x0 + threadIdx.x < nx)
			to[z + (size_t)(y0 + k) * nx + x0 + threadIdx.x] += square[threadIdx.x][k];
}

/* The forms ---------------------------------------------------------------- */

struct published {
	gt_backend *be;
	cudaArray_t array;
	cudaTextureObject_t texture;
	int has_texture;
	float *turned; /* the volume with x and y exchanged */
	size_t turned_bytes;
	unsigned views;
};

static const char *cannot_(gt_backend *, const gt_direct_plan *p, gt_type type)
{
	if (type != GT_F32)
		return "expected single precision";
	if (p->shape == GT_ARC)
		return "expected a flat detector or a parallel beam, not an arc";
	if (!p->clamp_rows)
		return "expected rows=clamp";
	if (p->row.wide > 32768 || p->rows > 32768)
		return "expected at most 32768 rows and columns, which is what a layered texture holds";
	return NULL;
}
static const char *cannot_tilted(gt_backend *be, const gt_direct_plan *p, gt_type type)
{
	const char *why = cannot_(be, p, type);
	return why ? why : p->tilted ? "expected rows of the detector parallel to slices" : NULL;
}

static void layout_(gt_backend *, const gt_direct_plan *p, gt_type, gt_layout *l) { *l = { 0, p->row.wide, 0 }; }

static void close_(void *self)
{
	struct published *s = (struct published *)self;
	gt_backend_wait(s->be);
	if (s->has_texture)
		cudaDestroyTextureObject(s->texture);
	if (s->array)
		cudaFreeArray(s->array);
	gt_backend_free(s->be, s->turned, s->turned_bytes);
	free(s);
}

static cudaError_t make_texture(struct published *s, const gt_direct_plan *p)
{
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc how = {};
	cudaError_t e = cudaMalloc3DArray(&s->array, &format, make_cudaExtent(p->row.wide, p->rows, s->views), cudaArrayLayered);
	if (e != cudaSuccess)
		return e;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = s->array;
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = cudaFilterModeLinear;
	how.readMode = cudaReadModeElementType;
	e = cudaCreateTextureObject(&s->texture, &resource, &how, NULL);
	s->has_texture = e == cudaSuccess;
	return e;
}

static gt_status open_views(gt_backend *be, const gt_direct_plan *p, unsigned views, int turned, void **out)
{
	struct published *s = (struct published *)calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	s->be = be;
	s->views = views;
	gt_cuda_queue(be);
	const cudaError_t e = be->rehearsed ? cudaSuccess : make_texture(s, p);
	if (e != cudaSuccess)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "layered texture of %zu x %zu x %u: %s", p->row.wide, p->rows, views, cudaGetErrorString(e)));
	if (turned) {
		s->turned_bytes = gt_grid_voxels(&p->grid) * sizeof *s->turned;
		if (!(s->turned = (float *)gt_backend_alloc(be, s->turned_bytes, "a volume with x and y exchanged")))
			st = GT_ERR_MEMORY;
	}
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

/* In double, from the middle of the grid. */
static struct matrix matrix_of(const gt_direct_plan *p, const struct gt_back_view *w)
{
	const gt_grid *g = &p->grid;
	double rows[12];
	for (int a = 0; a < 3; a++) {
		const double depth = p->shape == GT_PARALLEL || a == 2 ? 0 : w->depth[a];
		rows[8 + a] = depth;
		rows[a] = w->column0 * depth + (a < 2 ? w->across[a] : 0);
		rows[4 + a] = w->row0 * depth + (a == 2 ? w->per_row : 0);
	}
	rows[11] = p->shape == GT_PARALLEL ? 1 : w->depth[2];
	rows[3] = w->column0 * rows[11] + w->across[2];
	rows[7] = w->row0 * rows[11] - w->z0 * w->per_row;
	const double *m = p->tilted ? w->matrix : rows;
	struct matrix out;
	for (int r = 0; r < 3; r++) {
		out.m[4 * r + 3] = (float)gt_back_dot(m + 4 * r, g->center[0], g->center[1], g->center[2]);
		for (int a = 0; a < 3; a++)
			out.m[4 * r + a] = (float)(m[4 * r + a] * g->pitch[a]);
	}
	return out;
}

/* Views into the layers of the texture. */
static cudaError_t fill_texture(const struct published *s, const struct gt_back_call *c, const size_t *view, unsigned count)
{
	cudaError_t e = cudaSuccess;
	const size_t row = c->layout.pitch * sizeof(float);
	for (unsigned i = 0; i < count && e == cudaSuccess; i++) {
		struct cudaMemcpy3DParms copy = {};
		copy.srcPtr = make_cudaPitchedPtr((char *)c->filtered + view[i] * row * c->plan->rows, row, c->plan->row.wide,
		                                  c->plan->rows);
		copy.dstArray = s->array;
		copy.dstPos = make_cudaPos(0, 0, i);
		copy.extent = make_cudaExtent(c->plan->row.wide, c->plan->rows, 1);
		copy.kind = cudaMemcpyDeviceToDevice;
		e = cudaMemcpy3DAsync(&copy, gt_cuda_queue(c->be));
	}
	return e;
}

static struct published_in in_of(const struct published *s, const struct gt_back_call *c, float *out)
{
	const gt_direct_plan *p = c->plan;
	struct published_in in;
	for (int a = 0; a < 3; a++) {
		in.n[a] = (unsigned)p->grid.n[a];
		in.middle[a] = 0.5f * (float)(p->grid.n[a] - 1);
	}
	for (int a = 0; a < 2; a++) {
		in.pitch[a] = (float)p->grid.pitch[a];
		in.center[a] = (float)(p->center[a] - p->grid.center[a]);
	}
	in.radius = (float)p->radius;
	in.wide = (unsigned)p->row.wide;
	in.texture = s->texture;
	in.out = out;
	return in;
}

template <int VIEWS, int FLAGS>
static void launch(const struct published *s, const struct gt_back_call *c, const size_t *view, unsigned count, float *out)
{
	struct published_in in = in_of(s, c, out);
	struct views_in<VIEWS> views;
	const unsigned blocks = (in.n[0] + 15) / 16 * ((in.n[1] + 15) / 16);
	in.count = count;
	for (unsigned i = 0; i < VIEWS; i++)
		views.view[i] = matrix_of(c->plan, &c->host[view[i < count ? i : 0]]);
	if (gt_cuda_check(c->be, fill_texture(s, c, view, count), "backprojection: texture"))
		return;
	for (in.from = 0; in.from < in.n[2]; in.from += SLAB) {
		in.to = in.from + SLAB < in.n[2] ? in.from + SLAB : in.n[2];
		back_published<VIEWS, FLAGS><<<blocks, dim3(16, 16), 0, gt_cuda_queue(c->be)>>>(in, views);
	}
	gt_cuda_check(c->be, cudaGetLastError(), "backprojection by textures");
}

/* Does the central ray run more along y than along x? */
static int along_y(const gt_direct_plan *p, const struct gt_back_view *w)
{
	const double *d = p->tilted ? w->matrix + 8 : w->depth;
	return fabs(d[1]) > fabs(d[0]);
}

/* All views of the batch in groups of VIEWS; with `turned`, those along y apart from the others. */
template <int VIEWS, int FLAGS> static void run_groups(const struct published *s, const struct gt_back_call *c, int turned)
{
	for (int pass = 0; pass < (turned ? 2 : 1); pass++) {
		size_t view[VIEWS];
		unsigned count = 0;
		for (size_t v = 0; v <= c->views && c->be->status == GT_OK; v++) {
			if (v < c->views && (!turned || along_y(c->plan, &c->host[v]) == pass))
				view[count++] = v;
			if (count < VIEWS && (v < c->views || !count))
				continue;
			if (pass)
				launch<VIEWS, FLAGS | TRANSPOSED>(s, c, view, count, s->turned);
			else
				launch<VIEWS, FLAGS>(s, c, view, count, (float *)c->x);
			count = 0;
		}
	}
}

template <int VIEWS, int FLAGS> static void run_(void *self, const struct gt_back_call *c)
{
	run_groups<VIEWS, FLAGS>((const struct published *)self, c, 0);
}

template <int VIEWS, int FLAGS> static void run_turned(void *self, const struct gt_back_call *c)
{
	const struct published *s = (const struct published *)self;
	const size_t *n = c->plan->grid.n;
	cudaStream_t queue = gt_cuda_queue(c->be);
	if (gt_cuda_check(c->be, cudaMemsetAsync(s->turned, 0, s->turned_bytes, queue), "backprojection"))
		return;
	run_groups<VIEWS, FLAGS>(s, c, 1);
	put_back<<<(unsigned)((n[0] + 31) / 32 * ((n[1] + 31) / 32) * n[2]), dim3(32, 8), 0, queue>>>((unsigned)n[0], (unsigned)n[1],
	                                                                                              s->turned, (float *)c->x);
	gt_cuda_check(c->be, cudaGetLastError(), "backprojection: transposition");
}

#define FORM(name, views, turned, cannot, run)                                                              \
	static gt_status open_##name(gt_backend *be, const gt_direct_plan *p, gt_type, size_t, void **self) \
	{                                                                                                   \
		return open_views(be, p, views, turned, self);                                              \
	}                                                                                                   \
	const struct gt_back_form gt_back_##name = { cannot, layout_, open_##name, run, close_ };

FORM(strided, 1, 0, cannot_, (run_<1, STRIDED>))
FORM(coalesced, 1, 0, cannot_, (run_<1, 0>))
FORM(batched, 4, 0, cannot_, (run_<4, 0>))
FORM(ahead, 12, 0, cannot_, (run_<12, 0>))
FORM(rsqrt, 16, 0, cannot_, (run_<16, RSQRT>))
FORM(transposed, 16, 1, cannot_, (run_turned<16, RSQRT>))
FORM(atomic, 16, 1, cannot_, (run_turned<16, RSQRT | ATOMIC>))
FORM(intra, 16, 0, cannot_tilted, (run_<16, CIRCLE | INTRA>))
FORM(layered, 16, 0, cannot_tilted, (run_<16, CIRCLE>))
