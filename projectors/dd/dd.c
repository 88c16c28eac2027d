/* The distance-driven projector as an operator: checks, tables on the backend, and calls of the variant's kernels. De
 * Man, Basu, "Distance-driven projection and backprojection in three dimensions", Phys. Med. Biol. 49 (2004) 2463.
 * Memory on the backend: the tables (tables.c) and the scratch of the kernels. */
#include <stdlib.h>
#include "core/linop.h"
#include "core/vectors/linop_step.h"
#include "core/try.h"
#include "projectors/dd/dd_kept.h"
#include "projectors/dd/dd_operator.h"
#include "projectors/dd/fast/dd_single.h"
#include "projectors/kit/operator.h"

struct dd {
	gt_backend *be;
	const struct gt_dd_impl *impl;
	void *state;
	gt_type type;
	gt_dd d; /* tables on the backend */
	size_t view_bytes, edge_bytes, column_bytes, guess_bytes;
	gt_dd_counts counts; /* zero until the first roofline */
	int has_scratch;
	int part; /* computed by images(): see gt_dd_impl.images */
};

static gt_status check(const char *name, const gt_grid *g, const gt_scan *scan)
{
	gt_status st = gt_projector_check_sizes(name, g, scan);
	if (st != GT_OK)
		return st;
	st = gt_scan_rows_along_z(scan, name);
	return st == GT_OK ? st : gt_fail(st, "%s; --projector sf-tr takes tilted and rolled detectors", gt_error());
}

void *gt_dd_upload(gt_backend *be, const void *host, size_t bytes)
{
	return gt_projector_upload(be, host, bytes, "tables of the distance-driven projector");
}

void gt_dd_apply(void *self, const gt_array *x, gt_array *y)
{
	const struct dd *p = self;
	p->impl->forward(p->be, &p->d, p->state, p->type, x->data, y->data);
}

void gt_dd_apply_adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct dd *p = self;
	p->impl->adjoint(p->be, &p->d, p->state, p->type, y->data, x->data);
}

static int can_step(const struct dd *p) { return p->impl == &gt_dd_cpu && p->type == GT_F32 && gt_dd_single_steps(&p->d); }

static void apply_step(void *self, const gt_array *y, const gt_step *s, gt_array *x)
{
	const struct dd *p = self;
	const gt_row_step taken = { (float)s->a, (float)s->lo, (float)s->hi, s->w->data, s->from->data };
	gt_dd_single_adjoint(p->be, &p->d, y->data, &taken, x->data);
}

int gt_dd_roofline(void *self, int back, gt_roofline *min)
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
			p->counts = gt_dd_count(&host);
		}
		free(view);
		free(edge);
		free(guess);
	}
	return p->impl->roofline(&p->d, p->state, p->type, &p->counts, back, min);
}

void gt_dd_destroy(void *self)
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

static gt_status upload_tables(struct dd *p, const gt_dd_tables *h)
{
	if (!(p->d.view = gt_dd_upload(p->be, h->view, p->view_bytes)) || !(p->d.edge = gt_dd_upload(p->be, h->edge, p->edge_bytes)) ||
	    !(p->d.column = gt_dd_upload(p->be, h->column, p->column_bytes)) ||
	    !(p->d.guess = gt_dd_upload(p->be, h->guess, p->guess_bytes)))
		return GT_ERR_MEMORY;
	return GT_OK;
}

struct host_tables {
	gt_kept kept; /* first member: its address is that of the tables */
	gt_dd_tables h;
	double tallest;
};

static void free_host(gt_kept *self)
{
	struct host_tables *t = (struct host_tables *)self;
	free(t->h.view);
	free(t->h.edge);
	free(t->h.column);
	free(t->h.guess);
	free(t);
}

