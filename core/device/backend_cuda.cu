/* CUDA backend: one device, one stream, kernels generated from core/device/ops.def for both types (ops_kernels.cuh).
 * Device memory: PARTS + GT_SLOTS doubles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <gantry/author/params.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda_current.cuh"
#include "core/device/cuda_streams.cuh"
#include "core/device/ops_kernels.cuh"
#include "core/device/shared_limit.h"
#include "core/linop.h"
#include "core/params.h"
#include "core/random_math.h"

struct own {
	int device;
	gt_cuda_current before;            /* current device of the thread that holds the lock */
	cudaStream_t queue, first, second; /* queue is either first or second */
	cudaEvent_t mark;
	double *part;   /* device memory: PARTS block results of a reduction, then GT_SLOTS results */
	double *slot;   /* the GT_SLOTS results */
	unsigned *done; /* device memory: number of finished blocks; 0 between reductions */
};

static struct own *own(gt_backend *be) { return (struct own *)be->own; }

extern "C" cudaStream_t gt_cuda_queue(gt_backend *be)
{
	cudaSetDevice(own(be)->device);
	return own(be)->queue;
}

/* Makes later work on `then` wait for all queued work on `before`. */
static void order(gt_backend *be, cudaStream_t before, cudaStream_t then)
{
	if (!gt_cuda_check(be, cudaEventRecord(own(be)->mark, before), "queue"))
		gt_cuda_check(be, cudaStreamWaitEvent(then, own(be)->mark, 0), "queue");
}

extern "C" void gt_cuda_side(gt_backend *be)
{
	gt_cuda_queue(be);
	order(be, own(be)->first, own(be)->second);
	own(be)->queue = own(be)->second;
}
extern "C" void gt_cuda_main(gt_backend *be) { own(be)->queue = own(be)->first; }
extern "C" void gt_cuda_join(gt_backend *be) { order(be, own(be)->second, own(be)->first); }

extern "C" cudaError_t gt_cuda_allow_shared(const void *kernel, size_t bytes)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	cudaFuncAttributes now;
	cudaError_t e = cudaFuncGetAttributes(&now, kernel);
	if (e != cudaSuccess || (size_t)now.maxDynamicSharedSizeBytes >= bytes)
		return e;
	pthread_mutex_lock(&one);
	e = cudaFuncGetAttributes(&now, kernel);
	if (e == cudaSuccess && (size_t)now.maxDynamicSharedSizeBytes < bytes)
		e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
	pthread_mutex_unlock(&one);
	return e;
}

extern "C" int gt_cuda_max_shared(void)
{
	int device = 0, max = 0;
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&max, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess)
		return 0;
	return gt_shared_limit(device, max);
}

extern "C" int gt_cuda_check(gt_backend *be, cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return 0;
	gt_backend_fail(be, gt_fail(e == cudaErrorMemoryAllocation ? GT_ERR_MEMORY : GT_ERR_DEVICE, "%s on %s: %s", what, be->name,
	                            cudaGetErrorString(e)));
	return 1;
}

static int aligned(const void *x, const void *y, const void *z) { return ((size_t)x | (size_t)y | (size_t)z) % 16 == 0; }

template <typename T>
static void launch_map(cudaStream_t queue, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y)
{
	typedef void (*kernel)(size_t, T *, const T *, const T *, T, T, T);
#define RED(name, start, next)
#define BOTH(name, expr, term)
#define MAP(name, expr) { map_##name<T, 0>, map_##name<T, 1> },
	static const kernel kernels[][2] = {
#include "core/device/ops.def"
	};
#undef MAP
#undef RED
#undef BOTH
	const unsigned blocks = (unsigned)((n + LANES * PACK - 1) / (LANES * PACK));
	kernels[op][aligned(x, y, z)]<<<blocks, LANES, 0, queue>>>(n, (T *)y, (const T *)x, (const T *)z, (T)abc[0], (T)abc[1], (T)abc[2]);
}

static void map_(gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	if (op == GT_MAP_copy) {
		gt_cuda_check(be, cudaMemcpyAsync(y, x, n * gt_type_size(t), cudaMemcpyDeviceToDevice, queue), "copy");
		return;
	}
	if (t == GT_F32)
		launch_map<float>(queue, op, n, x, z, abc, y);
	else
		launch_map<double>(queue, op, n, x, z, abc, y);
	gt_cuda_check(be, cudaGetLastError(), "element-wise operation");
}

/* Reductions --------------------------------------------------------------- */

