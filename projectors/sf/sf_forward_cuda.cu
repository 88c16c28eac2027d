/* Host side of the separable-footprint forward projection on CUDA, single precision, upright views. Chooses the kernel,
 * the number of views per block, and slabs whose lines fit the memory limit. Kernel: sf_forward.cuh. Memory on the
 * device: 4 bytes per voxel of a slab for running sums along z, in one or both orders, and the list of views. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda.cuh"
#include "core/device/shared_limit.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "projectors/sf/sf_forward.cuh"

/* Numbers of a variant: views of a block, rows of a warp, and macros. */
enum { NUMBER_VIEWS, NUMBER_TILE, NUMBER_WINDOW = 6, NUMBERS = 8 };
static const gt_variant_number numbers[] = {
	{ "VIEWS", 1, 4, 1 },    { "TILE", 32, 64, 1 },    { "BLOCKS", 1, 4, 0 },   { "STAGES", 2, 4, 0 }, { "BYTES", 6144, 122880, 0 },
	{ "MORE", 0, 61440, 0 }, { "WINDOW", 64, 128, 0 }, { "FLUSH", 64, 512, 0 }, { NULL, 0, 0, 0 },
};
static const gt_variant_family family = { "sf-forward", "projectors/sf/sf_forward.cuh", "GT_SF_AHEAD_", numbers };

struct gt_sf_ahead {
	int *group; /* on the device */
	/* by number; the built-in kernels' if there is no variant. tuned: for whole tiles, and for remaining rows */
	int value[NUMBERS];
	gt_variant *tuned[2];
	int groups, views, edges, axes[2];
	int slab[2], apart; /* slices whose lines fit at a time; apart: one order at a time */
	size_t bytes;
};

static int rows_of_tile(const gt_sf *d) { return d->rows > WARP ? 2 * WARP : d->rows > FEW ? WARP : FEW; }
/* Rows that remain after tiles of 64 and fit one tile of 32. */
static int rows_left(const gt_sf *d, int tile)
{
	return tile == 2 * WARP && d->rows > 2 * WARP && (d->rows - 1) % (2 * WARP) < WARP ? d->rows % (2 * WARP) : 0;
}
/* Maximum slices of a window, at most `longest`. */
static int window_of(const gt_sf *d, int longest) { return pieces(d->n[2] < longest ? d->n[2] : longest, 4) * 4; }
/* Entries of a line; windows of equal length end beyond the last slice. */
static int deep_of(const gt_sf *d, int longest)
{
	return (pieces(d->n[2], 4) + (d->n[2] > WHOLE ? pieces(d->n[2], longest) : 0)) * 4 + SLACK;
}
static size_t slice_floats(const gt_sf *d, const gt_sf_ahead *s, int axis)
{
	return (size_t)d->n[1 - axis] * deep_of(d, s->value[NUMBER_WINDOW]);
}

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
/* Few rows: blocks of four views or one, and one kernel for all ramps. */
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
/* A quarter more slices than the rows of a tile need, for slices and lines that are copied together, and 12 at the
 * ends. */
extern "C" double gt_sf_forward_window(const gt_sf *d, double step)
{
	const double window = window_of(d, LONGEST);
	return d->n[2] > WHOLE ? fmin(window, 1.25 * rows_of_tile(d) / step + 12) : window;
}

/* Mean angle between successive views, rad. */
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

