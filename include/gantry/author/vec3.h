#ifndef GANTRY_AUTHOR_VEC3_H
#define GANTRY_AUTHOR_VEC3_H
/* Products of vectors of three, for C, C++ and CUDA. */
#include <gantry/author/host_device.h>

GT_HD double gt_dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
/* c = a x b; c is neither of them. */
GT_HD void gt_cross3(const double *a, const double *b, double *c)
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}
#endif
