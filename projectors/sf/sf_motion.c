/* Derivatives of the footprint of a voxel by the velocities of a view: see sf_motion.h. */
#include <math.h>
#include <string.h>
#include "projectors/sf/sf_motion.h"

/* Adds the derivative e . (a T + b V - W x arm) of a position. */
static void along(const double e[3], double a, double b, const double arm[3], double by[GT_VELOCITIES])
{
	double torque[3];
	gt_cross3(arm, e, torque);
	for (int c = 0; c < 3; c++) {
		by[GT_VELOCITY_T + c] = a * e[c];
		by[GT_VELOCITY_W + c] = -torque[c];
		by[GT_VELOCITY_V + c] = b * e[c];
	}
}

/* Direction of the columns at a column of the detector. */
static void tangent_at(const gt_sf_pose *p, double column, double t[3])
{
	memcpy(t, p->view->column_axis, 3 * sizeof *t);
	if (p->detector.shape != GT_ARC)
		return;
	double arm[3];
	gt_arc_arm(p->view, arm);
	const double radius = sqrt(gt_dot3(arm, arm)), angle = (column - p->detector.column_center) * p->detector.column_pitch / radius;
	for (int a = 0; a < 3; a++)
		t[a] = cos(angle) * t[a] - sin(angle) * arm[a] / radius;
}

static void image_of(const gt_sf_pose *p, const double X[3], gt_sf_image *out)
{
	const gt_view *w = p->view;
	const int parallel = p->detector.shape == GT_PARALLEL;
	double column = 0, row = 0, P[3], t[3], n[3], q[3], arm[3], e[3], way[3];
	gt_point_pixel(&p->detector, w, X, &column, &row);
	gt_pixel_point(&p->detector, w, column, row, P);
	tangent_at(p, column, t);
	gt_cross3(t, w->row_axis, n);
	for (int a = 0; a < 3; a++) {
		q[a] = parallel ? w->detector[a] - w->source[a] : X[a] - w->source[a];
		arm[a] = P[a] - w->detector[a];
		way[a] = parallel ? P[a] - X[a] : P[a] - w->source[a];
	}
	const double nq = gt_dot3(n, q), times = gt_dot3(way, q) / gt_dot3(q, q);
	const double *axis[2] = { t, w->row_axis }, pitch[2] = { p->detector.column_pitch, p->detector.row_pitch };
	for (int i = 0; i < 2; i++) {
		const double slope = gt_dot3(axis[i], q) / nq, scale = (i && p->flip_rows ? -1 : 1) / pitch[i];
		for (int a = 0; a < 3; a++)
			e[a] = scale * (axis[i][a] - slope * n[a]);
		along(e, parallel ? times - 1 : -1, parallel ? -times : 1 - times, arm, out->by[i]);
	}
	out->at[0] = column + 0.5;
	out->at[1] = p->flip_rows ? (double)p->rows - 0.5 - row : row + 0.5;
}

static void image_at(const gt_sf_pose *p, double x, double y, double z, gt_sf_image *out)
{
	const double at[3] = { x, y, z };
	double X[3];
	for (int a = 0; a < 3; a++)
		X[a] = gt_grid_first(p->grid, a) + at[a] * p->grid->pitch[a];
	image_of(p, X, out);
}

/* Derivatives of the columns of the corners, in the order of the trapezoid. */
static void order_columns(const gt_sf_image corner[4], double by[4][GT_VELOCITIES])
{
	int order[4] = { 0, 1, 2, 3 };
	for (int i = 1; i < 4; i++)
		for (int j = i; j > 0 && corner[order[j]].at[0] < corner[order[j - 1]].at[0]; j--) {
			const int other = order[j];
			order[j] = order[j - 1];
			order[j - 1] = other;
		}
	for (int i = 0; i < 4; i++)
		memcpy(by[i], corner[order[i]].by[0], sizeof by[i]);
}

/* Slopes of column (0) and row (1) along x and y, times twice the pitch; c < 0: of the positions, else derivatives. */
static double slope(const gt_sf_image corner[4], int which, int axis, int c)
{
	double sum = 0;
	for (int i = 0; i < 4; i++)
		sum += ((i >> axis) & 1 ? 1 : -1) * (c < 0 ? corner[i].at[which] : corner[i].by[which][c]);
	return sum;
}

