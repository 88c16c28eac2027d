#ifndef GT_PROJECTORS_SF_SF_DERIVATIVE_AHEAD_CUH
#define GT_PROJECTORS_SF_SF_DERIVATIVE_AHEAD_CUH
/* Forward direction of the derivative of sf-tr on CUDA: see sf_derivative_cuda.cu. */
#include "projectors/sf/sf_derivative_lines.cuh"

/* Records of the columns of voxels for a batch of views. field: [view of the batch][field][column of voxels], edge:
 * [view of the batch][column of voxels]. Columns count across the view's axis first. turned: the volume
 * [z][x][y]. */
enum { AT = 0, LEFT = 4, MOVED = 5, CHORD_MOVED = 13, CHORD, ROW, HALF = 18, REST = 20 /* added to AT */, FIELDS = 24 };
enum { ROWS = 16 /* of a thread */, CHUNKS = 4 /* warps of a block, each with its rows */, WARP = 32, TILE = 32 };
template <typename T> struct ahead {
	gt_sf_derivative d;
	size_t first, slice;
	const T *x, *turned;
	const double *velocity;
	T *field;
	typename lines<T>::climb *edge;
	T *y;
};

template <typename T> static __global__ void __launch_bounds__(GT_PIXEL_BLOCK) record_lines(ahead<T> b, size_t blocks)
{
	__shared__ gt_sf_pose pose;
	__shared__ double velocity[GT_VELOCITIES];
	const struct sf_view_block at = place_of(b.first, blocks);
	const gt_sf *d = &b.d.d;
	const gt_sf_view *v = &d->view[at.view];
	const size_t i = at.block * GT_PIXEL_BLOCK + threadIdx.x;
	if (!v->upright)
		return;
	if (threadIdx.x == 0) {
		pose = gt_sf_pose_of(&b.d, at.view);
		gt_sf_into_frame(&pose, b.velocity + at.view * GT_VELOCITIES, velocity);
	}
	__syncthreads();
	if (i >= b.slice)
		return;
	const int along = 1 - v->axis, across = (int)(i / d->n[along]), on = (int)(i % d->n[along]);
	const int x = along == 0 ? on : across, y = along == 0 ? across : on;
	T *field = b.field + (at.view - b.first) * FIELDS * b.slice + i;
	gt_sf_footprint s;
	gt_sf_line line;
	if (!gt_sf_footprint_at(d, v, x, y, &s)) {
		for (int f = 0; f < FIELDS; f++)
			field[f * b.slice] = 0;
		return;
	}
	gt_sf_line_changes(d, v, &pose, x, y, velocity, &line);
	const double left = floor(s.columns.at[0]);
	b.edge[(at.view - b.first) * b.slice + i] = lines<T>::from(d, &s.rows);
	for (int c = 0; c < 4; c++) {
		const T at_left = (T)(s.columns.at[c] - left);
		field[(AT + c) * b.slice] = at_left;
		field[(REST + c) * b.slice] = (T)(s.columns.at[c] - left - (double)at_left);
		field[(MOVED + 2 * c) * b.slice] = (T)line.column[c][0];
		field[(MOVED + 2 * c + 1) * b.slice] = (T)line.column[c][1];
	}
	field[LEFT * b.slice] = (T)left;
	field[CHORD * b.slice] = (T)s.chord;
	field[CHORD_MOVED * b.slice] = (T)line.chord;
	for (int c = 0; c < 3; c++)
		field[(ROW + c) * b.slice] = (T)line.row[c];
	for (int c = 0; c < 2; c++)
		field[(HALF + c) * b.slice] = (T)line.half[c];
}

/* Adds a column of voxels to the rows from l of pixel column k. Its weights are computed in double, because flanks may
 * be much narrower than a pixel. */
