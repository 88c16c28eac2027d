/* Line search by parabolas that majorize the cost. */
#include <math.h>
#include "solvers/pwls.h"
#include "solvers/steps/line_step.h"

void gt_line_step_begin(gt_line_step *s) { s->data = gt_pwls_residual(s->p, 0, s->x, s->r); }

/* Returns the step along d. first, second: derivatives of the data term along d, at 0. */
static double search(const gt_line_step *s, const gt_array *d, double first, double second)
{
	double a = 0;
	for (int i = 0; i < s->parabolas; i++) {
		double slope, curvature;
		gt_penalty_line(s->p->R, s->x, d, a, &slope, &curvature);
		slope += first + a * second;
		curvature += second;
		const double step = curvature > 0 ? slope / curvature : 0;
		a -= step;
		if (!s->p->R || !(fabs(step) > 1e-6 * fabs(a)))
			break;
	}
	return a;
}

double gt_line_step_move(gt_line_step *s, const gt_array *d, int afresh)
{
	gt_forward(s->p->A[0], d, s->q);
	double first, second;
	gt_dot_async(s->q, s->r, &first);
	if (s->p->w)
		gt_weighted_norm2_async(s->q, s->p->w[0], &second);
	else
		gt_dot_async(s->q, s->q, &second);
	gt_reductions_wait(gt_array_backend(s->x));
	const double a = search(s, d, first, second);
	gt_axpy(a, d, s->x);
	if (afresh) {
		gt_line_step_begin(s);
		return a;
	}
	if (s->p->w)
		gt_mul(s->p->w[0], s->q);
	gt_axpy(a, s->q, s->r);
	s->data += a * (first + 0.5 * a * second);
	return a;
}
