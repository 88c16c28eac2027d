/* Selects the variant of an operator: one under evaluation, else one from the user's cache, else none. */
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/variant/of_run.h"
#include "core/variant/store.h"
#include "core/variant/variant.h"

enum { MAX_ASKED = 8 };
static _Thread_local struct {
	const char *kernel, *text; /* variants under evaluation */
	const char *only;
	int same, firsts; /* first variants that operators of this run took */
	struct {
		char kernel[32], text[512];
	} first[MAX_ASKED];
	struct {
		char kernel[32], about[256], built_in[512];
	} asked[MAX_ASKED];
	int asks;
	char taken[1600];
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

static void note_request(const gt_variant_request *w)
{
	int i = 0;
	while (i < own.asks && strcmp(own.asked[i].kernel, w->kernel) != 0)
		i++;
	if (i == MAX_ASKED)
		return;
	own.asks = i == own.asks ? i + 1 : own.asks;
	gt_snprintf(own.asked[i].kernel, sizeof own.asked[i].kernel, "%s", w->kernel);
	gt_snprintf(own.asked[i].about, sizeof own.asked[i].about, "%s", w->about);
	gt_snprintf(own.asked[i].built_in, sizeof own.asked[i].built_in, "%s", w->built_in);
}

void gt_variant_only(const char *taken) { own.only = taken; }

/* "KERNEL[NAME=value,...];..." */
static int find_only(const char *taken, const char *kernel, char *text, size_t size)
{
	const size_t n = strlen(kernel);
	for (const char *at = taken; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL)
		if (!strncmp(at, kernel, n) && at[n] == '[') {
			const size_t length = strcspn(at + n + 1, "]");
			gt_snprintf(text, size, "%.*s", (int)(length < 512 ? length : 512), at + n + 1);
			for (char *comma = text; (comma = strchr(comma, ','));)
				*comma = ' ';
			return 1;
		}
	return 0;
}

void gt_variant_same(int same)
{
	own.same = same;
	own.firsts = 0;
}

/* 1: an operator of this run has already requested this kernel. */
static int find_first(const char *kernel, char *text, size_t size)
{
	for (int i = 0; own.same && i < own.firsts; i++)
		if (!strcmp(own.first[i].kernel, kernel)) {
			gt_snprintf(text, size, "%s", own.first[i].text);
			return 1;
		}
	return 0;
}

static void note_first(const char *kernel, const char *text)
{
	if (!own.same || own.firsts == MAX_ASKED)
		return;
	gt_snprintf(own.first[own.firsts].kernel, sizeof own.first->kernel, "%s", kernel);
	gt_snprintf(own.first[own.firsts].text, sizeof own.first->text, "%s", text);
	own.firsts++;
}

static void find_cached(const gt_variant_request *w, char *text, size_t size)
{
	const char *tune = getenv("GANTRY_TUNE");
	if (own.only)
		find_only(own.only, w->kernel, text, size);
	else if (!tune || strcmp(tune, "off") != 0)
		gt_store_find(w, tune && !strcmp(tune, "shipped"), text, size);
}

int gt_variant_find(const gt_variant_request *w, char *text, size_t size)
{
	note_request(w);
	*text = 0;
	if (own.kernel) {
		if (!strcmp(own.kernel, w->kernel))
			gt_snprintf(text, size, "%s", own.text);
		return *text ? GT_VARIANT_TRIED : GT_VARIANT_NONE;
	}
	if (!find_first(w->kernel, text, size)) {
		find_cached(w, text, size);
		note_first(w->kernel, text);
	}
	return *text ? GT_VARIANT_CACHED : GT_VARIANT_NONE;
}

int gt_variant_asked(const char *kernel, char *about, char *built_in, size_t size)
{
	for (int i = 0; i < own.asks; i++)
		if (!strcmp(own.asked[i].kernel, kernel)) {
			gt_snprintf(about, size, "%s", own.asked[i].about);
			gt_snprintf(built_in, size, "%s", own.asked[i].built_in);
			return 1;
		}
	return 0;
}

const char *gt_variant_taken(void) { return own.taken; }
void gt_variant_took(const char *kernel, const char *text)
{
	const size_t n = kernel ? strlen(own.taken) : 0;
	own.taken[n] = 0;
	if (!kernel) {
		own.asks = 0;
		return;
	}
	gt_snprintf(own.taken + n, sizeof own.taken - n, "%s%s[%s]", n ? ";" : "", kernel, text);
	for (char *at = own.taken + n; (at = strchr(at, ' '));)
		*at = ',';
}
