#ifndef GT_PROJECTORS_SF_SF_DEVICE_CUH
#define GT_PROJECTORS_SF_SF_DEVICE_CUH
/* Device code of both fast kernels (compute capability 9.0): bulk copies into shared memory with barriers, running sums
 * at clamped positions. Views as seen from a tile of voxels. */
#include "core/device/async_copy.cuh"
#include "core/device/blocks.cuh"
#include "projectors/sf/sf_cuda.cuh"

enum { GT_SF_WARP = 32 };

/* COUNT adjacent values: 1 or 2. */
template <int COUNT, int OFFSET = 0> static __device__ __forceinline__ void load_some(unsigned a, float (&x)[COUNT])
{
	if (COUNT == 2) {
		const float2 both = load2<OFFSET>(a);
		x[0] = both.x;
		x[COUNT - 1] = both.y;
	} else {
		x[0] = load1<OFFSET>(a);
	}
}
template <int COUNT, int OFFSET = 0> static __device__ __forceinline__ void store_some(unsigned a, const float (&x)[COUNT])
{
	if (COUNT == 2)
		store2<OFFSET>(a, x[0], x[COUNT - 1]);
	else
		store1<OFFSET>(a, x[0]);
}

/* An edge on a line, at (shift + scale at) of its intervals. For a FINE line both are in intervals, and rest holds the
 * rounding errors of shift (x) and scale (y). */
struct edge {
	float scale, at, shift;
	float2 rest;
};
/* Sampling of an edge: entry `whole` with its address, and the fraction from there, clamped to the line; beyond: not
 * clamped. */
struct reading {
	unsigned address;
	float whole, fraction, beyond;
};

/* Samples an edge of a line of less than 2^21 intervals, the first at `base`. An addition of 2, whose last place is
 * worth 2^-22, with rounding down leaves floor() in the low bits. Saturation clamps the fraction of the line, which is
 * rounded to 2^-25. */
static __device__ __forceinline__ struct reading read_edge(unsigned base, const struct edge &e, float intervals)
{
	const float part = fmaf(e.scale, e.at, e.shift), in = __saturatef(part), t = __fmaf_rd(in, intervals * 0x1p-22f, 2.f);
	struct reading r;
	r.address = base + __float_as_uint(t) * 4;
	r.whole = fmaf(t, 0x1p22f, -0x1p23f);
	r.fraction = fmaf(in, intervals, -r.whole);
	r.beyond = fmaf(part, intervals, -r.whole);
	return r;
}
/* FINE: the rounded position finds the interval (the last one for the end of the line); the position within it is
 * computed exactly enough. The shift is such that its difference from an integer is exact. */
static __device__ __forceinline__ struct reading read_fine(unsigned base, const struct edge &e, float intervals)
{
	const float rest = fmaf(e.rest.y, e.at, e.rest.x), place = fmaf(e.scale, e.at, e.shift + rest);
	const float in = min(max(place, 0.f), intervals * (1 - 0x1p-24f)), t = __fmaf_rd(in, 0x1p-22f, 2.f);
	struct reading r;
	r.address = base + __float_as_uint(t) * 4;
	r.whole = fmaf(t, 0x1p22f, -0x1p23f);
	r.beyond = fmaf(e.scale, e.at, e.shift - r.whole) + rest;
	r.fraction = __saturatef(r.beyond);
	return r;
}
template <bool FINE> static __device__ __forceinline__ struct reading read_as(unsigned base, const struct edge &e, float intervals)
{
	return FINE ? read_fine(base, e, intervals) : read_edge(base, e, intervals);
}
/* Splits scale and shift, in intervals, into those of a FINE line: the shift in 1024ths, which suffices for less than
 * 2^13 intervals. */
static __device__ __forceinline__ void split(double scale, double shift, float *scale_in_float, float *shift_in_float, float2 *rest)
{
	const double near = rint(min(max(shift, -8e3), 8e3) * 1024) / 1024;
	*scale_in_float = (float)scale;
	*shift_in_float = (float)near;
	*rest = make_float2((float)(shift - near), (float)(scale - (double)*scale_in_float));
}
/* Returns the running sum at an edge of a line whose entry 0 is OFFSET bytes from base. Unless FINE, entry intervals +
 * 1 is read with weight 0. */
template <bool FINE, int OFFSET = 0>
static __device__ __forceinline__ float sum_of(unsigned base, const struct edge &e, float intervals)
{
	const struct reading r = read_as<FINE>(base, e, intervals);
	const float low = load1<OFFSET>(r.address), high = load1<OFFSET + 4>(r.address);
	return fmaf(r.fraction, high - low, low);
}
enum { GT_SF_REACH = 64 }; /* maximum half width of ramps, in intervals */
static __host__ __device__ constexpr bool has_ramps(int edges) { return edges == GT_SF_NARROW || edges == GT_SF_WIDE; }
static __host__ __device__ constexpr bool is_fine(int edges) { return edges == GT_SF_FINE || edges == GT_SF_WIDE; }

