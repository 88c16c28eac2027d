/* Krylov spaces of A B and B A for a projector A and a backprojector B. */
#include "solvers/krylov/two_ways.h"

double gt_two_ways_begin(gt_two_ways *s, const gt_array *x, double *squares)
{
	gt_array *start = gt_basis_vector(s->space.V, 0), *r = s->ab ? start : s->t;
	const gt_array *w = s->p->w ? s->p->w[0] : NULL;
	gt_forward(s->p->A[0], x, r);
	gt_xpay(s->p->b[0], -1, r);
	if (s->root)
		gt_mul(s->root, r);
	if (w && !s->ab)
		gt_weighted_norm2_async(r, w, squares);
	else
		gt_dot_async(r, r, squares);
	if (w && !s->ab)
		gt_mul(w, r);
	if (!s->ab)
		gt_adjoint(s->p->A[0], r, start);
	return gt_arnoldi_start(&s->space);
}

/* next = M v, with the operator M of the space. */
static void apply(const gt_two_ways *s, gt_array *v, gt_array *next)
{
	const gt_linop *A = s->p->A[0];
	if (!s->ab) {
		gt_forward(A, v, s->t);
		if (s->p->w)
			gt_mul(s->p->w[0], s->t);
		gt_adjoint(A, s->t, next);
		return;
	}
	if (s->root) {
		gt_copy(v, next);
		gt_mul(s->root, next);
	}
	gt_adjoint(A, s->root ? next : v, s->t);
	gt_forward(A, s->t, next);
	if (s->root)
		gt_mul(s->root, next);
}

void gt_two_ways_cycle(gt_two_ways *s, int steps, double stop, double left, gt_array *x, double *moved)
{
	gt_arnoldi *a = &s->space;
	for (int j = 0; j < steps && left > stop; j++) {
		apply(s, gt_basis_vector(a->V, a->k), gt_basis_vector(a->V, a->k + 1));
		left = gt_arnoldi_step(a);
	}
	if (!s->ab) {
		*moved = gt_arnoldi_add(a, x);
		return;
	}
	gt_array *u = gt_basis_vector(a->V, a->k); /* no further step needs it */
	gt_fill(0, u);
	gt_arnoldi_add(a, u);
	if (s->root)
		gt_mul(s->root, u);
	gt_adjoint(s->p->A[0], u, s->t);
	gt_dot_async(s->t, s->t, moved);
	gt_axpy(1, s->t, x);
}
