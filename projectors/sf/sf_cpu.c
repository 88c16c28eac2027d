/* Separable footprints on the CPU in double precision: the reference, and all scans that sf/fast does not take. Upright
 * views: per column of voxels and view, the adjoint mixes the detector columns once with the weights w1. The forward
 * projection computes the rows once and adds them to the columns with these weights. Rows are differences of running
 * sums at evenly spaced positions. Tilted views: voxel by voxel. Memory: see kit/cpu_pair.h. */
#include <string.h>
#include "projectors/kit/cpu_pair.h"
#include "projectors/sf/fast/sf_single.h"

enum { COLUMNS = 64 /* columns of a forward job */ };

/* Sets weight[k - *from] = factor w1[k] for the columns [*from, *to) of [k0, k1) that the trapezoid meets. */
GT_INLINE void weigh_columns(const gt_sf_trapezoid *t, int k0, int k1, double factor, int *from, int *to, double *weight)
{
	*from = t->at[0] > k0 ? t->at[0] < k1 ? (int)t->at[0] : k1 : k0;
	*to = t->at[3] < k1 ? t->at[3] > *from ? up(t->at[3]) : *from : k1;
	double low = *from < *to ? gt_sf_area(t, *from) : 0;
	for (int k = *from; k < *to; k++) {
		const double high = gt_sf_area(t, k + 1);
		weight[k - *from] = (high - low) * factor;
		low = high;
	}
}

/* out[i] = sum of weight[q] line[q step + i] for i in [i0, i1). */
GT_INLINE void mix(const double *line, size_t step, const double *weight, int count, int i0, int i1, double *restrict out)
{
	for (int q = 0; q < count; q += 2) {
		const int two = q + 1 < count;
		const double *a = line + (size_t)q * step, *b = two ? a + step : a;
		const double wa = weight[q], wb = two ? weight[q + 1] : 0;
		if (q == 0)
			for (int i = i0; i < i1; i++)
				out[i] = wa * a[i] + wb * b[i];
		else
			for (int i = i0; i < i1; i++)
				out[i] += wa * a[i] + wb * b[i];
	}
}

/* Change of slope of the running sum at i; S is constant outside [0, length]. */
GT_INLINE double turn(const double *S, int length, int i) { return (i < length ? S[i + 1] - S[i] : 0) - (i > 0 ? S[i] - S[i - 1] : 0); }

/* SF-TT: adds the ramps of the voxel edges [e0, e1] at the row edges [l0, l1] to out[e - e0] (adjoint: S runs along
 * rows) or to out[l - l0] (forward: along z). */
GT_INLINE void add_ramps(const gt_sf_rows *r, int e0, int e1, int l0, int l1, const double *S, int length, int forward, double *out)
{
	for (int e = e0; e <= e1; e++) {
		const double at = r->start + e * r->step, h = gt_sf_spread(r, e);
		if (!(h > 0) || at - h >= l1 || at + h <= l0)
			continue;
		const int first = at - h > l0 ? (int)(at - h) : l0, last = at + h < l1 ? (int)(at + h) : l1;
		for (int l = first; l <= last; l++) {
			const double more = gt_sf_ramp(l - at, h);
			if (forward)
				out[l - l0] += more * turn(S, length, e);
			else
				out[e - e0] += more * turn(S, length, l);
		}
	}
}

/* Finds the rows [*from, *to) of [0, rows) that the voxel edges from e0 to e1 reach with their ramps. */
GT_INLINE void rows_reached(const gt_sf_rows *r, int e0, int e1, int rows, int *from, int *to)
{
	const double low = r->start + e0 * r->step - gt_sf_spread(r, e0), high = r->start + e1 * r->step + gt_sf_spread(r, e1);
	*from = low > 0 ? low < rows ? (int)low : rows : 0;
	*to = high < rows ? high > *from ? up(high) : *from : rows;
}

/* Sets w1 chord of columns [*k0, *k1) and w2 of rows [*l0, *l1) of a voxel in a tilted view. The ranges are the
 * permitted ones on input. */
