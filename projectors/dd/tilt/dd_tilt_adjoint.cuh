#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_ADJOINT_CUH
#define GT_PROJECTORS_DD_TILT_DD_TILT_ADJOINT_CUH
/* Backprojection for tilted detectors, device code of one thread. A thread owns a few adjacent voxels of a slice at
 * several heights and loops over the views. In each view it loops over the strips that meet the voxels, and samples the
 * running sums of each strip at the voxel edges. Lanes are adjacent voxels of a slice. */
#include "projectors/dd/tilt/dd_tilt_cuda.cuh"

/* The first strip whose upper edge lies above X on a slice at height Z. */
static __device__ int gt_dd_tilt_find(const gt_dd_pose *v, const gt_dd_tilt_edge *edge, const gt_dd_tilt_slice *s, double X, double Z)
{
	int low = 0, high = v->strips;
	while (low < high) {
		const int k = (low + high) / 2;
		if (gt_dd_tilt_across(s, &edge[k + 1]) + edge[k + 1].slope * Z > X)
			high = k;
		else
			low = k + 1;
	}
	return low;
}

/* Initial guess of the strip for a tile's block: the strip of one view at the tile's centre. n: the slice, X and Z:
 * voxels. */
static __device__ int gt_dd_tilt_middle(const gt_dd_tilt &d, size_t at, int n, double X, double Z)
{
	const gt_dd_pose v = d.view[at];
	const gt_dd_tilt_slice s = gt_dd_tilt_slice_of(&v, max(v.first, min(n, v.end - 1)));
	const double near = fmin(fmax(Z, s.zero + s.scale * v.low), s.zero + s.scale * v.high);
	return min(gt_dd_tilt_find(&v, d.edge + at * (d.longest + 1), &s, X, near), v.strips - 1);
}

/* Sum of the pixels before one, and the value of that pixel. */
template <typename REAL> struct __align__(2 * sizeof(REAL)) gt_dd_tilt_sum { REAL before, value; };

/* A view in the slice of a thread. */
template <typename REAL> struct gt_dd_tilt_seen {
	gt_dd_tilt_slice slice;
	const gt_dd_tilt_edge *edge;
	const gt_dd_tilt_strip *strip;
	const gt_dd_tilt_sum<REAL> *sums; /* [piece, d.pieces + 1][row] */
	int strips, pieces, row;
	double voxel, middle; /* the first voxel; centre of the heights that the view sees */
	REAL half, beyond;    /* half the range of these heights; see gt_dd_tilt_sees() */
	REAL share;           /* 1 / F */
};

/* An edge relative to the first voxel, at the centre of the heights, and its maximum deviation there. */
template <typename REAL> struct gt_dd_tilt_place {
	REAL at, swing, slope;
};
template <typename REAL> static __device__ __forceinline__ gt_dd_tilt_place<REAL> gt_dd_tilt_place_of(const gt_dd_tilt_seen<REAL> &w, int k)
{
	const gt_dd_tilt_edge e = w.edge[k];
	const REAL slope = (REAL)e.slope;
	return { (REAL)(gt_dd_tilt_across(&w.slice, &e) + e.slope * w.middle - w.voxel), (slope < 0 ? -slope : slope) * w.half + w.beyond,
		 slope };
}

/* Returns 1 if the view sees heights z0 .. z0 + HEIGHT of slice n. Edges ascend at all N of the detector; the centre of
 * a voxel may lie half a voxel outside. */
template <typename REAL, int HEIGHT>
static __device__ __forceinline__ int gt_dd_tilt_sees(const gt_dd_tilt &d, const gt_dd_tilt_job &j, int b, int n, int voxel, int z0,
                                                      gt_dd_tilt_seen<REAL> *w)
{
	const size_t at = j.view[b];
	const gt_dd_pose *v = &d.view[at];
	if (n < v->first || n >= v->end)
		return 0;
	w->slice = gt_dd_tilt_slice_of(v, n);
	const double low = w->slice.zero + w->slice.scale * v->low, high = w->slice.zero + w->slice.scale * v->high;
	if (!(high > z0 && low < z0 + HEIGHT))
		return 0;
	const double a = fmin(fmax(z0 + .5, low), high), c = fmin(fmax(z0 + (HEIGHT - .5), low), high);
	w->strips = v->strips;
	w->pieces = v->pieces;
	w->row = d.strips;
	w->edge = d.edge + at * (d.longest + 1);
	w->strip = d.strip + at * d.longest;
	w->sums = (const gt_dd_tilt_sum<REAL> *)j.in + (size_t)b * (d.pieces + 1) * d.strips;
	w->voxel = voxel;
	w->middle = 0.5 * (a + c);
	w->half = (REAL)(0.5 * (c - a));
	w->beyond = (REAL)(0.5 * fmax(fabs(w->edge[0].slope), fabs(w->edge[v->strips].slope)) + 1e-6);
	w->share = (REAL)(1 / w->slice.scale);
	return 1;
}

/* Sampling of a strip's sums at heights z + e. Height e is d = pace e + off in T from e = 0, clamped to [least, most];
 * e = 0 is at row l + base. With bend = C / (1 - C T), the fraction f of a piece m rows later is the fraction f (1 -
 * bend d) (next + curve m) in T. */
template <typename REAL> struct gt_dd_tilt_reading {
	REAL pace, off, min, max, base, stretch, bend, curve, next;
	int l;
};

static __device__ __forceinline__ double gt_dd_tilt_fine_inverse(double a, float)
{
	const double r = gt_rcp_approx((float)a);
	return r * (2 - a * r);
}
static __device__ __forceinline__ double gt_dd_tilt_fine_inverse(double a, double) { return 1 / a; }

