/* Ranges, and windows of grey values by numbers or by the names that the page has for HU. */
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "core/params.h"

/* The page has the same names and numbers (viewer/web/viewer.js). */
static const struct {
	const char *name;
	double level, width; /* HU */
} named[] = { { "brain", 40, 80 }, { "soft-tissue", 40, 400 }, { "bone", 500, 2000 }, { "lung", -600, 1500 } };
enum { NAMED = sizeof named / sizeof *named };

static const char *nth_name(size_t i) { return named[i].name; }

/* Cuts a unit off the end of text, and reads the rest as a number. */
static gt_status number(const char *what, const char *from, size_t n, double *value, gt_unit *unit)
{
	static const struct {
		const char *name;
		gt_unit unit;
	} units[] = { { "HU", GT_HU }, { "mm-1", GT_PER_MM } };
	char text[64];
	snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), from);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		const size_t whole = strlen(text), end = strlen(units[i].name);
		if (whole <= end || strcasecmp(text + whole - end, units[i].name))
			continue;
		if (*unit != GT_UNIT_AUTO && *unit != units[i].unit)
			return gt_fail(GT_ERR_ARG, "%s=%s: expected one unit for both numbers", what, from);
		*unit = units[i].unit;
		text[whole - end] = 0;
		text[strcspn(text, " ")] = 0;
	}
	return gt_parse_real(what, text, -1e9, 1e9, value);
}

gt_status cli_parse_window(const char *what, const char *text, cli_window *w)
{
	const char *colon = strchr(text, ':'), *slash = strchr(text, '/'), *between = colon ? colon : slash;
	double first, second;
	gt_status st = GT_OK;
	*w = (cli_window){ .unit = GT_UNIT_AUTO };
	for (size_t i = 0; i < NAMED; i++)
		if (!strcasecmp(text, named[i].name) || (i == 1 && !strcasecmp(text, "soft tissue"))) {
			*w = (cli_window){ named[i].level - named[i].width / 2, named[i].level + named[i].width / 2, GT_HU };
			return GT_OK;
		}
	if (!between && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_ ")])
		return gt_unknown("window", text, nth_name, NAMED);
	if (!between)
		return gt_fail(GT_ERR_ARG, "%s=%s: expected LOW:HIGH, LEVEL/WIDTH or a name; 'gantry help window' lists them", what, text);
	GT_TRY(number(what, text, (size_t)(between - text), &first, &w->unit));
	GT_TRY(number(what, between + 1, strlen(between + 1), &second, &w->unit));
	w->low = colon ? first : first - second / 2;
	w->high = colon ? second : first + second / 2;
	if (!(w->low < w->high))
		st = gt_fail(GT_ERR_ARG, colon ? "%s=%s: expected LOW below HIGH" : "%s=%s: expected a WIDTH above 0", what, text);
done:
	return st;
}

gt_status cli_help_window(const char *name)
{
	if (name)
		return gt_fail(GT_ERR_ARG, "help window: expected no further argument, found '%s'", name);
	printf("The window of gantry view: values that are black and white.\n\n"
	       "  --window LOW:HIGH       black at LOW, white at HIGH, in --unit (default: the unit of the file)\n"
	       "  --window LEVEL/WIDTH    centre and width of the window, in the same unit\n"
	       "  --window 0:100HU        HU or mm-1 at the end of a number selects the unit\n");
	for (size_t i = 0; i < NAMED; i++)
		printf("  --window %-14s level %g, width %g HU\n", named[i].name, named[i].level, named[i].width);
	printf("\nDefault: 0.5 to 99.5 %% of the values of the volume or scan; pages and pictures agree.\n\n"
	       "  gantry view head.nc -o head.png --window brain\n"
	       "  gantry view head.nc -o head.png --window 40/400 --unit HU\n");
	return GT_OK;
}

/* Returns the unit of "100HU" or "0.02 mm-1"; NULL without one. */
static const char *unit_behind(const char *number)
{
	static const char *const units[] = { "HU", "mm-1" };
	const char *at = number + strspn(number, "+-.0123456789eE");
	at += strspn(at, " ");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (at > number && !strncasecmp(at, units[i], strlen(units[i])))
			return units[i];
	return NULL;
}

gt_status cli_parse_range(const char *what, const char *text, double *low, double *high)
{
	const char *colon = strchr(text, ':');
	char *first = colon ? strndup(text, (size_t)(colon - text)) : NULL;
	const char *unit = colon && unit_behind(colon + 1) ? unit_behind(colon + 1) : unit_behind(text);
	gt_status st = GT_OK;
	if (unit)
		st = gt_fail(GT_ERR_ARG, "%s=%s: expected LOW:HIGH without units: set the unit by --unit %s", what, text, unit);
	else if (!first)
		st = gt_fail(GT_ERR_ARG, "%s=%s: expected LOW:HIGH", what, text);
	if (st == GT_OK)
		st = gt_parse_real(what, first, -1e9, 1e9, low);
	if (st == GT_OK)
		st = gt_parse_real(what, colon + 1, -1e9, 1e9, high);
	if (st == GT_OK && !(*low < *high))
		st = gt_fail(GT_ERR_ARG, "%s=%s: expected LOW below HIGH", what, text);
	free(first);
	return st;
}
