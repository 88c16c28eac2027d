/* Published forms of the backprojection with textures, each a step from another, in one source:
 *   strided      one view per launch, the lanes of a warp along y (Okitsu, Ino, Hagihara 2008, form A)
 *   coalesced    lanes along x (form B)
 *   local        4 views per launch, added one by one to a sum in local memory (form C)
 *   local-ahead  the same with 12 views, whose places are computed ahead (form D)
 *   local-once   12 views, of which four are one expression: local memory is accessed once for them (form E)
 *   batched      4 views per launch, one sum in a register
 *   ahead        12 views, one sum in a register (form F)
 *   rsqrt        16 views, the reciprocal as rsqrt(w w) (Papenhausen, Mueller 2013)
 *   transposed   besides, views along y work on a volume with x and y exchanged, put back at the end
 *   atomic       besides, sums are added without being read
 *   separate     u free of z, v by addition, slices outside and views inside; a texture per view (Okitsu et al. 2010)
 *   layered      the same with one layered texture, in 16 x 16 blocks (Lu, Ino, Hagihara 2016)
 *   intra        the same with views outside and slices inside
 * Textures interpolate with 8 bits of fraction: some thousandths of the values are lost. */
#include <stdlib.h>
#include "analytic/fbp/fbp_cuda.cuh"
#include "core/try.h"

#ifndef SLAB
#define SLAB 128 /* slices per launch, Z' of the papers, where none are asked for */
#endif

enum { STRIDED = 1, RSQRT = 2, TRANSPOSED = 4, ATOMIC = 8, CIRCLE = 16, INTRA = 32, SEPARATE = 64, LOCAL = 128, FOURS = 256 };
/* Lanes of a warp along y, which is how the volume lies in memory where x and y are exchanged. */
enum { LANES_Y = STRIDED | TRANSPOSED };
enum { MOST_VIEWS = 32 /* per launch: N' of the papers */ };

/* A view in voxels from the grid's middle: (column, row, 1) / lambda = m (x, y, z, 1). */
struct matrix {
	float m[12];
};
template <int VIEWS> struct views_in {
	struct matrix view[VIEWS];
};
/* One of all views, or one of each. */
template <int COUNT> struct textures_in {
	cudaTextureObject_t at[COUNT];
};
template <int VIEWS, int FLAGS> using textures_of = struct textures_in<(FLAGS & SEPARATE) != 0 ? VIEWS : 1>;

struct published_in {
	unsigned n[3], from, to, count, wide; /* slices from ... to-1; views in use */
	float middle[3], center[2], radius, pitch[2];
	float *out;
};

static __device__ __forceinline__ float dot(const float *m, float x, float y, float z)
{
	return fmaf(m[2], z, fmaf(m[1], y, fmaf(m[0], x, m[3])));
}

template <int FLAGS> static __device__ __forceinline__ float reciprocal(float w) { return FLAGS & RSQRT ? rsqrtf(w * w) : 1 / w; }

/* Nothing beyond the filtered columns; rows are clamped by the texture. */
template <int FLAGS>
static __device__ __forceinline__ float fetch(const struct published_in &in, const cudaTextureObject_t *texture, float u, float v,
                                              float weight, int view)
{
	const float value = weight * (FLAGS & SEPARATE ? tex2D<float>(texture[view], u + 0.5f, v + 0.5f)
	                                               : tex2DLayered<float>(texture[0], u + 0.5f, v + 0.5f, view));
	return u >= 0 && u <= (float)(in.wide - 1) ? value : 0.f;
}

template <int FLAGS> static __device__ __forceinline__ void add(float *to, float value)
{
	if (FLAGS & ATOMIC)
		atomicAdd(to, value);
	else
		*to += value;
}

