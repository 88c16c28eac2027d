/* Distance-driven pair on the CPU, computed in double; it is the reference. Arrays in single precision use
 * fast/dd_single.c, unless pixels and voxels differ too much in height. Both directions sample lines of running sums at
 * evenly spaced positions and take differences. Forward lines run along z for each (x,y), adjoint lines along the rows
 * for each (view, column). Each (slice, column) is resampled once and shared by the voxels that the column overlaps (1
 * to 4). Memory: see kit/cpu_pair.h. */
#include <string.h>
#include "projectors/dd/fast/dd_single.h"
#include "projectors/kit/cpu_pair.h"

enum { COLUMNS = 32 /* columns of a forward job */ };

/* Overlap of [low, high] with voxel i. */
GT_INLINE double overlap(double low, double high, int i)
{
	const double a = low > i ? low : i, b = high < i + 1 ? high : i + 1;
	return b > a ? b - a : 0;
}

struct forward_scratch {
	double *mixed, *edge, *pixels;
};

static struct forward_scratch forward_scratch(const struct job *j, int worker)
{
	const gt_dd *d = j->d;
	double *p = j->scratch + (size_t)worker * j->scratch_size;
	const size_t line = padded(d->n[2]), rows = padded(d->rows);
	return (struct forward_scratch){ p, p + line, p + line + rows };
}

static size_t forward_scratch_size(const gt_dd *d) { return padded(d->n[2]) + padded(d->rows) + (size_t)VIEWS * COLUMNS * padded(d->rows); }

/* Mixes the line of column [low, high] in a slice: running sums of its voxels, weighted by their overlap, entries [z0,
 * z1]. */
GT_INLINE void mix_lines(const double *line, size_t step, size_t count, double low, double high, double factor, int z0, int z1,
                         double *restrict mixed)
{
	const int first = low > 0 ? (int)low : 0, last = high < (double)count ? up(high) : (int)count;
	for (int i = first; i < last; i += 2) {
		const int two = i + 1 < last;
		const double *a = line + (size_t)i * step, *b = two ? a + step : a;
		const double wa = overlap(low, high, i) * factor, wb = two ? overlap(low, high, i + 1) * factor : 0;
		if (i == first)
			for (int z = z0; z <= z1; z++)
				mixed[z] = wa * a[z] + wb * b[z];
		else
			for (int z = z0; z <= z1; z++)
				mixed[z] += wa * a[z] + wb * b[z];
	}
	mixed[z1 + 1] = mixed[z1];
}

/* Adds slice n to all rows of one column, which meets it at [low, high]. */
GT_INLINE void forward_slice(const struct job *j, const gt_dd_view *v, const gt_dd_column *c, int n, double R, double low, double high,
                             struct forward_scratch s, double *restrict pixels)
{
	const gt_dd *d = j->d;
	const int along = 1 - v->axis, nz = d->n[2];
	const size_t stride = padded(nz), nx = (size_t)d->n[0];
	const double start = gt_dd_row_start(c, R), height = gt_dd_row_height(c, R), factor = 1 / ((high - low) * height);
	int from, to;
	overlapped(start, factor * (high - low), d->rows, nz, &from, &to);
	if (from >= to)
		return;
	const double bottom = start + from * height, top = start + to * height;
	const int z0 = bottom > 0 ? (int)bottom : 0, z1 = top < nz ? up(top) : nz;
	const double *slice = j->sums + (size_t)n * (along == 0 ? nx : 1) * stride;
	mix_lines(slice, (along == 0 ? 1 : nx) * stride, (size_t)d->n[along], low, high, factor, z0, z1, s.mixed);
	resample(s.mixed + z0, z1 - z0, bottom - z0, height, to - from, s.edge);
	pixels += from;
	for (int l = 0; l < to - from; l++)
		pixels[l] += s.edge[l + 1] - s.edge[l];
}

