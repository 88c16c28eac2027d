/* Checks of option structs from callers built against earlier versions. */
#include <string.h>
#include "core/arguments.h"

gt_status gt_options_complete(const char *where, const char *type, const void *given, void *full, size_t all)
{
	size_t size;
	if (!given)
		return GT_OK;
	memcpy(&size, given, sizeof size);
	if (size < sizeof size || size > all)
		return gt_fail(GT_ERR_ARG, "%s: options of size=%zu: expected sizeof(%s), which is at most %zu (begin with its defaults)",
		               where, size, type, all);
	memcpy(full, given, size);
	memcpy(full, &all, sizeof all);
	return GT_OK;
}
