/* Whole JSON texts. RFC 8259: one value per text; members that occur twice have no defined meaning. */
#include <stdlib.h>
#include <string.h>
#include "io/plain/json_text.h"

enum { MAX_MEMBERS = 4096 };

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static gt_status check_members(const cJSON *root)
{
	const char **name = malloc(MAX_MEMBERS * sizeof *name);
	const cJSON *one;
	size_t n = 0;
	gt_status st = name ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	cJSON_ArrayForEach(one, root)
	{
		if (st == GT_OK && n == MAX_MEMBERS)
			st = gt_fail(GT_ERR_FORMAT, "a JSON object of more than %d members: expected fewer", MAX_MEMBERS);
		else if (st == GT_OK)
			name[n++] = one->string ? one->string : "";
	}
	if (st == GT_OK)
		qsort(name, n, sizeof *name, by_name);
	for (size_t i = 1; i < n && st == GT_OK; i++)
		if (!strcmp(name[i - 1], name[i]))
			st = gt_fail(GT_ERR_FORMAT, "key %.80s occurs twice in the JSON object: expected each key once", name[i]);
	free(name);
	return st;
}

static gt_status parse(const char *text, size_t n, cJSON **root)
{
	const char *end = text;
	*root = cJSON_ParseWithLengthOpts(text, n, &end, 0);
	if (!*root)
		return gt_fail(GT_ERR_FORMAT, "not valid JSON from byte %zu on: expected one JSON object", (size_t)(end - text));
	while (end < text + n && strchr(" \t\r\n", *end) && *end)
		end++;
	/* a text in memory may end with a 0 */
	if (end < text + n && !(*end == 0 && end + 1 == text + n))
		return gt_fail(GT_ERR_FORMAT, "text after the end of the JSON object, at byte %zu: expected one JSON object",
		               (size_t)(end - text));
	if (!cJSON_IsObject(*root))
		return gt_fail(GT_ERR_FORMAT, "is not a JSON object");
	return check_members(*root);
}

gt_status gt_json_parse(const char *path, const char *text, size_t n, cJSON **root)
{
	const gt_status st = parse(text, n, root);
	if (st == GT_OK)
		return GT_OK;
	cJSON_Delete(*root);
	*root = NULL;
	return path ? gt_fail_in(st, "%s", path) : st;
}
