#ifndef GT_RECON_CALIBRATION_BEADS_LEAST_SQUARES_H
#define GT_RECON_CALIBRATION_BEADS_LEAST_SQUARES_H
/* Levenberg's and Marquardt's method (J. SIAM 11 (1963) 431) for some dozen unknowns, by differences. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct {
	size_t unknowns, residuals;
	void (*residual)(const void *self, const double *x, double *r);         /* finite, whatever x is near the solution */
	const void *self;
	const double *step;             /* [unknowns], for differences: what changes residuals by some thousandths */
} gt_least_squares;

/* x: the start, then the minimum. inverse: NULL, or that of J'J there, [unknowns][unknowns]. *squares: of residuals.
 * GT_ERR_UNSUPPORTED: the residuals change alike, or not at all, with some unknowns ("not unique"). */
gt_status gt_least_squares_fit(const gt_least_squares *s, double *x, double *inverse, double *squares);
/* Pivots below this fraction of the diagonal make a matrix singular. */
#define GT_LEAST_SQUARES_PIVOT 1e-13

#endif
