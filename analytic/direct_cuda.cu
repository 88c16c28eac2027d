/* Filtered backprojection on CUDA: cuFFT over chunks of rows, then one thread per column of SLICES voxels. Data stay on the
 * device; per batch of views only their tables (two numbers per view and column, one record per view) cross the bus. */
#include <cufft.h>
#include <stdlib.h>
#include "analytic/direct.h"
#include "core/cuda.h"

/* Variants. */
#ifndef BACK_X
#define BACK_X 16 /* columns of voxels per block along x: 8, 16, 32 */
#endif
#ifndef BACK_Y
#define BACK_Y 16 /* and along y: 8, 16 */
#endif
#ifndef SLICES
#define SLICES 16 /* slices per thread, in registers: 8, 16, 32 */
#endif
#define LANES 256
#define CHUNK_BYTES ((size_t)256 << 20) /* rows transformed at a time */

struct state {
	gt_backend *be;
	const gt_direct_plan *plan;
	gt_type type;
	size_t chunk; /* rows per transform */
	cufftHandle forth, back;
	int has_forth, has_back;
	/* On the device, with their sizes in bytes. */
	void *scratch, *line, *work;
	double *response, *gain, *slope;
	struct gt_back_view *view;
	size_t scratch_bytes, line_bytes, work_bytes, response_bytes, table_bytes, view_bytes;
};

/* Filter ---------------------------------------------------------------- */

struct rows_in {
	gt_row_plan row;
	size_t rows, columns;
	double row_pitch;
	const double *gain, *slope; /* of the batch */
	const struct gt_back_view *view;
};

template <typename T> static __device__ double weighted(const struct rows_in *in, const T *data, size_t view, size_t row, size_t k)
{
	const size_t cell = view * in->columns + k;
	const double height = in->view[view].height + (double)row * in->row_pitch;
	return data[(view * in->rows + gt_back_row(&in->view[view], in->rows, row)) * in->columns + k] *
	       gt_cell_weight(in->gain[cell], in->slope[cell], height);
}

/* Mean of the outermost cells of the low (side 0) or high end. */
template <typename T> static __device__ double edge_mean(const struct rows_in *in, const T *data, size_t view, size_t row, int side)
{
	const size_t n = in->columns < GT_EDGE_CELLS ? in->columns : GT_EDGE_CELLS;
	double sum = 0;
	for (size_t j = 0; j < n; j++)
		sum += (T)weighted(in, data, view, row, side ? in->columns - 1 - j : j) / (double)n;
	return sum;
}

/* Rows first .. first+count-1 of the batch, weighted and extended, into lines of n + 2; data points at the batch. */
template <typename T> static __global__ void load_rows(struct rows_in in, const T *data, size_t first, size_t count, T *line)
{
	const size_t index = blockIdx.x * (size_t)LANES + threadIdx.x, r = index / in.row.n, i = index % in.row.n;
	if (r >= count)
		return;
	const size_t view = (first + r) / in.rows, row = (first + r) % in.rows;
	double value = 0;
	if (i < in.columns)
		value = weighted(&in, data, view, row, i);
	else if (i < in.columns + in.row.after)
		value = edge_mean(&in, data, view, row, 1) * gt_roll_off(i - in.columns + 1, in.row.after);
	else if (i >= in.row.n - in.row.before)
		value = edge_mean(&in, data, view, row, 0) * gt_roll_off(in.row.n - i, in.row.before);
	line[r * (in.row.n + 2) + i] = (T)value;
}

template <typename T> static __global__ void multiply_rows(size_t n, size_t count, const double *response, T *line)
{
	const size_t index = blockIdx.x * (size_t)LANES + threadIdx.x, per_row = n / 2 + 1, r = index / per_row, k = index % per_row;
	if (r >= count)
		return;
	T *c = line + r * (n + 2) + 2 * k;
	const T h = (T)response[k];
	c[0] *= h;
	c[1] *= h;
}

template <typename T> static __global__ void store_rows(gt_row_plan row, size_t first, size_t count, const T *line, T *scratch)
{
	const size_t index = blockIdx.x * (size_t)LANES + threadIdx.x, r = index / row.wide, i = index % row.wide;
	if (r >= count)
		return;
	scratch[(first + r) * row.wide + i] = line[r * (row.n + 2) + (i < row.lead ? row.n + i - row.lead : i - row.lead)];
}

