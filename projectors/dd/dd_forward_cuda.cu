/* Distance-driven forward projection on CUDA in single precision: running sums along z of each voxel column, read at the row edges of cells.
 *
 * The z-to-row interpolation depends on the slice and the detector column, not on the voxel along the slice: place and fraction are found once per
 * slice and row edge, and each line of voxels that the column meets costs two loads from shared memory. A warp owns COLUMNS columns of one view times
 * 32 ROWS rows. Only the value at the lower row edge is accumulated; differences of adjacent edges are taken every few slices. Eight warps of up to four
 * neighbouring views share the lines, which a ninth fetches into a ring in shared memory, slice after slice.
 *
 * Least work: two passes of shared memory per line met and 32 rows, more where cells are taller than voxels.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_FORWARD_COLUMNS /* columns per warp with one or two rows per lane: 2, 4, 8 */
#define GT_DD_FORWARD_COLUMNS 4
#endif
#ifndef GT_DD_FORWARD_COLUMNS4 /* the same with four rows per lane: 2, 4 */
#define GT_DD_FORWARD_COLUMNS4 2
#endif
#ifndef GT_DD_FORWARD_SLOT /* bytes of one place of the ring: multiples of 128 */
#define GT_DD_FORWARD_SLOT 23552
#endif
#ifndef GT_DD_FORWARD_SLOT4 /* the same with four rows per lane */
#define GT_DD_FORWARD_SLOT4 33792
#endif
#ifndef GT_DD_FORWARD_SLOTS /* places of the ring: 2 to 8 */
#define GT_DD_FORWARD_SLOTS 2
#endif
#ifndef GT_DD_FORWARD_BLOCKS /* blocks per multiprocessor: 2, 3, 4 */
#define GT_DD_FORWARD_BLOCKS 4
#endif
#ifndef GT_DD_FORWARD_BLOCKS4 /* the same with four rows per lane */
#define GT_DD_FORWARD_BLOCKS4 3
#endif
#ifndef GT_DD_FORWARD_WHOLE /* volumes of up to so many slices of z are fetched in whole lines: 16 to 512 */
#define GT_DD_FORWARD_WHOLE 96
#endif
#ifndef GT_DD_FORWARD_FLUSH /* running sums times slices between differences, in voxels: 512 to 8192 */
#define GT_DD_FORWARD_FLUSH 2048
#endif
#include "core/cuda.h"
#include "projectors/dd/dd_fast.h"
#include "projectors/staging.h"

enum { WARP = 32, WARPS = 8, THREADS = WARP * (WARPS + 1), TILE = 64, MOST_SLICES = 16 };

static __host__ __device__ constexpr int slot_bytes(int rows) { return rows == 4 ? GT_DD_FORWARD_SLOT4 : GT_DD_FORWARD_SLOT; }

/* Head of a place of the ring: consecutive slices. */
struct unit {
	int first, slices;        /* slice numbers */
	int last, bytes;          /* nothing follows; bytes of a line */
	float intervals, inverse; /* of the window in z */
	int line[MOST_SLICES];    /* first line here */
	int lines[MOST_SLICES];
	int offset[MOST_SLICES]; /* bytes from the end of the head */
	int low[MOST_SLICES];    /* first z edge of the window */
	int pad[2];
};
static_assert(sizeof(unit) % 16 == 0, "bulk copies need 16 bytes");

struct job {
	const float *lines; /* [slice - begin][voxel][stride] running sums at z edges */
	float *y;
	int axis, begin, end; /* slices of this launch */
	int stride, add;      /* add to y, or set it */
	int first_group;      /* in gt_dd_fast.group */
	int column_blocks, groups, flush;
};

