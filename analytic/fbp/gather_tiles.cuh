#ifndef GT_ANALYTIC_FBP_GATHER_TILES_CUH
#define GT_ANALYTIC_FBP_GATHER_TILES_CUH
/* Tiles of a filtered view that a warp sums for the transposed backprojection. Lanes are rows; the warp visits the
 * columns of voxels that the detector columns of the tile interpolate, 32 planes of voxels at a time. */
#include "analytic/fbp/gather_lines.h"

#define GT_ALL_LANES 0xffffffffu

/* Adds r to the columns beside interval C of the tile. */
template <int C, int ROWS, typename T>
static __device__ __forceinline__ void gt_add_beside(T (&sum)[GT_LINES_COLUMNS][ROWS], T left, T right, const T *r)
{
#pragma unroll
	for (int j = 0; j < ROWS; j++) {
		if (C > 0)
			sum[C > 0 ? C - 1 : 0][j] += left * r[j];
		if (C < GT_LINES_COLUMNS)
			sum[C < GT_LINES_COLUMNS ? C : 0][j] += right * r[j];
	}
}

/* Likewise for an interval of 0 ... GT_LINES_COLUMNS. */
template <int ROWS, typename T>
static __device__ __forceinline__ void gt_add_columns(T (&sum)[GT_LINES_COLUMNS][ROWS], unsigned interval, T left, T right, const T *r)
{
	switch (interval) {
	case 0:
		gt_add_beside<0>(sum, left, right, r);
		break;
	case 1:
		gt_add_beside<1>(sum, left, right, r);
		break;
	case 2:
		gt_add_beside<2>(sum, left, right, r);
		break;
	case 3:
		gt_add_beside<3>(sum, left, right, r);
		break;
	case 4:
		gt_add_beside<4>(sum, left, right, r);
		break;
	case 5:
		gt_add_beside<5>(sum, left, right, r);
		break;
	case 6:
		gt_add_beside<6>(sum, left, right, r);
		break;
	case 7:
		gt_add_beside<7>(sum, left, right, r);
		break;
	case 8:
		gt_add_beside<8>(sum, left, right, r);
		break;
	default:
		__builtin_unreachable();
	}
}

/* Columns of voxels of 32 planes in sequence: each lane has the first of its plane, and the number up to its end. */
struct gt_planes {
	unsigned first, end, total;
};

static __device__ struct gt_planes gt_find_planes(const struct gt_lines *a, size_t plane, size_t planes)
{
	const unsigned lane = threadIdx.x % 32;
	size_t first = 0, end = 0;
	struct gt_planes s;
	if (plane + lane < planes)
		gt_lines_range(a, plane + lane, &first, &end);
	s.first = (unsigned)first;
	s.end = end > first ? (unsigned)(end - first) : 0;
#pragma unroll
	for (int m = 1; m < 32; m *= 2) {
		const unsigned before = __shfl_up_sync(GT_ALL_LANES, s.end, m);
		s.end += lane >= m ? before : 0;
	}
	s.total = __shfl_sync(GT_ALL_LANES, s.end, 31);
	return s;
}

/* Finds item t of these planes: its plane, counted from the first one, and its index there. All lanes must call it.
 * Returns 0 beyond the last item. */
static __device__ __forceinline__ int gt_planes_item(const struct gt_planes *s, unsigned t, size_t *plane, size_t *index)
{
	unsigned k = 0; /* planes that end before t */
#pragma unroll
	for (int m = 16; m; m /= 2)
		k += __shfl_sync(GT_ALL_LANES, s->end, k + m - 1) <= t ? m : 0;
	const unsigned first = __shfl_sync(GT_ALL_LANES, s->first, k), end = __shfl_sync(GT_ALL_LANES, s->end, (k + 31) % 32);
	*plane = k;
	*index = first + t - (k ? end : 0);
	return t < s->total;
}

#endif
