#ifndef GT_RECON_METHOD_H
#define GT_RECON_METHOD_H
/* A reconstruction method by its text "NAME:key=value,...", and a scan cut into ordered subsets. */
#include <gantry/analytic.h>
#include <gantry/linop.h>
#include <gantry/solver.h>
#include "apps/cli/cli.h"

typedef struct {
	const gt_solver *solver;        /* one of the two is set */
	const gt_analytic *analytic;
	void *options;                  /* owned */
} app_method;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status app_method_parse(const char *spec, app_method *m);
/* The direct method for the scan if it takes it, else the first solver; a remark says why, and where the views are few. grid: see
 * gt_analytic_supports(). */
gt_status app_method_for(const cli_call *call, const gt_grid *grid, const gt_scan *scan, app_method *m);
/* Length of a direct method's refusal up to its advice to iterate, where that is what is done. */
int  app_without_advice(const char *why);
void app_method_free(app_method *m);
/* "os-sart:iterations=20,..." of all parameters; malloc'ed. */
char *app_method_print(const app_method *m);
const char *app_method_name(const app_method *m);
gt_status app_method_unknown(const char *name);
/* A remark where a form for another device is asked for: options of a direct method. */
void app_method_note_form(const cli_call *call, const gt_analytic *method, const void *options, const gt_backend *be);
/* "NAME:key=value,...": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for a parameter that it does not take. */
gt_status app_projector_check(const char *spec);
/* The one that was asked for; NULL: the default, or where the detector leans one that takes it, and a remark says so. */
const char *app_projector_for(const cli_call *call, const char *asked, const gt_scan *scan);

/* Subset k holds views k, k + subsets, ...: one operator and one array of data, and one of weights if there are any (w), each. */
typedef struct { size_t subsets; gt_linop **A; gt_array **b, **w; } app_subsets;
gt_status app_subsets_new(const char *projector, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                          const float *data, const float *weights, size_t subsets, app_subsets *s);
void app_subsets_free(app_subsets *s);
double app_subsets_norm(const app_subsets *s);          /* |b| */

/* out = A in (adjoint 0) or A' in (1) of a projector on the backend and in the precision that the call asks for. */
gt_status app_apply(const cli_call *call, const char *projector, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in,
                    float *out);
#endif
