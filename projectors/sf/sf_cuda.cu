/* Separable footprints on CUDA: which kernels serve an operator. Those of single precision need upright views, all
 * voxels in front of all sources, ramps of SF-TT of less than `widest_ramp`, and compute capability 9.0; what they
 * cannot do goes to the simple ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "core/try.h"
#include "core/variant/variant.h"
#include "projectors/sf/sf_cuda.cuh"
#include "projectors/sf/sf_room.cuh"

struct state {
	size_t limit;
	int fast, edges_back, edges_ahead;
	gt_sf_ahead *ahead;
	gt_sf_back_tuned *back; /* NULL: as built in */
};

/* Half widths of ramps, in rows or slices, whichever are more. Up to the first the kernels look for one knot of the
 * running sums at each edge; up to the other one for as many as a ramp meets. */
static const double narrow_ramp = 0.42, widest_ramp = 40;
/* Most that the magnification differs from the mean within a voxel. */
static const double max_slope = 0.2;
/* Most that rounded places may take from an entry, of the largest, if every rounding were the worst. Less than half of
 * it was met. */
static const double max_rounding = 1.6e-5;

/* Of all views: the widest ramp, and the most rows that a slice covers. */
struct needs {
	double ramp, step;
};

/* The wider ramp of the two slices where the column of voxels enters and leaves the beam, in rows or slices; 1e300: out
 * of reach. */
static double ramp_of_column(const gt_sf *d, const gt_sf_view *v, double x, double y)
{
	double min = 1e300, max = 0;
	for (int k = 0; k < 4; k++) {
		const double stretch = gt_sf_corner_at(v, x + (k & 1) - 0.5, y + (k >> 1) - 0.5).stretch;
		min = stretch < min ? stretch : min;
		max = stretch > max ? stretch : max;
	}
	if (!(max - min < max_slope * (max + min)))
		return 1e300;
	const gt_sf_rows rows = gt_sf_rows_of(v, x, y, min, max, 1);
	double widest = 0;
	for (int end = 0; end < 2; end++) {
		const double e = ((end ? d->rows + 2 : -2) - rows.start) / rows.step, in = e < 0 ? 0 : e > d->n[2] ? d->n[2] : e;
		widest = fmax(widest, fabs(rows.spread0 + in * rows.spread1) + rows.spread);
	}
	return widest / fmin(rows.step, 1);
}

/* 0: the view is nothing for the fast kernels. */
static int fits_view(const gt_sf *d, const gt_sf_view *v, struct needs *needs)
{
	double front[4];
	gt_sf_front(&v->frame, front);
	if (!v->upright)
		return 0;
	for (int c = 0; c < 9; c++) {
		const double x = c % 3 * (d->n[0] - 1) / 2., y = c / 3 * (d->n[1] - 1) / 2.;
		if (!(gt_sf_at(front, x, y, 0) > 0))
			return 0;
		needs->step = fmax(needs->step, v->V[3] * gt_sf_corner_at(v, x, y).stretch);
		if (d->trapezoid)
			needs->ramp = fmax(needs->ramp, ramp_of_column(d, v, x, y));
	}
	return needs->ramp <= widest_ramp;
}

/* Rounding of places that are not fine, rows. An entry lies between two edges, each of which is rounded to 2^-25 of its
 * window; the place of a tile and the distance of edges from it are rounded to 2^-25 of how far they may be apart.
 * GT_SF_STEPS, back, all rows in one window: the magnification is rounded too, and moves places by that part of the
 * distance from the plane of the source. */
static double rounding_back(const gt_sf *d, double step)
{
	const double window = gt_sf_back_window(d), tile = fmin(d->rows, step * fmin(d->n[2], 64));
	return 0x1p-24 * (d->rows <= window ? window + d->rows + tile : tile > window ? 1.5 * window + tile / 2 : window + tile / 2);
}
/* Forward they are of slices. */
static double rounding_ahead(const gt_sf *d, double step)
{
	return 0x1p-24 * step * (gt_sf_forward_window(d, step) + fmin(d->n[2], fmin(d->rows, 64) / step));
}
static int edges_for(const gt_sf *d, const struct needs *needs, double rounding)
{
	if (rounding > max_rounding * fmin(needs->step, 1) || needs->ramp > narrow_ramp)
		return d->trapezoid ? GT_SF_WIDE : GT_SF_FINE;
	return d->trapezoid ? GT_SF_NARROW : GT_SF_STEPS;
}

