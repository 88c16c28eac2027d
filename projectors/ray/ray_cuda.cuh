#ifndef GT_PROJECTORS_RAY_RAY_CUDA_CUH
#define GT_PROJECTORS_RAY_RAY_CUDA_CUH
/* Common code of the *_cuda.cu files of this folder, and the kernels for level scans (ray_level.h). Volumes are
 * [z][y][x], or [z][x][y] if slices are perpendicular to x, so that adjacent rays read adjacent voxels. */
#include "core/device/cuda.cuh"
#include "core/device/blocks.cuh"
#include "projectors/ray/ray_impl.h"
#include "projectors/ray/ray_level.h"

enum { GT_RAY_WARP = 32 };
#ifndef GT_RAY_BATCH_BYTES
#define GT_RAY_BATCH_BYTES ((size_t)1 << 30)
#endif

/* [z][y][x] -> [z][x][y], copied or added. */
template <typename T, int ADD> static __global__ void gt_ray_transpose(const T *in, T *out, int nx, int ny, int tiles_x, int tiles_y)
{
	__shared__ T tile[GT_RAY_WARP][GT_RAY_WARP + 1];
	const int tx = blockIdx.x % tiles_x * GT_RAY_WARP, ty = blockIdx.x / tiles_x % tiles_y * GT_RAY_WARP;
	const size_t plane = (size_t)(blockIdx.x / tiles_x / tiles_y) * nx * ny;
	for (int k = threadIdx.y; k < GT_RAY_WARP; k += blockDim.y)
		if (tx + threadIdx.x < nx && ty + k < ny)
			tile[k][threadIdx.x] = in[plane + (size_t)(ty + k) * nx + tx + threadIdx.x];
	__syncthreads();
	for (int k = threadIdx.y; k < GT_RAY_WARP; k += blockDim.y)
		if (tx + k < nx && ty + threadIdx.x < ny) {
			T *to = &out[plane + (size_t)(tx + k) * ny + ty + threadIdx.x];
			*to = tile[threadIdx.x][k] + (ADD ? *to : T(0));
		}
}

/* nx, ny: sizes of `in`. */
template <typename T, int ADD> static void gt_ray_transpose_volume(cudaStream_t queue, const T *in, T *out, int nx, int ny, int nz)
{
	const int tx = pieces(nx, GT_RAY_WARP), ty = pieces(ny, GT_RAY_WARP);
	gt_ray_transpose<T, ADD><<<(unsigned)((size_t)tx * ty * nz), dim3(GT_RAY_WARP, 8), 0, queue>>>(in, out, nx, ny, tx, ty);
}

/* A position prepared for the split into voxel and fraction. In single precision 1.5 2^20 is added: the double's low
 * word then holds 32 bits of fraction, its high word the voxel plus a constant. */
template <typename T> struct gt_ray_place;
template <> struct gt_ray_place<float> {
	double p;
	static const int zero = 0x41380000;
	__device__ __forceinline__ explicit gt_ray_place(double position) : p(position + offset()) {}
	__device__ __forceinline__ gt_ray_place(double ready, int) : p(ready) {}
	static __device__ __forceinline__ double offset() { return 1572864.0; }
	__device__ __forceinline__ int voxel() const { return __double2hiint(p); } /* plus zero */
	__device__ __forceinline__ float fraction() const { return __int_as_float(__funnelshift_r(__double2loint(p), 127, 9)) - 1.f; }
	/* Fraction of a slice before a ray leaves this voxel. */
	__device__ __forceinline__ float leaves(double step) const
	{
		const unsigned low = (unsigned)__double2loint(p);
		return fminf(__fdividef((float)(step > 0 ? ~low : low) * 0x1p-32f, fabsf((float)step)), 1.f);
	}
	__device__ __forceinline__ int near_face() const { return (unsigned)__double2loint(p) + 4096 < 8192; }
};
template <> struct gt_ray_place<double> {
	double p;
	static const int zero = 0;
	__device__ __forceinline__ explicit gt_ray_place(double position) : p(position) {}
	__device__ __forceinline__ gt_ray_place(double ready, int) : p(ready) {}
	static __device__ __forceinline__ double offset() { return 0; }
	__device__ __forceinline__ int voxel() const { return (int)floor(p); }
	__device__ __forceinline__ double fraction() const { return p - floor(p); }
	__device__ __forceinline__ double leaves(double step) const { return fmin((floor(p) + (step > 0) - p) / step, 1.0); }
	__device__ __forceinline__ int near_face() const { return fabs(p - rint(p)) < 1e-6; }
};

/* Calls f<model>(..., in, out) with the types of the operator's arrays. */
#define GT_RAY_EACH(f, be, o, level, tuned, in, out)                                                           \
	do {                                                                                                   \
		if ((o)->model == GT_RAY_JOSEPH && (o)->type == GT_F32)                                        \
			f<GT_RAY_JOSEPH>(be, &(o)->rays, level, tuned, (const float *)(in), (float *)(out));   \
		else if ((o)->model == GT_RAY_JOSEPH)                                                          \
			f<GT_RAY_JOSEPH>(be, &(o)->rays, level, tuned, (const double *)(in), (double *)(out)); \
		else if ((o)->type == GT_F32)                                                                  \
			f<GT_RAY_SIDDON>(be, &(o)->rays, level, tuned, (const float *)(in), (float *)(out));   \
		else                                                                                           \
			f<GT_RAY_SIDDON>(be, &(o)->rays, level, tuned, (const double *)(in), (double *)(out)); \
	} while (0)

/* Views whose sorted copies, of columns x length elements each, an adjoint holds at a time. */
static inline size_t gt_ray_batch_views(const gt_rays *g, size_t length, size_t element)
{
	const size_t max = GT_RAY_BATCH_BYTES / (length * g->columns * element);
	return max < 1 ? 1 : max < g->views ? max : g->views;
}

/* Tuned variants of kernels, or NULL: ray_tuned.cuh */
typedef struct gt_ray_tuned gt_ray_tuned;
void gt_ray_level_forward(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const gt_ray_tuned *tuned, const void *x,
                          void *y);
void gt_ray_level_adjoint(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const gt_ray_tuned *tuned, const void *y,
                          void *x);
void gt_ray_strip_adjoint(gt_backend *be, const gt_ray_operator *o, const gt_ray_level *level, const gt_ray_tuned *tuned, const void *y,
                          void *x);
/* Compile-time numbers of the built-in kernels, in the order of ray_tuned_cuda.cu. */
void gt_ray_level_numbers(int value[3]);
void gt_ray_strip_numbers(const gt_rays *g, const gt_ray_level *level, int value[3]);
/* Returns 1 if ray_strip_cuda.cu computes the adjoint. */
int gt_ray_takes_strips(const gt_ray_operator *o);
size_t gt_ray_strip_scratch(const gt_ray_operator *o);
size_t gt_ray_gather_scratch(const gt_ray_operator *o);
size_t gt_ray_level_scratch(const gt_ray_operator *o, const gt_ray_level *level);
#endif
