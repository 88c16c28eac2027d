/* Host side of the distance-driven forward projection on CUDA in single precision. Chooses tile shapes by the number of
 * rows, slabs of slices whose running sums fit the memory limit, and launches by axis and run. Kernel and method:
 * dd_forward.cuh. Memory on the device: 4 bytes per voxel of a slab for running sums, for one axis or both. */
#include <math.h>
#include <string.h>
#include "core/device/allow_shared.cuh"
#include "core/device/cuda_streams.cuh"
#include "core/device/pieces.cuh"
#include "core/device/shared_limit.h"
#include "projectors/dd/fast/dd_forward.cuh"
#include "projectors/dd/fast/dd_room.cuh"
#include "projectors/dd/fast/dd_tuned.cuh"

static int stride_of(const gt_dd *d) { return (d->n[2] + 2 + 3) / 4 * 4; }

/* Shapes of a warp's tile: rows per lane, lanes per column, columns, extra rows (fewer than the lanes per column). */
#define FEW GT_DD_FORWARD_COLUMNS
#define MANY GT_DD_FORWARD_COLUMNS_TALL
#define OVER (WARP / MANY - 1)
#define LOW_SHAPES(X) X(4, 4, 8, 0) X(4, 4, 8, 3) X(5, 8, 4, 0) X(2, 16, 8, 0) X(3, 16, FEW, 0) X(2, 32, FEW, 0)
#define WIDE_SHAPES(X) LOW_SHAPES(X) X(3, 32, MANY, 0) X(3, 32, MANY, OVER) X(4, 32, MANY, 0) X(4, 32, MANY, OVER)
/* replace shapes with the same number of rows if blocks are few */
#define NARROW_SHAPES(X) X(2, 32, 2, 0) X(4, 32, 2, 0)
#define SHAPES(X) WIDE_SHAPES(X) NARROW_SHAPES(X)
#define ONE(rows, lanes, columns, extra) +1
enum { WIDE = 0 WIDE_SHAPES(ONE), ALL_SHAPES = 0 SHAPES(ONE) };
static const struct shape {
	int rows, lanes, columns, extra;
} shapes[] = {
#define X(rows, lanes, columns, extra) { rows, lanes, columns, extra },
	SHAPES(X)
#undef X
};

static_assert((int)ALL_SHAPES == GT_DD_SHAPES, "runs are by shape");

/* A tuned variant has one tile for all shapes. */
extern "C" gt_dd_tile gt_dd_forward_tile(const gt_dd_fast *f, int shape)
{
	const struct shape s = shapes[shape];
	const int rows = s.rows * s.lanes;
	if (f->tuned)
		return *gt_dd_tuned_tile(f->tuned);
	return { s.rows,
		 s.lanes,
		 s.columns,
		 s.extra,
		 warps_of(rows),
		 slot_bytes(rows, s.columns),
		 GT_DD_FORWARD_SLOTS,
		 blocks_of(rows, s.columns),
		 GT_DD_FORWARD_WHOLE,
		 GT_DD_FORWARD_FLUSH,
		 is_tall(rows + s.extra) };
}
static int tall_of(const gt_dd_tile *t) { return t->rows * t->lanes + t->extra; }

/* Returns the shape with the fewest instructions per column and slice. In units of a row per lane: the common work
 * costs 1, a plan 0.3, and the extra rows of all columns are one step. */