/* A block: the lines of 32 neighbours in x. Entry e is the sum of voxels 0 .. e-1 less that of the lower half; entries past the last keep its value. */
static __global__ void sum_lines(const float *x, float *out, int nx, int ny, int nz, int stride, int axis, int begin, int end, int groups)
{
	__shared__ float tile[TILE][WARP + 1];
	__shared__ double part[8][WARP];
	const int lane = threadIdx.x, warp = threadIdx.y;
	const int from = axis == 0 ? begin : 0, to = axis == 0 ? end : nx;
	const int x0 = from + blockIdx.x % groups * WARP, i = x0 + lane, yy = blockIdx.x / groups + (axis == 1 ? begin : 0);
	const size_t plane = (size_t)nx * ny, at = (size_t)yy * nx + i;
	auto value = [&](int z) { return i < to && z < nz ? x[z * plane + at] : 0.f; };
	double low = 0, start[4];
	for (int z = warp; z < nz / 2; z += 8)
		low += value(z);
	part[warp][lane] = low;
	__syncthreads();
	for (int j = 0; j < 4; j++) {
		start[j] = 0;
		for (int w = 0; w < 8; w++)
			start[j] -= part[w][warp * 4 + j];
	}
	for (int z0 = 0; z0 < stride; z0 += TILE) {
		__syncthreads();
		for (int z = warp; z < TILE; z += 8)
			tile[z][lane] = value(z0 + z);
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 4; j++) {
			const int xx = x0 + warp * 4 + j, z = z0 + 2 * lane;
			const float v0 = tile[2 * lane][warp * 4 + j], v1 = tile[2 * lane + 1][warp * 4 + j];
			float sum = v0 + v1;
			for (int s = 1; s < WARP; s *= 2) {
				const float other = __shfl_up_sync(~0u, sum, s);
				sum += lane >= s ? other : 0;
			}
			const double C = start[j] + (sum - (v0 + v1));
			const size_t line = axis == 1 ? (size_t)(yy - begin) * nx + xx : (size_t)(xx - begin) * ny + yy;
			if (xx < to && z < stride)
				*(float2 *)(out + line * stride + z) = make_float2((float)C, (float)(C + v0));
			start[j] += __shfl_sync(~0u, sum, WARP - 1);
		}
	}
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

struct ring {
	unsigned char *base;
	int size; /* bytes of a place */
	unsigned full, empty;
};

/* Lines and z edges of slice n that the block's columns and rows meet. */
struct reach {
	int line, lines, low, high;
};

/* Of the block's columns, per view of the group: cells' heights over R, least and greatest. */
struct heights {
	double least[GT_DD_GROUP], most[GT_DD_GROUP];
};
static __device__ struct heights heights_of(const gt_dd &d, const gt_dd_fast &f, const gt_dd_group *g, int k0, int k1)
{
	struct heights h;
	for (int i = 0; i < GT_DD_GROUP; i++) {
		const gt_dd_edge_q *e = f.height + (size_t)max(g->view[i], 0) * (d.columns + 1);
		h.least[i] = h.most[i] = e[k0].q;
		for (int k = k0 + 1; k < k1; k++) {
			h.least[i] = fmin(h.least[i], e[k].q);
			h.most[i] = fmax(h.most[i], e[k].q);
		}
	}
	return h;
}

static __device__ struct reach reach_of(const gt_dd &d, const gt_dd_fast &f, const gt_dd_group *g, const struct heights *q, int axis, int n,
                                        int k0, int k1, int l0, int l1)
{
	double x_low = 1e30, x_high = -1e30, z_low = 1e30, z_high = -1e30;
	for (int i = 0; i < GT_DD_GROUP; i++) {
		if (g->view[i] < 0)
			continue;
		const gt_dd_near *w = f.view + g->view[i];
		if (n < w->first || n >= w->end)
			continue;
		const gt_dd_edge_q *e = f.height + (size_t)g->view[i] * (d.columns + 1);
		const double a = w->a0 + n * w->da, s = w->g0 + n * w->dg, least = s * q->least[i], most = s * q->most[i];
		const double z = w->z0 + n * w->dz, below = l0 + w->p, above = l1 + w->p;
		x_low = fmin(x_low, a + s * e[k0].U);
		x_high = fmax(x_high, a + s * e[k1].U);
		z_low = fmin(z_low, z + below * (below > 0 ? least : most));
		z_high = fmax(z_high, z + above * (above > 0 ? most : least));
	}
	struct reach r = { 0, 0, 0, 0 };
	const int width = d.n[1 - axis];
	if (x_low < width && x_high > 0 && z_low < d.n[2] && z_high > 0) {
		r.line = x_low > 0 ? (int)x_low : 0;
		r.lines = (x_high < width ? (int)ceil(x_high) : width) - r.line;
		r.low = z_low > 1 ? (int)(z_low - 0.01) & ~3 : 0;
		r.high = z_high < d.n[2] ? (int)ceil(z_high + 0.01) : d.n[2];
	}
	return r;
}

