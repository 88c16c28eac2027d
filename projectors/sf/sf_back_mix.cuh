#ifndef GT_PROJECTORS_SF_SF_BACK_MIX_CUH
#define GT_PROJECTORS_SF_SF_BACK_MIX_CUH
/* Device code of sf_back_cuda.cu: a warp computes weights with a lane per voxel column and view. Then it mixes H for 2
 * x 2 voxel columns at a time by pairs of rows, and samples H at the edges between slices. */
#include "projectors/sf/sf_back_stages.cuh"

/* A quad in a view: weights by column, then voxel; -H at the centre; address and number of the columns. Then scale and
 * shift of edges, and their rounding errors. Ramps: slope, centre, constant, reach. The size is an odd multiple of 16
 * bytes, so that lanes of different quads use different banks. */
template <int EDGES> struct quad {
	float weight[WIDE][4], middle[4];
	unsigned address;
	int columns, unused[2];
	float2 place[4];
	float more[4 + 8 * is_fine(EDGES) + 16 * has_ramps(EDGES)];
};
enum { MIDDLE = WIDE * 16, INFO = MIDDLE + 16, PLACE = INFO + 16, REST = PLACE + 32 };
template <int EDGES> static __host__ __device__ constexpr int ramp_at() { return REST + 32 * is_fine(EDGES); }

template <int R, bool WHOLE> static __host__ __device__ constexpr unsigned highest_line()
{
	return WHOLE ? line_bytes<WARP * R>() : line_bytes<highest_of(WARP * R)>();
}

