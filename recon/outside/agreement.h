#ifndef GT_RECON_AGREEMENT_H
#define GT_RECON_AGREEMENT_H
/* Compares an iterative result with the analytic method that started it: means over soft parts. Both reproduce means of
 * consistent data, so a difference beyond the noise shows that the model of the scan does not fit the data. */
#include "recon/z_margin.h"

typedef struct {
	double direct;                  /* mean of the analytic method over the soft parts, mm^-1 */
	double difference;              /* mean of the iterative result less `direct`, mm^-1 */
	double noise;                   /* |difference| that noise explains, mm^-1 */
	size_t voxels;                  /* number in the soft parts of the sampled slices; 0: nothing was compared */
} gt_agreement;
/* Some requested slices of the analytic method. */
typedef struct {
	size_t slices;                  /* sampled */
	float *value;                   /* [slice][y][x], mm^-1; NAN outside the soft parts; NULL: nothing to compare */
} gt_soft_parts;

/* Keeps slices of x, which the analytic method made: at most 4 MiB, or one slice. Call gt_soft_parts_free() in any
 * case. */
gt_status gt_soft_parts_keep(const gt_recon_extent *e, const gt_array *x, double water, gt_soft_parts *s);
/* Compares x, the result, with them. */
gt_status gt_soft_parts_compare(const gt_recon_extent *e, const gt_array *x, const gt_soft_parts *s, gt_agreement *a);
void gt_soft_parts_free(gt_soft_parts *s);
/* 1: the difference exceeds the noise and MAX_PART of `direct`. */
int gt_agreement_fails(const gt_agreement *a);
#endif
