/* Streaks of an image before and after the correction of metal. labels: unit  backend: none */
#include <math.h>
#include <string.h>
#include "prepare/metal/metal_streaks.h"
#include "tests/support/support.h"

/* Half as high streaks have the ratio 0.5; the metal and three voxels around it do not count. */
GT_TEST(ratio_of_streaks)
{
	enum { N = 24 };
	const gt_grid g = { { N, N, 3 }, { 1, 1, 1 }, { 0, 0, 0 } };
	float before[3 * N * N], after[3 * N * N];
	unsigned char metal[3 * N * N] = { 0 };
	double ratio = 0;
	for (size_t i = 0; i < 3 * N * N; i++) {
		before[i] = (float)gt_test_normal(17, i);
		after[i] = before[i] / 2;
	}
	for (size_t k = 0; k < 3; k++) {
		metal[k * N * N + 10 * N + 13] = 1;
		before[k * N * N + 10 * N + 13] = 1000;
	}
	ck_ok(gt_metal_streak_ratio(&g, NULL, metal, before, after, &ratio));
	ck_assert_double_eq_tol(ratio, 0.5, 1e-5);
	memset(before, 0, sizeof before);
	ck_ok(gt_metal_streak_ratio(&g, NULL, metal, before, after, &ratio));
	ck_assert(isinf(ratio));
}

int main(void) { return gt_test_main("metal streaks", NULL); }
