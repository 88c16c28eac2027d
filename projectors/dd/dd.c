/* Distance-driven projector: tables of all views in double on the host, checks, and the operator around the kernels. */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "core/try.h"
#include "projectors/dd/dd_impl.h"
#include "projectors/dd/published/dd_integral.h"

/* The same coefficients by other kernels. */
struct variant {
	const char *name;
	const struct gt_dd_impl *impl[GT_NBACKENDS];
	int single_only;
	struct gt_linop_ops ops;
};

struct dd {
	gt_backend *be;
	const struct gt_dd_impl *impl;
	void *state;
	gt_type type;
	gt_dd d; /* tables on the backend */
	size_t view_bytes, edge_bytes, column_bytes, guess_bytes;
	gt_dd_counts counts; /* zero until they are asked for */
	int has_scratch;
	int part; /* that is done alone: see gt_dd_impl.images */
};

/* Rays closer than this to the plane of a slice would cross it at infinity. */
static const double least_cosine = 1e-3;

/* Slices are perpendicular to the axis that the central ray follows more; a tie at 45 degrees goes to x by the source's place. */
static int slice_axis(const gt_scan *s, const gt_view *w)
{
	const double ex = fabs(w->detector[0] - w->source[0]), ey = fabs(w->detector[1] - w->source[1]);
	if (fabs(ey - ex) > 1e-9 * (ex + ey) || s->shape == GT_PARALLEL)
		return ey > ex;
	return fabs(w->source[1]) > fabs(w->source[0]);
}

struct host {
	const char *name;
	gt_dd_view *view;
	double *edge;
	gt_dd_column *column;
	int *guess;
};

/* The place of a ray in the frame of the slices: slope per unit of R, and the position at R = 0, in voxels of axis b. */
struct line {
	double slope, start;
};
static struct line in_slices(const double point[3], const double direction[3], const gt_grid *g, int s, int b, double sign, double plane)
{
	const double depth = sign * (point[s] - plane), first = gt_grid_first(g, b) - g->pitch[b] / 2;
	const double slope = direction[b] / (sign * direction[s]) / g->pitch[b];
	return (struct line){ slope, (point[b] - first) / g->pitch[b] - depth * slope };
}

static void fill_rows(const gt_detector *det, const gt_view *w, const gt_grid *g, int s, double sign, double plane, double column,
                      double low, double high, double rows, gt_dd_column *c)
{
	double point[3], direction[3];
	gt_pixel_ray(det, w, column, low, point, direction);
	const struct line bottom = in_slices(point, direction, g, s, 2, sign, plane),
			  side = in_slices(point, direction, g, s, 1 - s, sign, plane);
	gt_pixel_ray(det, w, column, high, point, direction);
	const struct line top = in_slices(point, direction, g, s, 2, sign, plane);
	const double slope = side.slope * g->pitch[1 - s];
	*c = (gt_dd_column){ bottom.start, bottom.slope, (top.start - bottom.start) / rows, (top.slope - bottom.slope) / rows,
		             1 + slope * slope };
}

/* Slices whose planes lie in front of the source by half a voxel or more; all of them for parallel rays. */
static void slice_range(int fan, int n, double pitch, gt_dd_view *v)
{
	v->first = 0;
	v->end = n;
	while (fan && v->first < v->end && gt_dd_depth(v, v->first) < pitch / 2)
		v->first++;
	while (fan && v->end > v->first && gt_dd_depth(v, v->end - 1) < pitch / 2)
		v->end--;
}

/* Where to look first for the column of a given U: the rays of a fan are not evenly spaced in it. */
static void fill_guess(const double *edge, int columns, gt_dd_view *v, int *guess)
{
	v->bins = columns / (edge[columns] - edge[0]);
	for (int b = 0, k = 0; b < columns; b++) {
		while (k < columns - 1 && (edge[k + 1] - edge[0]) * v->bins <= b)
			k++;
		guess[b] = k;
	}
}

/* Largest number of voxels in the height of a cell, or of cells in the height of a voxel. */
static double steps_of(const gt_dd_view *v, const gt_dd_column *column, int columns)
{
	double most = 0;
	for (int k = 0; k < columns && v->first < v->end; k++) {
		const double a = gt_dd_row_height(&column[k], gt_dd_depth(v, v->first)),
			     b = gt_dd_row_height(&column[k], gt_dd_depth(v, v->end - 1));
		most = fmax(most, fmax(fmax(a, b), 1 / fmin(a, b)));
	}
	return most;
}