/* Views of a block: the maximum for which a stage holds enough slices to give most lanes of a warp a voxel. */
static int views_together(const gt_sf *host)
{
	const double angle = angle_between(host), x = (host->n[0] - 1) / 2., y = (host->n[1] - 1) / 2.;
	const gt_sf_view *v = &host->view[0];
	const double one = fabs(gt_sf_corner_at(v, x + 0.5, y).column - gt_sf_corner_at(v, x - 0.5, y).column),
		     other = fabs(gt_sf_corner_at(v, x, y + 0.5).column - gt_sf_corner_at(v, x, y - 0.5).column), pitch = hypot(one, other);
	const double step = v->V[3] * gt_sf_corner_at(v, x, y).stretch;
	const double line = (gt_sf_forward_window(host, step) + SLACK) * sizeof(float), apart = angle * (host->n[0] + host->n[1]) / 8.;
	for (int views = MAX_VIEWS; views > 1; views /= rows_of_tile(host) == FEW ? 4 : 2) {
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
	for (int k = 0; k < 2; k++)
		gt_variant_free(s->tuned[k]);
	free(s);
}

/* All lines in both orders at once, or the slices of one order that fit. */
static void fill_slabs(const gt_sf *d, size_t limit, gt_sf_ahead *s)
{
	const size_t whole = (size_t)(s->axes[0] + s->axes[1]) * d->n[0] * slice_floats(d, s, 0) * sizeof(float);
	for (int axis = 0; axis < 2; axis++) {
		const size_t fit = limit / (slice_floats(d, s, axis) * sizeof(float)) / WARP * WARP;
		s->slab[axis] = whole <= limit || fit >= (size_t)d->n[axis] ? d->n[axis] : fit < WARP ? WARP : (int)fit;
	}
	s->apart = whole > limit;
}

static gt_status compile(const gt_sf *d, gt_sf_ahead *s)
{
	for (int left = 0; left < (rows_left(d, s->value[NUMBER_TILE]) ? 2 : 1); left++) {
		const int tile = left ? WARP : s->value[NUMBER_TILE], views = s->value[NUMBER_VIEWS];
		char instance[48], bytes[200];
		snprintf(instance, sizeof instance, "forward_kernel<%d,%d,%d>", tile, s->edges, views);
		snprintf(bytes, sizeof bytes,
		         "(sizeof(struct shared<%d, %d, %d>) + 127) / 128 * 128 + GT_SF_AHEAD_STAGES * stage_bytes<%d, %d>()", tile,
		         s->edges, views, views, s->edges);
		const gt_status st = gt_variant_build(&family, s->value, instance, bytes, 0, &s->tuned[left]);
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

static gt_status find_variant(const gt_sf *host, gt_sf_ahead *s)
{
	const int built_in[NUMBERS] = {
		s->views, rows_of_tile(host), GT_SF_AHEAD_BLOCKS, GT_SF_AHEAD_STAGES, GT_SF_AHEAD_BYTES, GT_SF_AHEAD_MORE,
		LONGEST,  GT_SF_AHEAD_FLUSH
	};
	char about[256];
	int found = GT_VARIANT_NONE;
	gt_status st = GT_OK;
	memcpy(s->value, built_in, sizeof built_in);
	gt_sf_describe(host, s->edges, about, sizeof about);
	if (host->rows <= FEW || (st = gt_variant_choose(&family, about, s->value, &found)) != GT_OK || !found)
		return st;
	const int *v = s->value, well = v[NUMBER_VIEWS] != 3 && v[NUMBER_TILE] % WARP == 0 && v[NUMBER_WINDOW] % 4 == 0;
	st = well ? compile(host, s)
	          : gt_fail(GT_ERR_UNSUPPORTED, "sf-forward: expected 1, 2 or 4 VIEWS, a TILE of 32 or 64, a WINDOW in fours");
	if (st == GT_OK)
		return gt_variant_settle(&family, s->value, found, st);
	memcpy(s->value, built_in, sizeof built_in);
	for (int k = 0; k < 2; k++) {
		gt_variant_free(s->tuned[k]);
		s->tuned[k] = NULL;
	}
	return gt_variant_settle(&family, s->value, found, st);
}

extern "C" gt_status gt_sf_forward_make(gt_backend *be, const gt_sf *host, int edges, size_t limit, gt_sf_ahead **state)
{
	gt_sf_ahead *s = (gt_sf_ahead *)calloc(1, sizeof *s);
	int *list = (int *)malloc((host->views + 1) * MAX_VIEWS * sizeof *list);
	gt_status st = GT_OK;
	kernel run;
	size_t bytes;
	int at = 0;
	gt_cuda_queue(be);
	if (!s || !list)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the views of the separable-footprint projector"));
	s->edges = edges;
	s->views = views_together(host);
	GT_TRY(find_variant(host, s));
	s->views = s->value[NUMBER_VIEWS];
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
	for (int left = 0; left < (rows_left(host, rows_of_tile(host)) ? 2 : 1) && !s->tuned[0]; left++) {
		run = left ? kernel_of_rows<WARP>(s->edges, s->views, &bytes) : kernel_of(host, s->edges, s->views, &bytes);
		if (!gt_shared_suffices("sf forward", bytes, gt_cuda_max_shared())) {
			gt_sf_forward_free(be, s);
			s = NULL;
			goto done;
		}
		if (cudaFuncSetAttribute((const void *)run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess)
			GT_TRY(gt_fail(GT_ERR_DEVICE, "not enough shared memory for the kernel of the separable-footprint projector"));
	}
done:
	free(list);
	if (st != GT_OK) {
		gt_sf_forward_free(be, s);
		s = NULL;
	}
	*state = s;
	return st;
}

/* Floats of the lines of a slab. */
static size_t slab_floats(const gt_sf *d, const gt_sf_ahead *s, int axis)
{
	return s->axes[axis] ? (size_t)(s->slab[axis] < d->n[axis] ? s->slab[axis] : d->n[axis]) * slice_floats(d, s, axis) : 0;
}

extern "C" size_t gt_sf_forward_scratch(const gt_sf *d, const gt_sf_ahead *s)
{
	const size_t by_x = slab_floats(d, s, 0), by_y = slab_floats(d, s, 1);
	return (s->apart ? (by_x > by_y ? by_x : by_y) : by_x + by_y) * sizeof(float);
}

/* left: 1 for the rows that whole tiles leave. Returns 0 or an error code. */
static int launch(cudaStream_t queue, const gt_sf_ahead *s, int left, struct args *a)
{
	const unsigned threads = (TWO * s->views + 1) * WARP;
	const size_t blocks = (size_t)a->groups_of_columns * a->row_tiles * s->groups;
	if (s->tuned[left]) {
		void *arguments[] = { a };
		const gt_variant_grid g = { blocks, { threads, 1 }, 0, queue };
		return gt_variant_launch(s->tuned[left], &g, arguments);
	}
	size_t bytes;
	const kernel run = left ? kernel_of_rows<WARP>(s->edges, s->views, &bytes) : kernel_of(&a->d, s->edges, s->views, &bytes);
	run<<<(unsigned)blocks, threads, bytes, queue>>>(*a);
	return 0;
}

/* Adds the slices [first, end) of the axes with lines to their views. */
static int run_slab(cudaStream_t queue, const gt_sf_ahead *s, const float *x, float *by_x, float *by_y, struct args *a)
{
	const int *n = a->d.n, x0 = by_y ? 0 : a->first[0], x1 = by_y ? n[0] : a->end[0];
	const int y0 = by_x ? 0 : a->first[1], y1 = by_x ? n[1] : a->end[1], groups = pieces(x1 - x0, WARP);
	a->lines[0] = by_x;
	a->lines[1] = by_y;
	sum_slices<<<(unsigned)((size_t)groups * (y1 - y0)), dim3(WARP, GT_SF_PARTS), 0, queue>>>(x, by_y, by_x, n[0], n[1], n[2], a->deep,
	                                                                                          groups, x0, x1, y0);
	const int tile = s->value[NUMBER_TILE], left = rows_left(&a->d, tile);
	a->first_row = 0;
	a->row_tiles = pieces(a->d.rows - left, tile);
	const int e = launch(queue, s, 0, a);
	if (left == 0 || e)
		return e;
	a->first_row = a->d.rows - left;
	a->row_tiles = 1;
	return launch(queue, s, 1, a);
}

extern "C" void gt_sf_forward(gt_backend *be, const gt_sf *d, const gt_sf_ahead *s, const float *x, float *y)
{
	cudaStream_t queue = gt_cuda_queue(be);
	float *lines = (float *)gt_scratch(be);
	struct args a;
	a.d = *d;
	a.out = y;
	a.group = s->group;
	a.deep = deep_of(d, s->value[NUMBER_WINDOW]);
	int e = 0;
	a.groups_of_columns = pieces(d->columns, TWO * COLUMNS);
	for (int axis = 0; axis < 2; axis++) {
		a.first[axis] = 0;
		a.end[axis] = d->n[axis];
	}
	if (!s->apart)
		e = run_slab(queue, s, x, s->axes[0] ? lines + slab_floats(d, s, 1) : NULL, s->axes[1] ? lines : NULL, &a);
	for (int axis = 0; s->apart && axis < 2; axis++)
		for (int first = 0; s->axes[axis] && first < d->n[axis]; first += s->slab[axis]) {
			a.first[axis] = first;
			a.end[axis] = d->n[axis] - first < s->slab[axis] ? d->n[axis] : first + s->slab[axis];
			e = e ? e : run_slab(queue, s, x, axis == 0 ? lines : NULL, axis == 1 ? lines : NULL, &a);
		}
	gt_cuda_check(be, e ? (cudaError_t)e : cudaGetLastError(), "separable footprint, forward");
}
