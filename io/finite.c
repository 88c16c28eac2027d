/* Refuses to write values that readers would reject. */
#include "geometry/not_finite.h"
#include "io/finite.h"

gt_status gt_check_finite(const char *path, const float *data, size_t first, size_t n)
{
	const size_t bad = data ? gt_count_bad(data, n) : 0;
	return bad ? gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu of %zu values are not finite, the first is number %zu: not written", path, bad, n,
	                     first + gt_first_bad(data, n))
	           : GT_OK;
}
