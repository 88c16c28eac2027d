/* On voxels of any shape a step costs the same per area along every axis: tv, and pairs across faces.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <gantry/grid.h>
#include <gantry/regularizer.h>
#include "tests/support/support.h"

static const char *const penalties[] = { "tv", "tv:kind=anisotropic", "qggmrf:neighbours=6,c=0.1", "huber:neighbours=6,delta=0.1" };
enum { PENALTIES = sizeof penalties / sizeof *penalties };
static const gt_grid grids[] = { { { 8, 7, 6 }, { 0.1, 0.1, 0.4 }, { 0, 0, 0 } }, { { 5, 6, 9 }, { 0.7, 0.4, 0.15 }, { 1, 2, 3 } } };
enum { GRIDS = sizeof grids / sizeof *grids };

/* Cost per mm^2 of a step of height 1 across an axis. */
static double step_cost(gt_backend *be, const char *spec, const gt_grid *g, int axis)
{
	const size_t n = gt_grid_voxels(g);
	double *host = malloc(n * sizeof *host), area = 1;
	gt_array *x;
	gt_penalty *R;
	ck_assert_ptr_nonnull(host);
	for (size_t i = 0; i < n; i++) {
		const size_t at[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		host[i] = at[axis] >= g->n[axis] / 2;
	}
	for (int a = 0; a < 3; a++)
		area *= a == axis ? 1 : (double)g->n[a] * g->pitch[a];
	ck_ok(gt_array_new(be, GT_F64, n, &x));
	gt_array_put(host, x);
	ck_ok(gt_regularizer_new(spec, be, GT_F64, g, NULL, &R));
	const double cost = gt_penalty_value(R, x);
	ck_ok(gt_backend_status(be));
	gt_penalty_free(R);
	gt_array_free(x);
	free(host);
	return cost / area;
}

START_TEST(steps_cost_their_area)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < PENALTIES; k++)
		for (int i = 0; i < GRIDS; i++) {
			const double expected = step_cost(be, penalties[k], &grids[i], 0);
			ck_assert(expected > 0);
			for (int axis = 1; axis < 3; axis++) {
				const double cost = step_cost(be, penalties[k], &grids[i], axis);
				ck_assert_msg(fabs(cost - expected) < 1e-9 * expected,
				              "%s on grid %d: %.9g per mm^2 across axis %d, %.9g across x", penalties[k], i, cost, axis,
				              expected);
			}
		}
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc) { tcase_add_test(tc, steps_cost_their_area); }

int main(void) { return gt_test_main("voxel_shapes", fill); }