/* The ninth warp: fills the ring. */
static __device__ void produce(const gt_dd &d, const gt_dd_fast &f, const job &j, struct ring ring, const gt_dd_group *g, int k0, int k1,
                               int l0, int l1, int most_slices)
{
	const int lane = threadIdx.x % WARP, room = ring.size - (int)sizeof(unit), width = d.n[1 - j.axis];
	const struct heights heights = heights_of(d, f, g, k0, k1);
	unsigned units = 0;
	auto open = [&]() {
		const unsigned slot = units % GT_DD_FORWARD_SLOTS;
		barrier_wait(ring.empty + 8 * slot, units / GT_DD_FORWARD_SLOTS % 2 ^ 1);
		return slot;
	};
	for (int n0 = j.begin; n0 < j.end; n0 += WARP) {
		const int n = n0 + lane;
		struct reach r = { 0, 0, 0, 0 };
		if (n < j.end)
			r = reach_of(d, f, g, &heights, j.axis, n, k0, k1, l0, l1);
		if (!__any_sync(~0u, r.lines > 0))
			continue;
		if (d.n[2] <= GT_DD_FORWARD_WHOLE && r.lines)
			r.low = 0, r.high = d.n[2];
		const int entries = min((__reduce_max_sync(~0u, r.high - r.low) + 2 + 3) & ~3, j.stride), bytes = entries * 4;
		r.low = min(r.low, j.stride - entries);
		int s = 0, done = 0; /* the next slice, and its lines that are done */
		while (s < WARP) {
			const int lines = __shfl_sync(~0u, r.lines, s);
			if (!lines) {
				s++;
				continue;
			}
			/* as many slices as fit, or a part of one */
			const int here = (lines - done) * bytes > room || done ? min(lines - done, room / bytes) : 0;
			int own = lane >= s && lane < s + most_slices ? r.lines * bytes : 0, sum = own;
			for (int t = 1; t < WARP; t *= 2) {
				const int other = __shfl_up_sync(~0u, sum, t);
				sum += lane >= t ? other : 0;
			}
			const unsigned fits = __ballot_sync(~0u, lane >= s && lane < s + most_slices && r.lines > 0 && sum <= room) >> s;
			const int count = here ? 1 : __ffs(~fits) - 1;
			const unsigned slot = open(), bar = ring.full + 8 * slot;
			unit *u = (unit *)(ring.base + slot * ring.size);
			const int in = lane - s, mine = in >= 0 && in < count;
			const int line = r.line + (here ? done : 0), take = here ? here : r.lines, offset = here ? 0 : sum - own;
			if (mine) {
				u->line[in] = line;
				u->lines[in] = take;
				u->offset[in] = offset;
				u->low[in] = r.low;
			}
			if (lane == 0) {
				u->first = n0 + s;
				u->slices = count;
				u->last = 0;
				u->bytes = bytes;
				u->intervals = (float)(entries - 2);
				u->inverse = 1 / (float)(entries - 2);
			}
			const int total = __shfl_sync(~0u, offset + take * bytes, s + count - 1);
			__syncwarp();
			if (lane == 0)
				barrier_expect(bar, total);
			__syncwarp();
			if (mine) {
				const float *from = j.lines + ((size_t)(n - j.begin) * width + line) * j.stride + r.low;
				const unsigned to = address_of(u + 1) + offset;
				if (entries == j.stride)
					bulk_copy(to, from, take * bytes, bar);
				else
					for (int i = 0; i < take; i++)
						bulk_copy(to + i * bytes, from + (size_t)i * j.stride, bytes, bar);
			}
			units++;
			done = here ? done + here : 0;
			if (!here || done >= lines) {
				s += count;
				done = 0;
			}
		}
	}
	const unsigned slot = open();
	if (lane == 0) {
		((unit *)(ring.base + slot * ring.size))->last = 1;
		barrier_expect(ring.full + 8 * slot, 0);
	}
}

