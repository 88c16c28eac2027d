/* Shape files of users: one statement per line, words separated by blanks, # starts a comment. docs/phantoms.md
 * describes the format. Messages name the file, the line, the text found and the text expected. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/text.h"
#include "core/try.h"
#include "phantoms/solids.h"

#define SHAPE_NAMES "ellipsoid, cylinder, cone or box"

typedef struct {
	const char *path;
	size_t line;
	gt_phantom *p;
	int combined, per_mm;
} reader;

enum { CENTER, DENSITY, RADIUS, RADII, SIZE, LENGTH, END, ANGLES, AXIS, FIRST, CLIP, KEYS };
enum { ELLIPSOID, CYLINDER, CONE, BOX };

/* clang-format off */
static const struct { const char *name; int min, max; unsigned shapes; } keys[KEYS] = {
	[CENTER] = { "center", 3, 3, 15 },
	[DENSITY] = { "density", 1, 1, 15 },
	[RADIUS] = { "radius", 1, 1, 1 << ELLIPSOID | 1 << CYLINDER | 1 << CONE },
	[RADII] = { "radii", 2, 3, 1 << ELLIPSOID | 1 << CYLINDER | 1 << CONE },
	[SIZE] = { "size", 3, 3, 1 << BOX },
	[LENGTH] = { "length", 1, 1, 1 << CYLINDER | 1 << CONE },
	[END] = { "end", 1, 1, 1 << CONE },
	[ANGLES] = { "angles", 1, 3, 15 },
	[AXIS] = { "axis", 3, 3, 15 },
	[FIRST] = { "first", 3, 3, 15 },
	[CLIP] = { "clip", 4, 4, 15 },
};
/* clang-format on */
static const char *const shapes[] = { "ellipsoid", "cylinder", "cone", "box" };

/* A parsed line: values per key, their number (0: not given), and the solid, which collects the clips. */
typedef struct {
	int shape, given[KEYS];
	double value[KEYS][4];
	gt_solid solid;
} statement;

/* At most 40 printable characters of a word, for a message. */
typedef struct {
	char text[48];
} excerpt;
static excerpt found(const char *word)
{
	excerpt e;
	size_t n = 0;
	for (; word[n] && n < 40; n++)
		e.text[n] = isprint((unsigned char)word[n]) ? word[n] : '?';
	memcpy(e.text + n, word[n] ? "..." : "", word[n] ? 4 : 1);
	return e;
}

#define REFUSE(r, ...) refuse(r, gt_fail(GT_ERR_FORMAT, __VA_ARGS__))
static gt_status refuse(const reader *r, gt_status st) { return gt_fail_in(st, "%s:%zu", r->path, r->line); }

static int key_of(const char *word, size_t length)
{
	int k = 0;
	while (k < KEYS && (strlen(keys[k].name) != length || strncmp(keys[k].name, word, length)))
		k++;
	return k;
}

static gt_status expect_key(const reader *r, const char *word, int shape)
{
	char list[128] = "";
	for (int k = 0; k < KEYS; k++)
		if (keys[k].shapes >> shape & 1)
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "", keys[k].name);
	return REFUSE(r, "found '%s', expected for %s: key=numbers with key one of %s", found(word).text, shapes[shape], list);
}

static gt_status read_numbers(const reader *r, const char *word, int key, double out[4], int *count)
{
	const int min = keys[key].min, max = keys[key].max;
	const char *at = strchr(word, '=') + 1;
	char number[32];
	*count = 0;
	snprintf(number, sizeof number, min == max ? "%d" : "%d to %d", min, max);
	for (;; at++) {
		char *end;
		double x = gt_strtod(at, &end);
		if (end == at || !(fabs(x) <= 1e9) || (*end && *end != ',') || *count == max)
			return REFUSE(r, "found '%s', expected %s number%s up to 1e9 with commas between", found(word).text, number,
			              max == 1 ? "" : "s");
		out[(*count)++] = x;
		at = end;
		if (!*at)
			break;
	}
	if (*count < min)
		return REFUSE(r, "found '%s' with %d number%s, expected %s", found(word).text, *count, *count == 1 ? "" : "s", number);
	return GT_OK;
}

