#ifndef GT_CORE_ARGUMENTS_H
#define GT_CORE_ARGUMENTS_H
/* Arguments of public functions: checks for NULL, and option structs, which begin with their size. */
#include <stddef.h>
#include <gantry/status.h>

/* First statement of a function that returns a gt_status: GT_ERR_ARG, with the names of function and argument. */
#define GT_NEED(argument)                                                                           \
	do {                                                                                        \
		if (!(argument))                                                                    \
			return gt_fail(GT_ERR_ARG, "%s: %s is NULL", __func__, #argument);          \
	} while (0)

/* Copies the caller's options over the defaults in `full`, which has `all` bytes with its size first. Members unknown
 * to an earlier caller keep their defaults. given NULL: no options. GT_ERR_ARG, beginning with `where` and naming
 * `type`: an invalid size, or larger than the library's. */
gt_status gt_options_complete(const char *where, const char *type, const void *given, void *full, size_t all);

#endif
