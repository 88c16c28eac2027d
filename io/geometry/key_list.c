/* Files with lines "key = value" in sections, as scanners and programs write their parameters. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "io/geometry/key_list.h"

static char *trimmed(char *text)
{
	text += strspn(text, " \t");
	size_t n = strlen(text);
	while (n && isspace((unsigned char)text[n - 1]))
		text[--n] = 0;
	return text;
}

static gt_status add(gt_key_list *l, gt_key key)
{
	if (l->n == l->room) {
		const size_t room = l->room ? 2 * l->room : 64;
		gt_key *more = realloc(l->key, room * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", l->in->path);
		l->key = more;
		l->room = room;
	}
	l->key[l->n++] = key;
	return GT_OK;
}

gt_status gt_keys_read(const gt_geometry_input *in, gt_key_list *l)
{
	char *at = in->text, *section = in->text + in->bytes;
	gt_status st = GT_OK;
	*l = (gt_key_list){ .in = in };
	if (!strncmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	for (size_t line = 1; *at && st == GT_OK; line++) {
		const size_t n = strcspn(at, "\r\n"), end = !at[n] ? 0 : at[n] == '\r' && at[n + 1] == '\n' ? 2 : 1;
		at[n] = 0;
		char *text = trimmed(at), *equals = strchr(text, '='), *close = strchr(text, ']');
		if (*text == '[' && close) {
			*close = 0;
			section = text + 1;
		} else if (equals && *text != ';' && *text != '#') {
			*equals = 0;
			st = add(l, (gt_key){ section, trimmed(text), trimmed(equals + 1), line });
		}
		at += n + end;
	}
	return st;
}

void gt_keys_free(gt_key_list *l)
{
	free(l->key);
	*l = (gt_key_list){ .in = l->in };
}

static const gt_key *find(const gt_key_list *l, const char *section, const char *key, size_t from)
{
	for (size_t i = from; i < l->n; i++)
		if (!strcasecmp(l->key[i].key, key) && (!section || !strcasecmp(l->key[i].section, section)))
			return &l->key[i];
	return NULL;
}

const char *gt_key_text(const gt_key_list *l, const char *section, const char *key)
{
	const gt_key *k = find(l, section, key, 0);
	return k ? k->value : NULL;
}

gt_status gt_key_maybe(gt_key_list *l, const char *section, const char *key, double *value, int *there)
{
	const gt_key *k = find(l, section, key, 0), *other = k ? find(l, section, key, (size_t)(k - l->key) + 1) : NULL;
	*there = k && *k->value;
	if (!*there)
		return GT_OK;
	if (other && strcmp(other->value, k->value))
		return gt_fail(GT_ERR_FORMAT, "%s: %s is '%s' in line %zu and '%s' in line %zu: expected one of them", l->in->path, key,
		               k->value, k->line, other->value, other->line);
	if (!gt_number_of(k->value, strlen(k->value), value, &l->commas))
		return gt_fail(GT_ERR_FORMAT, "%s: line %zu: %s is '%.40s', expected a number", l->in->path, k->line, key, k->value);
	return GT_OK;
}

gt_status gt_key_number(gt_key_list *l, const char *section, const char *key, double *value)
{
	int there;
	const gt_status st = gt_key_maybe(l, section, key, value, &there);
	if (st != GT_OK || there)
		return st;
	return gt_fail(GT_ERR_FORMAT, "%s: %s is missing%s%s%s: expected a number", l->in->path, key, section ? " in [" : "",
	               section ? section : "", section ? "]" : "");
}

gt_status gt_key_length(gt_key_list *l, const char *section, const char *key, double *value)
{
	const gt_status st = gt_key_number(l, section, key, value);
	if (st == GT_OK && !(*value > 0))
		return gt_fail(GT_ERR_FORMAT, "%s: %s is %g, expected a length above 0", l->in->path, key, *value);
	return st;
}

gt_status gt_key_size(gt_key_list *l, const char *section, const char *key, size_t *size)
{
	double value = 0;
	const gt_status st = gt_key_number(l, section, key, &value);
	return st == GT_OK ? gt_size_of(l->in, key, value, size) : st;
}

gt_status gt_key_white(gt_key_list *l, const char *section, const char *key)
{
	double white = 0;
	int there;
	const gt_status st = gt_key_maybe(l, section, key, &white, &there);
	if (st == GT_OK && white < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: %s is %g, expected counts of at least 0", l->in->path, key, white);
	if (st == GT_OK && white > 0) {
		l->in->g->white = white;
		gt_geometry_took(l->in, "blank-scan counts", white, "", key);
	}
	return st;
}

void gt_keys_note_commas(const gt_key_list *l)
{
	if (l->commas)
		gt_geometry_note(l->in, "commas in its numbers are taken as decimal points");
}

int gt_text_has_line(const char *text, const char *begin)
{
	const size_t n = strlen(begin);
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (*text) {
		text += strspn(text, " \t");
		if (!strncasecmp(text, begin, n))
			return 1;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return 0;
}