GT_INLINE void weigh_voxel(const gt_sf_voxel *p, int *k0, int *k1, int *l0, int *l1, double *column, double *row)
{
	const double low = p->low - p->low_ramp, high = p->high + p->high_ramp;
	weigh_columns(&p->columns, *k0, *k1, p->chord, k0, k1, column);
	*l0 = low > *l0 ? low < *l1 ? (int)low : *l1 : *l0;
	*l1 = high < *l1 ? high > *l0 ? up(high) : *l0 : *l1;
	double below = gt_sf_rise(p, *l0);
	for (int l = *l0; l < *l1; l++) {
		const double above = gt_sf_rise(p, l + 1);
		row[l - *l0] = above - below;
		below = above;
	}
}

struct forward_scratch {
	double *column, *row, *edge, *pixels;
	gt_sf_corner *low, *high; /* corners of a line of voxels */
};

static size_t longest(const gt_sf *d) { return (size_t)(d->n[0] > d->n[1] ? d->n[0] : d->n[1]) + 1; }
static size_t forward_scratch_size(const gt_sf *d)
{
	return COLUMNS + 2 * padded(d->rows) + (size_t)VIEWS * COLUMNS * padded(d->rows) + 4 * longest(d);
}
static struct forward_scratch forward_scratch(const struct job *j, int worker)
{
	const gt_sf *d = j->d;
	struct forward_scratch s;
	const size_t rows = padded(d->rows);
	s.column = j->scratch + (size_t)worker * j->scratch_size;
	s.row = s.column + COLUMNS;
	s.edge = s.row + rows;
	s.pixels = s.edge + rows;
	s.low = (gt_sf_corner *)(s.pixels + VIEWS * COLUMNS * rows);
	s.high = s.low + longest(d);
	return s;
}

/* row[l - from] = projection of one column of voxels onto rows [from, to) of a column that it covers. */
GT_INLINE void project_line(const gt_sf *d, const double *S, const gt_sf_rows *r, int from, int to, double *edge, double *restrict row)
{
	const double step = 1 / r->step, start = (from - r->start) * step;
	const int nz = d->n[2];
	if (!d->trapezoid) {
		int a, b;
		overlapped(start, r->step, to - from, nz, &a, &b);
		memset(row, 0, (size_t)(to - from) * sizeof *row);
		resample(S, nz, start + a * step, step, b - a, edge);
		for (int l = a; l < b; l++)
			row[l] = (edge[l - a + 1] - edge[l - a]) * r->step;
		return;
	}
	for (int l = 0; l <= to - from; l++) {
		const double p = start + l * step;
		edge[l] = r->step * sum_at(S, p > 0 ? p < nz ? p : nz : 0);
	}
	add_ramps(r, 0, nz, from, to, S, nz, 1, edge);
	for (int l = 0; l < to - from; l++)
		row[l] = edge[l + 1] - edge[l];
}

/* Adds the voxels of slice n to columns [k0, k1) of a tilted view. */
GT_INLINE void forward_voxels(const struct job *j, const gt_sf_view *v, const gt_sf_wedge *w, int n, int k0, int k1,
                              const struct forward_scratch *s, double *pixels)
{
	const gt_sf *d = j->d;
	const int along = 1 - v->axis;
	int i0, i1;
	gt_sf_span(d, v, w, n, &i0, &i1);
	for (int i = i0; i < i1; i++) {
		const int at[3] = { along == 0 ? i : n, along == 0 ? n : i, 0 };
		const double *S = j->sums + ((size_t)at[1] * (size_t)d->n[0] + (size_t)at[0]) * padded(d->n[2]);
		int z0, z1;
		gt_sf_interval(w, 2, at, d->n[2], &z0, &z1);
		for (int z = z0; z < z1; z++) {
			const double value = S[z + 1] - S[z];
			int from = k0, to = k1, l0 = 0, l1 = d->rows;
			gt_sf_voxel p;
			if (value == 0 || !gt_sf_voxel_of(d, v, at[0], at[1], z, &p))
				continue;
			weigh_voxel(&p, &from, &to, &l0, &l1, s->column, s->row);
			for (int k = from; k < to; k++) {
				const double weight = s->column[k - from] * value;
				double *restrict pixel = pixels + (size_t)(k - k0) * padded(d->rows) + l0;
				for (int l = 0; l < l1 - l0; l++)
					pixel[l] += weight * s->row[l];
			}
		}
	}
}

