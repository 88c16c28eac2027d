/* Angles of views: from a text file of one number a line, or from a rule. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/constants.h>
#include "core/text.h"
#include "core/try.h"
#include "io/frames/view_angles.h"
#include "io/write_kit/volume_units.h"

#define MOST_BYTES (64 << 20)

typedef struct {
	double *value;
	size_t n, commas;
} numbers;

static size_t place_of(const long long *number, size_t view) { return number ? (size_t)(number[view] - number[0]) : view; }

/* One word as a number, with a point or a comma between the digits. */
static int parse(const char *word, size_t n, double *value, size_t *commas)
{
	char text[64], *end;
	if (n == 0 || n >= sizeof text)
		return 0;
	memcpy(text, word, n);
	text[n] = 0;
	char *comma = strchr(text, ',');
	if (comma && !strchr(text, '.')) {
		*comma = '.';
		(*commas)++;
	}
	*value = gt_strtod(text, &end);
	return !*end && isfinite(*value);
}

static gt_status add_line(const char *path, size_t line, const char *text, size_t n, numbers *out)
{
	const char *remark = memchr(text, '#', n);
	double value;
	n = remark ? (size_t)(remark - text) : n;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	for (; n && isspace((unsigned char)*text); n--)
		text++;
	if (n == 0)
		return GT_OK;
	if (!parse(text, n, &value, &out->commas))
		return gt_fail(GT_ERR_FORMAT, "%s: line %zu is '%.*s', expected one number", path, line, (int)(n < 40 ? n : 40), text);
	if ((out->n & (out->n - 1)) == 0) {
		double *more = realloc(out->value, (out->n ? 2 * out->n : 1) * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
		out->value = more;
	}
	out->value[out->n++] = value;
	return GT_OK;
}

static gt_status read_text(const char *path, char **text, size_t *n)
{
	struct stat s;
	FILE *file = NULL;
	gt_status st = GT_OK;
	*text = NULL;
	if (stat(path, &s) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s (angles: a file, FIRST:STEP or FIRST..LAST, as 0..180, 0..180deg or 0..3.14rad)", path,
		               strerror(errno));
	if (!S_ISREG(s.st_mode) || s.st_size > MOST_BYTES)
		return gt_fail(GT_ERR_FORMAT, "%s: expected a text file of angles, of less than 64 MiB", path);
	*n = (size_t)s.st_size;
	if (!(*text = malloc(*n + 1)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (!(file = fopen(path, "rb")) || fread(*text, 1, *n, file) != *n)
		st = gt_fail(GT_ERR_IO, "%s: cannot be read", path);
	if (file)
		fclose(file);
	(*text)[*n] = 0;
	if (st == GT_OK && memchr(*text, 0, *n))
		st = gt_fail(GT_ERR_FORMAT, "%s: is no text, expected angles, one a line", path);
	return st;
}

static gt_status from_file(const char *path, const long long *number, size_t views, const gt_read_options *o, double *angle)
{
	char *text = NULL;
	size_t size = 0, line = 1;
	numbers found = { NULL, 0, 0 };
	gt_status st = GT_OK;
	GT_TRY(read_text(path, &text, &size));
	for (const char *at = text; at < text + size; line++) {
		const size_t n = strcspn(at, "\r\n");
		GT_TRY(add_line(path, line, at, n, &found));
		at += n;
		at += *at == '\r' && at[1] == '\n' ? 2 : 1;
	}
	const size_t places = place_of(number, views - 1) + 1;
	if (found.n != views && found.n != places)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has %zu angles, expected %zu, one for each view (%s)", path, found.n, views,
		               found.n > views ? "are those of flat and dark fields among them?" : "is it of another scan?"));
	for (size_t v = 0; v < views; v++)
		angle[v] = found.value[found.n == views ? v : place_of(number, v)];
	if (found.commas)
		gt_read_note(o, "%s: commas are taken as decimal points", path);
done:
	free(text);
	free(found.value);
	return st;
}

/* As gt_frames_options.radians has them. */
enum { DEGREES = -1, NO_UNIT, RADIANS };

/* The unit at the end of a word, which is *n bytes long without it then. */
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

/* 1: the text is two numbers around that separator; one unit behind the second or behind both says what they are. */
static int is_rule(const char *spec, const char *separator, double *a, double *b, int *unit)
{
	const char *at = strstr(spec, separator), *second = at ? at + strlen(separator) : NULL;
	size_t commas = 0, n = at ? (size_t)(at - spec) : 0, m = at ? strlen(second) : 0;
	if (!at)
		return 0;
	const int first_unit = cut_unit(spec, &n), second_unit = cut_unit(second, &m);
	if (!parse(spec, n, a, &commas) || !parse(second, m, b, &commas) || (first_unit != NO_UNIT && first_unit != second_unit))
		return 0;
	*unit = second_unit == NO_UNIT ? *unit : second_unit;
	return 1;
}

/* From the least to the most of all angles. */
typedef struct {
	double least, most;
} span;

static span span_of(const double *angle, size_t views)
{
	span s = { INFINITY, -INFINITY };
	for (size_t v = 0; v < views; v++) {
		s.least = fmin(s.least, angle[v]);
		s.most = fmax(s.most, angle[v]);
	}
	return s;
}

static void to_radians(int unit, size_t views, double *angle)
{
	for (size_t v = 0; v < views && unit != RADIANS; v++)
		angle[v] *= GT_PI / 180;
}

/* Too little to be degrees of a scan. */
static int is_small(span s, size_t views) { return views > 2 && s.most - s.least <= 2 * GT_PI + 0.1; }

/* Half a turn or a turn in radians, whose last view is the first again or one step before it; 0: neither. */
static double turns_in_radians(span s, size_t views)
{
	if (!is_small(s, views))
		return 0;
	const double range = s.most - s.least, wider = range * (double)views / (double)(views - 1);
	for (int halves = 1; halves <= 2; halves++)
		if (fabs(range - halves * GT_PI) < 0.01 * halves * GT_PI || fabs(wider - halves * GT_PI) < 0.01 * halves * GT_PI)
			return halves / 2.0;
	return 0;
}

static void note_radians(const char *what, span s, double turns, const gt_read_options *o)
{
	gt_read_note(o, "%s from %g to %g name no unit: taken as radians, %s turn (--angle-unit deg, if they are degrees)", what, s.least,
	             s.most, turns < 1 ? "half a" : "a full");
}

/* The one rule for angles without a unit: beyond a full turn in radians they are degrees; half a turn or a full turn
 * in radians is that, with a note; all others are refused. */
static gt_status settle_unit(const char *path, const char *name, span s, size_t views, const gt_read_options *o, int *unit)
{
	if (*unit != NO_UNIT || !is_small(s, views))
		return GT_OK;
	const double turns = turns_in_radians(s, views);
	if (turns == 0)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: %s: angles from %g to %g name no unit: as radians they are %.4g degrees, else %.4g: say which "
		               "(--angle-unit rad or --angle-unit deg)",
		               path, name, s.least, s.most, (s.most - s.least) * 180 / GT_PI, s.most - s.least);
	*unit = RADIANS;
	note_radians(name, s, turns, o);
	return GT_OK;
}

