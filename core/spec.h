#ifndef GT_CORE_SPEC_H
#define GT_CORE_SPEC_H
/* Specs, NAME:key=value,... and FILE:key=value,...: where they are cut, and what is added to them. What the values mean
 * says a table of parameters (gantry/params.h). */
#include <stddef.h>
#include <gantry/params.h>

typedef struct {
	size_t length;                  /* of the name */
	const char *values;             /* behind the colon; NULL: there is no colon */
} gt_spec;
gt_spec gt_spec_cut(const char *spec);                  /* at the first colon */
gt_spec gt_spec_cut_file(const char *spec);             /* at the last one, if a = is behind it: names of files have colons too */
/* The spec with one more key=value: malloc'ed, NULL without memory. */
char *gt_spec_with(const char *spec, const char *pair);
/* Refuses a key that is given twice (GT_ERR_ARG, with both). values: key=value,...; NULL: none. */
gt_status gt_spec_check_once(const char *values);
/* Refuses a difference of attenuation (GT_MU in the table) of GT_SPEC_LARGE_MU mm^-1 or more that names no unit: it
 * was meant in HU, and nobody should have to find that out by the picture. GT_ERR_ARG, with both ways to say it. */
#define GT_SPEC_LARGE_MU 0.1
gt_status gt_spec_check_units(const gt_param *table, const char *values);
/* The first "key=value" of a list that another one has otherwise, but for that of `iterations`. A key that the other
 * lacks is one that earlier versions did not have: they did what its standard value does. 0: there is none. */
int gt_spec_difference(const char *list, const char *other, const char *standard, char mine[128], char its[128]);
#endif
