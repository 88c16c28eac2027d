/* Separable footprints on CUDA, forward, single precision, upright views, host side: which kernel, how many views share
 * a block, slabs whose lines fit the memory that is given. The kernel: sf_forward.cuh. Memory on the device: running
 * sums along z of a slab, 4 bytes per voxel, in one or both orders, and the list of views. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/cuda.cuh"
#include "core/try.h"
#include "projectors/sf/sf_forward.cuh"

struct gt_sf_ahead {
	int *group; /* on the device */
	int groups, views, edges, axes[2];
	int slab[2], apart; /* slices whose lines are held at a time; not of both orders */
	size_t bytes;
};

/* Rows that are left over by tiles of 64 and fit into one of 32. */
static int rows_left(const gt_sf *d) { return d->rows > 2 * WARP && (d->rows - 1) % (2 * WARP) < WARP ? d->rows % (2 * WARP) : 0; }
static int rows_of_tile(const gt_sf *d) { return d->rows > WARP ? 2 * WARP : d->rows > FEW ? WARP : FEW; }
/* Slices of a window at most. */
static int window_of(const gt_sf *d) { return pieces(d->n[2] < LONGEST ? d->n[2] : LONGEST, 4) * 4; }
/* Entries of a line: windows of equal lengths end beyond the last slice. */
static int deep_of(const gt_sf *d) { return (pieces(d->n[2], 4) + (d->n[2] > WHOLE ? pieces(d->n[2], LONGEST) : 0)) * 4 + SLACK; }
static size_t slice_floats(const gt_sf *d, int axis) { return (size_t)d->n[1 - axis] * deep_of(d); }

typedef void (*kernel)(struct args);
template <int ROWS, int EDGES, int V> static kernel kernel_with(size_t *bytes)
{
	*bytes = (sizeof(struct shared<ROWS, EDGES, V>) + 127) / 128 * 128 + GT_SF_AHEAD_STAGES * (size_t)stage_bytes<V, EDGES>();
	return forward_kernel<ROWS, EDGES, V>;
}
template <int ROWS, int EDGES> static kernel kernel_for(int views, size_t *bytes)
{
	return views == 4   ? kernel_with<ROWS, EDGES, 4>(bytes)
	       : views == 2 ? kernel_with<ROWS, EDGES, 2>(bytes)
	                    : kernel_with<ROWS, EDGES, 1>(bytes);
}
/* Few rows: of four views or one, and one kernel for all ramps. */
template <int EDGES> static kernel kernel_of_few(int views, size_t *bytes)
{
	return views == 4 ? kernel_with<FEW, EDGES, 4>(bytes) : kernel_with<FEW, EDGES, 1>(bytes);
}
template <int ROWS> static kernel kernel_of_rows(int edges, int views, size_t *bytes)
{
	return edges == GT_SF_WIDE     ? kernel_for<ROWS, GT_SF_WIDE>(views, bytes)
	       : edges == GT_SF_NARROW ? kernel_for<ROWS, GT_SF_NARROW>(views, bytes)
	       : edges == GT_SF_FINE   ? kernel_for<ROWS, GT_SF_FINE>(views, bytes)
	                               : kernel_for<ROWS, GT_SF_STEPS>(views, bytes);
}
static kernel kernel_of(const gt_sf *d, int edges, int views, size_t *bytes)
{
	const int rows = rows_of_tile(d);
	if (rows == FEW)
		return d->trapezoid ? kernel_of_few<GT_SF_WIDE>(views, bytes) : kernel_of_few<GT_SF_FINE>(views, bytes);
	return rows == WARP ? kernel_of_rows<WARP>(edges, views, bytes) : kernel_of_rows<2 * WARP>(edges, views, bytes);
}
/* A quarter more rows than those of a tile, for slices and lines that come together, and some at the ends. */
extern "C" double gt_sf_forward_window(const gt_sf *d, double step)
{
	return d->n[2] > WHOLE ? fmin(window_of(d), 1.25 * rows_of_tile(d) / step + 12) : window_of(d);
}

