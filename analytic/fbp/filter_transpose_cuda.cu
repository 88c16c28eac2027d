/* Transpose of the filter of rows on CUDA: the filter is its own transpose. Loads undo the order of filtered columns
 * and sum the tails of the extension. Stores add these sums to the ends of the row and apply the weights. */
#include "analytic/fbp/filter_cufft.cuh"

/* Sum over the block, in a fixed order; valid in thread 0. */
static __device__ double sum_block(double value, double *part)
{
	part[threadIdx.x] = value;
	for (unsigned half = LANES / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	return part[threadIdx.x];
}

/* Loads filtered row first + blockIdx.x of the batch. ends: [rows of the chunk][2]. */
template <typename T>
static __global__ void __launch_bounds__(LANES)
	load_filtered(gt_row_plan row, size_t first, const T *filtered, const T *tail, T *ends, T *lines)
{
	__shared__ double part[2][LANES];
	const T *from = filtered + (first + blockIdx.x) * row.wide;
	T *line = lines + blockIdx.x * (row.n + 2);
	for (size_t k = threadIdx.x; k < row.n; k += LANES)
		line[k] = k < row.wide - row.lead ? from[k + row.lead] : k >= row.n - row.lead ? from[k - (row.n - row.lead)] : (T)0;
	if (!tail)
		return;
	for (unsigned side = 0; side < 2; side++) {
		double sum = 0;
		for (size_t i = threadIdx.x; i < row.wide; i += LANES)
			sum += (double)tail[side * row.wide + i] * (double)from[i];
		sum = sum_block(sum, part[side]);
		if (!threadIdx.x)
			ends[2 * blockIdx.x + side] = (T)sum;
	}
}

template <typename T>
static __global__ void __launch_bounds__(LANES)
	store_weighted(struct gt_rows_in<T> in, size_t first, const T *lines, const T *ends, T *data)
{
	const size_t r = first + blockIdx.x, view = r / in.rows, row = r % in.rows, columns = in.row.columns;
	const size_t edge = columns < GT_EDGE_PIXELS ? columns : GT_EDGE_PIXELS;
	const struct gt_back_view *w = &in.view[view];
	const T height = (T)(w->height + (double)row * in.row_pitch);
	const T *line = lines + blockIdx.x * (in.row.n + 2);
	T *to = data + (view * in.rows + gt_back_row(w, in.rows, row)) * columns;
	for (size_t k = threadIdx.x; k < columns; k += LANES) {
		T value = line[k];
		if (ends && k < edge)
			value += ends[2 * blockIdx.x] / (T)edge;
		if (ends && k + edge >= columns)
			value += ends[2 * blockIdx.x + 1] / (T)edge;
		to[k] = gt_weigh(in.preweights[w->table * columns + k], value, height);
	}
}

template <typename T>
static void filter_back(struct gt_row_filter *f, size_t n, const struct gt_back_view *view, const T *filtered, T *data)
{
	const gt_fbp_plan *p = f->plan;
	const struct gt_rows_in<T> in = {
		p->row, (unsigned)p->rows, p->row_pitch, (const struct gt_preweight<T> *)f->preweight, view, NULL, NULL
	};
	const T *tail = (const T *)f->tail;
	T *line = (T *)f->line, *ends = tail ? (T *)f->mean : NULL;
	for (size_t first = 0; first < n * p->rows; first += f->chunk) {
		const unsigned count = (unsigned)(n * p->rows - first < f->chunk ? n * p->rows - first : f->chunk);
		load_filtered<T><<<count, LANES, 0, gt_cuda_queue(f->be)>>>(p->row, first, filtered, tail, ends, line);
		if (gt_cuda_check(f->be, cudaGetLastError(), "transposed filter: load") || !gt_row_filter_transform(f, count))
			return;
		store_weighted<T><<<count, LANES, 0, gt_cuda_queue(f->be)>>>(in, first, line, ends, data);
		if (gt_cuda_check(f->be, cudaGetLastError(), "transposed filter: weights"))
			return;
	}
}

void gt_row_filter_back(struct gt_row_filter *f, size_t first, size_t n, const struct gt_back_view *view, const void *filtered, void *data)
{
	const size_t at = first * f->plan->rows * f->plan->columns;
	if (f->be->status != GT_OK)
		return;
	if (f->type == GT_F32)
		filter_back<float>(f, n, view, (const float *)filtered, (float *)data + at);
	else
		filter_back<double>(f, n, view, (const double *)filtered, (double *)data + at);
}