static unsigned blocks(size_t elements) { return (unsigned)((elements + LANES - 1) / LANES); }

static int fft_failed(struct state *s, cufftResult e, const char *what)
{
	if (e != CUFFT_SUCCESS)
		gt_backend_fail(s->be, gt_fail(GT_ERR_DEVICE, "%s: cuFFT error %d", what, (int)e));
	return e != CUFFT_SUCCESS;
}

static cufftResult transform(const struct state *s, int forth, void *line)
{
	if (s->type == GT_F32)
		return forth ? cufftExecR2C(s->forth, (cufftReal *)line, (cufftComplex *)line)
		             : cufftExecC2R(s->back, (cufftComplex *)line, (cufftReal *)line);
	return forth ? cufftExecD2Z(s->forth, (cufftDoubleReal *)line, (cufftDoubleComplex *)line)
	             : cufftExecZ2D(s->back, (cufftDoubleComplex *)line, (cufftDoubleReal *)line);
}

template <typename T> static void filter_chunks(struct state *s, const struct rows_in *in, size_t rows, const T *data)
{
	cudaStream_t queue = gt_cuda_queue(s->be);
	T *line = (T *)s->line;
	for (size_t first = 0; first < rows; first += s->chunk) {
		const size_t n = in->row.n, count = rows - first < s->chunk ? rows - first : s->chunk;
		load_rows<T><<<blocks(count * n), LANES, 0, queue>>>(*in, data, first, count, line);
		if (gt_cuda_check(s->be, cudaGetLastError(), "filter: weights"))
			return;
		if (fft_failed(s, transform(s, 1, line), "filter: transform"))
			return;
		multiply_rows<T><<<blocks(count * (n / 2 + 1)), LANES, 0, queue>>>(n, count, s->response, line);
		if (gt_cuda_check(s->be, cudaGetLastError(), "filter: response"))
			return;
		if (fft_failed(s, transform(s, 0, line), "filter: inverse transform"))
			return;
		store_rows<T><<<blocks(count * in->row.wide), LANES, 0, queue>>>(in->row, first, count, line, (T *)s->scratch);
		if (gt_cuda_check(s->be, cudaGetLastError(), "filter: store"))
			return;
	}
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	struct state *s = (struct state *)self;
	const gt_direct_plan *p = s->plan;
	const size_t table = n * p->columns * sizeof(double), skip = first * p->rows * p->columns;
	if (s->be->status != GT_OK)
		return;
	gt_backend_put(s->be, p->gain + first * p->columns, s->gain, table);
	gt_backend_put(s->be, p->slope + first * p->columns, s->slope, table);
	gt_backend_put(s->be, p->view + first, s->view, n * sizeof *p->view);
	const struct rows_in in = { p->row, p->rows, p->columns, p->row_pitch, s->gain, s->slope, s->view };
	if (s->type == GT_F32)
		filter_chunks<float>(s, &in, n * p->rows, (const float *)data + skip);
	else
		filter_chunks<double>(s, &in, n * p->rows, (const double *)data + skip);
}

/* Backprojection -------------------------------------------------------- */

struct back_in {
	gt_shape shape;
	size_t n[3], tiles[2], wide, rows, views;
	double first[3], pitch[3], center[2], radius;
	int clamp_rows;
	const struct gt_back_view *view;
};

/* SLICES voxels from the iz-th on, of one view. Rows are counted from a base near them, so that their fractions keep the
 * precision of T. */
