#ifndef GT_PROJECTORS_DD_FAST_DD_ADJOINT_CUH
#define GT_PROJECTORS_DD_FAST_DD_ADJOINT_CUH
/* CUDA kernel of the distance-driven adjoint in single precision: running sums along the rows of each detector column,
 * sampled at the z edges of voxels.
 *
 * The row-to-z interpolation of a column depends on the slice, not on the in-slice voxel, and each z edge serves the
 * voxels below and above it. A warp owns STRIP voxels along one slice times 32 EDGES z edges. It evaluates each column
 * of the view once per z edge and adds the value, times the overlap, to each voxel that the column meets. Differences
 * of adjacent edges are taken after 32 views. Eight warps own adjacent slices; a ninth copies the columns of each view
 * into a ring in shared memory. The tile of z edges begins at the first voxel that the views of a bundle see, so that
 * helical scans cost only their overlap.
 *
 * Minimum work: 16 instructions per intersecting (column, slice) and two z edges, 2 per overlap; then shared memory.
 *
 * Precision. Clamping rounds a position in a window of n rows by n times 3e-8, which suffices to choose the row, and
 * for everything in a short window. In taller windows the fraction is computed from the chosen row, relative to the
 * centre of the tile (one more instruction). The error then does not grow with the rows. If sums from the centre of the
 * detector are large, they are taken from the tile's upper edge instead (one more instruction).
 *
 * Search space of `gantry tune`, read by tuner/space.c: one line per parameter, then the constraints. Lower-case names
 * are numbers of the problem's class. EDGES: z edges per lane. FILL: blocks that a launch should have. SLOT also sets
 * SLOT_FINE. Shared memory per block: the ring, plans of 33 records for each warp, and 1 KiB of the system's.
 *
 * tune dd-back
 * EDGES 1 2 3 4
 * STRIP 4 8 16
 * BLOCKS 1 2 3 4 5 6
 * SLOTS 2 3 4
 * SLOT 12288 16384 20480 24576 28672 33280 34816 40960 53248
 * FILL 400 800 1200 2400 4800 9600
 * keep STRIP * EDGES <= 32
 * keep 32 * EDGES <= slices + 64
 * keep SLOT * SLOTS <= 220000
 * keep SLOT * SLOTS + 5632 + 4224 * (rows > 64) <= shared
 * keep (SLOT * SLOTS + 5632 + 4224 * (rows > 64) + 1024) * BLOCKS <= 233472
 * end
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_DD_ADJOINT_STRIP /* voxels per warp with one or two z edges per lane: 8, 16 */
#define GT_DD_ADJOINT_STRIP 16
#endif
#ifndef GT_DD_ADJOINT_STRIP3 /* with three z edges per lane: 4, 8 */
#define GT_DD_ADJOINT_STRIP3 8
#endif
#ifndef GT_DD_ADJOINT_STRIP4 /* with four z edges per lane: 4, 8 */
#define GT_DD_ADJOINT_STRIP4 8
#endif
#ifndef GT_DD_ADJOINT_SLOT /* bytes of a ring slot: multiples of 128 */
#define GT_DD_ADJOINT_SLOT 34816
#endif
#ifndef GT_DD_ADJOINT_SLOT_FINE /* for FORM not SHORT, whose records take more shared memory */
#define GT_DD_ADJOINT_SLOT_FINE 33280
#endif
#ifndef GT_DD_ADJOINT_SLOTS /* slots of the ring: 2 to 8 */
#define GT_DD_ADJOINT_SLOTS 2
#endif
#ifndef GT_DD_ADJOINT_BLOCKS /* blocks per multiprocessor: 2, 3, 4 */
#define GT_DD_ADJOINT_BLOCKS 3
#endif
#ifndef GT_DD_ADJOINT_WHOLE /* detectors with at most this number of rows are copied in whole columns: 16 to 512 */
#define GT_DD_ADJOINT_WHOLE 128
#endif
#ifndef GT_DD_ADJOINT_SHORT /* detectors with at most this number of rows use rounded positions: 0 to 512 */
#define GT_DD_ADJOINT_SHORT 64
#endif
#ifndef GT_DD_ADJOINT_BESIDE /* maximum blocks per axis to run both axes concurrently: 0 to 1 << 20 */
#define GT_DD_ADJOINT_BESIDE 4096
#endif
#include "projectors/dd/fast/dd_ring.cuh"

