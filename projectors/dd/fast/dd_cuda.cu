/* Distance-driven pair on CUDA: tables of the fast pair in single precision, and the choice of kernels. Branch-based
 * kernels compute all other cases: double precision, compute capability below 9.0, parallel rays whose slopes along z
 * differ between columns, and pixels of hundreds of voxels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/cuda.cuh"
#include "core/linop.h"
#include "projectors/dd/fast/dd_room.cuh"
#include "projectors/dd/published/dd_integral.h"

struct state {
	gt_dd_fast f;
	gt_dd_tuned *tuned;
	gt_dd_tuned_back *back;
	int forward, adjoint; /* 1 if the fast kernels compute this direction */
	size_t view_bytes, edge_bytes, group_bytes, bundle_bytes, share_bytes[2];
};

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

/* Minimum and maximum height in voxels of the pixels that meet the volume, sampled on a few slices. */
static void heights(const gt_dd *d, size_t m, const gt_dd_fast_tables *h, gt_dd_fast *f)
{
	const gt_dd_near *w = &h->view[m];
	const gt_dd_edge_q *e = h->height + m * (d->columns + 1);
	const int width = d->n[1 - d->view[w->at].axis], slices = w->end - w->first, steps = slices < 8 ? slices : 8;
	for (int i = 0; i <= steps && slices > 0; i++) {
		const int n = w->first + (int)((slices - 1) * (double)i / steps);
		const double a = w->a0 + n * w->da, g = w->g0 + n * w->dg;
		f->spread = fmax(f->spread, GT_DD_SPREAD * fabs(w->dg) / g);
		for (int k = 0; k < d->columns; k++)
			if (a + g * e[k].U < width + 8 && a + g * e[k + 1].U > -8) {
				f->max_A = fmax(f->max_A, e[k].q * g);
				f->min_A = fmin(f->min_A, e[k].q * g);
			}
	}
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

/* Finds the rows of groups first .. end-1 that see the volume, sorts the groups by shape and sets their runs. */
static void fill_runs(const gt_dd *d, gt_dd_fast_tables *h, int axis, int first, int end, gt_dd_fast *f)
{
	for (gt_dd_group *g = h->group + first; g < h->group + end; g++) {
		g->low = d->rows;
		g->high = 0;
		for (int i = 0; i < GT_DD_GROUP; i++)
			if (g->view[i] >= 0)
				rows_seen(d, h, (size_t)g->view[i], &g->low, &g->high);
		if (g->low >= g->high)
			g->low = g->high = 0;
	}
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
static void fill_groups(const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f)
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
		fill_runs(d, h, axis, before, groups, f);
	}
}

/* A tuned variant has one tile: one run per axis, in the order of views. */
static int by_view(const void *a, const void *b) { return ((const gt_dd_group *)a)->view[0] - ((const gt_dd_group *)b)->view[0]; }
static void join_runs(gt_dd_fast_tables *h, gt_dd_fast *f)
{
	for (int axis = 0; axis < 2; axis++) {
		gt_dd_run all = { axis ? f->groups[0] : 0, f->groups[axis], 0 };
		for (int i = 0; i < GT_DD_SHAPES; i++)
			all.rows = f->run[axis][i].rows > all.rows ? f->run[axis][i].rows : all.rows;
		memset(f->run[axis], 0, sizeof f->run[axis]);
		f->run[axis][0] = all;
		qsort(h->group + all.first, (size_t)all.groups, sizeof *h->group, by_view);
	}
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

static void free_(gt_backend *be, void *state)
{
	struct state *s = (struct state *)state;
	gt_backend_free(be, (void *)s->f.view, s->view_bytes);
	gt_backend_free(be, (void *)s->f.height, s->edge_bytes);
	gt_backend_free(be, (void *)s->f.inverse, s->edge_bytes);
	gt_backend_free(be, (void *)s->f.group, s->group_bytes);
	gt_backend_free(be, (void *)s->f.bundle, s->bundle_bytes);
	gt_backend_free(be, (void *)s->f.share, s->share_bytes[0]);
	gt_backend_free(be, s->f.done, s->share_bytes[1]);
	gt_dd_tuned_free(s->tuned);
	gt_dd_tuned_back_free(s->back);
	free(s);
}

static gt_status fill(gt_backend *be, const gt_dd *d, const gt_dd_options *options, gt_dd_fast_tables *h, struct state *s)
{
	gt_dd_fast *f = &s->f;
	gt_status st = GT_OK;
	size_t m = 0, available = 0, total = 0;
	int device = 0;
	f->min_A = 1e300;
	for (int axis = 0; axis < 2; axis++)
		for (size_t v = 0; v < d->views; v++)
			if (d->view[v].axis == axis) {
				if (!fill_view(d, v, m, h))
					return GT_OK;
				heights(d, m++, h, f);
				f->views[axis]++;
			}
	if (!(f->max_A > 0))
		return GT_OK;
	fill_groups(d, h, f);
	fill_bundles(d, h, f);
	gt_backend_memory(be, &available, &total);
	f->limit = available / 4;
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&f->processors, cudaDevAttrMultiProcessorCount, device);
	if (options && options->memory * 1048576 < (double)f->limit)
		f->limit = (size_t)(options->memory * 1048576);
	gt_dd_forward_narrow(d, f);
	if (d->n[2] > GT_DD_THIN && gt_dd_fast_forward_fits(d, f) && (st = gt_dd_tuned_find(d, f, &s->tuned)) != GT_OK)
		return st;
	if (s->tuned) {
		f->tuned = s->tuned;
		join_runs(h, f);
	}
	if ((st = gt_dd_tuned_back_find(d, f, &s->back)) != GT_OK)
		return st;
	f->back = s->back;
	if (!(f->view = (const gt_dd_near *)gt_dd_upload(be, h->view, s->view_bytes)) ||
	    !(f->height = (const gt_dd_edge_q *)gt_dd_upload(be, h->height, s->edge_bytes)) ||
	    !(f->inverse = (const gt_dd_edge_q *)gt_dd_upload(be, h->inverse, s->edge_bytes)) ||
	    !(f->group = (const gt_dd_group *)gt_dd_upload(be, h->group, s->group_bytes)) ||
	    !(f->bundle = (const int *)gt_dd_upload(be, h->bundle, s->bundle_bytes)))
		return GT_ERR_MEMORY;
	if (!gt_dd_forward_share(be, d, f, h, s->share_bytes))
		return GT_ERR_MEMORY;
	s->forward = gt_dd_fast_forward_fits(d, f) && (f->tuned || gt_dd_fast_forward_has_room(d, f));
	s->adjoint = gt_dd_fast_adjoint_fits(d, f) && (f->back || gt_dd_fast_adjoint_has_room(d, f));
	return GT_OK;
}