/* A sum: in a register, or in local memory, where it stays as the compiler cannot follow its address. */
template <int FLAGS> struct sum_of {
	float value = 0;
	__device__ __forceinline__ void add(float x) { value += x; }
};
template <> struct sum_of<LOCAL> {
	float value = 0;
	__device__ __forceinline__ void add(float x)
	{
		float *at = &value;
		asm volatile("" : "+l"(at));
		*(volatile float *)at += x;
	}
};

template <int VIEWS, int FLAGS>
static __device__ __forceinline__ float voxel(const struct published_in &in, const struct views_in<VIEWS> &views,
                                              const textures_of<VIEWS, FLAGS> &textures, float x, float y, float z)
{
	struct sum_of<(FLAGS & LOCAL)> sum;
	float part = 0;
#pragma unroll
	for (int i = 0; i < VIEWS; i++) {
		const float *m = views.view[i].m, id = reciprocal<FLAGS>(dot(m + 8, x, y, z));
		if (i < in.count)
			part += fetch<FLAGS>(in, textures.at, dot(m, x, y, z) * id, dot(m + 4, x, y, z) * id, id * id, i);
		if ((FLAGS & FOURS) && i % 4 != 3)
			continue;
		sum.add(part);
		part = 0;
	}
	return sum.value;
}

/* A column with u free of z: v grows by the same from slice to slice. */
template <int VIEWS, int FLAGS>
static __device__ __forceinline__ void column(const struct published_in &in, const struct views_in<VIEWS> &views,
                                              const textures_of<VIEWS, FLAGS> &textures, float x, float y, float *to, size_t slice)
{
	const float z0 = (float)in.from - in.middle[2];
	float u[VIEWS], v[VIEWS], dv[VIEWS], w[VIEWS];
#pragma unroll
	for (int i = 0; i < VIEWS; i++) {
		const float *m = views.view[i].m, id = 1 / dot(m + 8, x, y, 0);
		u[i] = i < in.count ? dot(m, x, y, 0) * id : -1; /* nothing is seen there, whatever an unused layer holds */
		v[i] = dot(m + 4, x, y, z0) * id;
		dv[i] = m[6] * id;
		w[i] = id * id;
	}
	if constexpr ((FLAGS & INTRA) != 0) {
#pragma unroll
		for (int i = 0; i < VIEWS; i++)
			for (unsigned k = in.from; k < in.to; k++)
				to[k * slice] += fetch<FLAGS>(in, textures.at, u[i], fmaf(dv[i], (float)(k - in.from), v[i]), w[i], i);
	} else {
		for (unsigned k = in.from; k < in.to; k++) {
			float sum = 0;
#pragma unroll
			for (int i = 0; i < VIEWS; i++) {
				sum += fetch<FLAGS>(in, textures.at, u[i], v[i], w[i], i);
				v[i] += dv[i];
			}
			to[k * slice] += sum;
		}
	}
}

