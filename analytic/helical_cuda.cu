/* Helical weighted filtered backprojection on CUDA. Data, parallel views and volume stay on the device; per batch one record per
 * parallel view crosses the bus. Places are computed in double, once per column of SLICES voxels and view, by the functions that
 * the CPU uses. */
#include <math.h>
#include <stdlib.h>
#include "analytic/direct_cuda.h"
#include "analytic/helical.h"

/* Variants. */
#ifndef BLOCK_X
#define BLOCK_X 32 /* columns of voxels per block along x: 16, 32 */
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4 /* and along y: 4, 8 */
#endif
#ifndef SLICES
#define SLICES 8 /* slices per thread, in registers: 4, 8, 16 */
#endif
#define LANES 128 /* threads of a block that rebins */
#define TURN 3.14159265358979323846

/* What both kernels read; pointers are of the device. */
struct device {
	struct gt_helix_detector detector;
	size_t rows, source_columns, spots, turns;
	double sense;
	const struct gt_helix_spot *spot;
	const struct gt_helix_view *view;
	const double *direction, *height, *fan, *column, *reach;
	double *z; /* [view][column] */
};

struct grid_in {
	size_t n[3], bins;
	double first[3], pitch[3], radius, margin; /* margin: no view sees higher above or below its source */
	double flat;
	int extend;
};

struct state {
	gt_backend *be;
	const gt_helical_plan *plan;
	gt_type type;
	struct device d;
	struct grid_in grid;
	gt_layout layout;
	struct gt_row_filter *filter;
	struct gt_helix_view *host; /* [batch] */
	/* On the device, with their sizes in bytes. */
	void *tables, *rebinned, *filtered, *view, *back_view, *z;
	size_t table_bytes, rebinned_bytes, filtered_bytes, view_bytes, back_view_bytes, z_bytes;
};

static __device__ float weight_of(float q, float flat, float over_rest) { return gt_row_weight_single(q, flat, over_rest); }
static __device__ double weight_of(double q, double flat, double over_rest) { return gt_row_weight_double(q, flat, over_rest); }
static __device__ float distance_of(float x) { return fabsf(x); }
static __device__ double distance_of(double x) { return fabs(x); }

/* One column of a parallel view per thread, all its rows. */
template <typename T> static __global__ void __launch_bounds__(LANES) rebin(struct device d, const T *data, T *out)
{
	const size_t columns = d.detector.columns, k = blockIdx.x * (size_t)LANES + threadIdx.x, v = blockIdx.y;
	if (k >= columns)
		return;
	const struct gt_helix_view *w = &d.view[v];
	const struct gt_helix_spot *spot = &d.spot[w->spot];
	out += v * d.rows * columns + k;
	if (!w->used) {
		for (size_t l = 0; l < d.rows; l++)
			out[l * columns] = 0;
		return;
	}
	const size_t at = w->spot * columns + k, next = d.spots * d.rows * d.source_columns;
	const double column = d.column[at];
	struct gt_helix_tap tap;
	double wide[4];
	gt_helix_find(d.direction + spot->first, d.height + spot->first, spot->views, d.sense * (w->direction - TURN - d.fan[at]), &tap);
	const size_t c = gt_helix_first(column > 0 ? (size_t)column : 0, d.source_columns);
	gt_lagrange_cells(c, column, wide);
	d.z[v * columns + k] = tap.z;
	T along[4], across[4];
	for (int i = 0; i < 4; i++) {
		along[i] = (T)tap.weight[i];
		across[i] = (T)wide[i];
	}
	const T *in = data + w->spot * d.rows * d.source_columns + tap.first * next + c;
	for (size_t l = 0; l < d.rows; l++, in += d.source_columns) {
		T sum = 0;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			const T *q = in + i * next;
			sum += along[i] * (across[0] * q[0] + across[1] * q[1] + across[2] * q[2] + across[3] * q[3]);
		}
		out[l * columns] = sum;
	}
}

template <typename T> struct filtered_rows {
	const T *q;
	size_t pitch, view; /* in samples: of a row, of a view */
};

static __device__ int see(const struct device &d, size_t v, double x, double y, struct gt_helix_line *line)
{
	const struct gt_helix_view *w = &d.view[v];
	const size_t columns = d.detector.columns;
	return gt_helix_see(&d.detector, w, &d.spot[w->spot], d.z + v * columns, d.reach + w->spot * columns, x, y, line);
}

template <typename T> static __device__ T between(const T *q, size_t step, T right, T part)
{
	const T low = q[0] + right * (q[1] - q[0]), high = q[step] + right * (q[step + 1] - q[step]);
	return low + part * (high - low);
}

