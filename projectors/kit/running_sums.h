#ifndef GT_PROJECTORS_KIT_RUNNING_SUMS_H
#define GT_PROJECTORS_KIT_RUNNING_SUMS_H
/* Lines of running sums, and their values at evenly spaced positions, for the CPU projectors in double precision.
 * GT_INLINE functions are inlined into GT_CLONES functions. */
#include <string.h>
#include <gantry/array.h>
#include "core/clones.h"

GT_INLINE double get(gt_type t, const void *p, size_t i) { return t == GT_F64 ? ((const double *)p)[i] : (double)((const float *)p)[i]; }
GT_INLINE void put(gt_type t, void *p, size_t i, double value)
{
	if (t == GT_F64)
		((double *)p)[i] = value;
	else
		((float *)p)[i] = (float)value;
}

/* Length of a line of running sums of n values: n + 1 sums and one entry more, which resample() reads. */
GT_INLINE size_t padded(int n) { return ((size_t)n + 2 + 7) & ~(size_t)7; }

typedef double doubles __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));
typedef pair loose_pair __attribute__((aligned(8)));
typedef int ints __attribute__((vector_size(16)));
typedef unsigned long long places __attribute__((vector_size(16)));

GT_INLINE double sum_at(const double *S, double p)
{
	const int j = (int)p;
	return S[j] + (p - j) * (S[j + 1] - S[j]);
}

/* out[k] = sum_at(S, at[k]). One load for both entries of a position is faster than two gathers. */
GT_INLINE void sums_at(const double *S, const doubles *at, double *out)
{
	const doubles p = *at;
	const ints j = __builtin_convertvector(p, ints);
	const places two = (places)j;
	const pair a = *(const loose_pair *)(S + (unsigned)two[0]), b = *(const loose_pair *)(S + (two[0] >> 32));
	const pair c = *(const loose_pair *)(S + (unsigned)two[1]), d = *(const loose_pair *)(S + (two[1] >> 32));
	const doubles ac = __builtin_shufflevector(a, c, 0, 1, 2, 3), bd = __builtin_shufflevector(b, d, 0, 1, 2, 3);
	const doubles low = __builtin_shufflevector(ac, bd, 0, 4, 2, 6), high = __builtin_shufflevector(ac, bd, 1, 5, 3, 7);
	const doubles value = low + (p - __builtin_convertvector(j, doubles)) * (high - low);
	memcpy(out, &value, sizeof value);
}

/* edge[i] = S(start + i step) for i in [0, n]. S is linear between its entries 0..length and constant outside. Entry
 * length + 1 is read with weight 0. All positions but the first and the last lie inside: see overlapped(). */
GT_INLINE void resample(const double *__restrict S, int length, double start, double step, int n, double *__restrict edge)
{
	int i = 1;
	doubles count = { 1, 2, 3, 4 };
	edge[0] = sum_at(S, start > 0 ? start : 0);
	for (; i + 4 <= n; i += 4, count += 4) {
		const doubles p = start + count * step;
		sums_at(S, &p, edge + i);
	}
	for (; i < n; i++)
		edge[i] = sum_at(S, start + i * step);
	const double last = start + n * step;
	edge[n] = sum_at(S, last < length ? last : length);
}

/* ceil(x) for 0 <= x < 2^31, by a conversion instead of a call. */
GT_INLINE int up(double x)
{
	const int i = (int)x;
	return i + (x > i);
}

/* Finds the intervals [*from, *to) of n intervals start + i step .. + step that overlap (0, length); inverse: 1 /
 * step. */
GT_INLINE void overlapped(double start, double inverse, int n, double length, int *from, int *to)
{
	const double a = -start * inverse, b = (length - start) * inverse;
	*from = a < 0 ? 0 : a >= n ? n : (int)a;
	*to = b <= *from ? *from : b >= n ? n : up(b);
}
#endif
