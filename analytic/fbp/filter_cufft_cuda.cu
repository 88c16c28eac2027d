/* Weights and filters rows on CUDA. Short rows of a power of two samples use one kernel (filter_fused_cuda.cu). Others
 * use cuFFT over chunks of rows that stay in the L2 cache. Loads apply weights and padding; stores apply tails of
 * truncated rows and the layout of the backprojection. */
#include <stdlib.h>
#include "analytic/fbp/filter_cufft.cuh"
#include "core/try.h"

#define CHUNK_BYTES ((size_t)32 << 20) /* rows transformed at a time: less than the L2 cache */
#define STAGED ((size_t)1 << 18)       /* pixels whose weights are transferred at a time */

/* Loads row first + blockIdx.x of the batch, weighted and padded, into its line of n + 2, and computes the means of its
 * ends. */
template <typename T> static __global__ void __launch_bounds__(LANES) load_rows(struct gt_rows_in<T> in, size_t first, T *lines)
{
	const size_t r = first + blockIdx.x, view = r / in.rows, row = r % in.rows, columns = in.row.columns;
	const struct gt_back_view *w = &in.view[view];
	const T height = (T)(w->height + (double)row * in.row_pitch);
	const struct gt_preweight<T> *preweights = in.preweights + w->table * columns;
	const T *from = in.data + (view * in.rows + gt_back_row(w, in.rows, row)) * columns;
	T *line = lines + blockIdx.x * (in.row.n + 2);
	for (size_t k = threadIdx.x; k < in.row.n; k += LANES)
		line[k] = k < columns ? gt_weighted(preweights, from, height, k) : (T)0;
	if (threadIdx.x >= 2)
		return;
	const size_t edge = columns < GT_EDGE_PIXELS ? columns : GT_EDGE_PIXELS;
	double sum = 0;
	for (size_t j = 0; j < edge; j++)
		sum += gt_weighted(preweights, from, height, threadIdx.x ? columns - 1 - j : j);
	in.mean[2 * blockIdx.x + threadIdx.x] = (T)(sum / (double)edge);
}

template <typename T> static __global__ void __launch_bounds__(LANES) multiply_rows(size_t n, const T *response, T *lines)
{
	T *line = lines + blockIdx.x * (n + 2);
	for (size_t k = threadIdx.x; k <= n / 2; k += LANES) {
		line[2 * k] *= response[k];
		line[2 * k + 1] *= response[k];
	}
}

template <typename T> static __device__ T filtered(const gt_row_plan &row, const T *line, const T *tail, const T *mean, size_t i)
{
	const T value = line[i < row.lead ? row.n + i - row.lead : i - row.lead];
	return tail ? value + (mean[0] * tail[i] + mean[1] * tail[row.wide + i]) : value;
}

/* Stores rows of the chunk in the layout: one block each. */
template <typename T>
static __global__ void __launch_bounds__(LANES)
	store_rows(gt_row_plan row, gt_layout layout, unsigned rows, size_t first, const T *lines, const T *tail, const T *means, T *out)
{
	const size_t r = first + blockIdx.x, view = r / rows, place = view * (rows + 2 * layout.pad) + layout.pad + r % rows;
	const T *line = lines + blockIdx.x * (row.n + 2), *mean = means + 2 * blockIdx.x;
	T *to = out + place * layout.pitch * (layout.pairs ? 2 : 1);
	for (size_t i = threadIdx.x; i < layout.pitch; i += LANES) {
		const T value = i < row.wide ? filtered(row, line, tail, mean, i) : (T)0;
		if (!layout.pairs)
			to[i] = value;
		else if (i + 1 < row.wide)
			gt_store_pair(to, i, value, filtered(row, line, tail, mean, i + 1));
		else
			gt_store_pair(to, i, 0, 0);
	}
}

/* Copies the first and the last row of each view to the rows beyond them: one block per such row. */
static __global__ void __launch_bounds__(LANES) repeat_rows(size_t rows, size_t pad, size_t words, unsigned *out)
{
	const size_t view = blockIdx.x / (2 * pad), k = blockIdx.x % (2 * pad), all = rows + 2 * pad;
	const size_t to = k < pad ? k : rows + k, from = k < pad ? pad : pad + rows - 1;
	unsigned *base = out + view * all * words;
	for (size_t i = threadIdx.x; i < words; i += LANES)
		base[to * words + i] = base[from * words + i];
}

