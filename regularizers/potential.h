#ifndef GT_REGULARIZERS_POTENTIAL_H
#define GT_REGULARIZERS_POTENTIAL_H
/* Potentials psi(t) of differences t between neighbours. With s = |t|/delta:
 *    huber      t^2/2 up to s = 1, then delta (|t| - delta/2)    Huber, Ann. Math. Statist. 35 (1964) 73; infinity: t^2/2
 *    hyperbola  delta^2 (sqrt(1 + s^2) - 1)                      Charbonnier et al., IEEE TIP 6 (1997) 298
 *    fair       delta^2 (s - log(1 + s))                         Lange, IEEE Trans. Med. Imaging 9 (1990) 439
 *    logcosh    delta^2 log(cosh(s))                             Green, IEEE Trans. Med. Imaging 9 (1990) 84
 *    qggmrf     delta^2/2 s^p/(1 + s^(p-q)), 1 <= q <= p <= 2    Thibault et al., Med. Phys. 34 (2007) 4526, their p = 2
 * All are even and convex, and c(t) = psi'(t)/t never rises with |t|. Hence psi(u) <= psi(t) + psi'(t)(u-t) + c(t)/2
 * (u-t)^2 for all u (Huber, Robust Statistics, 1981, 7.8).
 * c(0) = 1, except for qggmrf with p < 2, where it would be infinite: below s = GT_FLAT that potential is a parabola
 * with equal value and slope at GT_FLAT.
 * Precision: that of the arguments in CUDA; double in C, with gt_potential_weightf() and gt_potential_valuef() in
 * single. */
#include <stdint.h>
#include <string.h>
#include <gantry/author/scan_math.h>
#ifdef __CUDACC__
#include "core/device/device_math.cuh"
#endif

#define GT_FLAT 0.01

/* GT_QGGMRF has p = 2. */
#define GT_POTENTIALS(X) X(HUBER) X(HYPERBOLA) X(FAIR) X(LOGCOSH) X(QGGMRF) X(QGGMRF_P)
#define GT_POTENTIAL_ENUM(name) GT_##name,
typedef enum { GT_POTENTIALS(GT_POTENTIAL_ENUM) GT_NPOTENTIALS } gt_potential;

/* Parameters, in this order: delta, 1/delta, delta^2, lower bound of s for qggmrf, p, p/2, q/2, p - q, and the offset
 * that makes psi(0) = 0. */
enum { GT_DELTA, GT_PER_DELTA, GT_AREA, GT_MIN, GT_P, GT_HALF_P, GT_HALF_Q, GT_P_Q, GT_REST, GT_NNUMBERS };

#ifdef __CUDACC__
#define GT_OF_REAL template <typename gt_real>
/* The device's approximations are accurate to a few units in the last place. s > 0. */
GT_HD double gt_power(double s, double e) { return pow(s, e); }
GT_HD double gt_inverse(double s) { return 1 / s; }
GT_HD double gt_inverse_root(double s) { return rsqrt(s); }
GT_HD double gt_larger(double s, double t) { return fmax(s, t); }
GT_HD float gt_larger(float s, float t) { return fmaxf(s, t); }
#ifdef __CUDA_ARCH__
GT_HD float gt_inverse(float s) { return gt_rcp_approx(s); }
GT_HD float gt_inverse_root(float s) { return gt_rsqrt_approx(s); }
GT_HD float gt_power(float s, float e) { return gt_exp2_approx(gt_log2_approx(s) * e); }
#else
GT_HD float gt_power(float s, float e) { return powf(s, e); }
GT_HD float gt_inverse(float s) { return 1 / s; }
GT_HD float gt_inverse_root(float s) { return 1 / sqrtf(s); }
#endif
#else
#define GT_OF_REAL
typedef double gt_real;
/* Returns s^e for normal s > 0 and normal results, with relative error (2 + |e log2 s|) 2^-52. Free of calls and
 * branches, so loops vectorise and are several times as fast as pow().
 * log2(m 2^k) = k + 2/ln 2 artanh((m - 1)/(m + 1)) and 2^(n + f) = 2^n exp(f ln 2), by their series. */
