/* The distance-driven pair for flat detectors in any pose on the CPU: the operator, the choice of the instruction
 * set, memory, and the order of jobs. Memory: tables of 40 bytes for each column (or row) of a view, a copy of the
 * volume or of the weighted pixels of BATCH views, and what each worker needs. */
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "core/vectors/sets.h"
#include "projectors/dd/tilt/dd_tilt_operator.h"

enum {
	GROUP = 8,   /* views of a job of the forward direction, which share lines of the volume */
	STRIPS = 64, /* its strips */
	BATCH = 32   /* views whose pixels the adjoint holds at a time */
};

struct tilt {
	gt_backend *be;
	gt_type type;
	gt_dd_tilt d;
	const size_t *order; /* views of axis 0, then those of axis 1; on the backend as the tables */
	size_t count[2], view_bytes, edge_bytes, strip_bytes;
	int has_scratch;
};

/* Kernels ------------------------------------------------------------------ */

static const gt_dd_tilt_kernels *const kernels[] = {
#ifdef GT_X86_KERNELS
	&gt_dd_tilt_avx512,
	&gt_dd_tilt_avx2,
#endif
	&gt_dd_tilt_any,
};
static const gt_dd_tilt_kernels *chosen; /* by a test */

void gt_dd_tilt_use(const gt_dd_tilt_kernels *k) { chosen = k; }

const gt_dd_tilt_kernels *gt_dd_tilt_find(const char *name)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (!strcmp(kernels[i]->name, name) && gt_runs_here(name))
			return kernels[i];
	return NULL;
}

static const gt_dd_tilt_kernels *best(gt_type t)
{
	if (t == GT_F32)
		return chosen ? chosen : gt_dd_tilt_find(gt_dd_single_find(NULL)->name);
#ifdef GT_X86_KERNELS
	if (gt_runs_here("avx2"))
		return &gt_dd_tilt_avx2_double;
#endif
	return &gt_dd_tilt_any_double;
}

/* Memory, in values -------------------------------------------------------- */

/* An odd number, so that the same place of neighbouring lines is not in the same set of a cache. */
static size_t row_of(const gt_dd_tilt *d) { return (size_t)d->n[0] | 1; }
static size_t volume_values(const gt_dd_tilt *d) { return row_of(d) * (size_t)d->n[1] * gt_dd_lanes_of((size_t)d->n[2]); }
static size_t batch_values(const gt_dd_tilt *d)
{
	return (d->views < BATCH ? d->views : BATCH) * (size_t)d->strips * gt_dd_lanes_of((size_t)d->pieces);
}
static size_t window_values(int length) { return gt_dd_lanes_of((size_t)length) + 2 * GT_DD_PAD; }
static size_t forward_values(const gt_dd_tilt *d)
{
	return (size_t)GROUP * STRIPS * gt_dd_lanes_of((size_t)d->pieces) + GT_DD_SLICES * window_values(d->n[2]);
}
static size_t adjoint_values(const gt_dd_tilt *d)
{
	return (size_t)GT_DD_SLICES * GT_DD_TILE_LINES * GT_DD_TILE + window_values(d->pieces);
}
static size_t scratch_bytes(gt_backend *be, const gt_dd_tilt *d, gt_type t)
{
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forward = volume_values(d) + workers * forward_values(d), adjoint = batch_values(d) + workers * adjoint_values(d);
	return (forward > adjoint ? forward : adjoint) * gt_type_size(t) + 64;
}

/* The memory of a job; lines take so many values. */
static void start_job(const struct tilt *p, gt_dd_tilt_job *j, size_t lines)
{
	j->views = p->order;
	memcpy(j->count, p->count, sizeof j->count);
	j->row = row_of(&p->d);
	j->lines = (void *)(((size_t)gt_scratch(p->be) + 63) & ~(size_t)63);
	j->scratch = (char *)j->lines + lines * gt_type_size(p->type);
}

/* Both directions ---------------------------------------------------------- */

static size_t forward_jobs(const gt_dd_tilt_job *j)
{
	const size_t group = (size_t)j->group;
	return (gt_dd_pieces(j->count[0], group) + gt_dd_pieces(j->count[1], group)) *
	       gt_dd_pieces((size_t)j->d->strips, (size_t)j->strips);
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const struct tilt *p = self;
	const gt_dd_tilt *d = &p->d;
	const gt_dd_tilt_kernels *k = best(p->type);
	const size_t enough = 8 * (size_t)gt_pool_threads(p->be->pool);
	gt_dd_tilt_job j = { .d = d, .in = x->data, .out = y->data, .group = GROUP, .strips = STRIPS };
	j.stride = gt_dd_lanes_of((size_t)d->n[2]);
	j.scratch_size = forward_values(d);
	start_job(p, &j, volume_values(d));
	while (forward_jobs(&j) < enough && j.strips > 16) { /* no pixel depends on how they are shared out */
		j.strips /= 2;
		j.group = j.group > 2 ? j.group / 2 : j.group;
	}
	gt_parallel(p->be->pool, (size_t)d->n[1], 1, k->copy_lines, &j);
	gt_parallel(p->be->pool, forward_jobs(&j), 1, k->forward, &j);
}

