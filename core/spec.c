/* Splits specs NAME:key=value,... without knowledge of the keys. */
#include <stdio.h>
#include <string.h>
#include "core/spec.h"
#include "core/text.h"

gt_spec gt_spec_cut(const char *spec)
{
	const size_t length = strcspn(spec, ":");
	return (gt_spec){ length, spec[length] ? spec + length + 1 : NULL };
}

gt_spec gt_spec_cut_file(const char *spec)
{
	const char *colon = strrchr(spec, ':');
	return colon && strchr(colon, '=') ? (gt_spec){ (size_t)(colon - spec), colon + 1 } : (gt_spec){ strlen(spec), NULL };
}

char *gt_spec_with(const char *spec, const char *pair)
{
	const char *values = gt_spec_cut(spec).values;
	return gt_text("%s%s%s", spec, !values ? ":" : *values ? "," : "", pair);
}

/* End of the key=value or flag that begins here; *key: length of its name. */
static const char *pair_end(const char *pair, size_t *key)
{
	*key = strcspn(pair, "=,");
	return pair + strcspn(pair, ",");
}

/* A duplicate key is ambiguous. values: all pairs; pair: the one to check. */
static gt_status check_pair(const char *values, const char *pair)
{
	size_t key, other;
	const char *end = pair_end(pair, &key), *earlier_end;
	for (const char *earlier = values; earlier < pair; earlier = earlier_end + 1) {
		earlier_end = pair_end(earlier, &other);
		if (other == key && !strncmp(earlier, pair, key))
			return gt_fail(GT_ERR_ARG, "%.*s and %.*s: the parameter is given twice, expected once",
			               (int)(earlier_end - earlier), earlier, (int)(end - pair), pair);
	}
	return GT_OK;
}

gt_status gt_spec_check_once(const char *values)
{
	gt_status st = GT_OK;
	for (const char *pair = values; pair && st == GT_OK; pair = strchr(pair, ',') ? strchr(pair, ',') + 1 : NULL)
		st = check_pair(values, pair);
	return st;
}

static gt_status check_unit(const gt_param *p, const char *value, size_t length)
{
	char *end;
	const double v = gt_strtod(value, &end);
	if (p->kind != GT_MU || end != value + length || !(v >= GT_SPEC_LARGE_MU))
		return GT_OK;
	return gt_fail(GT_ERR_ARG,
	               "%s=%.*s: a number without unit is mm-1, and this one would be %.6g HU: expected %s=%.*sHU, or %s=%.*smm-1", p->key,
	               (int)length, value, 1000 * v / GT_MU_WATER, p->key, (int)length, value, p->key, (int)length, value);
}

gt_status gt_spec_check_units(const gt_param *table, const char *values)
{
	gt_status st = GT_OK;
	size_t key;
	for (const char *pair = values, *end; pair && st == GT_OK; pair = *end ? end + 1 : NULL) {
		end = pair_end(pair, &key);
		for (const gt_param *p = table; p && p->key && st == GT_OK; p++)
			if (strlen(p->key) == key && !strncmp(p->key, pair, key) && pair[key] == '=')
				st = check_unit(p, pair + key + 1, (size_t)(end - pair) - key - 1);
	}
	return st;
}

/* Finds the "key=value" in a list with the key of `item`, and its length; NULL: none. */
static const char *same_key(const char *list, const char *item, size_t *length)
{
	const size_t key = strcspn(item, "=") + 1;
	for (; *list; list += *length + (list[*length] == ',')) {
		*length = strcspn(list, ",");
		if (!strncmp(list, item, key))
			return list;
	}
	return NULL;
}

int gt_spec_difference(const char *list, const char *other, const char *standard, char mine[128], char its[128])
{
	size_t n = 0, m = 0;
	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		const char *same = same_key(other, list, &m), *older = same ? same : same_key(standard, list, &m);
		if (!strncmp(list, "iterations=", 11) || (older && n == m && !strncmp(list, older, n)))
			continue;
		snprintf(mine, 128, "%.*s", (int)n, list);
		snprintf(its, 128, "%.*s", same ? (int)m : (int)strcspn(list, "="), same ? same : list);
		return 1;
	}
	return 0;
}
