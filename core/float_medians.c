/* Selects floats by their bits: with the bits of negative floats inverted, unsigned integers have the order of the
 * floats. The k-th key is found bit by bit from the top, by counting smaller keys in several columns at once.
 * Alternatively, a histogram finds 11 bits at a time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "core/vectors/sets.h"
#include "core/float_medians.h"

enum { LANES = 16, BINS = 1 << 11 };
#define SIGN UINT32_C(0x80000000)

/* Signed integer with the order of x, since processors compare signed integers. */
GT_INLINE int32_t place_of(float x)
{
	int32_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

GT_INLINE uint32_t key_of(float x) { return (uint32_t)place_of(x) ^ SIGN; }

static float float_of(uint32_t key)
{
	const uint32_t bits = key & SIGN ? key ^ SIGN : ~key;
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Finds key[LANES], the values of rank `rank` in place[rows][LANES]. */
GT_INLINE void select_lanes(const int32_t *place, size_t rows, int32_t rank, uint32_t *key)
{
	for (size_t l = 0; l < LANES; l++)
		key[l] = 0;
	for (int bit = 31; bit >= 0; bit--) {
		int32_t below[LANES] = { 0 }, border[LANES];
		for (size_t l = 0; l < LANES; l++)
			border[l] = (int32_t)((key[l] | UINT32_C(1) << bit) ^ SIGN);
		for (size_t r = 0; r < rows; r++)
			for (size_t l = 0; l < LANES; l++)
				below[l] += place[r * LANES + l] < border[l];
		for (size_t l = 0; l < LANES; l++)
			key[l] = below[l] <= rank ? key[l] | UINT32_C(1) << bit : key[l];
	}
}

static void select_anywhere(const int32_t *place, size_t rows, int32_t rank, uint32_t *key) { select_lanes(place, rows, rank, key); }
static GT_AVX2 void select_avx2(const int32_t *place, size_t rows, int32_t rank, uint32_t *key) { select_lanes(place, rows, rank, key); }

gt_status gt_column_medians(const float *x, size_t rows, size_t stride, size_t columns, float *median)
{
	int32_t *place = malloc(rows * LANES * sizeof *place);
	uint32_t key[LANES];
	const int avx2 = gt_runs_here("avx2");
	if (!place)
		return gt_fail(GT_ERR_MEMORY, "medians: out of memory");
	for (size_t first = 0; first < columns; first += LANES) {
		const size_t n = columns - first < LANES ? columns - first : LANES;
		for (size_t r = 0; r < rows; r++)
			for (size_t l = 0; l < LANES; l++)
				place[r * LANES + l] = l < n ? place_of(x[r * stride + first + l]) : 0;
		(avx2 ? select_avx2 : select_anywhere)(place, rows, (int32_t)(rows / 2), key);
		for (size_t l = 0; l < n; l++)
			median[first + l] = float_of(key[l]);
	}
	free(place);
	return GT_OK;
}

typedef struct {
	const float *x;
	size_t rows, stride, columns;
} region;

/* Histogram of the digit at `shift`, for values whose bits `above` equal those of key. */
static void count_digits(const region *of, uint32_t key, uint32_t above, int shift, size_t *count)
{
	const uint32_t digit = ~above >> shift;
	memset(count, 0, BINS * sizeof *count);
	for (size_t r = 0; r < of->rows; r++)
		for (size_t c = 0; c < of->columns; c++) {
			const uint32_t k = key_of(of->x[r * of->stride + c]);
			if (((k ^ key) & above) == 0)
				count[k >> shift & digit]++;
		}
}

/* Key of this rank. *not_above: number of values up to it. */
static uint32_t select_key(const region *of, size_t rank, size_t *not_above)
{
	static const int shift[] = { 21, 10, 0 };
	size_t count[BINS], below = 0;
	uint32_t key = 0, above = 0;
	for (int s = 0; s < 3; s++) {
		uint32_t digit = 0;
		count_digits(of, key, above, shift[s], count);
		while (below + count[digit] <= rank)
			below += count[digit++];
		key |= digit << shift[s];
		above = ~UINT32_C(0) << shift[s];
		*not_above = below + count[digit];
	}
	return key;
}

double gt_region_median(const float *x, size_t rows, size_t stride, size_t columns)
{
	const region of = { x, rows, stride, columns };
	const size_t n = rows * columns;
	size_t not_above;
	const uint32_t lower = select_key(&of, (n - 1) / 2, &not_above);
	uint32_t upper = lower;
	if (not_above <= n / 2) {
		upper = UINT32_MAX;
		for (size_t r = 0; r < rows; r++)
			for (size_t c = 0; c < columns; c++) {
				const uint32_t k = key_of(x[r * stride + c]);
				upper = k > lower && k < upper ? k : upper;
			}
	}
	return ((double)float_of(lower) + (double)float_of(upper)) / 2;
}
