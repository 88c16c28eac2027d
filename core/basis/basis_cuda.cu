/* Bases of vectors on CUDA. V' w: a batch of cuBLAS matrix-vector products (64-bit entry points), one for each part of
 * ROWS elements, whose results are added in double in a fixed order. The library is loaded with the first basis. V y: a
 * kernel, since cuBLAS's reaches 65 % of the bandwidth of a copy (H200, 50 vectors of 512^3). Device memory: one number
 * for each part and vector, one for each vector, and some MiB of cuBLAS. */
#include <cublas_v2.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/basis/basis_impl.h"
#include "core/device/cuda.cuh"
#include "core/device/pack.cuh"

enum { ROWS = 4096, LANES = 256, COEFFICIENTS = 256 };

#define FUNCTIONS(X)                    \
	X(cublasCreate_v2)              \
	X(cublasDestroy_v2)             \
	X(cublasSetStream_v2)           \
	X(cublasGetStatusString)        \
	X(cublasSgemv_v2_64)            \
	X(cublasDgemv_v2_64)            \
	X(cublasSgemvStridedBatched_64) \
	X(cublasDgemvStridedBatched_64)

/* Functions in use. text: why they are missing, or empty. */
static struct {
#define RANK(name) decltype(&::name) name;
	FUNCTIONS(RANK)
	char text[256];
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
	char name[32];
	snprintf(name, sizeof name, "libcublas.so.%d", CUDART_VERSION / 1000);
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();
		snprintf(blas.text, sizeof blas.text, "%s", why ? why : name);
		return;
	}