static gt_status fill_view(const gt_scan *scan, const gt_grid *g, size_t at, struct host *h, double *tallest)
{
	const gt_detector det = gt_scan_detector(scan);
	const gt_view *w = &scan->view[at];
	gt_dd_view *v = &h->view[at];
	const int s = slice_axis(scan, w), fan = scan->shape != GT_PARALLEL, columns = (int)scan->columns;
	const double sign = w->detector[s] > w->source[s] ? 1 : -1;
	const double plane = fan ? w->source[s] : g->center[s];
	double *edge = h->edge + at * (scan->columns + 1), point[3], direction[3];

	*v = (gt_dd_view){ .axis = s,
		           .R0 = sign * (gt_grid_first(g, s) - plane),
		           .dR = sign * g->pitch[s],
		           .F0 = !fan,
		           .F1 = fan,
		           .flip_rows = w->row_axis[2] < 0 };
	for (int k = 0; k <= columns; k++) {
		gt_pixel_ray(&det, w, k - 0.5, scan->row_center, point, direction);
		if (!(sign * direction[s] > least_cosine * sqrt(gt_dot3(direction, direction))))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: the ray of column edge %d runs along the slices (perpendicular to %c): "
			               "the fan is too wide for the distance-driven model",
			               h->name, at, k, "xy"[s]);
		const struct line l = in_slices(point, direction, g, s, 1 - s, sign, plane);
		edge[k] = fan ? l.slope : l.start;
		v->X0 = fan ? l.start : 0;
		v->M0 = fan ? 0 : l.slope;
	}
	v->flip_columns = edge[columns] < edge[0];
	for (int k = 0, m = columns; v->flip_columns && k < m; k++, m--) {
		const double t = edge[k];
		edge[k] = edge[m];
		edge[m] = t;
	}
	for (int k = 0; k < columns; k++)
		if (!(edge[k + 1] > edge[k]))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: the rays of columns %d and %d cross the slices in the wrong order", h->name, at, k,
			               k + 1);
	for (int k = 0; k < columns; k++) {
		const double ends[2] = { -0.5, (double)scan->rows - 0.5 };
		fill_rows(&det, w, g, s, sign, plane, v->flip_columns ? columns - 1 - k : k, ends[v->flip_rows], ends[!v->flip_rows],
		          (double)scan->rows, &h->column[at * scan->columns + (size_t)k]);
	}
	fill_guess(edge, columns, v, h->guess + at * scan->columns);
	slice_range(fan, (int)g->n[s], g->pitch[s], v);
	*tallest = fmax(*tallest, steps_of(v, h->column + at * scan->columns, columns));
	return GT_OK;
}

/* Views that one thread fills, and the first that failed. */
struct filling {
	const gt_scan *scan;
	const gt_grid *g;
	struct host *h;
	double *tallest; /* of every view */
	pthread_mutex_t lock;
	gt_status st;
	size_t failed;
	char message[512];
};

static void fill_some(void *self, size_t v, size_t end, int worker)
{
	struct filling *f = self;
	(void)worker;
	for (; v < end; v++) {
		const gt_status st = fill_view(f->scan, f->g, v, f->h, &f->tallest[v]);
		if (st == GT_OK)
			continue;
		pthread_mutex_lock(&f->lock);
		if (f->st == GT_OK || v < f->failed) {
			f->st = st;
			f->failed = v;
			snprintf(f->message, sizeof f->message, "%s", gt_error());
		}
		pthread_mutex_unlock(&f->lock);
	}
}

static gt_status fill_views(gt_backend *be, const gt_scan *scan, const gt_grid *g, struct host *h, double *tallest)
{
	struct filling f = { .scan = scan, .g = g, .h = h, .tallest = calloc(scan->views, sizeof *f.tallest) };
	if (!f.tallest)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", h->name, scan->views);
	pthread_mutex_init(&f.lock, NULL);
	gt_parallel(be->pool, scan->views, 8, fill_some, &f);
	pthread_mutex_destroy(&f.lock);
	for (size_t v = 0; v < scan->views; v++)
		*tallest = fmax(*tallest, f.tallest[v]);
	free(f.tallest);
	return f.st == GT_OK ? GT_OK : gt_fail(f.st, "%s", f.message);
}

