/* Transposed backprojection of wfbp on CUDA, some bins at a time. First each voxel is divided by the sum of its row
 * weights in a bin, one thread per column of voxels. A voxel that no view of a bin sees adds to the end of the column's
 * nearest rows. Then a warp sums a tile of a filtered view: lanes are rows, and the warp visits the columns of voxels
 * between its detector columns (fbp/gather_tiles.cuh). Positions are in double, the same in both kernels, so both
 * agree on the rows that a view sees. The order of sums is fixed, so the result is reproducible.
 * Limit: per row and column of voxels about 25 instructions for each slice that interpolates there. */
#include <math.h>
#include "analytic/fbp/gather.h"
#include "analytic/fbp/gather_tiles.cuh"
#include "analytic/wfbp/wfbp_cuda.cuh"

#define LANES 128
#define SLICES 16 /* per column of voxels at a time */
#define WARPS 8   /* tiles of a block, in adjacent columns */
#define ROWS 32   /* per tile */

/* A column of voxels in a view: slice z at row + z step, from the centre of the detector. */
struct sight {
	double row, step, right;
	size_t k;
};

/* A column of voxels that a tile sees; tail: of the unseen voxels, to be added to the first and the last row. */
template <typename T> struct pixel {
	double row, step;
	const T *line; /* slice 0 */
	T left, right, tail[2];
	T shift, rows, slices; /* row 0 of the tile lies at slice base + shift; rows per slice, slices per row */
	int base;
	unsigned interval; /* the columns interval - 1 and interval of the tile */
};

/* Not inlined: two kernels compare its rows with the edges of the detector. */
static __device__ __noinline__ int look(const struct gt_helix_device *d, const struct gt_helix_grid *g, size_t v, double x, double y,
                                        struct sight *s)
{
	const struct gt_helix_view *w = &d->view[v];
	const size_t columns = d->detector.columns;
	struct gt_helix_line at;
	if (!gt_helix_see(&d->detector, w, &d->spot[w->spot], d->z + v * columns, d->reach + w->spot * columns, x, y, &at))
		return 0;
	s->step = at.slope * g->pitch[2];
	s->row = at.row0 + at.slope * g->first[2] - ((double)d->rows - 1) / 2;
	s->right = at.right;
	s->k = at.k;
	return 1;
}

static __device__ __forceinline__ double row_of(double row, double step, int z) { return fma((double)z, step, row); }
/* Row weights: half heights per row, and their taper. */
template <typename T> struct row_weights {
	T per_row, flat, over_rest;
};
template <typename T>
static __device__ __forceinline__ struct row_weights<T> weights_of(const struct gt_helix_device &d, const struct gt_helix_grid &g) {
	return { (T)(2 / (double)d.rows), (T)g.flat, (T)(1 / (1 - g.flat)) };
} static __device__ __forceinline__ float weigh(const struct row_weights<float> &w, float row)
{
	return gt_row_weight_single(fabsf(row) * w.per_row, w.flat, w.over_rest);
}
static __device__ __forceinline__ double weigh(const struct row_weights<double> &w, double row)
{
	return gt_row_weight_double(fabs(row) * w.per_row, w.flat, w.over_rest);
}

/* Adds unseen voxels, whose bit is set, to the end of the nearest rows. first: view of the bin; ends:
 * [turn][end][y][x]. */
template <typename T>
static __device__ __noinline__ void add_unseen(const struct gt_helix_device *d, const struct gt_helix_grid *g, size_t first, double x,
                                               double y, int z, unsigned unseen, const T *in, T *ends)
{
	const size_t slice = g->n[0] * g->n[1];
	T nearest[SLICES];
	int end[SLICES];
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		nearest[j] = (T)INFINITY;
		end[j] = -1;
	}
	for (size_t k = 0; k < d->turns; k++) {
		struct sight s;
		if (!look(d, g, first + k, x, y, &s))
			continue;
#pragma unroll
		for (int j = 0; j < SLICES; j++) {
			const double row = row_of(s.row, s.step, z + j);
			if (!(fabs(row) < (double)nearest[j]))
				continue;
			nearest[j] = (T)fabs(row);
			end[j] = 2 * (int)k + (row >= 0);
		}
	}
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		if (unseen >> j & 1 && end[j] >= 0)
			ends[end[j] * slice] += in[j * slice];
}

