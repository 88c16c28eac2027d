/* Finds values that are not finite, which readers, writers and methods refuse. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "geometry/not_finite.h"

/* Without a branch per value, limited by memory bandwidth. */
static int all_finite(const float *data, size_t n)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t bits;
		memcpy(&bits, data + i, sizeof bits);
		bad |= (bits & 0x7f800000u) == 0x7f800000u;
	}
	return !bad;
}

size_t gt_first_bad(const float *data, size_t n)
{
	enum { PIECE = 4096 };
	for (size_t at = 0; at < n; at += PIECE) {
		const size_t count = n - at < PIECE ? n - at : PIECE;
		if (all_finite(data + at, count))
			continue;
		while (isfinite(data[at]))
			at++;
		return at;
	}
	return n;
}

size_t gt_count_bad(const float *data, size_t n)
{
	size_t bad = 0;
	for (size_t i = gt_first_bad(data, n); i < n; i++)
		bad += !isfinite(data[i]);
	return bad;
}
