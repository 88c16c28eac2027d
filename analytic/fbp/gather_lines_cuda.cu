/* Transposed backprojection of upright views in single precision on CUDA, by gather_lines.h. A warp computes a tile of
 * 128 rows and 8 columns. Lanes are rows, so weights of columns are uniform in the warp, and adjacent lanes read
 * adjacent voxels. Warps of a block compute adjacent views and columns, which read almost the same voxels.
 * Lanes first compute the records of 32 columns of voxels in double, then all lanes use them in sequence.
 * Limits per row of a tile and column of voxels: 3 loads that cross a line of the cache, about 23 instructions, of
 * which 15 interpolate and 2 add to the columns.
 * Memory on the device: a copy of the volume with slices fastest, in slabs along y. The order of sums is fixed, so the
 * result is reproducible. */
#include <limits.h>
#include <stdlib.h>
#include "analytic/fbp/fbp_cuda.cuh"
#include "analytic/fbp/gather_tiles.cuh"

#define BLOCKS 2 /* at least per multiprocessor, which leaves 128 registers per thread */
#define WARPS 8
#define VIEWS 4 /* per block; its other warps compute adjacent columns */
#define GROUPS (WARPS / VIEWS)
#define ROWS_EACH (GT_LINES_ROWS / 32)
#define SIDE 32 /* tile of the copy: slices, and voxels along x */

struct gt_line_gather {
	gt_backend *be;
	const gt_fbp_plan *plan;
	size_t slab, bytes; /* lines along y at a time; bytes of the copy */
	float *copy;
};

/* Sets copy[y - y0][x][PAD + z + PAD] from x[z][y][x]. */
static __global__ void __launch_bounds__(SIDE * 8) copy_lines(const float *x, struct gt_back_grid g, size_t y0, float *copy)
{
	__shared__ float tile[SIDE][SIDE + 1];
	const size_t ix = blockIdx.x * (size_t)SIDE, iz = blockIdx.y * (size_t)SIDE, iy = blockIdx.z, line = g.n[2] + 2 * GT_LINES_PAD;
	for (unsigned j = threadIdx.y; j < SIDE; j += 8) {
		const size_t z = iz + j - GT_LINES_PAD; /* wraps around before the first slice */
		if (ix + threadIdx.x < g.n[0])
			tile[j][threadIdx.x] = z < g.n[2] ? x[(z * g.n[1] + y0 + iy) * g.n[0] + ix + threadIdx.x] : 0.0f;
	}
	__syncthreads();
	for (unsigned j = threadIdx.y; j < SIDE; j += 8)
		if (ix + j < g.n[0] && iz + threadIdx.x < line)
			copy[(iy * g.n[0] + ix + j) * line + iz + threadIdx.x] = tile[threadIdx.x][j];
}

/* Rare, and apart so that the rows of the other kinds stay in registers. */
static __device__ __noinline__ float any_row(const struct gt_lines_pixel *p, const float *line, int slices, float position)
{
	return p->kind == GT_LINES_ANY ? gt_lines_any(p, line, slices, position) : 0.0f;
}

/* Adds to r the slices beyond the end of the detector. The lane of the outer row has them. */
static __device__ __forceinline__ void add_tail(const struct gt_lines_pixel *p, const float *line, int slices, int end, int row, float *r)
{
	const int lane = threadIdx.x % 32;
	float sum = gt_lines_beyond(p, line, slices, end, lane, 32);
#pragma unroll
	for (int m = 16; m; m /= 2)
		sum += __shfl_xor_sync(GT_ALL_LANES, sum, m);
#pragma unroll
	for (int j = 0; j < ROWS_EACH; j++)
		r[j] += row == 32 * j + lane ? sum : 0.0f;
}

/* Rows at an end of the volume, beyond the detector, or that interpolate more slices. first: position of the lane's
 * first row. */