template <typename T>
static __device__ void add_view(const struct back_in *in, const struct gt_back_view *w, const T *q, double x, double y, size_t iz, T *sum)
{
	double column, lambda;
	if (!gt_back_column(in->shape, w, x, y, &column, &lambda) || !(column >= 0 && column <= (double)(in->wide - 1)))
		return;
	size_t k = (size_t)column, from = 0, to = in->n[2];
	k = k < in->wide - 1 ? k : in->wide - 2;
	const double row0 = w->row0 + lambda * (in->first[2] - w->z0) * w->per_row, dz = lambda * in->pitch[2] * w->per_row;
	if (!in->clamp_rows)
		gt_back_slices(row0, dz, in->rows, in->n[2], &from, &to);
	const double end = (double)in->rows - 1, begin = row0 + (double)iz * dz;
	const size_t base = (size_t)fmin(fmax(begin, 0.), end);
	const T row = (T)(begin - (double)base), step = (T)dz, last = (T)(end - (double)base);
	const T square = (T)(lambda * lambda), right = square * (T)(column - (double)k), left = square - right;
	const T *near = q + base * in->wide + k;
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		T l = row + (T)j * step;
		l = l > 0 ? l : 0;
		l = l < last ? l : last;
		const int i = (int)l;
		const T part = l - (T)i, *a = near + (size_t)i * in->wide, *b = i < (int)last ? a + in->wide : a;
		const T low = left * a[0] + right * a[1], high = left * b[0] + right * b[1];
		sum[j] += iz + j >= from && iz + j < to ? low + part * (high - low) : (T)0;
	}
}

template <typename T> static __global__ void __launch_bounds__(BACK_X *BACK_Y) back_views(struct back_in in, const T *scratch, T *out)
{
	const size_t tile = blockIdx.x, tx = tile % in.tiles[0], ty = tile / in.tiles[0] % in.tiles[1],
		     tz = tile / in.tiles[0] / in.tiles[1];
	const size_t ix = tx * BACK_X + threadIdx.x, iy = ty * BACK_Y + threadIdx.y, iz = tz * SLICES;
	if (ix >= in.n[0] || iy >= in.n[1])
		return;
	const double x = in.first[0] + (double)ix * in.pitch[0], y = in.first[1] + (double)iy * in.pitch[1];
	if (!(hypot(x - in.center[0], y - in.center[1]) <= in.radius))
		return;
	T sum[SLICES];
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		sum[j] = 0;
	for (size_t v = 0; v < in.views; v++)
		add_view<T>(&in, &in.view[v], scratch + v * in.rows * in.wide, x, y, iz, sum);
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		if (iz + j < in.n[2])
			out[((iz + j) * in.n[1] + iy) * in.n[0] + ix] += sum[j];
}

static void back_(void *self, size_t first, size_t n, void *x)
{
	struct state *s = (struct state *)self;
	const gt_direct_plan *p = s->plan;
	const gt_grid *g = &p->grid;
	struct back_in in;
	(void)first;
	if (s->be->status != GT_OK)
		return;
	in.shape = p->shape;
	in.wide = p->row.wide;
	in.rows = p->rows;
	in.views = n;
	in.radius = p->radius;
	in.clamp_rows = p->clamp_rows;
	in.view = s->view;
	for (int a = 0; a < 3; a++) {
		in.n[a] = g->n[a];
		in.first[a] = gt_grid_first(g, a);
		in.pitch[a] = g->pitch[a];
	}
	in.center[0] = p->center[0];
	in.center[1] = p->center[1];
	in.tiles[0] = (g->n[0] + BACK_X - 1) / BACK_X;
	in.tiles[1] = (g->n[1] + BACK_Y - 1) / BACK_Y;
	const size_t tiles = in.tiles[0] * in.tiles[1] * ((g->n[2] + SLICES - 1) / SLICES);
	const dim3 block(BACK_X, BACK_Y);
	cudaStream_t queue = gt_cuda_queue(s->be);
	if (s->type == GT_F32)
		back_views<float><<<(unsigned)tiles, block, 0, queue>>>(in, (const float *)s->scratch, (float *)x);
	else
		back_views<double><<<(unsigned)tiles, block, 0, queue>>>(in, (const double *)s->scratch, (double *)x);
	gt_cuda_check(s->be, cudaGetLastError(), "backprojection");
}

/* State ----------------------------------------------------------------- */

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_backend_wait(s->be);
	if (s->has_forth)
		cufftDestroy(s->forth);
	if (s->has_back)
		cufftDestroy(s->back);
	gt_backend_free(s->be, s->scratch, s->scratch_bytes);
	gt_backend_free(s->be, s->line, s->line_bytes);
	gt_backend_free(s->be, s->work, s->work_bytes);
	gt_backend_free(s->be, s->response, s->response_bytes);
	gt_backend_free(s->be, s->gain, s->table_bytes);
	gt_backend_free(s->be, s->slope, s->table_bytes);
	gt_backend_free(s->be, s->view, s->view_bytes);
	free(s);
}

