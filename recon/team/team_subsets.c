/* Subsets of a team: plan, local operator and local views of each. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include <gantry/author/scan_math.h>
#include "core/array/staged.h"
#include "core/clock.h"
#include "core/partition/partition.h"
#include "core/try.h"
#include "recon/team/team_split.h"
#include "team/team.h"

enum { X, Y, MAX_RANKS = 64 };

/* Plan of one subset: slices, views and rows of each rank's operator. */
struct subset_plan {
	gt_block own[2][MAX_RANKS], local[2][MAX_RANKS];
	gt_range slices[MAX_RANKS], views[MAX_RANKS], rows[MAX_RANKS];
};

/* Lowest and highest z of a view's rays within `far` of their start, measured across z. */
static void reach_of_view(const gt_scan *scan, const gt_view *view, double far, double *low, double *high)
{
	const gt_detector d = gt_scan_detector(scan);
	for (size_t i = 0; i < 2 * scan->columns; i++) {
		double point[3], direction[3];
		gt_pixel_ray(&d, view, (double)(i / 2), i % 2 ? (double)scan->rows : -1, point, direction);
		const double across = hypot(direction[0], direction[1]),
			     z = across > 0 ? point[2] + direction[2] * far / across : direction[2] * INFINITY;
		*low = fmin(*low, fmin(z, point[2]));
		*high = fmax(*high, fmax(z, point[2]));
	}
}

struct seen_z {
	const gt_grid *grid;
	const gt_scan *scan;
	size_t first;
	pthread_mutex_t lock;
	double low, high;
};

static void reach_of_views(void *self, size_t begin, size_t end, int worker)
{
	struct seen_z *r = self;
	const gt_grid *grid = r->grid;
	double low = INFINITY, high = -INFINITY;
	(void)worker;
	for (size_t v = r->first + begin; v < r->first + end; v++) {
		const double *source = r->scan->view[v].source;
		double far = 0;
		for (int c = 0; c < 4; c++) {
			double side[2];
			for (int a = 0; a < 2; a++)
				side[a] = grid->center[a] + (c >> a & 1 ? 0.5 : -0.5) * (double)(grid->n[a] + 2) * grid->pitch[a] -
				          source[a];
			far = fmax(far, hypot(side[0], side[1]));
		}
		reach_of_view(r->scan, &r->scan->view[v], far, &low, &high);
	}
	pthread_mutex_lock(&r->lock);
	r->low = fmin(r->low, low);
	r->high = fmax(r->high, high);
	pthread_mutex_unlock(&r->lock);
}

/* Slices of a slab that views of a helix see: all that a ray may cross within the grid. One more is added at each end,
 * because models extend half a voxel further. */
gt_range gt_seen_slices(gt_pool *pool, const gt_grid *grid, const gt_scan *scan, gt_range slab, gt_range views)
{
	struct seen_z r = { grid, scan, views.first, PTHREAD_MUTEX_INITIALIZER, INFINITY, -INFINITY };
	if (scan->shape == GT_PARALLEL || !gt_scan_is_helical(scan))
		return slab;
	gt_parallel(pool, views.n, 4, reach_of_views, &r);
	const double first = floor((r.low - gt_grid_first(grid, 2)) / grid->pitch[2]) - 1,
		     last = ceil((r.high - gt_grid_first(grid, 2)) / grid->pitch[2]) + 1;
	const double begin = fmax(first, (double)slab.first), end = fmin(last + 1, (double)(slab.first + slab.n));
	return end > begin ? (gt_range){ (size_t)begin, (size_t)(end - begin) } : (gt_range){ slab.first, 0 };
}

/* Smallest and largest row of the box's corners in a view; 0: a corner is not in front of the source. */
static int corner_rows(const gt_scan *scan, const gt_view *view, const double box[3][2], double *min, double *max)
{
	const gt_detector d = gt_scan_detector(scan);
	for (int c = 0; c < 8; c++) {
		const double x[3] = { box[0][c & 1], box[1][c >> 1 & 1], box[2][c >> 2] };
		double column, row;
		if (!gt_point_pixel(&d, view, x, &column, &row))
			return 0;
		*min = fmin(*min, row);
		*max = fmax(*max, row);
	}
	return 1;
}

/* Rows that see a slab: on a flat detector rays through a box are between the projected corners. Models extend half a
 * voxel and half a pixel further; one of each is added. Other detectors: all rows. */
