/* The exponential of vectorised loops.
 * labels: unit backend: none */
#include <math.h>
#include "core/vectors/vector_exp.h"
#include "tests/support/support.h"

GT_TEST(agrees_with_exp)
{
	for (double x = -699; x < 699; x += 0.137)
		ck_assert_double_eq_tol(gt_vector_exp(x), exp(x), 3e-10 * exp(x));
	ck_assert(gt_vector_exp(-1e9) < 1e-300 && gt_vector_exp(1e9) > 1e300);
	ck_assert(isnan(gt_vector_exp(NAN)));
}

int main(void) { return gt_test_main("vector_exp", NULL); }