GT_HD double gt_bits_number(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}
GT_HD uint64_t gt_number_bits(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}
GT_HD double gt_power(double s, double e)
{
	const uint64_t root = 0x3fe6a09e667f3bcd, one = (uint64_t)1 << 52, half = gt_number_bits(s) - root; /* sqrt(1/2) <= m < sqrt(2) */
	const double k = gt_bits_number(0x4330000000000000 | ((half + ((uint64_t)1023 << 52)) >> 52)) - 4503599627370496. - 1023;
	const double m = gt_bits_number((half & (one - 1)) + root), x = (m - 1) / (m + 1), y = x * x;
	double p = 1. / 21;
	p = p * y + 1. / 19, p = p * y + 1. / 17, p = p * y + 1. / 15, p = p * y + 1. / 13, p = p * y + 1. / 11;
	p = p * y + 1. / 9, p = p * y + 1. / 7, p = p * y + 1. / 5, p = p * y + 1. / 3;
	const double t = e * (k + 2.8853900817779268 * (x + x * y * p)), shifted = t + 6755399441055744., n = shifted - 6755399441055744.;
	const double f = (t - n) * 0.69314718055994531;
	double q = 1. / 6227020800;
	q = q * f + 1. / 479001600, q = q * f + 1. / 39916800, q = q * f + 1. / 3628800, q = q * f + 1. / 362880, q = q * f + 1. / 40320;
	q = q * f + 1. / 5040, q = q * f + 1. / 720, q = q * f + 1. / 120, q = q * f + 1. / 24, q = q * f + 1. / 6, q = q * f + 0.5;
	return (1 + (f + f * f * q)) * gt_bits_number((gt_number_bits(shifted) + 1023) << 52);
}
GT_HD double gt_inverse(double s) { return 1 / s; }
GT_HD double gt_inverse_root(double s) { return 1 / sqrt(s); }
GT_HD double gt_larger(double s, double t) { return s > t ? s : t; }
/* Likewise in single precision, with relative error (2 + |e log2 s|) 2^-24; for float arrays. The polynomials
 * interpolate artanh(x)/x and 2^f at Chebyshev points. Short chains of operations matter more than their number. */
GT_HD float gt_bits_numberf(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}
GT_HD uint32_t gt_number_bitsf(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}
GT_HD float gt_powerf(float s, float e)
{
	const uint32_t root = 0x3f3504f3, one = (uint32_t)1 << 23, half = gt_number_bitsf(s) - root;
	const float k = (float)(int)((half + 127 * one) >> 23) - 127;
	const float m = gt_bits_numberf((half & (one - 1)) + root), x = (m - 1) / (m + 1), y = x * x;
	const float p = (y * 0.147899747f + 0.199943903f) * y + 0.333333425f;
	const float t = e * (k + 2.88539008f * (x + x * y * p)), shifted = t + 12582912.f, f = t - (shifted - 12582912.f), ff = f * f;
	const float low = f * 0.240226508f + 0.693147188f, mid = f * 0.00961808256f + 0.0555035711f;
	const float high = f * 0.000154531629f + 0.00133908634f;
	const float q = low + ff * (mid + ff * high);
	return (1 + f * q) * gt_bits_numberf((gt_number_bitsf(shifted) + 127) << 23);
}
GT_HD float gt_inversef(float s) { return 1 / s; }
GT_HD float gt_inverse_rootf(float s) { return 1 / sqrtf(s); }
GT_HD float gt_largerf(float s, float t) { return s > t ? s : t; }
#endif

#define GT_IN_REAL(name) name
#include "regularizers/potential_typed.inc"
#undef GT_IN_REAL
#ifndef __CUDACC__
#define gt_real float
#define GT_IN_REAL(name) name##f
#include "regularizers/potential_typed.inc"
#undef GT_IN_REAL
#undef gt_real
#endif

/* psi'(t). */
GT_OF_REAL GT_HD gt_real gt_potential_slope(gt_potential kind, const gt_real *k, gt_real t)
{
	return gt_potential_weight(kind, k, t) * t;
}

#endif
