#ifndef GT_PROJECTORS_DD_FAST_DD_FORWARD_PLAN_CUH
#define GT_PROJECTORS_DD_FAST_DD_FORWARD_PLAN_CUH
/* Device code of dd_forward_cuda.cu: plans of a warp's columns on the next slices, with their lines, weights and row
 * positions. */
#include "core/device/device_math.cuh"
#include "projectors/dd/fast/dd_forward_ring.cuh"

/* Positions in windows. SHORT: over the height of the window, rounded. FINE: relative to its centre; the rounded
 * position chooses the edge, and the fraction is relative to that edge. */
enum { SHORT, FINE };

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* Linear function of the slice in 64-bit fixed point: two integer instructions, and no double after the first slice. */
struct __align__(16) linear
{
	long long start; /* on slice 0 */
	unsigned low;    /* step: low + 2^32 high */
	int high;
	__device__ __forceinline__ long long at(unsigned n) const
	{
		const unsigned long long x = (unsigned long long)n * low + (unsigned long long)start;
		return (long long)((unsigned long long)((unsigned)(x >> 32) + n * (unsigned)high) << 32 | (unsigned)x);
	}
};
/* value: on slice n, where the rounding of the step has no effect. */
static __device__ __forceinline__ struct linear linear_of(double value, double step, int n)
{
	const long long whole = llrint(step);
	return { (long long)((unsigned long long)llrint(value) - (unsigned long long)n * (unsigned long long)whole), (unsigned)whole,
		 (int)(whole >> 32) };
}
/* Integer part and fraction of 32.32 fixed point. */
static __device__ __forceinline__ int whole_of(long long x) { return (int)(x >> 32); }
static __device__ __forceinline__ float fraction_of(long long x) { return (float)(unsigned)x * 0x1p-32f; }
/* 2^32; 2^60, whose upper half is used */
static constexpr double POINT = 4294967296., HEIGHT_POINT = 1152921504606846976.;

/* Pixels of a column. */
struct __align__(16) pixel
{
	float width, growth; /* column width over pixel height; growth of the height per slice */
	int first, end;      /* slices */
};

/* Plan of a warp, in shared memory, because registers are for the loop over pairs. A pair is a column on a slice. Pairs
 * are planned for several slices ahead; units arrive in sequence.
 *   - pair.x: weight of the first line; 0: none; negative: three or more lines
 *   - pair.y: weight of the last line; in tall tiles a pixel's height
 *   - pair.z: position of the tile's centre in the window
 *   - pair.w: address of the first line, relative to its slice until the slice arrives
 *   - rest.x: in tall tiles weight of the last line (0: it is the first); otherwise growth of a pixel's height per slice
 *   - rest.y: a pixel's height
 *   - rest.z: weight of the inner lines
 *   - rest.w: number of lines */
template <int COLUMNS> struct plan {
	float4 pair[WARP], rest[WARP];
	/* in voxels: column edges; centre of the tile in z; pixel heights */
	struct linear edge[COLUMNS + 1], middle[COLUMNS], height[COLUMNS];
	struct pixel pixel[COLUMNS];
};

/* Slices that are planned. */
struct course {
	int first, end;
};

template <int FORM> struct window {
	float intervals, inverse, middle;
	__device__ __forceinline__ window(const unit *u)
	    : intervals(u->intervals), inverse(u->inverse), middle(8388608.f + 0.5f * u->intervals)
	{
	}
	__device__ __forceinline__ unsigned place_of(float q, float *fraction) const
	{
		const float in = __saturatef(FORM == SHORT ? q : fmaf(q, inverse, 0.5f)), t = __fmaf_rd(in, intervals, 8388608.f);
		*fraction = FORM == SHORT ? fmaf(in, intervals, -(t - 8388608.f)) : __saturatef(q - (t - middle));
		return __float_as_uint(t) * 4;
	}
};

