#ifndef GT_RECON_METHOD_H
#define GT_RECON_METHOD_H
/* A reconstruction method by its text "NAME:key=value,...". */
#include <gantry/analytic.h>
#include <gantry/solver.h>

typedef struct {
	const gt_solver *solver;        /* one of the two is set */
	const gt_analytic *analytic;
	void *options;                  /* owned */
} gt_method;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status gt_method_parse(const char *spec, gt_method *m);
/* The same of what follows the name, for a method that is set; NULL: the defaults. */
gt_status gt_method_set_options(gt_method *m, const char *text);
void gt_method_free(gt_method *m);
/* "os-sart:iterations=20,..." of all parameters; malloc'ed. */
char *gt_method_print(const gt_method *m);
const char *gt_method_name(const gt_method *m);
gt_status gt_method_unknown(const char *name);
/* "NAME:key=value,...": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for a parameter that it does not take. */
gt_status gt_projector_check(const char *spec);
/* "NAME:key=value,..." of all its parameters; malloc'ed, NULL without memory. */
char *gt_projector_text(const char *spec);
#endif
