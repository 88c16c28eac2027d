#ifndef GT_PROJECTORS_DD_PUBLISHED_DD_INTEGRAL_SOURCES_CUH
#define GT_PROJECTORS_DD_PUBLISHED_DD_INTEGRAL_SOURCES_CUH
/* Input of the integral images of dd_integral_cuda.cu: slices of the volume, or views times the slant. A lane loads its
 * columns by vector instructions and keeps them in registers. */
#include <stdint.h>
#include "core/device/device_math.cuh"
#include "projectors/dd/published/dd_integral.h"

enum { WARP = 32 };

/* Vector loads and stores of adjacent values. */
static __device__ __forceinline__ void load(const float *p, float (&v)[4])
{
	const float4 a = __ldg((const float4 *)p);
	v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
}
static __device__ __forceinline__ void load(const float *p, float (&v)[2])
{
	const float2 a = __ldg((const float2 *)p);
	v[0] = a.x, v[1] = a.y;
}
static __device__ __forceinline__ void load(const double *p, double (&v)[2])
{
	const double2 a = __ldg((const double2 *)p);
	v[0] = a.x, v[1] = a.y;
}
static __device__ __forceinline__ void store(float *p, const float (&v)[4]) { __stcg((float4 *)p, make_float4(v[0], v[1], v[2], v[3])); }
static __device__ __forceinline__ void store(double *p, const double (&v)[2]) { __stcg((double2 *)p, make_double2(v[0], v[1])); }
static __device__ __forceinline__ void store(double *p, const double (&v)[4])
{
	__stcg((double2 *)p, make_double2(v[0], v[1]));
	__stcg((double2 *)p + 1, make_double2(v[2], v[3]));
}

/* The columns of a lane; those from `inside` on are outside the image. PACKED: a vector load may read them. */
template <typename T, int COLUMNS, bool PACKED> struct columns {
	const T *p;
	ptrdiff_t row, column;
	int inside;
	__device__ __forceinline__ void read(int r, T (&value)[COLUMNS]) const
	{
		const T *const at = p + r * row;
		if constexpr (PACKED) {
			T v[COLUMNS];
			load(column < 0 ? at - (COLUMNS - 1) : at, v);
#pragma unroll
			for (int c = 0; c < COLUMNS; c++)
				value[c] = v[column < 0 ? COLUMNS - 1 - c : c];
		} else {
#pragma unroll
			for (int c = 0; c < COLUMNS; c++)
				value[c] = __ldg(at + (c < inside ? c * column : 0));
		}
	}
	/* Loads through shared memory; cells stay in memory order there until take(). */
	__device__ __forceinline__ void ask(int r, T *room) const
	{
		const T *const at = p + r * row;
		if constexpr (PACKED) {
			__pipeline_memcpy_async(room, column < 0 ? at - (COLUMNS - 1) : at, COLUMNS * sizeof(T));
		} else {
#pragma unroll
			for (int c = 0; c < COLUMNS; c++)
				__pipeline_memcpy_async(room + c, at + (c < inside ? c * column : 0), sizeof(T));
		}
	}
	__device__ __forceinline__ void take(const T *room, T (&value)[COLUMNS]) const
	{
		struct alignas(COLUMNS * sizeof(T)) all {
			T v[COLUMNS];
		};
		const all v = *(const all *)room;
#pragma unroll
		for (int c = 0; c < COLUMNS; c++)
			value[c] = v.v[PACKED && column < 0 ? COLUMNS - 1 - c : c];
	}
};

static __device__ __forceinline__ int inside_of(int c, int width, int columns) { return min(max(width - c, 0), columns); }

/* Sources of cells: open() selects an image, columns_of() the columns of a lane, weight_of() the constant part of one
 * column. A cell is that weight times the value of row l. Weights lie in shared memory, in WEIGHTS rows of one per
 * thread. */
template <typename T, typename OUT, int COLUMNS, bool PACKED> struct slices {
	typedef T stored;
	enum { WEIGHTS = 0 };
	const T *x;
	size_t image, row, column; /* steps to the next image, row, column */
	struct weight {
		__device__ __forceinline__ OUT times(T value, int) const { return value; }
	};
	struct picture {
		const T *p;
		size_t row, column;
		int width;
		__device__ __forceinline__ columns<T, COLUMNS, PACKED> columns_of(int c, OUT *) const
		{
			const int inside = inside_of(c, width, COLUMNS);
			return { inside ? p + (size_t)c * column : p, (ptrdiff_t)row, (ptrdiff_t)column, inside };
		}
		__device__ __forceinline__ weight weight_of(int, const OUT *) const { return {}; }
	};
	__device__ __forceinline__ picture open(size_t n, int width) const { return { x + n * image, row, column, width }; }
};

/* Square root of a normal number, without branches: Goldschmidt's iteration from the hardware's reciprocal square root.
 * The start value has half the bits of a float, or a third of a double. The result is correct to about one unit in the
 * last place. */
static __device__ __forceinline__ float root(float s)
{
	const float r = gt_rsqrt_approx(s), near = s * r;
	return fmaf(0.5f * r, fmaf(-near, near, s), near);
}
static __device__ __forceinline__ double root(double s)
{
	const double first = gt_rsqrt_approx(s), g = s * first, h = 0.5 * first, off = fma(-g, h, 0.5), near = fma(g, off, g);
	return fma(fma(h, off, h), fma(-near, near, s), near);
}

/* Views times the slant, columns and rows in ascending order. */
template <typename T, typename OUT, int COLUMNS, bool PACKED> struct weighted {
	typedef T stored;
	enum { WEIGHTS = 3 * COLUMNS };
	gt_dd d;
	const T *y;
	const size_t *view;
	/* A column for gt_dd_slant(), with the row-independent terms precomputed and multiplied by the pitch of
	 * slices. */
	struct weight {
		OUT slope, step, square;
		__device__ __forceinline__ OUT times(T value, int l) const
		{
			const OUT at = slope + l * step;
			return value * root(square + at * at);
		}
	};
	struct picture {
		const T *p;
		ptrdiff_t row, column;
		const gt_dd_column *of;
		int width;
		double pitch_z, pitch;
		__device__ __forceinline__ columns<T, COLUMNS, PACKED> columns_of(int k, OUT *room) const
		{
			const int inside = inside_of(k, width, COLUMNS), at = inside ? k : 0;
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				const gt_dd_column *v = &of[min(k + c, width - 1)];
				OUT *const to = room + 3 * c * blockDim.x;
				to[0] = (OUT)((v->P1 + 0.5 * v->Q1) * pitch_z * pitch);
				to[blockDim.x] = (OUT)(v->Q1 * pitch_z * pitch);
				to[2 * blockDim.x] = (OUT)(v->square * pitch * pitch);
			}
			return { p + at * column, row, column, inside };
		}
		__device__ __forceinline__ weight weight_of(int c, const OUT *room) const
		{
			const OUT *const from = room + 3 * c * blockDim.x;
			return { from[0], from[blockDim.x], from[2 * blockDim.x] };
		}
	};
	__device__ __forceinline__ picture open(size_t n, int width) const
	{
		const size_t at = view[n];
		const gt_dd_view *v = &d.view[at];
		return { y + gt_dd_pixel(&d, v, at, 0, 0),
			 v->flip_rows ? -(ptrdiff_t)d.columns : (ptrdiff_t)d.columns,
			 v->flip_columns ? -1 : 1,
			 d.column + at * d.columns,
			 width,
			 d.pitch[2],
			 v->axis ? d.pitch[1] : d.pitch[0] };
	}
};
#endif
