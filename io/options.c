/* The options of readers and writers: their defaults, and those of callers that were built when there were fewer. */
#include <math.h>
#include <string.h>
#include "io/dispatch.h"

const gt_read_options gt_read_defaults = {
	.size = sizeof(gt_read_options),
	.axis = NAN,
	.pixel = NAN,
	.unit = GT_UNIT_AUTO,
	.slope = NAN,
	.offset = NAN,
	.position = GT_POSITION_AUTO,
};
const gt_write_options gt_write_defaults = { .size = sizeof(gt_write_options), .unit = GT_UNIT_AUTO, .low = NAN, .high = NAN };

/* full holds the defaults; `all` bytes. */
static gt_status complete(const char *path, const char *type, const void *given, void *full, size_t all)
{
	size_t size;
	if (!given)
		return GT_OK;
	memcpy(&size, given, sizeof size);
	if (size < sizeof size || size > all)
		return gt_fail(GT_ERR_ARG, "%s: options of size=%zu: expected sizeof(%s), which is at most %zu (begin with its defaults)",
		               path, size, type, all);
	memcpy(full, given, size);
	memcpy(full, &all, sizeof all);
	return GT_OK;
}

gt_status gt_complete_read_options(const char *path, const gt_read_options *o, gt_read_options *full)
{
	*full = gt_read_defaults;
	return complete(path, "gt_read_options", o, full, sizeof *full);
}

gt_status gt_complete_write_options(const char *path, const gt_write_options *o, gt_write_options *full)
{
	*full = gt_write_defaults;
	return complete(path, "gt_write_options", o, full, sizeof *full);
}
