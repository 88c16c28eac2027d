/* The run itself: start, operators, weights, penalty, solver. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/commands/recon.h"
#include "recon/penalty_strength.h"
#include "recon/prior.h"

/* What the method cannot see, in words. */
static gt_status tell_unseen(const cli_call *call, const gt_analytic *method, const gt_grid *grid, const gt_scan *scan)
{
	gt_analytic_coverage s;
	const gt_status st = method->coverage(grid, scan, &s);
	if (st != GT_OK || s.first == s.end)
		return st;
	if (s.end - s.first == 1 && grid->n[2] > 1)
		cli_note(call,
		         "%s: slice %zu of %zu is complete; the others are not seen over half a turn, and filled from the nearest rows",
		         method->name, s.first, grid->n[2]);
	else if (s.end - s.first < grid->n[2])
		cli_note(
			call,
			"%s: slices %zu to %zu of %zu are complete; the others are not seen over half a turn, and filled from the nearest rows",
			method->name, s.first, s.end - 1, grid->n[2]);
	if (isfinite(s.radius))
		cli_note(
			call,
			"%s: pitch %.4g is beyond %.4g, the limit of this grid: voxels more than %.4g mm from the axis are not seen over half a turn",
			method->name, s.pitch, s.limit, s.radius);
	return GT_OK;
}

static gt_status direct(const cli_call *call, const gt_analytic *method, const void *method_options, const recon_ground *ground,
                        gt_array *x)
{
	const gt_projections *p = ground->all;
	gt_backend *be = gt_array_backend(x);
	gt_array *data = NULL;
	gt_status st = GT_OK;
	gt_method_note_form(&call->log, method, method_options, be);
	if (method->coverage && !call->common.quiet)
		GT_TRY(tell_unseen(call, method, ground->asked, p->scan));
	GT_TRY(gt_array_new(be, gt_array_type(x), gt_scan_size(p->scan), &data));
	gt_array_put_float(p->data, data);
	GT_TRY(gt_analytic_run(method, be, &ground->grid, p->scan, method_options, data, x));
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(data);
	return st;
}

static gt_status init_from_file(const cli_call *call, const char *path, const recon_ground *ground, gt_array *x)
{
	const gt_grid *grid = ground->asked;
	gt_array *part = NULL;
	gt_volume *v = NULL;
	char have[256], want[256];
	gt_status st = GT_OK;
	GT_TRY(cli_read_volume(call, path, &v));
	gt_grid_print(&v->grid, have, sizeof have);
	gt_grid_print(grid, want, sizeof want);
	if (!gt_grid_same(&v->grid, grid))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: its grid is %s, expected %s (--like %s takes its grid)", path, have, want, path));
	GT_TRY(recon_part(x, &ground->grid, ground->below, grid->n[2], &part));
	gt_array_put_float(v->data, part);
	GT_TRY(recon_fill_margin(x, ground));
	GT_TRY(gt_backend_status(gt_array_backend(x)));
done:
	gt_array_free(part);
	gt_volume_free(v);
	return st;
}

int recon_starts_from_file(const char *init) { return strcmp(init, "auto") && strcmp(init, "zero") && !gt_analytic_find(init); }

static gt_status initialise(const cli_call *call, const char *init, const recon_ground *ground, gt_array *x, recon_result *r)
{
	const int automatic = !strcmp(init, "auto");
	r->start = init;
	if (!strcmp(init, "zero")) {
		gt_fill(0, x);
		return GT_OK;
	}
	if (recon_starts_from_file(init))
		return init_from_file(call, init, ground, x);
	/* fdk: the method that fits. */
	const gt_analytic *method = automatic || !strcmp(init, "fdk") ? gt_analytic_for(ground->all->scan) : gt_analytic_find(init);
	const gt_status st = direct(call, method, NULL, ground, x);
	r->start = method->name;
	if (st == GT_OK)
		cli_note(call, "start: %s", method->name);
	if (st != GT_ERR_UNSUPPORTED || !automatic)
		return st;
	cli_note(call, "start: zero (%.*s)", gt_length_without_advice(gt_error()), gt_error());
	r->start = "zero";
	gt_fill(0, x);
	return GT_OK;
}