/* A column on a slice: weights of the first and last line, row place of the tile's middle, and the first line's address with 0 to 3 lines in the
 * low bits, where 3 stands for three or more, counted in `more`. */
struct plan {
	float4 pair[WARP];
	float2 more[WARP]; /* number of lines, weight of those in the middle */
};

static __device__ __forceinline__ unsigned place_of(float q, float intervals, float *fraction)
{
	const float in = __saturatef(q), t = __fmaf_rd(in, intervals, 8388608.f);
	*fraction = fmaf(in, intervals, -(t - 8388608.f));
	return __float_as_uint(t) * 4;
}

/* What a lane knows of its column in its view: lane = (column, slice of the unit). */
struct column {
	double a0, da, g0, dg, z0, dz, U0, U1, q, middle;
	int first, end;
};

template <int ROWS, int COLUMNS> struct sums {
	float E[COLUMNS][ROWS], whole[COLUMNS][ROWS], top;
};

template <int ROWS, int COLUMNS> static __device__ __forceinline__ void flush(struct sums<ROWS, COLUMNS> *s)
{
	const int lane = threadIdx.x % WARP;
	float top = s->top;
#pragma unroll
	for (int t = 1; t < WARP / COLUMNS; t *= 2)
		top += __shfl_xor_sync(~0u, top, t);
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		const float highest = __shfl_sync(~0u, top, c * (WARP / COLUMNS));
		float up[ROWS];
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			const float next = r < ROWS - 1 ? __shfl_sync(~0u, s->E[c][r < ROWS - 1 ? r + 1 : r], 0) : highest;
			up[r] = __shfl_down_sync(~0u, s->E[c][r], 1);
			up[r] = lane == WARP - 1 ? next : up[r];
		}
#pragma unroll
		for (int r = 0; r < ROWS; r++) {
			s->whole[c][r] += up[r] - s->E[c][r];
			s->E[c][r] = 0;
		}
	}
	s->top = 0;
}