template <int R, int EDGES, bool WHOLE> struct shared {
	alignas(16) struct quad<EDGES> quad[WARPS][FOUR * QUADS];
	alignas(16) float mixed[WARPS][4 * highest_line<R, WHOLE>() / sizeof(float)];
	struct control control;
};
template <int R, int EDGES, bool WHOLE> static __host__ __device__ constexpr unsigned shared_bytes()
{
	return (sizeof(struct shared<R, EDGES, WHOLE>) + 127) / 128 * 128 + highest_line<R, WHOLE>();
}
/* Columns of a view that fit in a stage. */
template <int R, int EDGES, bool WHOLE> static __host__ __device__ constexpr int columns_for()
{
	constexpr int fit = (int)((GT_SF_BACK_SHARED - shared_bytes<R, EDGES, WHOLE>()) /
	                          (GT_SF_BACK_STAGES * FOUR * line_bytes<WARP * R>()));
	return fit < GT_SF_BACK_COLUMNS ? fit : GT_SF_BACK_COLUMNS;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Computes weights of `columns` columns from `first` on, whose running sums begin at `address`. Adds the value at the
 * end of the tile to T. */
template <int R, int EDGES, bool WHOLE>
static __device__ __forceinline__ void weigh(struct shared<R, EDGES, WHOLE> &s, const struct lane_voxel *l, int width, int first,
                                             int columns, unsigned address, float end, float *T)
{
	const float rows = (float)rows_of<!WHOLE>(width);
	const unsigned step = (width + SLACK) * (unsigned)sizeof(float);
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, max = __reduce_max_sync(~0u, columns);
	const int voxel = lane % VOXELS, member = voxel % 2 + voxel / 4 * 2;
	struct quad<EDGES> *q = &s.quad[warp][lane / VOXELS * QUADS + voxel / 2 % 2];
	const struct edge at_end = { l->scale, end, l->shift, l->rest };
	const struct reading r = read_as<is_fine(EDGES)>(0, at_end, rows);
	const float half = fabsf(fmaf(l->ramp1, end, l->ramp0)) + l->ramp;
	float middle = 0, low = gt_sf_area_f(&l->columns, first);
#pragma unroll 1
	for (int pair = 0; pair < max; pair += 2)
#pragma unroll
		for (int k = pair; k < pair + 2; k++) {
			const float high = gt_sf_area_f(&l->columns, first + k + 1), w = k < columns ? (high - low) * l->chord : 0.f;
			q->weight[k][member] = w;
			low = high;
			if (w == 0)
				continue;
			const unsigned line = address + k * step;
			const float below = load1(line + r.address), above = load1<4>(line + r.address);
			*T = fmaf(w,
			          has_ramps(EDGES) ? edge_sum_of<EDGES>(line, at_end, rows, l->reach, [&](float) { return half; })
			                           : fmaf(r.fraction, above - below, below),
			          *T);
			if (!WHOLE)
				middle = fmaf(w, load1(line + width * 2), middle);
		}
	*T -= middle;
	q->middle[member] = -middle;
	q->place[member] = make_float2(l->scale, l->shift);
	if (is_fine(EDGES))
		*(float2 *)&q->more[2 * member] = l->rest;
	if (has_ramps(EDGES))
		*(float4 *)&q->more[8 * is_fine(EDGES) + 4 * member] = make_float4(l->ramp0, l->ramp1, l->ramp, __int_as_float(l->reach));
	if (member == 0) {
		q->address = address;
		q->columns = columns;
	}
}

/* K rows of a lane: pairs that lie 64 apart, and one of the last 32 if K is odd; a: address of its first pair, or
 * row. */
template <int K, int OFFSET = 0> static __device__ __forceinline__ void load_rows(unsigned a, float (&x)[K])
{
#pragma unroll
	for (int k = 0; k + 1 < K; k += 2) {
		const float2 two = k == 0 ? load2<OFFSET>(a) : load2<OFFSET + WARP * 8>(a);
		x[k] = two.x;
		x[k + 1] = two.y;
	}
	if (K % 2)
		x[K - 1] = load1<OFFSET + K / 2 * WARP * 8>(K == 3 ? a - threadIdx.x % WARP * 4 : a);
}
template <int K, int OFFSET = 0> static __device__ __forceinline__ void store_rows(unsigned a, const float (&x)[K])
{
	static_assert(K <= 4, "pairs beyond 128 rows");
#pragma unroll
	for (int k = 0; k + 1 < K; k += 2) {
		const float two[2] = { x[k], x[k + 1] };
		if (k == 0)
			store_some<2, OFFSET>(a, two);
		else
			store_some<2, OFFSET + WARP * 8>(a, two);
	}
	if (K % 2) {
		const float one[1] = { x[K - 1] };
		store_some<1, OFFSET + K / 2 * WARP * 8>(K == 3 ? a - threadIdx.x % WARP * 4 : a, one);
	}
}
template <int K> static __device__ __forceinline__ unsigned place_of_rows() { return threadIdx.x % WARP * (K > 1 ? 8 : 4); }

/* Writes H to a buffer. WHOLE: also the entry after its last; sums are centred, so this is minus the first. */
template <int K, bool WHOLE, int BUFFER> static __device__ __forceinline__ void put(const float (&H)[K], unsigned buffer)
{
	const float after[1] = { -H[0] };
	store_rows<K, BUFFER *(int)line_bytes<WARP * K>()>(buffer + place_of_rows<K>(), H);
	if (WHOLE && threadIdx.x % WARP == 0)
		store_some<1, BUFFER *(int)line_bytes<WARP * K>() + WARP * K * 4>(buffer, after);
}

/* Voxel V of a quad: E += H at the edges. */
template <int R, int K, int EDGES, bool WHOLE, int V>
static __device__ __forceinline__ void read_edges(unsigned quad, float scale, float shift, unsigned buffer, const float (&edge)[R],
                                                  float (&E)[R])
{
	constexpr float rows = WHOLE ? WARP * K : WARP * K - 2;
	constexpr int offset = V * (int)line_bytes<WARP * K>();
	const float2 rest = is_fine(EDGES) ? load2<REST + V * 8>(quad) : make_float2(0, 0);
	const float4 ramp = has_ramps(EDGES) ? load4<ramp_at<EDGES>() + V * 16>(quad) : make_float4(0, 0, 0, 0);
	const int reach = EDGES == GT_SF_WIDE ? same(__float_as_int(ramp.w)) : 0;
#pragma unroll
	for (int r = 0; r < R; r++) {
		const struct edge e = { scale, edge[r], shift, rest };
		E[r] += edge_sum_of<EDGES, offset>(buffer, e, rows, reach,
		                                   [&](float) { return fabsf(fmaf(ramp.y, edge[r], ramp.x)) + ramp.z; });
	}
}

/* Four voxels and a view, in a window of K rows per lane: mixes H, then E += H at the edges. The voxels use E[0], E[1],
 * E[4] and E[5]. */
template <int R, int K, int EDGES, bool WHOLE>
static __device__ __forceinline__ void add_quad(unsigned quad, unsigned buffer, const float (&edge)[R], float (*E)[R])
{
	constexpr unsigned line = line_bytes<WARP * K>();
	const float2 info = load2<INFO>(quad);
	const int columns = __float_as_int(info.y);
	if (columns <= 0)
		return;
	const float4 middle = WHOLE ? make_float4(0, 0, 0, 0) : load4<MIDDLE>(quad);
	float H[4][K];
#pragma unroll
	for (int r = 0; r < K; r++) {
		H[0][r] = middle.x;
		H[1][r] = middle.y;
		H[2][r] = middle.z;
		H[3][r] = middle.w;
	}
	unsigned from = __float_as_uint(info.x) + place_of_rows<K>(), weights = quad;
#pragma unroll 1
	for (int k = 0; k < columns; k += 2, from += 2 * line, weights += 32) {
		float one[K], two[K];
		load_rows<K>(from, one);
		load_rows<K, line>(from, two);
		const float4 w = load4(weights), u = load4<16>(weights);
#pragma unroll
		for (int r = 0; r < K; r++) {
			H[0][r] = fmaf(u.x, two[r], fmaf(w.x, one[r], H[0][r]));
			H[1][r] = fmaf(u.y, two[r], fmaf(w.y, one[r], H[1][r]));
			H[2][r] = fmaf(u.z, two[r], fmaf(w.z, one[r], H[2][r]));
			H[3][r] = fmaf(u.w, two[r], fmaf(w.w, one[r], H[3][r]));
		}
	}
	put<K, WHOLE, 0>(H[0], buffer);
	put<K, WHOLE, 1>(H[1], buffer);
	put<K, WHOLE, 2>(H[2], buffer);
	put<K, WHOLE, 3>(H[3], buffer);
	const float4 low = load4<PLACE>(quad), high = load4<PLACE + 16>(quad);
	__syncwarp();
	read_edges<R, K, EDGES, WHOLE, 0>(quad, low.x, low.y, buffer, edge, E[0]);
	read_edges<R, K, EDGES, WHOLE, 1>(quad, low.z, low.w, buffer, edge, E[1]);
	read_edges<R, K, EDGES, WHOLE, 2>(quad, high.x, high.y, buffer, edge, E[4]);
	read_edges<R, K, EDGES, WHOLE, 3>(quad, high.z, high.w, buffer, edge, E[5]);
	__syncwarp();
}
template <int R, int K, int EDGES, bool WHOLE>
static __device__ __forceinline__ void add_views(unsigned quads, unsigned buffer, const float (&edge)[R], float (&E)[VOXELS][R])
{
#pragma unroll 1
	for (int view = 0; view < FOUR; view++, quads += QUADS * sizeof(struct quad<EDGES>)) {
		add_quad<R, K, EDGES, WHOLE>(quads, buffer, edge, E);
		add_quad<R, K, EDGES, WHOLE>(quads + sizeof(struct quad<EDGES>), buffer, edge, E + 2);
	}
}
/* Adds views in windows of `width` entries. */
template <int R, int EDGES, bool WHOLE>
static __device__ __forceinline__ void add_window(int width, unsigned quads, unsigned buffer, const float (&edge)[R], float (&E)[VOXELS][R])
{
	if (WHOLE || GT_SF_BACK_HIGHER == 0 || width == WARP * R)
		add_views<R, R, EDGES, WHOLE>(quads, buffer, edge, E);
	else if (GT_SF_BACK_HIGHER == 1 || width == WARP * (R + 1))
		add_views<R, WHOLE ? R : R + 1, EDGES, WHOLE>(quads, buffer, edge, E);
	else
		add_views<R, WHOLE ? R : R + 2, EDGES, WHOLE>(quads, buffer, edge, E);
}
#endif
#endif
