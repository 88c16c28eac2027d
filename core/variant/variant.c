/* Which variant an operator gets: one that is being tried, or that of the user's cache, or none. */
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/variant/store.h"
#include "core/variant/variant.h"

static _Thread_local struct {
	const char *kernel, *text;
	char asked[64], about[512], built_in[512], taken[600];
} own;

long gt_variant_value(const char *text, const char *name, long otherwise)
{
	const size_t length = strlen(name);
	for (const char *at = text; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (!strncmp(at, name, length) && at[length] == '=')
			return strtol(at + length + 1, NULL, 10);
	return otherwise;
}

void gt_variant_try(const char *kernel, const char *text)
{
	own.kernel = text ? kernel : NULL;
	own.text = text;
}

int gt_variant_find(const gt_variant_wish *w, char *text, size_t size)
{
	const char *off = getenv("GANTRY_TUNE");
	gt_snprintf(own.asked, sizeof own.asked, "%s", w->kernel);
	gt_snprintf(own.about, sizeof own.about, "%s", w->about);
	gt_snprintf(own.built_in, sizeof own.built_in, "%s", w->built_in);
	*text = own.taken[0] = 0;
	if (own.kernel) {
		if (!strcmp(own.kernel, w->kernel))
			gt_snprintf(text, size, "%s", own.text);
		return *text ? GT_VARIANT_TRIED : GT_VARIANT_NONE;
	}
	return !(off && !strcmp(off, "off")) && gt_store_find(w, text, size) ? GT_VARIANT_KEPT : GT_VARIANT_NONE;
}

int gt_variant_asked(const char *kernel, char *about, char *built_in, size_t size)
{
	if (strcmp(own.asked, kernel) != 0)
		return 0;
	gt_snprintf(about, size, "%s", own.about);
	gt_snprintf(built_in, size, "%s", own.built_in);
	return 1;
}

const char *gt_variant_taken(void) { return own.taken; }
void gt_variant_took(const char *kernel, const char *text)
{
	own.taken[0] = 0;
	if (!kernel)
		own.asked[0] = 0;
	else
		gt_snprintf(own.taken, sizeof own.taken, "%s %s", kernel, text);
}
