/* Separable footprints on CUDA, adjoint, single precision, upright views.
 *
 * For one column of voxels and one view the rows of all heights are the same for every column k of the detector. So the columns are
 * mixed first, H[l] = sum of w1[k] C_k[l] over the 2 to 5 columns under the voxel, C_k the running sums of the weighted data along
 * the rows; then H is read once at each edge between slices: E_e = H(row of edge e), and b_j = E_{j+1} - E_j. Only E is accumulated;
 * the difference is taken after 32 views, which is exact up to rounding and halves the work.
 *
 * A warp owns 4 x 2 columns of voxels and up to 32 R slices. Its lanes are four views of each column of voxels while weights are
 * computed, pairs of rows while H is mixed (loads without conflicts), and edges between slices while H is read. 2 x 2 columns of
 * voxels are mixed together: they lie over 5.6 columns of the detector, where one alone lies over 3.3. A block of 8 x 8 columns of
 * voxels shares the C_k under it, which bulk copies bring four views at a time.
 *
 * The limit, per column of voxels and view with 64 slices and rows: 1.5 columns x 3 passes of 128 bytes to mix, 3 to store H, 1 to
 * broadcast, about 6 to read it (two sets of 32 edges, two entries each, strides of 0.7 to 1.9 entries), 3 for weights: 17.5 passes;
 * and about 55 instructions.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_SF_BACK_STAGES /* groups of four views on their way or in use: 2, 3 */
#define GT_SF_BACK_STAGES 2
#endif
#ifndef GT_SF_BACK_COLUMNS /* columns of each view in a stage: 8 to 64; wider shadows take several */
#define GT_SF_BACK_COLUMNS 22
#endif
#ifndef GT_SF_BACK_BLOCKS /* blocks per multiprocessor that registers must leave room for: 2, 3, 4 */
#define GT_SF_BACK_BLOCKS 3
#endif
#ifndef GT_SF_BACK_BYTES /* running sums held at a time */
#define GT_SF_BACK_BYTES ((size_t)256 << 20)
#endif
#include "core/cuda.h"
#include "projectors/sf/sf_cuda.h"
#include "projectors/sf/sf_device.h"

enum {
	WARP = GT_SF_WARP,
	WARPS = 8,
	SIDE = 8,             /* voxels of a block along x and y; of a warp: 4 x 2 */
	VOXELS = 8,           /* of a warp */
	FOUR = 4,             /* views of a group */
	QUADS = 2,            /* 2 x 2 voxels of a warp */
	GROUPS = WARP / FOUR, /* of a launch: one lane of a warp prepares each view */
	WIDE = 8,             /* columns of a quad that one pass over a stage serves: even */
	SLACK = 4             /* floats after the 32 R entries of a line: the next one, and alignment */
};
static const size_t VIEWS = WARP;

struct args {
	gt_sf d;
	const float *sums; /* [view of the batch][column][stride] */
	float *volume;     /* [y][x][deep], from y = first_y on */
	size_t first, in_batch;
	int views, stride, deep, height, tiles_x, tiles_y, first_y, fresh;
};

/* Entries of a line of running sums: whole windows of rows. */
static int line_of(const gt_sf *d, int width) { return pieces(d->rows, width) * width + SLACK; }

/* What a block needs of a view. Places are counted from the block's first voxel and from `column`; a window is 32 R rows from a
 * multiple of 4 on. Columns and windows are 0 where the block gives nothing. */
struct part {
	float N[3], M[3], V1, V2, V3, toward[2][2];
	gt_sf_lens_f lens;
	double V, row; /* V in the middle of the tile's height */
	int column, first_column, columns, first_row, windows;
};

/* Four views; a window of rows of each, and as many columns as fit into a stage. */
struct item {
	int group, window, piece;
};