static __device__ __forceinline__ void special_rows(const struct gt_lines *a, const struct gt_lines_pixel *p, const float *origin,
                                                    float first, float (&r)[ROWS_EACH])
{
	const float *line = origin + gt_lines_origin() - p->base;
	const int slices = (int)a->grid->n[2], edge = p->kind == GT_LINES_INSIDE || p->kind == GT_LINES_EDGE;
	if (edge) {
#pragma unroll
		for (int j = 0; j < ROWS_EACH; j++)
			r[j] = gt_lines_three(p, origin, 1, fmaf(32.0f * (float)j, p->slices, first));
	} else {
#pragma unroll
		for (int j = 0; j < ROWS_EACH; j++)
			r[j] = any_row(p, line, slices, fmaf(32.0f * (float)j, p->slices, first));
	}
	if (p->tails & 1)
		add_tail(p, line, slices, 0, 0, r);
	if (p->tails & 2)
		add_tail(p, line, slices, 1, (int)(a->grid->rows - 1 - a->row), r);
}

/* Resamples a column of voxels to the rows of the lane. */
static __device__ __forceinline__ void plain_rows(const struct gt_lines_pixel *p, const float *origin, float first, float (&r)[ROWS_EACH])
{
	asm("" : "+l"(origin)); /* else each row computes it again, in 64 bits */
	__builtin_assume(__isGlobal(origin));
#pragma unroll
	for (int j = 0; j < ROWS_EACH; j++)
		r[j] = gt_lines_three(p, origin, 0, fmaf(32.0f * (float)j, p->slices, first));
}

static __device__ __forceinline__ float first_of(const struct gt_lines_pixel *p)
{
	return fmaf((float)(int)(threadIdx.x % 32) - GT_LINES_CENTER, p->slices, p->shift);
}

/* Adds N columns of voxels. Two of them keep more loads in flight. */
template <int N>
static __device__ __forceinline__ void add_pixels(const struct gt_lines *a, const struct gt_lines_pixel *p, const float *copy,
                                                  float (&sum)[GT_LINES_COLUMNS][ROWS_EACH])
{
	float r[N][ROWS_EACH];
	unsigned which = 0;
#pragma unroll
	for (int k = 0; k < N; k++)
		which |= p[k].which;
	if (which < GT_LINES_SPECIAL) {
#pragma unroll
		for (int k = 0; k < N; k++)
			plain_rows(&p[k], copy + p[k].at - gt_lines_origin(), first_of(&p[k]), r[k]);
	} else {
#pragma unroll
		for (int k = 0; k < N; k++)
			special_rows(a, &p[k], copy + p[k].at - gt_lines_origin(), first_of(&p[k]), r[k]);
	}
#pragma unroll
	for (int k = 0; k < N; k++)
		gt_add_columns(sum, p[k].which % GT_LINES_SPECIAL, p[k].left, p[k].right, r[k]);
}

/* Computes the record of item t of these planes. */
static __device__ int find_pixel(const struct gt_lines *a, size_t plane, const struct gt_planes *s, unsigned t, struct gt_lines_pixel *p)
{
	size_t k, i;
	return gt_planes_item(s, t, &k, &i) && gt_lines_pixel(a, plane + k, i, p);
}

static __device__ __forceinline__ void sum_planes(const struct gt_lines *a, const float *copy, struct gt_lines_pixel *pixels,
                                                  float (&sum)[GT_LINES_COLUMNS][ROWS_EACH])
{
	const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
	size_t plane, planes;
	gt_lines_planes(a, &plane, &planes);
	for (; plane < planes; plane += 32) {
		const struct gt_planes s = gt_find_planes(a, plane, planes);
		for (unsigned t = 0; t < s.total; t += 32) {
			struct gt_lines_pixel p;
			const int seen = find_pixel(a, plane, &s, t + lane, &p);
			const unsigned mask = __ballot_sync(GT_ALL_LANES, seen);
			if (seen)
				pixels[__popc(mask & below)] = p;
			__syncwarp();
			const int count = __popc(mask);
			for (int e = 0; e + 1 < count; e += 2)
				add_pixels<2>(a, &pixels[e], copy, sum);
			if (count % 2)
				add_pixels<1>(a, &pixels[count - 1], copy, sum);
			__syncwarp();
		}
	}
}