template <typename T>
static __device__ __forceinline__ void add_line(const ahead<T> &b, size_t view, size_t at, const T *x, int k, int l, T (&plain)[ROWS],
                                                T (&change)[ROWS])
{
	const T *field = b.field + (view - b.first) * FIELDS * b.slice + at;
	gt_sf_trapezoid t;
	gt_sf_line m;
	typename lines<T>::rows r;
	const T chord = field[CHORD * b.slice];
	if (chord == 0)
		return;
	for (int c = 0; c < 4; c++) {
		t.at[c] = (double)field[(AT + c) * b.slice] + (double)field[(REST + c) * b.slice];
		m.column[c][0] = field[(MOVED + 2 * c) * b.slice];
		m.column[c][1] = field[(MOVED + 2 * c + 1) * b.slice];
	}
	t.rise = t.at[1] > t.at[0] ? 0.5 / (t.at[1] - t.at[0]) : 0;
	t.fall = t.at[3] > t.at[2] ? 0.5 / (t.at[3] - t.at[2]) : 0;
	m.chord = field[CHORD_MOVED * b.slice];
	const int in = k - (int)field[LEFT * b.slice];
	if (in < 0 || in > t.at[3])
		return;
	const gt_sf_line_weights w = gt_sf_line_weigh(&t, chord, &m, in);
	const T all = (T)w.all, first = (T)w.first, second = (T)w.second;
	for (int c = 0; c < 3; c++)
		r.row[c] = field[(ROW + c) * b.slice];
	for (int c = 0; c < 2; c++)
		r.half[c] = field[(HALF + c) * b.slice];
	r.n = b.d.d.n[2];
	r.per = (T)1 / (T)r.n;
	r.x = x;
	r.stride = b.slice;
	typename lines<T>::state s = lines<T>::below(&r, b.edge + (view - b.first) * b.slice + at, l);
	if (s.z >= r.n || (s.z < 0 && s.to >= l + ROWS))
		return;
#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		T sum[3];
		lines<T>::row(&r, &s, l + i, sum);
		plain[i] += all * sum[0];
		change[i] += first * sum[0] + second * sum[1] + all * sum[2];
	}
}

/* One thread: ROWS pixels of one column. */
template <typename T> static __global__ void __launch_bounds__(WARP *CHUNKS) forward_lines(ahead<T> b, unsigned columns, unsigned groups)
{
	__shared__ gt_sf_view v;
	__shared__ gt_sf_pose pose;
	__shared__ gt_sf_wedge wedge[WARP];
	const gt_sf *d = &b.d.d;
	const size_t view = b.first + blockIdx.x / columns / groups;
	const int k = blockIdx.x % columns * WARP + threadIdx.x, l = (blockIdx.x / columns % groups * CHUNKS + threadIdx.y) * ROWS;
	if (!d->view[view].upright)
		return;
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		v = d->view[view];
		pose = gt_sf_pose_of(&b.d, view);
	}
	__syncthreads();
	if (threadIdx.y == 0)
		wedge[threadIdx.x] = gt_sf_wedge_of(&v.frame, k - GT_SF_MARGIN, k + 1);
	__syncthreads();
	if (k >= d->columns || l >= d->rows)
		return;
	const int along = 1 - v.axis;
	const T *x = along == 0 ? b.x : b.turned;
	T plain[ROWS], change[ROWS];
	for (int i = 0; i < ROWS; i++)
		plain[i] = change[i] = 0;
	for (int n = 0; n < d->n[v.axis]; n++) {
		const int line[3] = { along == 0 ? 0 : n, along == 0 ? n : 0, 0 };
		int from, to;
		gt_sf_interval(&wedge[threadIdx.x], along, line, d->n[along], &from, &to);
		for (int i = from; i < to; i++) {
			const size_t at = (size_t)n * d->n[along] + i;
			add_line(b, view, at, x + at, k, l, plain, change);
		}
	}
#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		double by[GT_VELOCITIES], turn = 0;
		if (l + i >= d->rows)
			continue;
		const double slant = gt_sf_slant_by(&pose, k, l + i, by);
		for (int c = 0; c < GT_VELOCITIES; c++)
			turn = fma(by[c], b.velocity[view * GT_VELOCITIES + c], turn);
		b.y[gt_sf_pixel(d, &v, view, l + i, k)] = (T)(slant * (double)change[i] + turn * (double)plain[i]);
	}
}

