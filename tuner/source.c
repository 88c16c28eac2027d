/* Parser and writer of annotated source files (tuner/source.h). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "tuner/source.h"

enum { MAX_BYTES = 16 << 20, MAX_NAME = 32, MAX_MARK = 240, MAX_VARIANT = 399, NONE = -1 };
static const char mark[] = "// tune";

/* A line: code of every program (layer NONE), code of an alternative, or a value (alternative NONE). */
struct line {
	const char *text;
	size_t length;
	int layer, alternative;
};

struct gt_source {
	char *text;
	struct line *line;
	size_t lines;
	gt_space *space;
	int is_choice[GT_MAX_LAYERS];
	char name[GT_MAX_LAYERS][GT_MAX_VALUES][MAX_NAME]; /* alternatives */
};

struct reader {
	gt_source *s;
	const char *path;
	size_t at;              /* line number */
	int layer, alternative; /* the open snippet */
	int is_new, n;          /* first position of the choice, and its alternatives so far */
	char choice[MAX_NAME];
	char rule[GT_MAX_VALUES][MAX_MARK]; /* edges of its alternatives */
	char *known;                        /* "plain=0 shared=1": the names for rules */
};

static gt_status wrong(const struct reader *r, const char *what, const char *found)
{
	return gt_fail(GT_ERR_FORMAT, "%s, line %zu: %s, found \"%s\"", r->path, r->at, what, found);
}

/* Copies the next word of *at, or "". */
static const char *next_word(const char **at, char word[MAX_NAME])
{
	*at += strspn(*at, " \t");
	const size_t n = strcspn(*at, " \t"), kept = n < MAX_NAME - 1 ? n : MAX_NAME - 1;
	memcpy(word, *at, kept);
	word[kept] = 0;
	*at += n;
	return word;
}

static int is_name(const char *word)
{
	size_t n = 0;
	while (isalnum((unsigned char)word[n]) || word[n] == '_')
		n++;
	return n > 0 && !word[n] && isalpha((unsigned char)word[0]);
}

static int layer_of(const gt_source *s, const char *name)
{
	int l = s->space->layers - 1;
	while (l >= 0 && strcmp(s->space->layer[l].name, name) != 0)
		l--;
	return l;
}

/* Finds an alternative in layers [0, layers); returns its layer or NONE. */
static int alternative_of(const gt_source *s, int layers, const char *name, int *alternative)
{
	for (int l = 0; l < layers; l++)
		for (*alternative = 0; s->is_choice[l] && *alternative < s->space->layer[l].n; ++*alternative)
			if (!strcmp(s->name[l][*alternative], name))
				return l;
	return NONE;
}

/* Edges of one alternative as a rule: this alternative is not chosen, or one of its predecessors is. */
static gt_status read_edges(struct reader *r, const char *at)
{
	char word[MAX_NAME], *rule = r->rule[r->n];
	int from = NONE, alternative;
	*rule = 0;
	if (!*next_word(&at, word))
		return GT_OK;
	if (strcmp(word, "after") != 0)
		return wrong(r, "expected \"after\" and names of alternatives", word);
	gt_snprintf(rule, MAX_MARK, "%s != %d", r->choice, r->n);
	while (*next_word(&at, word)) {
		const int layer = alternative_of(r->s, r->s->space->layers, word, &alternative);
		if (layer == NONE || (from != NONE && layer != from))
			return wrong(r, "expected alternatives of one earlier choice", word);
		from = layer;
		const size_t n = strlen(rule);
		if (gt_snprintf(rule + n, MAX_MARK - n, " || %s == %d", r->s->space->layer[layer].name, alternative) >= (int)(MAX_MARK - n))
			return wrong(r, "expected fewer edges", word);
	}
	return from == NONE ? wrong(r, "expected names of alternatives", "after") : GT_OK;
}

/* Reads "NAME [after ...]" and opens the snippet. */
static gt_status open_alternative(struct reader *r, const char *at)
{
	char word[MAX_NAME];
	int other;
	gt_source *s = r->s;
	next_word(&at, word);
	if (!is_name(word))
		return wrong(r, "expected the name of an alternative", word);
	if (!r->is_new) {
		if (alternative_of(s, s->space->layers, word, &r->alternative) != r->layer)
			return wrong(r, "expected an alternative of the first position of this choice", word);
		return *next_word(&at, word) ? wrong(r, "expected edges at the first position only", word) : GT_OK;
	}
	for (int i = 0; i < r->n; i++)
		if (!strcmp(s->name[r->layer][i], word))
			return wrong(r, "expected distinct names of alternatives", word);
	if (r->n == GT_MAX_VALUES || alternative_of(s, r->layer, word, &other) != NONE)
		return wrong(r, r->n == GT_MAX_VALUES ? "expected at most 16 alternatives" : "expected distinct names of alternatives",
		             word);
	const gt_status st = read_edges(r, at);
	r->alternative = r->n;
	gt_snprintf(s->name[r->layer][r->n++], MAX_NAME, "%s", word);
	return st;
}

