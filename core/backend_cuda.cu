/* The CUDA backend: one device, one stream, kernels generated from core/ops.def for both types. */
#include <cublas_v2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/cuda.h"
#include "core/params.h"

/* PARTS blocks whatever the device: a sum is the same on every run and on every GPU. */
enum { PARTS = 1024, LANES = 256 };

struct own {
	int device;
	cudaStream_t queue;
	cublasHandle_t blas;
	double *part;   /* device, PARTS + 1: partial results and the result */
	double *result; /* pinned host memory */
};

static struct own *own(gt_backend *be) { return (struct own *)be->own; }

extern "C" cudaStream_t gt_cuda_queue(gt_backend *be)
{
	cudaSetDevice(own(be)->device);
	return own(be)->queue;
}

extern "C" int gt_cuda_check(gt_backend *be, cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return 0;
	gt_backend_fail(be, gt_fail(e == cudaErrorMemoryAllocation ? GT_ERR_MEMORY : GT_ERR_DEVICE, "%s on %s: %s", what, be->name,
	                            cudaGetErrorString(e)));
	return 1;
}

#define RED(name, start, next)
#define MAP(name, expr)                                                                               \
	template <typename T> static __global__ void map_##name(size_t n, T *Y, const T *X, T a, T b) \
	{                                                                                             \
		const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x;                            \
		if (i >= n)                                                                           \
			return;                                                                       \
		const T x = X[i], y = Y[i];                                                           \
		(void)x, (void)y, (void)a, (void)b;                                                   \
		Y[i] = (T)(expr);                                                                     \
	}
#include "core/ops.def"
#undef MAP
#undef RED

template <typename T> static void launch_map(cudaStream_t queue, enum gt_map op, size_t n, const void *x, double a, double b, void *y)
{
	typedef void (*kernel)(size_t, T *, const T *, T, T);
#define MAP(name, expr) map_##name<T>,
#define RED(name, start, next)
	static const kernel kernels[] = {
#include "core/ops.def"
	};
#undef MAP
#undef RED
	kernels[op]<<<(unsigned)((n + LANES - 1) / LANES), LANES, 0, queue>>>(n, (T *)y, (const T *)x, (T)a, (T)b);
}

/* What cuBLAS does: scaling and adding. */
static int blas_map(struct own *o, gt_type t, enum gt_map op, size_t n, const void *x, double a, void *y)
{
	const float single = (float)a;
	const int64_t length = (int64_t)n;
	if (op == GT_MAP_scale && a != 0) /* 0 times NaN or Inf would stay */
		return t == GT_F32 ? cublasSscal_64(o->blas, length, &single, (float *)y, 1)
		                   : cublasDscal_64(o->blas, length, &a, (double *)y, 1);
	if (op == GT_MAP_axpy)
		return t == GT_F32 ? cublasSaxpy_64(o->blas, length, &single, (const float *)x, 1, (float *)y, 1)
		                   : cublasDaxpy_64(o->blas, length, &a, (const double *)x, 1, (double *)y, 1);
	return -1;
}

static void map_(gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, double a, double b, void *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	if (op == GT_MAP_copy) {
		gt_cuda_check(be, cudaMemcpyAsync(y, x, n * gt_type_size(t), cudaMemcpyDeviceToDevice, queue), "copy");
		return;
	}
	const int blas = blas_map(own(be), t, op, n, x, a, y);
	if (blas >= 0) {
		if (blas != CUBLAS_STATUS_SUCCESS)
			gt_backend_fail(be,
			                gt_fail(GT_ERR_DEVICE, "cuBLAS on %s: %s", be->name, cublasGetStatusString((cublasStatus_t)blas)));
		return;
	}
	if (t == GT_F32)
		launch_map<float>(queue, op, n, x, a, b, y);
	else
		launch_map<double>(queue, op, n, x, a, b, y);
	gt_cuda_check(be, cudaGetLastError(), "element-wise operation");
}

/* Adds up (or compares) the block's values in a fixed order. */
template <int OP> static __device__ double join(double s, double x)
{
	return OP == GT_RED_max ? (x > s ? x : s) : OP == GT_RED_min ? (x < s ? x : s) : s + x;
}

