/* Creates modules from texts NAME:key=value,... */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/arguments.h"
#include "core/module.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"

static const gt_module *find(const gt_module_kind *kind, const char *name, size_t length)
{
	const gt_module *m;
	for (size_t i = 0; (m = kind->nth(i)); i++)
		if (strlen(m->name) == length && !strncmp(m->name, name, length))
			return m;
	return NULL;
}

const gt_module *gt_module_find(const gt_module_kind *kind, const char *name) { return find(kind, name, strlen(name)); }

static gt_status unknown(const gt_module_kind *kind, const char *spec, size_t length)
{
	size_t n = 0;
	while (kind->nth(n))
		n++;
	const char **names = malloc((n + 1) * sizeof *names);
	char *name = strndup(spec, length);
	gt_status st = GT_OK;
	if (!names || !name)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < n; i++)
		names[i] = kind->nth(i)->name;
	st = gt_unknown_of(kind->word, name, names, n);
done:
	free(names);
	free(name);
	return st;
}

gt_status gt_module_parse_kind(const gt_module_kind *kind, const char *spec, const gt_module **module, void **options)
{
	GT_NEED(kind);
	GT_NEED(module);
	GT_NEED(options);
	*module = NULL;
	*options = NULL;
	if (!spec)
		return gt_fail(GT_ERR_ARG, "%s: found none, expected NAME or NAME:key=value,...", kind->word);
	const gt_spec cut = gt_spec_cut(spec);
	const gt_module *m = find(kind, spec, cut.length);
	if (!m)
		return unknown(kind, spec, cut.length);
	*module = m;
	return gt_fail_in(gt_params_new(m->params, cut.values, m->defaults, m->options_size, options), "%s %s", kind->word, m->name);
}

char *gt_module_print(const gt_module *m, const void *options)
{
	const void *values = options ? options : m->defaults;
	const int n = m->params ? gt_params_print(m->params, values, NULL, 0) : 0;
	if (n <= 0)
		return gt_text("%s", m->name);
	const size_t head = strlen(m->name) + 1, size = head + (size_t)n + 1;
	char *text = malloc(size);
	if (text) {
		snprintf(text, size, "%s:", m->name);
		gt_params_print(m->params, values, text + head, size - head);
	}
	return text;
}

void gt_free(void *memory) { free(memory); }