/* Bins along z. share: [bin][y][x][z]; ends: [bin][turn][end][y][x], zero on entry, NULL: unseen voxels are 0. */
template <typename T>
static __global__ void __launch_bounds__(LANES) share_voxels(struct gt_helix_device d, struct gt_helix_grid g, struct gt_back_grid grid,
                                                             const unsigned char *incomplete, size_t first, const T *x, T *share, T *ends)
{
	const size_t slice = g.n[0] * g.n[1], at = blockIdx.x * (size_t)LANES + threadIdx.x, view = first + blockIdx.y * d.turns;
	const int slices = (int)g.n[2];
	if (at >= slice)
		return;
	const double half = (double)d.rows / 2, px = gt_gather_at(&grid, 0, (double)(at % g.n[0])),
		     py = gt_gather_at(&grid, 1, (double)(at / g.n[0]));
	const int masked = gt_gather_masks(&grid, px, py);
	const struct row_weights<T> weights = weights_of<T>(d, g);
	share += (blockIdx.y * slice + at) * g.n[2];
	for (int z = 0; z < slices; z += SLICES) {
		const double low = g.first[2] + z * g.pitch[2], high = low + (SLICES - 1) * g.pitch[2];
		T weight[SLICES];
		unsigned unseen = 0;
#pragma unroll
		for (int j = 0; j < SLICES; j++)
			weight[j] = 0;
		for (size_t v = view; v < view + d.turns && !masked; v++) {
			struct sight s;
			if (gt_helix_is_far(d, g, v, low, high) || !look(&d, &g, v, px, py, &s))
				continue;
#pragma unroll
			for (int j = 0; j < SLICES; j++) {
				const double row = row_of(s.row, s.step, z + j);
				weight[j] += fabs(row) <= half ? weigh(weights, (T)row) : (T)0;
			}
		}
#pragma unroll
		for (int j = 0; j < SLICES; j++) {
			if (z + j >= slices)
				continue;
			const int used = !masked && (g.extend || !incomplete[z + j]);
			share[z + j] = used && weight[j] > 0 ? x[(z + j) * slice + at] / weight[j] : (T)0;
			unseen |= (unsigned)(used && !(weight[j] > 0)) << j;
		}
		if (unseen && ends)
			add_unseen<T>(&d, &g, view, px, py, z, unseen, x + z * slice + at, ends + blockIdx.y * d.turns * 2 * slice + at);
	}
}

/* Fills the record of the column of voxels (plane, i); returns 0 if no sample of the tile interpolates it. */
template <typename T>
static __device__ int find_pixel(const struct gt_lines *a, const struct gt_helix_device *d, const struct gt_helix_grid *g, size_t v,
                                 size_t plane, size_t i, const T *share, const T *ends, struct pixel<T> *p)
{
	const size_t ix = a->axis ? plane : i, iy = a->axis ? i : plane, at = iy * g->n[0] + ix, slice = g->n[0] * g->n[1];
	const double x = gt_gather_at(a->grid, 0, (double)ix), y = gt_gather_at(a->grid, 1, (double)iy);
	struct sight s;
	if (gt_gather_masks(a->grid, x, y) || !look(d, g, v, x, y, &s) || !(s.k + 1 >= a->column && s.k < a->column + GT_LINES_COLUMNS))
		return 0;
	const double low = (double)a->row - (double)d->rows / 2 - 1, high = low + ROWS + 2;
	p->tail[0] = ends ? ends[at] : (T)0;
	p->tail[1] = ends ? ends[slice + at] : (T)0;
	if ((row_of(s.row, s.step, (int)g->n[2] - 1) < low || s.row > high) && p->tail[0] == 0 && p->tail[1] == 0)
		return 0;
	const double first = (low + 1.5 - s.row) / s.step, whole = floor(fmin(fmax(first, -1e9), 1e9));
	p->row = s.row;
	p->step = s.step;
	p->base = (int)whole;
	p->shift = (T)(first - whole);
	p->rows = (T)s.step;
	p->slices = (T)(1 / s.step);
	p->line = share + at * g->n[2];
	p->right = (T)s.right;
	p->left = (T)(1 - s.right);
	p->interval = (unsigned)(s.k + 1 - a->column);
	return 1;
}

/* Returns the column of voxels at row `lane` of the tile, row l of the detector: its slices within a row of it, times
 * their row weights. */
