/* Golub-Kahan bidiagonalisation, with one forward and one adjoint per step. */
#include <math.h>
#include "core/try.h"
#include "solvers/krylov/golub_kahan.h"

gt_status gt_golub_kahan_new(const gt_problem *p, const gt_array *x, gt_golub_kahan *s)
{
	gt_status st = GT_OK;
	s->A = p->A[0];
	s->w = p->w ? p->w[0] : NULL;
	GT_TRY(gt_array_like(p->b[0], &s->u));
	GT_TRY(gt_array_like(p->b[0], &s->t));
	GT_TRY(gt_array_like(x, &s->v));
	GT_TRY(gt_array_like(x, &s->g));
done:
	return st;
}

void gt_golub_kahan_free(gt_golub_kahan *s)
{
	gt_array_free(s->u);
	gt_array_free(s->t);
	gt_array_free(s->v);
	gt_array_free(s->g);
}

static void extend_volume(gt_golub_kahan *s, int first)
{
	double squares;
	if (s->w)
		gt_weighted_norm2_async(s->u, s->w, &squares);
	else
		gt_dot_async(s->u, s->u, &squares);
	gt_reductions_wait(gt_array_backend(s->u));
	s->beta = sqrt(squares);
	if (!(s->beta > 0)) {
		s->alpha = s->beta;
		return;
	}
	if (s->w) {
		gt_copy(s->u, s->t);
		gt_mul(s->w, s->t);
	}
	gt_adjoint(s->A, s->w ? s->t : s->u, s->g);
	if (first) {
		gt_copy(s->g, s->v);
		gt_scale(1 / s->beta, s->v);
	} else
		gt_axpby(1 / s->beta, s->g, -s->beta / s->alpha, s->v);
	s->alpha = sqrt(gt_dot(s->v, s->v));
}

void gt_golub_kahan_extend_volume(gt_golub_kahan *s) { extend_volume(s, 0); }

void gt_golub_kahan_extend_data(gt_golub_kahan *s)
{
	gt_forward(s->A, s->v, s->t);
	gt_axpby(1 / s->alpha, s->t, -s->alpha / s->beta, s->u);
}

void gt_golub_kahan_begin(gt_golub_kahan *s) { extend_volume(s, 1); }

void gt_golub_kahan_start(gt_golub_kahan *s, const gt_array *b, const gt_array *x)
{
	gt_forward(s->A, x, s->u);
	gt_xpay(b, -1, s->u);
	extend_volume(s, 1);
}
