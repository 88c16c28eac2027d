/* Separable footprints on CUDA: which kernels serve an operator. Those of single precision need upright views, all voxels in front of
 * all sources, ramps of SF-TT that are narrow against a row, and compute capability 9.0; what they cannot do goes to the simple ones. */
#include <math.h>
#include <stdlib.h>
#include "core/cuda.h"
#include "projectors/sf/sf_cuda.h"

struct state {
	size_t limit;
	int fast_back;
	gt_sf_ahead *ahead; /* NULL: forward is simple */
};

/* Half widths of ramps, in rows or slices: the fast kernels look for one edge in each. */
static const double widest_ramp = 0.35;
/* Fewer slices (rows, in the forward direction) leave most lanes of a warp idle. */
static const int least_lanes = 6;

/* Half width of the ramp of the edge between slices that is seen at a row edge; slices beyond it are out of the beam. */
static double spread_at_row(const gt_sf *d, const gt_sf_rows *r, double row)
{
	const double e = (row - r->start) / r->step, in = e < 0 ? 0 : e > d->n[2] ? d->n[2] : e;
	return fabs(r->spread0 + in * r->spread1) + r->spread;
}

static int fits_view(const gt_sf *d, const gt_sf_view *v)
{
	double front[4];
	gt_sf_front(&v->frame, front);
	if (!v->upright)
		return 0;
	for (int c = 0; c < 9; c++) {
		const double x = c % 3 * (d->n[0] - 1) / 2., y = c / 3 * (d->n[1] - 1) / 2.;
		double least = 1e300, most = 0;
		if (!(gt_sf_at(front, x, y, 0) > 0))
			return 0;
		for (int k = 0; k < 4; k++) {
			const gt_sf_corner corner = gt_sf_corner_at(v, x + (k & 1) - 0.5, y + (k >> 1) - 0.5);
			least = corner.stretch < least ? corner.stretch : least;
			most = corner.stretch > most ? corner.stretch : most;
		}
		const gt_sf_rows rows = gt_sf_rows_of(v, x, y, least, most, 1);
		const double most_spread = widest_ramp * (rows.step < 1 ? rows.step : 1);
		if (d->trapezoid && !(spread_at_row(d, &rows, -2) < most_spread && spread_at_row(d, &rows, d->rows + 2) < most_spread))
			return 0;
	}
	return 1;
}

static int fits(gt_backend *be, const gt_sf *host, gt_type t)
{
	int device, major = 0;
	gt_cuda_queue(be);
	if (t != GT_F32 || cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess || major < 9)
		return 0;
	for (size_t v = 0; v < host->views; v++)
		if (!fits_view(host, &host->view[v]))
			return 0;
	return 1;
}

static void release(gt_backend *be, void *state)
{
	struct state *s = (struct state *)state;
	gt_sf_forward_free(be, s->ahead);
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
	if (!fits(be, host, t))
		return GT_OK;
	s->fast_back = host->n[2] >= least_lanes;
	if (s->fast_back)
		GT_TRY(gt_sf_back_make(be, host));
	if (host->rows >= least_lanes)
		GT_TRY(gt_sf_forward_make(be, host, s->limit, &s->ahead));
done:
	return st;
}

static size_t scratch(gt_backend *be, const gt_sf *d, void *state, gt_type t)
{
	const struct state *s = (const struct state *)state;
	const size_t back = s->fast_back ? gt_sf_back_scratch(d, s->limit) : gt_sf_simple_scratch(d, t, s->limit);
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
	if (s->fast_back)
		gt_sf_back(be, d, s->limit, (const float *)y, (float *)x);
	else
		gt_sf_simple_adjoint(be, d, t, s->limit, y, x);
}

/* What the heads of sf_forward_cuda.cu and sf_back_cuda.cu count, of rectangles along z; the simple kernels state nothing. */
static int work(const gt_sf *d, void *state, gt_type t, const gt_sf_counts *c, int back, gt_work *least)
{
	const struct state *s = (const struct state *)state;
	const double rows = d->rows / 32., slices = d->n[2] / 32., columns = c->voxels > 0 ? c->overlaps / c->voxels : 0;
	(void)t;
	if (back ? !s->fast_back : !s->ahead)
		return 0;
	least->bound = back ? GT_SHARED : GT_INSTRUCTIONS;
	least->amount = back ? c->voxels * (0.45 * columns * (rows + 1) + rows + 3 * slices + 5)
	                     : c->voxels * (7 + columns) / 8 * (18 * rows + 14);
	return 1;
}

extern "C" const struct gt_sf_impl gt_sf_cuda = { make, release, scratch, forward, adjoint, work };
