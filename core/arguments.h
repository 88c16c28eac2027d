#ifndef GT_CORE_ARGUMENTS_H
#define GT_CORE_ARGUMENTS_H
/* Arguments of public functions: those that must not be NULL, which callers in other languages pass by mistake, and
 * structs of options, which begin with their size. */
#include <stddef.h>
#include <gantry/status.h>

/* At the head of a function that returns a gt_status: GT_ERR_ARG, with the names of function and argument. */
#define GT_NEED(argument)                                                                           \
	do {                                                                                        \
		if (!(argument))                                                                    \
			return gt_fail(GT_ERR_ARG, "%s: %s is NULL", __func__, #argument);          \
	} while (0)

/* Copies what the caller has onto the defaults, which `full` holds, `all` bytes with the size first: who was built when
 * there were fewer members gets the defaults of the others. given NULL: nothing. GT_ERR_ARG, which begins with `where`
 * and names `type`: a size that is no size, or larger than the library knows. */
gt_status gt_options_complete(const char *where, const char *type, const void *given, void *full, size_t all);

#endif
