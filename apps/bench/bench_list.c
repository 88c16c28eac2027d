/* Lists of names, some with parameters, in options of `gantry bench`. */
#include <gantry/projector.h>
#include "apps/bench/bench_case.h"
#include "core/module.h"

int bench_in_list(const char *list, const char *name)
{
	const size_t n = strlen(name);
	if (!strcmp(list, "all"))
		return 1;
	for (const char *c = list; *c; c += strcspn(c, ","), c += *c == ',')
		if (strcspn(c, ",") == n && !strncmp(c, name, n))
			return 1;
	return 0;
}

/* An option without a name would time nothing. */
static gt_status check_any(const char *what, const char *list)
{
	return *list ? GT_OK : gt_fail(GT_ERR_ARG, "--%s: expected a comma-separated list of names", what);
}

gt_status bench_check_list(const char *what, const char *list, const char *const *also, const char *(*nth)(size_t), size_t n)
{
	for (const char *c = list; *c; c += strcspn(c, ","), c += *c == ',') {
		char *name = strndup(c, strcspn(c, ","));
		int known = name && !strcmp(name, "all");
		for (size_t i = 0; also[i] && name && !known; i++)
			known = !strcmp(name, also[i]);
		for (size_t i = 0; i < n && name && !known; i++)
			known = !strcmp(nth(i), name);
		const gt_status st = known ? GT_OK : gt_unknown(what, name ? name : "", nth, n);
		free(name);
		if (st != GT_OK)
			return st;
	}
	return check_any(what, list);
}

size_t app_spec_length(const char *list)
{
	size_t n = strcspn(list, ",");
	while (list[n] && list[n + 1 + strcspn(list + n + 1, "=:,")] == '=')
		n += 1 + strcspn(list + n + 1, ",");
	return n;
}

gt_status bench_each_of(const char *what, const char *list, gt_status (*each)(void *self, const char *spec), void *self)
{
	gt_status st = check_any(what, list);
	char *spec = NULL;
	GT_TRY(st);
	for (const char *c = list; *c; c += *c == ',') {
		const size_t n = app_spec_length(c);
		if (!(spec = strndup(c, n)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		GT_TRY(each(self, spec));
		free(spec);
		spec = NULL;
		c += n;
	}
done:
	free(spec);
	return st;
}

gt_status bench_each_projector(const char *list, gt_status (*each)(void *self, const char *spec), void *self)
{
	gt_status st = GT_OK;
	if (strcmp(list, "all"))
		return bench_each_of("projector", list, each, self);
	for (size_t i = 0; gt_projectors[i] && st == GT_OK; i++)
		st = each(self, gt_projectors[i]->name);
	return st;
}
