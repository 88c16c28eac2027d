#ifndef GANTRY_SUBSETS_H
#define GANTRY_SUBSETS_H
#include <gantry/linop.h>
#include <gantry/scan.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A scan cut into ordered subsets, for a gt_problem. Subset k holds views k, k + subsets, ...: one operator and one array of data, and one of
 * weights if there are any (w), each. */
typedef struct {
	size_t subsets;
	gt_linop **A;
	gt_array **b, **w;              /* w: NULL if all weights are 1 */
} gt_subsets;
/* projector: "NAME:key=value,...". data, weights: [view][row][column] of the whole scan; weights may be NULL. GT_ERR_ARG: subsets is not between
 * 1 and the number of views. After a failure s is empty. */
GT_API gt_status gt_subsets_new(const char *projector, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                const float *data, const float *weights, size_t subsets, gt_subsets *s);
GT_API void      gt_subsets_free(gt_subsets *s);
GT_API double    gt_subsets_norm(const gt_subsets *s);          /* |b| of all subsets */

#ifdef __cplusplus
}
#endif
#endif
