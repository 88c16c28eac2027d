/* Lists the kinds of modules by name, and parses methods. */
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/io.h>
#include <gantry/module.h>
#include <gantry/prepare.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include <gantry/solver.h>
#include "core/arguments.h"
#include "core/module.h"
#include "core/try.h"
#include "recon/modules.h"

static const gt_module *nth_method(size_t i)
{
	size_t solvers = 0;
	while (gt_solvers[solvers])
		solvers++;
	return i < solvers ? gt_solver_kind.nth(i) : gt_analytic_kind.nth(i - solvers);
}
/* Values of the option --solver; messages call them solvers. */
static const gt_module_kind method_kind = { "method", "solver", nth_method };

static const gt_module_kind *const kinds[] = { &gt_projector_kind, &gt_analytic_kind, &gt_solver_kind,     &gt_regularizer_kind,
	                                       &gt_format_kind,    &method_kind,      &gt_preparation_kind };
enum { KINDS = sizeof kinds / sizeof *kinds };

static const gt_module_kind *find(const char *name)
{
	for (size_t k = 0; name && k < KINDS; k++)
		if (!strcmp(kinds[k]->name, name))
			return kinds[k];
	return NULL;
}

static const char *nth_name(size_t i) { return kinds[i]->name; }

const gt_module *gt_modules(const char *kind, size_t i)
{
	const gt_module_kind *k = find(kind);
	size_t n = 0;
	while (k && n < i && k->nth(n))
		n++;
	return k ? k->nth(n) : NULL;
}

gt_status gt_module_parse(const char *kind, const char *spec, const gt_module **module, void **options)
{
	GT_NEED(module);
	GT_NEED(options);
	const gt_module_kind *k = find(kind ? kind : "");
	*module = NULL;
	*options = NULL;
	return k ? gt_module_parse_kind(k, spec, module, options) : gt_unknown("kind of module", kind ? kind : "", nth_name, KINDS);
}

static const gt_module *module_of(const gt_method *m) { return m->solver ? (const gt_module *)m->solver : (const gt_module *)m->analytic; }

const char *gt_method_name(const gt_method *m) { return module_of(m)->name; }

gt_status gt_method_parse(const char *spec, gt_method *m)
{
	GT_NEED(spec);
	GT_NEED(m);
	const gt_module *module;
	gt_status st = GT_OK;
	*m = (gt_method){ NULL, NULL, NULL };
	GT_TRY(gt_module_parse("method", spec, &module, &m->options));
	m->solver = gt_solver_find(module->name);
	m->analytic = m->solver ? NULL : gt_analytic_find(module->name);
done:
	return st;
}

void gt_method_free(gt_method *m)
{
	gt_free(m->options);
	m->options = NULL;
}

char *gt_method_print(const gt_method *m) { return gt_module_print(module_of(m), m->options); }
