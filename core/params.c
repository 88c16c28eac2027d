/* Parameter tables: parses numbers and names, checks limits, prints values. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/arguments.h"
#include "core/module.h"
#include "core/params.h"
#include "core/text.h"
#include "core/spec.h"
#include "core/try.h"

gt_status gt_parse_real(const char *what, const char *text, double min, double max, double *value)
{
	GT_NEED(text);
	GT_NEED(value);
	char *end;
	const double v = gt_strtod(text, &end);
	if (end == text || *end || !(v >= min && v <= max))
		return gt_fail(GT_ERR_ARG, "%s=%s: expected a number from %g to %g", what, text, min, max);
	*value = v;
	return GT_OK;
}

gt_status gt_parse_int(const char *what, const char *text, double min, double max, long long *value)
{
	GT_NEED(text);
	GT_NEED(value);
	char *end;
	errno = 0;
	const long long v = strtoll(text, &end, 10);
	if (end == text || *end || errno || !((double)v >= min && (double)v <= max))
		return gt_fail(GT_ERR_ARG, "%s=%s: expected a whole number from %.0f to %.0f", what, text, min, max);
	*value = v;
	return GT_OK;
}

gt_status gt_parse_mu(const char *what, const char *text, double min, double max, double *value)
{
	GT_NEED(text);
	GT_NEED(value);
	char *end;
	const double number = gt_strtod(text, &end), v = strcmp(end, "HU") ? number : number / 1000 * GT_MU_WATER;
	if (end == text || (*end && strcmp(end, "HU") && strcmp(end, "mm-1")) || !(v >= min && v <= max))
		return gt_fail(GT_ERR_ARG,
		               "%s=%s: expected a number of HU as in 10HU, or of mm^-1 as in 2e-4mm-1 or 2e-4, from %g to %g mm^-1", what,
		               text, min, max);
	*value = v;
	return GT_OK;
}

static gt_status unknown_choice(const gt_param *p, const char *value)
{
	char known[256] = "";
	for (const char *const *n = p->names; *n; n++) {
		strncat(known, n == p->names ? "" : ", ", sizeof known - strlen(known) - 1);
		strncat(known, *n, sizeof known - strlen(known) - 1);
	}
	return gt_fail(GT_ERR_ARG, "%s=%s: expected one of %s", p->key, value, known);
}

static gt_status set(const gt_param *p, const char *value, void *options)
{
	static const char *const no[] = { "no", "false", "off", "0" }, *const yes[] = { "yes", "true", "on", "1" };
	char *at = (char *)options + p->at;
	long long v = 0;
	switch (p->kind) {
	case GT_REAL:
		return gt_parse_real(p->key, value, p->min, p->max, (double *)(void *)at);
	case GT_MU:
		return gt_parse_mu(p->key, value, p->min, p->max, (double *)(void *)at);
	case GT_TEXT:
		if (strlen(value) >= GT_PARAM_TEXT)
			return gt_fail(GT_ERR_ARG, "%s: a text of %zu bytes, expected at most %d", p->key, strlen(value),
			               GT_PARAM_TEXT - 1);
		strcpy(at, value);
		return GT_OK;
	case GT_INT:
		if (gt_parse_int(p->key, value, p->min, p->max, &v) != GT_OK)
			return GT_ERR_ARG;
		*(int *)(void *)at = (int)v;
		return GT_OK;
	case GT_CHOICE:
		for (int k = 0; p->names[k]; k++)
			if (!strcmp(p->names[k], value)) {
				*(int *)(void *)at = k;
				return GT_OK;
			}
		return unknown_choice(p, value);
	case GT_FLAG:
		for (size_t k = 0; k < sizeof no / sizeof *no; k++)
			if (!strcmp(value, no[k]) || !strcmp(value, yes[k])) {
				*(int *)(void *)at = !strcmp(value, yes[k]);
				return GT_OK;
			}
		break;
	}
	return gt_fail(GT_ERR_ARG, "%s=%s: expected yes or no", p->key, value);
}

static gt_status unknown_key(const gt_param *table, const char *key)
{
	size_t n = 0;
	if (!table || !table->key)
		return gt_fail(GT_ERR_ARG, "unknown parameter '%s': there are none here", key);
	while (table[n].key)
		n++;
	const char **names = malloc(n * sizeof *names);
	if (!names)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		names[i] = table[i].key;
	const gt_status st = gt_unknown_of("parameter", key, names, n);
	free(names);
	return st == GT_ERR_UNKNOWN ? GT_ERR_ARG : st;
}

static gt_status set_pair(const gt_param *table, const char *pair, void *options)
{
	const size_t length = strcspn(pair, "=,");
	const char *end = pair + strcspn(pair, ",");
	char *key = strndup(pair, (size_t)(end - pair)), *value = pair[length] == '=' ? key + length + 1 : NULL;
	const gt_param *p = table;
	if (!key)
		return gt_fail(GT_ERR_MEMORY, "no memory for the parameters '%s'", pair);
	key[length] = 0;
	while (p && p->key && strcmp(p->key, key))
		p++;
	const gt_status st = !p || !p->key                  ? unknown_key(table, key)
	                     : !value && p->kind != GT_FLAG ? gt_fail(GT_ERR_ARG, "%s: expected %s=VALUE", key, key)
	                                                    : set(p, value ? value : "yes", options);
	free(key);
	return st;
}

gt_status gt_params_parse(const gt_param *table, const char *text, void *options)
{
	gt_status st = GT_OK;
	const char *end = NULL;
	for (const char *pair = text && *text ? text : NULL; pair; pair = *end ? end + 1 : NULL) {
		GT_TRY(set_pair(table, pair, options));
		end = pair + strcspn(pair, ",");
		if (*end && !end[1])
			GT_TRY(gt_fail(GT_ERR_ARG, "%s: ends with a comma, expected another parameter after it", text));
	}
	GT_TRY(gt_spec_check_once(text));
done:
	return st;
}

gt_status gt_params_new(const gt_param *table, const char *text, const void *defaults, size_t size, void **options)
{
	GT_NEED(options);
	gt_status st = GT_OK;
	*options = NULL;
	if (size && !(*options = malloc(size)))
		return gt_fail(GT_ERR_MEMORY, "no memory for parameters");
	if (size)
		memcpy(*options, defaults, size);
	GT_TRY(gt_params_parse(table, text, *options));
done:
	if (st != GT_OK) {
		free(*options);
		*options = NULL;
	}
	return st;
}

static int print_value(const gt_param *p, const void *options, char *text, size_t size)
{
	const char *at = (const char *)options + p->at;
	if (p->kind == GT_REAL || p->kind == GT_MU)
		return gt_snprintf(text, size, "%.9g", *(const double *)(const void *)at);
	if (p->kind == GT_TEXT)
		return snprintf(text, size, "%s", at);
	const int v = *(const int *)(const void *)at;
	if (p->kind == GT_INT)
		return snprintf(text, size, "%d", v);
	return snprintf(text, size, "%s", p->kind == GT_FLAG ? (v ? "yes" : "no") : p->names[v]);
}

void gt_params_help(const gt_param *table, const void *defaults, FILE *out)
{
	for (const gt_param *p = table; p && p->key; p++) {
		char value[GT_PARAM_TEXT];
		print_value(p, defaults, value, sizeof value);
		fprintf(out, "  %-14s %s", p->key, p->help);
		if (p->kind == GT_INT || p->kind == GT_REAL || p->kind == GT_MU)
			fprintf(out, " [%g to %g%s]", p->min, p->max, p->kind == GT_MU ? " mm-1, or as in 10HU" : "");
		for (const char *const *n = p->kind == GT_CHOICE ? p->names : NULL; n && *n; n++)
			fprintf(out, "%s%s", n == p->names ? " [" : ", ", *n);
		fprintf(out, "%s (%s)\n", p->kind == GT_CHOICE ? "]" : "", *value ? value : "none");
	}
}

int gt_params_print(const gt_param *table, const void *options, char *text, size_t size)
{
	size_t used = 0;
	if (size)
		*text = 0;
	for (const gt_param *p = table; p && p->key; p++) {
		char value[GT_PARAM_TEXT];
		print_value(p, options, value, sizeof value);
		if (!*value) /* empty */
			continue;
		const int n = snprintf(used < size ? text + used : NULL, used < size ? size - used : 0, "%s%s=%s", used ? "," : "", p->key,
		                       value);
		used += n > 0 ? (size_t)n : 0;
	}
	return (int)used;
}
