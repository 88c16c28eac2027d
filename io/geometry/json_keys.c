/* Reads members of JSON objects as numbers and lists. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "io/geometry/json_keys.h"
#include "io/plain/json_text.h"

gt_status gt_json_read(const gt_geometry_input *in, cJSON **root) { return gt_json_parse(NULL, in->text, in->bytes, root); }

int gt_json_has(const gt_geometry_input *in, const char *key)
{
	const char *at = in->text + strspn(in->text, " \t\r\n");
	char *quoted = *at == '{' ? gt_text("\"%s\"", key) : NULL;
	const int found = quoted && strstr(at, quoted);
	free(quoted);
	return found;
}

gt_status gt_json_text(const cJSON *root, const char *key, const char **text)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
	*text = cJSON_GetStringValue(item);
	return *text || !item || cJSON_IsNull(item) ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s: expected a text in quotes", key);
}

gt_status gt_json_numbers(const gt_geometry_input *in, const cJSON *root, const char *key, const double *fallback, size_t n, double *value)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key), *each;
	size_t i = 0;
	(void)in;
	if ((!item || cJSON_IsNull(item)) && fallback) {
		memcpy(value, fallback, n * sizeof *value);
		return GT_OK;
	}
	if (!item)
		return gt_fail(GT_ERR_FORMAT, "%s is missing: expected %zu number%s", key, n, n == 1 ? "" : "s");
	if (cJSON_IsNumber(item)) {
		for (; i < n; i++)
			value[i] = item->valuedouble;
		return isfinite(item->valuedouble) ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s is not finite", key);
	}
	cJSON_ArrayForEach(each, item)
	{
		if (!cJSON_IsNumber(each) || !isfinite(each->valuedouble))
			return gt_fail(GT_ERR_FORMAT, "%s: entry %zu is not a number", key, i);
		if (i < n)
			value[i] = each->valuedouble;
		i++;
	}
	return i == n ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s has %zu numbers, expected %zu", key, i, n);
}

gt_status gt_json_number(const gt_geometry_input *in, const cJSON *root, const char *key, const double *fallback, double *value)
{
	return gt_json_numbers(in, root, key, fallback, 1, value);
}

gt_status gt_json_list(const gt_geometry_input *in, const cJSON *root, const char *key, gt_number_list *l, size_t *width)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key), *row, *each;
	gt_status st = GT_OK;
	*width = 0;
	if (!cJSON_IsArray(item))
		return gt_fail(GT_ERR_FORMAT, "%s is %s, expected a list of numbers", key, item ? "no list" : "missing");
	cJSON_ArrayForEach(row, item)
	{
		size_t n = 0;
		if (cJSON_IsNumber(row)) {
			n = 1;
			st = gt_number_add(in->path, row->valuedouble, l);
		}
		const cJSON *inner = cJSON_IsArray(row) ? row : NULL;
		cJSON_ArrayForEach(each, inner)
		{
			n++;
			if (st == GT_OK)
				st = cJSON_IsNumber(each) ? gt_number_add(in->path, each->valuedouble, l)
				                          : gt_fail(GT_ERR_FORMAT, "%s: has an entry that is not a number", key);
		}
		*width = *width ? *width : n;
		if (st == GT_OK && (!n || n != *width))
			st = gt_fail(GT_ERR_FORMAT, "%s: has lists of %zu and %zu numbers, expected one length", key, *width, n);
		if (st != GT_OK)
			return st;
	}
	for (size_t i = 0; i < l->n; i++)
		if (!isfinite(l->value[i]))
			return gt_fail(GT_ERR_FORMAT, "%s: number %zu is %g, expected finite ones", key, i, l->value[i]);
	return l->n ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s is empty, expected numbers", key);
}