template <int OP> static __device__ void block_join(double s, double *out)
{
	__shared__ double lane[LANES];
	lane[threadIdx.x] = s;
	for (int h = LANES / 2; h > 0; h /= 2) {
		__syncthreads();
		if (threadIdx.x < h)
			lane[threadIdx.x] = join<OP>(lane[threadIdx.x], lane[threadIdx.x + h]);
	}
	if (threadIdx.x == 0)
		*out = lane[0];
}

#define MAP(name, expr)
#define RED(name, start, next)                                                                                  \
	template <typename T> static __global__ void red_##name(size_t n, const T *X, const T *Y, double *part) \
	{                                                                                                       \
		double s = start;                                                                               \
		for (size_t i = blockIdx.x * (size_t)LANES + threadIdx.x; i < n; i += (size_t)PARTS * LANES) {  \
			const double x = X[i], y = Y[i];                                                        \
			(void)y;                                                                                \
			s = next;                                                                               \
		}                                                                                               \
		block_join<GT_RED_##name>(s, part + blockIdx.x);                                                \
	}                                                                                                       \
	static __global__ void end_##name(const double *part, double *result)                                   \
	{                                                                                                       \
		double s = start;                                                                               \
		for (int k = threadIdx.x; k < PARTS; k += LANES)                                                \
			s = join<GT_RED_##name>(s, part[k]);                                                    \
		block_join<GT_RED_##name>(s, result);                                                           \
	}
#include "core/ops.def"
#undef MAP
#undef RED

template <typename T> static void launch_red(cudaStream_t queue, enum gt_red op, size_t n, const void *x, const void *y, double *part)
{
	typedef void (*kernel)(size_t, const T *, const T *, double *);
	typedef void (*last)(const double *, double *);
#define MAP(name, expr)
#define RED(name, start, next) red_##name<T>,
	static const kernel kernels[] = {
#include "core/ops.def"
	};
#undef RED
#define RED(name, start, next) end_##name,
	static const last lasts[] = {
#include "core/ops.def"
	};
#undef MAP
#undef RED
	kernels[op]<<<PARTS, LANES, 0, queue>>>(n, (const T *)x, (const T *)y, part);
	lasts[op]<<<1, LANES, 0, queue>>>(part, part + PARTS);
}

static double red_(gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y)
{
	struct own *o = own(be);
	cudaStream_t queue = gt_cuda_queue(be);
	if (t == GT_F32)
		launch_red<float>(queue, op, n, x, y, o->part);
	else
		launch_red<double>(queue, op, n, x, y, o->part);
	if (gt_cuda_check(be, cudaGetLastError(), "reduction"))
		return NAN;
	cudaMemcpyAsync(o->result, o->part + PARTS, sizeof *o->result, cudaMemcpyDeviceToHost, queue);
	return gt_cuda_check(be, cudaStreamSynchronize(queue), "reduction") ? NAN : *o->result;
}

static void close_(gt_backend *be)
{
	struct own *o = own(be);
	if (!o)
		return;
	cudaSetDevice(o->device);
	if (o->blas)
		cublasDestroy(o->blas);
	cudaFree(o->part);
	cudaFreeHost(o->result);
	if (o->queue)
		cudaStreamDestroy(o->queue);
	free(o);
	be->own = NULL;
}

static gt_status describe(gt_backend *be, int device)
{
	struct cudaDeviceProp about;
	const cudaError_t e = cudaGetDeviceProperties(&about, device);
	if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "backend cuda:%d: %s", device, cudaGetErrorString(e));
	snprintf(be->name, sizeof be->name, "cuda:%d", device);
	snprintf(be->about, sizeof be->about, "%.100s, %.1f GiB, compute capability %d.%d", about.name,
	         (double)about.totalGlobalMem / (1 << 30), about.major, about.minor);
	return GT_OK;
}

