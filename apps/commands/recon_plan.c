/* Dry runs, and runs that would not fit. */
#include <stdlib.h>
#include <gantry/slab.h>
#include "apps/cli/try.h"
#include "apps/commands/recon.h"

/* The run with nothing computed. */
static gt_status rehearse(void *self, const gt_memory_variant *variant, gt_memory_estimate *plan)
{
	const recon_case *a = self;
	cli_call call = *a->call;
	recon_options o = *a->o;
	gt_method m = *a->m;
	gt_volume v = { .grid = variant->grid ? *variant->grid : *a->grid };
	recon_result r = { .plan = plan };
	call.common.quiet = 1;
	call.log.say = NULL;
	if (variant->single)
		call.common.precision = 0;
	if (variant->options)
		m.options = (void *)variant->options;
	if (variant->grid)
		o.grid = "as the variant says";
	gt_memory_estimate_begin(plan, a->p, &v.grid);
	const gt_status st = recon_compute(&call, &o, &m, a->p, &v, &r);
	gt_memory_estimate_limit(plan, a->device_limit);
	free(r.weights);
	free(r.penalty);
	return st;
}

/* The file, if importing it would let the method go by slabs. */
static const char *read_whole(const recon_case *a)
{
	const char *path = a->o->data ? a->o->data : a->call->file[0];
	const gt_format *format = NULL;
	int projections;
	if (!a->m->analytic || !gt_slab_plan_supports(a->m->analytic) || gt_file_kind(path, &format, &projections) != GT_OK ||
	    format->open_views)
		return NULL;
	return path;
}

static gt_memory_dry_run rehearsal_of(recon_case *a)
{
	return (gt_memory_dry_run){ rehearse, a, a->m, a->grid, cli_type(a->call) == GT_F64, read_whole(a) };
}

gt_status recon_dry_run(recon_case *a)
{
	gt_memory_estimate plan = { .host_free = a->host_free };
	gt_volume v = { .grid = *a->grid };
	recon_result r = { .plan = &plan };
	recon_facts facts = { 0 };
	const gt_memory_dry_run again = rehearsal_of(a);
	gt_status st = GT_OK;
	gt_memory_estimate_begin(&plan, a->p, a->grid);
	GT_TRY(recon_compute(a->call, a->o, a->m, a->p, &v, &r));
	gt_memory_estimate_limit(&plan, a->device_limit);
	GT_TRY(recon_facts_new(a->call, a->o, a->m, a->grid, &r, &facts));
	GT_TRY(recon_print_memory(&again, &plan, facts.list, a->call->common.json));
done:
	recon_facts_free(&facts);
	free(r.weights);
	free(r.penalty);
	return st;
}

/* Refuses at once what would not fit in the end. failed: what did not, NULL if nothing did yet. */
static gt_status check_memory(recon_case *a, const char *failed)
{
	gt_memory_estimate plan = { .host_free = a->host_free };
	const gt_memory_dry_run again = rehearsal_of(a);
	gt_status st = GT_OK;
	st = rehearse(a, &(gt_memory_variant){ 0 }, &plan);
	if (st == GT_ERR_DEVICE && !failed) /* the run itself says better what the device lacks */
		return GT_OK;
	GT_TRY(st);
	char *needs = gt_memory_estimate_fits(&plan) ? NULL : gt_memory_estimate_explain(&again, &plan);
	if (needs)
		st = gt_fail(GT_ERR_MEMORY, "%s%s%s", failed ? failed : "", failed ? "; in all it " : "", needs);
	else if (failed)
		st = gt_fail(GT_ERR_MEMORY, "%s", failed);
	free(needs);
done:
	return st;
}

int recon_fits(recon_case *a)
{
	gt_memory_estimate plan = { .host_free = a->host_free };
	return rehearse(a, &(gt_memory_variant){ 0 }, &plan) != GT_OK || gt_memory_estimate_fits(&plan);
}

gt_status recon_compute_if_it_fits(recon_case *a, gt_volume **v, recon_result *r)
{
	gt_status st = check_memory(a, NULL);
	if (st == GT_OK)
		st = cli_volume_new(a->grid, v);
	if (st != GT_OK)
		return st;
	st = recon_compute(a->call, a->o, a->m, a->p, *v, r);
	char *failed = st == GT_ERR_MEMORY ? cli_text("%s", gt_error()) : NULL;
	if (failed)
		check_memory(a, failed);
	free(failed);
	return st;
}