template <typename T>
static __global__ void pack_preweights(size_t n, const double *gain, const double *slope, struct gt_preweight<T> *preweights)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x;
	if (i < n)
		preweights[i] = { (T)gain[i], (T)slope[i] };
}

template <typename T> static __global__ void narrow(size_t n, const double *from, T *to)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x;
	if (i < n)
		to[i] = (T)from[i];
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static unsigned blocks(size_t elements) { return (unsigned)((elements + LANES - 1) / LANES); }

static int fft_failed(struct gt_row_filter *f, cufftResult e, const char *what)
{
	if (e != CUFFT_SUCCESS)
		gt_backend_fail(f->be, gt_fail(GT_ERR_DEVICE, "%s: cuFFT error %d", what, (int)e));
	return e != CUFFT_SUCCESS;
}

static cufftResult transform(const struct gt_row_filter *f, int forth, void *line)
{
	if (f->type == GT_F32)
		return forth ? gt_cufft.cufftExecR2C(f->forth, (cufftReal *)line, (cufftComplex *)line)
		             : gt_cufft.cufftExecC2R(f->back, (cufftComplex *)line, (cufftReal *)line);
	return forth ? gt_cufft.cufftExecD2Z(f->forth, (cufftDoubleReal *)line, (cufftDoubleComplex *)line)
	             : gt_cufft.cufftExecZ2D(f->back, (cufftDoubleComplex *)line, (cufftDoubleReal *)line);
}

template <typename T> static void multiply(struct gt_row_filter *f, unsigned rows)
{
	multiply_rows<T><<<rows, LANES, 0, gt_cuda_queue(f->be)>>>(f->plan->row.n, (const T *)f->response, (T *)f->line);
}

int gt_row_filter_transform(struct gt_row_filter *f, unsigned rows)
{
	if (fft_failed(f, transform(f, 1, f->line), "filter: transform"))
		return 0;
	if (f->type == GT_F32)
		multiply<float>(f, rows);
	else
		multiply<double>(f, rows);
	return !gt_cuda_check(f->be, cudaGetLastError(), "filter: response") &&
	       !fft_failed(f, transform(f, 0, f->line), "filter: inverse transform");
}

template <typename T> static void filter_chunks(struct gt_row_filter *f, const struct gt_rows_in<T> *in, size_t rows, T *out)
{
	cudaStream_t queue = gt_cuda_queue(f->be);
	T *line = (T *)f->line;
	for (size_t first = 0; first < rows; first += f->chunk) {
		const unsigned count = (unsigned)(rows - first < f->chunk ? rows - first : f->chunk);
		load_rows<T><<<count, LANES, 0, queue>>>(*in, first, line);
		if (gt_cuda_check(f->be, cudaGetLastError(), "filter: weights"))
			return;
		if (!gt_row_filter_transform(f, count))
			return;
		store_rows<T><<<count, LANES, 0, queue>>>(in->row, f->layout, in->rows, first, line, (const T *)f->tail, in->mean, out);
		if (gt_cuda_check(f->be, cudaGetLastError(), "filter: store"))
			return;
	}
}

template <typename T>
static void filter_views(struct gt_row_filter *f, size_t first, size_t n, const struct gt_back_view *view, const T *data, T *out)
{
	const gt_fbp_plan *p = f->plan;
	const struct gt_rows_in<T> in = {
		p->row, (unsigned)p->rows, p->row_pitch,
			(const struct gt_preweight<T> *)f->preweight, view, data + first * p->rows * p->columns, (T *)f->mean
	};
	if (f->block)
		gt_block_filter(f->be, (const struct gt_rows_in<float> *)&in, &f->layout, n, (const float *)f->response,
		                (const float *)f->tail, (float *)out);
	else
		filter_chunks<T>(f, &in, n * p->rows, out);
	const size_t extra = n * 2 * f->layout.pad;
	if (!extra)
		return;
	repeat_rows<<<(unsigned)extra, LANES, 0, gt_cuda_queue(f->be)>>>(p->rows, f->layout.pad, gt_layout_row(&f->layout, f->type) / 4,
	                                                                 (unsigned *)out);
	gt_cuda_check(f->be, cudaGetLastError(), "filter: rows beyond the detector");
}

void gt_row_filter_run(struct gt_row_filter *f, size_t first, size_t n, const struct gt_back_view *view, const void *data, void *filtered)
{
	if (f->be->status != GT_OK)
		return;
	if (f->type == GT_F32)
		filter_views<float>(f, first, n, view, (const float *)data, (float *)filtered);
	else
		filter_views<double>(f, first, n, view, (const double *)data, (double *)filtered);
}

