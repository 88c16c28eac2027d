/* Circular geometry of the Reconstruction Toolkit (Rit et al., J. Phys. Conf. Ser. 489 (2014) 012079). RTK rotates
 * about y; (x, y, z) here is (-X, Z, Y) there. In the frame of a view the detector is at z = sid - sdd and the source
 * at z = sid. R = Rz(-in plane) Rx(-out of plane) Ry(-gantry) rotates this frame. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/scan_math.h>
#include "geometry/exchange/exchange.h"

static const double to_ours[9] = { -1, 0, 0, 0, 0, 1, 0, 1, 0 };

/* Rotation from the frame of the view to that of the scan: A R^-1. */
static void frame_of(const gt_rtk_view *w, double m[9])
{
	double gantry[9], out[9], in[9], part[9], turned[9];
	gt_mat3_turn(1, w->gantry, gantry);
	gt_mat3_turn(0, w->out_of_plane, out);
	gt_mat3_turn(2, w->in_plane, in);
	gt_mat3_product(gantry, out, part);
	gt_mat3_product(part, in, turned);
	gt_mat3_product(to_ours, turned, m);
}

gt_status gt_scan_of_rtk(const gt_rtk_view *view, const gt_scan_size3 *size, const gt_rtk_image *image, gt_scan **scan)
{
	const double center[2] = { -image->origin[0] / image->spacing[0], -image->origin[1] / image->spacing[1] };
	const int parallel = size->views && view[0].sdd == 0;
	gt_step_view *steps = calloc(size->views ? size->views : 1, sizeof *steps);
	gt_status st = steps ? GT_OK : gt_fail(GT_ERR_MEMORY, "geometry of %zu views: out of memory", size->views);
	*scan = NULL;
	for (size_t v = 0; v < size->views && st == GT_OK; v++) {
		const gt_rtk_view *w = &view[v];
		double m[9];
		if ((w->sdd == 0) != parallel) {
			st = gt_fail(GT_ERR_UNSUPPORTED,
			             "view %zu: source to detector %g mm, in view 0 %g mm: expected 0 in all views or in none", v, w->sdd,
			             view[0].sdd);
			break;
		}
		const double far = parallel ? 2 * (fabs(w->sid) + 4 * (double)size->columns * image->spacing[0]) : 0;
		const double source[3] = { w->source[0], w->source[1], w->sid };
		const double panel[3] = { w->projection[0], w->projection[1], parallel ? 0 : w->sid - w->sdd };
		const double ray[3] = { panel[0], panel[1], far };
		const double column[3] = { image->spacing[0], 0, 0 }, row[3] = { 0, image->spacing[1], 0 };
		frame_of(w, m);
		gt_mat3_apply(m, parallel ? ray : source, steps[v].source);
		gt_mat3_apply(m, panel, steps[v].panel);
		gt_mat3_apply(m, column, steps[v].column_step);
		gt_mat3_apply(m, row, steps[v].row_step);
	}
	if (st == GT_OK)
		st = gt_scan_of_steps(parallel ? GT_PARALLEL : GT_FLAT, size, center, steps, scan);
	free(steps);
	return st;
}

/* Angles of R^-1 = Ry(gantry) Rx(out) Rz(in) from its columns, the axes of the view. */
static void angles_of(const double u[3], const double v[3], const double w[3], gt_rtk_view *to)
{
	to->out_of_plane = asin(fmin(1, fmax(-1, -w[1])));
	to->gantry = atan2(w[0], w[2]);
	to->in_plane = atan2(u[1], v[1]);
}

