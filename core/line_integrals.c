/* Vectorised logarithms. t = 2^e m with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh(s), s = (m - 1)/(m + 1), by its
 * series, whose first omitted term is 2e-17 of the sum. The error is about 1e-15. If the float could round differently,
 * libm decides, so the result is bit-identical to its log(). (Ziv, ACM Trans. Math. Softw. 17 (1991) 410: round both
 * ends of the error interval.) */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "core/clones.h"
#include "core/vectors/sets.h"
#include "core/line_integrals.h"

/* Bound of the relative error. BLOCK: values that fit into the L1 cache. Above LARGEST libm decides. */
#define DOUBT 0x1p-46
enum { BLOCK = 512 };
#define LARGEST 1e37
/* Bits of sqrt(1/2); bias that keeps exponents positive; 2^52. */
#define ROOT_HALF UINT64_C(0x3fe6a09e667f3bcd)
enum { EXPONENT_BIAS = 64 };
#define TWO_52 UINT64_C(0x4330000000000000)

GT_INLINE double as_double(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

GT_INLINE double logarithm(double t)
{
	uint64_t bits;
	memcpy(&bits, &t, sizeof bits);
	const uint64_t above = bits - ROOT_HALF + ((uint64_t)EXPONENT_BIAS << 52);
	const double e = as_double((above >> 52) | TWO_52) - (0x1p52 + EXPONENT_BIAS);
	const double m = as_double((above & ((UINT64_C(1) << 52) - 1)) + ROOT_HALF);
	const double s = (m - 1) / (m + 1), z = s * s;
	double sum = 2. / 19;
	sum = sum * z + 2. / 17;
	sum = sum * z + 2. / 15;
	sum = sum * z + 2. / 13;
	sum = sum * z + 2. / 11;
	sum = sum * z + 2. / 9;
	sum = sum * z + 2. / 7;
	sum = sum * z + 2. / 5;
	sum = sum * z + 2. / 3;
	sum = sum * z + 2;
	return e * 0.693147180559945309417 + s * sum;
}

/* Transmissions of a block, clamped to the minimum, and both ends of the interval that contains each result. */
typedef struct {
	double t[BLOCK];
	float low[BLOCK], high[BLOCK];
	uint64_t below, beyond; /* numbers of values below the minimum, and of those that are too large or NaN */
} block;

GT_INLINE void work(const double *level, double min, size_t n, const float *x, block *b)
{
	uint64_t below = 0, beyond = 0;
	for (size_t i = 0; i < n; i++) {
		const double q = (double)x[i] / level[i];
		below += q < min;
		beyond += !(q <= LARGEST);
		b->t[i] = q < min ? min : q;
	}
	for (size_t i = 0; i < n; i++) {
		const double y = -logarithm(b->t[i]);
		b->low[i] = (float)(y * (1 - DOUBT));
		b->high[i] = (float)(y * (1 + DOUBT));
	}
	b->below = below;
	b->beyond = beyond;
}

static void work_anywhere(const double *level, double min, size_t n, const float *x, block *b) { work(level, min, n, x, b); }
static GT_AVX2 void work_avx2(const double *level, double min, size_t n, const float *x, block *b) { work(level, min, n, x, b); }

size_t gt_line_integrals(const double *level, double min, size_t n, float *x)
{
	block b;
	size_t below = 0;
	const int avx2 = gt_runs_here("avx2");
	for (size_t at = 0; at < n; at += BLOCK) {
		const size_t count = n - at < BLOCK ? n - at : BLOCK;
		(avx2 ? work_avx2 : work_anywhere)(level + at, min, count, x + at, &b);
		below += b.below;
		memcpy(x + at, b.low, count * sizeof *x);
		if (b.beyond || memcmp(b.low, b.high, count * sizeof *x) != 0)
			for (size_t i = 0; i < count; i++)
				x[at + i] = (float)-log(b.t[i]);
	}
	return below;
}