template <int ROWS, int COLUMNS>
static __device__ __forceinline__ void consume(const unit *u, const struct column *own, struct sums<ROWS, COLUMNS> *s, struct plan *p,
                                               const float (&row)[ROWS])
{
	enum { SLICES = WARP / COLUMNS };
	const int lane = threadIdx.x % WARP, in = lane % SLICES, slices = u->slices, n = u->first + in;
	const float intervals = u->intervals, inverse = u->inverse;
	const unsigned bytes = u->bytes;
	const double g = own->g0 + n * own->dg, a = own->a0 + n * own->da;
	const float A = (float)(own->q * g), step = A * inverse, step_more = (float)(own->q * own->dg) * inverse;
	int count = 0;
	float4 pair = make_float4(0, 0, 0, 0);
	if (in < slices && n >= own->first && n < own->end) {
		const int line = u->line[in], lines = u->lines[in];
		const double low = fma(g, own->U0, a), high = fma(g, own->U1, a);
		const int i = low > line ? (int)low : line;
		const float x0 = (float)(low - i), x1 = (float)(high - i), from = fmaxf(x0, 0.f), to = fminf(x1, (float)(line + lines - i));
		if (to > from) {
			const float weight = __fdividef(1.f, (x1 - x0) * A);
			const unsigned at = address_of(u + 1) + u->offset[in] + (i - line) * bytes - 0x4B000000u * 4u;
			count = (int)ceilf(to);
			pair.x = (fminf(to, 1.f) - from) * weight;
			pair.y = (to - (count - 1)) * weight;
			pair.z = (float)(own->z0 + n * own->dz + own->q * g * own->middle - u->low[in]) * inverse;
			pair.w = __uint_as_float(at | min(count, 3));
			if (count > 2)
				p->more[lane] = make_float2(__int_as_float(count), weight);
			float fraction;
			unsigned top = at + place_of(fmaf(step, 16.f * ROWS, pair.z), intervals, &fraction);
#pragma unroll 1
			for (int k = 0; k < count; k++, top += bytes) {
				const float w = k == 0           ? pair.x
				                : k == count - 1 ? pair.y
				                                 : weight,
					    below = load1(top), above = load1<4>(top);
				s->top = fmaf(w, fmaf(fraction, above - below, below), s->top);
			}
		}
	}
	p->pair[lane] = pair;
	float steps[COLUMNS], steps_more[COLUMNS];
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		steps[c] = __shfl_sync(~0u, step, c * SLICES);
		steps_more[c] = __shfl_sync(~0u, step_more, c * SLICES);
	}
	__syncwarp();
	const unsigned pairs = address_of(p->pair), more = address_of(p->more);
	/* pairs are loaded one ahead */
	float4 ahead = load4(pairs);
	float slice = 0;
#pragma unroll 1
	for (int k = 0; k < slices; k++, slice++) {
#pragma unroll
		for (int c = 0; c < COLUMNS; c++) {
			const float4 b = ahead;
			ahead = load4(pairs + 16 * (c + 1 < COLUMNS ? (c + 1) * SLICES + k : k + 1));
			const unsigned at = __float_as_uint(b.w) & ~3u, lines = __float_as_uint(b.w) & 3u;
			if (!lines)
				continue;
			const float h = fmaf(slice, steps_more[c], steps[c]);
			unsigned place[ROWS];
			float fraction[ROWS];
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				place[r] = at + place_of(fmaf(h, row[r], b.z), intervals, &fraction[r]);
			auto add = [&](float w) {
#pragma unroll
				for (int r = 0; r < ROWS; r++) {
					const float below = load1(place[r]), above = load1<4>(place[r]);
					s->E[c][r] = fmaf(w, fmaf(fraction[r], above - below, below), s->E[c][r]);
					place[r] += bytes;
				}
			};
			add(b.x);
			if (lines == 1)
				continue;
			if (lines == 3) {
				const float2 m = load2(more + 8 * (c * SLICES + k));
#pragma unroll 1
				for (int i = __float_as_int(m.x); i > 2; i--)
					add(m.y);
			}
			add(b.y);
		}
	}
	__syncwarp();
}

