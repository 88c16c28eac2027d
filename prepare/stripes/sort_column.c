/* Radix sort of a column. A value and its view form one key, whose upper half has the order of the values. */
#include <string.h>
#include "core/clones.h"
#include "prepare/stripes/sort_column.h"

typedef uint64_t ranked;

GT_INLINE uint32_t key_of(float value)
{
	uint32_t bits;
	value += 0; /* -0 is 0 */
	memcpy(&bits, &value, sizeof bits);
	return bits ^ ((uint32_t) - (int32_t)(bits >> 31) | 0x80000000u);
}

GT_INLINE float value_of(uint32_t key)
{
	const uint32_t bits = key ^ (((key >> 31) - 1) | 0x80000000u);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

enum { DIGITS = 4, FIRST = 32, VALUES = 256 };

static void by_digit(const ranked *from, ranked *to, size_t n, int shift, uint32_t base, uint32_t *count)
{
	uint32_t at = 0;
	for (int k = 0; k < VALUES; k++) {
		const uint32_t here = count[k];
		count[k] = at;
		at += here;
	}
	for (size_t i = 0; i < n; i++)
		to[count[(((uint32_t)(from[i] >> FIRST) - base) >> shift) & (VALUES - 1)]++] = from[i];
}

/* Sorts by eight bits of the value at a time; stable. */
static void sort_whole(ranked *x, ranked *other, size_t n)
{
	uint32_t count[DIGITS][VALUES] = { { 0 } };
	for (size_t i = 0; i < n; i++)
		for (int d = 0; d < DIGITS; d++)
			count[d][x[i] >> (FIRST + 8 * d) & (VALUES - 1)]++;
	for (int d = 0; d < DIGITS; d++)
		by_digit(d % 2 ? other : x, d % 2 ? x : other, n, 8 * d, 0, count[d]);
}

/* Maximum mean number of moves per value of the insertion sort. */
enum { MOVES = 8 };

/* Sorts by the upper sixteen bits of the range of the keys, eight at a time, then by insertion, because few keys
 * share these bits. If many do, all bits are sorted. */
static void sort(const uint32_t *key, size_t n, ranked *x, ranked *other)
{
	uint32_t low = UINT32_MAX, high = 0, count[2][VALUES] = { { 0 } };
	size_t moves = MOVES * n;
	int shift = 0;
	for (size_t v = 0; v < n; v++) {
		low = key[v] < low ? key[v] : low;
		high = key[v] > high ? key[v] : high;
	}
	while ((high - low) >> shift >= VALUES * VALUES)
		shift++;
	for (size_t v = 0; v < n; v++) {
		const uint32_t digits = (key[v] - low) >> shift;
		x[v] = (ranked)key[v] << FIRST | v;
		count[0][digits % VALUES]++;
		count[1][digits / VALUES]++;
	}
	by_digit(x, other, n, shift, low, count[0]);
	by_digit(other, x, n, shift + 8, low, count[1]);
	for (size_t i = 1; i < n; i++) {
		const ranked moving = x[i];
		size_t k = i;
		for (; k > 0 && x[k - 1] > moving; k--)
			x[k] = x[k - 1];
		x[k] = moving;
		if (i - k > moves) {
			sort_whole(x, other, n);
			return;
		}
		moves -= i - k;
	}
}

static GT_CLONES void keys_of(const float *restrict x, size_t n, uint32_t *restrict key)
{
	for (size_t v = 0; v < n; v++)
		key[v] = key_of(x[v]);
}

static GT_CLONES void unpack(const ranked *restrict x, size_t n, float *restrict value, uint32_t *restrict view)
{
	for (size_t v = 0; v < n; v++) {
		value[v] = value_of((uint32_t)(x[v] >> FIRST));
		view[v] = (uint32_t)x[v];
	}
}

size_t gt_sort_column_scratch(size_t n) { return 2 * n + (n + 1) / 2; }

void gt_sort_column(const float *x, size_t n, double *scratch, float *value, uint32_t *view)
{
	ranked *const sorted = (ranked *)scratch, *const other = sorted + n;
	uint32_t *const key = (uint32_t *)(other + n);
	keys_of(x, n, key);
	sort(key, n, sorted, other);
	unpack(sorted, n, value, view);
}
