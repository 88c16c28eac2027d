#ifndef GT_CORE_RANDOM_MATH_H
#define GT_CORE_RANDOM_MATH_H
/* Formulas of random.h, shared by C and CUDA. */
#include <math.h>
#include <stdint.h>
#include <gantry/author/host_device.h>

GT_HD void gt_philox_of(uint64_t seed, uint64_t counter, uint64_t stream, uint32_t out[4])
{
	uint32_t x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32);
	uint32_t x2 = (uint32_t)stream, x3 = (uint32_t)(stream >> 32);
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
	for (int round = 0; round < 10; round++) {
		const uint64_t a = (uint64_t)0xD2511F53u * x0, b = (uint64_t)0xCD9E8D57u * x2;
		x0 = (uint32_t)(b >> 32) ^ x1 ^ k0;
		x1 = (uint32_t)b;
		x2 = (uint32_t)(a >> 32) ^ x3 ^ k1;
		x3 = (uint32_t)a;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	out[0] = x0;
	out[1] = x1;
	out[2] = x2;
	out[3] = x3;
}

/* Odd multiples of 2^-53: half a step from 0 and 1, and exact in a double. */
GT_HD double gt_uniform_of(uint32_t a, uint32_t b)
{
	const uint64_t high = a >> 6, low = b >> 6;
	return ((double)(high << 26 | low) + 0.5) * 0x1p-52;
}

/* Box and Muller, from two uniform variates. */
GT_HD double gt_normal_of(double u, double v) { return sqrt(-2 * log(u)) * cos(6.283185307179586476925 * v); }

/* First gt_normal() after gt_random_at(seed, counter). */
GT_HD double gt_normal_at(uint64_t seed, uint64_t counter)
{
	uint32_t word[4];
	gt_philox_of(seed, counter, 0, word);
	return gt_normal_of(gt_uniform_of(word[0], word[1]), gt_uniform_of(word[2], word[3]));
}
#endif