/* Adds the lines of voxels of slice n to columns [k0, k1) of an upright view. */
GT_INLINE void forward_lines(const struct job *j, const gt_sf_view *v, const gt_sf_wedge *w, int n, int k0, int k1,
                             const struct forward_scratch *s, double *pixels)
{
	const gt_sf *d = j->d;
	const int along = 1 - v->axis;
	const size_t rows = padded(d->rows), stride = padded(d->n[2]);
	int i0, i1;
	gt_sf_span(d, v, w, n, &i0, &i1);
	for (int i = i0; i < i1 + (i1 > i0); i++) {
		const double x0 = along == 0 ? i - 0.5 : n - 0.5, y0 = along == 0 ? n - 0.5 : i - 0.5;
		s->low[i - i0] = gt_sf_corner_at(v, x0, y0);
		s->high[i - i0] = gt_sf_corner_at(v, along == 0 ? x0 : x0 + 1, along == 0 ? y0 + 1 : y0);
	}
	for (int i = i0; i < i1; i++) {
		const int x = along == 0 ? i : n, y = along == 0 ? n : i;
		gt_sf_footprint footprint;
		int k, to, l0, l1;
		if (!gt_sf_footprint_of(d, v, x, y, s->low + (i - i0), s->high + (i - i0), &footprint))
			continue;
		rows_reached(&footprint.rows, 0, d->n[2], d->rows, &l0, &l1);
		if (l0 >= l1)
			continue;
		int from;
		weigh_columns(&footprint.columns, k0, k1, footprint.chord, &from, &to, s->column);
		project_line(d, j->sums + ((size_t)y * (size_t)d->n[0] + (size_t)x) * stride, &footprint.rows, l0, l1, s->edge, s->row);
		for (k = from; k < to; k++) {
			const double weight = s->column[k - from];
			double *restrict pixel = pixels + (size_t)(k - k0) * rows + l0;
			for (int l = 0; l < l1 - l0; l++)
				pixel[l] += weight * s->row[l];
		}
	}
}

static void store_pixels(const struct job *j, size_t view, int k, const double *pixels)
{
	const gt_sf *d = j->d;
	const gt_sf_view *v = &d->view[view];
	const gt_sf_ray *ray = &d->ray[view * (size_t)d->columns + (size_t)k];
	for (int l = 0; l < d->rows; l++) {
		const size_t at = gt_sf_pixel(d, v, view, l, k);
		put(j->type, j->out, at, pixels[l] * gt_sf_slant(v, ray, l));
	}
}

GT_CLONES static void footprint_forward_job(void *self, size_t i, size_t end, int worker)
{
	const struct job *j = self;
	const gt_sf *d = j->d;
	const size_t tiles = ((size_t)d->columns + COLUMNS - 1) / COLUMNS, rows = padded(d->rows);
	const struct forward_scratch s = forward_scratch(j, worker);
	for (; i < end; i++) {
		const size_t first = i / tiles * VIEWS, last = first + VIEWS < d->views ? first + VIEWS : d->views;
		const int k0 = (int)(i % tiles) * COLUMNS, k1 = d->columns - k0 < COLUMNS ? d->columns : k0 + COLUMNS;
		gt_sf_wedge wedge[VIEWS];
		for (size_t view = first; view < last; view++)
			wedge[view - first] = gt_sf_wedge_of(&d->view[view].frame, k0, k1);
		memset(s.pixels, 0, VIEWS * COLUMNS * rows * sizeof *s.pixels);
		for (int axis = 0; axis < 2; axis++)
			for (int n = 0; n < d->n[axis]; n++)
				for (size_t view = first; view < last; view++) {
					const gt_sf_view *v = &d->view[view];
					double *pixels = s.pixels + (view - first) * COLUMNS * rows;
					if (v->axis != axis)
						continue;
					if (v->upright)
						forward_lines(j, v, &wedge[view - first], n, k0, k1, &s, pixels);
					else
						forward_voxels(j, v, &wedge[view - first], n, k0, k1, &s, pixels);
				}
		for (size_t view = first; view < last; view++)
			for (int k = k0; k < k1; k++)
				store_pixels(j, view, k, s.pixels + ((view - first) * COLUMNS + (size_t)(k - k0)) * rows);
	}
}