/* From 64 views or all. */
static gt_dd_counts count(const gt_dd *d)
{
	gt_dd_counts c = { 0, 0 };
	const size_t step = d->views / 64 + 1;
	size_t counted = 0;
	for (size_t at = 0; at < d->views; at += step, counted++) {
		const gt_dd_view *v = &d->view[at];
		const double *edge = d->edge + at * (size_t)(d->columns + 1), voxels = d->n[1 - v->axis];
		for (int n = v->first; n < v->end; n++) {
			const double R = gt_dd_depth(v, n);
			const int first = gt_dd_first_column(d, v, at, gt_dd_edge_at(v, R, 0));
			double low = first < d->columns ? gt_dd_edge(v, R, edge[first]) : voxels;
			for (int k = first; k < d->columns && low < voxels; k++) {
				const double high = gt_dd_edge(v, R, edge[k + 1]);
				c.pairs++;
				c.overlaps += ceil(fmin(high, voxels)) - floor(fmax(low, 0));
				low = high;
			}
		}
	}
	c.pairs *= (double)d->views / (double)counted;
	c.overlaps *= (double)d->views / (double)counted;
	return c;
}

static gt_status check(const char *name, const gt_grid *g, const gt_scan *scan)
{
	for (int a = 0; a < 3; a++)
		if (g->n[a] > INT_MAX / 4)
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu voxels along one axis: expected at most %d", name, g->n[a],
			               INT_MAX / 4);
	if (scan->rows > INT_MAX / 4 || scan->columns > INT_MAX / 4)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: a detector of %zu x %zu pixels: expected at most %d each way", name, scan->columns,
		               scan->rows, INT_MAX / 4);
	const gt_status st = gt_scan_rows_along_z(scan, name);
	return st == GT_OK ? st : gt_fail(st, "%s; --projector sf-tr takes tilted and rolled detectors", gt_error());
}

void *gt_dd_upload(gt_backend *be, const void *host, size_t bytes)
{
	void *p = gt_backend_alloc(be, bytes, "tables of the distance-driven projector");
	if (p)
		gt_backend_put(be, host, p, bytes);
	return p;
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct dd *p = self;
	p->impl->forward(p->be, &p->d, p->state, p->type, x->data, y->data);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct dd *p = self;
	p->impl->adjoint(p->be, &p->d, p->state, p->type, y->data, x->data);
}

static int roofline(void *self, int back, gt_roofline *least)
{
	struct dd *p = self;
	if (!p->impl->roofline)
		return 0;
	if (!(p->counts.pairs > 0)) {
		gt_dd_view *view = malloc(p->view_bytes);
		double *edge = malloc(p->edge_bytes);
		int *guess = malloc(p->guess_bytes);
		if (view && edge && guess) {
			gt_dd host = p->d;
			gt_backend_get(p->be, p->d.view, view, p->view_bytes);
			gt_backend_get(p->be, p->d.edge, edge, p->edge_bytes);
			gt_backend_get(p->be, p->d.guess, guess, p->guess_bytes);
			host.view = view;
			host.edge = edge;
			host.guess = guess;
			p->counts = count(&host);
		}
		free(view);
		free(edge);
		free(guess);
	}
	return p->impl->roofline(&p->d, p->state, p->type, &p->counts, back, least);
}

static void destroy(void *self)
{
	struct dd *p = self;
	if (p->state)
		p->impl->free(p->be, p->state);
	gt_backend_free(p->be, (void *)p->d.view, p->view_bytes);
	gt_backend_free(p->be, (void *)p->d.edge, p->edge_bytes);
	gt_backend_free(p->be, (void *)p->d.column, p->column_bytes);
	gt_backend_free(p->be, (void *)p->d.guess, p->guess_bytes);
	if (p->has_scratch)
		gt_scratch_release(p->be);
	free(p);
}

static gt_status upload_tables(struct dd *p, const struct host *h)
{
	if (!(p->d.view = gt_dd_upload(p->be, h->view, p->view_bytes)) || !(p->d.edge = gt_dd_upload(p->be, h->edge, p->edge_bytes)) ||
	    !(p->d.column = gt_dd_upload(p->be, h->column, p->column_bytes)) ||
	    !(p->d.guess = gt_dd_upload(p->be, h->guess, p->guess_bytes)))
		return GT_ERR_MEMORY;
	return GT_OK;
}