static void take_view(const gt_scan *s, size_t v, int reversed, gt_rtk_view *to)
{
	const gt_view *w = &s->view[v];
	const double side = reversed ? -1 : 1, middle = ((double)s->columns - 1) / 2, middle_row = ((double)s->rows - 1) / 2;
	/* The transpose of to_ours maps to RTK's frame. */
	const double u[3] = { -side * w->column_axis[0], side * w->column_axis[2], side * w->column_axis[1] };
	const double r[3] = { -w->row_axis[0], w->row_axis[2], w->row_axis[1] };
	double n[3], panel[3];
	const double source[3] = { -w->source[0], w->source[2], w->source[1] };
	for (int a = 0; a < 3; a++)
		panel[a] = w->detector[a] + (middle - s->column_center) * s->column_pitch * w->column_axis[a] +
		           (middle_row - s->row_center) * s->row_pitch * w->row_axis[a];
	const double theirs[3] = { -panel[0], panel[2], panel[1] };
	gt_cross3(u, r, n);
	angles_of(u, r, n, to);
	to->sid = s->shape == GT_PARALLEL ? 0 : gt_dot3(n, source);
	to->sdd = s->shape == GT_PARALLEL ? 0 : to->sid - gt_dot3(n, theirs);
	to->source[0] = s->shape == GT_PARALLEL ? 0 : gt_dot3(u, source);
	to->source[1] = s->shape == GT_PARALLEL ? 0 : gt_dot3(r, source);
	to->projection[0] = gt_dot3(u, theirs);
	to->projection[1] = gt_dot3(r, theirs);
}

gt_status gt_scan_to_rtk(const gt_scan *s, gt_rtk_view *view, gt_rtk_image *image, int *reversed)
{
	if (s->shape == GT_ARC)
		return gt_fail(GT_ERR_UNSUPPORTED, "RTK: found an arc detector: expected a flat detector or parallel rays");
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		double n[3], ray[3];
		gt_cross3(w->column_axis, w->row_axis, n);
		for (int a = 0; a < 3; a++)
			ray[a] = w->detector[a] - w->source[a];
		/* RTK's columns, rows and the direction to the source are right-handed. */
		const int away = gt_dot3(n, ray) > 0;
		if (v == 0)
			*reversed = away;
		if (away != *reversed)
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "view %zu has the opposite column direction from view 0: RTK allows one direction for all views", v);
		take_view(s, v, away, &view[v]);
		const double slant = fabs(gt_dot3(n, ray)) / sqrt(gt_dot3(ray, ray));
		if (s->shape == GT_PARALLEL && slant < 1 - 1e-9)
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "view %zu: rays are not perpendicular to the detector: RTK's parallel geometry needs this", v);
	}
	*image = (gt_rtk_image){ { s->column_pitch, s->row_pitch },
		                 { -((double)s->columns - 1) / 2 * s->column_pitch, -((double)s->rows - 1) / 2 * s->row_pitch } };
	return GT_OK;
}

gt_status gt_scan_agrees_with_rtk(const gt_scan *s, const gt_rtk_image *image, size_t v, const double m[12], double max)
{
	static const double points[4][3] = { { 0, 0, 0 }, { 31, 0, 0 }, { 0, 17, 0 }, { 0, 0, 23 } };
	const gt_detector d = gt_scan_detector(s);
	for (int i = 0; i < 4; i++) {
		const double *p = points[i], theirs[4] = { -p[0], p[2], p[1], 1 };
		double image_point[3] = { 0, 0, 0 }, column, row;
		for (int k = 0; k < 12; k++)
			image_point[k / 4] += m[k] * theirs[k % 4];
		if (!gt_point_pixel(&d, &s->view[v], p, &column, &row))
			continue;
		const double u = image_point[0] / image_point[2] - (image->origin[0] + column * image->spacing[0]);
		const double w = image_point[1] / image_point[2] - (image->origin[1] + row * image->spacing[1]);
		if (!(hypot(u, w) <= max))
			return gt_fail(GT_ERR_FORMAT,
			               "view %zu: Matrix and parameters contradict each other: they project a point near the axis to "
			               "positions %.4g mm apart",
			               v, hypot(u, w));
	}
	return GT_OK;
}