static double norm(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static gt_status read_clip(const reader *r, statement *s, const char *word)
{
	const double *c = s->value[CLIP];
	if (!(norm(c) > 0))
		return REFUSE(r, "found '%s', expected a direction that is not 0,0,0 and a distance", found(word).text);
	return refuse(r, gt_solid_clip(&s->solid, c, c[3]));
}

static gt_status read_word(const reader *r, statement *s, const char *word)
{
	const size_t length = strcspn(word, "=");
	const int key = key_of(word, length);
	gt_status st = GT_OK;
	if (word[length] != '=' || key == KEYS || !(keys[key].shapes >> s->shape & 1))
		return expect_key(r, word, s->shape);
	if (s->given[key] && key != CLIP)
		return REFUSE(r, "found a second '%s', expected %s once", found(word).text, keys[key].name);
	GT_TRY(read_numbers(r, word, key, s->value[key], &s->given[key]));
	if (key == CLIP)
		GT_TRY(read_clip(r, s, word));
done:
	return st;
}

static gt_status need_lengths(const reader *r, const statement *s, int key, int count)
{
	if (s->given[key] != count)
		return REFUSE(r, "found %d numbers for %s, expected %d for %s", s->given[key], keys[key].name, count, shapes[s->shape]);
	for (int i = 0; i < count; i++)
		if (!(s->value[key][i] >= 1e-6 && s->value[key][i] <= 1e6))
			return REFUSE(r, "found %s=%g, expected a length from 1e-6 to 1e6 mm", keys[key].name, s->value[key][i]);
	return GT_OK;
}

static gt_status set_round(const reader *r, statement *s)
{
	gt_status st = GT_OK;
	const int axes = s->shape == ELLIPSOID ? 3 : 2;
	if (!s->given[RADIUS] == !s->given[RADII])
		return REFUSE(r, "found %s radius and radii, expected one of them for %s", s->given[RADIUS] ? "both" : "neither",
		              shapes[s->shape]);
	GT_TRY(s->given[RADIUS] ? need_lengths(r, s, RADIUS, 1) : need_lengths(r, s, RADII, axes));
	for (int a = 0; a < axes; a++)
		s->solid.half[a] = s->given[RADIUS] ? s->value[RADIUS][0] : s->value[RADII][a];
done:
	return st;
}

static gt_status set_size(const reader *r, statement *s)
{
	gt_status st = GT_OK;
	if (s->shape == BOX) {
		if (!s->given[SIZE])
			return REFUSE(r, "found no size, expected size=x,y,z for box");
		GT_TRY(need_lengths(r, s, SIZE, 3));
		for (int a = 0; a < 3; a++)
			s->solid.half[a] = 0.5 * s->value[SIZE][a];
		return GT_OK;
	}
	GT_TRY(set_round(r, s));
	if (s->shape == ELLIPSOID)
		return GT_OK;
	if (!s->given[LENGTH])
		return REFUSE(r, "found no length, expected length=l for %s", shapes[s->shape]);
	GT_TRY(need_lengths(r, s, LENGTH, 1));
	s->solid.half[2] = 0.5 * s->value[LENGTH][0];
	if (s->shape == CONE) {
		if (!s->given[END] || !(s->value[END][0] >= 0))
			return REFUSE(r, "found %s end, expected end=r, the radius where the axis leaves: 0 or more",
			              s->given[END] ? "a negative" : "no");
		s->solid.taper = s->value[END][0] / s->solid.half[0];
	}
done:
	return st;
}

/* Axes of the solid are the columns of Rz(a0) Ry(a1) Rx(a2). */
static void set_angles(gt_solid *s, const double degrees[3])
{
	const double deg = GT_PI / 180;
	const double c0 = cos(degrees[0] * deg), s0 = sin(degrees[0] * deg);
	const double c1 = cos(degrees[1] * deg), s1 = sin(degrees[1] * deg);
	const double c2 = cos(degrees[2] * deg), s2 = sin(degrees[2] * deg);
	const double axis[3][3] = {
		{ c0 * c1, s0 * c1, -s1 },
		{ c0 * s1 * s2 - s0 * c2, s0 * s1 * s2 + c0 * c2, c1 * s2 },
		{ c0 * s1 * c2 + s0 * s2, s0 * s1 * c2 - c0 * s2, c1 * c2 },
	};
	memcpy(s->axis, axis, sizeof axis);
}

static gt_status set_axes(const reader *r, statement *s)
{
	const double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 }, z[3] = { 0, 0, 1 };
	const double *axis = s->given[AXIS] ? s->value[AXIS] : z, *first = s->given[FIRST] ? s->value[FIRST] : x;
	double(*out)[3] = s->solid.axis;
	const double length = norm(axis);
	if (!(length > 0) || !(norm(first) > 0))
		return REFUSE(r, "found %s=0,0,0, expected a direction", length > 0 ? "first" : "axis");
	/* Without a first axis any perpendicular one will do: x, or y if the axis is almost parallel to x. */
	if (!s->given[FIRST] && fabs(axis[0]) > 0.999 * length)
		first = y;
	double along = 0;
	for (int a = 0; a < 3; a++) {
		out[2][a] = axis[a] / length;
		along += first[a] * out[2][a];
	}
	for (int a = 0; a < 3; a++)
		out[0][a] = first[a] - along * out[2][a];
	const double rest = norm(out[0]);
	if (!(rest > 1e-6 * norm(first)))
		return REFUSE(r, "found first=%g,%g,%g along the axis, expected another direction", first[0], first[1], first[2]);
	for (int a = 0; a < 3; a++)
		out[0][a] /= rest;
	for (int a = 0; a < 3; a++) {
		const int b = (a + 1) % 3, c = (a + 2) % 3;
		out[1][a] = out[2][b] * out[0][c] - out[2][c] * out[0][b];
	}
	return GT_OK;
}

