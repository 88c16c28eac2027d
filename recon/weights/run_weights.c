/* Weights of a run, beside its start image. The first rank of each process makes them. */
#include <stdlib.h>
#include "core/text.h"
#include "core/try.h"
#include "recon/team/team_run.h"
#include "recon/weights/weights_thread.h"
#include "team/team.h"

static gt_weights_problem weights_problem(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, gt_recon_found *f)
{
	gt_noise_free(f->noise);
	f->noise = NULL;
	return (gt_weights_problem){ &e->p,
		                     &e->grid,
		                     j->chosen.method.solver->traits,
		                     j->chosen.method.solver->name,
		                     gt_backend_pool(be),
		                     !j->how->has_weights,
		                     &f->noise };
}

/* All ranks of a process read the weights of its first one. */
static gt_status take_weights(const gt_recon_job *j, gt_backend *be, float **w, gt_recon_found *f)
{
	gt_status st = GT_OK;
	gt_team_first(be, 0);
	GT_TRY(gt_backend_known(be));
	*w = j->team->w;
	f->weights = gt_text("%s", j->team->weights);
	if (!f->weights)
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
done:
	return st;
}

gt_status gt_recon_weights(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f)
{
	const gt_weights_problem q = weights_problem(j, e, be, f);
	gt_status st = GT_OK;
	gt_recon_mark(j, "weights");
	if (!j->team)
		return gt_fail_in(gt_weights_from_spec(&j->chosen.weights, &q, w, &f->weights), "%s", j->name);
	if (gt_team_leads(be))
		GT_TRY(gt_fail_in(gt_weights_from_spec(&j->chosen.weights, &q, &j->team->w, &j->team->weights), "%s", j->name));
	st = take_weights(j, be, w, f);
done:
	return st;
}

gt_status gt_recon_prepare(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, float **w, gt_recon_found *f)
{
	gt_backend *be = gt_array_backend(x);
	float **made = j->team ? &j->team->w : w;
	char **text = j->team ? &j->team->weights : &f->weights;
	const gt_weights_problem q = weights_problem(j, e, be, f);
	gt_weights_thread *thread = NULL;
	gt_status st = GT_OK;
	if (gt_backend_is_gpu(be) && j->how->computes && gt_team_leads(be)) {
		GT_TRY(gt_weights_begin(&j->chosen.weights, &q, &thread));
	} else if (gt_team_leads(be)) {
		gt_recon_mark(j, "weights");
		GT_TRY(gt_fail_in(gt_weights_from_spec(&j->chosen.weights, &q, made, text), "%s", j->name));
	}
	gt_recon_mark(j, "start image");
	const gt_status begun = gt_recon_begin(j, e, x, &f->fraction, &f->start);
	gt_recon_mark(j, "weights");
	if (thread)
		GT_TRY(gt_fail_in(gt_weights_end(thread, made, text), "%s", j->name));
	GT_TRY(begun);
	if (j->team)
		GT_TRY(take_weights(j, be, w, f));
done:
	return st;
}