static gt_status open_(gt_backend *be, const char *arg)
{
	long long device = 0;
	int devices = 0;
	if (*arg && gt_parse_int("backend cuda:DEVICE", arg, 0, 1023, &device) != GT_OK)
		return GT_ERR_ARG;
	cudaError_t e = cudaGetDeviceCount(&devices);
	if (e != cudaSuccess || devices == 0)
		return gt_fail(GT_ERR_DEVICE, "backend cuda%s%s: no usable GPU here (%s)", *arg ? ":" : "", arg,
		               e == cudaSuccess ? "none found" : cudaGetErrorString(e));
	if (device >= devices)
		return gt_fail(GT_ERR_DEVICE, "backend cuda:%lld: expected a device from 0 to %d", device, devices - 1);
	gt_status st = describe(be, (int)device);
	struct own *o = (struct own *)calloc(1, sizeof *o);
	if (st != GT_OK || !o) {
		free(o);
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "no memory for backend '%s'", be->name);
	}
	be->own = o;
	o->device = (int)device;
	if ((e = cudaSetDevice(o->device)) != cudaSuccess || (e = cudaStreamCreate(&o->queue)) != cudaSuccess ||
	    (e = cudaMalloc((void **)&o->part, (PARTS + 1) * sizeof(double))) != cudaSuccess ||
	    (e = cudaMallocHost((void **)&o->result, sizeof(double))) != cudaSuccess)
		st = gt_fail(GT_ERR_DEVICE, "backend %s: %s", be->name, cudaGetErrorString(e));
	else if (cublasCreate(&o->blas) != CUBLAS_STATUS_SUCCESS || cublasSetStream(o->blas, o->queue) != CUBLAS_STATUS_SUCCESS)
		st = gt_fail(GT_ERR_DEVICE, "backend %s: cuBLAS does not start", be->name);
	else
		st = gt_pool_new(0, &be->pool);
	if (st != GT_OK)
		close_(be);
	return st;
}

static void *alloc_(gt_backend *be, size_t bytes)
{
	void *p = NULL;
	gt_cuda_queue(be);
	if (cudaMalloc(&p, bytes) == cudaSuccess)
		return p;
	cudaGetLastError();
	return NULL;
}

static void free_(gt_backend *be, void *p)
{
	gt_cuda_queue(be);
	gt_cuda_check(be, cudaFree(p), "free");
}

static void put_(gt_backend *be, const void *host, void *dst, size_t bytes)
{
	cudaStream_t queue = gt_cuda_queue(be);
	if (!gt_cuda_check(be, cudaMemcpyAsync(dst, host, bytes, cudaMemcpyHostToDevice, queue), "copy to the device"))
		gt_cuda_check(be, cudaStreamSynchronize(queue), "copy to the device");
}

static void get_(gt_backend *be, const void *src, void *host, size_t bytes)
{
	cudaStream_t queue = gt_cuda_queue(be);
	if (!gt_cuda_check(be, cudaMemcpyAsync(host, src, bytes, cudaMemcpyDeviceToHost, queue), "copy from the device"))
		gt_cuda_check(be, cudaStreamSynchronize(queue), "copy from the device");
}

static void wait_(gt_backend *be) { gt_cuda_check(be, cudaStreamSynchronize(gt_cuda_queue(be)), "queue"); }

static void memory_(gt_backend *be, size_t *available, size_t *total)
{
	*available = *total = 0;
	gt_cuda_queue(be);
	cudaMemGetInfo(available, total);
}

/* Per clock and multiprocessor: four warps issue, one pass of shared memory, four bilinear fetches; double precision by what the
 * device says it is slower than single, which is 128 (64 before 8.6, but for 6.1 and 7.x). */
static double rate_(gt_backend *be, gt_resource r)
{
	const int device = own(be)->device;
	int clock = 0, units = 0, memory = 0, width = 0, ratio = 0, major = 0, minor = 0;
	cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
	cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
	cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, device);
	cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device);
	cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
	const double cycles = 1e3 * clock * units;
	const int singles = major == 7 || (major == 6 && minor == 0) || (major == 8 && minor == 0) ? 64 : 128;
	switch (r) {
	case GT_BYTES:
		return 2e3 * memory * width / 8;
	case GT_INSTRUCTIONS:
		return 4 * cycles;
	case GT_SHARED:
		return cycles;
	case GT_FETCHES:
		return 4 * cycles;
	case GT_DOUBLES:
		return ratio > 0 ? cycles * singles / ratio : 0;
	default:
		return 0;
	}
}

extern "C" const struct gt_backend_ops gt_backend_cuda = {
	"cuda", open_, close_, alloc_, free_, put_, get_, wait_, memory_, map_, rate_, red_,
};