static void forward(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *x, void *y)
{
	struct job j = { .d = d, .type = t, .in = x, .out = y, .scratch_size = forward_scratch_size(d) };
	(void)state;
	if (t == GT_F32 && gt_sf_single_takes(d))
		gt_sf_single_forward(be, d, x, y);
	else
		run_forward(be, EXTENTS_OF(d), &j, COLUMNS, footprint_forward_job);
}

/* Data of one view, times the slant -> running sums along the rows, one line per column. */
static void sum_columns(void *self, size_t i, size_t end, int worker)
{
	const struct job *j = self;
	const gt_sf *d = j->d;
	(void)worker;
	for (; i < end; i++) {
		const size_t view = j->first_view + i;
		const gt_sf_view *v = &d->view[view];
		for (int k = 0; k < d->columns; k++) {
			const gt_sf_ray *ray = &d->ray[view * (size_t)d->columns + (size_t)k];
			double *line = j->sums + (i * (size_t)d->columns + (size_t)k) * padded(d->rows), sum = 0;
			for (int l = 0; l < d->rows; l++) {
				line[l] = sum;
				sum += get(j->type, j->in, gt_sf_pixel(d, v, view, l, k)) * gt_sf_slant(v, ray, l);
			}
			line[d->rows] = line[d->rows + 1] = sum;
		}
	}
}

struct work {
	struct tile tile;
	double *column, *mixed, *edge;
	gt_sf_corner (*corner)[SIDE + 1];
};

/* Adds an upright view to sum[z], the slices [z0, z0 + size) of one column of voxels. */
GT_INLINE void adjoint_line(const struct job *j, const gt_sf_footprint *s, const double *sums, const struct work *w, double *restrict sum)
{
	const gt_sf *d = j->d;
	const int z0 = w->tile.low[2], size = w->tile.size[2];
	const gt_sf_rows *r = &s->rows;
	int from, to, l0, l1;
	rows_reached(r, z0, z0 + size, d->rows, &l0, &l1);
	if (l0 >= l1)
		return;
	weigh_columns(&s->columns, 0, d->columns, s->chord, &from, &to, w->column);
	if (from >= to)
		return;
	const int m0 = d->trapezoid && l0 > 0 ? l0 - 1 : l0, m1 = d->trapezoid && l1 < d->rows ? l1 + 1 : l1;
	mix(sums + (size_t)from * padded(d->rows), padded(d->rows), w->column, to - from, m0, m1 + 1, w->mixed);
	w->mixed[m1 + 1] = w->mixed[m1];
	if (!d->trapezoid) {
		const double start = r->start + z0 * r->step - l0;
		int a, b;
		overlapped(start, 1 / r->step, size, l1 - l0, &a, &b);
		resample(w->mixed + l0, l1 - l0, start + a * r->step, r->step, b - a, w->edge);
		for (int z = a; z < b; z++)
			sum[z] += w->edge[z - a + 1] - w->edge[z - a];
		return;
	}
	for (int e = 0; e <= size; e++) {
		const double p = r->start + (z0 + e) * r->step;
		w->edge[e] = sum_at(w->mixed, p > l0 ? p < l1 ? p : l1 : l0);
	}
	add_ramps(r, z0, z0 + size, l0, l1, w->mixed, d->rows, 0, w->edge);
	for (int z = 0; z < size; z++)
		sum[z] += w->edge[z + 1] - w->edge[z];
}