gt_range gt_seen_rows(const gt_grid *grid, const gt_scan *scan, gt_range slices, gt_range views)
{
	const gt_range all = { 0, scan->rows };
	double box[3][2], min = INFINITY, max = -INFINITY;
	const gt_grid g = gt_grid_slab(grid, slices);
	if (scan->shape == GT_ARC || !slices.n || slices.n == grid->n[2])
		return all;
	for (int a = 0; a < 3; a++)
		for (int side = 0; side < 2; side++)
			box[a][side] = g.center[a] + (side ? 1 : -1) * g.pitch[a] * ((double)g.n[a] / 2 + 1);
	for (size_t v = 0; v < views.n; v++)
		if (!corner_rows(scan, &scan->view[views.first + v], (const double(*)[2])box, &min, &max))
			return all;
	/* Pixels of tilted panels are cut level at the centre of their column: half a column aside at 45 degrees. */
	double aside = 0;
	for (size_t v = 0; v < views.n; v++)
		if (fabs(scan->view[views.first + v].row_axis[2]) < 1 - 1e-12)
			aside = ceil(0.5 * scan->column_pitch / scan->row_pitch) + 1;
	min -= 2 + aside;
	max += 3 + aside;
	if (!(max >= 1 && min <= (double)scan->rows - 1))
		return (gt_range){ 0, 0 };
	const size_t first = min > 0 ? (size_t)floor(min) : 0, end = (size_t)fmin((double)scan->rows, fmax(0, ceil(max)));
	return (gt_range){ first, end > first ? end - first : 0 };
}

static gt_range times(gt_range r, size_t k) { return (gt_range){ r.first * k, r.n * k }; }
static gt_block block(gt_range things, gt_range inner) { return (gt_block){ things.first, things.n, inner.first, inner.n }; }

static void make_plan(const gt_split_spec *s, gt_backend *be, const gt_grid *grid, const gt_grid *like, const gt_scan *scan,
                      struct subset_plan *p)
{
	const size_t plane = grid->n[0] * grid->n[1], columns = scan->columns;
	const gt_range whole_slice = { 0, plane }, whole_view = { 0, scan->rows * columns };
	for (int i = 0; i < gt_ranks(be); i++) {
		const int first = i / (int)s->blocks * (int)s->blocks, last = first + (int)s->blocks - 1;
		const gt_range low = gt_team_range(be, first, grid->n[2]), high = gt_team_range(be, last, grid->n[2]);
		const gt_range slab = { low.first, high.first + high.n - low.first };
		p->own[X][i] = block(gt_team_range(be, i, grid->n[2]), whole_slice);
		const gt_range views = gt_team_views(s, be, i, like, scan);
		p->own[Y][i] = block(views, whole_view);
		p->views[i] = s->slabs == 1 ? views : gt_team_range_among(be, first, (int)s->blocks, i, scan->views);
		p->slices[i] = p->views[i].n ? gt_seen_slices(gt_backend_pool(be), grid, scan, slab, p->views[i])
		                             : (gt_range){ slab.first, 0 };
		p->rows[i] = gt_seen_rows(grid, scan, p->slices[i], p->views[i]);
		if (!p->slices[i].n || !p->rows[i].n) {
			p->views[i].n = p->slices[i].n = 0;
			p->rows[i] = (gt_range){ 0, scan->rows };
		}
		p->local[X][i] = block(p->slices[i], whole_slice);
		p->local[Y][i] = block(p->views[i], times(p->rows[i], columns));
	}
}

gt_status gt_scan_window(const gt_scan *scan, gt_range views, gt_range rows, gt_scan **part)
{
	const gt_status st = gt_scan_clone(scan, part);
	if (st != GT_OK)
		return st;
	memmove((*part)->view, (*part)->view + views.first, views.n * sizeof *(*part)->view);
	(*part)->views = views.n;
	(*part)->rows = rows.n;
	(*part)->row_center -= (double)rows.first;
	return GT_OK;
}

/* The rank's operator: its slices, views and rows. */
static gt_status new_local(const struct subset_plan *p, const gt_team_problem *q, gt_backend *be, const gt_scan *scan, gt_linop **local)
{
	const int me = gt_rank(be);
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	*local = NULL;
	if (!p->views[me].n || !p->slices[me].n)
		return GT_OK;
	const gt_grid g = gt_grid_slab(q->grid, p->slices[me]);
	GT_TRY(gt_scan_window(scan, p->views[me], p->rows[me], &part));
	GT_TRY(gt_projector_new(q->projector, be, q->type, &g, part, local));
done:
	gt_scan_free(part);
	return st;
}