static gt_status new_host(const gt_dd_variant *variant, const gt_scan *scan, const gt_grid *g, const struct dd *p, struct host_tables **out)
{
	gt_status st = GT_OK;
	struct host_tables *t = calloc(1, sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", variant->name);
	t->kept.key = gt_dd_key(variant->name, g, scan);
	t->kept.bytes = p->view_bytes + p->edge_bytes + p->column_bytes + p->guess_bytes;
	t->kept.free = free_host;
	t->h = (gt_dd_tables){ variant->name, malloc(p->view_bytes), malloc(p->edge_bytes), malloc(p->column_bytes),
		               malloc(p->guess_bytes) };
	if (!t->h.view || !t->h.edge || !t->h.column || !t->h.guess)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", variant->name, scan->views));
	GT_TRY(gt_dd_fill_tables(p->be, scan, g, &t->h, &t->tallest));
	*out = t;
	return GT_OK;
done:
	free_host(&t->kept);
	return st;
}

/* Fills the tables on the host, unless a dry run has left them, uploads them, and creates the variant's own tables. */
static gt_status fill_tables(const gt_dd_variant *variant, const gt_scan *scan, const gt_grid *g, const void *options, struct dd *p)
{
	gt_status st = GT_OK;
	p->view_bytes = scan->views * sizeof(gt_dd_view);
	p->edge_bytes = scan->views * (scan->columns + 1) * sizeof(double);
	p->column_bytes = scan->views * scan->columns * sizeof(gt_dd_column);
	p->guess_bytes = scan->views * scan->columns * sizeof(int);
	struct host_tables *t = (struct host_tables *)gt_kept_take(gt_dd_key(variant->name, g, scan));
	if (!t && (st = new_host(variant, scan, g, p, &t)) != GT_OK)
		return st;
	const gt_dd_tables *h = &t->h;
	p->d.tallest = t->tallest;
	for (size_t v = 0; v < scan->views; v++)
		p->d.sliced[h->view[v].axis] = 1;
	gt_dd_setup setup = { variant->name, g, scan, options, p->d };
	setup.host.view = h->view;
	setup.host.edge = h->edge;
	setup.host.column = h->column;
	setup.host.guess = h->guess;
	GT_TRY(upload_tables(p, h));
	if (p->impl->make)
		GT_TRY(p->impl->make(p->be, &p->d, &setup, p->type, &p->state));
done:
	gt_kept_leave(&t->kept);
	return st;
}

static gt_status prepare(const gt_dd_variant *variant, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
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
	gt_dd_destroy(p);
	return st;
}

/* Creates the operator, which takes ownership of p. */
static gt_status give_out(const struct gt_linop_ops *ops, gt_roofline_of min, struct dd *p, size_t nx, size_t ny, gt_linop **A)
{
	const gt_status st = gt_linop_new(ops, p, p->be, p->type, nx, ny, A);
	if (st == GT_OK)
		gt_linop_set_roofline(*A, min);
	if (st == GT_OK && can_step(p))
		gt_linop_set_step(*A, apply_step);
	return st;
}

gt_status gt_dd_make(const gt_dd_variant *variant, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, const void *options,
                     gt_linop **A)
{
	struct dd *p = NULL;
	const gt_status st = prepare(variant, be, type, g, scan, options, &p);
	return st == GT_OK ? give_out(&variant->ops, gt_dd_roofline, p, gt_grid_voxels(g), gt_scan_size(scan), A) : st;
}

/* Integral images alone. */
static void forward_part(void *self, const gt_array *x, gt_array *y)
{
	const struct dd *p = self;
	(void)y;
	p->impl->images(p->be, &p->d, p->state, p->type, p->part, x->data);
}

static int roofline_part(void *self, int back, gt_roofline *min)
{
	const struct dd *p = self;
	(void)back;
	min->bound = GT_BYTES;
	min->amount = p->impl->images(p->be, &p->d, p->state, p->type, p->part, NULL);
	return 1;
}

gt_status gt_dd_make_part(const gt_dd_variant *variant, size_t part, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan,
                          const void *options, gt_linop **A)
{
	static const struct gt_linop_ops ops = { "integral images", forward_part, NULL, gt_dd_destroy };
	struct dd *p = NULL;
	const gt_status st = prepare(variant, be, type, g, scan, options, &p);
	if (st != GT_OK)
		return st;
	p->part = (int)part;
	return give_out(&ops, roofline_part, p, part < 2 ? gt_grid_voxels(g) : gt_scan_size(scan), 1, A);
}
