/* Converts samples of any type and byte order to float. */
#include <limits.h>
#include <math.h>
#include "io/write_kit/number_types.h"

static void swap_bytes(unsigned char *p, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++, p += size)
		for (size_t k = 0; k < size / 2; k++) {
			const unsigned char t = p[k];
			p[k] = p[size - 1 - k];
			p[size - 1 - k] = t;
		}
}

#define CONVERT(met, code, name, ctype, id, meaning)              \
	static void id(void *from, size_t n, int swap, float *to) \
	{                                                         \
		const ctype *element = from;                      \
		if (swap)                                         \
			swap_bytes(from, n, sizeof *element);     \
		for (size_t i = 0; i < n; i++)                    \
			to[i] = (float)element[i];                \
	}
GT_NUMBER_TYPE_LIST(CONVERT)

/* IEEE 754 binary16: 1 sign bit, 5 exponent bits, 10 fraction bits. */
static float half_to_float(uint16_t h)
{
	const int exponent = h >> 10 & 31, fraction = h & 1023;
	const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
	                   : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
	                                  : ldexpf((float)fraction, -24);
	return h >> 15 ? -size : size;
}

static void of_half(void *from, size_t n, int swap, float *to)
{
	const uint16_t *half = from;
	if (swap)
		swap_bytes(from, n, sizeof *half);
	for (size_t i = 0; i < n; i++)
		to[i] = half_to_float(half[i]);
}

#define ELEMENT(met, code, name, ctype, id, meaning) { met, name, code, sizeof(ctype), meaning, id },
const gt_number_type gt_number_types[] = {
	GT_NUMBER_TYPE_LIST(ELEMENT){ "no MetaImage type", "float16", INT_MAX, 2, GT_MEANS_PER_MM, of_half }, { 0 }
};

int gt_host_is_msb(void)
{
	const uint16_t one = 1;
	return *(const unsigned char *)&one == 0;
}
