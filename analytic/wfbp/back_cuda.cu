/* Backprojection of wfbp on CUDA. SLICES lanes of a warp process one column of voxels, PARTS slices each. First every
 * lane finds the position of that column in one view, in double, by the functions of the CPU. Then all lanes loop over
 * those views, which they read along z, from consecutive lines of rows. Views far from the slices are excluded
 * beforehand. */
#include <math.h>
#include "analytic/wfbp/wfbp_cuda.cuh"

/* Variants. */
#ifndef SLICES
#define SLICES 16 /* lanes along z: 8, 16, 32; the others of a warp process adjacent columns */
#endif
#ifndef PARTS
#define PARTS 4 /* slices per lane, SLICES apart: 1, 2, 4 */
#endif
#ifndef WARPS_X
#define WARPS_X 4 /* warps of a block along x: 1, 2, 4, 8 */
#endif
#ifndef WARPS_Y
#define WARPS_Y 4 /* and along y: 1, 2, 4, 8 */
#endif
#ifndef BLOCKS
#define BLOCKS 2 /* minimum blocks per multiprocessor, which limits the registers */
#endif
#define WARP 32
#define BESIDE (WARP / SLICES) /* columns per warp */
#define CHUNK (SLICES * PARTS)
#define WARPS (WARPS_X * WARPS_Y)
#define ALL 0xffffffffu
#define NONE 0xffffffffu
#define TILE 32 /* edge of a transposition, by TILE_ROWS rows of threads */
#define TILE_ROWS 8

static __host__ __device__ __forceinline__ unsigned tiles_of(size_t n, size_t tile) { return (unsigned)((n + tile - 1) / tile); }

/* Views and slices ------------------------------------------------------- */

/* list[chunk]: number of views, then the views near CHUNK slices, and the last of each bin. One warp per chunk. */
static __global__ void __launch_bounds__(WARP) find_views(struct gt_helix_device d, struct gt_helix_grid g, unsigned views, unsigned *lists)
{
	unsigned *list = lists + blockIdx.x * (size_t)(views + 1), n = 0;
	const double low = g.first[2] + (double)blockIdx.x * CHUNK * g.pitch[2], high = low + (CHUNK - 1) * g.pitch[2];
	for (unsigned first = 0; first < views; first += WARP) {
		const unsigned v = first + threadIdx.x;
		const int near = v < views && (v % d.turns == d.turns - 1 || !gt_helix_is_far(d, g, v, low, high));
		const unsigned which = __ballot_sync(ALL, near);
		if (near)
			list[1 + n + __popc(which & ((1u << threadIdx.x) - 1))] = v;
		n += __popc(which);
	}
	if (threadIdx.x == 0)
		list[0] = n;
}

template <typename T>
static __global__ void __launch_bounds__(TILE *TILE_ROWS)
	transpose(size_t rows, size_t wide, size_t pitch, size_t strips, const T *from, T *to)
{
	__shared__ T room[TILE][TILE + 1];
	const size_t v = blockIdx.x / strips, first = blockIdx.x % strips * TILE, line = rows + 2;
	from += v * rows * pitch;
	to += v * wide * line;
	for (size_t r0 = 0; r0 < line; r0 += TILE) {
		__syncthreads();
		for (size_t i = threadIdx.y; i < TILE && r0 + i < line; i += TILE_ROWS) {
			const size_t r = r0 + i, row = r < 1 ? 0 : r <= rows ? r - 1 : rows - 1;
			if (first + threadIdx.x < wide)
				room[i][threadIdx.x] = from[row * pitch + first + threadIdx.x];
		}
		__syncthreads();
		for (size_t i = threadIdx.y; i < TILE && first + i < wide; i += TILE_ROWS)
			if (r0 + threadIdx.x < line)
				to[(first + i) * line + r0 + threadIdx.x] = room[threadIdx.x][i];
	}
}

/* One column of voxels and one view -------------------------------------- */

/* row: of the centre of the chunk, from the centre of the detector; slope: rows per slice. Not seen: infinite. */
template <typename T> struct sight {
	T row, slope, right;
	unsigned column; /* common to all lines */
};
template <> struct __align__(16) sight<float>
{
	float row, slope, right;
	unsigned column;
};

/* The voxels of a lane: column (ix, iy), slices iz + k SLICES. */
struct place {
	double x, y, z; /* z: of the centre of the chunk */
	unsigned ix, iy, iz, chunk;
	int inside;     /* the column is computed */
	unsigned valid; /* bit k: slice k is computed */
};