static gt_status set_solid(const reader *r, statement *s)
{
	gt_status st = GT_OK;
	if (!s->given[DENSITY])
		return REFUSE(r, "found no density, expected density=d for %s", shapes[s->shape]);
	s->solid.density = s->value[DENSITY][0];
	s->solid.per_mm = r->per_mm;
	memcpy(s->solid.center, s->value[CENTER], sizeof s->solid.center);
	GT_TRY(set_size(r, s));
	if (s->given[ANGLES] && (s->given[AXIS] || s->given[FIRST]))
		return REFUSE(r, "found angles and %s, expected one way to orient %s", s->given[AXIS] ? "axis" : "first", shapes[s->shape]);
	if (s->given[ANGLES])
		set_angles(&s->solid, s->value[ANGLES]);
	else if (s->given[AXIS] || s->given[FIRST])
		GT_TRY(set_axes(r, s));
done:
	return st;
}

static gt_status read_shape(const reader *r, int shape, char **rest)
{
	gt_status st = GT_OK;
	statement s = { .shape = shape };
	char *word;
	s.solid = gt_solid_make(shape == ELLIPSOID ? GT_SOLID_ELLIPSOID : shape == BOX ? GT_SOLID_BOX : GT_SOLID_CONE);
	while ((word = strtok_r(NULL, " \t\r\n", rest)))
		GT_TRY(read_word(r, &s, word));
	GT_TRY(set_solid(r, &s));
	st = gt_solids_add(r->p, s.solid);
	s.solid.clip = NULL;
done:
	gt_solid_free(&s.solid);
	return st;
}

/* Reads a statement with one word of two; *choice is 0 or 1. */
static gt_status read_choice(const reader *r, char **rest, const char *name, const char *zero, const char *one, int *choice)
{
	const char *word = strtok_r(NULL, " \t\r\n", rest), *more = word ? strtok_r(NULL, " \t\r\n", rest) : NULL;
	if (!word || more || (strcmp(word, zero) && strcmp(word, one))) {
		const char *odd = more ? more : word;
		return REFUSE(r, "found '%s', expected %s %s or %s %s", found(odd ? odd : name).text, name, zero, name, one);
	}
	*choice = !strcmp(word, one);
	return GT_OK;
}

static gt_status read_line(reader *r, char *line)
{
	char *rest = NULL;
	line[strcspn(line, "#")] = 0;
	const char *word = strtok_r(line, " \t\r\n", &rest);
	if (!word)
		return GT_OK;
	if (!strcmp(word, "combine")) {
		if (r->combined || r->p->solids)
			return REFUSE(r, "found 'combine', expected it once and before the first shape");
		r->combined = 1;
		return read_choice(r, &rest, "combine", "add", "replace", &r->p->replace);
	}
	if (!strcmp(word, "unit"))
		return read_choice(r, &rest, "unit", "water", "mm-1", &r->per_mm);
	for (int shape = ELLIPSOID; shape <= BOX; shape++)
		if (!strcmp(word, shapes[shape]))
			return read_shape(r, shape, &rest);
	return REFUSE(r, "found '%s', expected combine, unit, " SHAPE_NAMES, found(word).text);
}

gt_status gt_phantom_read(FILE *file, const char *path, gt_phantom *p)
{
	gt_status st = GT_OK;
	reader r = { .path = path, .p = p };
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	while ((length = getline(&line, &room, file)) >= 0) {
		r.line++;
		if (strlen(line) != (size_t)length) {
			st = REFUSE(&r, "found a zero byte, expected lines of text");
			goto done;
		}
		GT_TRY(read_line(&r, line));
	}
	if (ferror(file))
		st = gt_fail(GT_ERR_IO, "cannot read the file of shapes %s: %s", path, strerror(errno));
	else if (!feof(file))
		st = gt_fail(GT_ERR_MEMORY, "%s:%zu: no memory for the line", path, r.line + 1);
	else if (!p->solids)
		st = gt_fail(GT_ERR_FORMAT, "%s: found no shape, expected at least one line that begins with " SHAPE_NAMES, path);
done:
	free(line);
	return st;
}
