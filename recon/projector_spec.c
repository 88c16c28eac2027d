/* Parses and prints a projector specification. */
#include <gantry/module.h>
#include "recon/projector_spec.h"

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
