/* Spaces of variants: parsed from kernel headers, enumerated, and searched. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "tuner/rule.h"
#include "tuner/space.h"

enum { MAX_CANDIDATES = 4000000, MAX_LINE = 160 };

gt_status gt_space_add(gt_space *s, const char *line)
{
	gt_layer *l = &s->layer[s->layers];
	const size_t n = strcspn(line, " ");
	char *at = (char *)line + n;
	if (s->layers == GT_MAX_LAYERS || n >= sizeof l->name || n == 0)
		return gt_fail(GT_ERR_FORMAT, "space of %s: expected a name and its values, found \"%s\"", s->kernel, line);
	memcpy(l->name, line, n);
	while (*at == ' ')
		at++;
	while (*at) {
		char *end;
		const long value = strtol(at, &end, 10);
		if (end == at || l->n == GT_MAX_VALUES || (*end && *end != ' ') || (l->n && value <= l->value[l->n - 1]))
			return gt_fail(GT_ERR_FORMAT, "space of %s: expected up to %d ascending numbers, found \"%s\"", s->kernel,
			               GT_MAX_VALUES, line);
		l->value[l->n++] = value;
		for (at = end; *at == ' ';)
			at++;
	}
	if (l->n == 0)
		return gt_fail(GT_ERR_FORMAT, "space of %s: %s has no values", s->kernel, l->name);
	s->layers++;
	return GT_OK;
}

gt_status gt_space_rule(gt_space *s, const char *text, const char *about)
{
	if (s->rules == GT_MAX_RULES)
		return gt_fail(GT_ERR_FORMAT, "space of %s: more than %d rules", s->kernel, GT_MAX_RULES);
	return gt_rule_read(s, text, about, &s->rule[s->rules++]);
}

/* Copies the next line of the block without comment markers. Returns the position after it. */
static const char *next_line(const char *at, char *line)
{
	const char *end = at + strcspn(at, "\n");
	while (at < end && (*at == ' ' || *at == '*' || *at == '\t'))
		at++;
	size_t n = (size_t)(end - at);
	while (n && isspace((unsigned char)at[n - 1]))
		n--;
	n = n < MAX_LINE - 1 ? n : MAX_LINE - 1;
	memcpy(line, at, n);
	line[n] = 0;
	return *end ? end + 1 : end;
}

/* State of an enumeration, with an optional predicate in addition to the rules. */
struct listing {
	gt_space *s;
	size_t room;
	int (*legal)(void *self, const uint8_t *pick);
	void *self;
	uint8_t pick[GT_MAX_LAYERS];
};

static gt_status append(struct listing *l)
{
	gt_space *s = l->s;
	if (s->count == MAX_CANDIDATES)
		return gt_fail(GT_ERR_UNSUPPORTED, "space of %s: more than %d candidates", s->kernel, MAX_CANDIDATES);
	if (s->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 1024;
		uint8_t *more = realloc(s->pick, room * (size_t)s->layers);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "no memory for %zu candidates", room);
		s->pick = more;
		l->room = room;
	}
	memcpy(s->pick + s->count++ * (size_t)s->layers, l->pick, (size_t)s->layers);
	return GT_OK;
}