/* Mean angle between views next to each other, rad. */
static double angle_between(const gt_sf *host)
{
	double sum = 0;
	for (size_t v = 1; v < host->views; v++) {
		double a[2], b[2];
		for (int c = 0; c < 2; c++) {
			a[c] = (host->view[v - 1].toward[c][0] + host->view[v - 1].toward[c][1] * (host->n[c] - 1) / 2.) * host->pitch[c];
			b[c] = (host->view[v].toward[c][0] + host->view[v].toward[c][1] * (host->n[c] - 1) / 2.) * host->pitch[c];
		}
		sum += fabs(atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]));
	}
	return host->views > 1 ? sum / (double)(host->views - 1) : 0;
}

/* Views of a block: as many as leave a stage room for so many slices that a warp finds voxels for most of its lanes. */
static int views_together(const gt_sf *host)
{
	const double angle = angle_between(host), x = (host->n[0] - 1) / 2., y = (host->n[1] - 1) / 2.;
	const gt_sf_view *v = &host->view[0];
	const double one = fabs(gt_sf_corner_at(v, x + 0.5, y).column - gt_sf_corner_at(v, x - 0.5, y).column),
		     other = fabs(gt_sf_corner_at(v, x, y + 0.5).column - gt_sf_corner_at(v, x, y - 0.5).column), pitch = hypot(one, other);
	const double step = v->V[3] * gt_sf_corner_at(v, x, y).stretch;
	const double line = (gt_sf_forward_window(host, step) + SLACK) * sizeof(float), apart = angle * (host->n[0] + host->n[1]) / 8.;
	for (int views = MOST; views > 1; views /= rows_of_tile(host) == FEW ? 4 : 2) {
		const double bytes = views == 4 ? stage_bytes<4, GT_SF_WIDE>() : stage_bytes<2, GT_SF_WIDE>();
		const double lines = TWO * COLUMNS / pitch + 1.3 + (views - 1) * apart, voxels = COLUMNS / pitch + 1.3;
		if (bytes / line / lines * voxels > 0.7 * WARP)
			return views;
	}
	return 1;
}

extern "C" void gt_sf_forward_free(gt_backend *be, gt_sf_ahead *s)
{
	if (!s)
		return;
	gt_backend_free(be, s->group, s->bytes);
	free(s);
}

/* All lines in both orders at once, or as many slices of one as fit. */
static void fill_slabs(const gt_sf *d, size_t limit, gt_sf_ahead *s)
{
	const size_t whole = (size_t)(s->axes[0] + s->axes[1]) * d->n[0] * slice_floats(d, 0) * sizeof(float);
	for (int axis = 0; axis < 2; axis++) {
		const size_t fit = limit / (slice_floats(d, axis) * sizeof(float)) / WARP * WARP;
		s->slab[axis] = whole <= limit || fit >= (size_t)d->n[axis] ? d->n[axis] : fit < WARP ? WARP : (int)fit;
	}
	s->apart = whole > limit;
}

