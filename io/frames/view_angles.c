/* View angles from a text file, a rule, or a data set: units, and implausible ranges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/author/constants.h>
#include "core/log.h"
#include "core/try.h"
#include "io/frames/angle_table.h"
#include "io/frames/view_angles.h"
#include "io/write_kit/volume_units.h"

static size_t place_of(const long long *number, size_t view) { return number ? (size_t)(number[view] - number[0]) : view; }

static gt_status from_file(const char *path, const long long *number, size_t views, const gt_read_options *o, double *angle)
{
	double *value = NULL;
	size_t found = 0;
	const size_t places = place_of(number, views - 1) + 1;
	gt_status st = GT_OK;
	GT_TRY(gt_angle_table(path, places, o, &value, &found));
	if (found != views && found != places)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has %zu angles, expected %zu, one for each view (%s)", path, found, views,
		               found > views ? "do they include flat and dark fields?" : "is it of another scan?"));
	for (size_t v = 0; v < views; v++)
		angle[v] = value[found == views ? v : place_of(number, v)];
done:
	free(value);
	return st;
}

/* As gt_frames_options.radians has them. */
enum { DEGREES = -1, NO_UNIT, RADIANS };

/* Unit at the end of a word; *n: length of the word without it. */
static int cut_unit(const char *word, size_t *n)
{
	static const struct {
		const char *name;
		int unit;
	} units[] = { { "deg", DEGREES }, { "\xc2\xb0", DEGREES }, { "rad", RADIANS } };
	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		const size_t m = strlen(units[u].name);
		if (*n > m && !memcmp(word + *n - m, units[u].name, m)) {
			*n -= m;
			return units[u].unit;
		}
	}
	return NO_UNIT;
}

/* 1: the text is two numbers with this separator; a unit after the second or after both is returned. */
static int is_rule(const char *spec, const char *separator, double *a, double *b, int *unit)
{
	const char *at = strstr(spec, separator), *second = at ? at + strlen(separator) : NULL;
	size_t commas = 0, n = at ? (size_t)(at - spec) : 0, m = at ? strlen(second) : 0;
	if (!at)
		return 0;
	const int first_unit = cut_unit(spec, &n), second_unit = cut_unit(second, &m);
	if (!gt_angle_number(spec, n, a, &commas) || !gt_angle_number(second, m, b, &commas) ||
	    (first_unit != NO_UNIT && first_unit != second_unit))
		return 0;
	*unit = second_unit == NO_UNIT ? *unit : second_unit;
	return 1;
}

typedef struct {
	double min, max;
} span;

static span span_of(const double *angle, size_t views)
{
	span s = { INFINITY, -INFINITY };
	for (size_t v = 0; v < views; v++) {
		s.min = fmin(s.min, angle[v]);
		s.max = fmax(s.max, angle[v]);
	}
	return s;
}

/* Maximum number of rotations of a scan. */
#define MAX_TURNS 1e4
/* Views closer together than this have the same direction, rad. */
#define SAME_DIRECTION 1e-9

/* Converts to radians, and refuses angles that are too large or all equal. what: their file or rule. */
static gt_status to_radians(const char *what, int unit, size_t views, double *angle)
{
	const span s = span_of(angle, views);
	const double to = unit == RADIANS ? 1 : GT_PI / 180;
	if (!(fmax(fabs(s.min), fabs(s.max)) * to <= MAX_TURNS * 2 * GT_PI))
		return gt_fail(GT_ERR_FORMAT, "%s: angles from %g to %g: expected at most %g rotations", what, s.min, s.max, MAX_TURNS);
	if (views > 1 && (s.max - s.min) * to < SAME_DIRECTION)
		return gt_fail(GT_ERR_FORMAT, "%s: all %zu angles are %g: expected views from different directions", what, views, s.min);
	for (size_t v = 0; v < views; v++)
		angle[v] *= to;
	return GT_OK;
}

static int is_small(span s, size_t views) { return views > 2 && s.max - s.min <= 2 * GT_PI + 0.1; }

/* Detects 180 or 360 degrees in radians, with or without the last view: returns 0.5, 1, or 0 for neither. */
static double turns_in_radians(span s, size_t views)
{
	if (!is_small(s, views))
		return 0;
	const double range = s.max - s.min, wider = range * (double)views / (double)(views - 1);
	for (int halves = 1; halves <= 2; halves++)
		if (fabs(range - halves * GT_PI) < 0.01 * halves * GT_PI || fabs(wider - halves * GT_PI) < 0.01 * halves * GT_PI)
			return halves / 2.0;
	return 0;
}

static void note_radians(const char *what, span s, double turns, const gt_read_options *o)
{
	gt_read_note(o, "%s from %g to %g have no unit: taken as radians, %s rotation (--angle-unit deg, if they are degrees)", what, s.min,
	             s.max, turns < 1 ? "half a" : "a full");
}

/* Rule for angles without a unit: beyond 2 pi they are degrees. Ranges of pi or 2 pi are radians, with a note. All
 * others are refused. */
