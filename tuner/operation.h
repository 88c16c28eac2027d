#ifndef GT_TUNER_OPERATION_H
#define GT_TUNER_OPERATION_H
/* What a kernel is part of, as something that can be run: one direction of a projector, or a filtered backprojection.
 * */
#include <gantry/array.h>
#include <gantry/grid.h>
#include <gantry/linop.h>
#include <gantry/scan.h>
#include "tuner/kernels.h"
typedef struct {
	const gt_tunable *kernel;
	gt_backend *be;
	const gt_scan *scan;
	gt_grid grid;
	gt_linop *A;                    /* of a projector, else NULL */
	char method[96];                /* else */
	size_t in, out;
} gt_operation;
/* Of a method: the class of the problem, and the form that was tuned by hand, as a variant; both of that size. */
void      gt_operation_describe(const gt_scan *scan, const gt_grid *grid, char *about, char *built_in, size_t size);
/* variant: as asked for by operators (gt_variant_try()), or, of a method, its options. scan is not copied. */
gt_status gt_operation_new(const gt_tunable *k, const char *variant, gt_backend *be, gt_type t, const gt_grid *grid, const gt_scan *scan,
                         gt_operation *s);
void      gt_operation_free(gt_operation *s);
/* seconds: NULL, or what the kernel took where not all of the run is its own, else left as it is. */
gt_status gt_operation_run(const gt_operation *s, const gt_array *in, gt_array *out, double *seconds);
#endif