static gt_status list_from(struct listing *l, int layer)
{
	gt_space *s = l->s;
	if (layer == s->layers)
		return !l->legal || l->legal(l->self, l->pick) ? append(l) : GT_OK;
	for (int i = 0; i < s->layer[layer].n; i++) {
		int holds = 1;
		l->pick[layer] = (uint8_t)i;
		for (int r = 0; r < s->rules && holds; r++)
			holds = s->rule[r].last != layer || gt_rule_value(s, &s->rule[r], l->pick) != 0;
		const gt_status st = holds ? list_from(l, layer + 1) : GT_OK;
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

static gt_status list_all(gt_space *s, int (*legal)(void *self, const uint8_t *pick), void *self)
{
	struct listing l = { s, 0, legal, self, { 0 } };
	const gt_status st = list_from(&l, 0);
	return st == GT_OK && s->count == 0
	               ? gt_fail(GT_ERR_UNSUPPORTED, "space of %s: no candidate is legal for this problem and this device", s->kernel)
	               : st;
}

gt_status gt_space_enumerate(gt_space *s) { return list_all(s, NULL, NULL); }

gt_status gt_space_empty(const char *kernel, gt_space **s)
{
	*s = calloc(1, sizeof **s);
	if (!*s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a space");
	gt_snprintf((*s)->kernel, sizeof(*s)->kernel, "%s", kernel);
	return GT_OK;
}

/* Shared memory per block in bytes; the default is the limit of compute capability 9.0. */
static const char shared_name[] = "shared", shared_of_9_0[] = " shared=232448";

gt_status gt_space_read(const char *text, const char *kernel, const char *problem, gt_space **out)
{
	char line[MAX_LINE], head[96], about[640];
	gt_space *s = NULL;
	int in = 0, ended = 0;
	gt_status st = gt_space_empty(kernel, &s);
	if (st != GT_OK)
		return st;
	gt_snprintf(about, sizeof about, "%s%s", problem, gt_variant_value(problem, shared_name, 0) > 0 ? "" : shared_of_9_0);
	gt_snprintf(head, sizeof head, "tune %s", kernel);
	for (const char *at = text; *at && !ended;) {
		at = next_line(at, line);
		if (!in)
			in = !strcmp(line, head);
		else if (!strncmp(line, "end", 3) && (!line[3] || line[3] == ' '))
			ended = 1;
		else if (!strncmp(line, "keep ", 5))
			GT_TRY(gt_space_rule(s, line + 5, about));
		else
			GT_TRY(gt_space_add(s, line));
	}
	if (!ended || s->layers == 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "no block \"%s ... end\" with layers", head));
	GT_TRY(gt_space_enumerate(s));
	*out = s;
done:
	if (st != GT_OK)
		gt_space_free(s);
	return st;
}

void gt_space_free(gt_space *s)
{
	if (s)
		free(s->pick);
	free(s);
}

gt_status gt_space_plain(int layers, const int *n, int (*legal)(void *self, const uint8_t *pick), void *self, gt_space **out)
{
	gt_space *s = NULL;
	gt_status st = gt_space_empty("plain", &s);
	if (st != GT_OK)
		return st;
	s->layers = layers;
	for (int i = 0; i < layers; i++) {
		s->layer[i].n = n[i];
		gt_snprintf(s->layer[i].name, sizeof s->layer[i].name, "L%d", i);
		for (int k = 0; k < n[i]; k++)
			s->layer[i].value[k] = k;
	}
	if ((st = list_all(s, legal, self)) == GT_OK)
		*out = s;
	else
		gt_space_free(s);
	return st;
}

void gt_space_prefix(const gt_space *s, const uint8_t *pick, int n, size_t *first, size_t *end)
{
	for (int side = 0; side < 2; side++) {
		size_t low = 0, high = s->count;
		while (low < high) {
			const size_t middle = low + (high - low) / 2;
			const int order = memcmp(gt_space_pick(s, middle), pick, (size_t)n);
			if (order < 0 || (side && order == 0))
				low = middle + 1;
			else
				high = middle;
		}
		*(side ? end : first) = low;
	}
}

size_t gt_space_find(const gt_space *s, const uint8_t *pick)
{
	size_t first, end;
	gt_space_prefix(s, pick, s->layers, &first, &end);
	return first < end ? first : SIZE_MAX;
}

void gt_space_text(const gt_space *s, size_t candidate, char *text, size_t size)
{
	size_t n = 0;
	*text = 0;
	for (int i = 0; i < s->layers && n < size; i++)
		n += (size_t)gt_snprintf(text + n, size - n, "%s%s=%ld", i ? " " : "", s->layer[i].name,
		                         s->layer[i].value[gt_space_pick(s, candidate)[i]]);
}

int gt_space_parse(const gt_space *s, const char *text, uint8_t *pick)
{
	for (int i = 0; i < s->layers; i++) {
		const gt_layer *l = &s->layer[i];
		const long value = gt_variant_value(text, l->name, -1);
		int k = 0;
		while (k < l->n && l->value[k] != value)
			k++;
		if (k == l->n)
			return 0;
		pick[i] = (uint8_t)k;
	}
	return 1;
}

static _Thread_local size_t width_of_sort;
static int by_pick(const void *a, const void *b) { return memcmp(a, b, width_of_sort); }

gt_status gt_space_list(gt_space *s, size_t n, const uint8_t *pick)
{
	const size_t width = (size_t)s->layers;
	uint8_t *list = malloc(n * width + 1);
	if (!list)
		return gt_fail(GT_ERR_MEMORY, "no memory for %zu candidates", n);
	memcpy(list, pick, n * width);
	width_of_sort = width;
	qsort(list, n, width, by_pick);
	free(s->pick);
	s->pick = list;
	s->count = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || memcmp(list + i * width, list + (s->count - 1) * width, width) != 0)
			memmove(list + s->count++ * width, list + i * width, width);
	return s->count ? GT_OK : gt_fail(GT_ERR_UNSUPPORTED, "space of %s: no candidate", s->kernel);
}

size_t gt_space_near(const gt_space *s, const char *text)
{
	long value[GT_MAX_LAYERS];
	size_t best = 0;
	int min = s->layers + 1;
	for (int i = 0; i < s->layers; i++)
		value[i] = gt_variant_value(text, s->layer[i].name, -1);
	for (size_t c = 0; c < s->count && min; c++) {
		int apart = 0;
		for (int i = 0; i < s->layers; i++)
			apart += s->layer[i].value[gt_space_pick(s, c)[i]] != value[i];
		if (apart < min) {
			min = apart;
			best = c;
		}
	}
	return best;
}