/* Prepares view m and its columns from k on; n: the central slice, middle: the central row. */
template <int COLUMNS>
static __device__ __forceinline__ void prepare(struct plan<COLUMNS> *p, const gt_dd &d, const gt_dd_fast &f, int m, int k, int n,
                                               double middle)
{
	const int lane = threadIdx.x % WARP;
	const gt_dd_near *w = f.view + max(m, 0);
	const gt_dd_edge_q *e = f.height + (size_t)max(m, 0) * (d.columns + 1) + min(k + lane, d.columns);
	const double g = w->g0 + n * w->dg;
	if (lane <= COLUMNS)
		p->edge[lane] = linear_of((w->a0 + n * w->da + g * e->U) * POINT, (w->da + w->dg * e->U) * POINT, n);
	if (lane < COLUMNS) {
		const double q = e->q, row = middle + w->p, U = e[k + lane < d.columns].U - e->U;
		p->middle[lane] = linear_of((w->z0 + n * w->dz + q * g * row) * POINT, (w->dz + q * w->dg * row) * POINT, n);
		p->height[lane] = linear_of(q * g * HEIGHT_POINT, q * w->dg * HEIGHT_POINT, n);
		p->pixel[lane] = { (float)(U / q), (float)(q * w->dg), m < 0 ? 0 : w->first, m < 0 ? 0 : w->end };
	}
	__syncwarp();
}

/* A lane's own part of the plan. */
struct own {
	float4 pair, rest;
};


/* Plans pairs from the first slice of a unit on. */
template <int FORM, bool HEIGHTS, int COLUMNS>
static __device__ __forceinline__ struct own make_plan(const unit *u, struct plan<COLUMNS> *p, struct course *c)
{
	enum { SLICES = WARP / COLUMNS };
	const int lane = threadIdx.x % WARP, in = lane / COLUMNS, column = lane % COLUMNS, first = same(u->first), until = same(u->until);
	const int n = first + in;
	const auto pixel = p->pixel[column];
	const float unit_of = FORM == SHORT ? u->inverse : 1, A = (float)whole_of(p->height[column].at((unsigned)n)) * 0x1p-28f,
		    height = A * unit_of;
	struct own o = { make_float4(0, HEIGHTS ? height : 0, 0, 0), make_float4(HEIGHTS ? 0 : pixel.growth * unit_of, height, 0, 0) };
	if (n < until && n >= pixel.first && n < pixel.end) {
		const span s = u->span[in];
		const long long low = p->edge[column].at((unsigned)n), high = p->edge[column + 1].at((unsigned)n),
				z = p->middle[column].at((unsigned)n);
		const int before = whole_of(low) - s.line, i = max(before, 0);
		const float from = before < 0 ? 0 : fraction_of(low),
			    to = fminf((float)(whole_of(high) - s.line - i) + fraction_of(high), (float)(s.lines - i));
		if (to > from) {
			const float weight = gt_rcp_approx(pixel.width * A * A);
			const int count = (int)ceilf(to);
			(HEIGHTS ? o.rest.x : o.pair.y) = count > 1 ? (to - (count - 1)) * weight : 0;
			o.rest.z = weight;
			o.rest.w = __int_as_float(count);
			o.pair.x = fmaxf((fminf(to, 1.f) - from) * weight, 1e-30f);
			o.pair.x = count > 2 ? -o.pair.x : o.pair.x;
			o.pair.z = ((float)(whole_of(z) - s.low) - (FORM == SHORT ? 0 : 0.5f * u->intervals) + fraction_of(z)) * unit_of;
			o.pair.w = __int_as_float(i * u->bytes);
		}
	}
	c->first = first;
	c->end = min(first + SLICES, until);
	return o;
}

/* Completes a lane's pair if its slice has arrived: its address, and the tile's upper edge, above_middle rows above the
 * centre, if `edge`. Returns its number of lines. */
template <int FORM, bool HEIGHTS>
static __device__ __forceinline__ int settle(const unit *u, struct own *o, int at, bool edge, float above_middle, float (&top)[1])
{
	if (at < 0 || at >= u->slices)
		return 0;
	const int count = __float_as_int(o->rest.w);
	const unsigned first = address_of(u + 1) + u->span[at].offset + __float_as_uint(o->pair.w) - 0x4B000000u * 4u;
	o->pair.w = __uint_as_float(first);
	if (!edge)
		return count;
	float fraction;
	unsigned place = first + window<FORM>(u).place_of(fmaf(o->rest.y, above_middle, o->pair.z), &fraction);
#pragma unroll 1
	for (int k = 0; k < count; k++, place += u->bytes) {
		const float w = k == 0           ? fabsf(o->pair.x)
		                : k == count - 1 ? (HEIGHTS ? o->rest.x : o->pair.y)
		                                 : o->rest.z,
			    below = load1(place), above = load1<4>(place);
		top[0] = fmaf(w, fmaf(fraction, above - below, below), top[0]);
	}
	return count;
}
#endif
#endif