/* Memory and plans ------------------------------------------------------ */

static int put_narrow(struct gt_row_filter *f, const double *from, size_t n, void *to)
{
	cudaStream_t queue = gt_cuda_queue(f->be);
	gt_backend_put(f->be, from, f->table, n * sizeof(double));
	if (f->type == GT_F32)
		narrow<float><<<blocks(n), LANES, 0, queue>>>(n, f->table, (float *)to);
	else
		narrow<double><<<blocks(n), LANES, 0, queue>>>(n, f->table, (double *)to);
	return gt_cuda_check(f->be, cudaGetLastError(), "filter: tables");
}

/* Packs gains and slopes in the type of the data. */
template <typename T> static int put_preweights(struct gt_row_filter *f)
{
	const gt_fbp_plan *p = f->plan;
	const size_t pixels = p->tables * p->columns;
	struct gt_preweight<T> *out = (struct gt_preweight<T> *)f->preweight;
	for (size_t first = 0; first < pixels; first += STAGED) {
		const size_t n = smaller(pixels - first, STAGED);
		gt_backend_put(f->be, p->gain + first, f->table, n * sizeof(double));
		gt_backend_put(f->be, p->slope + first, f->table + n, n * sizeof(double));
		pack_preweights<T><<<blocks(n), LANES, 0, gt_cuda_queue(f->be)>>>(n, f->table, f->table + n, out + first);
	}
	return gt_cuda_check(f->be, cudaGetLastError(), "filter: weights of pixels");
}

static int put_ordered(struct gt_row_filter *f)
{
	const size_t n = f->plan->row.n, tail = gt_block_response_size(n);
	float *ordered = (float *)calloc(tail + 2 * n, sizeof *ordered);
	if (!ordered) {
		gt_backend_fail(f->be, gt_fail(GT_ERR_MEMORY, "no memory for a filter of %zu samples", n));
		return 1;
	}
	gt_block_response(n, f->plan->response, ordered);
	gt_backend_put(f->be, ordered, f->response, f->response_bytes);
	if (f->tail) {
		gt_block_tail(f->plan, ordered + tail);
		gt_backend_put(f->be, ordered + tail, f->tail, f->tail_bytes);
	}
	free(ordered);
	return f->be->status != GT_OK;
}

static gt_status allocate(struct gt_row_filter *f, size_t batch)
{
	const gt_fbp_plan *p = f->plan;
	const size_t element = gt_type_size(f->type), line = (p->row.n + 2) * element, rows = batch * p->rows;
	f->chunk = f->block ? 1 : CHUNK_BYTES / line;
	f->chunk = f->chunk < 1 ? 1 : f->chunk < rows ? f->chunk : rows;
	f->line_bytes = f->chunk * line;
	f->mean_bytes = f->chunk * 2 * element;
	f->response_bytes = (f->block ? gt_block_response_size(p->row.n) : p->row.n / 2 + 1) * element;
	f->tail_bytes = p->tail[0] ? 2 * (f->block ? p->row.n : p->row.wide) * element : 0;
	f->preweight_bytes = p->tables * p->columns * 2 * element;
	f->table_bytes = larger(larger(2 * smaller(p->tables * p->columns, STAGED), p->row.n / 2 + 1), p->row.wide) * sizeof(double);
	if (!(f->line = gt_backend_alloc(f->be, f->line_bytes, "rows in transformation")) ||
	    !(f->mean = gt_backend_alloc(f->be, f->mean_bytes, "means of the ends of rows")) ||
	    !(f->response = gt_backend_alloc(f->be, f->response_bytes, "response of the filter")) ||
	    !(f->preweight = gt_backend_alloc(f->be, f->preweight_bytes, "weights of pixels")) ||
	    !(f->table = (double *)gt_backend_alloc(f->be, f->table_bytes, "weights of pixels")) ||
	    (f->tail_bytes && !(f->tail = gt_backend_alloc(f->be, f->tail_bytes, "tails of truncated rows"))))
		return GT_ERR_MEMORY;
	if (f->be->dry_run)
		return GT_OK;
	/* The unused end of the last chunk is transformed too. */
	const cudaError_t e = cudaMemsetAsync(f->line, 0, f->line_bytes, gt_cuda_queue(f->be));
	if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "filter: %s", cudaGetErrorString(e));
	int failed = f->block ? put_ordered(f) : put_narrow(f, p->response, p->row.n / 2 + 1, f->response);
	failed |= f->type == GT_F32 ? put_preweights<float>(f) : put_preweights<double>(f);
	for (int side = 0; side < 2 && f->tail && !f->block; side++)
		failed |= put_narrow(f, p->tail[side], p->row.wide, (char *)f->tail + (size_t)side * p->row.wide * element);
	return failed ? f->be->status : GT_OK;
}