template <int ROWS, int COLUMNS>
__global__ void __launch_bounds__(THREADS, ROWS == 4 ? GT_DD_FORWARD_BLOCKS4 : GT_DD_FORWARD_BLOCKS)
	forward_kernel(gt_dd d, gt_dd_fast f, job j)
{
	enum { SLICES = WARP / COLUMNS };
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ struct plan plans[WARPS];
	__shared__ __align__(8) unsigned long long full[GT_DD_FORWARD_SLOTS], empty[GT_DD_FORWARD_SLOTS];
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, wide = WARPS / f.together * COLUMNS;
	const int k0 = blockIdx.x % j.column_blocks * wide, k1 = min(k0 + wide, d.columns);
	const gt_dd_group *g = f.group + j.first_group + blockIdx.x / j.column_blocks % j.groups;
	const int l0 = (int)(blockIdx.x / j.column_blocks / j.groups) * WARP * ROWS, l1 = min(l0 + WARP * ROWS, d.rows);
	const int size = slot_bytes(ROWS);
	const struct ring ring = { places, size, address_of(full), address_of(empty) };
	struct sums<ROWS, COLUMNS> s = {
	};
	if (threadIdx.x == 0) {
		for (int i = 0; i < GT_DD_FORWARD_SLOTS; i++) {
			barrier_init(ring.full + 8 * i, 1);
			barrier_init(ring.empty + 8 * i, WARPS);
		}
		barrier_fence();
	}
	__syncthreads();
	if (warp == WARPS) {
		produce(d, f, j, ring, g, k0, k1, l0, l1, SLICES);
	} else {
		const int view = g->view[warp % f.together], k = min(k0 + warp / f.together * COLUMNS + lane / SLICES, d.columns - 1);
		const gt_dd_near *w = f.view + max(view, 0);
		const gt_dd_edge_q *e = f.height + (size_t)max(view, 0) * (d.columns + 1) + k;
		const struct column own = { w->a0,
			                    w->da,
			                    w->g0,
			                    w->dg,
			                    w->z0,
			                    w->dz,
			                    e[0].U,
			                    e[1].U,
			                    e[0].q,
			                    l0 + 16 * ROWS + w->p,
			                    view < 0 ? 0 : w->first,
			                    view < 0 ? 0 : w->end };
		float row[ROWS];
#pragma unroll
		for (int r = 0; r < ROWS; r++)
			row[r] = (float)(lane + WARP * r - 16 * ROWS);
		int since = 0;
		for (unsigned units = 0;; units++) {
			const unsigned slot = units % GT_DD_FORWARD_SLOTS;
			const unit *u = (const unit *)(places + slot * size);
			barrier_wait(ring.full + 8 * slot, units / GT_DD_FORWARD_SLOTS % 2);
			if (u->last)
				break;
			since += u->slices;
			consume(u, &own, &s, &plans[warp], row);
			if (lane == 0)
				barrier_arrive(ring.empty + 8 * slot);
			if (since >= j.flush) {
				flush(&s);
				since = 0;
			}
		}
		flush(&s);
	}
	__syncthreads();
	/* [view of the group][row][column] through shared memory, so that rows are written along columns */
	float *out = (float *)places;
	if (warp < WARPS)
#pragma unroll
		for (int c = 0; c < COLUMNS; c++)
#pragma unroll
			for (int r = 0; r < ROWS; r++)
				out[(warp % f.together * WARP * ROWS + WARP * r + lane) * (wide + 1) + warp / f.together * COLUMNS + c] =
					s.whole[c][r];
	__syncthreads();
	const int rows = l1 - l0, columns = k1 - k0;
	for (int i = threadIdx.x; i < f.together * rows * wide; i += THREADS) {
		const int c = i % wide, r = i / wide % rows, view = g->view[i / wide / rows];
		if (view < 0 || c >= columns)
			continue;
		const size_t at = (size_t)f.view[view].at;
		const gt_dd_view *v = d.view + at;
		float *y = j.y + gt_dd_cell(&d, v, at, l0 + r, k0 + c);
		const float value = out[(i / wide / rows * WARP * ROWS + r) * (wide + 1) + c] * (float)d.pitch[j.axis] *
		                    sqrtf((float)gt_dd_slant_square(&d.column[at * d.columns + k0 + c], l0 + r, d.pitch[2]));
		*y = j.add ? *y + value : value;
	}
}
#else
template <int ROWS, int COLUMNS> __global__ void forward_kernel(gt_dd d, gt_dd_fast f, job j) {}
#endif

/* Host ------------------------------------------------------------------------- */

static int pieces(int n, int size) { return (n + size - 1) / size; }
static int stride_of(const gt_dd *d) { return (d->n[2] + 2 + 3) / 4 * 4; }
static int rows_of(const gt_dd *d) { return d->rows <= WARP ? 1 : d->rows <= 3 * WARP ? 2 : 4; }

