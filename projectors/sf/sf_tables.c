/* Tables of the separable footprint in double on the host: the frame of each view, and the directions of its rays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/sf/sf_impl.h"

static const double degree = GT_PI / 180;
/* Cosine of the maximum half fan angle. */
static const double min_cosine = 0.05;

static void scaled(const double *a, double by, double *out)
{
	for (int i = 0; i < 3; i++)
		out[i] = by * a[i];
}

/* Converts the linear form value + gradient . (X - at) of a point X in mm to voxel indices. */
static void form(const gt_grid *g, const double gradient[3], const double at[3], double value, double f[4])
{
	f[0] = value;
	for (int a = 0; a < 3; a++) {
		f[0] += gradient[a] * (gt_grid_first(g, a) - at[a]);
		f[1 + a] = gradient[a] * g->pitch[a];
	}
}

/* Normal of the detector, directed away from the source. */
static void normal_of(const gt_view *w, double normal[3])
{
	double arm[3];
	gt_cross3(w->column_axis, w->row_axis, normal);
	for (int a = 0; a < 3; a++)
		arm[a] = w->detector[a] - w->source[a];
	if (gt_dot3(normal, arm) < 0)
		scaled(normal, -1, normal);
}

/* up: row_axis, directed towards ascending z. */
static void fill_flat(const gt_scan *s, const gt_grid *g, const gt_view *w, const double up[3], gt_sf_view *v)
{
	double normal[3], across[3], arm[3];
	normal_of(w, normal);
	for (int a = 0; a < 3; a++)
		arm[a] = w->detector[a] - w->source[a];
	const double depth = gt_dot3(normal, arm);
	scaled(w->column_axis, depth / s->column_pitch, across);
	form(g, across, w->source, 0, v->frame.N);
	form(g, normal, w->source, 0, v->frame.M);
	form(g, up, w->source, 0, v->V);
	v->frame.column -= gt_dot3(arm, w->column_axis) / s->column_pitch;
	v->row -= gt_dot3(arm, up) / s->row_pitch;
	v->frame.lens = (gt_sf_lens){ .columns = 1, .rows = depth / s->row_pitch };
}

static void fill_parallel(const gt_scan *s, const gt_grid *g, const gt_view *w, const double up[3], gt_sf_view *v)
{
	double normal[3], ray[3], across[3], rise[3];
	normal_of(w, normal);
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	const double depth = gt_dot3(normal, ray);
	for (int a = 0; a < 3; a++) {
		across[a] = (w->column_axis[a] - gt_dot3(w->column_axis, ray) / depth * normal[a]) / s->column_pitch;
		rise[a] = up[a] - gt_dot3(up, ray) / depth * normal[a];
	}
	form(g, across, w->detector, 0, v->frame.N);
	form(g, rise, w->detector, 0, v->V);
	v->frame.M[0] = 1;
	v->frame.lens = (gt_sf_lens){ .columns = 1, .rows = 1 / s->row_pitch };
}

static void fill_arc(const gt_scan *s, const gt_grid *g, const gt_view *w, const double up[3], gt_sf_view *v)
{
	double arm[3], spot[3], drop[3];
	gt_arc_arm(w, arm);
	const double radius = sqrt(gt_dot3(arm, arm));
	for (int a = 0; a < 3; a++) {
		spot[a] = w->source[a] - w->arc_center[a];
		drop[a] = w->source[a] - w->detector[a];
	}
	scaled(arm, 1 / radius, arm);
	form(g, w->column_axis, w->source, 0, v->frame.N);
	form(g, arm, w->source, 0, v->frame.M);
	form(g, up, w->source, 0, v->V);
	gt_sf_lens *l = &v->frame.lens;
	*l = (gt_sf_lens){ .columns = radius / s->column_pitch,
		           .rows = radius / s->row_pitch,
		           .spot_u = gt_dot3(spot, w->column_axis) / radius,
		           .spot_w = gt_dot3(spot, arm) / radius,
		           .arc = 1 };
	if (fabs(l->spot_u) < 1e-12 && fabs(l->spot_w) < 1e-12)
		l->spot_u = l->spot_w = 0;
	l->spot_angle = asin(l->spot_u);
	v->frame.column += l->columns * l->spot_angle;
	v->row += gt_dot3(drop, up) / s->row_pitch;
}

/* Directions of pixel rays: the first row of each column, and the step to the next row. */
static void fill_rays(const gt_scan *s, const gt_view *w, gt_sf_view *v, gt_sf_ray *ray)
{
	const gt_detector det = gt_scan_detector(s);
	const double first = v->flip_rows ? (double)s->rows - 0.5 : -0.5, next = v->flip_rows ? -1 : 1;
	double point[3], other[3];
	for (size_t k = 0; k < s->columns; k++)
		gt_pixel_ray(&det, w, (double)k, first, point, ray[k].along);
	gt_pixel_ray(&det, w, 0, first + next, point, other);
	for (int a = 0; a < 3; a++)
		v->ray_step[a] = s->shape == GT_PARALLEL ? 0 : other[a] - ray[0].along[a];
}

static void fill_direction(const gt_scan *s, const gt_grid *g, const gt_view *w, gt_sf_view *v)
{
	double ray[2];
	for (int a = 0; a < 2; a++) {
		ray[a] = w->detector[a] - w->source[a];
		v->toward[a][0] = s->shape == GT_PARALLEL ? ray[a] / g->pitch[a] : (gt_grid_first(g, a) - w->source[a]) / g->pitch[a];
		v->toward[a][1] = s->shape == GT_PARALLEL ? 0 : 1;
	}
	v->axis = fabs(ray[1]) > fabs(ray[0]);
}