extern "C" gt_status gt_sf_forward_make(gt_backend *be, const gt_sf *host, int edges, size_t limit, gt_sf_ahead **state)
{
	gt_sf_ahead *s = (gt_sf_ahead *)calloc(1, sizeof *s);
	int *list = (int *)malloc((host->views + 1) * MOST * sizeof *list);
	gt_status st = GT_OK;
	kernel run;
	size_t bytes;
	int at = 0;
	gt_cuda_queue(be);
	if (!s || !list)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the views of the separable-footprint projector"));
	s->edges = edges;
	s->views = views_together(host);
	for (size_t v = 0; v < host->views; v++) {
		if (v > 0 && host->view[v].axis != host->view[v - 1].axis)
			while (at % s->views)
				list[at++] = -1;
		list[at++] = (int)v;
		s->axes[host->view[v].axis] = 1;
	}
	while (at % s->views)
		list[at++] = -1;
	fill_slabs(host, limit, s);
	s->groups = at / s->views;
	s->bytes = (size_t)at * sizeof *list;
	if (!(s->group = (int *)gt_backend_alloc(be, s->bytes, "views of the separable-footprint projector")))
		GT_TRY(GT_ERR_MEMORY);
	gt_backend_put(be, list, s->group, s->bytes);
	for (int left = 0; left < (rows_left(host) ? 2 : 1); left++) {
		run = left ? kernel_of_rows<WARP>(s->edges, s->views, &bytes) : kernel_of(host, s->edges, s->views, &bytes);
		if (cudaFuncSetAttribute((const void *)run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess)
			GT_TRY(gt_fail(GT_ERR_DEVICE, "not enough shared memory for the kernel of the separable-footprint projector"));
	}
	*state = s;
done:
	free(list);
	if (st != GT_OK)
		gt_sf_forward_free(be, s);
	return st;
}

/* Floats of the lines of a slab. */
static size_t slab_floats(const gt_sf *d, const gt_sf_ahead *s, int axis)
{
	return s->axes[axis] ? (size_t)(s->slab[axis] < d->n[axis] ? s->slab[axis] : d->n[axis]) * slice_floats(d, axis) : 0;
}

extern "C" size_t gt_sf_forward_scratch(const gt_sf *d, const gt_sf_ahead *s)
{
	const size_t by_x = slab_floats(d, s, 0), by_y = slab_floats(d, s, 1);
	return (s->apart ? (by_x > by_y ? by_x : by_y) : by_x + by_y) * sizeof(float);
}

/* What the slices [first, end) of the axes whose lines are there give to their views. */
static void run_slab(cudaStream_t queue, const gt_sf_ahead *s, const float *x, float *by_x, float *by_y, struct args *a)
{
	const int *n = a->d.n, x0 = by_y ? 0 : a->first[0], x1 = by_y ? n[0] : a->end[0];
	const int y0 = by_x ? 0 : a->first[1], y1 = by_x ? n[1] : a->end[1], groups = pieces(x1 - x0, WARP);
	a->lines[0] = by_x;
	a->lines[1] = by_y;
	sum_slices<<<(unsigned)((size_t)groups * (y1 - y0)), dim3(WARP, GT_SF_PARTS), 0, queue>>>(x, by_y, by_x, n[0], n[1], n[2], a->deep,
	                                                                                          groups, x0, x1, y0);
	const unsigned threads = (TWO * s->views + 1) * WARP;
	const int left = rows_left(&a->d);
	size_t bytes;
	kernel run = kernel_of(&a->d, s->edges, s->views, &bytes);
	a->first_row = 0;
	a->row_tiles = pieces(a->d.rows - left, rows_of_tile(&a->d));
	run<<<(unsigned)((size_t)a->groups_of_columns * a->row_tiles * s->groups), threads, bytes, queue>>>(*a);
	if (left == 0)
		return;
	run = kernel_of_rows<WARP>(s->edges, s->views, &bytes);
	a->first_row = a->d.rows - left;
	a->row_tiles = 1;
	run<<<(unsigned)((size_t)a->groups_of_columns * s->groups), threads, bytes, queue>>>(*a);
}

extern "C" void gt_sf_forward(gt_backend *be, const gt_sf *d, const gt_sf_ahead *s, const float *x, float *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	float *lines = (float *)gt_scratch(be);
	struct args a;
	a.d = *d;
	a.out = y;
	a.group = s->group;
	a.deep = deep_of(d);
	a.groups_of_columns = pieces(d->columns, TWO * COLUMNS);
	for (int axis = 0; axis < 2; axis++) {
		a.first[axis] = 0;
		a.end[axis] = d->n[axis];
	}
	if (!s->apart)
		run_slab(queue, s, x, s->axes[0] ? lines + slab_floats(d, s, 1) : NULL, s->axes[1] ? lines : NULL, &a);
	for (int axis = 0; s->apart && axis < 2; axis++)
		for (int first = 0; s->axes[axis] && first < d->n[axis]; first += s->slab[axis]) {
			a.first[axis] = first;
			a.end[axis] = d->n[axis] - first < s->slab[axis] ? d->n[axis] : first + s->slab[axis];
			run_slab(queue, s, x, axis == 0 ? lines : NULL, axis == 1 ? lines : NULL, &a);
		}
	gt_cuda_check(be, cudaGetLastError(), "separable footprint, forward");
}