gt_status recon_count_subsets(const gt_method *m, const gt_scan *scan, size_t *subsets)
{
	*subsets = 1;
	return m->solver && m->solver->subsets ? m->solver->subsets(m->options, scan->views, subsets) : GT_OK;
}

static void add_fact(recon_facts *f, const char *key, const char *value)
{
	size_t n = 0;
	while (f->list[n].key)
		n++;
	if (value)
		f->list[n] = (app_fact){ key, value };
}

void recon_facts_free(recon_facts *f)
{
	free(f->method);
	free(f->projector);
}

gt_status recon_facts_new(const cli_call *call, const recon_options *o, const gt_method *m, const gt_grid *grid, const recon_result *r,
                          recon_facts *f)
{
	*f = (recon_facts){ .method = gt_method_print(m), .projector = m->solver ? gt_projector_text(o->projector) : NULL };
	if (!f->method || (m->solver && !f->projector)) {
		recon_facts_free(f);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	gt_grid_print(grid, f->grid, sizeof f->grid);
	add_fact(f, "command", call->line);
	add_fact(f, "scan", call->file[0]);
	add_fact(f, "grid", f->grid);
	add_fact(f, "solver", f->method);
	if (m->solver) {
		add_fact(f, "projector", f->projector);
		add_fact(f, "weights", r->weights);
		add_fact(f, "penalty", r->plan && o->penalty ? o->penalty : r->penalty ? r->penalty : "none");
		add_fact(f, "start", r->start);
	}
	add_fact(f, "precision", gt_type_name(cli_type(call)));
	add_fact(f, "backend", r->backend);
	return GT_OK;
}

static gt_status open_log(const cli_call *call, const recon_options *o, const gt_method *m, const gt_grid *grid, recon_result *r)
{
	recon_facts run;
	gt_status st = recon_facts_new(call, o, m, grid, r, &run);
	if (st != GT_OK)
		return st;
	r->log = (app_runlog){ .log = o->log, .plot = o->plot };
	if (!r->plan)
		st = app_runlog_open(&r->log, run.list);
	recon_facts_free(&run);
	return st;
}

static gt_status open_checkpoint(const cli_call *call, const recon_options *o, const gt_method *m, const gt_grid *grid,
                                 const gt_projections *p, const float *w, recon_result *r)
{
	char *projector = gt_projector_text(o->projector);
	const gt_run_identity run = { &call->log, cli_type(call), call->line, m,          p,        w,
		                      grid,       projector,      r->weights, r->penalty, r->start, r->backend };
	r->watch.checkpoint = (gt_checkpointing){ .spec = o->checkpoint, .resume = o->resume };
	const gt_status st = projector ? gt_checkpointing_open(&r->watch.checkpoint, &run) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(projector);
	return st;
}

static gt_status iterate(const cli_call *call, const recon_options *o, const gt_method *m, const recon_ground *ground, gt_array *x,
                         recon_result *r)
{
	const gt_grid *grid = &ground->grid;
	const gt_projections *p = &ground->p;
	gt_backend *be = gt_array_backend(x);
	const gt_type type = gt_array_type(x);
	gt_subsets s = { 0 };
	gt_weights_spec weights = { GT_WEIGHTS_AUTO, 0, 0 };
	gt_penalty_spec penalty = { .factor = 1 };
	gt_penalty *R = NULL;
	float *w = NULL;
	char *recorded = NULL;
	size_t subsets = 1;
	gt_status st = GT_OK;
	GT_TRY(recon_count_subsets(m, p->scan, &subsets));
	GT_TRY(gt_weights_spec_parse(o->weights, &weights));
	if (o->penalty)
		GT_TRY(gt_penalty_spec_parse(o->penalty, &penalty));
	GT_TRY(gt_weights_from_spec(&weights, m->solver->traits, m->solver->name, p, gt_backend_pool(be), &w, &r->weights));
	GT_TRY(initialise(call, o->init, ground, x, r));
	gt_memory_estimate_started(r->plan, be);
	cli_note(call, "preparing %zu subset%s of %zu view%s, weights %s ...", subsets, subsets == 1 ? "" : "s", p->scan->views,
	         p->scan->views == 1 ? "" : "s", r->weights);
	GT_TRY(gt_subsets_new(o->projector, be, type, grid, p->scan, p->data, w, subsets, &s));
	gt_memory_estimate_subsets(r->plan, be, &s, w != NULL, p->scan);
	if (o->penalty && o->resume)
		GT_TRY(gt_checkpointing_penalty(o->resume, &recorded));
	const gt_strength_problem prior = { o->projector, grid, p, &weights, w, &s, x, o->water, recorded };
	if (o->penalty)
		GT_TRY(gt_penalty_from_spec(&call->log, &penalty, &prior, &R, &r->penalty));
	const gt_problem problem = { .subsets = subsets,
		                     .A = s.A,
		                     .b = s.b,
		                     .w = s.w,
		                     .R = R,
		                     .n = { grid->n[0], grid->n[1], grid->n[2] },
		                     .hi = INFINITY,
		                     .lo = m->solver->nonneg && m->solver->nonneg(m->options) ? 0 : -INFINITY };
	gt_memory_estimate_penalty(r->plan, be, penalty.automatic);
	gt_run *watch = &r->watch;
	r->progress = app_progress_start("recon", call->common.quiet);
	r->progress.data_norm = watch->data_norm = gt_subsets_norm(&s);
	r->progress.water = o->water;
	GT_TRY(gt_stop_rule_parse(o->stop, &watch->rule));
	if (!r->plan)
		GT_TRY(open_checkpoint(call, o, m, grid, p, w, r));
	GT_TRY(open_log(call, o, m, grid, r));
	GT_TRY(recon_solve(r, m, &problem, x));
	gt_memory_estimate_solved(r->plan, be, watch->iterating_bytes, watch->best_bytes);
	if (watch->reason)
		cli_note(call, "ended after %d of %d iterations: %s", watch->iterations, watch->most, watch->reason);
done:
	gt_checkpointing_free(&r->watch.checkpoint);
	gt_subsets_free(&s);
	gt_penalty_spec_free(&penalty);
	gt_penalty_free(R);
	free(recorded);
	free(w);
	return st;
}

static gt_status get_slices(const gt_array *x, const recon_ground *ground, float *out)
{
	gt_array *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(recon_part(x, &ground->grid, ground->below, ground->asked->n[2], &part));
	gt_array_get_float(part, out);
done:
	gt_array_free(part);
	return st;
}

gt_status recon_compute(const cli_call *call, const recon_options *o, const gt_method *m, const gt_projections *p, gt_volume *v,
                        recon_result *r)
{
	recon_ground ground;
	gt_backend *be = NULL;
	gt_array *x = NULL;
	gt_status st = GT_OK;
	recon_ground_of(call, o, m, p, &v->grid, &ground);
	GT_TRY(cli_open(call, &be));
	snprintf(r->backend, sizeof r->backend, "%s", gt_backend_name(be));
	if (r->plan)
		GT_TRY(gt_backend_dry_run(be));
	gt_memory_estimate_open(r->plan, be);
	const double start = app_seconds();
	GT_TRY(gt_array_new(be, cli_type(call), gt_grid_voxels(&ground.grid), &x));
	gt_memory_estimate_volume(r->plan, be);
	if (m->analytic)
		GT_TRY(direct(call, m->analytic, m->options, &ground, x));
	else
		GT_TRY(iterate(call, o, m, &ground, x, r));
	gt_memory_estimate_close(r->plan, be);
	if (!r->plan)
		GT_TRY(get_slices(x, &ground, v->data));
	GT_TRY(gt_backend_status(be));
	r->seconds = app_seconds() - start;
done:
	gt_array_free(x);
	gt_backend_close(be);
	return st;
}