/* sum_of() plus the ramp at the knot next to the edge (SF-TT); half(knot): its half width, in intervals. Sums are
 * constant outside the line. */
template <bool FINE, int OFFSET = 0, typename HALF>
static __device__ __forceinline__ float ramped_sum_of(unsigned base, const struct edge &e, float intervals, HALF half)
{
	const struct reading r = read_as<FINE>(base, e, intervals);
	const unsigned a = r.address;
	const bool upper = r.fraction > 0.5f;
	const float next = upper ? 1.f : 0.f, knot = r.whole + next;
	const bool flat = upper ? knot >= intervals : knot <= 0.f; /* on the far side of the knot */
	const float low = load1<OFFSET>(a), high = load1<OFFSET + 4>(a), far = load1<OFFSET>(flat ? a : upper ? a + 8 : a - 4);
	const float rise = FINE || r.whole < intervals ? high - low : 0.f;
	const float turn = (flat ? 0.f : upper ? far - high : far - low) + (upper ? -rise : rise);
	const float past = FINE ? r.beyond - next : fmaf(fmaf(e.scale, e.at, e.shift), intervals, -knot);
	return fmaf(gt_sf_ramp_f(past, half(knot)), turn, fmaf(r.fraction, rise, low));
}
/* sum_of() plus the ramps at `reach` knots on each side. */
template <bool FINE, int OFFSET = 0, typename HALF>
static __device__ __forceinline__ float reaching_sum_of(unsigned base, const struct edge &e, float intervals, int reach, HALF half)
{
	const struct reading r = read_as<FINE>(base, e, intervals);
	const int a = (int)r.address, first = (int)base, last = first + (int)intervals * 4;
	const float low = load1<OFFSET>(a), high = load1<OFFSET + 4>(a);
	float sum = fmaf(r.fraction, high - low, low), knot = r.whole - (float)reach, past = r.beyond + (float)reach;
	int at = a - reach * 4 + 4;
	float here = load1<OFFSET>(min(max(at, first), last)), rise = here - load1<OFFSET>(min(max(at - 4, first), last));
#pragma unroll 2
	for (int k = 0; k < 2 * reach; k++) {
		at += 4;
		knot += 1;
		past -= 1;
		const float next = load1<OFFSET>(min(max(at, first), last)), turn = next - here - rise;
		sum = fmaf(gt_sf_ramp_f(past, half(knot)), turn, sum);
		rise = next - here;
		here = next;
	}
	return sum;
}
/* Selects by EDGES; a reach of 0 means a narrow ramp. */
template <int EDGES, int OFFSET = 0, typename HALF>
static __device__ __forceinline__ float edge_sum_of(unsigned base, const struct edge &e, float intervals, int reach, HALF half)
{
	if (!has_ramps(EDGES))
		return sum_of<is_fine(EDGES), OFFSET>(base, e, intervals);
	if (EDGES == GT_SF_WIDE && reach > 0)
		return reaching_sum_of<true, OFFSET>(base, e, intervals, reach, half);
	return ramped_sum_of<is_fine(EDGES), OFFSET>(base, e, intervals, half);
}
/* Number of knots on each side of an edge that ramps of this half width may meet. */
static __device__ __forceinline__ int reach_of_half(float half)
{
	return half < 0.499f ? 0 : (int)min(ceilf(half + 1e-3f), (float)GT_SF_REACH);
}

/* 1 / x in double, from a float reciprocal and one Newton step. */
static __device__ __forceinline__ double gt_sf_in_fine(double x)
{
	const double in = gt_rcp_approx((float)x);
	return fma(in, fma(-x, in, 1.), in);
}
/* gt_sf_stretch() of a lens with one row per unit, for rows far from the source plane. All terms are double except the
 * correction for a focal spot off the centre of the arc. */
static __device__ __forceinline__ double gt_sf_stretch_fine(const gt_sf_lens_f *s, double N, double M)
{
	if (!s->arc)
		return gt_sf_in_fine(M);
	const double square = fma(N, N, M * M), first = gt_rsqrt_approx((float)square), in = first * fma(-0.5 * square * first, first, 1.5);
	if (s->spot_u == 0 && s->spot_w == 0)
		return in;
	const float side = (s->spot_u * (float)M - s->spot_w * (float)N) * (float)in, squared = side * side,
		    along = (s->spot_u * (float)N + s->spot_w * (float)M) * (float)in;
	return in - in * (double)(along + squared * gt_rcp_approx(1 + sqrtf(1 - squared)));
}

/* A view near one column: doubles for differences of large numbers, floats relative to `column`. N and M in units with
 * one row per unit of V/M. */