/* Tables on the host, then on the backend, then what the variant makes of them. */
static gt_status fill_tables(const struct variant *variant, const gt_scan *scan, const gt_grid *g, const void *options, struct dd *p)
{
	gt_status st = GT_OK;
	p->view_bytes = scan->views * sizeof(gt_dd_view);
	p->edge_bytes = scan->views * (scan->columns + 1) * sizeof(double);
	p->column_bytes = scan->views * scan->columns * sizeof(gt_dd_column);
	p->guess_bytes = scan->views * scan->columns * sizeof(int);
	struct host h = { variant->name, malloc(p->view_bytes), malloc(p->edge_bytes), malloc(p->column_bytes), malloc(p->guess_bytes) };
	if (!h.view || !h.edge || !h.column || !h.guess)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", variant->name, scan->views));
	GT_TRY(fill_views(p->be, scan, g, &h, &p->d.tallest));
	for (size_t v = 0; v < scan->views; v++)
		p->d.sliced[h.view[v].axis] = 1;
	gt_dd_setup setup = { variant->name, g, scan, options, p->d };
	setup.host.view = h.view;
	setup.host.edge = h.edge;
	setup.host.column = h.column;
	setup.host.guess = h.guess;
	GT_TRY(upload_tables(p, &h));
	if (p->impl->make)
		GT_TRY(p->impl->make(p->be, &p->d, &setup, p->type, &p->state));
done:
	free(h.view);
	free(h.edge);
	free(h.column);
	free(h.guess);
	return st;
}

static gt_status prepare(const struct variant *variant, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                         const void *options, struct dd **out)
{
	gt_status st = GT_OK;
	struct dd *p = NULL;
	if (!variant->impl[be->kind])
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: runs on a GPU only, not on %s: 'dd' %s and runs on both", variant->name, be->name,
		               variant->single_only ? "approximates it" : "has the same entries");
	if (variant->single_only && type != GT_F32)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: single precision only: its tables are textures; 'dd-db' is its variant in double",
		               variant->name);
	if (!(p = calloc(1, sizeof *p)))
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", variant->name);
	p->be = be;
	p->impl = variant->impl[be->kind];
	p->type = type;
	GT_TRY(check(variant->name, g, scan));
	p->d = (gt_dd){ .rows = (int)scan->rows, .columns = (int)scan->columns, .views = scan->views };
	for (int a = 0; a < 3; a++) {
		p->d.n[a] = (int)g->n[a];
		p->d.pitch[a] = g->pitch[a];
	}
	GT_TRY(fill_tables(variant, scan, g, options, p));
	GT_TRY(gt_scratch_reserve(be, p->impl->scratch(be, &p->d, p->state, type), "scratch of the distance-driven projector"));
	p->has_scratch = 1;
	*out = p;
	return GT_OK;
done:
	destroy(p);
	return st;
}

/* The operator of p, which it takes over. */
static gt_status give_out(const struct gt_linop_ops *ops, gt_roofline_of least, struct dd *p, size_t nx, size_t ny, gt_linop **A)
{
	const gt_status st = gt_linop_new(ops, p, p->be, p->type, nx, ny, A);
	if (st == GT_OK)
		gt_linop_set_roofline(*A, least);
	return st;
}

static gt_status make(const struct variant *variant, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                      const void *options, gt_linop **A)
{
	struct dd *p = NULL;
	const gt_status st = prepare(variant, be, type, g, scan, options, &p);
	return st == GT_OK ? give_out(&variant->ops, roofline, p, gt_grid_voxels(g), gt_scan_size(scan), A) : st;
}

/* Integral images alone. */
static void forward_part(void *self, const gt_array *x, gt_array *y)
{
	const struct dd *p = self;
	(void)y;
	p->impl->images(p->be, &p->d, p->state, p->type, p->part, x->data);
}

static int roofline_part(void *self, int back, gt_roofline *least)
{
	const struct dd *p = self;
	(void)back;
	least->bound = GT_BYTES;
	least->amount = p->impl->images(p->be, &p->d, p->state, p->type, p->part, NULL);
	return 1;
}

