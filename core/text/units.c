/* Parses lengths and angles with units. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/params.h>
#include "core/params.h"
#include "core/text.h"

typedef struct {
	const char *name;
	double factor;
} named_unit;

static gt_status parse(const char *what, const char *text, const named_unit *units, const char *expected, const double range[2],
                       double *value)
{
	char *end;
	double found = gt_strtod(text, &end);
	size_t u = 0;
	while (units[u].name && strcmp(end, units[u].name))
		u++;
	if (end == text || !units[u].name)
		return gt_fail(GT_ERR_ARG, "%s=%s: expected a number and a unit, %s%s", what, text, expected,
		               strchr(text, ',') ? "; the decimal sign is a point" : "");
	found *= units[u].factor;
	if (!(found >= range[0] && found <= range[1]))
		return gt_fail(GT_ERR_ARG, "%s=%s: expected a number from %g to %g %s", what, text, range[0], range[1], units[0].name);
	*value = found;
	return GT_OK;
}

gt_status gt_parse_length(const char *what, const char *text, double min, double max, double *mm)
{
	/* Micrometre with both Unicode characters for the Greek letter. */
	static const named_unit units[] = {
		{ "mm", 1 },  { "", 1 },     { "um", 1e-3 }, { "\xc2\xb5m", 1e-3 }, { "\xce\xbcm", 1e-3 }, { "nm", 1e-6 },
		{ "cm", 10 }, { "m", 1000 }, { NULL, 0 }
	};
	return parse(what, text, units, "of um, mm (the default), cm or m", (const double[2]){ min, max }, mm);
}

gt_status gt_parse_angle(const char *what, const char *text, double min, double max, double *degrees)
{
	static const named_unit units[] = { { "deg", 1 }, { "", 1 }, { "\xc2\xb0", 1 }, { "rad", 180 / GT_PI }, { "mrad", 0.18 / GT_PI },
		                            { NULL, 0 } };
	return parse(what, text, units, "deg (the default), rad or mrad", (const double[2]){ min, max }, degrees);
}
