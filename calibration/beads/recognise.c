/* Identifies known positions with the beads found, and their pose in the frame of the scan. */
#include <math.h>
#include <string.h>
#include <gantry/author/vec3.h>
#include "calibration/beads/beads.h"
#include "core/basis/symmetric.h"

enum { MAX_BEADS = GT_BEADS_MAX };
/* Fraction of the span: positions with a larger deviation belong to other beads. */
static const double tolerance = 0.02;

/* Returns the eigenvector of the largest eigenvalue of a symmetric matrix. */
static void largest_eigenvector(double a[4][4], double vector[4])
{
	double q[4][4];
	int best = 0;
	gt_symmetric_eigen(4, &a[0][0], &q[0][0]);
	for (int k = 1; k < 4; k++)
		if (a[k][k] > a[best][best])
			best = k;
	for (int k = 0; k < 4; k++)
		vector[k] = q[k][best];
}

static void middle(size_t n, const double (*x)[3], double mean[3])
{
	for (int a = 0; a < 3; a++) {
		mean[a] = 0;
		for (size_t k = 0; k < n; k++)
			mean[a] += x[k][a] / (double)n;
	}
}

/* B. K. P. Horn, J. Opt. Soc. Am. A 4 (1987) 629: rotation as a unit quaternion. */
void gt_beads_superpose(size_t n, const double (*shape)[3], const double (*place)[3], double *scale, double (*moved)[3])
{
	double from[3], to[3], m[3][3] = { { 0 } }, size[2] = { 0, 0 }, q[4];
	middle(n, shape, from);
	middle(n, place, to);
	for (size_t k = 0; k < n; k++)
		for (int a = 0; a < 3; a++) {
			size[0] += (shape[k][a] - from[a]) * (shape[k][a] - from[a]);
			size[1] += (place[k][a] - to[a]) * (place[k][a] - to[a]);
			for (int b = 0; b < 3; b++)
				m[a][b] += (shape[k][a] - from[a]) * (place[k][b] - to[b]);
		}
	double h[4][4] = {
		{ m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0] },
		{ m[1][2] - m[2][1], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2] },
		{ m[2][0] - m[0][2], m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1] },
		{ m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1] },
	};
	largest_eigenvector(h, q);
	const double w = q[0], x = q[1], y = q[2], z = q[3];
	const double r[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
		                 { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
		                 { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
	const double factor = scale && size[0] > 0 ? sqrt(size[1] / size[0]) : 1;
	if (scale)
		*scale = factor;
	for (size_t k = 0; k < n; k++) {
		double d[3];
		for (int a = 0; a < 3; a++)
			d[a] = factor * (shape[k][a] - from[a]);
		for (int a = 0; a < 3; a++)
			moved[k][a] = to[a] + gt_dot3(r[a], d);
	}
}

/* Returns coordinates in the frame of three points: origin at the first, x towards the second, the third in the plane.
 * Returns 0 if they are collinear. side: distances first-second, first-third, second-third. */
static int in_frame(size_t n, const double (*x)[3], const size_t t[3], double (*out)[3], double side[3])
{
	double e[3][3], d[3];
	for (int a = 0; a < 3; a++) {
		e[0][a] = x[t[1]][a] - x[t[0]][a];
		e[1][a] = x[t[2]][a] - x[t[0]][a];
		d[a] = x[t[2]][a] - x[t[1]][a];
	}
	side[0] = sqrt(gt_dot3(e[0], e[0]));
	side[1] = sqrt(gt_dot3(e[1], e[1]));
	side[2] = sqrt(gt_dot3(d, d));
	gt_cross3(e[0], e[1], e[2]);
	const double area = sqrt(gt_dot3(e[2], e[2]));
	if (!(area > 1e-3 * side[0] * side[0]))
		return 0;
	for (int a = 0; a < 3; a++) {
		e[0][a] /= side[0];
		e[2][a] /= area;
	}
	gt_cross3(e[2], e[0], e[1]);
	for (size_t k = 0; k < n && out; k++) {
		for (int a = 0; a < 3; a++)
			d[a] = x[k][a] - x[t[0]][a];
		for (int a = 0; a < 3; a++)
			out[k][a] = gt_dot3(e[a], d);
	}
	return 1;
}

/* Returns the sum of squared distances to the nearest known positions, or INFINITY unless the assignment is one to one.
 * which[k]: known position of bead k. */
static double compare(size_t n, const double (*found)[3], const double (*known)[3], double scale, size_t *which)
{
	int used[MAX_BEADS] = { 0 };
	double sum = 0;
	for (size_t k = 0; k < n; k++) {
		double min = INFINITY;
		for (size_t l = 0; l < n; l++) {
			double d = 0;
			for (int a = 0; a < 3; a++)
				d += (found[k][a] - scale * known[l][a]) * (found[k][a] - scale * known[l][a]);
			if (d < min) {
				min = d;
				which[k] = l;
			}
		}
		if (used[which[k]]++)
			return INFINITY;
		sum += min;
	}
	return sum;
}

/* Chooses three beads far from each other. */
static void choose_three(size_t n, const double (*x)[3], size_t t[3])
{
	double max = -1, side[3];
	t[0] = 0;
	for (size_t k = 1; k < n; k++) {
		const double d = hypot(hypot(x[k][0] - x[0][0], x[k][1] - x[0][1]), x[k][2] - x[0][2]);
		if (d > max) {
			max = d;
			t[1] = k;
		}
	}
	max = -1;
	for (size_t k = 1; k < n; k++) {
		const size_t one[3] = { t[0], t[1], k };
		if (k != t[1] && in_frame(n, x, one, NULL, side) && fmin(side[1], side[2]) > max) {
			max = fmin(side[1], side[2]);
			t[2] = k;
		}
	}
	if (max < 0)
		t[2] = t[1] == 1 ? 2 : 1;
}

gt_status gt_beads_recognise(const gt_bead_search *s, const double (*known)[3], double (*shape)[3])
{
	const size_t n = s->beads;
	const double(*place)[3] = (const double(*)[3])s->place;
	size_t t[3] = { 0 }, u[3], which[MAX_BEADS], best[MAX_BEADS] = { 0 };
	double found[MAX_BEADS][3], there[MAX_BEADS][3], side[3], other[3], min = INFINITY;
	choose_three(n, place, t);
	if (!in_frame(n, place, t, found, side))
		return gt_fail(GT_ERR_UNSUPPORTED, "the beads found are collinear: the geometry is not unique");
	for (u[0] = 0; u[0] < n; u[0]++)
		for (u[1] = 0; u[1] < n; u[1]++)
			for (u[2] = 0; u[2] < n; u[2]++) {
				if (u[0] == u[1] || u[0] == u[2] || u[1] == u[2] || !in_frame(n, known, u, NULL, other))
					continue;
				const double scale = side[0] / other[0];
				if (fabs(other[1] * scale - side[1]) > tolerance * side[0] ||
				    fabs(other[2] * scale - side[2]) > tolerance * side[0])
					continue;
				in_frame(n, known, u, there, other);
				const double d = compare(n, (const double(*)[3])found, (const double(*)[3])there, scale, which);
				if (d < min) {
					min = d;
					memcpy(best, which, sizeof best);
				}
			}
	if (!(sqrt(min / (double)n) < tolerance * side[0]))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "the positions do not match the %zu beads found, up to rotation, translation and scale: %s; check "
		               "the rotation direction and that the positions belong to this phantom",
		               n, isfinite(min) ? "the RMS deviation exceeds 2 % of the distance between beads" : "no three of them fit");
	for (size_t k = 0; k < n; k++)
		memcpy(shape[k], known[best[k]], sizeof shape[k]);
	return GT_OK;
}
