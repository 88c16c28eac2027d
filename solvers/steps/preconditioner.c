/* Preconditioners: none, the inverse of a diagonal majorizer, ramp filters of slices. */
#include "core/try.h"
#include "solvers/steps/preconditioner.h"
#include "solvers/pwls.h"

enum { ADAPT = 4 };
const char *const gt_preconditioner_names[] = { "none", "diagonal", "ramp", NULL };

gt_status gt_preconditioner_new(const char *solver, enum gt_preconditioner_kind kind, const gt_problem *p, gt_array *q, gt_array *g,
                                gt_array *z, gt_preconditioner *m)
{
	gt_status st = GT_OK;
	m->follows = kind == GT_PRECONDITION_RAMP && p->R;
	if (kind == GT_PRECONDITION_RAMP)
		return gt_circulant_new(solver, p, q, g, z, &m->ramp);
	if (kind == GT_PRECONDITION_NONE)
		return GT_OK;
	GT_TRY(gt_array_like(g, &m->m));
	gt_pwls_denominator(p, &q, NULL, z, m->m);
	gt_penalty_majorize(p->R, m->m);
	gt_reciprocal(gt_pwls_threshold(m->m), m->m);
done:
	return st;
}

void gt_preconditioner_free(gt_preconditioner *m)
{
	gt_array_free(m->m);
	gt_circulant_free(m->ramp);
}

void gt_precondition(const gt_preconditioner *m, const gt_array *g, gt_array *z)
{
	if (m->ramp) {
		gt_circulant_apply(m->ramp, g, z);
		return;
	}
	gt_copy(g, z);
	if (m->m)
		gt_mul(m->m, z);
}

int gt_preconditioner_adapts(const gt_preconditioner *m, int iteration)
{
	return m->ramp && gt_circulant_adapts(m->ramp) && iteration >= ADAPT && (iteration & (iteration - 1)) == 0;
}

void gt_preconditioner_adapt(gt_preconditioner *m, gt_array *curvatures) { gt_circulant_adapt(m->ramp, curvatures); }

void gt_preconditioner_kept(gt_preconditioner *m, gt_state_entry *list)
{
	if (m->follows)
		gt_circulant_kept(m->ramp, list);
}

void gt_preconditioner_resume(gt_preconditioner *m)
{
	if (m->follows)
		gt_circulant_resume(m->ramp);
}