/* Adds slice n to columns [k0, k1). */
GT_INLINE void forward_columns(const struct job *j, size_t view, int n, int k0, int k1, struct forward_scratch s, double *pixels)
{
	const gt_dd *d = j->d;
	const gt_dd_view *v = &d->view[view];
	const double *edge = d->edge + view * (size_t)(d->columns + 1), R = gt_dd_depth(v, n), voxels = d->n[1 - v->axis];
	const gt_dd_column *column = d->column + view * (size_t)d->columns;
	double low = gt_dd_edge(v, R, edge[k0]), high;
	for (int k = k0; k < k1 && low < voxels; k++, low = high) {
		high = gt_dd_edge(v, R, edge[k + 1]);
		if (high > 0)
			forward_slice(j, v, &column[k], n, R, low, high, s, pixels + (size_t)(k - k0) * padded(d->rows));
	}
}

static void store_pixels(const struct job *j, const gt_dd_view *v, size_t view, int k, const double *pixels)
{
	const gt_dd *d = j->d;
	const gt_dd_column *c = &d->column[view * (size_t)d->columns + (size_t)k];
	for (int l = 0; l < d->rows; l++) {
		const size_t at = gt_dd_pixel(d, v, view, l, k);
		put(j->type, j->out, at, pixels[l] * gt_dd_slant(c, l, d->pitch[2], d->pitch[v->axis]));
	}
}

GT_CLONES static void forward_job(void *self, size_t i, size_t end, int worker)
{
	const struct job *j = self;
	const gt_dd *d = j->d;
	const size_t tiles = ((size_t)d->columns + COLUMNS - 1) / COLUMNS, rows = padded(d->rows);
	const struct forward_scratch s = forward_scratch(j, worker);
	for (; i < end; i++) {
		const size_t first = i / tiles * VIEWS, last = first + VIEWS < d->views ? first + VIEWS : d->views;
		const int k0 = (int)(i % tiles) * COLUMNS, k1 = d->columns - k0 < COLUMNS ? d->columns : k0 + COLUMNS;
		memset(s.pixels, 0, VIEWS * COLUMNS * rows * sizeof *s.pixels);
		for (int axis = 0; axis < 2; axis++)
			for (int n = 0; n < d->n[axis]; n++)
				for (size_t view = first; view < last; view++) {
					const gt_dd_view *v = &d->view[view];
					if (v->axis != axis || n < v->first || n >= v->end)
						continue;
					forward_columns(j, view, n, k0, k1, s, s.pixels + (view - first) * COLUMNS * rows);
				}
		for (size_t view = first; view < last; view++)
			for (int k = k0; k < k1; k++)
				store_pixels(j, &d->view[view], view, k, s.pixels + ((view - first) * COLUMNS + (size_t)(k - k0)) * rows);
	}
}

static void forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y)
{
	struct job j = { .d = d, .type = t, .in = x, .out = y, .scratch_size = forward_scratch_size(d) };
	(void)state;
	if (t == GT_F32 && gt_dd_single_takes(d)) {
		gt_dd_single_forward(be, d, x, y);
		return;
	}
	run_forward(be, EXTENTS_OF(d), &j, COLUMNS, forward_job);
}

/* Data of one view, times the slant -> running sums along the rows, one line per ascending column. */
static void sum_columns(void *self, size_t i, size_t end, int worker)
{
	const struct job *j = self;
	const gt_dd *d = j->d;
	(void)worker;
	for (; i < end; i++) {
		const size_t view = j->first_view + i;
		const gt_dd_view *v = &d->view[view];
		for (int k = 0; k < d->columns; k++) {
			const gt_dd_column *c = &d->column[view * (size_t)d->columns + (size_t)k];
			double *line = j->sums + (i * (size_t)d->columns + (size_t)k) * padded(d->rows), sum = 0;
			for (int l = 0; l < d->rows; l++) {
				line[l] = sum;
				sum += get(j->type, j->in, gt_dd_pixel(d, v, view, l, k)) *
				       gt_dd_slant(c, l, d->pitch[2], d->pitch[v->axis]);
			}
			line[d->rows] = line[d->rows + 1] = sum;
		}
	}
}

