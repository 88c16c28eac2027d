/* Text tables of angles. A comma is a decimal comma, or separates an index from an angle; all lines together decide. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/angle_table.h"
#include "io/write_kit/volume_units.h"

#define MAX_BYTES (64 << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* COMMA: digits, a comma, digits: one or two numbers. */
enum { ONE, COMMA, TWO };
typedef struct {
	double one, first, second;
	size_t number, digits, commas; /* number: of the line, from 1; digits: after the comma; commas: decimal
	                                * commas */
	int kind, zero;                /* zero: the fraction has several digits and begins with 0 */
} angle_line;
typedef struct {
	angle_line *at;
	size_t n, expected;
} table;

int gt_angle_number(const char *word, size_t n, double *value, size_t *commas)
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

/* Splits at the first blank or semicolon, else at the first comma; 0: not two numbers. */
static int parse_two(const char *text, size_t n, angle_line *e)
{
	size_t first = 0, gap, none = 0;
	while (first < n && !isspace((unsigned char)text[first]) && text[first] != ';')
		first++;
	if (first == n || text[first - (first > 0)] == ',') {
		const char *comma = memchr(text, ',', n);
		first = comma ? (size_t)(comma - text) : n;
	}
	for (gap = first; gap < n && (isspace((unsigned char)text[gap]) || strchr(",;", text[gap]));)
		gap++;
	if (first == n || !gt_angle_number(text, first, &e->first, &none) || none)
		return 0;
	/* after a comma as separator, no other comma can be decimal */
	const size_t commas = e->commas;
	return gt_angle_number(text + gap, n - gap, &e->second, &e->commas) && (text[first] != ',' || e->commas == commas);
}

static int parse_line(const char *text, size_t n, angle_line *e)
{
	const char *comma = memchr(text, ',', n);
	const size_t whole = comma ? (size_t)(comma - text) : n, sign = n && strchr("+-", *text) ? 1 : 0;
	size_t digits = 0;
	while (whole + 1 + digits < n && isdigit((unsigned char)text[whole + 1 + digits]))
		digits++;
	if (comma && digits && whole + 1 + digits == n && whole > sign && strspn(text + sign, "0123456789") == whole - sign) {
		e->kind = COMMA;
		e->digits = digits;
		e->zero = digits > 1 && comma[1] == '0';
		return parse_two(text, n, e) && gt_angle_number(text, n, &e->one, &e->commas);
	}
	if (gt_angle_number(text, n, &e->one, &e->commas))
		return 1;
	*e = (angle_line){ .number = e->number, .kind = TWO };
	return parse_two(text, n, e);
}

static gt_status add_line(const char *path, size_t line, const char *text, size_t n, table *t)
{
	const char *comment = memchr(text, '#', n);
	angle_line e = { .number = line, .kind = ONE };
	n = comment ? (size_t)(comment - text) : n;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	for (; n && isspace((unsigned char)*text); n--)
		text++;
	if (n == 0)
		return GT_OK;
	if (!parse_line(text, n, &e))
		return gt_fail(GT_ERR_FORMAT, "%s: line %zu is '%.*s', expected one number (an angle), or an index and an angle", path,
		               line, (int)(n < 40 ? n : 40), text);
	if (t->n >= GT_MAX_ANGLES(t->expected))
		return gt_fail(GT_ERR_FORMAT, "%s: has more than %zu angles, expected %zu, one for each view", path, t->n, t->expected);
	if ((t->n & (t->n - 1)) == 0) {
		angle_line *more = realloc(t->at, (t->n ? 2 * t->n : 1) * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
		t->at = more;
	}
	t->at[t->n++] = e;
	return GT_OK;
}

static gt_status read_text(const char *path, char **text, size_t *n)
{
	int file;
	gt_status st = gt_file_open(path, &file, n);
	*text = NULL;
	if (st != GT_OK)
		return gt_fail(st, "%s (angles: a file, FIRST:STEP or FIRST..LAST, as 0..180, 0..180deg or 0..3.14rad)", gt_error());
	if (*n > MAX_BYTES)
		st = gt_fail(GT_ERR_FORMAT, "%s: expected a text file of angles below 64 MiB", path);
	else if (!(*text = malloc(*n + 1)))
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	else if ((st = gt_read_at(path, file, 0, *n, *text)) == GT_OK)
		(*text)[*n] = 0;
	close(file);
	if (st == GT_OK && memchr(*text, 0, *n))
		st = gt_fail(GT_ERR_FORMAT, "%s: is not a text, expected one angle per line", path);
	return st;
}

/* 1: the first numbers of the lines count 0, 1, 2 ... from a non-negative integer. */
static int has_indices(const table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].first != t->at[0].first + (double)i || t->at[i].first != floor(t->at[i].first) || t->at[i].first < 0)
			return 0;
	return 1;
}

