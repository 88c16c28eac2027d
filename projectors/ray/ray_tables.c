/* Tables of the rays of all views, in double on the host, and their copies on a backend. */
#include <stdint.h>
#include <stdlib.h>
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/ray/ray_impl.h"

/* Converts a point in mm to voxels from the edge of voxel 0, or a direction. */
static void to_voxels(const gt_grid *g, const double mm[3], int direction, double out[3])
{
	for (int a = 0; a < 3; a++)
		out[a] = direction ? mm[a] / g->pitch[a] : (mm[a] - gt_grid_first(g, a)) / g->pitch[a] + 0.5;
}

static void fill_view(const gt_scan *s, const gt_grid *g, size_t at, gt_ray_view *v, gt_ray_column *column)
{
	const gt_detector det = gt_scan_detector(s);
	const gt_view *w = &s->view[at];
	const int fan = s->shape != GT_PARALLEL;
	double point[3], direction[3], row[3];
	for (int a = 0; a < 3; a++)
		row[a] = w->row_axis[a] * s->row_pitch;
	to_voxels(g, row, 1, v->row);
	for (size_t k = 0; k < s->columns; k++) {
		gt_pixel_ray(&det, w, (double)k, 0, point, direction);
		to_voxels(g, fan ? direction : point, fan, column[k].at);
		to_voxels(g, fan ? point : direction, !fan, v->base);
	}
}

void gt_ray_fill(const gt_scan *s, const gt_grid *g, gt_ray_view *view, gt_ray_column *column, gt_rays *rays)
{
	*rays = (gt_rays){ .rows = (int)s->rows,
		           .columns = (int)s->columns,
		           .fan = s->shape != GT_PARALLEL,
		           .views = s->views,
		           .view = view,
		           .column = column };
	for (int a = 0; a < 3; a++) {
		rays->n[a] = (int)g->n[a];
		rays->pitch[a] = g->pitch[a];
	}
	for (size_t v = 0; v < s->views; v++)
		fill_view(s, g, v, &view[v], &column[v * s->columns]);
}

static gt_status check(const char *name, const gt_grid *g, const gt_scan *s)
{
	const gt_status st = gt_projector_check_sizes(name, g, s);
	if (st == GT_OK && (s->views > SIZE_MAX / sizeof(gt_ray_column) / s->columns || s->views > SIZE_MAX / sizeof(gt_ray_view)))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu views of %zu columns: more than this machine can address", name, s->views,
		               s->columns);
	return st;
}

static size_t view_bytes(const gt_rays *r) { return r->views * sizeof(gt_ray_view); }
static size_t column_bytes(const gt_rays *r) { return r->views * (size_t)r->columns * sizeof(gt_ray_column); }

gt_status gt_ray_host_new(const char *name, const gt_scan *s, const gt_grid *g, gt_rays *host)
{
	*host = (gt_rays){ .views = 0 };
	const gt_status st = check(name, g, s);
	if (st != GT_OK)
		return st;
	gt_ray_view *view = malloc(s->views * sizeof *view);
	gt_ray_column *column = malloc(s->views * s->columns * sizeof *column);
	if (!view || !column) {
		free(view);
		free(column);
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", name, s->views);
	}
	gt_ray_fill(s, g, view, column, host);
	return GT_OK;
}

void gt_ray_host_free(gt_rays *host)
{
	free((void *)host->view);
	free((void *)host->column);
}

gt_status gt_ray_upload(gt_backend *be, const gt_rays *host, gt_rays *rays)
{
	static const char what[] = "tables of the ray-driven projector";
	*rays = *host;
	rays->column = NULL;
	rays->view = gt_projector_upload(be, host->view, view_bytes(host), what);
	if (rays->view)
		rays->column = gt_projector_upload(be, host->column, column_bytes(host), what);
	return rays->column ? GT_OK : GT_ERR_MEMORY;
}

void gt_ray_unload(gt_backend *be, gt_rays *rays)
{
	gt_backend_free(be, (void *)rays->view, view_bytes(rays));
	gt_backend_free(be, (void *)rays->column, column_bytes(rays));
}
