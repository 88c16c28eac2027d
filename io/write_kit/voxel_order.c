/* Maps voxel axes of a file, which follow the patient's in any order, to the scanner's. */
#include <math.h>
#include <stdint.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "geometry/patient_position.h"
#include "io/write_kit/volume_units.h"
#include "io/write_kit/voxel_order.h"

/* Largest tilt of an axis: a twentieth of a voxel after 500. */
#define LEVEL 1e-4

static gt_status check_numbers(const char *path, const double m[12])
{
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 4; c++)
			if (!isfinite(m[4 * r + c]))
				return gt_fail(GT_ERR_FORMAT, "%s: its orientation holds %g, expected finite numbers", path, m[4 * r + c]);
	return GT_OK;
}

/* Patient axis that axis c of the file follows. */
static gt_status axis_of(const char *path, const double m[12], int c, int *axis)
{
	const double length = sqrt(m[c] * m[c] + m[4 + c] * m[4 + c] + m[8 + c] * m[8 + c]);
	int max = 0;
	for (int r = 1; r < 3; r++)
		if (fabs(m[4 * r + c]) > fabs(m[4 * max + c]))
			max = r;
	*axis = max;
	if (!(length > 0))
		return gt_fail(GT_ERR_FORMAT, "%s: axis %d of its orientation has no length", path, c + 1);
	const double beside = sqrt(fmax(0, length * length - m[4 * max + c] * m[4 * max + c])) / length;
	if (beside > LEVEL)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: oblique: its axis %d runs along (%.4g, %.4g, %.4g) of the patient (right, front, head), %.3g degrees off "
			"the nearest axis: expected axes along the patient's; resample it first",
			path, c + 1, m[c] / length, m[4 + c] / length, m[8 + c] / length, asin(fmin(1, beside)) * 180 / GT_PI);
	return GT_OK;
}

gt_status gt_order_voxels(const char *path, const size_t n[3], const double m[12], gt_position position, gt_place *p)
{
	gt_status st;
	int axis[3];
	double down[3];
	*p = (gt_place){ .n = { n[0], n[1], n[2] } };
	GT_TRY(check_numbers(path, m));
	for (int c = 0; c < 3; c++) {
		GT_TRY(axis_of(path, m, c, &axis[c]));
		for (int b = 0; b < c; b++)
			if (axis[b] == axis[c])
				GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: axes %d and %d of its orientation are the same", path, b + 1, c + 1));
	}
	if ((double)n[0] * (double)n[1] * (double)n[2] > 1e18)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu x %zu x %zu voxels overflow", path, n[0], n[1], n[2]));
	for (int c = 0; c < 3; c++) {
		const int a = axis[c], sign = gt_position_sign(position, a);
		p->grid.n[a] = n[c];
		p->grid.pitch[a] = fabs(m[4 * a + c]);
		down[c] = sign * m[4 * a + c] < 0;
		p->grid.center[a] = sign * (m[4 * a + 3] + m[4 * a + c] * ((double)n[c] - 1) / 2);
	}
	GT_TRY(gt_volume_check(path, &p->grid));
	for (int c = 0; c < 3; c++) {
		const int a = axis[c];
		size_t stride = 1;
		for (int b = 0; b < a; b++)
			stride *= p->grid.n[b];
		p->step[c] = down[c] ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
		p->first += down[c] ? (n[c] - 1) * stride : 0;
	}
done:
	return st;
}

void gt_place_lines(const gt_place *p, size_t at, size_t lines, const float *values, float *data)
{
	for (size_t l = at; l < at + lines; l++, values += p->n[0]) {
		float *to = data + (ptrdiff_t)p->first + (ptrdiff_t)(l % p->n[1]) * p->step[1] + (ptrdiff_t)(l / p->n[1]) * p->step[2];
		for (size_t i = 0; i < p->n[0]; i++)
			to[(ptrdiff_t)i * p->step[0]] = values[i];
	}
}

void gt_place_matrix(const gt_grid *g, gt_position position, double m[12])
{
	for (int r = 0; r < 3; r++) {
		const int sign = gt_position_sign(position, r);
		for (int c = 0; c < 3; c++)
			m[4 * r + c] = r == c ? sign * g->pitch[r] : 0;
		m[4 * r + 3] = sign * gt_grid_first(g, r);
	}
}