GT_INLINE void adjoint_lines(const struct job *j, size_t batch, const gt_sf_view *v, const struct work *w)
{
	const gt_sf *d = j->d;
	const double *sums = j->sums + batch * (size_t)d->columns * padded(d->rows);
	for (int y = 0; y <= w->tile.size[1]; y++)
		for (int x = 0; x <= w->tile.size[0]; x++)
			w->corner[y][x] = gt_sf_corner_at(v, w->tile.low[0] + x - 0.5, w->tile.low[1] + y - 0.5);
	for (int y = 0; y < w->tile.size[1]; y++)
		for (int x = 0; x < w->tile.size[0]; x++) {
			gt_sf_footprint s;
			if (gt_sf_footprint_of(d, v, w->tile.low[0] + x, w->tile.low[1] + y, &w->corner[y][x], &w->corner[y + 1][x], &s))
				adjoint_line(j, &s, sums, w, tile_line(&w->tile, x, y));
		}
}

GT_INLINE void adjoint_voxels(const struct job *j, size_t batch, const gt_sf_view *v, const struct work *w)
{
	const gt_sf *d = j->d;
	for (int y = 0; y < w->tile.size[1]; y++)
		for (int x = 0; x < w->tile.size[0]; x++)
			for (int z = 0; z < w->tile.size[2]; z++) {
				gt_sf_voxel p;
				int k0 = 0, k1 = d->columns, l0 = 0, l1 = d->rows;
				if (!gt_sf_voxel_of(d, v, w->tile.low[0] + x, w->tile.low[1] + y, w->tile.low[2] + z, &p))
					continue;
				weigh_voxel(&p, &k0, &k1, &l0, &l1, w->column, w->mixed);
				double total = 0;
				for (int k = k0; k < k1; k++) {
					const double *S = j->sums + (batch * (size_t)d->columns + (size_t)k) * padded(d->rows) + l0;
					double sum = 0;
					for (int l = 0; l < l1 - l0; l++)
						sum += w->mixed[l] * (S[l + 1] - S[l]);
					total += w->column[k - k0] * sum;
				}
				tile_line(&w->tile, x, y)[z] += total;
			}
}

static size_t adjoint_scratch_size(const gt_sf *d)
{
	return TILE_DOUBLES + (size_t)d->columns + padded(d->rows) + padded(HEIGHT) + 2 * (SIDE + 1) * (SIDE + 1);
}

GT_CLONES static void footprint_adjoint_job(void *self, size_t i, size_t end, int worker)
{
	const struct job *j = self;
	const gt_sf *d = j->d;
	struct work w = { .tile.sum = j->scratch + (size_t)worker * j->scratch_size };
	w.column = w.tile.sum + TILE_DOUBLES;
	w.mixed = w.column + d->columns;
	w.edge = w.mixed + padded(d->rows);
	w.corner = (gt_sf_corner(*)[SIDE + 1])(w.edge + padded(HEIGHT));
	for (; i < end; i++) {
		start_tile(d->n, i, &w.tile);
		for (size_t batch = 0; batch < j->views; batch++) {
			const gt_sf_view *v = &d->view[j->first_view + batch];
			if (v->upright)
				adjoint_lines(j, batch, v, &w);
			else
				adjoint_voxels(j, batch, v, &w);
		}
		add_tile(d->n, &w.tile, j->type, j->out);
	}
}

static void adjoint(gt_backend *be, const gt_sf *d, void *state, gt_type t, const void *y, void *x)
{
	struct job j = { .d = d, .type = t, .in = y, .out = x, .scratch_size = adjoint_scratch_size(d) };
	(void)state;
	if (t == GT_F32 && gt_sf_single_takes(d))
		gt_sf_single_adjoint(be, d, y, x);
	else
		run_adjoint(be, EXTENTS_OF(d), &j, sum_columns, footprint_adjoint_job);
}

static size_t scratch(gt_backend *be, const gt_sf *d, void *state, gt_type t)
{
	(void)state;
	return t == GT_F32 && gt_sf_single_takes(d) ? gt_sf_single_scratch(be, d)
	                                            : pair_scratch(be, EXTENTS_OF(d), forward_scratch_size(d), adjoint_scratch_size(d));
}

const struct gt_sf_impl gt_sf_cpu = { .scratch = scratch, .forward = forward, .adjoint = adjoint };
