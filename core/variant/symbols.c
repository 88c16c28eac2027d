/* Loads functions of an optional shared library. */
#include "core/variant/symbols.h"
#include <dlfcn.h>
#include <string.h>

enum gt_symbols_found gt_symbols_open(const char *const *libraries, const gt_symbol *symbols, size_t n)
{
	void *handle = NULL;
	for (; *libraries && !handle; libraries++)
		handle = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return GT_SYMBOLS_NO_LIBRARY;
	for (size_t i = 0; i < n; i++) {
		void *function = dlsym(handle, symbols[i].name);
		if (!function)
			return GT_SYMBOLS_MISSING;
		memcpy(symbols[i].at, &function, sizeof function); /* POSIX permits conversion of an object pointer to a
		                                                    * function pointer */
	}
	return GT_SYMBOLS_ALL;
}