/* SLICES voxels of a view: those that it sees. */
template <typename T>
static __device__ void add_view(const struct device &d, const struct grid_in &g, const filtered_rows<T> &rows, size_t v,
                                const struct gt_helix_line &at, double z, T *sum, T *weight)
{
	const double row0 = at.row0 + at.slope * z, highest = (double)d.rows - 1, base_row = fmin(fmax(row0, 0.), highest);
	const size_t base = (size_t)base_row;
	const T row = (T)(row0 - (double)base), step = (T)(at.slope * g.pitch[2]), last = (T)(highest - (double)base),
		middle = (T)(highest / 2 - (double)base), over_half = (T)(2 / (double)d.rows), flat = (T)g.flat,
		over_rest = (T)(1 / (1 - g.flat)), right = (T)at.right;
	const T *near = rows.q + v * rows.view + base * rows.pitch + at.k;
#pragma unroll
	for (int j = 0; j < SLICES; j++) {
		const T l = row + (T)j * step, q = distance_of(l - middle) * over_half;
		if (!(q <= (T)1))
			continue;
		T inside = l > 0 ? l : (T)0;
		inside = inside < last ? inside : last;
		const int i = (int)inside;
		const T w = weight_of(q, flat, over_rest);
		sum[j] += w * between<T>(near + (size_t)i * rows.pitch, i < (int)last ? rows.pitch : 0, right, inside - (T)i);
		weight[j] += w;
	}
}

/* What no view of the bin saw takes the row that is nearest. */
template <typename T>
static __device__ void extend(const struct device &d, const struct grid_in &g, const filtered_rows<T> &rows, size_t first, double x,
                              double y, double z, const T *weight, T *sum)
{
	const double middle = ((double)d.rows - 1) / 2;
	double far[SLICES];
	for (int j = 0; j < SLICES; j++)
		far[j] = INFINITY;
	for (size_t k = 0; k < d.turns; k++) {
		struct gt_helix_line at;
		if (!see(d, first + k, x, y, &at))
			continue;
#pragma unroll
		for (int j = 0; j < SLICES; j++) {
			const double row = at.row0 + at.slope * (z + j * g.pitch[2]);
			if (weight[j] > 0 || !(fabs(row - middle) < far[j]))
				continue;
			far[j] = fabs(row - middle);
			const T *q = rows.q + (first + k) * rows.view + (row < middle ? 0 : d.rows - 1) * rows.pitch + at.k;
			sum[j] = between<T>(q, 0, (T)at.right, 0);
		}
	}
}

/* Neither the source nor the cone of the view comes near these slices. */
static __device__ int is_far(const struct device &d, const struct grid_in &g, size_t v, double low, double high)
{
	const double *z = d.z + v * d.detector.columns, a = z[0], b = z[d.detector.columns - 1];
	return !d.view[v].used || fmin(a, b) - g.margin > high || fmax(a, b) + g.margin < low;
}

template <typename T>
static __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y) back(struct device d, struct grid_in g, filtered_rows<T> rows, T *x)
{
	const size_t ix = blockIdx.x * (size_t)BLOCK_X + threadIdx.x, iy = blockIdx.y * (size_t)BLOCK_Y + threadIdx.y,
		     iz = blockIdx.z * (size_t)SLICES;
	if (ix >= g.n[0] || iy >= g.n[1])
		return;
	const double px = g.first[0] + (double)ix * g.pitch[0], py = g.first[1] + (double)iy * g.pitch[1],
		     z = g.first[2] + (double)iz * g.pitch[2], z_end = z + (SLICES - 1) * g.pitch[2];
	if (!(hypot(px - d.detector.center[0], py - d.detector.center[1]) <= g.radius))
		return;
	T total[SLICES];
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		total[j] = 0;
	for (size_t b = 0; b < g.bins; b++) {
		T sum[SLICES], weight[SLICES];
#pragma unroll
		for (int j = 0; j < SLICES; j++)
			sum[j] = weight[j] = 0;
		for (size_t k = 0; k < d.turns; k++) {
			struct gt_helix_line at;
			if (!is_far(d, g, b * d.turns + k, z, z_end) && see(d, b * d.turns + k, px, py, &at))
				add_view<T>(d, g, rows, b * d.turns + k, at, z, sum, weight);
		}
		int missing = 0;
#pragma unroll
		for (int j = 0; j < SLICES; j++)
			missing |= !(weight[j] > 0) && iz + j < g.n[2];
		if (missing && g.extend)
			extend<T>(d, g, rows, b * d.turns, px, py, z, weight, sum);
#pragma unroll
		for (int j = 0; j < SLICES; j++)
			total[j] += weight[j] > 0 ? sum[j] / weight[j] : sum[j];
	}
#pragma unroll
	for (int j = 0; j < SLICES; j++)
		if (iz + j < g.n[2])
			x[((iz + j) * g.n[1] + iy) * g.n[0] + ix] += total[j];
}