extern "C" int gt_dd_fast_forward_shape(int rows)
{
	int best = 0;
	double least = 1e300;
	for (int i = 0; i < WIDE; i++) {
		const struct shape s = shapes[i];
		const double cost = pieces(rows, s.rows * s.lanes + s.extra) *
		                    ((s.rows + 1.) * s.lanes / WARP + 0.3 + (s.extra ? 2. / s.columns : 0));
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

/* Maximum entries of a line that are copied, approximately. */
extern "C" double gt_dd_forward_entries(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t)
{
	const double window = tall_of(t) * f->max_A * 1.1 * 1.2 + 0.05 * d->n[2] + 16;
	return d->n[2] <= t->whole || window > d->n[2] ? d->n[2] + 8. : window;
}

extern "C" int gt_dd_forward_short(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t)
{
	const double window = gt_dd_forward_entries(d, f, t) - 8;
	const int height = intervals_of(stride_of(d), d->n[2]), exact = d->n[2] <= t->whole && (height & (height - 1)) == 0;
	return window <= GT_DD_FORWARD_SHORT && window + (double)d->rows <= (exact ? GT_DD_FORWARD_SHORT_EXACT : GT_DD_FORWARD_SHORT_BOTH);
}

static int column_blocks_of(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t)
{
	return pieces(d->columns, t->warps / f->together * t->columns);
}

/* Blocks of a run. */
static double blocks_of_run(const gt_dd *d, const gt_dd_fast *f, int axis, int i)
{
	const gt_dd_run *r = &f->run[axis][i];
	const gt_dd_tile t = gt_dd_forward_tile(f, i);
	const int tiles = pieces(r->rows, tall_of(&t));
	return (double)column_blocks_of(d, f, &t) * r->groups * (tiles > 1 ? tiles : 1);
}

extern "C" int gt_dd_fast_forward_fits(const gt_dd *d, const gt_dd_fast *f)
{
	double blocks = 0;
	for (int axis = 0; axis < 2; axis++)
		for (int i = 0; i < ALL_SHAPES; i++) {
			const gt_dd_tile t = gt_dd_forward_tile(f, i);
			if (f->run[axis][i].groups && 2 * (gt_dd_forward_entries(d, f, &t) + 20) * 4 + sizeof(unit) > t.slot)
				return 0;
			blocks += blocks_of_run(d, f, axis, i);
		}
	return f->min_A > 0.2 && f->max_A < 4 && f->max_A * d->rows < 1e6 && blocks < 2e9;
}

/* Checks the shared memory of a block: the ring, and the terms of the search space in dd_forward.cuh. */
extern "C" int gt_dd_fast_forward_has_room(const gt_dd *d, const gt_dd_fast *f)
{
	const int most = gt_cuda_most_shared();
	for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes) && d->n[2] > GT_DD_THIN; i++) {
		const gt_dd_tile t = gt_dd_forward_tile(f, i);
		const int block = t.slot * t.slots + t.warps * (1040 + 64 * t.columns) + 16 * t.slots + 48;
		if (f->run[0][i].groups + f->run[1][i].groups && !gt_shared_suffices("dd forward", (size_t)block, most))
			return 0;
	}
	return 1;
}

/* Slices whose running sums fit the memory limit. */
static int slab_of(const gt_dd *d, const gt_dd_fast *f, int axis)
{
	const size_t one = (size_t)d->n[1 - axis] * stride_of(d) * sizeof(float), most = f->limit / one;
	const int tiles = (int)(most / WARP < (size_t)pieces(d->n[axis], WARP) ? most / WARP : (size_t)pieces(d->n[axis], WARP));
	return tiles < 1 ? WARP : tiles * WARP;
}
static size_t slab_bytes(const gt_dd *d, const gt_dd_fast *f, int axis)
{
	const size_t slices = slab_of(d, f, axis) < d->n[axis] ? slab_of(d, f, axis) : d->n[axis];
	return slices * d->n[1 - axis] * stride_of(d) * sizeof(float);
}
/* With few views the last blocks of an axis would leave most of the device idle. The other axis then runs concurrently,
 * with its own sums. */
static int runs_beside(const gt_dd *d, const gt_dd_fast *f)
{
	double blocks = 0;
	for (int i = 0; i < 2 * ALL_SHAPES; i++)
		blocks += blocks_of_run(d, f, i % 2, i / 2);
	for (int axis = 0; axis < 2; axis++)
		if (!f->groups[axis] || slab_of(d, f, axis) < d->n[axis])
			return 0;
	return d->n[2] > GT_DD_THIN && blocks <= GT_DD_FORWARD_BESIDE && slab_bytes(d, f, 0) + slab_bytes(d, f, 1) <= f->limit;
}

static size_t lines_bytes(const gt_dd *d, const gt_dd_fast *f)
{
	size_t most = 0;
	if (runs_beside(d, f))
		return slab_bytes(d, f, 0) + slab_bytes(d, f, 1);
	for (int axis = 0; axis < 2; axis++)
		most = d->sliced[axis] && slab_bytes(d, f, axis) > most ? slab_bytes(d, f, axis) : most;
	return most;
}

extern "C" double gt_dd_forward_blocks(const gt_dd *d, const gt_dd_fast *f, int axis, int shape)
{
	return blocks_of_run(d, f, axis, shape);
}
extern "C" int gt_dd_forward_is_whole(const gt_dd *d, const gt_dd_fast *f, size_t *room)
{
	const size_t lines = lines_bytes(d, f);
	*room = lines < f->limit ? f->limit - lines : 0;
	for (int axis = 0; axis < 2; axis++)
		if (f->groups[axis] && slab_of(d, f, axis) < d->n[axis])
			return 0;
	return d->n[2] > GT_DD_THIN && (!f->groups[0] || !f->groups[1] || runs_beside(d, f));
}

