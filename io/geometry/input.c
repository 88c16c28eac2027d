/* Functions shared by the readers of geometry files: notes, numbers, sizes, signs. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core/log.h"
#include "core/text.h"
#include "io/geometry/input.h"

void gt_geometry_note(const gt_geometry_input *in, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	gt_notify_list(&in->o.notes, GT_INFO, GT_ABOUT_GEOMETRY, format, args);
	va_end(args);
}

void gt_geometry_took(const gt_geometry_input *in, const char *what, double value, const char *unit, const char *key)
{
	gt_geometry_note(in, "%s %.10g%s%s from %s", what, value, *unit ? " " : "", unit, key);
}

int gt_number_of(const char *text, size_t n, double *value, size_t *commas)
{
	char copy[64], *end;
	while (n && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (n == 0 || n >= sizeof copy)
		return 0;
	memcpy(copy, text, n);
	copy[n] = 0;
	char *comma = strchr(copy, ',');
	if (comma && !strchr(copy, '.') && !strchr(comma + 1, ',')) {
		*comma = '.';
		(*commas)++;
	}
	*value = strtod(copy, &end);
	return !*end && isfinite(*value);
}

gt_status gt_number_add(const char *path, double value, gt_number_list *l)
{
	if (l->n == l->room) {
		const size_t room = l->room ? 2 * l->room : 64;
		double *more = realloc(l->value, room * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
		l->value = more;
		l->room = room;
	}
	l->value[l->n++] = value;
	return GT_OK;
}

gt_status gt_number_list_of(const char *path, const char *what, const char *text, size_t n, gt_number_list *l)
{
	const char *const end = text + n;
	while (text < end) {
		const char *from = text;
		while (text < end && !strchr(",;", *text) && !isspace((unsigned char)*text))
			text++;
		double value;
		size_t commas = 0;
		if (text > from) {
			if (!gt_number_of(from, (size_t)(text - from), &value, &commas))
				return gt_fail(GT_ERR_FORMAT, "%s: %s: '%.*s' is not a number", path, what,
				               (int)(text - from < 40 ? text - from : 40), from);
			const gt_status st = gt_number_add(path, value, l);
			if (st != GT_OK)
				return st;
		}
		text++;
	}
	return GT_OK;
}

static gt_status one_size(const gt_geometry_input *in, const char *what, size_t found, size_t said, size_t *size)
{
	if (!found && !said)
		return gt_fail(GT_ERR_ARG, "%s: does not state the number of %ss: expected --%ss", in->path, what, what);
	if (found && said && found != said)
		return gt_fail(GT_ERR_FORMAT, "%s: states %zu %ss, but --%ss is %zu: expected one number", in->path, found, what, what,
		               said);
	*size = found ? found : said;
	return GT_OK;
}

gt_status gt_geometry_size(const gt_geometry_input *in, size_t views, size_t rows, size_t columns, gt_scan_size3 *size)
{
	gt_status st = one_size(in, "view", views, in->o.views, &size->views);
	if (st == GT_OK)
		st = one_size(in, "row", rows, in->o.rows, &size->rows);
	if (st == GT_OK)
		st = one_size(in, "column", columns, in->o.columns, &size->columns);
	return st;
}

gt_status gt_size_of(const gt_geometry_input *in, const char *key, double value, size_t *size)
{
	if (!(value >= 1 && value <= 2147483647) || value != floor(value))
		return gt_fail(GT_ERR_FORMAT, "%s: %s is %.10g, expected a whole number of at least 1", in->path, key, value);
	*size = (size_t)value;
	return GT_OK;
}

static int sign_of(const gt_geometry_input *in, gt_sign said, unsigned bit)
{
	if (said == GT_SIGN_OPEN)
		in->g->open |= bit;
	return said == GT_SIGN_REVERSED;
}

int gt_geometry_direction(const gt_geometry_input *in, const char *of)
{
	gt_geometry_note(in, "the rotation direction of %s is unknown: %s", of,
	                 in->o.direction == GT_SIGN_OPEN      ? "to be determined from the images"
	                 : in->o.direction == GT_SIGN_AS_FILE ? "in the direction of the file's angles, as requested"
	                                                      : "against the direction of the file's angles, as requested");
	return sign_of(in, in->o.direction, GT_GEOMETRY_DIRECTION);
}

int gt_geometry_offset(const gt_geometry_input *in, const char *of)
{
	gt_geometry_note(in, "the side to which %s moves the axis is unknown: %s", of,
	                 in->o.offset == GT_SIGN_OPEN      ? "to be determined from the images"
	                 : in->o.offset == GT_SIGN_AS_FILE ? "towards higher columns, as requested"
	                                                   : "towards lower columns, as requested");
	return sign_of(in, in->o.offset, GT_GEOMETRY_OFFSET);
}

char *gt_geometry_beside(const gt_geometry_input *in, const char *name)
{
	const char *slash = strrchr(in->path, '/');
	char *path = gt_text("%.*s%s", slash ? (int)(slash - in->path + 1) : 0, in->path, name);
	for (char *c = path; c && *c; c++)
		if (*c == '\\')
			*c = '/';
	return path;
}
