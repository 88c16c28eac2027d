#ifndef GT_RECON_MODULES_H
#define GT_RECON_MODULES_H
/* A reconstruction method by its text "NAME:key=value,...": a solver or an analytic method, with its options. */
#include <gantry/analytic.h>
#include <gantry/solver.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const gt_solver *solver;        /* one of the two is set */
	const gt_analytic *analytic;
	void *options;                  /* owned */
} gt_method;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. *m is overwritten; gt_method_free() frees it in any case. */
gt_status gt_method_parse(const char *spec, gt_method *m);
void      gt_method_free(gt_method *m);
/* "os-sart:iterations=20,..." of all parameters; gt_free() it. NULL without memory. */
char     *gt_method_print(const gt_method *m);
const char *gt_method_name(const gt_method *m);

#ifdef __cplusplus
}
#endif
#endif
