#ifndef GT_PREPARE_SCATTER_SCATTER_KERNEL_H
#define GT_PREPARE_SCATTER_SCATTER_KERNEL_H
/* Scatter that follows the body; private to prepare/. One kernel of Sun, Star-Lack, Phys. Med. Biol. 55 (2010) 6695:
 * what rays that got through a place spread around it is amplitude P (-ln P)^power, P the part that was not
 * scattered, blurred by a Gaussian. */
#include "prepare/step.h"

typedef struct {
	size_t rows, columns;           /* of a view */
	size_t by[2], n[2];             /* pixels, columns and rows, that make one of a coarse view; its sides */
	size_t reach[2];                /* of the kernels */
	double *kernel[2];              /* [2 reach + 1], their sum is 1 */
	double amplitude, power;
} gt_scatter_kernel;

/* width: deviation of the Gaussian at the detector, mm. gt_scatter_kernel_free() is due in either case. */
gt_status gt_scatter_kernel_new (const gt_scan *scan, double width, double power, gt_scatter_kernel *k);
void      gt_scatter_kernel_free(gt_scatter_kernel *k);
/* Doubles of scratch for the two below. */
size_t    gt_scatter_kernel_scratch(const gt_scatter_kernel *k);
/* Sets the amplitude: by this view the scatter is that part of the light where the body is darkest. GT_ERR_FORMAT: no
 * body. GT_ERR_ARG: no amplitude makes so much. */
gt_status gt_scatter_kernel_fit(gt_scatter_kernel *k, const float *p, double fraction, double *scratch);
/* Line integrals of a view, without it; gives back how many are limited, to a twentieth of the light. */
size_t    gt_scatter_kernel_take_off(const gt_scatter_kernel *k, float *p, double *scratch);

#endif
