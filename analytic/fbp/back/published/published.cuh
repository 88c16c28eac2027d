#ifndef GT_ANALYTIC_FBP_BACK_PUBLISHED_PUBLISHED_CUH
#define GT_ANALYTIC_FBP_BACK_PUBLISHED_PUBLISHED_CUH
/* Common parts of the published backprojections with textures: the kernel template, and macros that make a form from
 * its name, views per launch and flags. Sums and positions of a view are in registers. Textures interpolate with 8 bits
 * of fraction, which causes errors of some thousandths. */
#include "analytic/fbp/fbp_cuda.cuh"

enum { STRIDED = 1, RSQRT = 2, TRANSPOSED = 4, ATOMIC = 8, CIRCLE = 16, INTRA = 32, SEPARATE = 64, LOCAL = 128, FOURS = 256 };
/* Lanes of a warp along y, which is contiguous in memory if x and y are exchanged. */
enum { LANES_Y = STRIDED | TRANSPOSED };
enum { MAX_VIEWS = 32 /* per launch: N' of the papers */ };

/* A view in voxels from the grid's centre: (column, row, 1) / lambda = m (x, y, z, 1). */
struct gt_view_matrix {
	float m[12];
};
template <int VIEWS> struct views_in {
	struct gt_view_matrix view[VIEWS];
};
/* One texture for all views, or one for each. */
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

/* Returns 0 beyond the filtered columns; the texture clamps rows. */
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

/* A sum: in a register, or in local memory, which it cannot leave because the compiler cannot follow its address. */
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

/* A column with u independent of z: v grows by the same amount from slice to slice. */
template <int VIEWS, int FLAGS>
static __device__ __forceinline__ void column(const struct published_in &in, const struct views_in<VIEWS> &views,
                                              const textures_of<VIEWS, FLAGS> &textures, float x, float y, float *to, size_t slice)
{
	const float z0 = (float)in.from - in.middle[2];
	float u[VIEWS], v[VIEWS], dv[VIEWS], w[VIEWS];
#pragma unroll
	for (int i = 0; i < VIEWS; i++) {
		const float *m = views.view[i].m, id = 1 / dot(m + 8, x, y, 0);
		/* outside the columns, for any contents of an unused layer */
		u[i] = i < in.count ? dot(m, x, y, 0) * id : -1;
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

/* Host ------------------------------------------------------------------ */

/* A kernel for this number of views per launch; turned: for the volume with x and y exchanged. Arguments are those of
 * back_published. */
struct gt_published_kernel {
	unsigned views;
	const void *straight, *turned;
};

struct gt_published_form {
	unsigned views; /* as published */
	int flags;
	const struct gt_published_kernel *kernel; /* ends with views = 0 */
	const char *other;                        /* message for an unsupported number of views */
};

/* Makes an array of floats and its texture, with linear interpolation and clamped coordinates. size.depth: layers; 0:
 * not layered. On failure *array may be set. */
cudaError_t gt_published_texture(struct cudaExtent size, cudaArray_t *array, cudaTextureObject_t *texture);

/* Returns NULL if the form supports the plan, or the reason. */
const char *gt_published_choose(const struct gt_published_form *form, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c);
gt_status gt_published_open(gt_backend *be, const gt_fbp_plan *p, const struct gt_published_form *form, void **out);
void gt_published_run(void *self, const struct gt_back_call *c);
void gt_published_close(void *self);

#define KERNEL(views, flags)                                            \
	{                                                               \
		views, (const void *)back_published<views, flags>, NULL \
	}
#define FORM(id, views, flags, kernels, other)                                                                               \
	static const struct gt_published_form form_##id = { views, flags, kernels, other };                                  \
	static const char *choose_##id(gt_backend *, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c)           \
	{                                                                                                                    \
		return gt_published_choose(&form_##id, p, type, c);                                                          \
	}                                                                                                                    \
	static gt_status open_##id(gt_backend *be, const gt_fbp_plan *p, const struct gt_back_choice *, size_t, void **self) \
	{                                                                                                                    \
		return gt_published_open(be, p, &form_##id, self);                                                           \
	}                                                                                                                    \
	const struct gt_back_form gt_back_##id = { choose_##id, open_##id, gt_published_run, gt_published_close };
/* For one number of views; for one, with a second kernel for the turned volume; for any number. */
#define ONE(id, views, flags)                                                                                 \
	static const struct gt_published_kernel kernels_##id[] = { KERNEL(views, flags), { 0, NULL, NULL } }; \
	FORM(id, views, flags, kernels_##id, "expected views=0 or " #views ", as it was published")
#define TURNED(id, views, flags)                                                                                                  \
	static const struct gt_published_kernel kernels_##id[] = { { views, (const void *)back_published<views, flags>,           \
		                                                     (const void *)back_published<views, (flags) | TRANSPOSED> }, \
		                                                   { 0, NULL, NULL } };                                           \
	FORM(id, views, flags, kernels_##id, "expected views=0 or " #views ", as it was published")
#define FREE(id, views, flags)                                                                                              \
	static const struct gt_published_kernel kernels_##id[] = { KERNEL(1, flags),  KERNEL(2, flags),  KERNEL(4, flags),  \
		                                                   KERNEL(8, flags),  KERNEL(12, flags), KERNEL(16, flags), \
		                                                   KERNEL(20, flags), KERNEL(24, flags), KERNEL(32, flags), \
		                                                   { 0, NULL, NULL } };                                     \
	FORM(id, views, flags, kernels_##id, "expected another number of views")
#endif
