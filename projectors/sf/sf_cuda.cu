/* Separable footprints on CUDA: choice of kernels. The single-precision kernels need upright views, all voxels in front
 * of all sources, ramps of SF-TT below `widest_ramp`, and compute capability 9.0. The simple kernels serve all other
 * operators. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "core/linop.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "projectors/sf/sf_cuda.cuh"
#include "projectors/sf/sf_room.cuh"

struct state {
	size_t limit;
	int fast, edges_back, edges_ahead;
	gt_sf_ahead *ahead;
	gt_sf_back_tuned *back; /* NULL: built-in kernel */
};

/* Maximum half widths of ramps, in rows or slices, whichever is larger. Up to narrow_ramp the kernels need one knot of
 * the running sums per edge; up to widest_ramp they visit all knots that a ramp meets. */
static const double narrow_ramp = 0.42, widest_ramp = 40;
/* Maximum relative deviation of the magnification from its mean within a voxel. */
static const double max_slope = 0.2;
/* Maximum relative error of an entry from rounded positions, in the worst case. The largest error observed was less
 * than half of it. */
static const double max_rounding = 1.6e-5;

/* Maxima over all views: the widest ramp, and the rows that a slice covers. */
struct needs {
	double ramp, step;
};

/* Returns the wider ramp of the two slices where the column of voxels enters and leaves the beam, in rows or slices;
 * 1e300: out of range. */
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

/* Returns 0 if the fast kernels cannot take the view. */
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

/* Rounding error in rows of positions that are not fine. An entry lies between two edges, each rounded to 2^-25 of its
 * window. The position of a tile and the distances of edges from it are rounded to 2^-25 of their range. GT_SF_STEPS,
 * adjoint, all rows in one window: the magnification is also rounded, which moves positions in proportion to their
 * distance from the source plane. */
static double rounding_back(const gt_sf *d, double step)
{
	const double window = gt_sf_back_window(d), tile = fmin(d->rows, step * fmin(d->n[2], 64));
	return 0x1p-24 * (d->rows <= window ? window + d->rows + tile : tile > window ? 1.5 * window + tile / 2 : window + tile / 2);
}
/* Rounding error in slices, forward direction. */
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

/* Minimum work as in the first comments of sf_forward.cuh and sf_back.cuh, for rectangles along z; the simple kernels
 * report none. */
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