template <typename T>
static __device__ __forceinline__ T resample(const struct pixel<T> &p, const struct row_weights<T> &weights, size_t rows, int slices,
                                             unsigned lane, size_t l)
{
	const double half = (double)rows / 2;
	const int bottom = l == 0, top = l + 1 == rows;
	const T position = (T)lane * p.slices + p.shift, reach = p.slices + (T)1e-3;
	const int first = max((int)ceil(position - reach), -p.base), end = min((int)floor(position + reach) + 1, slices - p.base);
	T sum = (bottom ? p.tail[0] : (T)0) + (top ? p.tail[1] : (T)0);
	for (int i = first; i < end; i++) {
		const double row = row_of(p.row, p.step, p.base + i);
		const T beside = ((T)i - position) * p.rows, distance = (bottom && beside < 0) || (top && beside > 0) ? (T)0 : fabs(beside);
		const T weight = distance < 1 && fabs(row) <= half ? (1 - distance) * weigh(weights, (T)row) : (T)0;
		sum += weight * p.line[p.base + i];
	}
	return sum;
}

/* Views along y: those of some bins, from `first` of the batch on. shares, all_ends: see share_voxels(). */
template <typename T>
static __global__ void __launch_bounds__(32 * WARPS, 3)
	gather_tiles(struct gt_helix_device d, struct gt_helix_grid g, struct gt_back_grid grid, size_t first, const T *shares,
                     const T *all_ends, T *filtered)
{
	__shared__ struct pixel<T> records[WARPS][32];
	__shared__ struct gt_lines tiles[WARPS];
	__shared__ struct gt_back_view views[WARPS];
	const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, below = (1u << lane) - 1;
	const size_t v = first + blockIdx.y, slice = g.n[0] * g.n[1];
	const size_t column = (blockIdx.x * (size_t)WARPS + warp) * GT_LINES_COLUMNS, row = blockIdx.z * (size_t)ROWS;
	const T *share = shares + blockIdx.y / d.turns * slice * g.n[2], *ends = all_ends ? all_ends + blockIdx.y * 2 * slice : NULL;
	const struct gt_lines *a = &tiles[warp];
	const struct row_weights<T> weights = weights_of<T>(d, g);
	T sum[GT_LINES_COLUMNS][1] = {};
	if (column >= grid.wide)
		return;
	if (lane == 0) {
		const struct gt_helix_view *w = &d.view[v];
		const double per = d.detector.per_pitch;
		views[warp].across[0] = -w->sine * per;
		views[warp].across[1] = w->cosine * per;
		views[warp].across[2] = (w->sine * d.detector.center[0] - w->cosine * d.detector.center[1]) * per;
		views[warp].column0 = (double)d.detector.lead - d.detector.first * per;
		gt_lines_set(&tiles[warp], &grid, &views[warp], column, row);
		tiles[warp].y[0] = 0;
		tiles[warp].y[1] = g.n[1];
	}
	__syncwarp();
	size_t plane, planes;
	gt_lines_planes(a, &plane, &planes);
	for (; plane < planes && d.view[v].used; plane += 32) {
		const struct gt_planes s = gt_find_planes(a, plane, planes);
		for (unsigned t = 0; t < s.total; t += 32) {
			struct pixel<T> p;
			size_t k, i;
			const int seen = gt_planes_item(&s, t + lane, &k, &i) && find_pixel<T>(a, &d, &g, v, plane + k, i, share, ends, &p);
			const unsigned mask = __ballot_sync(GT_ALL_LANES, seen);
			if (seen)
				records[warp][__popc(mask & below)] = p;
			__syncwarp();
			for (int e = 0; e < __popc(mask); e++) {
				const T r = row + lane < d.rows
				                    ? resample<T>(records[warp][e], weights, d.rows, (int)g.n[2], lane, row + lane)
				                    : (T)0;
				gt_add_columns(sum, records[warp][e].interval, records[warp][e].left, records[warp][e].right, &r);
			}
			__syncwarp();
		}
	}
	for (int c = 0; c < GT_LINES_COLUMNS; c++)
		if (row + lane < d.rows && column + c < grid.wide)
			filtered[(v * d.rows + row + lane) * grid.wide + column + c] = sum[c][0];
}

/* From the host ----------------------------------------------------------- */

