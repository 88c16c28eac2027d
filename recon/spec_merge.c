/* Merges settings into a preset key by key; other keys stay. */
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "recon/spec_merge.h"

static int same_key(const char *a, const char *b)
{
	const size_t n = strcspn(a, "=,");
	return n == strcspn(b, "=,") && !strncmp(a, b, n);
}

/* 1: a and b are a pair of mutually exclusive keys. */
static int are_rivals(const char *a, const char *b, const char *const *rivals)
{
	for (; rivals && rivals[0]; rivals += 2)
		if ((same_key(a, rivals[0]) && same_key(b, rivals[1])) || (same_key(a, rivals[1]) && same_key(b, rivals[0])))
			return 1;
	return 0;
}

/* 1: some key of the list replaces this one. */
static int is_replaced(const char *pair, const char *list, const char *const *rivals)
{
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (same_key(pair, at) || are_rivals(pair, at, rivals))
			return 1;
	return 0;
}

/* Appends n characters to *text; NULL from then on without memory. */
static void append(char **text, const char *separator, const char *more, size_t n)
{
	char *longer = *text ? gt_text("%s%s%.*s", *text, separator, (int)n, more) : NULL;
	free(*text);
	*text = longer;
}

gt_status gt_spec_merge(const char *base, const char *asked, const char *const *rivals, char **merged)
{
	const size_t name = base ? strcspn(base, ":") : 0;
	const char *keys = base && base[name] ? base + name + 1 : NULL, *news = asked ? strchr(asked, ':') : NULL;
	int first = 1;
	*merged = NULL;
	if (!base || !asked || strcspn(asked, ":") != name || strncmp(base, asked, name)) {
		*merged = gt_text("%s", asked ? asked : base ? base : "");
		return *merged ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	news = news ? news + 1 : NULL;
	*merged = gt_text("%.*s", (int)name, base);
	for (const char *at = keys; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!is_replaced(at, news, rivals)) {
			append(merged, first ? ":" : ",", at, strcspn(at, ","));
			first = 0;
		}
	if (news && *news)
		append(merged, first ? ":" : ",", news, strlen(news));
	return *merged ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}