static __device__ __forceinline__ struct place find_place(const struct gt_helix_device &d, const struct gt_helix_grid &g)
{
	const unsigned across = tiles_of(g.n[0], WARPS_X * BESIDE), slice = across * tiles_of(g.n[1], WARPS_Y);
	const unsigned tile = blockIdx.x % slice, warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	struct place p;
	p.chunk = blockIdx.x / slice;
	p.ix = (tile % across * WARPS_X + warp % WARPS_X) * BESIDE + lane / SLICES;
	p.iy = tile / across * WARPS_Y + warp / WARPS_X;
	p.iz = p.chunk * CHUNK + lane % SLICES;
	p.x = g.first[0] + (double)p.ix * g.pitch[0];
	p.y = g.first[1] + (double)p.iy * g.pitch[1];
	p.z = g.first[2] + ((double)p.chunk * CHUNK + (CHUNK - 1) / 2.) * g.pitch[2];
	p.inside = p.ix < g.n[0] && p.iy < g.n[1] && hypot(p.x - d.detector.center[0], p.y - d.detector.center[1]) <= g.radius;
	p.valid = 0;
	for (unsigned k = 0; k < PARTS; k++)
		p.valid |= (unsigned)(p.inside && p.iz + k * SLICES < g.n[2]) << k;
	return p;
}

/* Common values of all lanes. */
template <typename T> struct lines {
	const T *sample;
	unsigned wide, line, line_bytes; /* lines of a view, samples of a line */
	T half, middle;                  /* half: half the rows; middle: position of their centre in a line */
	T ramp, offset;                  /* the taper begins at offset / ramp rows from the centre */
};

/* Bit p: the view sees slices of part p. */
template <typename T>
static __device__ unsigned look(const struct gt_helix_device &d, const struct gt_helix_grid &g, unsigned wide, const struct place &p,
                                unsigned v, struct sight<T> *out)
{
	const struct gt_helix_view *w = &d.view[v];
	const size_t columns = d.detector.columns;
	struct gt_helix_line at;
	if (!gt_helix_see(&d.detector, w, &d.spot[w->spot], d.z + v * columns, d.reach + w->spot * columns, p.x, p.y, &at))
		return 0;
	const double slope = at.slope * g.pitch[2], highest = (double)d.rows / 2 + fabs(slope) * ((SLICES - 1) / 2. + 1e-3) + 1e-3;
	const double row = at.row0 + at.slope * p.z - ((double)d.rows - 1) / 2;
	unsigned seen = 0;
#pragma unroll
	for (int k = 0; k < PARTS; k++)
		seen |= (unsigned)(fabs(row + slope * ((k - (PARTS - 1) / 2.) * SLICES)) <= highest) << k;
	*out = { (T)row, (T)slope, (T)at.right, v * wide + (unsigned)at.k };
	return seen;
}

static __device__ __forceinline__ float taper(float u) { return gt_row_taper_single(__saturatef(u)); }
static __device__ __forceinline__ double taper(double u) { return gt_row_taper_double(fmin(fmax(u, 0.), 1.)); }
static __device__ __forceinline__ float smaller(float a, float b) { return fminf(a, b); }
static __device__ __forceinline__ double smaller(double a, double b) { return fmin(a, b); }
static __device__ __forceinline__ float larger(float a, float b) { return fmaxf(a, b); }
static __device__ __forceinline__ double larger(double a, double b) { return fmax(a, b); }
static __device__ __forceinline__ float distance(float a) { return fabsf(a); }
static __device__ __forceinline__ double distance(double a) { return fabs(a); }
static __device__ __forceinline__ float over(float a, float b) { return __fdividef(a, b); }
static __device__ __forceinline__ double over(double a, double b) { return a / b; }

/* Integer and fraction of 0 <= a < 2^22: conversions would take more time than the addition of 2^23. */
static __device__ __forceinline__ unsigned split(float a, float *part)
{
	const float whole = __fadd_rd(a, 8388608.f);
	*part = a - (whole - 8388608.f);
	return __float_as_uint(whole) - 0x4b000000u;
}
static __device__ __forceinline__ unsigned split(double a, double *part)
{
	const unsigned whole = (unsigned)a;
	*part = a - (double)whole;
	return whole;
}