enum { SLICES = GT_DD_SPREAD, THREADS = WARP * (SLICES + 1) };
static __host__ __device__ constexpr int slot_of(int form) { return form == SHORT ? GT_DD_ADJOINT_SLOT : GT_DD_ADJOINT_SLOT_FINE; }
typedef unit<SLICES> strip_unit;
static_assert(sizeof(strip_unit) % 16 == 0, "bulk copies need 16 bytes");

/* Returns whether the last flush of a block may set the volume; other forms lack the registers. */
static __host__ __device__ constexpr bool sets_volume(int edges, int form) { return edges < 4 && (edges != 2 || form != FINE); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
template <int VOXELS, int EDGES, int FORM> struct strip_shape {
	enum {
		STRIP = VOXELS,
		SLICES = ::SLICES,
		HEIGHT = WARP * EDGES,
		CHUNK = HEIGHT,
		SLOT = slot_of(FORM),
		SLOTS = GT_DD_ADJOINT_SLOTS,
		ODD = 0,
		WHOLE = GT_DD_ADJOINT_WHOLE
	};
};

/* Columns of a batch on the strip, in shared memory of the warp. */
template <int STRIP, int FORM> struct plan {
	/* by column: position per z edge and of the tile's centre, over the window; first overlap; value at the top
	 * edge. If not SHORT, the positions again, in units of fractions. */
	float4 column[(WARP + 1) * (FORM == SHORT ? 1 : 2)];
	/* by voxel: overlap of the column that begins before it; address after the last column that begins in or before
	 * it */
	float overlap[STRIP + 4];
	unsigned end[STRIP + 4];
};

template <int STRIP, int EDGES> struct sums {
	/* E: at the lower edges; top: lane i has the upper edge of the tile for voxel i, 0 if TALL */
	float E[STRIP][EDGES], top;
};

/* Returns the clamped position over the window, and the address of its row. SHORT: the row is in the low bits of a
 * float of at least 2^23. Otherwise it is in the bits of a denormal float, which is the row times 2^-149: *row. */
template <int FORM> static __device__ __forceinline__ float place_at(unsigned column, float q, float rows, unsigned *place, float *row)
{
	const float in = __saturatef(q), t = FORM == SHORT ? __fmaf_rd(in, rows, 8388608.f) : __fmul_rd(in, rows);
	*place = column + __float_as_uint(t) * 8;
	*row = t;
	return in;
}
/* Running sum at the position. step, edge, middle: in units, not SHORT. A row past the last is 0 for any fraction. */
template <int FORM>
static __device__ __forceinline__ float value_at(float2 c, float in, float rows, float from_middle, float row, float step, float edge,
                                                 float middle)
{
	const float at = FORM == SHORT ? fmaf(in, rows, from_middle) : __saturatef(fmaf(step, edge, fmaf(row, -ROWS_IN_UNITS, middle)));
	return fmaf(at, c.y, c.x);
}
/* Issues two loads together, so that their latencies overlap. */
template <int N> static __device__ __forceinline__ void load_at(const unsigned (&place)[N], float2 (&x)[N])
{
	if (N % 2)
		x[N - 1] = load2(place[N - 1]);
#pragma unroll
	for (int i = 0; i + 1 < N; i += 2)
		asm volatile("ld.shared.v2.f32 {%0,%1}, [%4]; ld.shared.v2.f32 {%2,%3}, [%5];"
		             : "=f"(x[i].x), "=f"(x[i].y), "=f"(x[i + 1].x), "=f"(x[i + 1].y)
		             : "r"(place[i]), "r"(place[i + 1])
		             : "memory");
}
template <int STRIP, int EDGES, int FORM>
static __device__ __forceinline__ void consume(const strip_unit *u, int warp, struct sums<STRIP, EDGES> *s, unsigned records,
                                               float (&edge)[EDGES])
{
	enum { RECORD = FORM == SHORT ? 16 : 32, OVERLAPS = RECORD * (WARP + 1), ENDS = OVERLAPS + 4 * (STRIP + 4) };
	const int lane = threadIdx.x % WARP;
	/* linear interpolation estimates the strip's first column; the edges decide */
	const int count = same(u->columns);
	int start = 0;
	if (count > WARP - 4) {
		const double a = u->line[warp][0], g = u->line[warp][1];
		const double2 *U = (const double2 *)(u + 1);
		const float low = (float)fma(g, U[0].x, a), high = (float)fma(g, U[count].x, a);
		start = max(0, min(count - 1, (int)(-low * __fdividef((float)count, high - low)) - 2));
		if (fma(g, U[start].x, a) > 0)
			start = 0;
		start = same(start);
	}
#pragma unroll 1
	for (; start < count; start += WARP) {
		/* reload for every batch to save registers */
		const double a = u->line[warp][0], g = u->line[warp][1], in_g = u->line[warp][2], above = u->line[warp][3],
			     shift = u->shift;
		/* not SHORT: the bits of `rows` hold the number, as a denormal float */
		const float rows = FORM == SHORT ? (float)u->rows : __int_as_float(u->rows), from_middle = (float)u->from_middle;
		const double2 *U = (const double2 *)(u + 1);
		const unsigned columns = address_of(U + count + 1) - (FORM == SHORT ? MAGIC_BYTES : 0), bytes = u->bytes;
		const int k = min(start + lane, count - 1);
		const double2 own = U[k];
		const float low = (float)fma(g, own.x, a), high = (float)fma(g, U[k + 1].x, a);
		const bool active = start + lane < count && high > 0 && low < STRIP;
		const unsigned mask = __ballot_sync(~0u, active), last = records + RECORD * __popc(mask);
		if (!mask) {
			if (__shfl_sync(~0u, low, 0) >= STRIP)
				break;
			continue;
		}
		const int slot0 = __ffs(mask) - 1;
		const float from = fmaxf(low, 0.f), to = fminf(high, (float)STRIP), inverse = __fdividef(1.f, high - low);
		const int i = active ? (int)from : 0, i_first = __shfl_sync(~0u, i, slot0);
		if (lane <= STRIP) {
			store1<OVERLAPS>(records + 4 * lane, 0);
			store1<ENDS>(records + 4 * lane, __uint_as_float(lane < i_first ? records : last));
		}
		__syncwarp();
		if (active) {
			const double slope = own.y * in_g, tile = slope * above - shift;
			const double in_rows = inverse_of(u->rows);
			const float step = (float)(slope * in_rows), middle = (float)(tile * in_rows), step_fine = (float)slope * UNIT,
				    middle_fine = (float)tile * UNIT;
			const unsigned record = records + RECORD * (lane - slot0);
			unsigned place;
			float end = (float)i + 1, row;
			const float in = place_at<FORM>(columns + k * bytes, fmaf(step, 16.f * EDGES, middle), rows, &place, &row);
			store4(record, step, middle, (fminf(to, end) - from) * inverse,
			       value_at<FORM>(load2(place), in, rows, from_middle, row, step_fine, 16.f * EDGES, middle_fine));
			if (FORM != SHORT) {
				store1<16>(record, step_fine);
				store1<20>(record, middle_fine);
			}
			unsigned voxel = records + 4 * i;
#pragma unroll 1
			/* a column that ends on the edge also closes the voxel below */
			for (; to >= end; end++, voxel += 4) {
				store1<ENDS>(voxel, __uint_as_float(record + RECORD));
				store1<OVERLAPS + 4>(voxel, (fminf(to, end + 1) - end) * inverse);
			}
		}
		__syncwarp();
		const unsigned ends = __float_as_uint(load1<ENDS>(records + 4 * min(lane, STRIP)));
		if (FORM != TALL && lane < STRIP) {
			unsigned in = lane ? __float_as_uint(load1<ENDS - 4>(records + 4 * lane)) : records;
			float top = 0;
			if (in > records)
				top = load1<OVERLAPS>(records + 4 * lane) * load1<12 - RECORD>(in);
#pragma unroll 1
			for (; in < ends; in += RECORD) {
				const float2 c = load2<8>(in);
				top = fmaf(c.x, c.y, top);
			}
			s->top += top;
		}
		unsigned at = records, column = columns + (start + slot0) * bytes;
		float value[EDGES];
#pragma unroll
		for (int r = 0; r < EDGES; r++)
			value[r] = 0;
		/* loads columns one ahead; the compiler knows that shuffled values are uniform, which saves barriers in
		 * the loop */
		float4 c = load4(at), overlap = load4<OVERLAPS>(records);
		float2 fine = FORM == SHORT ? make_float2(0, 0) : load2<16>(at);
#pragma unroll
		for (int v = 0; v < STRIP; v++) {
			const unsigned end = __shfl_sync(~0u, ends, v);
			if (v > 0) {
				const float weight = v % 4 == 0 ? overlap.x : v % 4 == 1 ? overlap.y : v % 4 == 2 ? overlap.z : overlap.w;
#pragma unroll
				for (int r = 0; r < EDGES; r++)
					s->E[v][r] = fmaf(weight, value[r], s->E[v][r]);
			}
			if (v % 4 == 3)
				overlap = load4<OVERLAPS>(records + 4 * (v + 1));
#pragma unroll 1
			while (at < end) {
				const float weight = c.z, top = c.w, step_fine = fine.x, middle_fine = fine.y;
				unsigned place[EDGES];
				float row[EDGES];
#pragma unroll
				for (int r = 0; r < EDGES; r++)
					value[r] = place_at<FORM>(column, fmaf(c.x, edge[r], c.y), rows, &place[r], &row[r]);
				at += RECORD;
				column += bytes;
				c = load4(at);
				if (FORM != SHORT)
					fine = load2<16>(at);
				float2 entry[EDGES];
				load_at(place, entry);
#pragma unroll
				for (int r = 0; r < EDGES; r++) {
					entry[r].x -= FORM == TALL ? top : 0;
					value[r] = value_at<FORM>(entry[r], value[r], rows, from_middle, row[r], step_fine, edge[r],
					                          middle_fine);
					s->E[v][r] = fmaf(weight, value[r], s->E[v][r]);
				}
			}
		}
		__syncwarp();
	}
}

enum { FRESH = 1 }; /* bit 0 of `e`, beside twice the tile's first z edge: the volume is not set there yet */
static __device__ __forceinline__ void set_or_add(float *to, float x, int set)
{
	asm volatile("{.reg .pred set; setp.ne.s32 set, %2, 0; @set st.global.f32 [%0], %1;"
	             "@!set red.global.add.f32 [%0], %1;}" ::"l"(to), "f"(x), "r"(set) : "memory");
}

template <int STRIP, int EDGES, int FORM>
static __device__ void flush(const gt_dd &d, const job &j, struct sums<STRIP, EDGES> *s, int i0, int n, int e, const int *end)
{
	/* the other axis adds to the same voxels */
	await_last_launch();
	/* reloaded to save registers */
	const int lane = threadIdx.x % WARP, width = d.n[1 - j.axis], z1 = *end;
	if (EDGES == 1 || (FORM == FINE && EDGES == 2)) /* keeps derived values out of registers, too */
		asm volatile("" : "+r"(i0), "+r"(n));
#pragma unroll
	for (int v = 0; v < STRIP; v++) {
		const float top = FORM == TALL ? 0 : __shfl_sync(~0u, s->top, v);
		const size_t line = j.axis == 1 ? (size_t)n * d.n[0] + i0 + v : (size_t)(i0 + v) * d.n[0] + n;
#pragma unroll
		for (int r = 0; r < EDGES; r++) {
			float up = __shfl_down_sync(~0u, s->E[v][r], 1);
			const float next = r < EDGES - 1 ? __shfl_sync(~0u, s->E[v][r < EDGES - 1 ? r + 1 : r], 0) : top;
			const int z = (e >> 1) + lane + WARP * r;
			up = lane == WARP - 1 ? next : up;
			if (n < d.n[j.axis] && i0 + v < width && z < z1)
				/* the atomic addition avoids a load, although no other thread adds here; + 0.f avoids
				 * -0 */
				set_or_add(&j.b[line * d.n[2] + z], up - s->E[v][r] + 0.f, e & FRESH);
		}
		asm volatile("" ::: "memory"); /* limits the loads in flight to the available registers */
	}
#pragma unroll
	for (int v = 0; v < STRIP; v++)
#pragma unroll
		for (int r = 0; r < EDGES; r++)
			s->E[v][r] = 0;
	s->top = 0;
}

/* The last flush of a block that sets the volume: adds b to the tile from z edge e on and writes x. */
template <int STRIP, int EDGES, int FORM>
static __device__ void finish(const gt_dd &d, const job &j, struct sums<STRIP, EDGES> *s, int i0, int n, int e, const int *end)
{
	await_last_launch();
	const int lane = threadIdx.x % WARP, z1 = *end, nx = d.n[0], there = n < d.n[1]; /* i0, n: see flush() */
	asm volatile("" : "+r"(i0), "+r"(n));
#pragma unroll
	for (int v = 0; v < STRIP; v++) {
		const float top = FORM == TALL ? 0 : __shfl_sync(~0u, s->top, v);
#pragma unroll
		for (int r = 0; r < EDGES; r++) {
			float up = __shfl_down_sync(~0u, s->E[v][r], 1);
			const float next = r < EDGES - 1 ? __shfl_sync(~0u, s->E[v][r < EDGES - 1 ? r + 1 : r], 0) : top;
			const int z = e + lane + WARP * r;
			up = lane == WARP - 1 ? next : up;
			s->E[v][r] = up - s->E[v][r];
			if (there && i0 + v < nx && z < z1) /* bypasses L1, which may hold old neighbours */
				s->E[v][r] += __ldcg(&j.b[((size_t)n * nx + i0 + v) * d.n[2] + z]);
		}
		if (v % 4 < 3)
			continue;
#pragma unroll
		for (int r = 0; r < EDGES; r++) {
			const int z = e + lane + WARP * r;
			if (there && i0 + v < nx && z < z1)
				*(float4 *)&j.x[((size_t)z * d.n[1] + n) * nx + i0 + v - 3] = make_float4(s->E[v - 3][r], s->E[v - 2][r],
				                                                                          s->E[v - 1][r], s->E[v][r]);
		}
		asm volatile("" ::: "memory"); /* limits the loads in flight to the registers available */
	}
}

template <int STRIP, int EDGES, int FORM>
__global__ void __launch_bounds__(THREADS, GT_DD_ADJOINT_BLOCKS) adjoint_kernel(gt_dd d, gt_dd_fast f, job j)
{
	extern __shared__ __align__(128) unsigned char places[];
	__shared__ plan<STRIP, FORM> plans[SLICES];
	__shared__ int part_end; /* end of the block's slices of z */
	__shared__ __align__(8) unsigned long long full[GT_DD_ADJOINT_SLOTS], empty[GT_DD_ADJOINT_SLOTS];
	const int warp = same(threadIdx.x / WARP), lane = threadIdx.x % WARP;
	const int i0 = gt_dd_outwards(blockIdx.x / j.slice_groups % j.strips, j.strips) * STRIP, n0 = blockIdx.x % j.slice_groups * SLICES,
		  z0 = blockIdx.x / j.strips / j.slice_groups * j.part;
	const struct ring ring = { places, address_of(full), address_of(empty) };
	if (threadIdx.x == 0) {
		for (int i = 0; i < GT_DD_ADJOINT_SLOTS; i++) {
			barrier_init(ring.full + 8 * i, 1);
			barrier_init(ring.empty + 8 * i, SLICES);
		}
		barrier_fence();
		part_end = min(z0 + j.part, d.n[2]);
	}
	__syncthreads();
	let_next_launch_begin();
	if (warp == SLICES) {
		produce<strip_shape<STRIP, EDGES, FORM>>(d, f, j, ring, i0, n0, z0, part_end);
		await_last_launch();
		return;
	}
	struct sums<STRIP, EDGES> s = {};
	const unsigned records = same(address_of(&plans[warp]));
	float edge[EDGES];
#pragma unroll
	for (int r = 0; r < EDGES; r++)
		edge[r] = (float)(lane + WARP * r - 16 * EDGES);
	int e = -1; /* no tile yet */
	for (unsigned units = 0;; units++) {
		const unsigned slot = units % GT_DD_ADJOINT_SLOTS;
		const strip_unit *u = (const strip_unit *)(places + slot * slot_of(FORM));
		barrier_wait(ring.full + 8 * slot, units / GT_DD_ADJOINT_SLOTS % 2);
		const struct order order = u->order;
		if (same(order.last))
			break;
		if (same(order.flush)) {
			if (e >= 0)
				flush<STRIP, EDGES, FORM>(d, j, &s, i0, n0 + warp, e, &part_end);
			e = 2 * order.edge + (e < 0 ? j.sets : 0);
		}
		if (same(order.valid) >> warp & 1)
			consume<STRIP, EDGES, FORM>(u, warp, &s, records, edge);
		__syncwarp();
		if (lane == 0)
			barrier_arrive(ring.empty + 8 * slot);
	}
	if (sets_volume(EDGES, FORM) && j.x)
		finish<STRIP, EDGES, FORM>(d, j, &s, i0, n0 + warp, z0, &part_end);
	else if (e >= 0 || j.sets)
		flush<STRIP, EDGES, FORM>(d, j, &s, i0, n0 + warp, e < 0 ? 2 * z0 + FRESH : e, &part_end);
}
#else
template <int STRIP, int EDGES, int FORM> __global__ void adjoint_kernel(gt_dd d, gt_dd_fast f, job j) {}
#endif
#endif
