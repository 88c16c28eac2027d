#ifndef GT_PROJECTORS_SF_SF_FORWARD_LINES_CUH
#define GT_PROJECTORS_SF_SF_FORWARD_LINES_CUH
/* Device code of sf_forward_cuda.cu. Finds where the lines of voxels of a block begin and end in each slice; one warp
 * copies them into the stages of a ring. */
#include "projectors/sf/sf_device.cuh"

enum {
	WARP = GT_SF_WARP,
	COLUMNS = 8, /* columns of a warp */
	FEW = 8,     /* maximum rows for the separate kernel */
	TWO = 2,     /* warps of a view in a block */
	MAX_VIEWS = 4,    /* maximum views of a block */
	WHOLE = 64,  /* maximum slices of lines that are always copied whole */
	LONGEST = GT_SF_AHEAD_WINDOW, /* maximum slices of a window of other lines */
	SLACK = 4    /* entries of a line after those of its window */
};

struct args {
	gt_sf d;
	/* by slice axis: [x][y][deep], [y][x][deep], from slice first[] on; NULL: not in this launch */
	const float *lines[2];
	int first[2], end[2];
	float *out;
	const int *group; /* [groups][views]; -1: none */
	int deep; /* entries of a line */
	int groups_of_columns, row_tiles, first_row; /* tiles of rows from first_row on */
};

/* Bytes of a stage for V views. */
template <int V, int EDGES> static __host__ __device__ constexpr int stage_bytes()
{
	return GT_SF_AHEAD_BYTES / 6 * (2 + V) + (V < 4 ? 0 : EDGES == GT_SF_STEPS ? 2 * GT_SF_AHEAD_MORE : GT_SF_AHEAD_MORE);
}

/* Begin or end of the voxels of a line along a slice: first + n step, in voxels. */
struct border {
	double first, step;
	int lower;
};

/* Slices of a stage, by lane: first line, number of lines, byte offset in the stage, first entry; window: intervals of
 * all of them. */
struct stage {
	int base, end, window;
	double in_window;
	int4 slice[WARP];
};

template <int ROWS, int EDGES> struct warp_memory {
	float4 record[ROWS > FEW ? WARP : 1]; /* scale, shift, address */
	float2 rest[is_fine(EDGES) && ROWS > FEW ? WARP : 1]; /* rounding errors of a fine edge */
	float4 weight[WARP][2];
	float4 row[ROWS > FEW ? 1 : WARP][2]; /* values of a voxel in few rows, without the column's weight */
	float end[WARP];                      /* running sum at the end of the rows */
	float4 ramp[has_ramps(EDGES) && ROWS > FEW ? WARP : 1]; /* ramp of line_at(); w: reach */
	gt_sf_near near;
	struct border border[2];
};

template <int ROWS, int EDGES, int V> struct shared {
	alignas(16) struct warp_memory<ROWS, EDGES> warp[TWO * V];
	struct border border[V][2]; /* by view, for all columns of the block */
	alignas(16) struct stage stage[GT_SF_AHEAD_STAGES];
	alignas(8) unsigned long long full[GT_SF_AHEAD_STAGES], empty[GT_SF_AHEAD_STAGES];
};

static __device__ void fill_borders(const gt_sf_view *v, double from, double to, struct border (&border)[2])
{
	const gt_sf_wedge w = gt_sf_wedge_of(&v->frame, from, to);
	const int along = 1 - v->axis;
	for (int s = 0; s < 2; s++) {
		const double slope = w.side[s][1 + along];
		const bool flat = !(fabs(slope) > 1e-30);
		border[s].first = flat ? -1e30 : -w.side[s][0] / slope;
		border[s].step = flat ? 0 : -w.side[s][1 + v->axis] / slope;
		border[s].lower = flat || slope > 0;
	}
}

static __device__ __forceinline__ void narrow(const struct border (&border)[2], int n, double *low, double *high)
{
	for (int s = 0; s < 2; s++) {
		const double at = fma(border[s].step, (double)n, border[s].first);
		if (border[s].lower)
			*low = max(*low, at);
		else
			*high = min(*high, at);
	}
}
/* Integers between low and high, within [from, to). */
static __device__ __forceinline__ int2 voxels_between(double low, double high, int from, int to)
{
	const int first = max(from, (int)floor(min(max(low, -1.), 2e9)) + 1), end = min(to, (int)ceil(min(high, 2e9)));
	return make_int2(first, max(end, first));
}

/* Upper bound of the relative change of the magnification from the centre of a voxel to its corners, SF-TT. */
static __device__ __forceinline__ double slope_at(const struct args *a, const gt_sf_view *v, const double at[3])
{
	const double N = gt_sf_at(v->frame.N, at[0], at[1], 0), M = gt_sf_at(v->frame.M, at[0], at[1], 0);
	const double dx = a->d.pitch[0] / 2, dy = a->d.pitch[1] / 2;
	const double part = v->frame.lens.arc ? sqrt((dx * dx + dy * dy) / (N * N + M * M)) : gt_sf_reach(v->frame.M) / M;
	return min(1.2 * part / (1 - min(part, 0.5)), 0.5);
}

/* Extends reach to the entries of a line that rows [l0, l0 + rows) need at the voxels [i.x, i.y) of slice n, with a
 * margin. */