extern "C" int gt_dd_fast_forward_fits(const gt_dd *d, const gt_dd_fast *f)
{
	const double window = WARP * rows_of(d) * f->most_A * 1.1 * 1.2 + 0.05 * d->n[2] + 16;
	const double entries = d->n[2] <= GT_DD_FORWARD_WHOLE || window > d->n[2] ? d->n[2] + 8. : window;
	return f->least_A > 0.2 && f->most_A < 4 && entries * 4 + sizeof(unit) <= slot_bytes(rows_of(d)) && f->most_A * d->rows < 1e6 &&
	       (double)(f->groups[0] + f->groups[1]) * d->columns * pieces(d->rows, WARP) < 2e9;
}

/* Slices whose running sums are held at a time. */
static int slab_of(const gt_dd *d, const gt_dd_fast *f, int axis)
{
	const size_t one = (size_t)d->n[1 - axis] * stride_of(d) * sizeof(float), most = f->limit / one;
	const int tiles = (int)(most / WARP < (size_t)pieces(d->n[axis], WARP) ? most / WARP : (size_t)pieces(d->n[axis], WARP));
	return tiles < 1 ? WARP : tiles * WARP;
}
extern "C" size_t gt_dd_fast_forward_scratch(const gt_dd *d, const gt_dd_fast *f)
{
	size_t most = 0;
	for (int axis = 0; axis < 2; axis++) {
		const size_t slices = slab_of(d, f, axis) < d->n[axis] ? slab_of(d, f, axis) : d->n[axis];
		const size_t bytes = slices * d->n[1 - axis] * stride_of(d) * sizeof(float);
		most = d->sliced[axis] && bytes > most ? bytes : most;
	}
	return most;
}

template <int ROWS, int COLUMNS> static cudaError_t launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j)
{
	const int bytes = slot_bytes(ROWS) * GT_DD_FORWARD_SLOTS;
	j.column_blocks = pieces(d->columns, WARPS / f->together * COLUMNS);
	j.groups = f->groups[j.axis];
	const size_t blocks = (size_t)j.column_blocks * j.groups * pieces(d->rows, WARP * ROWS);
	const cudaError_t e = cudaFuncSetAttribute(forward_kernel<ROWS, COLUMNS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (e == cudaSuccess && blocks)
		forward_kernel<ROWS, COLUMNS><<<(unsigned)blocks, THREADS, bytes, queue>>>(*d, *f, j);
	return e;
}

extern "C" void gt_dd_fast_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const int stride = stride_of(d), rows = rows_of(d), flush = GT_DD_FORWARD_FLUSH / d->n[2];
	float *lines = (float *)gt_scratch(be);
	for (int axis = 0, first = 0; axis < 2; first += f->groups[axis++])
		for (int begin = 0; f->groups[axis] && begin < d->n[axis]; begin += slab_of(d, f, axis)) {
			const int end = begin + slab_of(d, f, axis) < d->n[axis] ? begin + slab_of(d, f, axis) : d->n[axis];
			const int groups = pieces(axis == 0 ? end - begin : d->n[0], WARP);
			const job j = {
				lines, y, axis, begin, end, stride, begin > 0, first, 0, 0, flush < 8 ? 8 : flush > 32 ? 32 : flush
			};
			sum_lines<<<(unsigned)((size_t)groups * (axis == 0 ? d->n[1] : end - begin)), dim3(WARP, 8), 0, queue>>>(
				x, lines, d->n[0], d->n[1], d->n[2], stride, axis, begin, end, groups);
			const cudaError_t e = rows == 1   ? launch<1, GT_DD_FORWARD_COLUMNS>(queue, d, f, j)
			                      : rows == 2 ? launch<2, GT_DD_FORWARD_COLUMNS>(queue, d, f, j)
			                                  : launch<4, GT_DD_FORWARD_COLUMNS4>(queue, d, f, j);
			if (gt_cuda_check(be, e, "dd forward"))
				return;
		}
	gt_cuda_check(be, cudaGetLastError(), "dd forward");
}