/* Plans one direction of the transform of `chunk` rows in place. The caller allocates its work area, so that it is
 * counted. */
static cufftResult make_transform(struct gt_row_filter *f, cufftType type, cufftHandle *plan, int *has, size_t *bytes)
{
	long long n = (long long)f->plan->row.n, real = n + 2, complex = n / 2 + 1;
	const int forth = type == CUFFT_R2C || type == CUFFT_D2Z;
	cufftResult e = gt_cufft.cufftCreate(plan);
	if (e != CUFFT_SUCCESS)
		return e;
	*has = 1;
	if ((e = gt_cufft.cufftSetAutoAllocation(*plan, 0)) != CUFFT_SUCCESS ||
	    (e = gt_cufft.cufftSetStream(*plan, gt_cuda_queue(f->be))) != CUFFT_SUCCESS)
		return e;
	return gt_cufft.cufftMakePlanMany64(*plan, 1, &n, forth ? &real : &complex, 1, forth ? real : complex, forth ? &complex : &real, 1,
	                                    forth ? complex : real, type, (long long)f->chunk, bytes);
}

static gt_status plan_transforms(struct gt_row_filter *f)
{
	size_t forth = 0, back = 0;
	const gt_status opened = gt_cufft_open();
	if (opened != GT_OK)
		return opened;
	cufftResult e = make_transform(f, f->type == GT_F32 ? CUFFT_R2C : CUFFT_D2Z, &f->forth, &f->has_forth, &forth);
	if (e == CUFFT_SUCCESS)
		e = make_transform(f, f->type == GT_F32 ? CUFFT_C2R : CUFFT_Z2D, &f->back, &f->has_back, &back);
	if (e == CUFFT_SUCCESS) {
		f->work_bytes = forth > back ? forth : back;
		if (!(f->work = gt_backend_alloc(f->be, f->work_bytes, "work area of cuFFT")))
			return GT_ERR_MEMORY;
		if (!f->be->dry_run && (e = gt_cufft.cufftSetWorkArea(f->forth, f->work)) == CUFFT_SUCCESS)
			e = gt_cufft.cufftSetWorkArea(f->back, f->work);
	}
	if (e != CUFFT_SUCCESS)
		return gt_fail(GT_ERR_DEVICE, "no plan for %zu transforms of %zu samples: cuFFT error %d", f->chunk, f->plan->row.n,
		               (int)e);
	return GT_OK;
}

gt_status gt_row_filter_new(gt_backend *be, const gt_fbp_plan *plan, gt_type type, const gt_layout *layout, size_t batch,
                            struct gt_row_filter **out)
{
	struct gt_row_filter *f = (struct gt_row_filter *)calloc(1, sizeof *f);
	gt_status st = GT_OK;
	if (!f)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	f->be = be;
	f->plan = plan;
	f->type = type;
	if (layout)
		f->layout = *layout;
	f->block = layout && gt_block_filters(plan, type);
	GT_TRY(allocate(f, batch));
	if (!f->block)
		GT_TRY(plan_transforms(f));
	*out = f;
done:
	if (st != GT_OK)
		gt_row_filter_free(f);
	return st;
}

void gt_row_filter_free(struct gt_row_filter *f)
{
	if (!f)
		return;
	gt_backend_wait(f->be);
	if (f->has_forth)
		gt_cufft.cufftDestroy(f->forth);
	if (f->has_back)
		gt_cufft.cufftDestroy(f->back);
	gt_backend_free(f->be, f->line, f->line_bytes);
	gt_backend_free(f->be, f->work, f->work_bytes);
	gt_backend_free(f->be, f->mean, f->mean_bytes);
	gt_backend_free(f->be, f->response, f->response_bytes);
	gt_backend_free(f->be, f->preweight, f->preweight_bytes);
	gt_backend_free(f->be, f->table, f->table_bytes);
	gt_backend_free(f->be, f->tail, f->tail_bytes);
	free(f);
}
