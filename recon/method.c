/* A reconstruction method by its text. */
#include <stdlib.h>
#include <gantry/module.h>
#include <gantry/projector.h>
#include "core/try.h"
#include "recon/method.h"

static const gt_module *module_of(const gt_method *m) { return m->solver ? (const gt_module *)m->solver : (const gt_module *)m->analytic; }

const char *gt_method_name(const gt_method *m) { return module_of(m)->name; }

gt_status gt_projector_check(const char *spec)
{
	const gt_module *projector;
	void *options;
	const gt_status st = gt_module_parse("projector", spec, &projector, &options);
	gt_free(options);
	return st;
}

char *gt_projector_text(const char *spec)
{
	const gt_module *projector;
	void *options;
	char *text = gt_module_parse("projector", spec, &projector, &options) == GT_OK ? gt_module_print(projector, options) : NULL;
	gt_free(options);
	return text;
}

gt_status gt_method_parse(const char *spec, gt_method *m)
{
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
