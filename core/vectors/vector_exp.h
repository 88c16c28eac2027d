#ifndef GT_CORE_VECTORS_VECTOR_EXP_H
#define GT_CORE_VECTORS_VECTOR_EXP_H
/* An exponential function without branches or calls, so that compilers vectorise loops with it. */
#include <stdint.h>
#include <string.h>
#include "core/clones.h"

/* exp(x) to a relative error of 3e-10; x beyond -700 to 700 is clamped, NaN is kept. exp(x) = 2^k exp(r) with |r| <=
 * ln(2)/2, and exp(r) is a Taylor polynomial. */
GT_INLINE double gt_vector_exp(double x)
{
	const double round = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer in the lowest bits */
	const double limited = x < -700 ? -700 : x > 700 ? 700 : x, shifted = limited * 1.4426950408889634 + round, k = shifted - round;
	const double r = limited - k * 0.6931471805599453;
	const double p =
		1 + r * (1 + r * (1. / 2 +
	                          r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r * (1. / 720 + r * (1. / 5040 + r * (1. / 40320))))))));
	uint64_t bits;
	double power;
	memcpy(&bits, &shifted, sizeof bits);
	bits = (bits + 1023) << 52;
	memcpy(&power, &bits, sizeof power);
	return p * power;
}

#endif
