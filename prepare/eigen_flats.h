#ifndef GT_PREPARE_EIGEN_FLATS_H
#define GT_PREPARE_EIGEN_FLATS_H
#include "prepare/step.h"

enum { GT_MAX_EIGEN_FLATS = 16 };
/* Principal components of the flat fields. The member mean[pixels] is the mean field minus the dark one. The eigenflats
 * u[k][pixels] are relative to it; their eigenvalues exceed noise by `factor`, and their number is limited. Memory: the
 * fields once more. */
typedef struct { size_t pixels, count, images; float *u, *mean; } gt_eigen_flats;
gt_status gt_eigen_flats_new (const gt_prepare_call *c, size_t rows, size_t columns, double factor, size_t max, gt_eigen_flats *e);
void      gt_eigen_flats_free(gt_eigen_flats *e);

#endif