/* The views that are not upright: one thread per pixel. */
template <typename T>
static __global__ void __launch_bounds__(GT_PIXEL_BLOCK)
	forward_pixels(gt_sf_derivative d, size_t blocks, const T *x, const double *velocity, T *y)
{
	const struct sf_view_block place = place_of(0, blocks);
	const size_t i = place.block * GT_PIXEL_BLOCK + threadIdx.x;
	const gt_sf_view *v = &d.d.view[place.view];
	double by[GT_VELOCITIES], sum = 0;
	if (v->upright || i >= (size_t)d.d.rows * d.d.columns)
		return;
	const gt_sf_pose pose = gt_sf_pose_of(&d, place.view);
	const int at[2] = { (int)(i % d.d.columns), (int)(i / d.d.columns) };
	gt_sf_pixel_by(&d.d, v, &pose, at, x, sizeof(T) == sizeof(float), by);
	for (int c = 0; c < GT_VELOCITIES; c++)
		sum = fma(by[c], velocity[place.view * GT_VELOCITIES + c], sum);
	y[gt_sf_pixel(&d.d, v, place.view, at[1], at[0])] = (T)sum;
}

/* [z][y][x] to [z][x][y] */
template <typename T> static __global__ void turn_slices(const T *x, T *turned, int nx, int ny, unsigned across, unsigned down)
{
	__shared__ T tile[TILE][TILE + 1];
	const size_t slice = blockIdx.x / across / down * ((size_t)nx * ny);
	const int x0 = blockIdx.x % across * TILE, y0 = blockIdx.x / across % down * TILE;
	for (int j = threadIdx.y; j < TILE; j += blockDim.y)
		if (x0 + (int)threadIdx.x < nx && y0 + j < ny)
			tile[j][threadIdx.x] = x[slice + (size_t)(y0 + j) * nx + x0 + threadIdx.x];
	__syncthreads();
	for (int j = threadIdx.y; j < TILE; j += blockDim.y)
		if (x0 + j < nx && y0 + (int)threadIdx.x < ny)
			turned[slice + (size_t)(x0 + j) * ny + y0 + threadIdx.x] = tile[threadIdx.x][j];
}

/* Scratch of the forward direction: the turned volume, then the records of a batch. */
static size_t turned_bytes(const gt_sf_derivative *d)
{
	return ((size_t)d->d.n[0] * d->d.n[1] * d->d.n[2] * gt_type_size(d->type) + 255) / 256 * 256;
}
static size_t record_bytes(const gt_sf_derivative *d)
{
	const size_t edge = d->type == GT_F32 ? sizeof(gt_sf_climb_f) : sizeof(gt_sf_climb);
	return (size_t)d->d.n[0] * d->d.n[1] * (FIELDS * gt_type_size(d->type) + edge);
}
static size_t record_views(const gt_sf_derivative *d)
{
	const size_t most = max_batch / record_bytes(d);
	return most < 1 ? 1 : most < d->d.views ? most : d->d.views;
}

template <typename T> static void project(const gt_sf_derivative *d, const T *x, const double *velocity, T *y)
{
	const gt_sf *s = &d->d;
	const size_t slice = (size_t)s->n[0] * s->n[1], most = record_views(d), blocks = gt_pixel_blocks(slice);
	const unsigned columns = (unsigned)pieces(s->columns, (int)WARP), groups = (unsigned)pieces(s->rows, ROWS * CHUNKS);
	const unsigned across = (unsigned)pieces(s->n[0], (int)TILE), down = (unsigned)pieces(s->n[1], (int)TILE);
	char *scratch = (char *)gt_scratch(d->be), *records = scratch + turned_bytes(d);
	typename lines<T>::climb *edge = (typename lines<T>::climb *)records;
	ahead<T> b = { *d, 0, slice, x, (T *)scratch, velocity, (T *)(edge + most * slice), edge, y };
	cudaStream_t queue = gt_cuda_queue(d->be);
	turn_slices<T><<<across * down * s->n[2], dim3(TILE, 8), 0, queue>>>(x, (T *)scratch, s->n[0], s->n[1], across, down);
	for (; b.first < s->views; b.first += most) {
		const size_t views = s->views - b.first < most ? s->views - b.first : most;
		record_lines<T><<<(unsigned)(blocks * views), GT_PIXEL_BLOCK, 0, queue>>>(b, blocks);
		forward_lines<T><<<(unsigned)(views * columns * groups), dim3(WARP, CHUNKS), 0, queue>>>(b, columns, groups);
	}
	if (s->tilted) {
		const size_t all = gt_pixel_blocks(pixels_of(s));
		forward_pixels<T><<<(unsigned)(all * s->views), GT_PIXEL_BLOCK, 0, queue>>>(*d, all, x, velocity, y);
	}
	gt_cuda_check(d->be, cudaGetLastError(), "derivative by motions");
}
#endif
