/* Vectorised logarithms are bit-identical to (float)-log(), for every kind of value.
 * labels: unit backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/line_integrals.h"
#include "tests/support/support.h"

#define LEAST (1.0 / 65536)

static float expected(double level, float x)
{
	const double t = (double)x / level;
	return (float)-log(t < LEAST ? LEAST : t);
}

static void compare(const double *level, const float *x, size_t n)
{
	float *y = malloc(n * sizeof *y);
	size_t below = 0;
	memcpy(y, x, n * sizeof *y);
	const size_t told = gt_line_integrals(level, LEAST, n, y);
	for (size_t i = 0; i < n; i++) {
		const float is = expected(level[i], x[i]);
		below += (double)x[i] / level[i] < LEAST;
		ck_assert_msg(memcmp(&is, y + i, sizeof is) == 0 || (isnan(is) && isnan(y[i])), "%.9g / %.17g: found %.9g, expected %.9g",
		              (double)x[i], level[i], (double)y[i], (double)is);
	}
	ck_assert_uint_eq(told, below);
	free(y);
}

/* Air, objects and values below the minimum; lengths that fill no block. */
GT_TEST(random_ones)
{
	enum { N = 300007 };
	float *x = malloc(N * sizeof *x);
	double *level = malloc(N * sizeof *level);
	gt_test_random(3, N, x);
	for (size_t i = 0; i < N; i++) {
		level[i] = 0.7 + 1e-6 * (double)i;
		x[i] = (float)exp(i % 3 ? 7 * x[i] - 6 : 0.001 * x[i]);
	}
	compare(level, x, N);
	for (size_t n = 1; n < 12; n++)
		compare(level + 5, x + 5, n);
	compare(level, x, 512);
	compare(level, x, 513);
	free(x);
	free(level);
}

/* The ends of every interval, and values that are no transmissions. */
GT_TEST(special_ones)
{
	static const float x[] = { 1,          0.99999994f, 1.0000001f, 2,    0.5f,  0.70710677f, 0.70710683f,
		                   1.4142135f, 1.4142137f,  0,          -0.f, -3,    1e-30f,      1e30f,
		                   3.4028e38f, INFINITY,    -INFINITY,  NAN,  65535, 1.f / 65536, 1.5e-5f };
	enum { N = sizeof x / sizeof *x };
	double level[N];
	for (int k = 0; k < 3; k++) {
		for (size_t i = 0; i < N; i++)
			level[i] = k == 0 ? 1 : k == 1 ? 0.25 : 1 / 3.;
		compare(level, x, N);
	}
}

int main(void) { return gt_test_main("line_integrals", NULL); }
