#ifndef GT_REGULARIZERS_MOMENTUM_H
#define GT_REGULARIZERS_MOMENTUM_H
/* Private to regularizers/. Momentum of fast gradient projection (Beck and Teboulle, IEEE Trans. Image Process. 18
 * (2009) 2419). */
#include <math.h>

/* Returns (t - 1)/t' and replaces *t, initially 1, by the next t'. */
static inline double gt_momentum_ahead(double *t)
{
	const double next = (1 + sqrt(1 + 4 * *t * *t)) / 2, ahead = (*t - 1) / next;
	*t = next;
	return ahead;
}
#endif
