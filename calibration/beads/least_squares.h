#ifndef GT_CALIBRATION_BEADS_LEAST_SQUARES_H
#define GT_CALIBRATION_BEADS_LEAST_SQUARES_H
/* Method of Levenberg and Marquardt (J. SIAM 11 (1963) 431) for a few dozen unknowns, with numerical derivatives. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct {
	size_t unknowns, residuals;
	void (*residual)(const void *self, const double *x, double *r);         /* finite for any x near the solution */
	const void *self;
	const double *step;             /* [unknowns], for central differences: changes residuals by some thousandths */
} gt_least_squares;

/* x: start, then minimum. inverse: of J'J there, [unknowns][unknowns], or NULL. *squares: sum of squared residuals.
 * GT_ERR_UNSUPPORTED ("not unique"): J'J is singular. */
gt_status gt_least_squares_fit(const gt_least_squares *s, double *x, double *inverse, double *squares);
/* Pivots below this fraction of the diagonal make a matrix singular. */
#define GT_LEAST_SQUARES_PIVOT 1e-13

#endif