template <int VIEWS, int FLAGS>
static __global__ void back_published(const __grid_constant__ struct published_in in, const __grid_constant__ struct views_in<VIEWS> views,
                                      const __grid_constant__ textures_of<VIEWS, FLAGS> textures)
{
	const int swap = (FLAGS & LANES_Y) != 0;
	const unsigned wide = swap ? blockDim.y : blockDim.x, deep = swap ? blockDim.x : blockDim.y, across = (in.n[0] + wide - 1) / wide;
	const unsigned ix = blockIdx.x % across * wide + (swap ? threadIdx.y : threadIdx.x),
		       iy = blockIdx.x / across * deep + (swap ? threadIdx.x : threadIdx.y);
	if (ix >= in.n[0] || iy >= in.n[1])
		return;
	const float x = (float)ix - in.middle[0], y = (float)iy - in.middle[1];
	if (!(hypotf(x * in.pitch[0] - in.center[0], y * in.pitch[1] - in.center[1]) <= in.radius))
		return;
	const size_t slice = (size_t)in.n[0] * in.n[1];
	float *to = in.out + (FLAGS & TRANSPOSED ? (size_t)ix * in.n[1] + iy : (size_t)iy * in.n[0] + ix);
	if constexpr ((FLAGS & CIRCLE) != 0)
		column<VIEWS, FLAGS>(in, views, textures, x, y, to, slice);
	else
		for (unsigned k = in.from; k < in.to; k++)
			add<FLAGS>(to + k * slice, voxel<VIEWS, FLAGS>(in, views, textures, x, y, (float)k - in.middle[2]));
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

/* One with so many views per launch; turned: for the volume with x and y exchanged. Arguments are those of back_published. */
struct kernel {
	unsigned views;
	const void *straight, *turned;
};

struct form {
	unsigned views; /* as published */
	int flags;
	const struct kernel *kernel; /* ends with views = 0 */
	const char *other;           /* what is said of views that none of them has */
};

struct published {
	gt_backend *be;
	const struct form *form;
	const struct kernel *kernel;
	cudaArray_t array[MOST_VIEWS];
	cudaTextureObject_t texture[MOST_VIEWS];
	unsigned arrays, textures; /* that there are */
	float *turned;             /* the volume with x and y exchanged */
	size_t turned_bytes;
};

static const struct kernel *kernel_of(const struct form *form, const gt_fbp_plan *p)
{
	const unsigned views = p->launch.views ? p->launch.views : form->views;
	const struct kernel *k = form->kernel;
	while (k->views && k->views != views)
		k++;
	return k->views ? k : NULL;
}

static const char *choose_form(const struct form *form, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c)
{
	c->layout = { 0, p->row.wide, 0 };
	if (type != GT_F32)
		return "expected single precision";
	if (p->shape == GT_ARC)
		return "expected a flat detector or a parallel beam, not an arc";
	if (!p->clamp_rows)
		return "expected rows=clamp";
	if (p->row.wide > 32768 || p->rows > 32768)
		return "expected at most 32768 rows and columns, which is what a layered texture holds";
	if ((form->flags & CIRCLE) && p->tilted)
		return "expected rows of the detector parallel to slices";
	return kernel_of(form, p) ? NULL : form->other;
}

static void close_(void *self)
{
	struct published *s = (struct published *)self;
	gt_backend_wait(s->be);
	while (s->textures)
		cudaDestroyTextureObject(s->texture[--s->textures]);
	while (s->arrays)
		cudaFreeArray(s->array[--s->arrays]);
	gt_backend_free(s->be, s->turned, s->turned_bytes);
	free(s);
}

/* Of so many layers; 0: not a layered one. */
static cudaError_t make_texture(struct published *s, const gt_fbp_plan *p, unsigned layers)
{
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc how = {};
	cudaError_t e = cudaMalloc3DArray(&s->array[s->arrays], &format, make_cudaExtent(p->row.wide, p->rows, layers),
	                                  layers ? cudaArrayLayered : 0);
	if (e != cudaSuccess)
		return e;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = s->array[s->arrays++];
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = cudaFilterModeLinear;
	how.readMode = cudaReadModeElementType;
	e = cudaCreateTextureObject(&s->texture[s->textures], &resource, &how, NULL);
	s->textures += e == cudaSuccess;
	return e;
}

static gt_status make_textures(struct published *s, const gt_fbp_plan *p)
{
	const unsigned views = s->kernel->views, separate = (s->form->flags & SEPARATE) != 0;
	cudaError_t e = cudaSuccess;
	while (s->textures < (separate ? views : 1) && e == cudaSuccess)
		e = make_texture(s, p, separate ? 0 : views);
	return e == cudaSuccess
	               ? GT_OK
	               : gt_fail(GT_ERR_MEMORY, "textures of %zu x %zu x %u: %s", p->row.wide, p->rows, views, cudaGetErrorString(e));
}

/* Registers times threads may be more than a multiprocessor has. */
static gt_status check_block(const gt_fbp_plan *p, const struct kernel *k)
{
	const unsigned *block = p->launch.block;
	const char *name = gt_kernel_names[p->kernel];
	struct cudaFuncAttributes a, turned;
	cudaError_t e = cudaFuncGetAttributes(&a, k->straight);
	if (e == cudaSuccess && k->turned)
		e = cudaFuncGetAttributes(&turned, k->turned);
	if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "kernel=%s: %s", name, cudaGetErrorString(e));
	if (k->turned && turned.maxThreadsPerBlock < a.maxThreadsPerBlock)
		a = turned;
	if (block[0] * block[1] <= (unsigned)a.maxThreadsPerBlock)
		return GT_OK;
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"kernel=%s: block=%ux%u is %u threads of %d registers each with views=%u: expected at most %d threads, which this device has registers for",
		name, block[0], block[1], block[0] * block[1], a.numRegs, k->views, a.maxThreadsPerBlock);
}