static gt_status allocate(struct state *s, size_t batch)
{
	const gt_direct_plan *p = s->plan;
	const size_t element = gt_type_size(s->type), line = (p->row.n + 2) * element, rows = batch * p->rows;
	s->chunk = CHUNK_BYTES / line;
	s->chunk = s->chunk < 1 ? 1 : s->chunk < rows ? s->chunk : rows;
	s->scratch_bytes = rows * p->row.wide * element;
	s->line_bytes = s->chunk * line;
	s->response_bytes = (p->row.n / 2 + 1) * sizeof(double);
	s->table_bytes = batch * p->columns * sizeof(double);
	s->view_bytes = batch * sizeof *s->view;
	if (!(s->scratch = gt_backend_alloc(s->be, s->scratch_bytes, "filtered views")) ||
	    !(s->line = gt_backend_alloc(s->be, s->line_bytes, "rows in transformation")) ||
	    !(s->response = (double *)gt_backend_alloc(s->be, s->response_bytes, "response of the filter")) ||
	    !(s->gain = (double *)gt_backend_alloc(s->be, s->table_bytes, "weights of cells")) ||
	    !(s->slope = (double *)gt_backend_alloc(s->be, s->table_bytes, "weights of cells")) ||
	    !(s->view = (struct gt_back_view *)gt_backend_alloc(s->be, s->view_bytes, "table of views")))
		return GT_ERR_MEMORY;
	if (s->be->rehearsed)
		return GT_OK;
	/* The tail of the last chunk is transformed too. */
	const cudaError_t e = cudaMemsetAsync(s->line, 0, s->line_bytes, gt_cuda_queue(s->be));
	if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "filter: %s", cudaGetErrorString(e));
	gt_backend_put(s->be, p->response, s->response, s->response_bytes);
	return GT_OK;
}

/* One direction of the transform of `chunk` rows in place; its work area is ours, so that it is counted. */
static cufftResult make_transform(struct state *s, cufftType type, cufftHandle *plan, int *has, size_t *bytes)
{
	long long n = (long long)s->plan->row.n, real = n + 2, complex = n / 2 + 1;
	const int forth = type == CUFFT_R2C || type == CUFFT_D2Z;
	cufftResult e = cufftCreate(plan);
	if (e != CUFFT_SUCCESS)
		return e;
	*has = 1;
	if ((e = cufftSetAutoAllocation(*plan, 0)) != CUFFT_SUCCESS || (e = cufftSetStream(*plan, gt_cuda_queue(s->be))) != CUFFT_SUCCESS)
		return e;
	return cufftMakePlanMany64(*plan, 1, &n, forth ? &real : &complex, 1, forth ? real : complex, forth ? &complex : &real, 1,
	                           forth ? complex : real, type, (long long)s->chunk, bytes);
}

static gt_status plan_transforms(struct state *s)
{
	size_t forth = 0, back = 0;
	cufftResult e = make_transform(s, s->type == GT_F32 ? CUFFT_R2C : CUFFT_D2Z, &s->forth, &s->has_forth, &forth);
	if (e == CUFFT_SUCCESS)
		e = make_transform(s, s->type == GT_F32 ? CUFFT_C2R : CUFFT_Z2D, &s->back, &s->has_back, &back);
	if (e == CUFFT_SUCCESS) {
		s->work_bytes = forth > back ? forth : back;
		if (!(s->work = gt_backend_alloc(s->be, s->work_bytes, "work area of cuFFT")))
			return GT_ERR_MEMORY;
		if (!s->be->rehearsed && (e = cufftSetWorkArea(s->forth, s->work)) == CUFFT_SUCCESS)
			e = cufftSetWorkArea(s->back, s->work);
	}
	if (e != CUFFT_SUCCESS)
		return gt_fail(GT_ERR_DEVICE, "no plan for %zu transforms of %zu samples: cuFFT error %d", s->chunk, s->plan->row.n,
		               (int)e);
	return GT_OK;
}

static gt_status open_(gt_backend *be, const gt_direct_plan *p, gt_type type, size_t batch, void **out)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	s->be = be;
	s->plan = p;
	s->type = type;
	GT_TRY(allocate(s, batch));
	GT_TRY(plan_transforms(s));
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

extern "C" const struct gt_direct_impl gt_direct_cuda = { open_, filter_, back_, close_ };