template <int EDGES> static __device__ void reach_of(const struct args *a, const gt_sf_view *v, int n, int2 i, int l0, int rows, int2 *reach)
{
	const gt_sf_lens *lens = &v->frame.lens;
	const double margin = lens->spot_u == 0 && lens->spot_w == 0 ? 0 : 0.004;
	const int along = 1 - v->axis;
	const double *N = v->frame.N, *M = v->frame.M;
	double at[3] = { 0, 0, 0 };
	at[v->axis] = n;
	const double N0 = gt_sf_at(N, at[0], at[1], 0), M0 = gt_sf_at(M, at[0], at[1], 0), N1 = N[1 + along], M1 = M[1 + along];
	const double flat = has_ramps(EDGES) ? gt_sf_reach(v->V) / v->V[3] : 0;
	const double foot = lens->arc ? -(N0 * N1 + M0 * M1) / (N1 * N1 + M1 * M1) : 0;
	for (int c = 0; c < 3; c++) {
		at[along] = c == 0 ? i.x : c == 1 ? i.y - 1 : min(max(foot, (double)i.x), i.y - 1.);
		const double stretch = gt_sf_corner_at(v, at[0], at[1]).stretch, source = gt_sf_at(v->V, at[0], at[1], -0.5) / v->V[3];
		const double step = v->V[3] * stretch, start = v->row + v->V[3] * source * stretch, slope = has_ramps(EDGES) ? slope_at(a, v, at) : 0;
		for (int e = 0; e < 2; e++) {
			const double z = (l0 + e * rows - start) / step, ramp = (slope * fabs(z + source) + flat) / (1 - slope),
				     more = 1.5 + margin * fabs(z + source) + ramp;
			reach->x = min(reach->x, (int)floor(max(z - more, 0.)));
			reach->y = max(reach->y, (int)ceil(min(z + more, (double)a->d.n[2])));
		}
	}
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* The warp that copies lines: 32 slices at a time, in the number that fits each stage. */
template <int ROWS, int EDGES, int V>
static __device__ __forceinline__ void bring(const struct args &a, struct shared<ROWS, EDGES, V> &s, unsigned stages, const int *views,
                                             int l0)
{
	const int lane = threadIdx.x % WARP;
	const gt_sf_view *any = &a.d.view[views[0]];
	const int axis = any->axis, slices = a.end[axis], length = a.d.n[1 - axis];
	const float *const lines = a.lines[axis];
	int put = 0;
	for (int base = a.first[axis]; base < slices; base += WARP) {
		const int n = base + lane;
		double low = 1e30, high = -1e30;
		for (int q = 0; q < V && views[q] >= 0; q++) {
			double from = -1, to = length;
			narrow(s.border[q], n, &from, &to);
			low = min(low, from);
			high = max(high, to);
		}
		int2 i = voxels_between(low, high, 0, n < slices ? length : 0);
		int2 reach = make_int2(a.d.n[2], 0);
		if (a.d.n[2] > WHOLE)
			for (int q = 0; q < V && views[q] >= 0 && i.y > i.x; q++)
				reach_of<EDGES>(&a, &a.d.view[views[q]], n, i, l0, ROWS, &reach);
		else
			reach = make_int2(0, i.y > i.x ? a.d.n[2] : 0);
		/* The minimum number of windows for the longest reach, with the minimum length. */
		const int first = reach.x & ~3, entries = max(reach.y - first, 0), longest = __reduce_max_sync(~0u, entries);
		const int most = pieces(longest, LONGEST), window = (pieces(longest, max(most, 1)) + 3) & ~3;
		const double in_window = 1. / max(window, 1);
		const unsigned line = (window + SLACK) * (unsigned)sizeof(float);
		const int fit = stage_bytes<V, EDGES>() / line, windows = most ? pieces(entries, window) : 0;
		const int from = min(first, a.deep - SLACK - windows * window);
		for (int w = 0; w < most; w++) {
			int low_line = i.x;
			for (;;) {
				/* Lanes in order while their lines fit; the first takes what fits. */
				const int left = w < windows ? i.y - low_line : 0;
				const unsigned waiting = __ballot_sync(~0u, left > 0);
				if (!waiting)
					break;
				const int count = lane == __ffs(waiting) - 1 ? min(left, fit) : left;
				int sum = count;
				for (int o = 1; o < WARP; o <<= 1) {
					const int other = __shfl_up_sync(~0u, sum, o);
					sum += lane >= o ? other : 0;
				}
				const bool taken = count > 0 && sum <= fit;
				const int total = __reduce_add_sync(~0u, taken ? count : 0), here = put % GT_SF_AHEAD_STAGES;
				const unsigned bar = address_of(&s.full[here]),
					       to = stages + here * stage_bytes<V, EDGES>() + (sum - count) * line;
				if (put >= GT_SF_AHEAD_STAGES)
					barrier_wait(address_of(&s.empty[here]), (put / GT_SF_AHEAD_STAGES - 1) & 1);
				const int start = from + w * window;
				s.stage[here].slice[lane] = make_int4(low_line, taken ? count : 0, (sum - count) * line, start);
				if (lane == 0) {
					s.stage[here].base = base;
					s.stage[here].end = 0;
					s.stage[here].window = window;
					s.stage[here].in_window = in_window;
				}
				__syncwarp();
				if (lane == 0)
					barrier_expect(bar, total * line);
				__syncwarp();
				if (taken) {
					const float *source = lines + ((size_t)(n - a.first[axis]) * length + low_line) * a.deep + start;
					if (a.deep == window + SLACK)
						bulk_copy(to, source, count * line, bar);
					else
						for (int k = 0; k < count; k++)
							bulk_copy(to + k * line, source + (size_t)k * a.deep, line, bar);
					low_line += count;
				}
				put++;
			}
		}
	}
	const int here = put % GT_SF_AHEAD_STAGES;
	if (put >= GT_SF_AHEAD_STAGES)
		barrier_wait(address_of(&s.empty[here]), (put / GT_SF_AHEAD_STAGES - 1) & 1);
	if (lane == 0) {
		s.stage[here].end = 1;
		barrier_arrive(address_of(&s.full[here]));
	}
}
#endif
#endif
