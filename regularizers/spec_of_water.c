/* Parameters in HU for a given water value: gt_params_parse() takes HU as thousandths of GT_MU_WATER. */
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/regularizer.h>
#include "core/spec.h"
#include "core/text.h"
#include "regularizers/spec_of_water.h"

static int is_hu(const char *pair)
{
	const size_t n = strlen(pair);
	return n > 2 && !strcmp(pair + n - 2, "HU");
}

static int is_attenuation(const gt_regularizer *r, const char *key, size_t length)
{
	for (const gt_param *p = r ? r->params : NULL; p && p->key; p++)
		if (p->kind == GT_MU && strlen(p->key) == length && !strncmp(p->key, key, length))
			return 1;
	return 0;
}

/* Converts "c=10HU" to "c=0.0002". */
static char *in_mm(const char *pair, double water)
{
	const int key = (int)strcspn(pair, "=");
	return gt_text("%.*s=%.9g", key, pair, gt_strtod(pair + key + 1, NULL) / 1000 * water);
}

char *gt_penalty_spec_of_water(const char *spec, double water)
{
	const gt_spec cut = gt_spec_cut(spec);
	char *all = strndup(spec, cut.length), *copy = cut.values ? strdup(cut.values) : NULL, *rest = copy;
	const gt_regularizer *r = all ? gt_regularizer_find(all) : NULL;
	if (!all || !copy || water == GT_MU_WATER) {
		free(all);
		free(copy);
		return strdup(spec);
	}
	for (const char *pair; all && (pair = strsep(&rest, ","));) {
		char *own = is_hu(pair) && is_attenuation(r, pair, strcspn(pair, "=")) ? in_mm(pair, water) : strdup(pair);
		char *longer = own ? gt_spec_with(all, own) : NULL;
		free(own);
		free(all);
		all = longer;
	}
	free(copy);
	return all;
}
