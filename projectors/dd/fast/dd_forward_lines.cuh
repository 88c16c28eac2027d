#ifndef GT_PROJECTORS_DD_FAST_DD_FORWARD_LINES_CUH
#define GT_PROJECTORS_DD_FAST_DD_FORWARD_LINES_CUH
/* Device code of dd_forward_cuda.cu: samples the lines that adjacent columns meet on a slice. */
#include "projectors/dd/fast/dd_forward_plan.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

template <int ROWS> struct values {
	float below[ROWS], above[ROWS];
};
template <int ROWS> static __device__ __forceinline__ struct values<ROWS> values_at(const unsigned (&place)[ROWS])
{
	struct values<ROWS> v;
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		v.below[r] = load1(place[r]);
		v.above[r] = load1<4>(place[r]);
	}
	return v;
}
template <int ROWS>
static __device__ __forceinline__ void add(float (&E)[ROWS], const struct values<ROWS> &v, const float (&fraction)[ROWS], float w)
{
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		E[r] = fmaf(w, fmaf(fraction[r], v.above[r] - v.below[r], v.below[r]), E[r]);
}

/* Adds a slice to the rows of SPLIT adjacent columns; b: the lane's pair, stored at `at`. two, more: any column has
 * two, or more, lines. FREE: a line after the last is always readable. */
template <bool HEIGHTS, int SPLIT, bool FREE, int FORM, int ROWS>
static __device__ __forceinline__ void meet(const struct window<FORM> &window, unsigned at, float4 b, float h, const float (&row)[ROWS],
                                            unsigned bytes, unsigned two, unsigned more, float (&E)[ROWS])
{
	unsigned place[ROWS];
	float fraction[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++)
		place[r] = __float_as_uint(b.w) + window.place_of(fmaf(h, row[r], b.z), &fraction[r]);
	const struct values<ROWS> first = values_at(place);
	if (two) {
		const unsigned rest = at + 16 * WARP; /* the plan's rest follows its pairs */
		const float w = HEIGHTS ? load1(rest) : b.y;
		if (more) {
			const float2 m = load2<8>(rest);
			const int between = b.x < 0 ? __float_as_int(m.y) - 2 : 0;
#pragma unroll 1
			for (int i = 0, turns = same(SPLIT > 1 ? __reduce_max_sync(~0u, between) : between); i < turns; i++) {
				const bool here = SPLIT == 1 || i < between;
				for (int r = 0; r < ROWS; r++)
					place[r] += here ? bytes : 0;
				add(E, values_at(place), fraction, here ? m.x : 0);
			}
		}
		for (int r = 0; r < ROWS; r++)
			place[r] += FREE || w != 0 ? bytes : 0;
		const struct values<ROWS> last = values_at(place);
		add(E, last, fraction, w);
	}
	add(E, first, fraction, fabsf(b.x));
}
#endif
#endif