static gt_status open_choice(struct reader *r, const char *at)
{
	next_word(&at, r->choice);
	if (r->layer != NONE)
		return wrong(r, "expected the end of the choice before", r->choice);
	if (!is_name(r->choice))
		return wrong(r, "expected the name of a choice", r->choice);
	r->layer = layer_of(r->s, r->choice);
	r->is_new = r->layer == NONE;
	r->n = 0;
	if (!r->is_new && !r->s->is_choice[r->layer])
		return wrong(r, "expected a name that no layer of numbers has", r->choice);
	if (r->is_new && (r->layer = r->s->space->layers) == GT_MAX_LAYERS)
		return wrong(r, "expected at most 24 layers", r->choice);
	return open_alternative(r, at);
}

static gt_status add_known(struct reader *r, const char *name, int number)
{
	char *more = gt_text("%s %s=%d", r->known ? r->known : "", name, number);
	free(r->known);
	r->known = more;
	return more ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", r->path);
}

static gt_status close_choice(struct reader *r)
{
	char line[MAX_MARK];
	gt_status st = r->layer == NONE ? wrong(r, "expected an open choice", "end") : GT_OK;
	int n = gt_snprintf(line, sizeof line, "%s", r->choice);
	for (int i = 0; i < r->n && r->is_new; i++)
		n += gt_snprintf(line + n, sizeof line - (size_t)n, " %d", i);
	if (st == GT_OK && r->is_new && (st = gt_space_add(r->s->space, line)) == GT_OK)
		r->s->is_choice[r->layer] = 1;
	for (int i = 0; i < r->n && r->is_new && st == GT_OK; i++) {
		st = *r->rule[i] ? gt_space_rule(r->s->space, r->rule[i], "") : GT_OK;
		st = st == GT_OK ? add_known(r, r->s->name[r->layer][i], i) : st;
	}
	r->layer = r->alternative = NONE;
	return st;
}

/* A mark; *line: its entry, a layer of numbers gets its index. */
static gt_status read_mark(struct reader *r, const char *at, struct line *line)
{
	char word[MAX_NAME];
	const char *rest = at;
	gt_space *space = r->s->space;
	next_word(&rest, word);
	if (!strcmp(word, "choose"))
		return open_choice(r, rest);
	if (!strcmp(word, "or"))
		return r->layer == NONE ? wrong(r, "expected an open choice", "or") : open_alternative(r, rest);
	if (!strcmp(word, "end"))
		return close_choice(r);
	rest += strspn(rest, " \t");
	if (r->layer != NONE)
		return wrong(r, "expected code, or, or end in a choice", word);
	if (!strcmp(word, "keep"))
		return gt_space_rule(space, rest, r->known ? r->known : "");
	if (!is_name(word) || layer_of(r->s, word) != NONE)
		return wrong(r, "expected choose, or, end, keep, or a new layer", word);
	line->layer = space->layers;
	return gt_space_add(space, at + strspn(at, " \t"));
}