#define MAP(name, expr)
template <typename T> static void launch_red(struct own *o, enum gt_red op, size_t n, const void *x, const void *y, size_t slot)
{
	typedef void (*kernel)(size_t, const T *, const T *, double *, unsigned *, double *);
#define BOTH(name, expr, term)
#define RED(name, start, next) { red_##name<T, 0>, red_##name<T, 1> },
	static const kernel kernels[][2] = {
#include "core/device/ops.def"
	};
#undef RED
#undef BOTH
	kernels[op][aligned(x, y, NULL)]<<<PARTS, LANES, 0, o->queue>>>(n, (const T *)x, (const T *)y, o->part, o->done, o->slot + slot);
}

static void red_(gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y, size_t slot)
{
	gt_cuda_queue(be);
	if (t == GT_F32)
		launch_red<float>(own(be), op, n, x, y, slot);
	else
		launch_red<double>(own(be), op, n, x, y, slot);
	gt_cuda_check(be, cudaGetLastError(), "reduction");
}

template <typename T> static void launch_both(struct own *o, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot)
{
	typedef void (*kernel)(size_t, T *, const T *, const T *, double *, unsigned *, double *);
#define RED(name, start, next)
#define BOTH(name, expr, term) { both_##name<T, 0>, both_##name<T, 1> },
	static const kernel kernels[][2] = {
#include "core/device/ops.def"
	};
#undef RED
#undef BOTH
	kernels[op][aligned(x, y, z)]<<<PARTS, LANES, 0, o->queue>>>(n, (T *)y, (const T *)x, (const T *)z, o->part, o->done,
	                                                             o->slot + slot);
}

static void both_(gt_backend *be, gt_type t, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot)
{
	gt_cuda_queue(be);
	if (t == GT_F32)
		launch_both<float>(own(be), op, n, x, z, y, slot);
	else
		launch_both<double>(own(be), op, n, x, z, y, slot);
	gt_cuda_check(be, cudaGetLastError(), "reduction");
}

#undef MAP

static void wait_reductions_(gt_backend *be, size_t slots)
{
	cudaStream_t queue = gt_cuda_queue(be);
	if (!gt_cuda_check(be, cudaMemcpyAsync(be->slot, own(be)->slot, slots * sizeof(double), cudaMemcpyDeviceToHost, queue),
	                   "reduction"))
		gt_cuda_check(be, cudaStreamSynchronize(queue), "reduction");
}

template <typename T> static __global__ void __launch_bounds__(LANES) mul_normals(size_t n, uint64_t seed, T *y)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x;
	if (i < n)
		y[i] = (T)(y[i] * gt_normal_at(seed, i));
}

template <typename T> static __global__ void __launch_bounds__(LANES) copy_rows(gt_array_rows r, const T *x, float *y)
{
	for (size_t i = (size_t)blockIdx.x * LANES + threadIdx.x; i < r.run * r.rows; i += (size_t)gridDim.x * LANES)
		y[i] = (float)x[r.first + i / r.run * r.stride + i % r.run];
}

static void rows_(gt_backend *be, gt_type t, const void *x, const gt_array_rows *r, float *y)
{
	const size_t all = (r->run * r->rows + LANES - 1) / LANES;
	const unsigned blocks = (unsigned)(all < 4096 ? all : 4096);
	if (t == GT_F32)
		copy_rows<<<blocks, LANES, 0, gt_cuda_queue(be)>>>(*r, (const float *)x, y);
	else
		copy_rows<<<blocks, LANES, 0, gt_cuda_queue(be)>>>(*r, (const double *)x, y);
	gt_cuda_check(be, cudaGetLastError(), "rows of an array");
}

static void mul_normals_(gt_backend *be, gt_type t, size_t n, uint64_t seed, void *y)
{
	const unsigned blocks = (unsigned)((n + LANES - 1) / LANES);
	if (t == GT_F32)
		mul_normals<<<blocks, LANES, 0, gt_cuda_queue(be)>>>(n, seed, (float *)y);
	else
		mul_normals<<<blocks, LANES, 0, gt_cuda_queue(be)>>>(n, seed, (double *)y);
	gt_cuda_check(be, cudaGetLastError(), "normal numbers");
}

extern "C" double *gt_cuda_slot(gt_backend *be, double *result) { return own(be)->slot + gt_backend_slot(be, result); }

static void enter_(gt_backend *be) { gt_cuda_switch(own(be)->device, &own(be)->before); }
static void leave_(gt_backend *be) { gt_cuda_restore(own(be)->device, &own(be)->before); }

static void close_(gt_backend *be)
{
	struct own *o = own(be);
	if (!o)
		return;
	enter_(be);
	const gt_cuda_current before = o->before;
	const int device = o->device;
	cudaFree(o->part);
	cudaFreeHost(be->slot);
	if (o->mark)
		cudaEventDestroy(o->mark);
	if (o->first)
		cudaStreamDestroy(o->first);
	if (o->second)
		cudaStreamDestroy(o->second);
	free(o);
	be->own = NULL;
	gt_cuda_restore(device, &before);
}