static __device__ __forceinline__ int windows_of(const struct part *p)
{
	return max(max(p[0].windows, p[1].windows), max(p[2].windows, p[3].windows));
}
static __device__ __forceinline__ int pieces_of(const struct part *p)
{
	const int most = max(max(p[0].columns, p[1].columns), max(p[2].columns, p[3].columns));
	return (most + GT_SF_BACK_COLUMNS - 1) / GT_SF_BACK_COLUMNS;
}
static __device__ __forceinline__ bool next_item(const struct part *part, struct item *i)
{
	if (i->group >= 0 && ++i->piece < pieces_of(part + i->group * FOUR))
		return true;
	i->piece = 0;
	if (i->group >= 0 && ++i->window < windows_of(part + i->group * FOUR))
		return true;
	i->window = 0;
	while (++i->group < GROUPS)
		if (windows_of(part + i->group * FOUR) && pieces_of(part + i->group * FOUR))
			return true;
	return false;
}

/* Columns and rows that a block's voxels may meet, from its corners. */
static __device__ void fill_part(const struct args *a, int at, int x0, int y0, int z0, int width, struct part *p)
{
	*p = part(); /* what is no view must not be garbage: its lanes go through the columns of the others */
	if (at >= a->views)
		return;
	const gt_sf_view *v = &a->d.view[a->first + at];
	double low = 1e300, high = -1e300, bottom = 1e300, top = -1e300;
	for (int c = 0; c < 4; c++) {
		const double x = x0 - 0.5 + (c & 1) * min(SIDE, a->d.n[0] - x0), y = y0 - 0.5 + (c >> 1) * min(SIDE, a->d.n[1] - y0);
		const gt_sf_corner corner = gt_sf_corner_at(v, x, y);
		const double below = v->row + gt_sf_at(v->V, x, y, z0 - 0.5) * corner.stretch,
			     above = v->row + gt_sf_at(v->V, x, y, z0 - 0.5 + a->height) * corner.stretch;
		low = min(low, v->frame.column + corner.column);
		high = max(high, v->frame.column + corner.column);
		bottom = min(bottom, below);
		top = max(top, above);
	}
	const int rows = a->d.rows, last = min(a->d.columns - 1, (int)floor(min(high, 2e9) + 0.01));
	p->column = (int)floor((low + high) / 2);
	const gt_sf_frame f = gt_sf_turned(&v->frame, p->column);
	for (int c = 0; c < 3; c++) {
		p->N[c] = (float)(c ? f.N[c] : gt_sf_at(f.N, x0, y0, 0));
		p->M[c] = (float)(c ? f.M[c] : gt_sf_at(f.M, x0, y0, 0));
	}
	p->V = gt_sf_at(v->V, x0, y0, z0 + a->height * 0.5 - 0.5);
	p->V1 = (float)v->V[1];
	p->V2 = (float)v->V[2];
	p->V3 = (float)v->V[3];
	p->row = v->row;
	p->lens = gt_sf_lens_in_float(&f.lens);
	for (int c = 0; c < 2; c++) {
		p->toward[c][0] = (float)(v->toward[c][0] + v->toward[c][1] * (c ? y0 : x0));
		p->toward[c][1] = (float)v->toward[c][1];
	}
	p->first_column = (int)max(0., floor(low - 0.01));
	p->columns = max(0, last - p->first_column + 1);
	p->first_row = rows <= width ? 0 : max(0, (int)floor(min(bottom, (double)rows))) & ~3;
	p->windows = bottom - 1 < rows && top + 1 > 0 ? 1 : 0;
	if (p->windows && rows > width) {
		p->windows = pieces((int)ceil(min(top, (double)rows)) - p->first_row, width);
		p->first_row = min(p->first_row, a->stride - SLACK - p->windows * width);
	}
}

/* Of warp 0, which asks for the stages: the next item and how many were asked for. In shared memory, to spare registers. */
struct queue {
	struct item item;
	int asked, more;
};

/* Weights of a quad in a view: by column, then voxel; and how many columns there are, from that address on. Of a size that leaves
 * lanes of different quads on different banks. */
struct quad {
	float weight[WIDE][4];
	unsigned address;
	int columns, unused[2];
};

