#ifndef GT_PREPARE_SCATTER_SCATTER_KERNEL_H
#define GT_PREPARE_SCATTER_SCATTER_KERNEL_H
/* Scatter that follows the object; private to prepare/. One kernel of Sun, Star-Lack, Phys. Med. Biol. 55 (2010)
 * 6695: the scatter is amplitude P (-ln P)^power, blurred by a Gaussian, with P the primary fraction. */
#include "prepare/step.h"

typedef struct {
	size_t rows, columns;           /* size of a view */
	size_t by[2], n[2];             /* pixels (columns, rows) per coarse pixel; size of a coarse view */
	size_t reach[2];                /* half widths of the kernels */
	double *kernel[2];              /* [2 reach + 1], their sum is 1 */
	double amplitude, power;
} gt_scatter_kernel;

/* width: standard deviation of the Gaussian at the detector, mm. Call gt_scatter_kernel_free() even after failure. */
gt_status gt_scatter_kernel_new (const gt_scan *scan, double width, double power, gt_scatter_kernel *k);
void      gt_scatter_kernel_free(gt_scatter_kernel *k);
/* Doubles of scratch of the two functions below. */
size_t    gt_scatter_kernel_scratch(const gt_scatter_kernel *k);
/* Sets the amplitude so that this view has the given scatter fraction at its darkest pixel. GT_ERR_FORMAT: no object.
 * GT_ERR_ARG: no amplitude reaches the fraction. */
gt_status gt_scatter_kernel_fit(gt_scatter_kernel *k, const float *p, double fraction, double *scratch);
/* Subtracts the scatter from the line integrals of a view. Returns the number of values limited to a twentieth of the
 * intensity. */
size_t    gt_scatter_kernel_take_off(const gt_scatter_kernel *k, float *p, double *scratch);

#endif
