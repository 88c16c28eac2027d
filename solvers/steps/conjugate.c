/* Polak-Ribiere conjugate directions. */
#include <math.h>
#include "solvers/steps/conjugate.h"

void gt_conjugate_resume(gt_conjugate *c)
{
	gt_precondition(&c->m, c->g, c->z);
	c->gz = gt_dot(c->g, c->z);
}

void gt_conjugate_begin(gt_conjugate *c)
{
	gt_precondition(&c->m, c->g, c->z);
	gt_copy(c->z, c->d);
	gt_scale(-1, c->d);
	c->gz = gt_dot(c->g, c->z);
}

double gt_conjugate_turn(gt_conjugate *c, int anew)
{
	double gg, gz, gd, across; /* <g, M g_old> = <g_old, M g>: the term that Polak and Ribiere subtract */
	gt_dot_async(c->g, c->g, &gg);
	gt_dot_async(c->g, c->z, &across);
	gt_dot_async(c->g, c->d, &gd);
	if (anew)
		gt_preconditioner_adapt(&c->m, c->z);
	gt_precondition(&c->m, c->g, c->z);
	gt_dot_async(c->g, c->z, &gz);
	gt_reductions_wait(gt_array_backend(c->g));
	double beta = !anew && c->gz > 0 ? fmax(0, (gz - across) / c->gz) : 0;
	if (!(beta * gd < gz)) /* no descent direction */
		beta = 0;
	gt_axpby(-1, c->z, beta, c->d);
	c->gz = gz;
	return sqrt(gg);
}