/* Integer degrees are smaller. */
#define MAX_WHOLE 1e5
/* With at least this number of lines, angles may wrap once from the end of a rotation to its start. */
enum { LINES_OF_WRAP = 8 };

/* 1: the second numbers count 0, 1, 2 ... or 1, 2, 3 ..., and the first ones change: they may be indices. */
static int ends_in_indices(const table *t)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->at[i].second != t->at[0].second + (double)i || t->at[i].first == t->at[i - 1].first)
			return 0;
	return t->n > 2 && t->at[0].second <= 1;
}

/* Decides between ONE and TWO for lines that are all COMMA; COMMA: both readings are possible. */
static int kind_of_commas(const table *t)
{
	size_t same = 0, as_long = 0, up = 0, down = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (t->at[i].zero || t->at[i].second > MAX_WHOLE)
			return ONE;
		const angle_line *before = &t->at[i ? i - 1 : 0];
		same += t->at[i].second == t->at[0].second;
		as_long += t->at[i].digits == t->at[0].digits;
		up += t->at[i].second > before->second;
		down += t->at[i].second < before->second;
	}
	if (ends_in_indices(t))
		return COMMA;
	if (!has_indices(t) || same == t->n)
		return ONE;
	const size_t turns = up < down ? up : down, equal = t->n - 1 - up - down;
	return as_long < t->n && !equal && turns <= (t->n >= LINES_OF_WRAP) ? TWO : COMMA;
}

static gt_status take_kind(const char *path, table *t, int *kind)
{
	size_t of[3] = { 0, 0, 0 };
	for (size_t i = 0; i < t->n; i++)
		of[t->at[i].kind]++;
	*kind = of[TWO] ? TWO : of[ONE] || !t->n ? ONE : kind_of_commas(t);
	if (*kind == COMMA)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: lines such as line %zu hold a decimal comma, or an index and an angle: ambiguous: expected "
		               "decimal points, or a semicolon after the index",
		               path, t->at[0].number);
	for (size_t i = 0; i < t->n && *kind == TWO; i++)
		if (t->at[i].kind == ONE)
			return gt_fail(GT_ERR_FORMAT, "%s: line %zu holds one number, expected an index and an angle as on other lines",
			               path, t->at[i].number);
	if (*kind == TWO && !has_indices(t))
		return gt_fail(
			GT_ERR_FORMAT,
			"%s: lines hold two numbers, and the first ones do not count the views: expected one angle per line, or an index "
			"that grows by 1 and an angle",
			path);
	return GT_OK;
}

gt_status gt_angle_table(const char *path, size_t expected, const gt_read_options *o, double **value, size_t *n)
{
	char *text = NULL;
	size_t size = 0, line = 1, commas = 0;
	int kind = ONE;
	table t = { NULL, 0, expected };
	gt_status st = GT_OK;
	*value = NULL;
	GT_TRY(read_text(path, &text, &size));
	for (const char *at = text + (strncmp(text, BYTE_ORDER_MARK, 3) ? 0 : 3); at < text + size; line++) {
		const size_t length = strcspn(at, "\r\n");
		GT_TRY(add_line(path, line, at, length, &t));
		at += length;
		at += *at == '\r' && at[1] == '\n' ? 2 : 1;
	}
	GT_TRY(take_kind(path, &t, &kind));
	if (!(*value = malloc((t.n ? t.n : 1) * sizeof **value)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	for (size_t i = 0; i < t.n; i++) {
		(*value)[i] = kind == TWO ? t.at[i].second : t.at[i].one;
		commas += kind == TWO && t.at[i].kind == COMMA ? 0 : t.at[i].commas;
	}
	*n = t.n;
	if (commas)
		gt_read_note(o, "%s: commas are taken as decimal points", path);
	if (kind == TWO)
		gt_read_note(o, "%s: lines hold an index (%g to %g) and an angle", path, t.at[0].first, t.at[t.n - 1].first);
done:
	free(text);
	free(t.at);
	return st;
}
