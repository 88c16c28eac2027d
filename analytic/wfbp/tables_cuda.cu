/* Tables of a helix on the device, for wfbp and its transpose. They hold directions and heights of the views, pixels of
 * the parallel columns, and the views of a batch. */
#include <math.h>
#include <stdlib.h>
#include "analytic/wfbp/wfbp_cuda.cuh"

/* Copies tables of the scan in sequence; returns the address of the next. */
static double *put_table(struct gt_helix_tables *s, const double *from, size_t n, double *to)
{
	gt_backend_put(s->be, from, to, n * sizeof *from);
	return to + n;
}

static void put_tables(struct gt_helix_tables *s)
{
	const gt_wfbp_plan *p = s->plan;
	const size_t pixels = p->spots * p->detector.columns, views = p->source_views;
	double *at = (double *)s->tables;
	s->d.direction = at;
	s->d.height = at = put_table(s, p->direction, views, at);
	s->d.fan = at = put_table(s, p->z, views, at);
	s->d.column = at = put_table(s, p->fan, pixels, at);
	s->d.reach = at = put_table(s, p->column, pixels, at);
	at = put_table(s, p->reach, pixels, at);
	s->d.spot = (const struct gt_helix_spot *)at;
	gt_backend_put(s->be, p->spot, at, sizeof p->spot);
	gt_backend_put(s->be, p->filter->view, s->back_view, s->back_view_bytes);
}

static double margin_of(const gt_wfbp_plan *p)
{
	double far = 0, margin = 0;
	for (int i = 0; i < 4; i++) {
		double corner[2];
		for (int a = 0; a < 2; a++)
			corner[a] = gt_grid_first(&p->grid, a) + (i >> a & 1 ? (double)(p->grid.n[a] - 1) * p->grid.pitch[a] : 0) -
			            p->detector.center[a];
		far = fmax(far, hypot(corner[0], corner[1]));
	}
	for (size_t c = 0; c < p->spots; c++) {
		const struct gt_helix_spot *spot = &p->spot[c];
		const double middle = ((double)p->rows - 1) / 2, rows = (double)p->rows / 2 + fabs(spot->row0 - middle);
		for (size_t k = 0; k < p->detector.columns; k++)
			margin = fmax(margin, rows / spot->per_row * (spot->distance + far) / p->reach[c * p->detector.columns + k]);
	}
	return margin;
}

static void fill_in(struct gt_helix_tables *s)
{
	const gt_wfbp_plan *p = s->plan;
	s->d.detector = p->detector;
	s->d.rows = p->rows;
	s->d.source_columns = p->source_columns;
	s->d.spots = p->spots;
	s->d.turns = p->turns;
	s->d.sense = p->sense;
	s->d.view = (const struct gt_helix_view *)s->view;
	s->d.z = (double *)s->z;
	for (int a = 0; a < 3; a++) {
		s->grid.n[a] = p->grid.n[a];
		s->grid.first[a] = gt_grid_first(&p->grid, a);
		s->grid.pitch[a] = p->grid.pitch[a];
	}
	s->grid.radius = p->radius;
	s->grid.margin = margin_of(p);
	s->grid.flat = p->flat;
	s->grid.extend = p->extend;
}

size_t gt_helix_tables_send(struct gt_helix_tables *s, size_t first, size_t n)
{
	const size_t views = n * s->plan->turns;
	for (size_t i = 0; i < views; i++)
		s->host[i] = gt_wfbp_view(s->plan, first, i);
	gt_backend_put(s->be, s->host, s->view, views * sizeof *s->host);
	return views;
}

void gt_helix_tables_close(struct gt_helix_tables *s)
{
	gt_backend_free(s->be, s->tables, s->table_bytes);
	gt_backend_free(s->be, s->view, s->view_bytes);
	gt_backend_free(s->be, s->back_view, s->back_view_bytes);
	gt_backend_free(s->be, s->z, s->z_bytes);
	free(s->host);
}

gt_status gt_helix_tables_open(gt_backend *be, const gt_wfbp_plan *p, struct gt_helix_tables *s)
{
	const size_t views = p->batch * p->turns, columns = p->detector.columns;
	s->be = be;
	s->plan = p;
	s->host = (struct gt_helix_view *)malloc(views * sizeof *s->host);
	s->table_bytes = 2 * p->source_views * sizeof(double) + 3 * p->spots * columns * sizeof(double) + sizeof p->spot;
	s->view_bytes = views * sizeof *s->host;
	s->back_view_bytes = views * sizeof *p->filter->view;
	s->z_bytes = views * columns * sizeof(double);
	if (!s->host)
		return gt_fail(GT_ERR_MEMORY, "wfbp: no memory for %zu views", views);
	if (!(s->tables = gt_backend_alloc(be, s->table_bytes, "tables of the helix")) ||
	    !(s->view = gt_backend_alloc(be, s->view_bytes, "table of views")) ||
	    !(s->back_view = (struct gt_back_view *)gt_backend_alloc(be, s->back_view_bytes, "table of views")) ||
	    !(s->z = gt_backend_alloc(be, s->z_bytes, "heights of sources")))
		return GT_ERR_MEMORY;
	fill_in(s);
	put_tables(s);
	return GT_OK;
}