static gt_status open_form(gt_backend *be, const gt_fbp_plan *p, const struct form *form, void **out)
{
	struct published *s = (struct published *)calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	s->be = be;
	s->form = form;
	s->kernel = kernel_of(form, p);
	gt_cuda_queue(be);
	GT_TRY(check_block(p, s->kernel));
	if (!be->rehearsed)
		GT_TRY(make_textures(s, p));
	if (s->kernel->turned) {
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
static struct matrix matrix_of(const gt_fbp_plan *p, const struct gt_back_view *w)
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
		copy.dstArray = s->array[s->arrays > 1 ? i : 0];
		copy.dstPos = make_cudaPos(0, 0, s->arrays > 1 ? 0 : i);
		copy.extent = make_cudaExtent(c->plan->row.wide, c->plan->rows, 1);
		copy.kind = cudaMemcpyDeviceToDevice;
		e = cudaMemcpy3DAsync(&copy, gt_cuda_queue(c->be));
	}
	return e;
}

static struct published_in in_of(const struct gt_back_call *c, float *out)
{
	const gt_fbp_plan *p = c->plan;
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
	in.out = out;
	return in;
}

static void launch(const struct published *s, const struct gt_back_call *c, const size_t *view, unsigned count, int turned)
{
	const gt_launch *l = &c->plan->launch;
	struct published_in in = in_of(c, turned ? s->turned : (float *)c->x);
	struct matrix views[MOST_VIEWS];
	void *arguments[] = { &in, views, (void *)s->texture };
	const unsigned blocks = (in.n[0] + l->block[0] - 1) / l->block[0] * ((in.n[1] + l->block[1] - 1) / l->block[1]);
	const int lanes_y = (s->form->flags | (turned ? TRANSPOSED : 0)) & LANES_Y;
	const dim3 threads(l->block[lanes_y ? 1 : 0], l->block[lanes_y ? 0 : 1]);
	const unsigned slices = l->slices ? l->slices : SLAB;
	in.count = count;
	for (unsigned i = 0; i < s->kernel->views; i++)
		views[i] = matrix_of(c->plan, &c->host[view[i < count ? i : 0]]);
	if (gt_cuda_check(c->be, fill_texture(s, c, view, count), "backprojection: texture"))
		return;
	for (in.from = 0; in.from < in.n[2] && c->be->status == GT_OK; in.from += slices) {
		in.to = in.n[2] - in.from > slices ? in.from + slices : in.n[2];
		gt_cuda_check(c->be,
		              cudaLaunchKernel(turned ? s->kernel->turned : s->kernel->straight, dim3(blocks), threads, arguments, 0,
		                               gt_cuda_queue(c->be)),
		              "backprojection by textures");
	}
}

/* Does the central ray run more along y than along x? */
static int along_y(const gt_fbp_plan *p, const struct gt_back_view *w)
{
	const double *d = p->tilted ? w->matrix + 8 : w->depth;
	return fabs(d[1]) > fabs(d[0]);
}

