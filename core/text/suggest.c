/* Suggestions for unknown names. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/module.h"
#include "core/text.h"

static int same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edit distance with transpositions of adjacent letters (optimal string alignment), ignoring case. */
static size_t distance(const char *a, const char *b)
{
	const size_t n = strlen(b), m = strlen(a), width = n + 1;
	size_t *d = malloc((m + 1) * width * sizeof *d), last;
	if (!d)
		return (size_t)-1;
	for (size_t i = 0; i <= m; i++)
		d[i * width] = i;
	for (size_t j = 0; j <= n; j++)
		d[j] = j;
	for (size_t i = 1; i <= m; i++)
		for (size_t j = 1; j <= n; j++) {
			size_t *at = d + i * width + j;
			*at = at[-1 - (ptrdiff_t)width] + !same_letter(a[i - 1], b[j - 1]);
			*at = least(*at, least(at[-1], at[-(ptrdiff_t)width]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
				*at = least(*at, at[-2 - 2 * (ptrdiff_t)width] + 1);
		}
	last = d[m * width + n];
	free(d);
	return last;
}

enum { LETTERS = 2, BEGINNING = 4 };

static size_t same_beginning(const char *a, const char *b)
{
	size_t n = 0;
	while (a[n] && tolower((unsigned char)a[n]) == tolower((unsigned char)b[n]))
		n++;
	return n;
}

/* Keeps the nearer of *best and name: at most two edits and not the whole word, else a common beginning, as of iters
 * and iterations. */
void gt_nearer(const char *wanted, const char *name, const char **best, size_t *far)
{
	const size_t d = distance(wanted, name), begins = same_beginning(wanted, name);
	const size_t near = d <= LETTERS && d < strlen(wanted) ? d : begins >= BEGINNING ? LETTERS + 1 + d : (size_t)-1;
	if (near < *far) {
		*far = near;
		*best = name;
	}
}

gt_status gt_unknown_of(const char *what, const char *name, const char *const *names, size_t n)
{
	const char *best = NULL;
	size_t far = (size_t)-1;
	char *all = gt_text("%s", n ? names[0] : "none");
	for (size_t i = 0; i < n; i++) {
		gt_nearer(name, names[i], &best, &far);
		char *more = i && all ? gt_text("%s, %s", all, names[i]) : NULL;
		if (more) {
			free(all);
			all = more;
		}
	}
	const gt_status st = best ? gt_fail(GT_ERR_UNKNOWN, "unknown %s '%s': did you mean '%s'? (there are: %s)", what, name, best,
	                                    all ? all : "")
	                          : gt_fail(GT_ERR_UNKNOWN, "unknown %s '%s' (there are: %s)", what, name, all ? all : "");
	free(all);
	return st;
}

gt_status gt_unknown(const char *what, const char *name, const char *(*nth)(size_t), size_t n)
{
	const char **names = malloc((n + 1) * sizeof *names);
	if (!names)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		names[i] = nth(i);
	const gt_status st = gt_unknown_of(what, name, names, n);
	free(names);
	return st;
}