/* One slice of zeros. */
template <typename T> static __global__ void clear(size_t n, T *x)
{
	const size_t i = blockIdx.x * (size_t)LANES + threadIdx.x;
	if (i < n)
		x[i] = 0;
}

/* The table ------------------------------------------------------------- */

template <typename T> static void run_back(struct state *s, size_t n, T *x)
{
	const gt_grid *g = &s->plan->grid;
	const size_t slice = g->n[0] * g->n[1];
	const filtered_rows<T> rows = { (const T *)s->filtered, s->layout.pitch, s->layout.pitch * s->plan->rows };
	const dim3 blocks((unsigned)((g->n[0] + BLOCK_X - 1) / BLOCK_X), (unsigned)((g->n[1] + BLOCK_Y - 1) / BLOCK_Y),
	                  (unsigned)((g->n[2] + SLICES - 1) / SLICES));
	s->grid.bins = n;
	back<T><<<blocks, dim3(BLOCK_X, BLOCK_Y), 0, gt_cuda_queue(s->be)>>>(s->d, s->grid, rows, x);
	gt_cuda_check(s->be, cudaGetLastError(), "helical backprojection");
	for (size_t z = 0; z < g->n[2] && !s->plan->extend; z++)
		if (s->plan->incomplete[z]) {
			clear<T><<<(unsigned)((slice + LANES - 1) / LANES), LANES, 0, gt_cuda_queue(s->be)>>>(slice, x + z * slice);
			gt_cuda_check(s->be, cudaGetLastError(), "helical backprojection: incomplete slices");
		}
}

static void back_(void *self, size_t, size_t n, void *x)
{
	struct state *s = (struct state *)self;
	if (s->be->status != GT_OK)
		return;
	if (s->type == GT_F32)
		run_back<float>(s, n, (float *)x);
	else
		run_back<double>(s, n, (double *)x);
}

/* Views of a launch: the grid of blocks is limited along y. */
#define MOST_VIEWS ((size_t)32768)

template <typename T> static void run_rebin(struct state *s, size_t views, const T *data)
{
	const size_t columns = s->plan->detector.columns;
	for (size_t v = 0; v < views; v += MOST_VIEWS) {
		const dim3 blocks((unsigned)((columns + LANES - 1) / LANES), (unsigned)(views - v < MOST_VIEWS ? views - v : MOST_VIEWS));
		struct device d = s->d;
		d.view += v;
		d.z += v * columns;
		rebin<T><<<blocks, LANES, 0, gt_cuda_queue(s->be)>>>(d, data, (T *)s->rebinned + v * s->plan->rows * columns);
		gt_cuda_check(s->be, cudaGetLastError(), "helical: parallel views");
	}
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	struct state *s = (struct state *)self;
	const size_t views = n * s->plan->turns;
	if (s->be->status != GT_OK)
		return;
	for (size_t i = 0; i < views; i++)
		s->host[i] = gt_helical_view(s->plan, first, i);
	gt_backend_put(s->be, s->host, s->view, views * sizeof *s->host);
	if (s->type == GT_F32)
		run_rebin<float>(s, views, (const float *)data);
	else
		run_rebin<double>(s, views, (const double *)data);
	gt_row_filter_run(s->filter, 0, views, (const struct gt_back_view *)s->back_view, s->rebinned, s->filtered);
}

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_backend_wait(s->be);
	gt_row_filter_free(s->filter);
	gt_backend_free(s->be, s->tables, s->table_bytes);
	gt_backend_free(s->be, s->rebinned, s->rebinned_bytes);
	gt_backend_free(s->be, s->filtered, s->filtered_bytes);
	gt_backend_free(s->be, s->view, s->view_bytes);
	gt_backend_free(s->be, s->back_view, s->back_view_bytes);
	gt_backend_free(s->be, s->z, s->z_bytes);
	free(s->host);
	free(s);
}

static size_t view_bytes_(const gt_helical_plan *p, gt_type type)
{
	return (2 * p->detector.columns + 2) * p->rows * gt_type_size(type) + p->detector.columns * sizeof(double);
}

/* Tables of the scan behind each other; returns the place of the next. */
static double *put_table(struct state *s, const double *from, size_t n, double *to)
{
	gt_backend_put(s->be, from, to, n * sizeof *from);
	return to + n;
}