/* All views of the batch in groups; with a turned volume, those along y apart from the others. */
static void run_groups(const struct published *s, const struct gt_back_call *c)
{
	for (int pass = 0; pass < (s->turned ? 2 : 1); pass++) {
		size_t view[MOST_VIEWS];
		unsigned count = 0;
		for (size_t v = 0; v <= c->views && c->be->status == GT_OK; v++) {
			if (v < c->views && (!s->turned || along_y(c->plan, &c->host[v]) == pass))
				view[count++] = v;
			if (count < s->kernel->views && (v < c->views || !count))
				continue;
			launch(s, c, view, count, pass);
			count = 0;
		}
	}
}

static void run_(void *self, const struct gt_back_call *c)
{
	const struct published *s = (const struct published *)self;
	const size_t *n = c->plan->grid.n;
	cudaStream_t queue = gt_cuda_queue(c->be);
	if (s->turned && gt_cuda_check(c->be, cudaMemsetAsync(s->turned, 0, s->turned_bytes, queue), "backprojection"))
		return;
	run_groups(s, c);
	if (!s->turned || c->be->status != GT_OK)
		return;
	put_back<<<(unsigned)((n[0] + 31) / 32 * ((n[1] + 31) / 32) * n[2]), dim3(32, 8), 0, queue>>>((unsigned)n[0], (unsigned)n[1],
	                                                                                              s->turned, (float *)c->x);
	gt_cuda_check(c->be, cudaGetLastError(), "backprojection: transposition");
}

#define KERNEL(views, flags)                                            \
	{                                                               \
		views, (const void *)back_published<views, flags>, NULL \
	}
#define FORM(id, views, flags, kernels, other)                                                                               \
	static const struct form form_##id = { views, flags, kernels, other };                                               \
	static const char *choose_##id(gt_backend *, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c)           \
	{                                                                                                                    \
		return choose_form(&form_##id, p, type, c);                                                                  \
	}                                                                                                                    \
	static gt_status open_##id(gt_backend *be, const gt_fbp_plan *p, const struct gt_back_choice *, size_t, void **self) \
	{                                                                                                                    \
		return open_form(be, p, &form_##id, self);                                                                   \
	}                                                                                                                    \
	const struct gt_back_form gt_back_##id = { choose_##id, open_##id, run_, close_ };
/* Of one number of views; of one, with a second kernel for the turned volume; of any. */
#define ONE(id, views, flags)                                                                    \
	static const struct kernel kernels_##id[] = { KERNEL(views, flags), { 0, NULL, NULL } }; \
	FORM(id, views, flags, kernels_##id, "expected views=0 or " #views ", as it was published")
#define TURNED(id, views, flags)                                                                                     \
	static const struct kernel kernels_##id[] = { { views, (const void *)back_published<views, flags>,           \
		                                        (const void *)back_published<views, (flags) | TRANSPOSED> }, \
		                                      { 0, NULL, NULL } };                                           \
	FORM(id, views, flags, kernels_##id, "expected views=0 or " #views ", as it was published")
#define FREE(id, views, flags)                                                                                                    \
	static const struct kernel kernels_##id[] = { KERNEL(1, flags),  KERNEL(2, flags),  KERNEL(4, flags),  KERNEL(8, flags),  \
		                                      KERNEL(12, flags), KERNEL(16, flags), KERNEL(20, flags), KERNEL(24, flags), \
		                                      KERNEL(32, flags), { 0, NULL, NULL } };                                     \
	FORM(id, views, flags, kernels_##id, "expected another number of views")

ONE(strided, 1, STRIDED)
ONE(coalesced, 1, 0)
ONE(local, 4, LOCAL)
ONE(local_ahead, 12, LOCAL)
ONE(local_once, 12, LOCAL | FOURS)
ONE(batched, 4, 0)
ONE(ahead, 12, 0)
ONE(rsqrt, 16, RSQRT)
TURNED(transposed, 16, RSQRT)
TURNED(atomic, 16, RSQRT | ATOMIC)
FREE(separate, 16, CIRCLE | SEPARATE)
FREE(intra, 16, CIRCLE | INTRA)
FREE(layered, 16, CIRCLE)