static gt_status make_part(const struct variant *variant, size_t part, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                           const void *options, gt_linop **A)
{
	static const struct gt_linop_ops ops = { "integral images", forward_part, NULL, destroy };
	struct dd *p = NULL;
	const gt_status st = prepare(variant, be, type, g, scan, options, &p);
	if (st != GT_OK)
		return st;
	p->part = (int)part;
	return give_out(&ops, roofline_part, p, part < 2 ? gt_grid_voxels(g) : gt_scan_size(scan), 1, A);
}

#define VARIANT(id, text, cpu, cuda, single)                                                                                         \
	static const struct variant variant_##id = {                                                                                 \
		.name = text, .impl = { cpu, cuda }, .single_only = single, .ops = { text, forward, adjoint, destroy }               \
	};                                                                                                                           \
	static gt_status make_##id(gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, gt_linop **A) \
	{                                                                                                                            \
		return make(&variant_##id, be, t, g, s, options, A);                                                                 \
	}
static const char *const parts[] = { "x slices", "y slices", "views", NULL };
#define PARTS(id)                                                                                                                        \
	static gt_status make_part_##id(size_t part, gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, \
	                                gt_linop **A)                                                                                    \
	{                                                                                                                                \
		return make_part(&variant_##id, part, be, t, g, s, options, A);                                                          \
	}                                                                                                                                \
	static const struct gt_projector_parts parts_##id = { parts, make_part_##id };
VARIANT(dd, "dd", &gt_dd_cpu, GT_IF_CUDA(&gt_dd_cuda), 0)
VARIANT(bs, "dd-bs", NULL, GT_IF_CUDA(&gt_dd_bs_cuda), 0)
VARIANT(bl, "dd-bl", NULL, GT_IF_CUDA(&gt_dd_bl_cuda), 1)
VARIANT(bz, "dd-bz", NULL, GT_IF_CUDA(&gt_dd_bz_cuda), 1)
VARIANT(db, "dd-db", NULL, GT_IF_CUDA(&gt_dd_db_cuda), 0)
PARTS(bl)
PARTS(bz)
PARTS(db)

static const gt_dd_options plain = { .memory = 65536 };
static const gt_param plain_params[] = {
	{ "memory", "GPU: memory limit of the running sums, in MiB; at most a quarter of what the device has left", GT_REAL,
	  offsetof(gt_dd_options, memory), 1e-6, 1e9, NULL },
	{ 0 },
};

const gt_projector gt_projector_dd = {
	.name = "dd",
	.about = "distance-driven, matched pair; detectors whose rows are parallel to z",
	.params = plain_params,
	.defaults = &plain,
	.options_size = sizeof plain,
	.make = make_dd,
};
const gt_projector gt_projector_dd_bs = {
	.name = "dd-bs",
	.about = "the same by loops over the voxels and pixels that overlap (branch-based); GPU",
	.model = "dd",
	.cuda_only = 1,
	.make = make_bs,
};

static const gt_dd_options branchless = { .memory = 2048 };
static const gt_param branchless_params[] = {
	{ "memory", "memory limit of the integral images, in MiB; at most half of what the device has left", GT_REAL,
	  offsetof(gt_dd_options, memory), 1e-6, 1e9, NULL },
	{ 0 },
};
#define BRANCHLESS .params = branchless_params, .defaults = &branchless, .options_size = sizeof branchless, .model = "dd", .cuda_only = 1

const gt_projector gt_projector_dd_bl = {
	.name = "dd-bl",
	.about =
		"branchless as published, with texture units: entries differ from the exact ones by up to 1 %, by half where pixels and voxels differ much in size; an approximate adjoint; GPU",
	BRANCHLESS,
	.single_only = 1,
	.off_adjoint = 0.4,
	.off_model = 0.5,
	.make = make_bl,
	.parts = &parts_bl,
};
const gt_projector gt_projector_dd_bz = {
	.name = "dd-bz",
	.about = "dd-bl with a backprojection that shares edges along z: the same numbers, faster; an approximate adjoint; GPU",
	BRANCHLESS,
	.single_only = 1,
	.off_adjoint = 0.4,
	.off_model = 0.5,
	.make = make_bz,
	.parts = &parts_bz,
};
const gt_projector gt_projector_dd_db = {
	.name = "dd-db",
	.about = "dd by integral images in double precision (branchless), matched pair; GPU",
	BRANCHLESS,
	.make = make_db,
	.parts = &parts_db,
};