gt_status gt_view_angles(const char *spec, int unit, const long long *number, size_t views, const gt_read_options *o, double *angle)
{
	double first, second;
	gt_status st = GT_OK;
	const int range = is_rule(spec, "..", &first, &second, &unit), steps = !range && is_rule(spec, ":", &first, &second, &unit);
	const size_t last = place_of(number, views - 1);
	if (range && last == 0)
		return gt_fail(GT_ERR_ARG, "angles %s: one view has no range of angles", spec);
	if (!range && !steps)
		GT_TRY(from_file(spec, number, views, o, angle));
	for (size_t v = 0; v < views && (range || steps); v++)
		angle[v] = first + (double)place_of(number, v) * (steps ? second : (second - first) / (double)last);
	const span s = span_of(angle, views);
	/* A rule on the command line is in degrees unless it says otherwise: documented. Half a turn in radians is a slip all the same. */
	if ((!range && !steps) || turns_in_radians(s, views) > 0)
		GT_TRY(settle_unit("angles", spec, s, views, o, &unit));
	if (unit != RADIANS && is_small(s, views))
		gt_read_note(o, "angles from %g to %g are taken as degrees (radians if named: --angle-unit rad, or 0..3.14rad)", s.least,
		             s.most);
	if (unit == RADIANS && s.most - s.least > 8 * GT_PI)
		gt_read_note(o, "angles from %g to %g are taken as radians, %.3g turns", s.least, s.most, (s.most - s.least) / (2 * GT_PI));
	to_radians(unit, views, angle);
done:
	return st;
}

/* What the file says, or who reads it. */
static gt_status stated_unit(const char *path, const char *name, const char *units, int said, int *unit)
{
	*unit = !strncmp(units, "rad", 3) ? RADIANS : !strncmp(units, "deg", 3) || !strcmp(units, "\xc2\xb0") ? DEGREES : NO_UNIT;
	if (*units && *unit == NO_UNIT)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: units are '%s', expected degrees or radians", path, name, units);
	if (*unit != NO_UNIT && said != NO_UNIT && said != *unit)
		return gt_fail(GT_ERR_ARG, "%s: %s: units are '%s', and --angle-unit says otherwise: expected one of them", path, name,
		               units);
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
		gt_read_note(o, "%s: %s names no units: taken as degrees", path, name);
	to_radians(unit, views, angle);
	return GT_OK;
}