static gt_status check_rays(const char *name, const gt_scan *s, size_t at, const gt_sf_view *v, const gt_sf_ray *ray)
{
	const gt_view *w = &s->view[at];
	double normal[3], arm[3];
	normal_of(w, normal);
	if (s->shape == GT_ARC)
		gt_arc_arm(w, normal);
	else
		for (int a = 0; a < 3; a++)
			normal[a] = s->shape == GT_PARALLEL ? w->detector[a] - w->source[a] : normal[a];
	for (size_t k = 0; k < s->columns; k++)
		for (int end = 0; end < 2; end++) {
			for (int a = 0; a < 3; a++)
				arm[a] = ray[k].along[a] + (end ? (double)s->rows : 0) * v->ray_step[a];
			const double length = sqrt(gt_dot3(arm, arm)), steep = atan2(fabs(arm[2]), hypot(arm[0], arm[1])) / degree;
			if (!(steep <= GT_SF_STEEP))
				return gt_fail(GT_ERR_UNSUPPORTED,
				               "%s: view %zu: the rays of column %zu are inclined by %.1f degrees against the slices: "
				               "expected at most %g",
				               name, at, k, steep, GT_SF_STEEP);
			if (!(gt_dot3(arm, normal) > min_cosine * length * sqrt(gt_dot3(normal, normal))))
				return gt_fail(
					GT_ERR_UNSUPPORTED,
					"%s: view %zu: the ray of column %zu is %.1f degrees from the centre of the detector: expected "
					"less than %.1f",
					name, at, k, acos(gt_dot3(arm, normal) / length / sqrt(gt_dot3(normal, normal))) / degree,
					acos(min_cosine) / degree);
		}
	return GT_OK;
}

/* Checks that the images of vertical lines are rolled against the columns by at most GT_SF_MAX_ROLL at the corners of
 * the grid. */
static gt_status check_roll(const char *name, const gt_scan *s, const gt_grid *g, size_t at, const gt_sf_view *v)
{
	double low[2], high[2];
	for (int c = 0; c < 8; c++) {
		const double x = c & 1 ? (double)g->n[0] - 1 : 0, y = c & 2 ? (double)g->n[1] - 1 : 0, z = c & 4 ? (double)g->n[2] - 1 : 0;
		if (!(gt_sf_at(v->frame.M, x, y, z - 0.5) > 0 && gt_sf_at(v->frame.M, x, y, z + 0.5) > 0))
			continue;
		gt_sf_point(v, x, y, z - 0.5, &low[0], &low[1]);
		gt_sf_point(v, x, y, z + 0.5, &high[0], &high[1]);
		const double roll = atan2(fabs(high[0] - low[0]) * s->column_pitch, fabs(high[1] - low[1]) * s->row_pitch) / degree;
		if (!(roll <= GT_SF_MAX_ROLL))
			return gt_fail(
				GT_ERR_UNSUPPORTED,
				"%s: view %zu: lines along z are seen at %.1f degrees to the columns of the detector, expected at most "
				"%g: the footprints of voxels are not separable there",
				name, at, roll, GT_SF_MAX_ROLL);
	}
	return GT_OK;
}

static gt_status fill_view(const char *name, const gt_scan *s, const gt_grid *g, size_t at, gt_sf_view *v, gt_sf_ray *ray)
{
	const gt_view *w = &s->view[at];
	gt_status st = GT_OK;
	double up[3];
	memset(v, 0, sizeof *v);
	v->flip_rows = w->row_axis[2] < 0;
	scaled(w->row_axis, v->flip_rows ? -1 : 1, up);
	v->upright = hypot(up[0], up[1]) <= 1e-9;
	v->frame.column = s->column_center + 0.5;
	v->row = v->flip_rows ? (double)s->rows - 0.5 - s->row_center : s->row_center + 0.5;
	if (s->shape == GT_ARC)
		fill_arc(s, g, w, up, v);
	else
		(s->shape == GT_FLAT ? fill_flat : fill_parallel)(s, g, w, up, v);
	if (v->upright) {
		v->frame.N[3] = v->frame.M[3] = 0;
		v->V[1] = s->shape == GT_PARALLEL ? v->V[1] : 0;
		v->V[2] = s->shape == GT_PARALLEL ? v->V[2] : 0;
	}
	fill_direction(s, g, w, v);
	fill_rays(s, w, v, ray);
	GT_TRY(check_rays(name, s, at, v, ray));
	GT_TRY(check_roll(name, s, g, at, v));
done:
	return st;
}

gt_status gt_sf_host_new(const char *name, const gt_grid *g, const gt_scan *scan, int trapezoid, gt_sf *host)
{
	gt_sf_view *view = NULL;
	gt_sf_ray *ray = NULL;
	gt_status st = gt_projector_check_sizes(name, g, scan);
	GT_TRY(st);
	*host = (gt_sf){ .rows = (int)scan->rows,
		         .columns = (int)scan->columns,
		         .views = scan->views,
		         .trapezoid = trapezoid,
		         .aspect = scan->column_pitch * scan->column_pitch / (scan->row_pitch * scan->row_pitch) };
	for (int a = 0; a < 3; a++) {
		host->n[a] = (int)g->n[a];
		host->pitch[a] = g->pitch[a];
	}
	host->view = view = malloc(scan->views * sizeof *view);
	host->ray = ray = malloc(scan->views * scan->columns * sizeof *ray);
	if (!view || !ray)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", name, scan->views));
	for (size_t v = 0; v < scan->views; v++) {
		GT_TRY(fill_view(name, scan, g, v, &view[v], ray + v * scan->columns));
		host->tilted |= !view[v].upright;
	}
done:
	return st;
}
