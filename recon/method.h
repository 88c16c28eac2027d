#ifndef GT_RECON_METHOD_H
#define GT_RECON_METHOD_H
/* A reconstruction method by its text "NAME:key=value,...", and a scan cut into ordered subsets. */
#include <gantry/analytic.h>
#include <gantry/linop.h>
#include <gantry/solver.h>
#include <gantry/io.h>
#include <gantry/message.h>

typedef struct {
	const gt_solver *solver;        /* one of the two is set */
	const gt_analytic *analytic;
	void *options;                  /* owned */
} gt_method;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status gt_method_parse(const char *spec, gt_method *m);
/* The direct method for the scan if it takes it, else the first solver; a remark says why, and where the views are few. grid: see
 * gt_analytic_supports(). */
gt_status gt_method_for(const gt_listener *log, const gt_grid *grid, const gt_scan *scan, gt_method *m);
/* Length of a direct method's refusal up to its advice to iterate, where that is what is done. */
int  gt_length_without_advice(const char *why);
void gt_method_free(gt_method *m);
/* "os-sart:iterations=20,..." of all parameters; malloc'ed. */
char *gt_method_print(const gt_method *m);
const char *gt_method_name(const gt_method *m);
/* A remark where a form for another device is asked for: options of a direct method. */
void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be);
/* "NAME:key=value,...": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for a parameter that it does not take. */
gt_status gt_projector_check(const char *spec);
/* "NAME:key=value,..." of all its parameters; malloc'ed, NULL without memory. */
char *gt_projector_text(const char *spec);
/* The one that was asked for; NULL: the default, or where the detector leans one that takes it, and a remark says so. */
const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan);

/* Subset k holds views k, k + subsets, ...: one operator and one array of data, and one of weights if there are any (w), each. */
typedef struct { size_t subsets; gt_linop **A; gt_array **b, **w; } gt_subsets;
gt_status gt_subsets_new(const char *projector, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                          const float *data, const float *weights, size_t subsets, gt_subsets *s);
void gt_subsets_free(gt_subsets *s);
double gt_subsets_norm(const gt_subsets *s);          /* |b| */

#endif