static size_t adjoint_jobs(const gt_dd_tilt *d, int axis)
{
	return gt_dd_pieces((size_t)d->n[1 - axis], GT_DD_ALONG) * gt_dd_pieces((size_t)d->n[2], GT_DD_TILE) *
	       gt_dd_pieces((size_t)d->n[axis], GT_DD_STRETCH);
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const struct tilt *p = self;
	const gt_dd_tilt *d = &p->d;
	const gt_dd_tilt_kernels *k = best(p->type);
	gt_dd_tilt_job j = { .d = d, .in = y->data, .out = x->data };
	j.stride = gt_dd_lanes_of((size_t)d->pieces);
	j.scratch_size = adjoint_values(d);
	start_job(p, &j, batch_values(d));
	memset(x->data, 0, (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2] * gt_type_size(p->type));
	for (j.axis = 0; j.axis < 2; j.axis++)
		for (size_t done = 0; done < p->count[j.axis]; done += j.count[j.axis]) {
			const size_t left = p->count[j.axis] - done;
			j.views = p->order + (j.axis ? p->count[0] : 0) + done;
			j.count[j.axis] = gt_dd_pieces(left, gt_dd_pieces(left, BATCH));
			gt_parallel(p->be->pool, j.count[j.axis], 1, k->weigh_views, &j);
			gt_parallel(p->be->pool, adjoint_jobs(d, j.axis), 1, k->adjoint, &j);
		}
}

/* The operator ------------------------------------------------------------- */

static void destroy(void *self)
{
	struct tilt *p = self;
	gt_backend_free(p->be, (void *)p->d.view, p->view_bytes);
	gt_backend_free(p->be, (void *)p->d.edge, p->edge_bytes);
	gt_backend_free(p->be, (void *)p->d.strip, p->strip_bytes);
	gt_backend_free(p->be, (void *)p->order, p->d.views * sizeof *p->order);
	if (p->has_scratch)
		gt_scratch_release(p->be);
	free(p);
}

/* Tables on the host, then on the backend. */
static gt_status fill_tables(const char *name, const gt_scan *scan, const gt_grid *g, struct tilt *p)
{
	static const char what[] = "tables of the distance-driven projector";
	const size_t longest = p->d.longest;
	gt_status st = GT_OK;
	p->view_bytes = scan->views * sizeof(gt_dd_pose);
	p->edge_bytes = scan->views * (longest + 1) * sizeof(gt_dd_tilt_edge);
	p->strip_bytes = scan->views * longest * sizeof(gt_dd_tilt_strip);
	gt_dd_pose *view = calloc(scan->views, sizeof *view);
	gt_dd_tilt_edge *edge = calloc(scan->views * (longest + 1), sizeof *edge);
	gt_dd_tilt_strip *strip = calloc(scan->views * longest, sizeof *strip);
	size_t *order = malloc(scan->views * sizeof *order);
	if (!view || !edge || !strip || !order)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", name, scan->views));
	for (size_t v = 0; v < scan->views; v++) {
		GT_TRY(gt_dd_tilt_fill(name, scan, g, v, &view[v], edge + v * (longest + 1), strip + v * longest));
		p->d.strips = p->d.strips > view[v].strips ? p->d.strips : view[v].strips;
		p->d.pieces = p->d.pieces > view[v].pieces ? p->d.pieces : view[v].pieces;
	}
	for (size_t v = 0; v < scan->views; v++)
		if (view[v].axis == 0)
			order[p->count[0]++] = v;
	for (size_t v = 0; v < scan->views; v++)
		if (view[v].axis == 1)
			order[p->count[0] + p->count[1]++] = v;
	if (!(p->order = gt_projector_upload(p->be, order, scan->views * sizeof *order, what)) ||
	    !(p->d.view = gt_projector_upload(p->be, view, p->view_bytes, what)) ||
	    !(p->d.edge = gt_projector_upload(p->be, edge, p->edge_bytes, what)) ||
	    !(p->d.strip = gt_projector_upload(p->be, strip, p->strip_bytes, what)))
		GT_TRY(GT_ERR_MEMORY);
done:
	free(view);
	free(edge);
	free(strip);
	free(order);
	return st;
}

gt_status gt_dd_tilt_make(const char *name, gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, gt_linop **A)
{
	static const struct gt_linop_ops ops = { "dd", forward, adjoint, destroy };
	gt_status st = gt_projector_check_sizes(name, g, scan);
	if (st != GT_OK)
		return st;
	struct tilt *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the operator", name);
	p->be = be;
	p->type = type;
	p->d = (gt_dd_tilt){ .rows = (int)scan->rows, .columns = (int)scan->columns, .views = scan->views };
	p->d.longest = scan->rows > scan->columns ? scan->rows : scan->columns;
	for (int a = 0; a < 3; a++) {
		p->d.n[a] = (int)g->n[a];
		p->d.pitch[a] = g->pitch[a];
	}
	GT_TRY(fill_tables(name, scan, g, p));
	GT_TRY(gt_scratch_reserve(be, scratch_bytes(be, &p->d, type), "scratch of the distance-driven projector"));
	p->has_scratch = 1;
	st = gt_linop_new(&ops, p, be, type, gt_grid_voxels(g), gt_scan_size(scan), A);
	p = NULL;
done:
	if (p)
		destroy(p);
	return st;
}
