/* Host tables of the fast distance-driven pair on CUDA: views, heights of pixels, groups of views that share lines of
 * the volume, and bundles. All threads of the host fill them. */
#include <math.h>
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "projectors/dd/fast/dd_tables.cuh"

/* Returns 1 if columns and rows on slice n are within the range of 32.32 fixed point. */
static int is_near(const gt_dd *d, const gt_dd_near *w, const gt_dd_edge_q *e, int n)
{
	const double g = w->g0 + n * w->dg, x = w->a0 + n * w->da + g * e->U, z = w->z0 + n * w->dz, A = g * e->q;
	return fabs(x) < 0x1p30 && fabs(z) + fabs(A) * (fabs(w->p) + d->rows) < 0x1p30;
}

/* Fills view m of the list. Returns 0 if the columns do not see the source's height at one row, or lie too far away. */
static int fill_view(const gt_dd *d, size_t at, size_t m, gt_dd_fast_tables *h)
{
	const gt_dd_view *v = &d->view[at];
	const gt_dd_column *c = d->column + at * d->columns, *mid = c + d->columns / 2;
	const double q = mid->Q0 + mid->Q1, p = v->F1 > 0 ? mid->P1 / mid->Q1 : mid->P0 / mid->Q0;
	gt_dd_near *w = &h->view[m];
	w->a0 = v->X0 + v->R0 * v->M0;
	w->da = v->dR * v->M0;
	w->g0 = v->F0 + v->R0 * v->F1;
	w->dg = v->dR * v->F1;
	w->z0 = v->F1 > 0 ? mid->P0 : v->R0 * mid->P1;
	w->dz = v->F1 > 0 ? 0 : v->dR * mid->P1;
	w->p = p;
	w->first = v->first;
	w->end = v->end;
	w->at = (int)at;
	for (int k = 0; k <= d->columns; k++) {
		const gt_dd_column *e = c + (k < d->columns ? k : k - 1);
		const size_t i = m * (d->columns + 1) + k;
		const double height = e->Q0 + e->Q1;
		h->height[i] = { d->edge[at * (d->columns + 1) + k], height };
		h->inverse[i] = { h->height[i].U, 1 / height };
		if (fabs((v->F1 > 0 ? e->P1 : e->P0) - p * height) > 1e-9 * (fabs(q) + fabs(p * q)))
			return 0;
		if (!(is_near(d, w, &h->height[i], 0) && is_near(d, w, &h->height[i], d->n[v->axis] - 1)))
			return 0;
	}
	return 1;
}

/* Minimum and maximum height in voxels of the pixels that meet the volume, and the largest spread; is_far: a view that
 * fill_view() refuses. */
struct extremes {
	double min_A, max_A, spread;
	int is_far;
};

/* Extends the extremes by view m, sampled on a few slices. */
static void heights(const gt_dd *d, size_t m, const gt_dd_fast_tables *h, struct extremes *x)
{
	const gt_dd_near *w = &h->view[m];
	const gt_dd_edge_q *e = h->height + m * (d->columns + 1);
	const int width = d->n[1 - d->view[w->at].axis], slices = w->end - w->first, steps = slices < 8 ? slices : 8;
	for (int i = 0; i <= steps && slices > 0; i++) {
		const int n = w->first + (int)((slices - 1) * (double)i / steps);
		const double a = w->a0 + n * w->da, g = w->g0 + n * w->dg;
		x->spread = fmax(x->spread, GT_DD_SPREAD * fabs(w->dg) / g);
		for (int k = 0; k < d->columns; k++)
			if (a + g * e[k].U < width + 8 && a + g * e[k + 1].U > -8) {
				x->max_A = fmax(x->max_A, e[k].q * g);
				x->min_A = fmin(x->min_A, e[k].q * g);
			}
	}
}

/* A job of the host's threads: views in their order, and extremes of each thread. */
struct filling {
	const gt_dd *d;
	gt_dd_fast_tables *h;
	const size_t *at;
	struct extremes *x;
};

static void fill_some(void *self, size_t begin, size_t end, int worker)
{
	const struct filling *j = (const struct filling *)self;
	struct extremes *x = &j->x[worker];
	for (size_t m = begin; m < end && !x->is_far; m++) {
		x->is_far = !fill_view(j->d, j->at[m], m, j->h);
		if (!x->is_far)
			heights(j->d, m, j->h, x);
	}
}

enum { VIEWS_AT_A_TIME = 2 };