static gt_status about(int device, char *text, size_t size)
{
	struct cudaDeviceProp p;
	const cudaError_t e = cudaGetDeviceProperties(&p, device);
	if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "backend cuda:%d: %s", device, cudaGetErrorString(e));
	snprintf(text, size, "%.100s, %.1f GiB, compute capability %d.%d", p.name, (double)p.totalGlobalMem / (1 << 30), p.major, p.minor);
	return GT_OK;
}

static gt_status describe(gt_backend *be, int device, int shared)
{
	const int used = snprintf(be->name, sizeof be->name, "cuda:%d", device);
	if (shared)
		snprintf(be->name + used, sizeof be->name - (size_t)used, ",shared=%d", shared);
	return about(device, be->about, sizeof be->about);
}

static int devices_(void)
{
	int n = 0;
	return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

static gt_status text_(int device, char *text, size_t size)
{
	const int used = snprintf(text, size, "cuda:%d: ", device);
	return about(device, text + used, size - (size_t)used);
}

static gt_status open_(gt_backend *be, const char *arg)
{
	long long device = 0;
	int devices = 0;
	gt_cuda_current before;
	char number[16];
	int shared;
	if (gt_shared_limit_read(arg, number, &shared) != GT_OK)
		return GT_ERR_ARG;
	if (*number && gt_parse_int("backend cuda:DEVICE", number, 0, 1023, &device) != GT_OK)
		return GT_ERR_ARG;
	cudaError_t e = cudaGetDeviceCount(&devices);
	if (e != cudaSuccess || devices == 0)
		return gt_fail(GT_ERR_DEVICE, "backend cuda%s%s: no usable GPU here (%s)", *arg ? ":" : "", arg,
		               e == cudaSuccess ? "none found" : cudaGetErrorString(e));
	if (device >= devices)
		return gt_fail(GT_ERR_DEVICE, "backend cuda:%lld: expected a device from 0 to %d", device, devices - 1);
	gt_status st = describe(be, (int)device, shared);
	struct own *o = (struct own *)calloc(1, sizeof *o);
	if (st != GT_OK || !o) {
		free(o);
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "no memory for backend '%s'", be->name);
	}
	be->own = o;
	o->device = (int)device;
	gt_shared_limit_set(o->device, shared);
	gt_cuda_switch(o->device, &before);
	if ((e = cudaSetDevice(o->device)) != cudaSuccess || (e = cudaStreamCreate(&o->first)) != cudaSuccess ||
	    (e = cudaStreamCreate(&o->second)) != cudaSuccess ||
	    (e = cudaEventCreateWithFlags(&o->mark, cudaEventDisableTiming)) != cudaSuccess ||
	    (e = cudaMalloc((void **)&o->part, (PARTS + GT_SLOTS) * sizeof(double) + sizeof(unsigned))) != cudaSuccess ||
	    (e = cudaMemset(o->part, 0, (PARTS + GT_SLOTS) * sizeof(double) + sizeof(unsigned))) != cudaSuccess ||
	    (e = cudaMallocHost((void **)&be->slot, GT_SLOTS * sizeof(double))) != cudaSuccess)
		st = gt_fail(GT_ERR_DEVICE, "backend %s: %s", be->name, cudaGetErrorString(e));
	else
		st = gt_pool_new(0, &be->pool);
	o->queue = o->first;
	o->slot = o->part ? o->part + PARTS : NULL;
	o->done = o->part ? (unsigned *)(o->slot + GT_SLOTS) : NULL;
	if (st != GT_OK)
		close_(be);
	gt_cuda_restore((int)device, &before);
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

static void order_(gt_backend *be, void *stream, int after)
{
	const cudaStream_t other = (cudaStream_t)stream;
	if (after)
		order(be, other, own(be)->first);
	else
		order(be, own(be)->first, other);
}

static void *stream_(gt_backend *be) { return own(be)->first; }

static void memory_(gt_backend *be, size_t *available, size_t *total)
{
	*available = *total = 0;
	gt_cuda_queue(be);
	cudaMemGetInfo(available, total);
}

/* Rates per clock and multiprocessor: four warp instructions, one pass of shared memory, four bilinear fetches. Double
 * precision: singles per clock (128; 64 for 6.0, 7.x and 8.0) over the device's ratio of single to double. */
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
	"cuda",           open_,        close_, alloc_, free_,  put_,   get_,    wait_,    memory_, rate_, map_, red_, both_,
	wait_reductions_, mul_normals_, rows_,  enter_, leave_, order_, stream_, devices_, text_,   NULL,  NULL, NULL,
};