static unsigned parts(size_t n, size_t size) { return (unsigned)((n + size - 1) / size); }

static size_t ends_bytes(const struct gt_helix_gather *s)
{
	return s->g.extend ? s->bins * s->d.turns * 2 * s->g.n[0] * s->g.n[1] * gt_type_size(s->type) : 0;
}

static struct gt_back_grid grid_of(const struct gt_helix_gather *s)
{
	struct gt_back_grid grid = {};
	grid.shape = GT_PARALLEL;
	grid.rows = s->d.rows;
	grid.wide = s->wide;
	grid.radius = s->g.radius;
	for (int a = 0; a < 3; a++) {
		grid.n[a] = s->g.n[a];
		grid.first[a] = s->g.first[a];
		grid.pitch[a] = s->g.pitch[a];
		if (a < 2)
			grid.center[a] = s->d.detector.center[a];
	}
	return grid;
}

template <typename T> static void run(gt_backend *be, const struct gt_helix_gather *s, size_t bins, const void *x, void *filtered)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const struct gt_back_grid grid = grid_of(s);
	T *share = (T *)s->share, *ends = s->g.extend ? (T *)s->ends : NULL;
	for (size_t b = 0; b < bins; b += s->bins) {
		const unsigned n = (unsigned)(bins - b < s->bins ? bins - b : s->bins);
		const dim3 columns(parts(s->g.n[0] * s->g.n[1], LANES), n);
		const dim3 tiles(parts(s->wide, WARPS * GT_LINES_COLUMNS), n * (unsigned)s->d.turns, parts(s->d.rows, ROWS));
		if (ends && gt_cuda_check(be, cudaMemsetAsync(ends, 0, ends_bytes(s), queue), "transposed helical backprojection: ends"))
			return;
		share_voxels<T><<<columns, LANES, 0, queue>>>(s->d, s->g, grid, s->incomplete, b * s->d.turns, (const T *)x, share, ends);
		gather_tiles<T><<<tiles, 32 * WARPS, 0, queue>>>(s->d, s->g, grid, b * s->d.turns, share, ends, (T *)filtered);
		if (gt_cuda_check(be, cudaGetLastError(), "transposed helical backprojection"))
			return;
	}
}

void gt_helix_gather_run(gt_backend *be, const struct gt_helix_gather *s, size_t bins, const void *x, void *filtered)
{
	if (s->type == GT_F32)
		run<float>(be, s, bins, x, filtered);
	else
		run<double>(be, s, bins, x, filtered);
}

void gt_helix_gather_close(gt_backend *be, struct gt_helix_gather *s)
{
	gt_backend_free(be, s->share, s->share_bytes);
	gt_backend_free(be, s->ends, s->ends_bytes);
	gt_backend_free(be, s->incomplete, s->g.n[2]);
}

/* Bins at a time: their shares take at most an eighth of the free memory, and 1 GiB unless one takes more. */
gt_status gt_helix_gather_open(gt_backend *be, const struct gt_helix_tables *tables, gt_type type, struct gt_helix_gather *s)
{
	const gt_wfbp_plan *p = tables->plan;
	const size_t bin = gt_grid_voxels(&p->grid) * gt_type_size(type), max_views = 65535; /* blocks along y */
	size_t available, total;
	gt_backend_memory(be, &available, &total);
	const size_t bytes = available / 8 < (size_t)1 << 30 ? available / 8 : (size_t)1 << 30;
	size_t bins = bytes / bin < max_views / p->turns ? bytes / bin : max_views / p->turns;
	bins = bins < p->batch ? bins : p->batch;
	s->d = tables->d;
	s->g = tables->grid;
	s->type = type;
	s->wide = p->filter->row.wide;
	s->bins = bins > 0 ? bins : 1;
	s->share_bytes = s->bins * bin;
	s->ends_bytes = ends_bytes(s);
	if (!(s->share = gt_backend_alloc(be, s->share_bytes, "voxels divided by their weights")) ||
	    (s->ends_bytes && !(s->ends = gt_backend_alloc(be, s->ends_bytes, "voxels beyond the rows"))) ||
	    !(s->incomplete = (unsigned char *)gt_backend_alloc(be, p->grid.n[2], "table of incomplete slices")))
		return GT_ERR_MEMORY;
	gt_backend_put(be, p->incomplete, s->incomplete, p->grid.n[2]);
	return GT_OK;
}