/* Derivatives of the rows of both faces, of the voxel's height along a column: see gt_sf_voxel_of(). */
static void rows_by(const gt_sf *d, const gt_sf_image corner[4], const gt_sf_image face[2], gt_sf_motion *out)
{
	const double px = d->pitch[0], py = d->pitch[1], high = face[1].at[1] - face[0].at[1];
	const double roll = (face[1].at[0] - face[0].at[0]) / high;
	const double kx = slope(corner, 0, 0, -1) / px, ky = slope(corner, 0, 1, -1) / py, lx = slope(corner, 1, 0, -1) / px,
		     ly = slope(corner, 1, 1, -1) / py;
	const double x1 = kx - roll * lx, y1 = ky - roll * ly, Q = x1 * x1 + y1 * y1, R = kx * kx + ky * ky, taller = sqrt(Q / R);
	for (int c = 0; c < GT_VELOCITIES; c++) {
		const double dhigh = face[1].by[1][c] - face[0].by[1][c];
		const double droll = (face[1].by[0][c] - face[0].by[0][c] - roll * dhigh) / high;
		const double dkx = slope(corner, 0, 0, c) / px, dky = slope(corner, 0, 1, c) / py;
		const double dx1 = dkx - roll * slope(corner, 1, 0, c) / px - droll * lx,
			     dy1 = dky - roll * slope(corner, 1, 1, c) / py - droll * ly;
		const double dtaller = taller * ((x1 * dx1 + y1 * dy1) / Q - (kx * dkx + ky * dky) / R);
		const double middle = 0.5 * (face[0].by[1][c] + face[1].by[1][c]), half = 0.5 * (taller * dhigh + dtaller * high);
		out->by[GT_SF_LOW][c] = middle - half;
		out->by[GT_SF_HIGH][c] = middle + half;
	}
}

/* The chord is |e| / max(|a|, |b|), e = (a dx, b dy), along the ray of the voxel's centre. */
static void chord_by(const gt_sf *d, const gt_sf_view *v, int parallel, int x, int y, double by[GT_VELOCITIES])
{
	const double e[2] = { v->toward[0][0] + v->toward[0][1] * x, v->toward[1][0] + v->toward[1][1] * y };
	const double mm[2] = { e[0] * d->pitch[0], e[1] * d->pitch[1] }, length = hypot(mm[0], mm[1]);
	const int max = !(fabs(e[0]) > fabs(e[1]));
	memset(by, 0, GT_VELOCITIES * sizeof *by);
	for (int a = 0; a < 2; a++) {
		const double chord = length / fabs(e[max]), by_mm = chord * (mm[a] / (length * length) - (a == max ? 1 / mm[a] : 0));
		by[GT_VELOCITY_V + a] = -by_mm;
		by[GT_VELOCITY_T + a] = parallel ? by_mm : 0;
	}
}

int gt_sf_motion_of(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, int x, int y, int z, gt_sf_motion *out)
{
	gt_sf_image corner[4], face[2];
	if (!gt_sf_voxel_of(d, v, x, y, z, &out->voxel))
		return 0;
	for (int c = 0; c < 4; c++)
		image_at(p, x + (c & 1) - 0.5, y + (c >> 1) - 0.5, z, &corner[c]);
	for (int f = 0; f < 2; f++)
		image_at(p, x, y, z + f - 0.5, &face[f]);
	order_columns(corner, out->by);
	rows_by(d, corner, face, out);
	chord_by(d, v, p->detector.shape == GT_PARALLEL, x, y, out->by[GT_SF_CHORD]);
	return 1;
}

void gt_sf_area_by(const gt_sf_trapezoid *t, double s, double by[4])
{
	const double *at = t->at, up = gt_sf_within(s, at[0], at[1]), down = gt_sf_within(s, at[2], at[3]);
	const double rise = up * 2 * t->rise, fall = down * 2 * t->fall; /* fractions of the flanks */
	const double low = at[1] > at[0] ? rise : s > at[0], high = at[3] > at[2] ? fall : s > at[2];
	by[0] = -low + 0.5 * low * low;
	by[1] = -0.5 * low * low;
	by[2] = high - 0.5 * high * high;
	by[3] = 0.5 * high * high;
}

double gt_sf_slant_by(const gt_sf_pose *p, int k, int l, double by[GT_VELOCITIES])
{
	const double row = p->flip_rows ? (double)p->rows - 1 - l : l;
	double point[3], e[3], arm[3], g[3], torque[3];
	gt_pixel_ray(&p->detector, p->view, k, row, point, e);
	const int fan = p->detector.shape != GT_PARALLEL;
	const double square = e[0] * e[0] + e[1] * e[1], slant = sqrt(1 + e[2] * e[2] / square);
	for (int a = 0; a < 3; a++) {
		arm[a] = point[a] + e[a] - p->view->detector[a];
		g[a] = a == 2 ? e[2] / (square * slant) : -e[2] * e[2] * e[a] / (square * square * slant);
	}
	gt_cross3(arm, g, torque);
	for (int a = 0; a < 3; a++) {
		by[GT_VELOCITY_T + a] = g[a];
		by[GT_VELOCITY_W + a] = fan ? torque[a] : 0;
		by[GT_VELOCITY_V + a] = -g[a];
	}
	return slant;
}