typedef struct {
	double N[3], M[3], V[4], in_V, row;   /* [0] + [1] x + [2] y (+ [3] z); in_V: 1 / V[3] */
	float N1, N2, M1, M2;           /* half of N[1] .. M[2] */
	float toward[2][2];
	gt_sf_lens_f lens;
	int column;
} gt_sf_near;

/* The lens for N and M divided by l->rows. */
static __device__ gt_sf_lens_f gt_sf_lens_in_float(const gt_sf_lens *l)
{
	gt_sf_lens_f f;
	f.columns = (float)l->columns;
	f.rows = 1;
	f.spot_u = (float)l->spot_u;
	f.spot_w = (float)l->spot_w;
	f.spot_angle = (float)l->spot_angle;
	f.arc = l->arc;
	return f;
}
static __device__ void near_column(const gt_sf_view *v, int column, gt_sf_near *near)
{
	const gt_sf_frame f = gt_sf_turned(&v->frame, column);
	for (int a = 0; a < 3; a++) {
		near->N[a] = f.N[a] / f.lens.rows;
		near->M[a] = f.M[a] / f.lens.rows;
	}
	for (int a = 0; a < 4; a++)
		near->V[a] = v->V[a];
	near->in_V = 1 / v->V[3];
	near->row = v->row;
	near->N1 = (float)(near->N[1] / 2);
	near->N2 = (float)(near->N[2] / 2);
	near->M1 = (float)(near->M[1] / 2);
	near->M2 = (float)(near->M[2] / 2);
	for (int a = 0; a < 4; a++)
		near->toward[a / 2][a % 2] = (float)v->toward[a / 2][a % 2];
	near->lens = gt_sf_lens_in_float(&f.lens);
	near->column = column;
}
static __device__ __forceinline__ float chord_of(const gt_sf_near *n, int x, int y, float dx, float dy)
{
	return gt_sf_chord_f(fmaf(n->toward[0][1], x, n->toward[0][0]), fmaf(n->toward[1][1], y, n->toward[1][0]), dx, dy);
}

enum { GT_SF_PARTS = 8, GT_SF_STEP = 8 };
/* A block of WARP x PARTS threads writes the running sums of up to WARP lines k from `from` on. Entry e is the sum of
 * the values 0 .. e-1 minus half of all n; entries past the last repeat its value, up to `stride`. value(k, l) is read
 * twice. Line k is written to each out[] + k step[]. A thread owns an eighth of the values of one line. */
template <int COPIES, typename VALUE>
static __device__ __forceinline__ void write_sums(VALUE value, int from, int lines, int n, int stride, float *const (&out)[COPIES],
                                                  const size_t (&step)[COPIES])
{
	__shared__ float tile[GT_SF_PARTS * GT_SF_STEP][GT_SF_WARP + 1];
	__shared__ double total[GT_SF_PARTS][GT_SF_WARP];
	const int k = from + threadIdx.x, share = pieces(n, GT_SF_PARTS), begin = threadIdx.y * share, end = k < lines ? min(begin + share, n) : 0;
	const int here = min(GT_SF_WARP, lines - from), thread = threadIdx.y * GT_SF_WARP + threadIdx.x, threads = GT_SF_PARTS * GT_SF_WARP;
	double sum = 0, half = 0;
	for (int l = begin; l < end; l++)
		sum += value(k, l);
	total[threadIdx.y][threadIdx.x] = sum;
	__syncthreads();
	sum = 0;
	for (int p = 0; p < GT_SF_PARTS; p++) {
		sum += p < threadIdx.y ? total[p][threadIdx.x] : 0;
		half += total[p][threadIdx.x] / 2;
	}
	sum -= half;
	for (int first = 0; first < share; first += GT_SF_STEP) {
		for (int r = 0; r < GT_SF_STEP; r++) {
			const int l = begin + first + r;
			tile[threadIdx.y * GT_SF_STEP + r][threadIdx.x] = (float)sum;
			if (first + r < share && l < end)
				sum += value(k, l);
		}
		__syncthreads();
		for (int i = thread; i < here * GT_SF_PARTS * GT_SF_STEP; i += threads) {
			const int at = i % (GT_SF_PARTS * GT_SF_STEP), line = i / (GT_SF_PARTS * GT_SF_STEP), r = first + at % GT_SF_STEP,
				  l = at / GT_SF_STEP * share + r;
			for (int c = 0; c < COPIES; c++)
				if (out[c] && r < share && l < n)
					out[c][(from + line) * step[c] + l] = tile[at][line];
		}
		__syncthreads();
	}
	if (threadIdx.y == 0)
		total[0][threadIdx.x] = half;
	__syncthreads();
	for (int i = thread; i < here * (stride - n); i += threads)
		for (int c = 0; c < COPIES; c++)
			if (out[c])
				out[c][(from + i / (stride - n)) * step[c] + n + i % (stride - n)] = (float)total[0][i / (stride - n)];
}
#endif