extern "C" double gt_dd_forward_waves(const gt_dd *d, const gt_dd_fast *f)
{
	double waves = 0;
	for (int axis = 0; axis < 2; axis++)
		for (int i = 0; i < ALL_SHAPES; i++)
			if (f->run[axis][i].groups)
				waves += blocks_of_run(d, f, axis, i) / (gt_dd_forward_tile(f, i).blocks * f->processors);
	return waves;
}

extern "C" void gt_dd_forward_narrow(const gt_dd *d, gt_dd_fast *f)
{
	gt_dd_run wide[2][GT_DD_SHAPES];
	size_t room;
	memcpy(wide, f->run, sizeof wide);
	for (int axis = 0; axis < 2; axis++)
		for (int i = WIDE; i < ALL_SHAPES; i++)
			for (int k = 0; k < WIDE; k++)
				if (shapes[k].rows == shapes[i].rows && shapes[k].lanes == shapes[i].lanes &&
				    shapes[k].extra == shapes[i].extra) {
					f->run[axis][i] = f->run[axis][k];
					f->run[axis][k] = { 0, 0, 0 };
				}
	if (gt_dd_forward_waves(d, f) > GT_DD_FORWARD_NARROW || !gt_dd_forward_is_whole(d, f, &room))
		memcpy(f->run, wide, sizeof wide);
}

extern "C" size_t gt_dd_fast_forward_scratch(const gt_dd *d, const gt_dd_fast *f)
{
	return lines_bytes(d, f) + (f->share ? f->parts - 1 : 0) * d->views * d->rows * d->columns * sizeof(float);
}

/* Slices whose lines fit a ring slot. */
static double slices_of(const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t)
{
	return (t->slot - sizeof(unit)) / (f->typical_lines * gt_dd_forward_entries(d, f, t) * sizeof(float));
}

