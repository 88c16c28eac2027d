#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_FORWARD_CUH
#define GT_PROJECTORS_DD_TILT_DD_TILT_FORWARD_CUH
/* Forward projection for tilted detectors, device code of one thread. A thread owns pieces of a strip and loops over
 * the slices. In each slice it climbs along z through the edges of voxels and pieces, in ascending order. Lanes are
 * adjacent strips, so they read adjacent voxels. */
#include "projectors/dd/tilt/dd_tilt_cuda.cuh"

/* A strip's edges over the voxels of a slice, relative to one voxel: at height h, low + h low_step and high + h
 * high_step. */
template <typename REAL> struct gt_dd_tilt_sheared {
	REAL low, high, low_step, high_step;
	REAL first, end; /* voxel range of the slice */
};

enum { GT_DD_TILT_UP = GT_DD_TILT_WARP }; /* stride of a thread's entries in shared memory */

/* Returns the voxels at one height, weighted by their overlap with the strip. INSIDE: these and the next voxel lie in
 * the slice. */
template <bool INSIDE, typename REAL>
static __device__ __forceinline__ REAL gt_dd_tilt_mixed(const REAL *line, const gt_dd_tilt_sheared<REAL> &s, REAL height)
{
	REAL low = s.low_step * height + s.low, high = s.high_step * height + s.high;
	int q;
	if (!INSIDE) {
		low = gt_dd_tilt_within(low, s.first, s.end);
		high = gt_dd_tilt_within(high, s.first, s.end);
		if (!(high > low))
			return 0;
	}
	const REAL whole = gt_dd_tilt_whole(low, &q), a = low - whole, b = max(high - whole, a);
	const REAL *v = line + (q - gt_dd_tilt_zero(low));
	REAL sum = (min(b, REAL(1)) - a) * v[0];
	if (INSIDE || b > 1)
		sum += gt_dd_tilt_share(b - 1) * v[1];
#pragma unroll 1
	for (int e = 2; b > e; e++)
		sum += min(b - e, REAL(1)) * v[e];
	return sum;
}

/* Positions of a thread's pieces in a slice, in voxels from one voxel. */
template <typename REAL> struct gt_dd_tilt_climb {
	REAL bottom, scale; /* edge r is at bottom + scale up[r] */
	REAL low, high;     /* range of the volume */
	REAL factor;
};

template <bool INSIDE, typename REAL, int ROWS>
static __device__ __forceinline__ void gt_dd_tilt_add_slice(const REAL *line, size_t next_line, const gt_dd_tilt_sheared<REAL> &s,
                                                            const gt_dd_tilt_climb<REAL> &c, const REAL *up, REAL (&sum)[ROWS])
{
	REAL at = gt_dd_tilt_within(c.bottom, c.low, c.high), top = 1, value = gt_dd_tilt_mixed<INSIDE>(line, s, REAL(0));
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const REAL edge = gt_dd_tilt_within(c.scale * up[r * GT_DD_TILT_UP] + c.bottom, c.low, c.high);
		REAL seen = 0;
#pragma unroll 1
		while (top < edge) {
			seen += value * (top - at);
			at = top;
			line += next_line;
			value = gt_dd_tilt_mixed<INSIDE>(line, s, top);
			top += 1;
		}
		sum[r] += c.factor * (value * (edge - at) + seen);
		at = edge;
	}
}

/* Overlaps and voxels of a narrow strip at one height, not yet combined, so that the loads may be in flight. */
template <typename REAL> struct gt_dd_tilt_pair {
	REAL share[2], voxel[2];
};
template <typename REAL>
static __device__ __forceinline__ gt_dd_tilt_pair<REAL> gt_dd_tilt_fetch(const REAL *lines, int line, const gt_dd_tilt_sheared<REAL> &s,
                                                                         REAL height)
{
	const REAL low = s.low_step * height + s.low, high = s.high_step * height + s.high;
	int q;
	const REAL whole = gt_dd_tilt_whole(low, &q), b = high - whole;
	const REAL *v = gt_dd_tilt_numbered(lines, line + q, (int)sizeof(REAL));
	return { { min(b, REAL(1)) - (low - whole), gt_dd_tilt_share(b - 1) }, { v[0], v[1] } };
}
template <typename REAL> static __device__ __forceinline__ REAL gt_dd_tilt_together(const gt_dd_tilt_pair<REAL> &p)
{
	return p.share[0] * p.voxel[0] + p.share[1] * p.voxel[1];
}

/* gt_dd_tilt_add_slice() for narrow strips; loads the next height's voxels ahead. */
template <typename REAL, int ROWS>
static __device__ __forceinline__ void gt_dd_tilt_add_narrow(const REAL *lines, int next_line, const gt_dd_tilt_sheared<REAL> &s,
                                                             const gt_dd_tilt_climb<REAL> &c, const REAL *up, REAL (&sum)[ROWS])
{
	int line = next_line;
	lines = gt_dd_tilt_numbered(lines, -gt_dd_tilt_zero(REAL(0)), (int)sizeof(REAL));
	gt_dd_tilt_keep(lines);
	REAL at = c.bottom, top = 1, value = gt_dd_tilt_together(gt_dd_tilt_fetch(lines, 0, s, REAL(0)));
	gt_dd_tilt_pair<REAL> ahead = gt_dd_tilt_fetch(lines, line, s, top);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const REAL edge = c.scale * up[r * GT_DD_TILT_UP] + c.bottom;
		REAL seen = 0;
#pragma unroll 1
		while (top < edge) {
			seen += value * (top - at);
			at = top;
			value = gt_dd_tilt_together(ahead);
			top += 1;
			line += next_line;
			ahead = gt_dd_tilt_fetch(lines, line, s, top);
		}
		sum[r] += c.factor * (value * (edge - at) + seen);
		at = edge;
	}
}

