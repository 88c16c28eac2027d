/* Formats and parses memory sizes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "core/arguments.h"
#include "core/text.h"

gt_status gt_bytes_parse(const char *what, const char *text, double *bytes)
{
	GT_NEED(text);
	GT_NEED(bytes);
	static const struct {
		const char *name;
		double bytes;
	} units[] = { { "", 1 },      { "B", 1 },       { "kB", 1e3 },       { "MB", 1e6 },         { "GB", 1e9 },
		      { "TB", 1e12 }, { "KiB", 1024 },  { "MiB", 1048576 },  { "GiB", 1073741824 }, { "TiB", 1099511627776 },
		      { "K", 1024 },  { "M", 1048576 }, { "G", 1073741824 }, { "T", 1099511627776 } };
	char *end;
	const double number = gt_strtod(text, &end);
	for (size_t i = 0; end != text && number > 0 && isfinite(number) && i < sizeof units / sizeof *units; i++)
		if (!strcasecmp(end, units[i].name)) {
			*bytes = number * units[i].bytes;
			return GT_OK;
		}
	return gt_fail(GT_ERR_ARG, "%s=%s: expected a size such as 4GiB, 500MB or 1e9", what, text);
}

const char *gt_bytes_text(double bytes, char text[GT_BYTES_TEXT])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	int unit = 0;
	for (; unit < 3 && bytes >= 1023.5; unit++)
		bytes /= 1024;
	gt_snprintf(text, GT_BYTES_TEXT, bytes >= 100 || !unit ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
	return text;
}
