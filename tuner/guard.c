/* Guard words around a result, which reveal writes outside it. */
#include <string.h>
#include "tuner/check.h"

void gt_guard_fill(float *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t bits = 0x7fa00000u | (uint32_t)(i * 2654435761u >> 13 & 0xfffff); /* NaN */
		memcpy(words + i, &bits, sizeof bits);
	}
}

int gt_guard_holds(const float *words, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++) {
		const uint32_t bits = 0x7fa00000u | (uint32_t)(i * 2654435761u >> 13 & 0xfffff);
		if (memcmp(words + i, &bits, sizeof bits) != 0)
			return 0;
	}
	return 1;
}