/* Sums of pieces -> data, times their weights. */
template <typename REAL, int ROWS>
static __device__ __forceinline__ void gt_dd_tilt_store(const gt_dd_tilt &d, const gt_dd_tilt_job &j, size_t at, int k, int l0,
                                                        const gt_dd_tilt_edge *edge, const gt_dd_tilt_strip &strip, const REAL (&sum)[ROWS])
{
	const gt_dd_pose *v = &d.view[at];
	const gt_dd_tilt_edge e[2] = { edge[0], edge[1] };
	REAL *out = (REAL *)j.out + at * d.rows * d.columns + (v->start + k * v->to_strip);
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		const int l = l0 + r;
		if (l < v->pieces) {
			const double weight = gt_dd_tilt_weight(&d, v, e, &strip, l) / (strip.Q * gt_dd_tilt_height(&strip, l));
			const REAL y = (REAL)(sum[r] * weight);
			out[l * v->to_piece] = j.add ? out[l * v->to_piece] + y : y;
		}
	}
}

/* Pieces l0 .. l0 + ROWS - 1 of strip k of a view. Strips beyond the last repeat it and are not stored. */
template <typename REAL, int ROWS>
static __device__ __forceinline__ void gt_dd_tilt_forward_thread(const gt_dd_tilt &d, const gt_dd_tilt_job &j, size_t at, int k, int l0,
                                                                 REAL *up)
{
	const gt_dd_pose *v = &d.view[at];
	const int is_there = k < v->strips, voxels = d.n[1 - j.axis], height = d.n[2];
	k = is_there ? k : v->strips - 1;
	const gt_dd_tilt_edge *edge = d.edge + at * (d.longest + 1) + k, e[2] = { edge[0], edge[1] };
	const gt_dd_tilt_strip *strips = d.strip + at * d.longest + k, strip = *strips;
	const double T0 = gt_dd_tilt_piece(&strip, l0), N0 = strip.N0 + strip.Q * T0;
	REAL sum[ROWS];
#pragma unroll
	for (int r = 0; r < ROWS; r++) {
		up[r * GT_DD_TILT_UP] = (REAL)(strip.Q * (gt_dd_tilt_piece(&strip, min(l0 + r + 1, v->pieces)) - T0));
		sum[r] = 0;
	}
	const gt_dd_tilt_slice s0 = gt_dd_tilt_slice_of(v, 0), s1 = gt_dd_tilt_slice_of(v, 1);
	const double F0 = s0.scale, F1 = s1.scale - F0, Z0 = s0.zero + F0 * N0, Z1 = s1.zero + s1.scale * N0 - Z0;
	const double low0 = gt_dd_tilt_across(&s0, &e[0]), low1 = gt_dd_tilt_across(&s1, &e[0]) - low0;
	const double high0 = gt_dd_tilt_across(&s0, &e[1]), high1 = gt_dd_tilt_across(&s1, &e[1]) - high0;
	const REAL steps[2] = { (REAL)e[0].slope, (REAL)e[1].slope };
	const int from = max(j.begin, v->first), to = min(j.end, v->end);
#pragma unroll 1
	for (int n = from; n < to; n++) {
		const double z = Z0 + n * Z1;
		const int z_voxel = (int)fmin(fmax(z, 0.), height - 1.);
		const double middle = z_voxel + 0.5, low = low0 + n * low1 + e[0].slope * middle,
			     high = high0 + n * high1 + e[1].slope * middle, start = floor(fmin(fmax(low, -1e9), 1e9));
		const gt_dd_tilt_sheared<REAL> s = { (REAL)(low - start), (REAL)(high - start),  steps[0], steps[1],
			                             (REAL)-start,        (REAL)(voxels - start) };
		const REAL F = (REAL)(F0 + n * F1);
		const gt_dd_tilt_climb<REAL> c = { (REAL)(z - z_voxel), F, (REAL)-z_voxel, (REAL)(height - z_voxel), 1 / (F * F) };
		const REAL top = F * up[(ROWS - 1) * GT_DD_TILT_UP] + c.bottom, climbed = gt_dd_tilt_within(top, REAL(0), c.high) + 1;
		const REAL least = min(s.low, s.low_step * climbed + s.low), most = max(s.high, s.high_step * climbed + s.high);
		if (!__any_sync(~0u, is_there && top > c.low && c.bottom < c.high && most > s.first && least < s.end))
			continue;
		const int is_inside = least >= s.first + REAL(.01) && most <= s.end - REAL(1.01);
		const REAL width = s.high - s.low, width_above = width + (s.high_step - s.low_step) * climbed;
		const int is_narrow = is_inside && c.bottom >= c.low && top + 2 <= c.high && climbed * (REAL)j.up < REAL(0x1p29) &&
		                      min(width, width_above) > 0 && max(width, width_above) < 1;
		const REAL *line = (const REAL *)j.in + (n - j.begin) * j.across + z_voxel * j.up + (ptrdiff_t)start;
		if (__all_sync(~0u, is_narrow))
			gt_dd_tilt_add_narrow<REAL, ROWS>(line, (int)j.up, s, c, up, sum);
		else if (__all_sync(~0u, is_inside))
			gt_dd_tilt_add_slice<true, REAL, ROWS>(line, j.up, s, c, up, sum);
		else
			gt_dd_tilt_add_slice<false, REAL, ROWS>(line, j.up, s, c, up, sum);
	}
	gt_dd_tilt_keep(edge); /* reload instead of keeping them in registers */
	gt_dd_tilt_keep(strips);
	if (is_there)
		gt_dd_tilt_store<REAL, ROWS>(d, j, at, k, l0, edge, *strips, sum);
}
#endif