template <int R, bool TT> struct shared {
	alignas(16) float4 record[WARPS][WARP]; /* by view and voxel: scale, shift, - H in the middle, entry after the last */
	alignas(16) float4 ramp[TT ? WARPS : 1][WARP];
	alignas(16) struct quad quad[WARPS][FOUR * QUADS];
	alignas(16) float mixed[WARPS][4][WARP * R + SLACK];
	struct part part[WARP];
	struct queue queue;
	alignas(8) unsigned long long full[GT_SF_BACK_STAGES], empty[GT_SF_BACK_STAGES];
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <int R> static __host__ __device__ constexpr unsigned line_bytes() { return (WARP * R + SLACK) * (unsigned)sizeof(float); }
template <int R> static __host__ __device__ constexpr unsigned view_bytes() { return GT_SF_BACK_COLUMNS * line_bytes<R>(); }
template <int R> static __host__ __device__ constexpr unsigned stage_bytes() { return FOUR * view_bytes<R>(); }

/* Columns of an item that one of its views has. */
static __device__ __forceinline__ int columns_of(const struct part *p, const struct item *i)
{
	return i->window < p->windows ? max(0, min(p->columns - i->piece * GT_SF_BACK_COLUMNS, GT_SF_BACK_COLUMNS)) : 0;
}

/* So far from the largest numbers that columns can be added and subtracted. */
static __device__ __forceinline__ int whole_of(float x) { return (int)min(max(x, -1e9f), 1e9f); }

/* The whole warp: asks for the running sums of an item. */
template <int R>
static __device__ __forceinline__ void fetch(const struct args &a, const struct part *part, const struct item &i, unsigned to, unsigned bar)
{
	const int lane = threadIdx.x % WARP, view = i.group * FOUR + lane % FOUR;
	const struct part *p = &part[view];
	const int columns = columns_of(p, &i), total = __reduce_add_sync(~0u, lane < FOUR ? columns : 0);
	const float *from = a.sums +
	                    ((a.in_batch + view) * a.d.columns + p->first_column + i.piece * GT_SF_BACK_COLUMNS) * (size_t)a.stride +
	                    p->first_row + i.window * WARP * R;
	const unsigned place = to + lane % FOUR * view_bytes<R>();
	if (lane == 0)
		barrier_expect(bar, total * line_bytes<R>());
	__syncwarp();
	if (a.stride * sizeof(float) != line_bytes<R>()) {
		for (int k = lane / FOUR; k < columns; k += WARP / FOUR)
			bulk_copy(place + k * line_bytes<R>(), from + (size_t)k * a.stride, line_bytes<R>(), bar);
	} else if (lane < FOUR && columns > 0) {
		bulk_copy(place, from, columns * line_bytes<R>(), bar);
	}
}

/* Warp 0: asks for items until `most` have been. */
template <int R, bool TT> static __device__ void refill(const struct args &a, struct shared<R, TT> &s, unsigned stages, int most)
{
	struct queue q = s.queue;
	for (; q.more && q.asked < most; q.asked++) {
		const int next = q.asked % GT_SF_BACK_STAGES;
		if (q.asked >= GT_SF_BACK_STAGES)
			barrier_wait(address_of(&s.empty[next]), (q.asked / GT_SF_BACK_STAGES - 1) & 1);
		fetch<R>(a, s.part, q.item, stages + next * stage_bytes<R>(), address_of(&s.full[next]));
		q.more = next_item(s.part, &q.item);
	}
	__syncwarp();
	s.queue = q;
	__syncwarp();
}

/* A voxel column in a view, by one lane. */
struct lane_voxel {
	gt_sf_trapezoid_f columns;
	float chord, scale, shift; /* place of edge e, counted from the tile's middle, in the window: (shift + scale e) of its rows */
	float ramp0, ramp1, ramp;  /* SF-TT: half width |ramp0 + ramp1 e| + ramp, rows */
};

template <bool TT>
static __device__ __forceinline__ void place_voxel(const struct args &a, const struct part *p, int x, int y, int row, float in_width,
                                                   struct lane_voxel *l)
{
	const float fx = (float)x, fy = (float)y;
	const float N = fmaf(p->N[1], fx, fmaf(p->N[2], fy, p->N[0])), M = fmaf(p->M[1], fx, fmaf(p->M[2], fy, p->M[0]));
	float k[4], least, most;
#pragma unroll
	for (int c = 0; c < 4; c++) {
		const float sx = c & 1 ? 0.5f : -0.5f, sy = c & 2 ? 0.5f : -0.5f;
		const float N1 = fmaf(sx, p->N[1], fmaf(sy, p->N[2], N)), M1 = fmaf(sx, p->M[1], fmaf(sy, p->M[2], M));
		k[c] = gt_sf_column_f(&p->lens, N1, M1);
		if (TT) {
			const float stretch = gt_sf_stretch_f(&p->lens, N1, M1);
			least = c ? min(least, stretch) : stretch;
			most = c ? max(most, stretch) : stretch;
		}
	}
	l->columns = gt_sf_trapezoid_of_f(k[0], k[1], k[2], k[3]);
	l->chord = gt_sf_chord_f(fmaf(p->toward[0][1], fx, p->toward[0][0]), fmaf(p->toward[1][1], fy, p->toward[1][0]),
	                         (float)a.d.pitch[0], (float)a.d.pitch[1]);
	const float mean = TT ? (least + most) / 2 : gt_sf_stretch_f(&p->lens, N, M);
	const double V = p->V + (double)fmaf(p->V1, fx, p->V2 * fy);
	if (TT) {
		l->ramp0 = (float)V * (most - least) / 2;
		l->ramp1 = p->V3 * (most - least) / 2;
		l->ramp = (fabsf(p->V1) + fabsf(p->V2)) / 2 * mean;
	}
	l->scale = p->V3 * mean * in_width;
	l->shift = (float)(fma(V, (double)mean, p->row - row)) * in_width;
}

/* Weights of `columns` columns from `first` on, whose running sums begin at `address`; T += what the end of the tile gets. */
template <int R, bool TT, bool WHOLE>
static __device__ __forceinline__ void weigh(struct shared<R, TT> &s, const struct lane_voxel *l, int first, int columns, unsigned address,
                                             float end, float *T)
{
	constexpr float width = WARP * R;
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, most = __reduce_max_sync(~0u, columns);
	const int voxel = lane % VOXELS, place = lane / VOXELS * QUADS + voxel / 2 % 2, member = voxel % 2 + voxel / 4 * 2;
	const float q = fmaf(l->scale, end, l->shift), half = fabsf(fmaf(l->ramp1, end, l->ramp0)) + l->ramp;
	float middle = 0, last = 0, low = gt_sf_area_f(&l->columns, first);
#pragma unroll 2
	for (int k = 0; k < (most < WIDE ? most + 1 : WIDE); k++) {
		const float high = gt_sf_area_f(&l->columns, first + k + 1), w = k < columns ? (high - low) * l->chord : 0.f;
		s.quad[warp][place].weight[k][member] = w;
		low = high;
		if (w != 0) {
			const unsigned line = address + k * line_bytes<R>();
			*T = fmaf(w, TT ? ramped_sum_of(line, q, width, [&](float) { return half; }) : sum_of(line, q, width), *T);
			if (!WHOLE) {
				last = fmaf(w, load1<WARP * R * 4>(line), last);
				middle = fmaf(w, load1<WARP * R * 2>(line), middle);
			}
		}
	}
	*T -= middle;
	s.record[warp][lane] = make_float4(l->scale, l->shift, -middle, last - middle);
	if (TT)
		s.ramp[warp][lane] = make_float4(l->ramp0, l->ramp1, l->ramp, 0);
	if (member == 0) {
		s.quad[warp][place].address = address;
		s.quad[warp][place].columns = columns;
	}
}

/* H goes to a buffer, with the entry after its last. All rows in one window: sums are centred, so that is minus the first. */
template <int R, bool WHOLE, int BUFFER>
static __device__ __forceinline__ void put(const float (&H)[R], const float4 &record, unsigned buffer)
{
	const float after[1] = { WHOLE ? -H[0] : record.w };
	store_some<R, BUFFER *(int)line_bytes<R>()>(buffer + threadIdx.x % WARP * 4 * R, H);
	if (threadIdx.x % WARP == 0)
		store_some<1, BUFFER *(int)line_bytes<R>() + WARP * R * 4>(buffer, after);
}

template <int R, bool TT, int BUFFER>
static __device__ __forceinline__ void read_edges(const float4 &record, unsigned ramps, unsigned buffer, const float (&edge)[R],
                                                  float (&E)[R])
{
	constexpr float width = WARP * R;
	constexpr int offset = BUFFER * (int)line_bytes<R>();
	const float4 ramp = TT ? load4(ramps) : record;
#pragma unroll
	for (int r = 0; r < R; r++) {
		const float q = fmaf(record.x, edge[r], record.y);
		E[r] += TT ? ramped_sum_of<offset>(buffer, q, width, [&](float) { return fabsf(fmaf(ramp.y, edge[r], ramp.x)) + ramp.z; })
		           : sum_of<offset>(buffer, q, width);
	}
}

/* Four voxels and a view: H, then E += H at the edges. */
template <int R, bool TT, bool WHOLE, int QUAD>
static __device__ __forceinline__ void add_quad(unsigned quad, unsigned records, unsigned ramps, unsigned buffer, const float (&edge)[R],
                                                float (&E)[VOXELS][R])
{
	constexpr int at = QUAD * (int)sizeof(struct quad), v = QUAD * 2;
	constexpr unsigned line = line_bytes<R>();
	const float4 info = load4<at + WIDE * 16>(quad);
	const int columns = __float_as_int(info.y);
	if (columns <= 0)
		return;
	const float4 record[4] = { load4<v * 16>(records), load4<v * 16 + 16>(records), load4<v * 16 + 64>(records),
		                   load4<v * 16 + 80>(records) };
	float H[4][R];
#pragma unroll
	for (int m = 0; m < 4; m++)
#pragma unroll
		for (int r = 0; r < R; r++)
			H[m][r] = WHOLE ? 0 : record[m].z;
	unsigned from = __float_as_uint(info.x) + threadIdx.x % WARP * 4 * R, weights = quad + at;
#pragma unroll 1
	for (int k = 0; k < columns; k += 2, from += 2 * line, weights += 32) {
		float one[R], two[R];
		load_some<R>(from, one);
		load_some<R, line>(from, two);
		const float4 w = load4(weights), u = load4<16>(weights);
#pragma unroll
		for (int r = 0; r < R; r++) {
			H[0][r] = fmaf(u.x, two[r], fmaf(w.x, one[r], H[0][r]));
			H[1][r] = fmaf(u.y, two[r], fmaf(w.y, one[r], H[1][r]));
			H[2][r] = fmaf(u.z, two[r], fmaf(w.z, one[r], H[2][r]));
			H[3][r] = fmaf(u.w, two[r], fmaf(w.w, one[r], H[3][r]));
		}
	}
	put<R, WHOLE, 0>(H[0], record[0], buffer);
	put<R, WHOLE, 1>(H[1], record[1], buffer);
	put<R, WHOLE, 2>(H[2], record[2], buffer);
	put<R, WHOLE, 3>(H[3], record[3], buffer);
	__syncwarp();
	read_edges<R, TT, 0>(record[0], ramps + v * 16, buffer, edge, E[v]);
	read_edges<R, TT, 1>(record[1], ramps + v * 16 + 16, buffer, edge, E[v + 1]);
	read_edges<R, TT, 2>(record[2], ramps + v * 16 + 64, buffer, edge, E[v + 4]);
	read_edges<R, TT, 3>(record[3], ramps + v * 16 + 80, buffer, edge, E[v + 5]);
	__syncwarp();
}

template <int R, bool TT, bool WHOLE> static __device__ __forceinline__ void run_back(const struct args &a)
{
	constexpr int width = WARP * R;
	constexpr unsigned line = line_bytes<R>();
	extern __shared__ __align__(128) unsigned char memory[];
	struct shared<R, TT> &s = *(struct shared<R, TT> *)memory;
	const unsigned stages = address_of(memory) + (unsigned)((sizeof s + 127) / 128 * 128);

	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, own_voxel = lane % VOXELS, own_view = lane / VOXELS;
	const int x0 = blockIdx.x % a.tiles_x * SIDE, y0 = a.first_y + blockIdx.x / a.tiles_x % a.tiles_y * SIDE;
	const int z0 = blockIdx.x / a.tiles_x / a.tiles_y * a.height;
	const int x1 = warp % 2 * 4, y1 = warp / 2 * 2;
	const int warps = (min(a.d.n[0] - x0, SIDE) + 3) / 4 * ((min(a.d.n[1] - y0, SIDE) + 1) / 2);

	for (unsigned i = threadIdx.x * 16; i < GT_SF_BACK_STAGES * stage_bytes<R>() + WIDE * line; i += WARPS * WARP * 16)
		asm volatile("st.shared.v4.f32 [%0], {%1,%1,%1,%1};" ::"r"(stages + i), "f"(0.f) : "memory");
	for (int i = lane; i < 4 * (width + SLACK); i += WARP)
		s.mixed[warp][0][i] = 0;
	if (warp == 0)
		fill_part(&a, lane, x0, y0, z0, width, &s.part[lane]);
	if (threadIdx.x == 0) {
		s.queue.asked = 0;
		for (int i = 0; i < GT_SF_BACK_STAGES; i++) {
			barrier_init(address_of(&s.full[i]), 1);
			barrier_init(address_of(&s.empty[i]), warps);
		}
		barrier_fence();
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (x0 + x1 >= a.d.n[0] || y0 + y1 >= a.d.n[1])
		return;
	if (warp == 0) {
		struct item first = { -1, 0, 0 };
		s.queue.more = next_item(s.part, &first);
		s.queue.item = first;
		__syncwarp();
		refill<R, TT>(a, s, stages, GT_SF_BACK_STAGES);
	}

	float E[VOXELS][R], T = 0, edge[R];
#pragma unroll
	for (int r = 0; r < R; r++)
		edge[r] = lane + WARP * r - a.height * 0.5f;
#pragma unroll
	for (int v = 0; v < VOXELS; v++)
#pragma unroll
		for (int r = 0; r < R; r++)
			E[v][r] = 0;

	const int x = x1 + own_voxel % 4, y = y1 + own_voxel / 4;
	const bool inside = x0 + x < a.d.n[0] && y0 + y < a.d.n[1];
	const unsigned records = address_of(s.record[warp]), ramps = address_of(s.ramp[TT ? warp : 0]), quads = address_of(s.quad[warp]);
	const unsigned buffer = address_of(s.mixed[warp]);
	struct item now = { -1, 0, 0 };
	int stage = 0, phase = 0;
	for (int done = 0; next_item(s.part, &now); done++) {
		const struct part *p = &s.part[now.group * FOUR + own_view];
		/* Columns from here on are counted from p->column. */
		const int start = p->first_column + now.piece * GT_SF_BACK_COLUMNS - p->column, end = start + columns_of(p, &now);
		struct lane_voxel l;
		place_voxel<TT>(a, p, x, y, p->first_row + now.window * width, 1.f / width, &l);
		l.chord = inside ? l.chord : 0;
		/* Of all four voxels of the quad. */
		int first = max(start, whole_of(floorf(l.columns.at[0]))), after = min(end, whole_of(ceilf(l.columns.at[3])));
		first = min(first, __shfl_xor_sync(~0u, first, 1));
		first = min(first, __shfl_xor_sync(~0u, first, 4));
		after = max(after, __shfl_xor_sync(~0u, after, 1));
		after = max(after, __shfl_xor_sync(~0u, after, 4));
		barrier_wait(address_of(&s.full[stage]), phase);
		const unsigned base = stages + stage * stage_bytes<R>() + own_view * view_bytes<R>() - start * line;
		for (; __any_sync(~0u, after > first); first += WIDE) {
			const int columns = max(min(after - first, (int)WIDE), 0);
			weigh<R, TT, WHOLE>(s, &l, first, columns, columns ? base + first * line : stages, a.height * 0.5f, &T);
			__syncwarp();
#pragma unroll 1
			for (int view = 0; view < FOUR; view++) {
				const unsigned quad = quads + view * QUADS * sizeof(struct quad), here = view * VOXELS * 16;
				add_quad<R, TT, WHOLE, 0>(quad, records + here, ramps + here, buffer, edge, E);
				add_quad<R, TT, WHOLE, 1>(quad, records + here, ramps + here, buffer, edge, E);
			}
		}
		__syncwarp();
		if (lane == 0)
			barrier_arrive(address_of(&s.empty[stage]));
		if (warp == 0)
			refill<R, TT>(a, s, stages, done + GT_SF_BACK_STAGES);
		if (++stage == GT_SF_BACK_STAGES) {
			stage = 0;
			phase ^= 1;
		}
	}
	for (int o = VOXELS; o < WARP; o <<= 1)
		T += __shfl_xor_sync(~0u, T, o);
#pragma unroll
	for (int v = 0; v < VOXELS; v++) {
		const float top = __shfl_sync(~0u, T, v);
		const int vx = x0 + x1 + v % 4, vy = y0 + y1 + v / 4;
		float *out = a.volume + ((size_t)(vy - a.first_y) * a.d.n[0] + vx) * a.deep + z0;
#pragma unroll
		for (int r = 0; r < R; r++) {
			const int e = lane + WARP * r;
			const float next = __shfl_down_sync(~0u, E[v][r], 1), over = __shfl_sync(~0u, E[v][r < R - 1 ? r + 1 : r], 0);
			const float above = e + 1 == a.height ? top : lane == WARP - 1 ? over : next;
			if (vx < a.d.n[0] && vy < a.d.n[1] && e < a.height && z0 + e < a.d.n[2])
				out[e] = (a.fresh ? 0.f : out[e]) + (above - E[v][r]);
		}
	}
}
#endif

template <int R, bool TT, bool WHOLE>
static __global__ void __launch_bounds__(WARPS *WARP, GT_SF_BACK_BLOCKS) back_kernel(const __grid_constant__ struct args a)
{
#if __CUDA_ARCH__ >= 900
	run_back<R, TT, WHOLE>(a);
#endif
}

/* Data times the slant -> running sums along the rows, [view of the batch][column][stride]. */
static __global__ void sum_rows(gt_sf d, const float *y, float *sums, size_t first, int stride, int groups)
{
	const size_t in_batch = blockIdx.x / groups, view = first + in_batch;
	const gt_sf_view *v = &d.view[view];
	const gt_sf_ray *ray = d.ray + view * d.columns;
	float *const out[1] = { sums + in_batch * d.columns * stride };
	const size_t step[1] = { (size_t)stride };
	write_sums<1>([&](int k, int l) { return y[gt_sf_cell(&d, v, view, l, k)] * gt_sf_slant(v, &ray[k], l); },
	              blockIdx.x % groups * WARP, d.columns, d.rows, stride, out, step);
}

/* [y][x][deep] -> [z][y][x] */
static __global__ void publish(const float *volume, float *x, int nx, int ny, int nz, int deep, int tiles_x, int tiles_z)
{
	__shared__ float tile[WARP][WARP + 1];
	const int x0 = blockIdx.x % tiles_x * WARP, z0 = blockIdx.x / tiles_x % tiles_z * WARP;
	const size_t y = blockIdx.x / tiles_x / tiles_z;
	for (int i = threadIdx.y; i < WARP; i += blockDim.y)
		if (x0 + i < nx && z0 + threadIdx.x < nz)
			tile[i][threadIdx.x] = volume[(y * nx + x0 + i) * deep + z0 + threadIdx.x];
	__syncthreads();
	for (int i = threadIdx.y; i < WARP; i += blockDim.y)
		if (z0 + i < nz && x0 + threadIdx.x < nx)
			x[((size_t)(z0 + i) * ny + y) * nx + x0 + threadIdx.x] = tile[threadIdx.x][i];
}

/* Launches ------------------------------------------------------------------- */

static int deep_of(const gt_sf *d) { return (d->n[2] + 7) / 8 * 8; }
static int per_lane(const gt_sf *d) { return d->n[2] > WARP ? 2 : 1; }
/* Slices of a tile: equal tiles, not higher than the lanes allow. */
static int height_of(const gt_sf *d)
{
	const int most = WARP * per_lane(d);
	return pieces(d->n[2], pieces(d->n[2], most));
}
/* Half of the limit is for the volume, half for the running sums. Lines of voxels along x that are held at a time: whole blocks. */
static int lines_of(const gt_sf *d, size_t limit)
{
	const size_t fit = limit / 2 / ((size_t)d->n[0] * deep_of(d) * sizeof(float)) / SIDE * SIDE;
	return fit < SIDE ? SIDE : fit < (size_t)d->n[1] ? (int)fit : d->n[1];
}
static size_t volume_floats(const gt_sf *d, size_t limit) { return (size_t)d->n[0] * lines_of(d, limit) * deep_of(d); }
static size_t batch_of(const gt_sf *d, size_t limit)
{
	const size_t one = (size_t)d->columns * line_of(d, WARP * per_lane(d)) * sizeof(float),
		     fit = (limit / 2 < GT_SF_BACK_BYTES ? limit / 2 : GT_SF_BACK_BYTES) / one / VIEWS * VIEWS;
	return fit < VIEWS ? VIEWS : fit < d->views ? fit : d->views;
}

extern "C" size_t gt_sf_back_scratch(const gt_sf *d, size_t limit)
{
	const int width = WARP * per_lane(d);
	return (volume_floats(d, limit) + batch_of(d, limit) * d->columns * line_of(d, width) + width) * sizeof(float);
}

typedef void (*kernel)(struct args);
template <int R, bool TT> static kernel kernel_with(const gt_sf *d, size_t *bytes)
{
	*bytes = (sizeof(struct shared<R, TT>) + 127) / 128 * 128 + GT_SF_BACK_STAGES * stage_bytes<R>() + WIDE * line_bytes<R>();
	return d->rows <= WARP * R ? back_kernel<R, TT, true> : back_kernel<R, TT, false>;
}
static kernel kernel_of(const gt_sf *d, size_t *bytes)
{
	if (per_lane(d) == 1)
		return d->trapezoid ? kernel_with<1, true>(d, bytes) : kernel_with<1, false>(d, bytes);
	return d->trapezoid ? kernel_with<2, true>(d, bytes) : kernel_with<2, false>(d, bytes);
}

extern "C" gt_status gt_sf_back_make(gt_backend *be, const gt_sf *d)
{
	size_t bytes;
	const kernel k = kernel_of(d, &bytes);
	gt_cuda_queue(be);
	if (cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "the separable-footprint kernels need %zu bytes of shared memory on %s", bytes, be->name);
	return GT_OK;
}

/* The lines of voxels [a->first_y, + lines) from all views. */
static void back_lines(cudaStream_t queue, const gt_sf *d, size_t batch, int lines, const float *y, float *sums, struct args *a)
{
	size_t bytes;
	const kernel run = kernel_of(d, &bytes);
	const int groups = pieces(d->columns, WARP);
	a->tiles_y = pieces(lines, SIDE);
	const size_t blocks = (size_t)a->tiles_x * a->tiles_y * pieces(d->n[2], a->height);
	for (size_t first = 0; first < d->views; first += batch) {
		const size_t views = d->views - first < batch ? d->views - first : batch;
		sum_rows<<<(unsigned)(views * groups), dim3(WARP, GT_SF_PARTS), 0, queue>>>(*d, y, sums, first, a->stride, groups);
		for (a->in_batch = 0; a->in_batch < views; a->in_batch += VIEWS) {
			a->first = first + a->in_batch;
			a->views = (int)(views - a->in_batch < VIEWS ? views - a->in_batch : VIEWS);
			a->fresh = a->first == 0;
			run<<<(unsigned)blocks, WARPS * WARP, bytes, queue>>>(*a);
		}
	}
}

extern "C" void gt_sf_back(gt_backend *be, const gt_sf *d, size_t limit, const float *y, float *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const int slab = lines_of(d, limit), tiles_x = pieces(d->n[0], WARP), tiles_z = pieces(d->n[2], WARP);
	struct args a;
	float *const sums = (float *)gt_scratch(be) + volume_floats(d, limit);
	a.d = *d;
	a.volume = (float *)gt_scratch(be);
	a.sums = sums;
	a.stride = line_of(d, WARP * per_lane(d));
	a.deep = deep_of(d);
	a.height = height_of(d);
	a.tiles_x = pieces(d->n[0], SIDE);
	for (a.first_y = 0; a.first_y < d->n[1]; a.first_y += slab) {
		const int lines = d->n[1] - a.first_y < slab ? d->n[1] - a.first_y : slab;
		back_lines(queue, d, batch_of(d, limit), lines, y, sums, &a);
		publish<<<(unsigned)((size_t)tiles_x * tiles_z * lines), dim3(WARP, 8), 0, queue>>>(a.volume,
		                                                                                    x + (size_t)a.first_y * d->n[0],
		                                                                                    d->n[0], d->n[1], d->n[2], a.deep,
		                                                                                    tiles_x, tiles_z);
	}
	gt_cuda_check(be, cudaGetLastError(), "separable footprint, adjoint");
}