template <int ROWS, int LANES, int COLUMNS, int EXTRA, int FORM, bool AHEAD>
static cudaError_t launch_form(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, job j, size_t blocks)
{
	const int rows = ROWS * LANES, bytes = slot_bytes(rows, COLUMNS) * GT_DD_FORWARD_SLOTS;
	const cudaError_t e = cudaFuncSetAttribute(forward_kernel<ROWS, LANES, COLUMNS, EXTRA, FORM, AHEAD>,
	                                           cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	if (e == cudaSuccess)
		forward_kernel<ROWS, LANES, COLUMNS, EXTRA, FORM, AHEAD><<<(unsigned)blocks, threads_of(rows), bytes, queue>>>(*d, *f, j);
	return e;
}
template <int ROWS, int LANES, int COLUMNS, int EXTRA>
static cudaError_t launch(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, const gt_dd_tile *t, const job &j, size_t blocks)
{
	constexpr int tall = ROWS * LANES + EXTRA;
	if constexpr (tall == 2 * WARP && COLUMNS > 2)
		if (gt_dd_forward_short(d, f, t) && slices_of(d, f, t) <= WARP / COLUMNS / 2 + 0.5)
			return launch_form<ROWS, LANES, COLUMNS, EXTRA, SHORT, true>(queue, d, f, j, blocks);
	if constexpr (!is_tall(tall))
		if (gt_dd_forward_short(d, f, t))
			return launch_form<ROWS, LANES, COLUMNS, EXTRA, SHORT, false>(queue, d, f, j, blocks);
	return launch_form<ROWS, LANES, COLUMNS, EXTRA, FINE, is_tall(tall)>(queue, d, f, j, blocks);
}

/* Launches the groups of one shape. */
static cudaError_t launch_run(cudaStream_t queue, const gt_dd *d, const gt_dd_fast *f, int shape, job j)
{
	const size_t blocks = f->share ? (size_t)(f->shares[shape + 1] - f->shares[shape]) : (size_t)blocks_of_run(d, f, j.axis, shape);
	const gt_dd_tile t = gt_dd_forward_tile(f, shape);
	j.run = f->run[j.axis][shape];
	j.column_blocks = column_blocks_of(d, f, &t);
	if (!blocks)
		return cudaSuccess;
	if (f->share)
		j.share = f->share + f->shares[shape];
	if (f->tuned)
		return gt_dd_tuned_launch(queue, d, f, &j, blocks);
#define X(ROWS, LANES, COLUMNS, EXTRA)                                                                          \
	if (shapes[shape].rows == ROWS && shapes[shape].lanes == LANES && shapes[shape].columns == (COLUMNS) && \
	    shapes[shape].extra == (EXTRA))                                                                     \
		return launch<ROWS, LANES, COLUMNS, EXTRA>(queue, d, f, &t, j, blocks);
	SHAPES(X)
#undef X
	return cudaErrorInvalidConfiguration;
}

static int has_run(const gt_dd_fast *f, int axis, int shape)
{
	return f->share ? f->shares[shape + 1] > f->shares[shape] : f->run[axis][shape].groups > 0;
}
/* Launches runs of tall tiles first. alone: the queue has no other work, so that the first run and the others may
 * overlap. */
static int launch_runs(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const job &j, int alone)
{
	int runs = 0, done = 0, well = 1;
	for (int shape = 0; shape < ALL_SHAPES; shape++)
		runs += has_run(f, j.axis, shape);
	for (int shape = ALL_SHAPES - 1; shape >= 0 && well; shape--) {
		if (!has_run(f, j.axis, shape))
			continue;
		if (alone && runs > 1 && done == 0)
			gt_cuda_side(be);
		well = !gt_cuda_check(be, launch_run(gt_cuda_queue(be), d, f, shape, j), "dd forward");
		if (alone && runs > 1 && done++ == 0)
			gt_cuda_main(be);
	}
	if (alone && runs > 1)
		gt_cuda_join(be);
	return well;
}

/* Projects slices begin .. end-1 of an axis, or of both axes if blocks have shares, from their sums. Returns 0 on
 * failure. */
static int forward_lines(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, gt_dd_lines t, const float *other, int alone, float *y)
{
	const int flush = gt_dd_forward_tile(f, 0).flush / d->n[2];
	const job j = { t.lines,
		        y,
		        t.axis,
		        t.begin,
		        t.end,
		        t.stride,
		        t.begin > 0,
		        { 0, 0, 0 },
		        0,
		        flush < 8    ? 8
		        : flush > 32 ? 32
		                     : flush,
		        NULL,
		        other,
		        (float *)((char *)gt_scratch(be) + lines_bytes(d, f)),
		        d->views * d->rows * d->columns };
	return launch_runs(be, d, f, j, alone);
}

/* Projects the slices of a slab from `begin` on. */
static int forward_slab(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, int axis, int begin, float *lines, const float *x, float *y)
{
	const int end = begin + slab_of(d, f, axis) < d->n[axis] ? begin + slab_of(d, f, axis) : d->n[axis];
	const gt_dd_lines sums = { lines, axis, begin, end, stride_of(d) };
	gt_dd_sum_lines(be, d, x, sums, lines);
	if (d->n[2] > GT_DD_THIN)
		return forward_lines(be, d, f, sums, lines, 1, y);
	gt_dd_thin_forward(be, d, f, sums, y);
	return 1;
}

static void forward_beside(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	float *const scratch = (float *)gt_scratch(be), *const lines[2] = { scratch, scratch + slab_bytes(d, f, 0) / sizeof(float) };
	gt_dd_sum_lines_of_both(be, d, x, stride_of(d), lines);
	if (f->share) {
		forward_lines(be, d, f, { lines[0], 0, 0, d->n[0], stride_of(d) }, lines[1], 1, y);
		return;
	}
	gt_cuda_side(be);
	forward_lines(be, d, f, { lines[1], 1, 0, d->n[1], stride_of(d) }, NULL, 0, y);
	gt_cuda_main(be);
	forward_lines(be, d, f, { lines[0], 0, 0, d->n[0], stride_of(d) }, NULL, 0, y);
	gt_cuda_join(be);
	gt_cuda_check(be, cudaGetLastError(), "dd forward");
}

extern "C" void gt_dd_fast_forward(gt_backend *be, const gt_dd *d, const gt_dd_fast *f, const float *x, float *y)
{
	float *lines = (float *)gt_scratch(be);
	if (runs_beside(d, f)) {
		forward_beside(be, d, f, x, y);
		return;
	}
	for (int axis = 0; axis < 2; axis++)
		for (int begin = 0; f->groups[axis] && begin < d->n[axis]; begin += slab_of(d, f, axis))
			if (!forward_slab(be, d, f, axis, begin, lines, x, y))
				return;
	gt_cuda_check(be, cudaGetLastError(), "dd forward");
}
