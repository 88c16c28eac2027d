/* Conversion of flat detectors to and from 3x4 projection matrices (M | p), M = (m1, m2, m3) by rows. The scale is
 * |m3| = 1 and w > 0 in front of the source:
 *   m3 = w^,  m1 = (D/du) u^ + kc w^,  m2 = (D/dv) v^ + lc w^,  p = -M source,
 * u^, v^, w^ = column axis, row axis and normal of the detector; D is its distance from the source; (kc, lc) is the
 * pixel at the foot of the perpendicular. Hartley and Zisserman, Multiple View Geometry, 2nd ed., section 6.2. */
#include <math.h>
#include <gantry/scan.h>
#include <gantry/author/scan_math.h>
#include "core/arguments.h"
#include "geometry/scan.h"

#define TOLERANCE 1e-6

gt_status gt_matrix_from_view(const gt_scan *scan, size_t view, double matrix[12])
{
	GT_NEED(scan);
	GT_NEED(matrix);
	if (scan->shape != GT_FLAT)
		return gt_fail(GT_ERR_UNSUPPORTED, "projection matrices: found detector shape %s: expected a flat detector",
		               gt_shape_names[scan->shape]);
	if (view >= scan->views)
		return gt_fail(GT_ERR_ARG, "matrix of view %zu: the scan has %zu views", view, scan->views);
	const gt_view *w = &scan->view[view];
	double normal[3], ray[3];
	gt_cross3(w->column_axis, w->row_axis, normal);
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	const double toward = gt_dot3(normal, ray), scale = (toward < 0 ? -1 : 1) / sqrt(gt_dot3(normal, normal));
	const double distance = toward * scale;
	const double foot[2] = { scan->column_center - gt_dot3(ray, w->column_axis) / scan->column_pitch,
		                 scan->row_center - gt_dot3(ray, w->row_axis) / scan->row_pitch };
	for (int a = 0; a < 3; a++) {
		const double n = normal[a] * scale;
		matrix[a] = distance / scan->column_pitch * w->column_axis[a] + foot[0] * n;
		matrix[4 + a] = distance / scan->row_pitch * w->row_axis[a] + foot[1] * n;
		matrix[8 + a] = n;
	}
	for (int row = 0; row < 3; row++)
		matrix[4 * row + 3] = -gt_dot3(matrix + 4 * row, w->source);
	return GT_OK;
}

/* Parameters of a matrix: D/du, D/dv and the pixel at the foot of the perpendicular. */
typedef struct {
	double source[3], column[3], row[3], normal[3], scale[2], foot[2];
} pinhole;

static gt_status read_matrix(const double matrix[12], size_t v, pinhole *h)
{
	double m[3][3], p[3], volume[3], c[3][3];
	for (int i = 0; i < 12; i++)
		if (!isfinite(matrix[i]))
			return gt_fail(GT_ERR_FORMAT, "projection matrix of view %zu has %g in row %d, column %d: expected finite numbers",
			               v, matrix[i], i / 4 + 1, i % 4 + 1);
	const double norm = sqrt(gt_dot3(matrix + 8, matrix + 8));
	if (!(norm > 0) || !(fabs(matrix[11]) > 0))
		return gt_fail(GT_ERR_FORMAT,
		               "projection matrix of view %zu has the last row (%g, %g, %g, %g): expected a source away from the origin", v,
		               matrix[8], matrix[9], matrix[10], matrix[11]);
	/* The origin is in front of the source, which determines the sign of the matrix. */
	const double unit = (matrix[11] < 0 ? -1 : 1) / norm;
	for (int r = 0; r < 3; r++) {
		for (int a = 0; a < 3; a++)
			m[r][a] = matrix[4 * r + a] * unit;
		p[r] = matrix[4 * r + 3] * unit;
	}
	for (int k = 0; k < 2; k++) {
		double *axis = k ? h->row : h->column;
		h->foot[k] = gt_dot3(m[k], m[2]);
		for (int a = 0; a < 3; a++)
			axis[a] = m[k][a] - h->foot[k] * m[2][a];
		h->scale[k] = sqrt(gt_dot3(axis, axis));
		for (int a = 0; a < 3; a++)
			axis[a] /= h->scale[k];
	}
	gt_cross3(h->column, h->row, volume);
	if (!(fabs(gt_dot3(volume, m[2])) > TOLERANCE))
		return gt_fail(GT_ERR_FORMAT, "projection matrix of view %zu is singular: expected three independent rows", v);
	/* source = -M^-1 p, with the foot subtracted from the rows to keep the numbers in one range. */
	const double q[3] = { (p[0] - h->foot[0] * p[2]) / h->scale[0], (p[1] - h->foot[1] * p[2]) / h->scale[1], p[2] };
	gt_cross3(h->row, m[2], c[0]);
	gt_cross3(m[2], h->column, c[1]);
	gt_cross3(h->column, h->row, c[2]);
	for (int a = 0; a < 3; a++) {
		h->normal[a] = m[2][a];
		h->source[a] = -(q[0] * c[0][a] + q[1] * c[1][a] + q[2] * c[2][a]) / gt_dot3(volume, m[2]);
	}
	return GT_OK;
}