/* Fills the views of both axes. *all: extremes of all views. Returns 0 if memory is short. */
static int fill_views(gt_pool *pool, const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f, struct extremes *all)
{
	const int threads = gt_pool_threads(pool);
	size_t *at = (size_t *)malloc(d->views * sizeof *at), m = 0;
	struct extremes *x = (struct extremes *)malloc((size_t)threads * sizeof *x);
	*all = { 1e300, 0, 0, 0 };
	for (int axis = 0; axis < 2 && at && x; axis++)
		for (size_t v = 0; v < d->views; v++)
			if (d->view[v].axis == axis) {
				at[m++] = v;
				f->views[axis]++;
			}
	for (int k = 0; x && k < threads; k++)
		x[k] = *all;
	struct filling j = { d, h, at, x };
	if (at && x)
		gt_parallel(pool, m, VIEWS_AT_A_TIME, fill_some, &j);
	for (int k = 0; at && x && k < threads; k++) {
		all->min_A = fmin(all->min_A, x[k].min_A);
		all->max_A = fmax(all->max_A, x[k].max_A);
		all->spread = fmax(all->spread, x[k].spread);
		all->is_far |= x[k].is_far;
	}
	free(at);
	free(x);
	return at && x;
}

/* Distance of the central rays of two views at the ends of the volume, in voxels. */
static double apart(const gt_dd *d, const gt_dd_fast_tables *h, size_t m, size_t other)
{
	const gt_dd_near *v = &h->view[m], *w = &h->view[other];
	const size_t k = d->columns / 2, row = d->columns + 1;
	double max = 0;
	for (int side = 0; side < 2; side++) {
		const int n = side ? v->end - 1 : v->first;
		const double x = v->a0 + n * v->da + (v->g0 + n * v->dg) * h->height[m * row + k].U,
			     y = w->a0 + n * w->da + (w->g0 + n * w->dg) * h->height[other * row + k].U;
		max = fmax(max, fabs(x - y));
	}
	return max;
}

/* Columns first .. last-1 of a view that meet the volume on slice n. */
static void columns_on(const gt_dd *d, const gt_dd_near *w, const gt_dd_edge_q *e, int n, int *first, int *last)
{
	const int width = d->n[1 - d->view[w->at].axis];
	const double a = w->a0 + n * w->da, g = w->g0 + n * w->dg;
	for (*first = 0; *first < d->columns && a + g * e[*first + 1].U <= 0;)
		++*first;
	for (*last = d->columns; *last > *first && a + g * e[*last - 1].U >= width;)
		--*last;
}

/* Extends low .. high to the rows of a view that meet the volume, by groups of slices. The columns of a group are among
 * those of its end slices. */
static void rows_seen(const gt_dd *d, const gt_dd_fast_tables *h, size_t m, int *low, int *high)
{
	const gt_dd_near *w = &h->view[m];
	const gt_dd_edge_q *e = h->height + m * (d->columns + 1);
	const int slices = w->end - w->first, parts = 8;
	double lowest = d->rows, highest = 0;
	for (int i = 0; i < parts && slices > 0 && (lowest > 0 || highest < d->rows); i++) {
		const int n[2] = { w->first + (int)((slices - 1) * (double)i / parts), w->first + (int)((slices - 1) * (i + 1.) / parts) };
		int first[2], last[2];
		for (int side = 0; side < 2; side++)
			columns_on(d, w, e, n[side], &first[side], &last[side]);
		double min = 1e300, max = 0;
		for (int k = first[0] < first[1] ? first[0] : first[1]; k < (last[0] > last[1] ? last[0] : last[1]); k++) {
			min = fmin(min, e[k].q);
			max = fmax(max, e[k].q);
		}
		for (int corner = 0; corner < 8 && max > 0; corner++) {
			const double g = w->g0 + n[corner % 2] * w->dg, z = w->z0 + n[corner / 2 % 2] * w->dz,
				     A = g * (corner / 4 ? max : min);
			lowest = fmin(lowest, -z / A - w->p - 1 - 1e-6);
			highest = fmax(highest, (d->n[2] - z) / A - w->p + 1e-6);
		}
	}
	const int below = lowest > 0 ? (int)fmin(lowest, d->rows) : 0, above = highest < d->rows ? (int)ceil(fmax(highest, 0)) : d->rows;
	*low = below < *low ? below : *low;
	*high = above > *high ? above : *high;
}

/* Orders groups by the best tile shape for their rows, then by view. */
static int by_shape(const void *a, const void *b)
{
	const gt_dd_group *g = (const gt_dd_group *)a, *h = (const gt_dd_group *)b;
	const int x = gt_dd_fast_forward_shape(g->high - g->low), y = gt_dd_fast_forward_shape(h->high - h->low);
	return x != y ? x - y : g->view[0] - h->view[0];
}

/* Finds the rows that see the volume. */
static void see_some(void *self, size_t begin, size_t end, int)
{
	const struct filling *j = (const struct filling *)self;
	for (gt_dd_group *g = j->h->group + begin; g < j->h->group + end; g++) {
		g->low = j->d->rows;
		g->high = 0;
		for (int i = 0; i < GT_DD_GROUP; i++)
			if (g->view[i] >= 0)
				rows_seen(j->d, j->h, (size_t)g->view[i], &g->low, &g->high);
		if (g->low >= g->high)
			g->low = g->high = 0;
	}
}

