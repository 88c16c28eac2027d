/* Modules as text: every module of every kind to text and back, and refusals with their proposals.
 * labels: unit backend: none */
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include <gantry/module.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include <gantry/solver.h>
#include "tests/support/support.h"

static const char *const kinds[] = { "projector", "analytic", "solver", "regularizer", "format", "method", "preparation" };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Adds "key=value" with a value that is not the default. */
static void add_other(const gt_param *p, const void *defaults, char *text, size_t size)
{
	const void *at = (const char *)defaults + p->at;
	const size_t used = strlen(text);
	int names = 0;
	switch (p->kind) {
	case GT_REAL:
	case GT_MU:
		snprintf(text + used, size - used, "%s=%.9g", p->key, *(const double *)at == p->max ? p->min : p->max);
		break;
	case GT_INT:
		snprintf(text + used, size - used, "%s=%.0f", p->key, *(const int *)at == (int)p->min ? p->min + 1 : p->min);
		break;
	case GT_TEXT:
		snprintf(text + used, size - used, "%s=a folder/file.nc", p->key);
		break;
	case GT_CHOICE:
		while (p->names[names])
			names++;
		snprintf(text + used, size - used, "%s=%s", p->key, p->names[(*(const int *)at + 1) % names]);
		break;
	case GT_FLAG:
		snprintf(text + used, size - used, "%s=%s", p->key, *(const int *)at ? "no" : "yes");
		break;
	}
}

static void check_text(const char *kind, const gt_module *m, const char *spec, const char *printed)
{
	const gt_module *found;
	void *options;
	ck_ok(gt_module_parse(kind, spec, &found, &options));
	ck_assert_ptr_eq(found, m);
	ck_assert((options != NULL) == (m->options_size > 0));
	char *text = gt_module_print(found, options);
	ck_assert_str_eq(text, printed);
	gt_free(text);
	gt_free(options);
}

static void there_and_back(const char *kind, const gt_module *m)
{
	char spec[1024];
	char *standard = gt_module_print(m, NULL);
	check_text(kind, m, m->name, standard);
	check_text(kind, m, standard, standard);
	snprintf(spec, sizeof spec, "%s", m->name);
	for (const gt_param *p = m->params; p && p->key; p++) {
		strcat(spec, p == m->params ? ":" : ",");
		add_other(p, m->defaults, spec, sizeof spec);
	}
	check_text(kind, m, spec, spec);
	for (const gt_param *p = m->params; p && p->key; p++) {
		char one[256];
		snprintf(one, sizeof one, "%s:", m->name);
		add_other(p, m->defaults, one, sizeof one);
		const gt_module *found;
		void *options;
		ck_ok(gt_module_parse(kind, one, &found, &options));
		char *text = gt_module_print(found, options);
		ck_assert_str_ne(text, standard);
		ck_assert_ptr_nonnull(strstr(text, one + strlen(m->name) + 1));
		gt_free(text);
		gt_free(options);
	}
	gt_free(standard);
}

GT_TESTS(every_module, KINDS)
{
	const gt_module *m;
	size_t n = 0;
	for (; (m = gt_modules(kinds[_i], n)); n++) {
		ck_assert(*m->name && *m->about);
		there_and_back(kinds[_i], m);
	}
	ck_assert_uint_ge(n, 3);
	ck_assert_ptr_null(gt_modules(kinds[_i], n + 1));
	ck_assert_ptr_null(gt_modules(kinds[_i], (size_t)-1));
}

/* A module begins with the members of its base type. */
GT_TEST(typed_tables)
{
	size_t n = 0;
	for (; gt_solvers[n]; n++) {
		ck_assert_ptr_eq(gt_modules("solver", n), gt_solvers[n]);
		ck_assert_ptr_eq(gt_modules("method", n), gt_solvers[n]);
		ck_assert_ptr_eq(gt_solver_find(gt_solvers[n]->name), gt_solvers[n]);
	}
	ck_assert_ptr_eq(gt_modules("method", n), gt_modules("analytic", 0));
	ck_assert_ptr_eq(gt_modules("projector", 0), gt_projectors[0]);
	ck_assert_ptr_eq(gt_modules("regularizer", 0), gt_regularizers[0]);
	ck_assert_str_eq(gt_modules("format", 1)->name, gt_formats[1]->name);
	ck_assert_ptr_null(gt_modules("solvers", 0));
	ck_assert_ptr_null(gt_modules(NULL, 0));
}