static gt_status make(gt_backend *be, const gt_dd *d, const gt_dd_setup *setup, gt_type t, void **state)
{
	gt_status st = GT_OK;
	struct state *s = (struct state *)calloc(1, sizeof *s);
	gt_dd_fast_tables h = { NULL, NULL, NULL, NULL, NULL };
	int device = 0, major = 0;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", setup->name);
	*state = s;
	gt_cuda_queue(be);
	cudaGetDevice(&device);
	cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	if (t != GT_F32 || major < 9 || d->views > INT32_MAX / 2)
		return GT_OK;
	s->view_bytes = d->views * sizeof(gt_dd_near);
	s->edge_bytes = d->views * (d->columns + 1) * sizeof(gt_dd_edge_q);
	s->group_bytes = d->views * sizeof(gt_dd_group);
	s->bundle_bytes = (d->views + 1) * sizeof(int);
	h.view = (gt_dd_near *)malloc(s->view_bytes);
	h.height = (gt_dd_edge_q *)malloc(s->edge_bytes);
	h.inverse = (gt_dd_edge_q *)malloc(s->edge_bytes);
	h.group = (gt_dd_group *)malloc(s->group_bytes);
	h.bundle = (int *)malloc(s->bundle_bytes);
	st = h.view && h.height && h.inverse && h.group && h.bundle
	             ? fill(be, &setup->host, (const gt_dd_options *)setup->options, &h, s)
	             : gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", setup->name, d->views);
	free(h.view);
	free(h.height);
	free(h.inverse);
	free(h.group);
	free(h.bundle);
	return st;
}

static size_t scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t)
{
	const struct state *s = (const struct state *)state;
	const size_t slow = s->forward && s->adjoint ? 0 : gt_dd_bs_cuda.scratch(be, d, NULL, t);
	const size_t forwards = s->forward ? gt_dd_fast_forward_scratch(d, &s->f) : 0,
		     adjoints = s->adjoint ? gt_dd_fast_adjoint_scratch(d, &s->f) : 0;
	return slow > forwards ? (slow > adjoints ? slow : adjoints) : (forwards > adjoints ? forwards : adjoints);
}

static void forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y)
{
	const struct state *s = (const struct state *)state;
	if (s->forward)
		gt_dd_fast_forward(be, d, &s->f, (const float *)x, (float *)y);
	else
		gt_dd_bs_cuda.forward(be, d, NULL, t, x, y);
}

static void adjoint(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, void *x)
{
	const struct state *s = (const struct state *)state;
	if (s->adjoint)
		gt_dd_fast_adjoint(be, d, &s->f, (const float *)y, (float *)x);
	else
		gt_dd_bs_cuda.adjoint(be, d, NULL, t, y, x);
}

/* Roofline. Shared memory limits the forward direction: two loads per overlapped line and 32 rows, more if rows are
 * taller than voxels. Instructions limit the adjoint: 7 per column and 32 z edges to locate, load and interpolate, and
 * one per voxel. Rows and slices count as far as they see each other at the mean height of pixels. */
static int roofline(const gt_dd *d, void *state, gt_type t, const gt_dd_counts *c, int back, gt_roofline *min)
{
	const struct state *s = (const struct state *)state;
	const double height = (s->f.min_A + s->f.max_A) / 2;
	(void)t;
	if (back ? !s->adjoint : !s->forward)
		return 0;
	min->bound = back ? GT_INSTRUCTIONS : GT_SHARED;
	min->amount = back ? (7 * c->pairs + c->overlaps) * fmin(d->n[2], d->rows * height) / 32
	                   : 2 * c->overlaps * fmin(d->rows, d->n[2] / height) / 32;
	return 1;
}

extern "C" const struct gt_dd_impl gt_dd_cuda = { make, free_, scratch, forward, adjoint, roofline, NULL };
