/* Fetches of layers of textures: refusals, and every pattern. */
/* labels: unit */
#include <math.h>
#include <gantry/array.h>
#include "analytic/table.h"
#include "tests/support/support.h"

static const struct gt_texture_walk small = { 64, 8, 4, 1, 1 };

START_TEST(refusals_name_the_reason)
{
	gt_backend *be = gt_test_backend();
	struct gt_texture_walk wrong[] = { small, small, small };
	double seconds;
	wrong[0].layers = 0;
	wrong[1].layers = 65;
	wrong[2].rows = 0;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert_int_eq(gt_texture_walk(be, &wrong[i], &seconds), GT_ERR_UNSUPPORTED);
		ck_assert_ptr_nonnull(strstr(gt_error(), gt_backend_is_gpu(be) ? "expected 1 to 64 layers" : "need a GPU"));
	}
	ck_assert_int_eq(gt_texture_walk(NULL, &small, &seconds), GT_ERR_ARG);
	gt_backend_close(be);
}
END_TEST

/* Times of patterns are not compared: other programs may use the GPU. */
START_TEST(every_pattern_runs)
{
	gt_backend *be = gt_test_backend();
	const struct gt_texture_walk w = { 256, 8, 8, _i & 1, _i >> 1 };
	double seconds = NAN;
	ck_assert_int_eq(gt_texture_walk(be, &w, &seconds), gt_backend_is_gpu(be) ? GT_OK : GT_ERR_UNSUPPORTED);
	ck_assert(!gt_backend_is_gpu(be) || (isfinite(seconds) && seconds > 0));
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, refusals_name_the_reason);
	tcase_add_loop_test(tc, every_pattern_runs, 0, 4);
}

int main(void) { return gt_test_main("texture_walk", fill); }
