#ifndef GT_CORE_SPEC_H
#define GT_CORE_SPEC_H
/* Specs NAME:key=value,... and FILE:key=value,...: splits and extends them. A table of parameters
 * (gantry/author/params.h) interprets the values. */
#include <stddef.h>
#include <gantry/author/params.h>

typedef struct {
	size_t length;                  /* length of the name */
	const char *values;             /* text after the colon; NULL: no colon */
} gt_spec;
gt_spec gt_spec_cut(const char *spec);                  /* splits at the first colon */
gt_spec gt_spec_cut_file(const char *spec);             /* splits at the last colon if it is followed by a =, since file
                                                         * names may contain colons */
/* Appends key=value to a spec. The caller frees it. NULL: out of memory. */
char *gt_spec_with(const char *spec, const char *pair);
/* GT_ERR_ARG names both values of a duplicate key. values: key=value,...; NULL: none. */
gt_status gt_spec_check_once(const char *values);
/* Rejects a difference of attenuation (GT_MU in the table) of at least GT_SPEC_LARGE_MU mm^-1 without a unit: the user
 * probably meant HU. GT_ERR_ARG names both notations. */
#define GT_SPEC_LARGE_MU 0.1
gt_status gt_spec_check_units(const gt_param *table, const char *values);
/* Finds the first "key=value" that differs between two lists, except `iterations`. A missing key has its value in
 * `standard`, because earlier versions lacked the key. 0: none differs. */
int gt_spec_difference(const char *list, const char *other, const char *standard, char mine[128], char its[128]);
#endif
