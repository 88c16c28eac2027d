#ifndef GT_REGULARIZERS_MOMENTUM_H
#define GT_REGULARIZERS_MOMENTUM_H
/* Inside this room: how far fast gradient projection looks ahead (Beck and Teboulle, IEEE Trans. Image Process. 18
 * (2009) 2419). */
#include <math.h>

/* (t - 1)/t' with the next t', which takes the place of *t; that begins with 1. */
static inline double gt_momentum_ahead(double *t)
{
	const double next = (1 + sqrt(1 + 4 * *t * *t)) / 2, ahead = (*t - 1) / next;
	*t = next;
	return ahead;
}
#endif