static gt_status settle_unit(const char *path, const char *name, span s, size_t views, const gt_read_options *o, int *unit)
{
	if (*unit != NO_UNIT || !is_small(s, views) || s.min == s.max)
		return GT_OK;
	const double turns = turns_in_radians(s, views);
	if (turns == 0)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: %s: angles from %g to %g have no unit: as radians they are %.4g degrees, else %.4g: state the unit "
		               "(--angle-unit rad or --angle-unit deg)",
		               path, name, s.min, s.max, (s.max - s.min) * 180 / GT_PI, s.max - s.min);
	*unit = RADIANS;
	note_radians(name, s, turns, o);
	return GT_OK;
}

/* 1: an angle in degrees has at most two decimals. */
static int is_round(double degrees) { return fabs(degrees * 100 - round(degrees * 100)) < 1e-6; }

/* FIRST..LAST includes both ends. If they are 180 or 360 degrees apart, and only the range without the last view has
 * round steps, LAST is probably one step too far. */
static void note_both_ends(const char *spec, double range, int radians, size_t views, const gt_read_options *o)
{
	const double degrees = fabs(range) * (radians ? GT_DEGREES : 1), n = (double)views;
	if (views < 3 || fabs(remainder(degrees, 180)) > 1e-6 || is_round(degrees / (n - 1)) || !is_round(degrees / n))
		return;
	gt_notify(
		&o->notes, GT_WARNING, GT_ABOUT_GEOMETRY,
		"angles %s: %zu views include both ends, in steps of %.6g degrees: expected FIRST:%.6g if the last view is one step before "
		"the end",
		spec, views, degrees / (n - 1), degrees / n);
}

/* name: of a data set; NULL: none. */
static void note_many_turns(const char *name, int unit, span s, const gt_read_options *o)
{
	if (unit == RADIANS && s.max - s.min > 8 * GT_PI)
		gt_read_note(o, "%s%sangles from %g to %g are taken as radians, %.3g rotations: are they degrees? --angles sets them",
		             name ? name : "", name ? ": " : "", s.min, s.max, (s.max - s.min) / (2 * GT_PI));
}

gt_status gt_view_angles(const char *spec, int unit, const long long *number, size_t views, const gt_read_options *o, double *angle)
{
	double first, second;
	gt_status st = GT_OK;
	const int range = is_rule(spec, "..", &first, &second, &unit), steps = !range && is_rule(spec, ":", &first, &second, &unit);
	const size_t last = place_of(number, views - 1);
	if (range && last == 0)
		return gt_fail(GT_ERR_ARG,
		               "angles %s: one view has no range of angles: expected more images, or --sinogram if each line is a view",
		               spec);
	if (!range && !steps)
		GT_TRY(from_file(spec, number, views, o, angle));
	for (size_t v = 0; v < views && (range || steps); v++)
		angle[v] = first + (double)place_of(number, v) * (steps ? second : (second - first) / (double)last);
	const span s = span_of(angle, views);
	/* Rules on the command line are in degrees by default, as documented. A range of pi in radians is still a
	 * likely mistake. */
	if ((!range && !steps) || turns_in_radians(s, views) > 0)
		GT_TRY(settle_unit("angles", spec, s, views, o, &unit));
	if (unit != RADIANS && is_small(s, views))
		gt_read_note(o, "angles from %g to %g are taken as degrees (radians if named: --angle-unit rad, or 0..3.14rad)", s.min,
		             s.max);
	note_many_turns(NULL, unit, s, o);
	if (range)
		note_both_ends(spec, second - first, unit == RADIANS, last + 1, o);
	st = to_radians(spec, unit, views, angle);
done:
	return st;
}

static gt_status stated_unit(const char *path, const char *name, const char *units, int said, int *unit)
{
	*unit = !strncasecmp(units, "rad", 3) ? RADIANS : !strncasecmp(units, "deg", 3) || !strcmp(units, "\xc2\xb0") ? DEGREES : NO_UNIT;
	if (*units && *unit == NO_UNIT)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: units are '%s', expected degrees or radians", path, name, units);
	if (*unit != NO_UNIT && said != NO_UNIT && said != *unit)
		return gt_fail(GT_ERR_ARG, "%s: %s: units are '%s', but --angle-unit differs: expected one unit", path, name, units);
	*unit = *unit == NO_UNIT ? said : *unit;
	return GT_OK;
}

gt_status gt_angles_of_file(const char *path, const char *name, const char *units, size_t views, const gt_read_options *o, double *angle)
{
	int unit;
	gt_status st = stated_unit(path, name, units, o->frames ? o->frames->radians : NO_UNIT, &unit);
	for (size_t v = 0; v < views && st == GT_OK; v++)
		if (!isfinite(angle[v]))
			st = gt_fail(GT_ERR_FORMAT, "%s: %s: the angle of view %zu is %g, expected a finite number", path, name, v,
			             angle[v]);
	if (st != GT_OK)
		return st;
	const span s = span_of(angle, views);
	const int named = unit != NO_UNIT;
	if ((st = settle_unit(path, name, s, views, o, &unit)) != GT_OK)
		return st;
	if (!named && unit == NO_UNIT)
		gt_read_note(o, "%s: %s has no units: taken as degrees", path, name);
	note_many_turns(name, unit, s, o);
	return gt_fail_in(to_radians(name, unit, views, angle), "%s", path);
}