/* base + n times bytes in one instruction; the compiler would split such sums. */
static __device__ __forceinline__ const char *beyond(const void *base, unsigned n, unsigned bytes)
{
	const char *p;
	asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(p) : "r"(n), "r"(bytes), "l"(base));
	return p;
}

/* step: slices from the centre of the chunk. */
template <typename T>
static __device__ __forceinline__ void add(const struct lines<T> &l, const struct sight<T> &at, const char *line, T step, T *sum, T *weight)
{
	const T row = at.row + at.slope * step, inside = larger(smaller(row, l.half), -l.half);
	T part;
	const unsigned i = split(inside + l.middle, &part);
	const T *near = (const T *)beyond(line, i, sizeof(T)), *far = (const T *)((const char *)near + l.line_bytes);
	const T a = __ldg(near), b = __ldg(near + 1), c = __ldg(far), e = __ldg(far + 1);
	const T low = a + at.right * (c - a), high = b + at.right * (e - b), w = taper(distance(row) * l.ramp - l.offset);
	const T more = *sum + w * (low + part * (high - low)), heavier = *weight + w;
	const int sees = distance(row) <= l.half;
	*sum = sees ? more : *sum;
	*weight = sees ? heavier : *weight;
}

/* Voxels that no view of the bin saw take the nearest row: *sum of the parts whose bit is set. */
template <typename T>
static __device__ void extend(const struct gt_helix_device &d, const struct gt_helix_grid &g, const struct place &p,
                              const struct lines<T> &l, unsigned first, unsigned missing, T step, struct sight<T> *room, T *sum)
{
	const unsigned j = threadIdx.x % SLICES, turns = (unsigned)d.turns;
	T nearest[PARTS];
#pragma unroll
	for (int k = 0; k < PARTS; k++)
		nearest[k] = missing >> k & 1 ? (T)INFINITY : (T)0;
	for (unsigned k0 = 0; k0 < turns; k0 += SLICES) {
		struct sight<T> at = {
			(T) INFINITY, 0, 0, 0
		};
		if (k0 + j < turns)
			look<T>(d, g, l.wide, p, first + k0 + j, &at);
		__syncwarp();
		room[j] = at;
		__syncwarp();
		for (unsigned i = 0; i < SLICES && k0 + i < turns; i++) {
			at = room[i];
#pragma unroll
			for (int k = 0; k < PARTS; k++) {
				const T row = at.row + at.slope * (step + (T)(k * SLICES));
				if (!(distance(row) < nearest[k]))
					continue;
				nearest[k] = distance(row);
				const T *near = l.sample + at.column * (size_t)l.line + (row < 0 ? 0 : l.line - 1);
				sum[k] = near[0] + at.right * (near[l.line] - near[0]);
			}
		}
	}
}

/* Combines the bits of the warp's columns. */
static __device__ __forceinline__ unsigned any_column(int bit)
{
	unsigned which = __ballot_sync(ALL, bit);
	for (int b = WARP / 2; b >= SLICES; b /= 2)
		which |= which >> b;
	return SLICES < WARP ? which & ((1u << SLICES % WARP) - 1) : which;
}

/* Adds the sums of a finished bin to the total. first: its first view. */
template <typename T>
static __device__ __forceinline__ void close_bin(const struct gt_helix_device &d, const struct gt_helix_grid &g, const struct place &p,
                                                 const struct lines<T> &l, unsigned first, T step, struct sight<T> *room, T *sum, T *weight,
                                                 T *total)
{
	unsigned missing = 0;
#pragma unroll
	for (int k = 0; k < PARTS; k++)
		missing |= weight[k] > 0 ? 0 : p.valid & 1u << k;
	if (g.extend && __any_sync(ALL, missing))
		extend<T>(d, g, p, l, first, missing, step, room, sum);
#pragma unroll
	for (int k = 0; k < PARTS; k++) {
		total[k] += weight[k] > 0 ? over(sum[k], weight[k]) : sum[k];
		sum[k] = weight[k] = 0;
	}
}

