/* The ray-driven pairs, entry by entry, against their transpose and against their definitions for one ray and one
 * voxel.
 * labels: property unit */
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "tests/projectors/pairs.h"
#include "tests/projectors/ray_scans.h"

static const char *const models[] = { "joseph", "siddon" };

/* Each case loops over several scans, because a case costs a process. */
enum { CASES = 8 };

/* The CPU sums in double for both types, so single precision is tested on some scans only. */
static int skip_single(int scan) { return !gt_test_is_gpu() && scan % 4; }

GT_TESTS(adjoint_by_elements, CASES)
{
	gt_backend *be = gt_test_backend_alone();
	for (int i = _i; i < ray_scans(); i += CASES) {
		struct gt_test_geometry g = ray_scan(i);
		gt_test_crop(&g.grid, gt_test_is_gpu() ? 20 : 8);
		for (int k = 0; k < 4; k++)
			if (k % 2 || !skip_single(i))
				check_transpose(models[k / 2], be, k % 2 ? GT_F64 : GT_F32, &g, "default");
		gt_scan_free(g.scan);
	}
	gt_backend_close(be);
}

struct line {
	double point[3], direction[3];
	int half; /* starts at point */
};

static double siddon(const gt_grid *g, const struct line *l, const double *center)
{
	double low[3], high[3];
	for (int a = 0; a < 3; a++) {
		low[a] = center[a] - g->pitch[a] / 2;
		high[a] = center[a] + g->pitch[a] / 2;
	}
	return length_in_box(l->point, l->direction, l->half, low, high);
}

/* Tent functions of the distance from the voxel's centre, at the point where the ray meets the plane through it. */
static double joseph(const gt_grid *g, const struct line *l, const double *center)
{
	const double *e = l->direction;
	int d = 1;
	for (int a = 0; a < 3; a++)
		if (fabs(e[a]) / g->pitch[a] > fabs(e[d]) / g->pitch[d] * (1 + 1e-11))
			d = a;
	const double s = (center[d] - l->point[d]) / e[d];
	double weight = g->pitch[d] * sqrt(gt_dot3(e, e)) / fabs(e[d]);
	if (l->half && s <= 0)
		return 0;
	for (int a = 0; a < 3; a++)
		if (a != d)
			weight *= fmax(0, 1 - fabs(l->point[a] + s * e[a] - center[a]) / g->pitch[a]);
	return weight;
}

static double by_definition(int model, const gt_scan *scan, const gt_grid *g, size_t cell, size_t voxel)
{
	const gt_detector det = gt_scan_detector(scan);
	const size_t k = cell % scan->columns, row = cell / scan->columns % scan->rows, view = cell / scan->columns / scan->rows;
	const size_t at[3] = { voxel % g->n[0], voxel / g->n[0] % g->n[1], voxel / g->n[0] / g->n[1] };
	struct line l = { .half = scan->shape != GT_PARALLEL };
	double center[3];
	for (int a = 0; a < 3; a++)
		center[a] = gt_grid_first(g, a) + (double)at[a] * g->pitch[a];
	gt_pixel_ray(&det, &scan->view[view], (double)k, (double)row, l.point, l.direction);
	return model ? siddon(g, &l, center) : joseph(g, &l, center);
}

/* Rows of the adjoint, from unit data. */
static void check_entries(gt_backend *be, int model, gt_type type, const struct gt_test_geometry *g)
{
	const size_t nx = gt_grid_voxels(&g->grid), ny = gt_scan_size(g->scan);
	double worst = 0, largest = 0;
	float *unit = calloc(ny, sizeof *unit);
	gt_linop *A = NULL;
	gt_array *y = NULL, *Aty = NULL;
	ck_ok(gt_projector_new(models[model], be, type, &g->grid, g->scan, &A));
	ck_ok(gt_array_new(be, type, ny, &y));
	ck_ok(gt_array_new(be, type, nx, &Aty));
	for (size_t cell = 0; cell < ny; cell += 3) {
		unit[cell] = 1;
		gt_array_put_float(unit, y);
		unit[cell] = 0;
		gt_adjoint(A, y, Aty);
		double *x = gt_test_values(Aty);
		for (size_t voxel = 0; voxel < nx; voxel++) {
			const double entry = by_definition(model, g->scan, &g->grid, cell, voxel);
			largest = fmax(largest, entry);
			if (!(fabs(entry - x[voxel]) <= worst))
				worst = fabs(entry - x[voxel]);
		}
		free(x);
	}
	ck_ok(gt_backend_status(be));
	/* A face crossed at a slant of s is found to 1e-15 voxels / s. */
	ck_assert_msg(largest > 0 && worst <= (type == GT_F64 ? 1e-11 : 1e-5) * largest, "%s, %s, %s: %.3e of the largest entry",
	              models[model], g->name, gt_type_name(type), worst / largest);
	gt_array_free(y);
	gt_array_free(Aty);
	gt_linop_free(A);
	free(unit);
}

GT_TESTS(entries_by_definition, CASES)
{
	gt_backend *be = gt_test_backend();
	for (int i = _i; i < ray_scans(); i += CASES) {
		const struct gt_test_geometry g = ray_scan(i);
		for (int k = 0; k < 4; k++)
			if (k % 2 || !skip_single(i))
				check_entries(be, k / 2, k % 2 ? GT_F64 : GT_F32, &g);
		gt_scan_free(g.scan);
	}
	gt_backend_close(be);
}

int main(void) { return gt_test_main("ray", NULL); }
