#ifndef GT_ANALYTIC_FBP_FUSED_FFT_CUH
#define GT_ANALYTIC_FBP_FUSED_FFT_CUH
/* Complex transform of N = 256 R samples by one block of 16 R threads, in registers and shared memory: 16 x 16 x R,
 * decimation in frequency. The forward transform leaves the frequencies in digit-reversed order, which the inverse
 * accepts, so nothing is reordered (Cooley, Tukey, Math. Comp. 19 (1965) 297). Thread t holds samples t + 16 R j, j = 0
 * ... 15. */
#include <cuda_runtime.h>
#include <math.h>
#include <gantry/author/constants.h>

typedef float2 gt_c;

static __device__ __forceinline__ gt_c gt_plus(gt_c a, gt_c b) { return make_float2(a.x + b.x, a.y + b.y); }
static __device__ __forceinline__ gt_c gt_minus(gt_c a, gt_c b) { return make_float2(a.x - b.x, a.y - b.y); }
static __device__ __forceinline__ gt_c gt_times(gt_c a, gt_c b)
{
	return make_float2(fmaf(a.x, b.x, -a.y * b.y), fmaf(a.x, b.y, a.y * b.x));
}
/* a times b, or times its conjugate for the inverse. */
template <int SIGN> static __device__ __forceinline__ gt_c gt_turn(gt_c a, gt_c b)
{
	return gt_times(a, SIGN < 0 ? b : make_float2(b.x, -b.y));
}
/* a times exp(SIGN i pi / 2). */
template <int SIGN> static __device__ __forceinline__ gt_c gt_quarter(gt_c a)
{
	return SIGN < 0 ? make_float2(a.y, -a.x) : make_float2(-a.y, a.x);
}

template <int SIGN> static __device__ __forceinline__ void gt_dft2(gt_c *x)
{
	const gt_c a = x[0];
	x[0] = gt_plus(a, x[1]);
	x[1] = gt_minus(a, x[1]);
}

template <int SIGN> static __device__ __forceinline__ void gt_dft4(gt_c *x)
{
	const gt_c s = gt_plus(x[0], x[2]), t = gt_minus(x[0], x[2]), u = gt_plus(x[1], x[3]), v = gt_quarter<SIGN>(gt_minus(x[1], x[3]));
	x[0] = gt_plus(s, u);
	x[1] = gt_plus(t, v);
	x[2] = gt_minus(s, u);
	x[3] = gt_minus(t, v);
}

/* Likewise if x[2] and x[3] are zero. */
template <int SIGN> static __device__ __forceinline__ void gt_dft4_half(gt_c *x)
{
	const gt_c a = x[0], b = x[1], v = gt_quarter<SIGN>(b);
	x[0] = gt_plus(a, b);
	x[1] = gt_plus(a, v);
	x[2] = gt_minus(a, b);
	x[3] = gt_minus(a, v);
}

/* exp(-i pi k / 8), k = 0 ... 9. */
static __device__ __forceinline__ gt_c gt_root16(int k)
{
	constexpr float c = 0.92387953251128674f, s = 0.38268343236508977f, h = 0.70710678118654752f;
	constexpr float re[10] = { 1, c, h, s, 0, -s, -h, -c, -1, -c }, im[10] = { 0, -s, -h, -c, -1, -c, -h, -s, 0, s };
	return make_float2(re[k], im[k]);
}

/* 4 B points as 4 x B: A columns of B, natural order in and out. HALF: the second half of them is zero. */
template <int SIGN, int B, int HALF = 0> static __device__ __forceinline__ void gt_dft4b(gt_c *x)
{
	gt_c y[4 * B];
#pragma unroll
	for (int r = 0; r < B; r++) {
		gt_c q[4] = { x[r], x[r + B], x[r + 2 * B], x[r + 3 * B] };
		if (HALF)
			gt_dft4_half<SIGN>(q);
		else
			gt_dft4<SIGN>(q);
#pragma unroll
		for (int k = 0; k < 4; k++)
			y[k * B + r] = r * k == 0   ? q[k]
			               : r * k == B ? gt_quarter<SIGN>(q[k])
			                            : gt_turn<SIGN>(q[k], gt_root16(r * k * 4 / B));
	}
#pragma unroll
	for (int k = 0; k < 4; k++) {
		if (B == 4)
			gt_dft4<SIGN>(y + k * B);
		else
			gt_dft2<SIGN>(y + k * B);
#pragma unroll
		for (int m = 0; m < B; m++)
			x[k + 4 * m] = y[k * B + m];
	}
}

template <int SIGN, int N> static __device__ __forceinline__ void gt_dft(gt_c *x)
{
	if (N == 16)
		gt_dft4b<SIGN, 4>(x);
	else if (N == 8)
		gt_dft4b<SIGN, 2>(x);
	else if (N == 4)
		gt_dft4<SIGN>(x);
	else
		gt_dft2<SIGN>(x);
}

