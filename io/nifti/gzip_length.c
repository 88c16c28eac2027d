/* Length that a gzip file states at its end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/files/opener.h"
#include "io/file_access.h"
#include "io/nifti/nifti.h"

/* A gzip member ends with its length in 32 bits. Larger files are not searched for other members. */
enum { MAX_SEARCHED = 64 << 20 };

double gt_nifti_stated_length(const char *path, size_t size)
{
	static const unsigned char member[] = { 0x1f, 0x8b, 8 };
	double stated = INFINITY;
	unsigned char *all = size > 18 && size <= MAX_SEARCHED ? malloc(size) : NULL;
	if (all && gt_file_start(path, all, size) == size && !memmem(all + 1, size - 1, member, sizeof member)) {
		const unsigned char *end = all + size - 4;
		const double length = end[0] + 256.0 * end[1] + 65536.0 * end[2] + 16777216.0 * end[3];
		stated = length > 0 ? length : INFINITY;
	}
	free(all);
	return stated;
}
