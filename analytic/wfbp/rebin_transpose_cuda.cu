/* Transposed rebinning of wfbp on CUDA. Each thread has one detector column of one source view. It visits the samples
 * of parallel views that interpolate there: about four columns and four views. The order of sums is fixed, so the
 * result is reproducible. Memory: per sample the first source view and four weights. */
#include <stdlib.h>
#include "analytic/wfbp/wfbp_cuda.cuh"

#define LANES 128
#define ROWS 8 /* of a thread */

/* Source views around a sample. */
template <typename T> struct tap {
	T weight[4];
	unsigned first, reserved[3];
};

/* One sample of the batch per thread; also sets the heights of the sources. */
template <typename T>
static __global__ void __launch_bounds__(LANES) find_taps(struct gt_helix_device d, size_t samples, struct tap<T> *taps)
{
	const size_t at = blockIdx.x * (size_t)LANES + threadIdx.x, columns = d.detector.columns;
	if (at >= samples || !d.view[at / columns].used)
		return;
	struct gt_helix_tap t;
	gt_helix_ray(d, &d.view[at / columns], at % columns, &t);
	d.z[at] = t.z;
	for (int i = 0; i < 4; i++)
		taps[at].weight[i] = (T)t.weight[i];
	taps[at].first = (unsigned)t.first;
}

/* Parallel views of one spot: view j has its rays at `start` + j step among the directions of the spot. */
struct parallel {
	double first_direction, step;
	size_t bins, views, first, n; /* first, n: bins of the batch */
};

/* Finds the views j = *low ... *high whose rays at fan angle `fan` may interpolate source view v of n. */
static __device__ __forceinline__ void find_views(const struct gt_helix_device &d, const struct parallel &p, const double *direction,
                                                  size_t v, size_t n, double fan, long long *low, long long *high)
{
	const double start = d.sense * (p.first_direction - GT_PI - fan), per = 1 / (d.sense * p.step), last = (double)p.views - 1;
	const double from = v > 3 ? ceil((direction[v - 2] - start) * per - 1e-6) : 0;
	const double to = v + 4 < n ? floor((direction[v + 2] - start) * per + 1e-6) : last;
	*low = from > 0 ? from < last + 1 ? (long long)from : (long long)p.views : 0;
	*high = to < last ? to >= 0 ? (long long)to : -1 : (long long)p.views - 1;
}

/* Adds the samples of the batch. range: [spot][source column][2]: columns of parallel views that interpolate there. */
template <typename T>
static __global__ void __launch_bounds__(LANES) gather_pixels(struct gt_helix_device d, struct parallel p, size_t strips,
                                                              const unsigned *range, const struct tap<T> *taps, const T *samples, T *data)
{
	const size_t c = blockIdx.x % strips * LANES + threadIdx.x, view = blockIdx.x / strips, row = blockIdx.y * (size_t)ROWS;
	const size_t spot = view % d.spots, v = view / d.spots, columns = d.detector.columns;
	if (c >= d.source_columns)
		return;
	const struct gt_helix_spot *s = &d.spot[spot];
	const unsigned *ends = range + (spot * d.source_columns + c) * 2;
	T sum[ROWS] = {};
	for (size_t k = ends[0]; k < ends[1]; k++) {
		double wide[4];
		const size_t pixel = c - gt_helix_pixels(d, spot, k, wide);
		long long low, high;
		if (pixel >= 4)
			continue;
		const T across = (T)(pixel < 2 ? pixel ? wide[1] : wide[0] : pixel < 3 ? wide[2] : wide[3]);
		find_views(d, p, d.direction + s->first, v, s->views, d.fan[spot * columns + k], &low, &high);
		low += (long long)((spot + d.spots - (size_t)low % d.spots) % d.spots);
		for (; low <= high; low += (long long)d.spots) {
			const size_t bin = (size_t)low % p.bins - p.first;
			if (bin >= p.n)
				continue;
			const size_t i = bin * d.turns + (size_t)low / p.bins;
			const struct tap<T> *t = &taps[i * columns + k];
			const size_t m = v - t->first;
			if (m >= 4)
				continue;
			const T weight = across * t->weight[m], *in = samples + (i * d.rows + row) * columns + k;
#pragma unroll
			for (int l = 0; l < ROWS; l++)
				if (row + l < d.rows)
					sum[l] += weight * in[l * columns];
		}
	}
	for (int l = 0; l < ROWS && row + l < d.rows; l++)
		data[(view * d.rows + row + l) * d.source_columns + c] += sum[l];
}