/* The text of a mark without its end of line, with spaces for tabs; NULL: the line is code. */
static const char *mark_of(const struct line *l, char text[MAX_MARK])
{
	const size_t white = strspn(l->text, " \t"), start = white + strlen(mark);
	if (l->length < start || strncmp(l->text + white, mark, strlen(mark)) != 0 ||
	    (l->text[start] && !isspace((unsigned char)l->text[start])))
		return NULL;
	gt_snprintf(text, MAX_MARK, "%.*s", (int)(l->length - start), l->text + start);
	for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
		text[--n] = 0;
	for (char *tab = text; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	return text;
}

static gt_status read_lines(struct reader *r)
{
	gt_source *s = r->s;
	size_t room = 1;
	for (const char *at = s->text; *at; at++)
		room += *at == '\n';
	if (!(s->line = calloc(room, sizeof *s->line)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", r->path);
	for (const char *at = s->text; *at;) {
		char text[MAX_MARK];
		const size_t n = strcspn(at, "\n");
		struct line *l = &s->line[s->lines];
		*l = (struct line){ at, n + (at[n] == '\n'), NONE, NONE };
		r->at++;
		at += l->length;
		const char *found = mark_of(l, text);
		const gt_status st = !found                 ? GT_OK
		                     : l->length > MAX_MARK ? wrong(r, "expected a mark of at most 240 bytes", found)
		                                            : read_mark(r, found, l);
		if (st != GT_OK)
			return st;
		if (!found) {
			l->layer = r->layer;
			l->alternative = r->alternative;
		}
		s->lines += !found || l->layer != NONE;
	}
	if (r->layer != NONE)
		return wrong(r, "expected \"// tune end\" of a choice", r->choice);
	return s->space->layers ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s: expected layers, as \"%s BLOCK 64 128\", found none", r->path, mark);
}

/* Candidates travel between processes as texts of gt_space_text(). */
static gt_status check_length(const gt_source *s, const char *path)
{
	size_t n = 0;
	for (const gt_layer *l = s->space->layer; l < s->space->layer + s->space->layers; l++) {
		char first[24], last[24];
		const int a = gt_snprintf(first, sizeof first, "%ld", l->value[0]),
			  b = gt_snprintf(last, sizeof last, "%ld", l->value[l->n - 1]);
		n += strlen(l->name) + 2 + (size_t)(a > b ? a : b);
	}
	return n <= MAX_VARIANT
	               ? GT_OK
	               : gt_fail(GT_ERR_FORMAT, "%s: expected names and values of layers of at most %d characters in all, found %zu", path,
	                         MAX_VARIANT, n);
}

static gt_status read_text(const char *path, char **text)
{
	FILE *f;
	size_t bytes = 0;
	gt_status st = gt_file_stream(path, &f, &bytes);
	if (st != GT_OK)
		return st;
	if (bytes > MAX_BYTES)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: expected a source of at most 16 MiB, found %zu bytes", path, bytes));
	if (!(*text = calloc(bytes + 1, 1)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	if (fread(*text, 1, bytes, f) != bytes || strlen(*text) != bytes)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: expected a text file", path));
done:
	fclose(f);
	return st;
}

gt_status gt_source_read(const char *path, gt_source **out)
{
	const char *slash = strrchr(path, '/');
	gt_source *s = calloc(1, sizeof *s);
	struct reader *r = calloc(1, sizeof *r);
	gt_status st = s && r ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	GT_TRY(st);
	r->s = s;
	r->path = path;
	r->layer = r->alternative = NONE;
	GT_TRY(read_text(path, &s->text));
	GT_TRY(gt_space_empty(slash ? slash + 1 : path, &s->space));
	GT_TRY(read_lines(r));
	GT_TRY(check_length(s, path));
	GT_TRY(gt_space_enumerate(s->space));
	*out = s;
done:
	if (r)
		free(r->known);
	free(r);
	if (st != GT_OK)
		gt_source_free(s);
	return st;
}

void gt_source_free(gt_source *s)
{
	if (!s)
		return;
	gt_space_free(s->space);
	free(s->line);
	free(s->text);
	free(s);
}

gt_space *gt_source_space(gt_source *s) { return s->space; }

gt_status gt_source_write(const gt_source *s, size_t candidate, const char *path)
{
	const uint8_t *pick = gt_space_pick(s->space, candidate);
	FILE *f = fopen(path, "w");
	if (!f)
		return gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", path, strerror(errno));
	for (const struct line *l = s->line; l < s->line + s->lines; l++) {
		const gt_layer *layer = l->layer == NONE ? NULL : &s->space->layer[l->layer];
		if (layer && !s->is_choice[l->layer])
			gt_fprintf(f, "#define %s %ld\n", layer->name, layer->value[pick[l->layer]]);
		else if (!layer || l->alternative == pick[l->layer])
			fwrite(l->text, 1, l->length, f);
	}
	const int failed = ferror(f);
	if (fclose(f) == 0 && !failed)
		return GT_OK;
	const gt_status st = gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", path, strerror(errno));
	struct stat now;
	if (stat(path, &now) == 0 && S_ISREG(now.st_mode))
		remove(path); /* a part of a program; devices stay */
	return st;
}

void gt_source_words(const gt_source *s, const char *variant, char *words, size_t size)
{
	uint8_t pick[GT_MAX_LAYERS];
	size_t n = 0;
	*words = 0;
	if (!gt_space_parse(s->space, variant, pick))
		return;
	for (int l = 0; l < s->space->layers && n < size; l++) {
		const gt_layer *layer = &s->space->layer[l];
		if (s->is_choice[l])
			n += (size_t)gt_snprintf(words + n, size - n, "%s%s=%s", l ? " " : "", layer->name, s->name[l][pick[l]]);
		else
			n += (size_t)gt_snprintf(words + n, size - n, "%s%s=%ld", l ? " " : "", layer->name, layer->value[pick[l]]);
	}
}
