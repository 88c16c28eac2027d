/* Names of image files. Numbers define the order: scan_9.tif precedes scan_10.tif. Words for flat and dark fields are
 * those of scanner and beamline programs. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "io/frames/file_names.h"
#include "io/frames/frame_source.h"

/* longer numbers are dates or hashes */
enum { MAX_DIGITS = 18 };

void gt_named_files_free(gt_named_files *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].name);
	free(l->list);
	*l = (gt_named_files){ NULL, 0 };
}

static const char *extension_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? dot : name + strlen(name);
}

/* Selects the number `back` before the last one: 0 is the last. */
static void find_number(gt_named_file *x, size_t back)
{
	size_t begin, end = x->dot;
	for (;; end = begin) {
		while (end && !isdigit((unsigned char)x->name[end - 1]))
			end--;
		begin = end;
		while (begin && isdigit((unsigned char)x->name[begin - 1]) && end - begin < MAX_DIGITS)
			begin--;
		if (begin == end || back-- == 0)
			break;
	}
	x->digits = begin;
	x->end = end;
	x->number = end > begin ? strtoll(x->name + begin, NULL, 10) : -1;
}

static int extension_order(const char *a, const char *b)
{
	return !strcmp(a, b) ? 0 : strcasecmp(strcasecmp(a, ".tiff") ? a : ".tif", strcasecmp(b, ".tiff") ? b : ".tif");
}

static int text_order(const char *a, size_t m, const char *b, size_t n)
{
	const int order = memcmp(a, b, m < n ? m : n);
	return order ? order : m == n ? 0 : m < n ? -1 : 1;
}

/* Sorts by the text before the number, after it, and the extension. */
static int group_order(const gt_named_file *a, const gt_named_file *b)
{
	int order = text_order(a->name, a->digits, b->name, b->digits);
	if (!order)
		order = text_order(a->name + a->end, a->dot - a->end, b->name + b->end, b->dot - b->end);
	return order ? order : extension_order(a->name + a->dot, b->name + b->dot);
}

static int number_order(const gt_named_file *x, const gt_named_file *y)
{
	return x->number != y->number ? (x->number < y->number ? -1 : 1) : strcmp(x->name, y->name);
}

static int by_number(const void *a, const void *b)
{
	const int group = group_order(a, b);
	return group ? group : number_order(a, b);
}

/* Compares names without their digits; '#' stands for a number. */
static int skeleton_order(const gt_named_file *x, const gt_named_file *y)
{
	const char *a = x->name, *b = y->name, *end_a = a + x->dot, *end_b = b + y->dot;
	while (a < end_a && b < end_b) {
		const int digit_a = isdigit((unsigned char)*a) != 0, digit_b = isdigit((unsigned char)*b) != 0;
		if (!(digit_a && digit_b) && *a != *b)
			return *a < *b ? -1 : 1;
		for (a++; digit_a && digit_b && a < end_a && isdigit((unsigned char)*a);)
			a++;
		for (b++; digit_a && digit_b && b < end_b && isdigit((unsigned char)*b);)
			b++;
	}
	return a < end_a ? 1 : b < end_b ? -1 : extension_order(end_a, end_b);
}

static int by_skeleton(const void *a, const void *b)
{
	const int order = skeleton_order(a, b);
	return order ? order : number_order(a, b);
}

void gt_named_files_sort(gt_named_files *l)
{
	if (l->n)
		qsort(l->list, l->n, sizeof *l->list, by_number);
}

static void largest(const gt_named_files *l, int (*order)(const gt_named_file *a, const gt_named_file *b), size_t *first, size_t *n,
                    const char **rival)
{
	*first = *n = 0;
	*rival = NULL;
	for (size_t i = 0, end; i < l->n; i = end) {
		for (end = i + 1; end < l->n && !order(&l->list[i], &l->list[end]);)
			end++;
		if (end - i == *n)
			*rival = l->list[i].name;
		if (end - i > *n) {
			*first = i;
			*n = end - i;
			*rival = NULL;
		}
	}
}

static int by_number_alone(const void *a, const void *b) { return number_order(a, b); }

/* Largest minus smallest number of the files x; -1: duplicate or missing numbers. Sorts x. */
static long long spread(gt_named_file *x, size_t n, size_t back)
{
	for (size_t i = 0; i < n; i++)
		find_number(&x[i], back);
	qsort(x, n, sizeof *x, by_number_alone);
	for (size_t i = 0; i < n; i++)
		if (x[i].number < 0 || (i && x[i].number == x[i - 1].number))
			return -1;
	return x[n - 1].number - x[0].number;
}

/* Sorts x by the number that differs in all names; among several by the one with the fewest gaps. 0: only the last
 * number qualifies. */
static int order_by_another(gt_named_file *x, size_t n)
{
	long long best = LLONG_MAX;
	size_t chosen = 0;
	for (size_t back = 1;; back++) {
		const long long found = spread(x, n, back);
		if (x[0].number < 0)
			break;
		if (found >= 0 && found < best) {
			best = found;
			chosen = back;
		}
	}
	return spread(x, n, chosen) >= 0 && chosen > 0;
}

void gt_named_files_group(gt_named_files *l, size_t *first, size_t *n, const char **rival)
{
	size_t more = 0;
	const char *other;
	largest(l, group_order, first, n, rival);
	if (l->n < 2 || *n == l->n)
		return;
	qsort(l->list, l->n, sizeof *l->list, by_skeleton);
	largest(l, skeleton_order, first, &more, &other);
	if (more > *n && !other && order_by_another(l->list + *first, more)) {
		*n = more;
		*rival = NULL;
		return;
	}
	for (size_t i = 0; i < l->n; i++)
		find_number(&l->list[i], 0);
	gt_named_files_sort(l);
	largest(l, group_order, first, n, rival);
}

static int is_one_of(const char *word, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncasecmp(word, *list, n))
			return 1;
	return 0;
}

/* Long words identify a field anywhere in the name, short ones only at its start. */
int gt_name_kind(const char *name)
{
	static const char *const flats[] = { "flat", "flats", "flatfield", "white", "whites", "bright", "bak", NULL };
	static const char *const darks[] = { "dark", "darks", "darkfield", "drk", NULL };
	static const char *const first_flats[] = { "ff", "io", "ref", "gain", "open", NULL };
	static const char *const first_darks[] = { "df", "di", "offset", NULL };
	const char *at = name, *dot = strrchr(name, '.');
	while (at < dot) {
		size_t n = 0;
		while (at + n < dot && isalpha((unsigned char)at[n]))
			n++;
		if (is_one_of(at, n, flats) || (at == name && is_one_of(at, n, first_flats)))
			return GT_NAME_FLAT;
		if (is_one_of(at, n, darks) || (at == name && is_one_of(at, n, first_darks)))
			return GT_NAME_DARK;
		at += n ? n : 1;
	}
	return GT_NAME_VIEW;
}

gt_status gt_named_files_add(const char *path, const char *name, gt_named_files *l)
{
	if ((l->n & (l->n - 1)) == 0) {
		gt_named_file *more = realloc(l->list, (l->n ? 2 * l->n : 1) * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
		l->list = more;
	}
	gt_named_file *x = &l->list[l->n];
	if (!(x->name = strdup(name)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	x->dot = (size_t)(extension_of(name) - name);
	find_number(x, 0);
	x->is_file = 0;
	l->n++;
	return GT_OK;
}

void gt_file_list_free(gt_file_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->path[i]);
	free(l->path);
	*l = (gt_file_list){ NULL, 0 };
}
