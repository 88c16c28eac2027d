/* Total variation with axis weights.
 * labels: unit property */
#include "tests/regularizers/tv_model.h"

/* Axis weights act as pitches: 2 along x equals twice the strength with half the weights elsewhere. Weight 0 makes
 * voxels infinitely long. */
GT_TEST(directional_is_another_grid)
{
	static const struct {
		const char *spec, *same;
		double pitch[3];
	} cases[] = {
		{ "tv:strength=1.7,smooth=0.3,y=0.5,inner=30", "tv:strength=1.7,smooth=0.3,inner=30", { 0.5, 1.6, 1.25 } },
		{ "tv:strength=1.7,smooth=0.3,x=2,inner=30", "tv:strength=3.4,smooth=0.15,inner=30", { 0.5, 1.6, 2.5 } },
		{ "tv:strength=1.7,smooth=0.3,z=0,inner=30,kind=anisotropic",
		  "tv:strength=1.7,smooth=0.3,inner=30,kind=anisotropic",
		  { 0.5, 0.8, 1e12 } },
	};
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 3; k++) {
		gt_grid g = { { 6, 9, 5 }, { 0.5, 0.8, 1.25 }, { 0, 0, 0 } };
		const size_t n = gt_grid_voxels(&g);
		double value[2], *prox[2], *gradient[2];
		for (int i = 0; i < 2; i++) {
			gt_penalty *R;
			gt_array *x = gt_test_array(be, GT_F64, n, 5), *y = gt_test_array(be, GT_F64, n, 6);
			ck_ok(gt_regularizer_new(i ? cases[k].same : cases[k].spec, be, GT_F64, &g, NULL, &R));
			value[i] = gt_penalty_value(R, x);
			gt_penalty_gradient(R, x, y, NULL);
			gradient[i] = get(y);
			gt_penalty_prox(R, 0.1, -0.6, 0.7, x, y);
			prox[i] = get(y);
			gt_penalty_free(R), gt_array_free(x), gt_array_free(y);
			memcpy(g.pitch, cases[k].pitch, sizeof g.pitch);
		}
		ck_assert_double_eq_tol(value[0], value[1], 1e-9 * value[1]);
		/* twice the strength at half the lengths */
		ck_assert_double_lt(farthest(gradient[0], gradient[1], n), 1e-9);
		ck_assert_double_lt(farthest(prox[0], prox[1], n), 1e-9);
		for (int i = 0; i < 2; i++)
			free(prox[i]), free(gradient[i]);
	}
	gt_backend_close(be);
}

int main(void) { return gt_test_main("directional tv", NULL); }