static void put_tables(struct state *s)
{
	const gt_helical_plan *p = s->plan;
	const size_t cells = p->spots * p->detector.columns, views = p->source_views;
	double *at = (double *)s->tables;
	s->d.direction = at;
	s->d.height = at = put_table(s, p->direction, views, at);
	s->d.fan = at = put_table(s, p->z, views, at);
	s->d.column = at = put_table(s, p->fan, cells, at);
	s->d.reach = at = put_table(s, p->column, cells, at);
	at = put_table(s, p->reach, cells, at);
	s->d.spot = (const struct gt_helix_spot *)at;
	gt_backend_put(s->be, p->spot, at, sizeof p->spot);
	gt_backend_put(s->be, p->filter->view, s->back_view, s->back_view_bytes);
}

static double margin_of(const gt_helical_plan *p)
{
	double far = 0, margin = 0;
	for (int i = 0; i < 4; i++) {
		double corner[2];
		for (int a = 0; a < 2; a++)
			corner[a] = gt_grid_first(&p->grid, a) + (i >> a & 1 ? (double)(p->grid.n[a] - 1) * p->grid.pitch[a] : 0) -
			            p->detector.center[a];
		far = fmax(far, hypot(corner[0], corner[1]));
	}
	for (size_t c = 0; c < p->spots; c++) {
		const struct gt_helix_spot *spot = &p->spot[c];
		const double middle = ((double)p->rows - 1) / 2, rows = (double)p->rows / 2 + fabs(spot->row0 - middle);
		for (size_t k = 0; k < p->detector.columns; k++)
			margin = fmax(margin, rows / spot->per_row * (spot->distance + far) / p->reach[c * p->detector.columns + k]);
	}
	return margin;
}

static void fill_in(struct state *s)
{
	const gt_helical_plan *p = s->plan;
	s->d.detector = p->detector;
	s->d.rows = p->rows;
	s->d.source_columns = p->source_columns;
	s->d.spots = p->spots;
	s->d.turns = p->turns;
	s->d.sense = p->sense;
	s->d.view = (const struct gt_helix_view *)s->view;
	s->d.z = (double *)s->z;
	for (int a = 0; a < 3; a++) {
		s->grid.n[a] = p->grid.n[a];
		s->grid.first[a] = gt_grid_first(&p->grid, a);
		s->grid.pitch[a] = p->grid.pitch[a];
	}
	s->grid.radius = p->radius;
	s->grid.margin = margin_of(p);
	s->grid.flat = p->flat;
	s->grid.extend = p->extend;
}

static gt_status open_(gt_backend *be, const gt_helical_plan *p, gt_type type, void **out)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	const size_t views = p->batch * p->turns, columns = p->detector.columns, element = gt_type_size(type);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory");
	s->be = be;
	s->plan = p;
	s->type = type;
	s->layout = { 0, p->filter->row.wide, 0 };
	s->host = (struct gt_helix_view *)malloc(views * sizeof *s->host);
	s->table_bytes = 2 * p->source_views * sizeof(double) + 3 * p->spots * columns * sizeof(double) + sizeof p->spot;
	s->rebinned_bytes = views * p->rows * columns * element;
	s->filtered_bytes = views * p->rows * s->layout.pitch * element;
	s->view_bytes = views * sizeof *s->host;
	s->back_view_bytes = views * sizeof *p->filter->view;
	s->z_bytes = views * columns * sizeof(double);
	if (!s->host)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", views));
	if (!(s->tables = gt_backend_alloc(be, s->table_bytes, "tables of the helix")) ||
	    !(s->rebinned = gt_backend_alloc(be, s->rebinned_bytes, "parallel views")) ||
	    !(s->filtered = gt_backend_alloc(be, s->filtered_bytes, "filtered views")) ||
	    !(s->view = gt_backend_alloc(be, s->view_bytes, "table of views")) ||
	    !(s->back_view = gt_backend_alloc(be, s->back_view_bytes, "table of views")) ||
	    !(s->z = gt_backend_alloc(be, s->z_bytes, "heights of sources"))) {
		st = GT_ERR_MEMORY;
		goto done;
	}
	fill_in(s);
	put_tables(s);
	GT_TRY(gt_row_filter_new(be, p->filter, type, &s->layout, views, &s->filter));
	*out = s;
done:
	if (st != GT_OK)
		close_(s);
	return st;
}

extern "C" const struct gt_helical_impl gt_helical_cuda = { view_bytes_, open_, filter_, back_, close_ };