/* Places the detector at the distance where its columns have the common pitch; its rows must agree. */
static gt_status place_detector(const pinhole *h, size_t v, const gt_scan *scan, gt_view *w)
{
	const double skew = gt_dot3(h->column, h->row), distance = h->scale[0] * scan->column_pitch;
	const double row_pitch = distance / h->scale[1];
	if (fabs(skew) > TOLERANCE)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"projection matrix of view %zu is skewed: the product of its column and row axes is %.3g, expected at most %g", v,
			skew, TOLERANCE);
	if (fabs(row_pitch - scan->row_pitch) > TOLERANCE * scan->row_pitch)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "projection matrix of view %zu has rows of %.9g mm for columns of %.9g mm: expected %.9g mm as in view 0", v,
		               row_pitch, scan->column_pitch, scan->row_pitch);
	for (int a = 0; a < 3; a++) {
		w->source[a] = w->arc_center[a] = h->source[a];
		w->column_axis[a] = h->column[a];
		w->row_axis[a] = h->row[a];
		w->detector[a] = h->source[a] + distance * h->normal[a] +
		                 (scan->column_center - h->foot[0]) * scan->column_pitch * h->column[a] +
		                 (scan->row_center - h->foot[1]) * scan->row_pitch * h->row[a];
	}
	return GT_OK;
}

static gt_status fill_views(const double (*matrix)[12], gt_scan *s)
{
	const double share = 1 / (double)s->views;
	gt_status st = GT_OK;
	pinhole h;
	for (size_t v = 0; v < s->views; v++) {
		if ((st = read_matrix(matrix[v], v, &h)) != GT_OK)
			return st;
		if (!v) {
			s->column_pitch = s->source_to_detector / h.scale[0];
			s->row_pitch = s->source_to_detector / h.scale[1];
		}
		s->column_center += share * h.foot[0];
		s->row_center += share * h.foot[1];
		s->source_to_axis += share * hypot(h.source[0], h.source[1]);
	}
	for (size_t v = 0; v < s->views; v++)
		if ((st = read_matrix(matrix[v], v, &h)) != GT_OK || (st = place_detector(&h, v, s, &s->view[v])) != GT_OK)
			return st;
	if (gt_scan_is_laminography(s)) {
		s->source_to_axis = 0;
		for (size_t v = 0; v < s->views; v++)
			s->source_to_axis += share * gt_scan_axis_distance(s, v);
	}
	gt_scan_derive_angles(s);
	return gt_scan_check(s);
}

gt_status gt_scan_from_matrices(const double (*matrix)[12], size_t views, size_t rows, size_t columns, double source_to_detector,
                                gt_scan **scan)
{
	GT_NEED(matrix);
	GT_NEED(scan);
	*scan = NULL;
	if (!views)
		return gt_fail(GT_ERR_ARG, "no projection matrices: expected at least 1");
	if (!(source_to_detector > 0) || !isfinite(source_to_detector))
		return gt_fail(GT_ERR_ARG, "source_to_detector=%g for projection matrices: expected a finite number greater than 0",
		               source_to_detector);
	gt_scan *s;
	gt_status st = gt_scan_new(GT_FLAT, views, rows, columns, &s);
	if (st != GT_OK)
		return st;
	s->source_to_detector = source_to_detector;
	if ((st = fill_views(matrix, s)) != GT_OK) {
		gt_scan_free(s);
		return st;
	}
	*scan = s;
	return GT_OK;
}
