#ifndef GT_ANALYTIC_FBP_FILTER_ROWS_CUH
#define GT_ANALYTIC_FBP_FILTER_ROWS_CUH
/* Loads and stores of rows for the filter on CUDA. */
#include "analytic/fbp/fbp_cuda.cuh"
#include "core/device/device_math.cuh"

/* A pixel's gain and slope, see gt_preweight_at(). */
template <typename T> struct alignas(2 * sizeof(T)) gt_preweight {
	T gain, slope;
};

template <typename T> struct gt_rows_in {
	gt_row_plan row;
	unsigned rows;
	double row_pitch;
	const struct gt_preweight<T> *preweights; /* [tables][columns] */
	const struct gt_back_view *view;
	const T *data; /* one batch */
	T *mean;       /* [rows of the chunk][2] */
};

/* x is at least 1, so rsqrtf() with its test for small numbers is not needed. */
static __device__ __forceinline__ float gt_over_root(float x) { return gt_rsqrt_approx(x); }
static __device__ __forceinline__ double gt_over_root(double x) { return 1 / sqrt(x); }

template <typename T> static __device__ __forceinline__ T gt_weigh(const struct gt_preweight<T> &preweight, T value, T height)
{
	const T slope = preweight.slope * height;
	return value * preweight.gain * gt_over_root(1 + slope * slope);
}

template <typename T> static __device__ __forceinline__ T gt_weighted(const struct gt_preweight<T> *preweights, const T *in, T height, size_t k)
{
	return gt_weigh(preweights[k], in[k], height);
}

/* Sample i of a row of pairs. */
static __device__ void gt_store_pair(float *to, size_t i, float value, float next) { ((float2 *)to)[i] = make_float2(value, next - value); }
static __device__ void gt_store_pair(double *, size_t, double, double) {}

/* The filter as one kernel, for rows of 512, 1024, 2048 or 4096 samples in single precision. `response` is ordered by
 * gt_block_response() and followed by the roots of the transform. */
int    gt_block_filters(const gt_fbp_plan *plan, gt_type type);
size_t gt_block_response_size(size_t n);
void   gt_block_response(size_t n, const double *response, float *ordered);
/* Computes [n] pairs of the tails before and after that are added to each sample. ordered: zeros on entry. */
void   gt_block_tail(const gt_fbp_plan *plan, float *ordered);
void   gt_block_filter(gt_backend *be, const struct gt_rows_in<float> *in, const gt_layout *layout, size_t views, const float *response,
                       const float *tail, float *out);

#endif
