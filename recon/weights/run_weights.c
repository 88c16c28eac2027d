/* Weights of a run, computed alongside its start image. The first rank of each process makes them. */
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

static float **made(const gt_recon_job *j, float **w) { return j->team ? &j->team->w : w; }
static char **text_of(const gt_recon_job *j, gt_recon_found *f) { return j->team ? &j->team->weights : &f->weights; }

gt_status gt_recon_weights_take(const gt_recon_job *j, gt_backend *be, float **w, gt_recon_found *f)
{
	gt_status st = GT_OK;
	if (!j->team)
		return GT_OK;
	gt_team_first(be, 0);
	GT_TRY(gt_backend_known(be));
	*w = j->team->w;
	f->weights = gt_text("%s", j->team->weights);
	if (!f->weights)
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
done:
	return st;
}

gt_status gt_recon_weights_begin(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f,
                                 struct gt_weights_thread **thread)
{
	const gt_weights_problem q = weights_problem(j, e, be, f);
	if (thread)
		*thread = NULL;
	if (!gt_team_leads(be))
		return GT_OK;
	if (thread && gt_backend_is_gpu(be) && j->how->computes)
		return gt_weights_begin(&j->chosen.weights, &q, thread);
	gt_recon_mark(j, "weights");
	return gt_fail_in(gt_weights_from_spec(&j->chosen.weights, &q, made(j, w), text_of(j, f)), "%s", j->name);
}

gt_status gt_recon_weights_end(const gt_recon_job *j, struct gt_weights_thread *thread, float **w, gt_recon_found *f)
{
	return thread ? gt_fail_in(gt_weights_end(thread, made(j, w), text_of(j, f)), "%s", j->name) : GT_OK;
}

gt_status gt_recon_weights(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **w, gt_recon_found *f)
{
	const gt_status st = gt_recon_weights_begin(j, e, be, w, f, NULL);
	return st == GT_OK ? gt_recon_weights_take(j, be, w, f) : st;
}