#define LOAD(name)                                                                    \
	if (!(blas.name = (decltype(blas.name))dlsym(library, #name)) && !*blas.text) \
		snprintf(blas.text, sizeof blas.text, "%s has no %s", "libcublas", #name);
	FUNCTIONS(LOAD)
}

struct state {
	gt_basis_shape shape;
	cublasHandle_t handle;
	void *part; /* [parts][max], then [max] coefficients */
	size_t bytes;
};

static size_t parts(const gt_basis_shape *s) { return (s->n + ROWS - 1) / ROWS; }

static size_t bytes_(const gt_basis_shape *s) { return (parts(s) + 1) * s->max * gt_type_size(s->type); }

static int failed(const struct state *s, cublasStatus_t e)
{
	if (e != CUBLAS_STATUS_SUCCESS)
		gt_backend_fail(s->shape.be, gt_fail(GT_ERR_DEVICE, "product of a basis on %s: cuBLAS: %s", s->shape.be->name,
		                                     blas.cublasGetStatusString(e)));
	return e != CUBLAS_STATUS_SUCCESS;
}

static void close_(void *state)
{
	struct state *s = (struct state *)state;
	if (s->handle)
		blas.cublasDestroy_v2(s->handle);
	gt_backend_free(s->shape.be, s->part, s->bytes);
	free(s);
}

/* A dry run counts memory and creates no handle. */
static gt_status open_(const gt_basis_shape *shape, void **state)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for the record of a basis");
	s->shape = *shape;
	s->bytes = bytes_(shape);
	if (!(s->part = gt_backend_alloc(shape->be, s->bytes, "sums of a basis"))) {
		free(s);
		return GT_ERR_MEMORY;
	}
	*state = s;
	if (gt_backend_is_dry_run(shape->be))
		return GT_OK;
	pthread_once(&once, open_library);
	if (*blas.text)
		return gt_fail(GT_ERR_UNSUPPORTED, "a basis of vectors on %s needs cuBLAS of CUDA %d, which cannot be opened: %s",
		               shape->be->name, CUDART_VERSION / 1000, blas.text);
	gt_cuda_queue(shape->be);
	const cublasStatus_t e = blas.cublasCreate_v2(&s->handle);
	return e == CUBLAS_STATUS_SUCCESS ? GT_OK
	                                  : gt_fail(GT_ERR_DEVICE, "cuBLAS on %s: %s", shape->be->name, blas.cublasGetStatusString(e));
}

/* One block for each vector: the sum for the host, and rounded as a coefficient. */
template <typename T> static __global__ void __launch_bounds__(LANES) join(size_t count, size_t k, const T *part, T *y, double *slot)
{
	__shared__ double sums[LANES];
	double sum = 0;
	for (size_t i = threadIdx.x; i < count; i += LANES)
		sum += part[i * k + blockIdx.x];
	sums[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned half = LANES / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		slot[blockIdx.x] = sums[0];
		y[blockIdx.x] = (T)sums[0];
	}
}

/* Coefficients as kernel parameters need no copy. */
struct some {
	double of[COEFFICIENTS];
};
template <typename T> static __global__ void set(struct some c, size_t k, T *y)
{
	if (threadIdx.x < k)
		y[threadIdx.x] = (T)c.of[threadIdx.x];
}

/* y = V' x for `rows` elements of k vectors. */
static cublasStatus_t gemv(const struct state *s, size_t rows, size_t k, const float *V, const float *x, float *y)
{
	const float one = 1, zero = 0;
	return blas.cublasSgemv_v2_64(s->handle, CUBLAS_OP_T, (int64_t)rows, (int64_t)k, &one, V, (int64_t)s->shape.n, x, 1, &zero, y, 1);
}
static cublasStatus_t gemv(const struct state *s, size_t rows, size_t k, const double *V, const double *x, double *y)
{
	const double one = 1, zero = 0;
	return blas.cublasDgemv_v2_64(s->handle, CUBLAS_OP_T, (int64_t)rows, (int64_t)k, &one, V, (int64_t)s->shape.n, x, 1, &zero, y, 1);
}
static cublasStatus_t batch(const struct state *s, size_t count, size_t k, const float *V, const float *w, float *y)
{
	const float one = 1, zero = 0;
	return blas.cublasSgemvStridedBatched_64(s->handle, CUBLAS_OP_T, ROWS, (int64_t)k, &one, V, (int64_t)s->shape.n, ROWS, w, 1, ROWS,
	                                         &zero, y, 1, (long long)k, (int64_t)count);
}
static cublasStatus_t batch(const struct state *s, size_t count, size_t k, const double *V, const double *w, double *y)
{
	const double one = 1, zero = 0;
	return blas.cublasDgemvStridedBatched_64(s->handle, CUBLAS_OP_T, ROWS, (int64_t)k, &one, V, (int64_t)s->shape.n, ROWS, w, 1, ROWS,
	                                         &zero, y, 1, (long long)k, (int64_t)count);
}

/* w = w + a V y, 16 bytes of w in each thread: one pass over all vectors, with several loads in flight. */
template <typename T, int ALIGNED>
static __global__ void __launch_bounds__(LANES) combine(size_t n, size_t k, T a, const T *V, const T *y, T *w)
{
	const size_t i = (blockIdx.x * (size_t)LANES + threadIdx.x) * PACK;
	if (i + PACK <= n) {
		pack<T> sum = {}, all = load<ALIGNED>(w, i);
		_Pragma("unroll 10") for (size_t c = 0; c < k; c++)
		{
			const pack<T> v = load<ALIGNED>(V + c * n, i);
			const T factor = y[c];
			_Pragma("unroll") for (int e = 0; e < (int)PACK; e++) sum.v[e] += factor * v.v[e];
		}
		_Pragma("unroll") for (int e = 0; e < (int)PACK; e++) all.v[e] += a * sum.v[e];
		store<ALIGNED>(all, w, i);
	} else {
		for (size_t e = i; e < n; e++) {
			T sum = 0;
			for (size_t c = 0; c < k; c++)
				sum += y[c] * V[c * n + e];
			w[e] += a * sum;
		}
	}
}

/* Blocks in x: 2^31 blocks exceed any memory. */
template <typename T> static void combine_all(const struct state *s, size_t k, T a, const T *V, const T *y, T *w)
{
	const size_t n = s->shape.n, each = LANES * PACK;
	const unsigned blocks = (unsigned)((n + each - 1) / each);
	const int aligned = n % PACK == 0 && (uintptr_t)V % sizeof(pack<T>) == 0 && (uintptr_t)w % sizeof(pack<T>) == 0;
	if (aligned)
		combine<T, 1><<<blocks, LANES, 0, gt_cuda_queue(s->shape.be)>>>(n, k, a, V, y, w);
	else
		combine<T, 0><<<blocks, LANES, 0, gt_cuda_queue(s->shape.be)>>>(n, k, a, V, y, w);
	gt_cuda_check(s->shape.be, cudaGetLastError(), "sum of a basis");
}

template <typename T> static void dots(const struct state *s, size_t k, const T *V, T *w, int project, double *slot)
{
	const size_t n = s->shape.n, whole = n / ROWS, rest = n % ROWS;
	T *part = (T *)s->part, *y = part + parts(&s->shape) * s->shape.max;
	if (whole && failed(s, batch(s, whole, k, V, w, part)))
		return;
	if (rest && failed(s, gemv(s, rest, k, V + whole * ROWS, w + whole * ROWS, part + whole * k)))
		return;
	join<T><<<(unsigned)k, LANES, 0, gt_cuda_queue(s->shape.be)>>>(parts(&s->shape), k, part, y, slot);
	if (!gt_cuda_check(s->shape.be, cudaGetLastError(), "sums of a basis") && project)
		combine_all(s, k, (T)-1, V, y, w);
}

/* Sets cuBLAS's stream to the current queue. */
static int no_queue(const struct state *s) { return failed(s, blas.cublasSetStream_v2(s->handle, gt_cuda_queue(s->shape.be))); }

static void dots_(void *state, size_t k, const void *V, void *w, int project, double *y)
{
	const struct state *s = (struct state *)state;
	gt_backend *be = s->shape.be;
	if (be->pending + k > GT_SLOTS)
		gt_reductions_wait(be);
	double *slot = gt_cuda_slot(be, &y[0]);
	for (size_t i = 1; i < k; i++)
		gt_cuda_slot(be, &y[i]);
	if (no_queue(s))
		return;
	if (s->shape.type == GT_F32)
		dots(s, k, (const float *)V, (float *)w, project, slot);
	else
		dots(s, k, (const double *)V, (double *)w, project, slot);
	gt_reductions_wait(be);
}

template <typename T> static void add(const struct state *s, size_t k, const T *V, const double *c, T *w)
{
	T *y = (T *)s->part + parts(&s->shape) * s->shape.max;
	for (size_t first = 0; first < k; first += COEFFICIENTS) {
		const size_t left = k - first, count = left < (size_t)COEFFICIENTS ? left : (size_t)COEFFICIENTS;
		struct some some;
		for (size_t i = 0; i < count; i++)
			some.of[i] = c[first + i];
		set<T><<<1, COEFFICIENTS, 0, gt_cuda_queue(s->shape.be)>>>(some, count, y + first);
		if (gt_cuda_check(s->shape.be, cudaGetLastError(), "coefficients of a basis"))
			return;
	}
	combine_all(s, k, (T)1, V, y, w);
}

static void add_(void *state, size_t k, const void *V, const double *y, void *w)
{
	const struct state *s = (struct state *)state;
	if (s->shape.type == GT_F32)
		add(s, k, (const float *)V, y, (float *)w);
	else
		add(s, k, (const double *)V, y, (double *)w);
}

extern "C" const struct gt_basis_impl gt_basis_cuda = { bytes_, open_, dots_, add_, close_ };
