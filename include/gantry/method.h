#ifndef GANTRY_METHOD_H
#define GANTRY_METHOD_H
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
GT_API gt_status gt_method_parse(const char *spec, gt_method *m);
GT_API void      gt_method_free(gt_method *m);
/* "os-sart:iterations=20,..." of all parameters; gt_free() it. NULL without memory. */
GT_API char     *gt_method_print(const gt_method *m);
GT_API const char *gt_method_name(const gt_method *m);

#ifdef __cplusplus
}
#endif
#endif