static int fits(gt_backend *be, const gt_sf *host, gt_type t, struct state *s)
{
	int device, major = 0;
	struct needs needs = { 0, 0 };
	gt_cuda_queue(be);
	if (t != GT_F32 || cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess || major < 9)
		return 0;
	for (size_t v = 0; v < host->views; v++)
		if (!fits_view(host, &host->view[v], &needs))
			return 0;
	s->edges_back = edges_for(host, &needs, rounding_back(host, needs.step));
	s->edges_ahead = edges_for(host, &needs, rounding_ahead(host, needs.step));
	return 1;
}

extern "C" void gt_sf_describe(const gt_sf *d, int edges, char *about, size_t size)
{
	const double pitch = gt_sf_corner_at(&d->view[0], (d->n[0] - 1) / 2., (d->n[1] - 1) / 2.).stretch * d->view[0].V[3];
	snprintf(about, size, "rows=%d slices=%d views=%d columns=%d across=%d edges=%d height=%d/8", gt_variant_fine_bin(d->rows),
	         gt_variant_fine_bin(d->n[2]), gt_variant_bin((double)d->views), gt_variant_bin(d->columns), gt_variant_bin(d->n[0]), edges,
	         (int)(8 * fabs(pitch) + 0.5));
}

static void release(gt_backend *be, void *state)
{
	struct state *s = (struct state *)state;
	gt_sf_forward_free(be, s->ahead);
	gt_sf_back_free(s->back);
	free(s);
}

static gt_status make(gt_backend *be, const gt_sf *host, gt_type t, double memory, void **state)
{
	gt_status st = GT_OK;
	size_t available, total;
	struct state *s = (struct state *)calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for the separable-footprint projector");
	*state = s;
	gt_backend_memory(be, &available, &total);
	s->limit = memory * 1048576 < available / 4. ? (size_t)(memory * 1048576) : available / 4;
	if (!fits(be, host, t, s))
		return GT_OK;
	GT_TRY(gt_sf_back_make(be, host, s->edges_back, &s->back));
	s->fast = gt_sf_back_has_room(host, s->edges_back, s->back);
	GT_TRY(gt_sf_forward_make(be, host, s->edges_ahead, s->limit, &s->ahead));
done:
	return st;
}

static size_t scratch(gt_backend *be, const gt_sf *d, void *state, gt_type t)
{
	const struct state *s = (const struct state *)state;
	const size_t back = s->fast ? gt_sf_back_scratch(d, s->back, s->limit) : gt_sf_simple_scratch(d, t, s->limit);
	const size_t ahead = s->ahead ? gt_sf_forward_scratch(d, s->ahead) : 0;
	(void)be;
	return back > ahead ? back : ahead;
}

static void forward(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *x, void *y)
{
	const struct state *s = (const struct state *)state;
	if (s->ahead)
		gt_sf_forward(be, d, s->ahead, (const float *)x, (float *)y);
	else
		gt_sf_simple_forward(be, d, t, x, y);
}

static void adjoint(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *y, void *x)
{
	const struct state *s = (const struct state *)state;
	if (s->fast)
		gt_sf_back(be, d, s->back, s->edges_back, s->limit, (const float *)y, (float *)x);
	else
		gt_sf_simple_adjoint(be, d, t, s->limit, y, x);
}

/* What the heads of sf_forward_cuda.cu and sf_back_cuda.cu count, of rectangles along z; the simple kernels state
 * nothing. */
static int roofline(const gt_sf *d, void *state, gt_type t, const gt_sf_counts *c, int back, gt_roofline *min)
{
	const struct state *s = (const struct state *)state;
	const double rows = d->rows / 32., slices = d->n[2] / 32., columns = c->voxels > 0 ? c->overlaps / c->voxels : 0;
	(void)t;
	if (back ? !s->fast : !s->ahead)
		return 0;
	min->bound = back ? GT_SHARED : GT_INSTRUCTIONS;
	min->amount = back ? c->voxels * (0.45 * columns * (rows + 1) + rows + 3 * slices + 5)
	                   : c->voxels * (7 + columns) / 8 * (18 * rows + 14);
	return 1;
}

extern "C" const struct gt_sf_impl gt_sf_cuda = { make, release, scratch, forward, adjoint, roofline };