template <typename T>
static __global__ void __launch_bounds__(WARP *WARPS, BLOCKS)
	backproject(struct gt_helix_device d, struct gt_helix_grid g, struct lines<T> l, unsigned views, const unsigned *lists, T *x)
{
	__shared__ struct sight<T> rooms[2][WARPS][WARP];
	const struct place p = find_place(d, g);
	if (!__any_sync(ALL, p.inside))
		return;
	const unsigned *list = lists + p.chunk * (size_t)(views + 1), count = *list++, turns = (unsigned)d.turns;
	const unsigned warp = threadIdx.x / WARP, j = threadIdx.x % SLICES, column = threadIdx.x % WARP / SLICES * SLICES;
	struct sight<T> *room = rooms[0][warp] + column, *spare = rooms[1][warp] + column;
	const T step = (T)((double)j - (CHUNK - 1) / 2.);
	T total[PARTS], sum[PARTS], weight[PARTS];
#pragma unroll
	for (int k = 0; k < PARTS; k++)
		total[k] = sum[k] = weight[k] = 0;
	for (unsigned first = 0; first < count; first += SLICES) {
		const unsigned v = first + j < count ? list[first + j] : NONE;
		struct sight<T> at = {
			(T) INFINITY, 0, 0, 0
		};
		const unsigned sees = v != NONE && p.inside ? look<T>(d, g, l.wide, p, v, &at) : 0;
		const unsigned last = any_column(v != NONE && v % turns == turns - 1);
		unsigned seen[PARTS], left = last;
#pragma unroll
		for (int k = 0; k < PARTS; k++)
			left |= seen[k] = any_column(sees >> k & 1);
		room[j] = at;
		__syncwarp();
		for (; left; left &= left - 1) {
			const int i = __ffs((int)left) - 1;
			at = room[i];
			const char *line = beyond(l.sample, at.column, l.line_bytes);
#pragma unroll
			for (int k = 0; k < PARTS; k++)
				if (seen[k] >> i & 1)
					add<T>(l, at, line, step + (T)(k * SLICES), &sum[k], &weight[k]);
			if (last >> i & 1)
				close_bin<T>(d, g, p, l, list[first + i] + 1 - turns, step, spare, sum, weight, total);
		}
		__syncwarp();
	}
#pragma unroll
	for (int k = 0; k < PARTS; k++)
		if (p.valid >> k & 1)
			x[((size_t)(p.iz + k * SLICES) * g.n[1] + p.iy) * g.n[0] + p.ix] += total[k];
}

/* From the host ----------------------------------------------------------- */

size_t gt_helix_lines_bytes(size_t views, size_t rows, size_t wide, gt_type type) { return views * wide * (rows + 2) * gt_type_size(type); }

size_t gt_helix_list_bytes(size_t views, size_t slices) { return tiles_of(slices, CHUNK) * (views + 1) * sizeof(unsigned); }

template <typename T> static void run(gt_backend *be, const struct gt_helix_backproject *s)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const size_t *n = s->g.n, views = s->bins * s->d.turns, chunks = tiles_of(n[2], CHUNK), strips = (s->wide + TILE - 1) / TILE;
	const size_t tiles = (size_t)tiles_of(n[0], WARPS_X * BESIDE) * tiles_of(n[1], WARPS_Y);
	const unsigned line = (unsigned)s->d.rows + 2;
	const double half = (double)s->d.rows / 2, ramp = 1 / (half * (1 - s->g.flat));
	const struct lines<T> l = {
		(const T *)s->lines, (unsigned)s->wide, line, line *(unsigned)sizeof(T), (T)half, (T)(half + 0.5), (T)ramp,
			(T)(ramp *half * s->g.flat)
	};
	transpose<T><<<(unsigned)(views * strips), dim3(TILE, TILE_ROWS), 0, queue>>>(s->d.rows, s->wide, s->pitch, strips,
	                                                                              (const T *)s->filtered, (T *)s->lines);
	if (gt_cuda_check(be, cudaGetLastError(), "helical backprojection: lines"))
		return;
	find_views<<<(unsigned)chunks, WARP, 0, queue>>>(s->d, s->g, (unsigned)views, s->list);
	if (gt_cuda_check(be, cudaGetLastError(), "helical backprojection: views"))
		return;
	backproject<T><<<(unsigned)(tiles * chunks), WARP * WARPS, 0, queue>>>(s->d, s->g, l, (unsigned)views, s->list, (T *)s->x);
	gt_cuda_check(be, cudaGetLastError(), "helical backprojection");
}

void gt_helix_backproject_run(gt_backend *be, gt_type type, const struct gt_helix_backproject *s)
{
	if (type == GT_F32)
		run<float>(be, s);
	else
		run<double>(be, s);
}