/* Sorts the groups first .. end-1 by shape and sets their runs. */
static void fill_runs(gt_dd_fast_tables *h, int axis, int first, int end, gt_dd_fast *f)
{
	qsort(h->group + first, (size_t)(end - first), sizeof *h->group, by_shape);
	for (int i = first; i < end; i++) {
		const int rows = h->group[i].high - h->group[i].low;
		gt_dd_run *r = &f->run[axis][gt_dd_fast_forward_shape(rows)];
		r->first = r->groups ? r->first : i;
		r->groups++;
		r->rows = rows > r->rows ? rows : r->rows;
	}
}

/* Groups adjacent views that share lines of the volume. The group size minimises the lines of 32 columns; a jump of the
 * views starts a new group. */
static void fill_groups(gt_pool *pool, const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f)
{
	double typical = 0, width = 0;
	const size_t views = (size_t)(f->views[0] + f->views[1]), row = d->columns + 1;
	size_t pairs = 0;
	for (size_t m = 0; m + 1 < views; m++)
		if ((int)m + 1 != f->views[0]) {
			const double a = apart(d, h, m, m + 1);
			if (a < d->n[0] / 8. + 8)
				typical += a, pairs++;
		}
	typical = pairs ? typical / pairs : 1e9;
	for (size_t m = 0; m < views; m++)
		width += (h->height[m * row + d->columns].U - h->height[m * row].U) / d->columns *
		         fabs(h->view[m].g0 + d->n[0] / 2 * h->view[m].dg) / views;
	f->together = 1;
	double min = 32 * width;
	for (int t = 2; t <= GT_DD_GROUP; t *= 2)
		if (32 / t * width + (t - 1) * typical < min) {
			min = 32 / t * width + (t - 1) * typical;
			f->together = t;
		}
	f->typical_lines = min + 1;
	int groups = 0;
	for (int axis = 0, m = 0; axis < 2; axis++) {
		const int before = groups, end = m + f->views[axis];
		for (int in = 0; m < end; m++, in++) {
			if (in && (in % f->together == 0 || apart(d, h, m - 1, m) > 4 * typical + 1))
				in = 0;
			if (!in)
				h->group[groups++] = { { -1, -1, -1, -1 }, 0, 0 };
			h->group[groups - 1].view[in] = m;
		}
		f->groups[axis] = groups - before;
	}
	struct filling j = { d, h, NULL, NULL };
	gt_parallel(pool, (size_t)groups, VIEWS_AT_A_TIME, see_some, &j);
	fill_runs(h, 0, 0, f->groups[0], f);
	fill_runs(h, 1, f->groups[0], groups, f);
}

/* Extends low .. high by the range along z of a view whose pixels are A voxels high. */
static void see(const gt_dd *d, const gt_dd_near *w, double A, double *low, double *high)
{
	const double z0 = w->z0 + w->first * w->dz, z1 = w->z0 + (w->end - 1) * w->dz;
	*low = fmin(*low, fmin(z0, z1) + w->p * A);
	*high = fmax(*high, fmax(z0, z1) + (w->p + d->rows) * A);
}

/* Bundles adjacent views. A new bundle starts after a quarter of a view's range along z, but not so early that
 * differences are taken too often. */
static void fill_bundles(const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f)
{
	const double mean = (f->min_A + f->max_A) / 2;
	int bundles = 0, begin = 0, m = 0;
	double sum = 0;
	for (int axis = 0; axis < 2; axis++) {
		const int before = bundles, end = begin + f->views[axis];
		for (; begin < end; begin = m) {
			double low = 1e300, high = -1e300, one = 0;
			for (m = begin; m < end && m - begin < GT_DD_BUNDLE; m++) {
				double below = low, above = high;
				see(d, &h->view[m], mean, &below, &above);
				one = m == begin ? above - below : one;
				if (m - begin >= GT_DD_BUNDLE / 4 && above - below > 1.25 * one)
					break;
				low = below;
				high = above;
			}
			h->bundle[bundles++] = begin;
			sum += high - low;
		}
		f->bundles[axis] = bundles - before;
	}
	h->bundle[bundles] = begin;
	f->typical_span = sum / bundles;
}

gt_status gt_dd_fast_fill(gt_pool *pool, const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f, int *fits)
{
	struct extremes x;
	*fits = 0;
	if (!fill_views(pool, d, h, f, &x))
		return gt_fail(GT_ERR_MEMORY, "no memory for the tables of %zu views", d->views);
	*fits = !x.is_far && x.max_A > 0;
	if (!*fits)
		return GT_OK;
	f->min_A = x.min_A;
	f->max_A = x.max_A;
	f->spread = x.spread;
	fill_groups(pool, d, h, f);
	fill_bundles(d, h, f);
	return GT_OK;
}