/* Adds one column to the voxels of one slice that it overlaps; line: scratch of HEIGHT + 1 entries. */
GT_INLINE void adjoint_column(const struct job *j, const gt_dd_view *v, size_t batch, int n, int k, const struct tile *t, double *line,
                              double R, double low, double high)
{
	const gt_dd *d = j->d;
	const int along = 1 - v->axis, a0 = t->low[along], a1 = a0 + t->size[along];
	const gt_dd_column *c = &d->column[(j->first_view + batch) * (size_t)d->columns + (size_t)k];
	const double height = gt_dd_row_height(c, R), factor = 1 / ((high - low) * height), step = factor * (high - low);
	const double start = (t->low[2] - gt_dd_row_start(c, R)) * step;
	int from, to;
	overlapped(start, height, t->size[2], d->rows, &from, &to);
	if (from >= to)
		return;
	resample(j->sums + (batch * (size_t)d->columns + (size_t)k) * padded(d->rows), d->rows, start + from * step, step, to - from, line);
	const int i0 = low > a0 ? (int)low : a0, i1 = high < a1 ? up(high) : a1;
	for (int i = i0; i < i1; i++) {
		const double weight = overlap(low, high, i) * factor * height;
		const int y = (along == 0 ? n : i) - t->low[1], x = (along == 0 ? i : n) - t->low[0];
		double *restrict sum = tile_line(t, x, y) + from;
		for (int z = 0; z < to - from; z++)
			sum[z] += weight * (line[z + 1] - line[z]);
	}
}

GT_INLINE void adjoint_view(const struct job *j, size_t batch, const struct tile *t, double *line)
{
	const gt_dd *d = j->d;
	const size_t view = j->first_view + batch;
	const gt_dd_view *v = &d->view[view];
	const double *edge = d->edge + view * (size_t)(d->columns + 1);
	const int s = v->axis, along = 1 - s, a0 = t->low[along], a1 = a0 + t->size[along];
	const int n0 = t->low[s] > v->first ? t->low[s] : v->first, n1 = t->low[s] + t->size[s] < v->end ? t->low[s] + t->size[s] : v->end;
	for (int n = n0; n < n1; n++) {
		const double R = gt_dd_depth(v, n);
		int k = gt_dd_first_column(d, v, view, gt_dd_edge_at(v, R, a0));
		double low = gt_dd_edge(v, R, edge[k]), high;
		for (; k < d->columns && low < a1; k++, low = high) {
			high = gt_dd_edge(v, R, edge[k + 1]);
			if (high > a0)
				adjoint_column(j, v, batch, n, k, t, line, R, low, high);
		}
	}
}

GT_CLONES static void adjoint_job(void *self, size_t i, size_t end, int worker)
{
	const struct job *j = self;
	const gt_dd *d = j->d;
	struct tile t = { .sum = j->scratch + (size_t)worker * j->scratch_size };
	for (; i < end; i++) {
		start_tile(d->n, i, &t);
		for (size_t view = 0; view < j->views; view++)
			adjoint_view(j, view, &t, t.sum + TILE_DOUBLES);
		add_tile(d->n, &t, j->type, j->out);
	}
}

static size_t adjoint_scratch_size(void) { return TILE_DOUBLES + HEIGHT + 8; }
static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	struct job j = { .d = d, .type = t, .in = y, .out = x, .scratch_size = adjoint_scratch_size() };
	(void)state;
	if (t == GT_F32 && gt_dd_single_takes(d)) {
		gt_dd_single_adjoint(be, d, y, NULL, x);
		return;
	}
	run_adjoint(be, EXTENTS_OF(d), &j, sum_columns, adjoint_job);
}

static size_t scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t)
{
	(void)state;
	if (t == GT_F32 && gt_dd_single_takes(d))
		return gt_dd_single_scratch(be, d);
	return pair_scratch(be, EXTENTS_OF(d), forward_scratch_size(d), adjoint_scratch_size());
}

const struct gt_dd_impl gt_dd_cpu = { .scratch = scratch, .forward = forward, .adjoint = adjoint };