template <typename REAL>
static __device__ __forceinline__ gt_dd_tilt_reading<REAL> gt_dd_tilt_reading_of(const gt_dd_tilt_slice &s, const gt_dd_tilt_strip &strip,
                                                                                 int pieces, int z0)
{
	const double C = strip.C, inverse = gt_dd_tilt_fine_inverse(s.scale * strip.Q, REAL(0)),
		     T = ((z0 - s.zero) - s.scale * strip.N0) * inverse, most = pieces * gt_dd_tilt_fine_inverse(1 + C * pieces, REAL(0)),
		     kept = fmin(fmax(T, 0.), most), straight = 1 - C * kept, bent = gt_dd_tilt_fine_inverse(straight, REAL(0)),
		     y = kept * bent;
	gt_dd_tilt_reading<REAL> r;
	r.l = min((int)y, pieces);
	r.pace = (REAL)inverse;
	r.off = (REAL)(T - kept);
	r.min = (REAL)-kept;
	r.max = (REAL)(most - kept);
	r.base = (REAL)(y - r.l);
	r.stretch = (REAL)(bent * bent);
	r.bend = (REAL)(C * bent);
	r.curve = (REAL)(C * straight);
	r.next = (REAL)(1 + C * straight * (r.l + 1 - y));
	gt_dd_tilt_keep(r.pace, r.off, r.min, r.max, r.base, r.stretch, r.bend, r.curve, r.next);
	return r;
}

/* Returns the sum at height z0 + e. */
template <typename REAL>
static __device__ __forceinline__ REAL gt_dd_tilt_sum_at(const gt_dd_tilt_sum<REAL> *sums, int row, const gt_dd_tilt_reading<REAL> &r,
                                                         int e)
{
	int m;
	const REAL d = gt_dd_tilt_within(r.pace * e + r.off, r.min, r.max), bent = 1 - r.bend * d,
		   place = max(r.stretch * (d * gt_dd_tilt_inverse(bent)) + r.base, (REAL)-r.l), whole = gt_dd_tilt_whole(place, &m);
	const gt_dd_tilt_sum<REAL> sum = *gt_dd_tilt_numbered(sums, m, row);
	return (place - whole) * bent * (r.curve * whole + r.next) * sum.value + sum.before;
}

/* Adds strip k, between edges `low` and `high`, to the voxels. */
template <typename REAL, int HEIGHT, int VOXELS>
static __device__ __forceinline__ void gt_dd_tilt_add_strip(const gt_dd_tilt_seen<REAL> &w, int k, const gt_dd_tilt_place<REAL> &low,
                                                            const gt_dd_tilt_place<REAL> &high, int z0, REAL (&sum)[VOXELS][HEIGHT])
{
	const gt_dd_tilt_reading<REAL> r = gt_dd_tilt_reading_of<REAL>(w.slice, w.strip[k], w.pieces, z0 + HEIGHT / 2);
	const int row = w.row * (int)sizeof(gt_dd_tilt_sum<REAL>);
	const gt_dd_tilt_sum<REAL> *sums = w.sums + ((size_t)r.l * w.row + k);
	sums = gt_dd_tilt_numbered(sums, -gt_dd_tilt_zero(REAL(0)), row);
	gt_dd_tilt_keep(sums);
	const REAL offset = (REAL)(z0 + .5 - w.middle);
	REAL a0 = low.slope * offset + low.at, b0 = high.slope * offset + high.at;
	gt_dd_tilt_keep(a0);
	gt_dd_tilt_keep(b0);
	REAL below = gt_dd_tilt_sum_at(sums, row, r, -HEIGHT / 2);
#pragma unroll
	for (int e = 0; e < HEIGHT; e++) {
		const REAL above = gt_dd_tilt_sum_at(sums, row, r, e + 1 - HEIGHT / 2), seen = (above - below) * w.share;
		below = above;
#pragma unroll
		for (int i = 0; i < VOXELS; i++) {
			const REAL a = gt_dd_tilt_share(low.slope * e + (a0 - i)), b = gt_dd_tilt_share(high.slope * e + (b0 - i));
			sum[i][e] += max(b - a, REAL(0)) * seen;
		}
	}
}
/* Adds view b of the batch to the voxels from `voxel` on of slice n at heights from z0 on; near: initial guess of the
 * strip. */
template <typename REAL, int HEIGHT, int VOXELS>
static __device__ __forceinline__ void gt_dd_tilt_add_view(const gt_dd_tilt &d, const gt_dd_tilt_job &j, int b, int n, int voxel, int z0,
                                                           int near, REAL (&sum)[VOXELS][HEIGHT])
{
	gt_dd_tilt_seen<REAL> w;
	if (!gt_dd_tilt_sees<REAL, HEIGHT>(d, j, b, n, voxel, z0, &w))
		return;
	const gt_dd_tilt_place<REAL> one = gt_dd_tilt_place_of(w, near), two = gt_dd_tilt_place_of(w, near + 1);
	const REAL steps = -one.at * gt_dd_tilt_inverse(two.at - one.at);
	int k = near + (int)gt_dd_tilt_within(steps, (REAL)-near, (REAL)(w.strips - near));
	gt_dd_tilt_place<REAL> low = gt_dd_tilt_place_of(w, k);
	while (k > 0 && low.at + low.swing > 0)
		low = gt_dd_tilt_place_of(w, --k);
	while (k < w.strips && low.at - low.swing < VOXELS) {
		const gt_dd_tilt_place<REAL> high = gt_dd_tilt_place_of(w, k + 1);
		if (high.at + high.swing > 0)
			gt_dd_tilt_add_strip<REAL, HEIGHT, VOXELS>(w, k, low, high, z0, sum);
		low = high;
		k++;
	}
}
#endif
