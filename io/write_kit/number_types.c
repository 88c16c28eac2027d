/* Numbers of any type and byte order to float. */
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

#define ELEMENT(met, code, name, ctype, id, meaning) { met, name, code, sizeof(ctype), meaning, id },
const gt_number_type gt_number_types[] = { GT_NUMBER_TYPE_LIST(ELEMENT){ 0 } };

int gt_host_is_msb(void)
{
	const uint16_t one = 1;
	return *(const unsigned char *)&one == 0;
}