static const struct {
	const char *kind, *spec;
	gt_status status;
	const char *text;
} refused[] = {
	{ "projector", "joesph", GT_ERR_UNKNOWN, "unknown projector 'joesph': did you mean 'joseph'? (there are: dd, " },
	{ "solver", "cglss", GT_ERR_UNKNOWN, "unknown solver 'cglss': did you mean 'cgls'?" },
	{ "solver", "fdk", GT_ERR_UNKNOWN, "unknown solver 'fdk'" },
	{ "analytic", "fdj", GT_ERR_UNKNOWN, "unknown solver 'fdj': did you mean 'fdk'? (there are: fdk, fbp, wfbp)" },
	{ "method", "wfpb", GT_ERR_UNKNOWN, "did you mean 'wfbp'?" },
	{ "regularizer", "hubr:delta=1", GT_ERR_UNKNOWN, "unknown penalty 'hubr': did you mean 'huber'?" },
	{ "format", "nifty", GT_ERR_UNKNOWN, "unknown format 'nifty': did you mean 'nifti'?" },
	{ "solvr", "cgls", GT_ERR_UNKNOWN, "unknown kind of module 'solvr': did you mean 'solver'?" },
	{ NULL, "cgls", GT_ERR_UNKNOWN, "unknown kind of module ''" },
	{ "solver", "", GT_ERR_UNKNOWN, "unknown solver '' (there are: " },
	{ "solver", NULL, GT_ERR_ARG, "solver: found none, expected NAME or NAME:key=value" },
	{ "solver", "cgls:iteratons=3", GT_ERR_ARG, "solver cgls: unknown parameter 'iteratons': did you mean 'iterations'? (there are: " },
	{ "projector", "dd:memry=1", GT_ERR_ARG, "projector dd: unknown parameter 'memry': did you mean 'memory'?" },
	{ "regularizer", "huber:delat=1", GT_ERR_ARG, "penalty huber: unknown parameter 'delat': did you mean 'delta'?" },
	{ "analytic", "fdk:filtre=hann", GT_ERR_ARG, "solver fdk: unknown parameter 'filtre': did you mean 'filter'?" },
	{ "format", "nifti:x=1", GT_ERR_ARG, "format nifti: unknown parameter 'x': there are none here" },
	{ "projector", "sf-tr:foo=1", GT_ERR_ARG, "projector sf-tr: unknown parameter 'foo' (there are: memory)" },
	{ "solver", "cgls:iterations=", GT_ERR_ARG, "iterations=: expected a whole number" },
	{ "solver", "cgls:iterations", GT_ERR_ARG, "iterations: expected iterations=VALUE" },
	{ "solver", "cgls:iterations=3,", GT_ERR_ARG, "ends with a comma" },
	{ "solver", "cgls:,iterations=3", GT_ERR_ARG, "unknown parameter ''" },
	{ "solver", "cgls:iterations=3,iterations=5", GT_ERR_ARG, "iterations=3 and iterations=5: the parameter is given twice" },
	{ "regularizer", "huber:delta=1,strength=2,delta=1", GT_ERR_ARG, "delta=1 and delta=1: the parameter is given twice" },
	{ "solver", "os-sart:nonneg,nonneg=no", GT_ERR_ARG, "nonneg and nonneg=no: the parameter is given twice" },
	{ "solver", "cgls:=3", GT_ERR_ARG, "unknown parameter ''" },
};

GT_TESTS(refusals, (int)(sizeof refused / sizeof *refused))
{
	const gt_module *m = gt_modules("solver", 0);
	int none;
	void *options = &none;
	ck_refused(gt_module_parse(refused[_i].kind, refused[_i].spec, &m, &options), refused[_i].status, refused[_i].text);
	ck_assert_ptr_null(options);
}

/* A colon without keys sets nothing. */
GT_TEST(nothing_set)
{
	char *standard = gt_module_print(gt_modules("solver", 0), NULL), spec[64];
	snprintf(spec, sizeof spec, "%s:", gt_modules("solver", 0)->name);
	check_text("solver", gt_modules("solver", 0), spec, standard);
	gt_free(standard);
	gt_free(NULL);
}

int main(void) { return gt_test_main("module", NULL); }
