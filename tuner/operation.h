#ifndef GT_TUNER_OPERATION_H
#define GT_TUNER_OPERATION_H
/* Operation that a kernel belongs to: one direction of a projector, or filtered backprojection. */
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
	gt_linop *A;                    /* projector; NULL for filtered backprojection */
	char method[96];                /* for filtered backprojection */
	size_t in, out;
} gt_operation;
/* For filtered backprojection: writes the class of the problem and the hand-tuned variant, each of `size` bytes. */
void      gt_operation_describe(const gt_scan *scan, const gt_grid *grid, char *about, char *built_in, size_t size);
/* variant: as in gt_variant_try(), or the options of a method. scan is not copied. */
gt_status gt_operation_new(const gt_tunable *k, const char *variant, gt_backend *be, gt_type t, const gt_grid *grid, const gt_scan *scan,
                         gt_operation *s);
void      gt_operation_free(gt_operation *s);
/* seconds: NULL, or receives the kernel's own time if the run includes other work; otherwise unchanged. */
gt_status gt_operation_run(const gt_operation *s, const gt_array *in, gt_array *out, double *seconds);
#endif