/* The rank's views of subset k, from host data first, first + stride, ... */
static gt_status new_data(const gt_team_problem *q, gt_backend *be, const float *data, size_t k, gt_range own, gt_array **b)
{
	const size_t stride = q->subsets, view = q->scan->rows * q->scan->columns, n = (q->scan->views - k + stride - 1) / stride;
	gt_array *local = NULL;
	float *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new_partition(be, q->type, view * n, times(own, view), b));
	if (gt_backend_is_dry_run(be) || !own.n)
		return GT_OK;
	GT_TRY(gt_array_local(*b, &local));
	const float *from = data + (k + own.first * stride) * view;
	if (q->type == GT_F32 && gt_array_put_staged(from, view * sizeof *from, stride * view * sizeof *from, local))
		goto done;
	if (!(part = malloc(own.n * view * sizeof *part)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "views of a subset on one rank need %.3g MB", (double)(own.n * view) * 4e-6));
	for (size_t v = 0; v < own.n; v++)
		memcpy(part + v * view, from + v * stride * view, view * sizeof *part);
	gt_array_put_float(part, local);
done:
	gt_array_free(local);
	free(part);
	return st;
}

gt_status gt_team_operator(const gt_split_spec *chosen, const gt_team_problem *q, const gt_grid *like, gt_backend *be, const gt_scan *scan,
                           gt_linop **A)
{
	gt_linop *local = NULL;
	struct subset_plan *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	make_plan(chosen, be, q->grid, like, scan, p);
	const gt_split_side side[2] = { { q->grid->n[0] * q->grid->n[1], q->grid->n[2], p->own[X], p->local[X] },
		                        { scan->rows * scan->columns, scan->views, p->own[Y], p->local[Y] } };
	gt_status st = new_local(p, q, be, scan, &local);
	if (st == GT_OK)
		st = gt_split_new(side, be, q->type, local, A);
	free(p);
	return st;
}

static double time_once(gt_backend *be, const gt_linop *local, gt_array *x, gt_array *y)
{
	gt_backend_wait(be);
	const double start = gt_seconds();
	gt_forward(local, x, y);
	gt_adjoint(local, y, x);
	gt_backend_wait(be);
	return gt_seconds() - start;
}

gt_status gt_team_probe(const gt_split_spec *chosen, gt_backend *be, const gt_team_problem *q, double *seconds)
{
	gt_linop *local = NULL;
	gt_scan *part = NULL;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	struct subset_plan *p = calloc(1, sizeof *p);
	*seconds = 0;
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(gt_scan_subset(q->scan, 0, q->subsets, &part));
	make_plan(chosen, be, q->grid, q->grid, part, p);
	GT_TRY(new_local(p, q, be, part, &local));
	if (local) {
		GT_TRY(gt_array_new(be, q->type, gt_linop_nx(local), &x));
		GT_TRY(gt_array_new(be, q->type, gt_linop_ny(local), &y));
		gt_fill(1, x);
		time_once(be, local, x, y); /* warm-up */
		*seconds = time_once(be, local, x, y);
		*seconds = fmin(*seconds, time_once(be, local, x, y));
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(local);
	gt_scan_free(part);
	free(p);
	return st;
}

gt_status gt_team_subsets_new(const gt_split_spec *chosen, gt_backend *be, const gt_team_problem *q, gt_subsets *s)
{
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	const size_t n = q->subsets;
	s->subsets = n;
	s->A = calloc(n, sizeof *s->A);
	s->b = calloc(n, sizeof *s->b);
	s->w = q->weights ? calloc(n, sizeof *s->w) : NULL;
	if (!s->A || !s->b || (q->weights && !s->w))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t k = 0; k < n; k++) {
		GT_TRY(gt_scan_subset(q->scan, k, n, &part));
		const gt_range own = gt_team_views(chosen, be, gt_rank(be), q->grid, part);
		GT_TRY(gt_team_operator(chosen, q, q->grid, be, part, &s->A[k]));
		GT_TRY(new_data(q, be, q->data, k, own, &s->b[k]));
		if (q->weights)
			GT_TRY(new_data(q, be, q->weights, k, own, &s->w[k]));
		gt_scan_free(part);
		part = NULL;
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_scan_free(part);
	if (st != GT_OK)
		gt_subsets_free(s);
	return st;
}