/* From the host ----------------------------------------------------------- */

static unsigned parts(size_t n, size_t size) { return (unsigned)((n + size - 1) / size); }

void gt_helix_unbin_prepare(gt_backend *be, const struct gt_helix_unbin *s, size_t views)
{
	const size_t samples = views * s->d.detector.columns;
	cudaStream_t queue = gt_cuda_queue(be);
	if (s->type == GT_F32)
		find_taps<float><<<parts(samples, LANES), LANES, 0, queue>>>(s->d, samples, (struct tap<float> *)s->taps);
	else
		find_taps<double><<<parts(samples, LANES), LANES, 0, queue>>>(s->d, samples, (struct tap<double> *)s->taps);
	gt_cuda_check(be, cudaGetLastError(), "transposed rebinning: rays");
}

template <typename T> static void run(gt_backend *be, const struct gt_helix_unbin *s, const struct parallel &p, const T *samples, T *data)
{
	const size_t strips = (s->d.source_columns + LANES - 1) / LANES;
	const dim3 blocks((unsigned)(s->source_views * strips), parts(s->d.rows, ROWS));
	gather_pixels<T><<<blocks, LANES, 0, gt_cuda_queue(be)>>>(s->d, p, strips, s->range, (const struct tap<T> *)s->taps, samples, data);
	gt_cuda_check(be, cudaGetLastError(), "transposed rebinning");
}

void gt_helix_unbin_run(gt_backend *be, const struct gt_helix_unbin *s, size_t first, size_t n, const void *samples, void *data)
{
	const gt_wfbp_plan *plan = s->plan;
	const struct parallel p = { plan->first_direction, plan->step, plan->bins, plan->views, first, n };
	if (s->type == GT_F32)
		run<float>(be, s, p, (const float *)samples, (float *)data);
	else
		run<double>(be, s, p, (const double *)samples, (double *)data);
}

void gt_helix_unbin_close(gt_backend *be, struct gt_helix_unbin *s)
{
	gt_backend_free(be, s->taps, s->tap_bytes);
	gt_backend_free(be, s->range, s->range_bytes);
}

/* For each detector column, the smallest range of parallel columns that interpolate there. */
static void fill_range(const gt_wfbp_plan *p, unsigned *range)
{
	const size_t columns = p->detector.columns;
	for (size_t i = 0; i < p->spots * p->source_columns; i++) {
		range[2 * i] = (unsigned)columns;
		range[2 * i + 1] = 0;
	}
	for (size_t at = 0; at < p->spots * columns; at++) {
		const unsigned k = (unsigned)(at % columns);
		const size_t first = gt_helix_first(p->column[at] > 0 ? (size_t)p->column[at] : 0, p->source_columns);
		for (size_t c = 0; c < 4; c++) {
			unsigned *r = range + (at / columns * p->source_columns + first + c) * 2;
			r[0] = k < r[0] ? k : r[0];
			r[1] = k + 1 > r[1] ? k + 1 : r[1];
		}
	}
}

gt_status gt_helix_unbin_open(gt_backend *be, const struct gt_helix_tables *tables, gt_type type, struct gt_helix_unbin *s)
{
	const gt_wfbp_plan *p = tables->plan;
	s->plan = p;
	s->d = tables->d;
	s->type = type;
	s->source_views = p->source_views;
	s->tap_bytes = p->batch * p->turns * p->detector.columns *
	               (type == GT_F32 ? sizeof(struct tap<float>) : sizeof(struct tap<double>));
	s->range_bytes = p->spots * p->source_columns * 2 * sizeof *s->range;
	unsigned *range = (unsigned *)malloc(s->range_bytes);
	if (!range)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory for the columns of the transpose");
	fill_range(p, range);
	if ((s->taps = gt_backend_alloc(be, s->tap_bytes, "rays of the transpose")) &&
	    (s->range = (unsigned *)gt_backend_alloc(be, s->range_bytes, "columns of the transpose")))
		gt_backend_put(be, range, s->range, s->range_bytes);
	free(range);
	return s->range ? GT_OK : GT_ERR_MEMORY;
}
