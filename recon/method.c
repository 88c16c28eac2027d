/* A reconstruction method by its text: parsing, printing, and what it is called. */
#include <gantry/module.h>
#include "core/text.h"
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "core/try.h"
#include "recon/method.h"

static size_t count_solvers(void)
{
	size_t n = 0;
	while (gt_solvers[n])
		n++;
	return n;
}
static size_t count_analytics(void)
{
	size_t n = 0;
	while (gt_analytics[n])
		n++;
	return n;
}
static const char *nth_method(size_t i)
{
	const size_t solvers = count_solvers();
	return i < solvers ? gt_solvers[i]->name : gt_analytics[i - solvers]->name;
}

typedef struct {
	const gt_param *params;
	const void *defaults;
	size_t size;
} table;
static table table_of(const gt_method *m)
{
	return m->solver ? (table){ m->solver->params, m->solver->defaults, m->solver->options_size }
	                 : (table){ m->analytic->params, m->analytic->defaults, m->analytic->options_size };
}

const char *gt_method_name(const gt_method *m) { return m->solver ? m->solver->name : m->analytic->name; }

gt_status gt_method_unknown(const char *name) { return gt_unknown("solver", name, nth_method, count_solvers() + count_analytics()); }

static const char *nth_projector(size_t i) { return gt_projectors[i]->name; }

/* What follows the name must be what the projector takes. */
static gt_status check_params(const gt_projector *p, const char *params)
{
	void *options;
	const gt_status st = gt_fail_in(gt_params_new(p->params, params, p->defaults, p->options_size, &options), "projector %s", p->name);
	free(options);
	return st;
}

gt_status gt_projector_check(const char *spec)
{
	size_t n = 0;
	const size_t length = strcspn(spec, ":");
	char *name = strndup(spec, length);
	while (gt_projectors[n])
		n++;
	const gt_projector *p = name ? gt_projector_find(name) : NULL;
	const gt_status st = !name ? gt_fail(GT_ERR_MEMORY, "out of memory")
	                     : p   ? check_params(p, spec[length] ? spec + length + 1 : NULL)
	                           : gt_unknown("projector", name, nth_projector, n);
	free(name);
	return st;
}

static int is_key(const gt_param *params, const char *text, size_t length)
{
	for (const gt_param *p = params; p->key; p++)
		if (strlen(p->key) == length && !strncmp(p->key, text, length))
			return 1;
	return 0;
}

/* Every key of "key=value,..." must be one of the table's. */
static gt_status check_keys(const gt_param *params, const char *text)
{
	size_t n = 0;
	gt_status st = GT_OK;
	while (params[n].key)
		n++;
	const char **names = malloc((n + 1) * sizeof *names);
	if (!names)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		names[i] = params[i].key;
	for (const char *c = text; *c && st == GT_OK; c += strcspn(c, ","), c += *c == ',')
		if (!is_key(params, c, strcspn(c, "=,"))) {
			char *key = strndup(c, strcspn(c, "=,"));
			st = gt_unknown_of("parameter", key ? key : "", names, n);
			free(key);
		}
	free(names);
	return st;
}

gt_status gt_method_set_options(gt_method *m, const char *text)
{
	const table t = table_of(m);
	if (!t.params)
		return text ? gt_fail(GT_ERR_ARG, "%s has no parameters, found '%s'", gt_method_name(m), text) : GT_OK;
	const gt_status known = text ? gt_fail_in(check_keys(t.params, text), "%s", gt_method_name(m)) : GT_OK;
	if (known != GT_OK)
		return known;
	return gt_fail_in(gt_params_new(t.params, text, t.defaults, t.size, &m->options), "%s", gt_method_name(m));
}

gt_status gt_method_parse(const char *spec, gt_method *m)
{
	const size_t n = strcspn(spec, ":");
	char *name = strndup(spec, n);
	gt_status st = name ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	m->solver = gt_solver_find(name);
	m->analytic = m->solver ? NULL : gt_analytic_find(name);
	if (!m->solver && !m->analytic)
		GT_TRY(gt_method_unknown(name));
	GT_TRY(gt_method_set_options(m, spec[n] ? spec + n + 1 : NULL));
done:
	free(name);
	return st;
}

void gt_method_free(gt_method *m)
{
	free(m->options);
	m->options = NULL;
}

char *gt_method_print(const gt_method *m)
{
	const table t = table_of(m);
	if (!t.params)
		return gt_text("%s", gt_method_name(m));
	const int n = gt_params_print(t.params, m->options, NULL, 0);
	char *values = n < 0 ? NULL : malloc((size_t)n + 1), *text = NULL;
	if (values) {
		gt_params_print(t.params, m->options, values, (size_t)n + 1);
		text = gt_text("%s:%s", gt_method_name(m), values);
	}
	free(values);
	return text;
}

char *gt_projector_text(const char *spec)
{
	const size_t length = strcspn(spec, ":");
	char *name = strndup(spec, length), *values = NULL, *text = NULL;
	const gt_projector *p = name ? gt_projector_find(name) : NULL;
	void *options = NULL;
	if (p && !p->params)
		text = gt_text("%s", p->name);
	else if (p && gt_params_new(p->params, spec[length] ? spec + length + 1 : NULL, p->defaults, p->options_size, &options) == GT_OK) {
		const int n = gt_params_print(p->params, options, NULL, 0);
		if (n >= 0 && (values = malloc((size_t)n + 1))) {
			gt_params_print(p->params, options, values, (size_t)n + 1);
			text = gt_text("%s%s%s", p->name, n ? ":" : "", values);
		}
	}
	free(options);
	free(values);
	free(name);
	return text;
}