/* x[k] times w^k, k = 0 ... 15, or its conjugate. */
template <int SIGN> static __device__ __forceinline__ void gt_twiddle(gt_c *x, gt_c w)
{
	const gt_c w2 = gt_times(w, w), w3 = gt_times(w2, w), w4 = gt_times(w2, w2), w8 = gt_times(w4, w4), w12 = gt_times(w8, w4);
	const gt_c low[4] = { make_float2(1, 0), w, w2, w3 }, high[4] = { make_float2(1, 0), w4, w8, w12 };
#pragma unroll
	for (int k = 1; k < 16; k++)
		x[k] = gt_turn<SIGN>(x[k], k < 4 ? low[k] : k % 4 == 0 ? high[k / 4] : gt_times(high[k / 4], low[k % 4]));
}

/* Layout in shared memory without bank conflicts, and its size. */
template <int R> struct gt_fft_shape {
	enum { THREADS = 16 * R, N = 256 * R, PITCH1 = 17 * R, PITCH2 = 16 * (R + 1) + R, ROOM = 16 * (PITCH2 > PITCH1 ? PITCH2 : PITCH1) };
	enum { ROOTS = THREADS + R }; /* twiddle factors between the stages */
};

/* roots[gt_fft_shape<R>::ROOTS]: of order N for each thread, and of order THREADS. */
template <int R> static void gt_fft_roots(gt_c *roots)
{
	const int n = gt_fft_shape<R>::N, threads = gt_fft_shape<R>::THREADS, all = gt_fft_shape<R>::ROOTS;
	for (int i = 0; i < all; i++) {
		const double angle = -2 * GT_PI * (i < threads ? i : (i - threads) * 16) / n;
		roots[i] = make_float2((float)cos(angle), (float)sin(angle));
	}
}

/* Frequency of x[j] between both transforms of gt_fft_filter(), for thread t. */
template <int R> static __host__ __device__ __forceinline__ int gt_fft_frequency(int t, int j)
{
	const int id = t + 16 * R * (j / R);
	return (id >> 4) + 16 * (id & 15) + 256 * (j % R);
}

/* Replaces x, whose second half is zero, by the inverse transform of response times transform, not divided by N. Order
 * of response[16][16 R]: gt_fft_frequency(), followed by the roots. `room` has gt_fft_shape<R>::ROOM samples that no
 * thread reads any more. All threads of the block must call it. */
template <int R> static __device__ __forceinline__ void gt_fft_filter(gt_c *x, gt_c *room, const float *__restrict__ response)
{
	typedef gt_fft_shape<R> shape;
	const int t = threadIdx.x, k1 = t / R, t2 = t % R;
	const gt_c *roots = (const gt_c *)(response + shape::N), w1 = __ldg(roots + t), w2 = __ldg(roots + shape::THREADS + t2);
	gt_dft4b<-1, 4, 1>(x);
	gt_twiddle<-1>(x, w1);
#pragma unroll
	for (int k = 0; k < 16; k++)
		room[k * shape::PITCH1 + t] = x[k];
	__syncthreads();
#pragma unroll
	for (int j = 0; j < 16; j++)
		x[j] = room[k1 * shape::PITCH1 + t2 + R * j];
	gt_dft<-1, 16>(x);
	gt_twiddle<-1>(x, w2);
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 16; k++)
		room[k1 * shape::PITCH2 + k * (R + 1) + t2] = x[k];
	__syncthreads();
#pragma unroll
	for (int c = 0; c < 16 / R; c++) {
		const int id = t + 16 * R * c, base = (id >> 4) * shape::PITCH2 + (id & 15) * (R + 1);
#pragma unroll
		for (int j = 0; j < R; j++)
			x[R * c + j] = room[base + j];
		gt_dft<-1, R>(x + R * c);
#pragma unroll
		for (int j = 0; j < R; j++) {
			const float h = __ldg(response + (R * c + j) * shape::THREADS + t);
			x[R * c + j] = make_float2(h * x[R * c + j].x, h * x[R * c + j].y);
		}
		gt_dft<1, R>(x + R * c);
#pragma unroll
		for (int j = 0; j < R; j++)
			room[base + j] = x[R * c + j];
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 16; k++)
		x[k] = room[k1 * shape::PITCH2 + k * (R + 1) + t2];
	gt_twiddle<1>(x, w2);
	gt_dft<1, 16>(x);
	__syncthreads();
#pragma unroll
	for (int j = 0; j < 16; j++)
		room[k1 * shape::PITCH1 + t2 + R * j] = x[j];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 16; k++)
		x[k] = room[k * shape::PITCH1 + t];
	gt_twiddle<1>(x, w1);
	gt_dft<1, 16>(x);
}

#endif