static __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
	gather_lines(struct gt_back_grid grid, size_t y0, size_t y1, int first, const float *copy, float *filtered)
{
	__shared__ struct gt_lines_pixel pixels[WARPS][32];
	__shared__ struct gt_lines tiles[WARPS];
	const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const size_t view = blockIdx.y * (size_t)VIEWS + warp % VIEWS;
	const size_t column = (blockIdx.x * (size_t)GROUPS + warp / VIEWS) * GT_LINES_COLUMNS, row = blockIdx.z * (size_t)GT_LINES_ROWS;
	float sum[GT_LINES_COLUMNS][ROWS_EACH] = {};
	if (view >= grid.views || column >= grid.wide)
		return;
	if (lane == 0) {
		gt_lines_set(&tiles[warp], &grid, grid.view + view, column, row);
		tiles[warp].y[0] = y0;
		tiles[warp].y[1] = y1;
	}
	__syncwarp();
	sum_planes(&tiles[warp], copy, pixels[warp], sum);
#pragma unroll
	for (int c = 0; c < GT_LINES_COLUMNS; c++)
#pragma unroll
		for (int j = 0; j < ROWS_EACH; j++) {
			const size_t l = row + 32 * j + lane;
			if (l >= grid.rows || column + c >= grid.wide)
				continue;
			float *out = filtered + (view * grid.rows + l) * grid.wide + column + c;
			*out = first ? sum[c][j] : *out + sum[c][j];
		}
}

static unsigned parts(size_t n, size_t size) { return (unsigned)((n + size - 1) / size); }

void gt_line_gather_run(struct gt_line_gather *l, size_t first, size_t n, const struct gt_back_view *view, const void *x, void *filtered)
{
	const float *volume = (const float *)x;
	struct gt_back_grid g = gt_plan_grid(l->plan);
	const dim3 blocks(parts(g.wide, GROUPS * GT_LINES_COLUMNS), parts(n, VIEWS), parts(g.rows, GT_LINES_ROWS));
	g.view = view;
	g.views = n;
	for (size_t y = 0; y < g.n[1]; y += l->slab) {
		const size_t lines = g.n[1] - y < l->slab ? g.n[1] - y : l->slab;
		const dim3 tiles(parts(g.n[0], SIDE), parts(g.n[2] + 2 * GT_LINES_PAD, SIDE), (unsigned)lines);
		if (first == 0 || l->slab < g.n[1]) /* else the copy of the first batch is there */
			copy_lines<<<tiles, dim3(SIDE, 8), 0, gt_cuda_queue(l->be)>>>(volume, g, y, l->copy);
		gather_lines<<<blocks, 32 * WARPS, 0, gt_cuda_queue(l->be)>>>(g, y, y + lines, y == 0, l->copy, (float *)filtered);
	}
	gt_cuda_check(l->be, cudaGetLastError(), "transposed backprojection");
}

void gt_line_gather_free(struct gt_line_gather *l)
{
	if (!l)
		return;
	gt_backend_free(l->be, l->copy, l->bytes);
	free(l);
}

int gt_line_gather_supports(const gt_fbp_plan *p, gt_type type)
{
	return type == GT_F32 && !p->tilted && p->grid.n[0] * p->grid.n[1] < UINT_MAX && p->grid.n[2] < 1u << 30;
}

gt_status gt_line_gather_new(gt_backend *be, const gt_fbp_plan *p, struct gt_line_gather **out)
{
	const size_t line = p->grid.n[0] * (p->grid.n[2] + 2 * GT_LINES_PAD) * sizeof(float);
	const size_t max_lines = 65535; /* blocks along z */
	struct gt_line_gather *l = (struct gt_line_gather *)calloc(1, sizeof *l);
	size_t available, total;
	if (!l)
		return gt_fail(GT_ERR_MEMORY, "no memory for the transpose of filtered backprojection");
	gt_backend_memory(be, &available, &total);
	const size_t fit = available / 4 / line;
	l->be = be;
	l->plan = p;
	l->slab = fit < 1 ? 1 : fit < p->grid.n[1] ? fit : p->grid.n[1];
	l->slab = l->slab < max_lines ? l->slab : max_lines;
	l->bytes = l->slab * line;
	l->copy = (float *)gt_backend_alloc(be, l->bytes, "copy of the volume for the transpose");
	if (!l->copy) {
		free(l);
		return GT_ERR_MEMORY;
	}
	*out = l;
	return GT_OK;
}
