/* Public interface of a reconstruction: creation, settings, runs, results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/log.h"
#include "core/arguments.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/modules.h"
#include "recon/recon.h"
#include "team/process_group.h"

static gt_status null(const char *what) { return gt_fail(GT_ERR_ARG, "%s is NULL", what); }

static gt_status make(gt_recon **r)
{
	gt_recon *new = calloc(1, sizeof *new);
	if (!new)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_recon_settings_init(&new->set);
	new->tag = GT_IS_RECON;
	new->read = gt_read_defaults;
	new->found.run.residual = NAN;
	*r = new;
	return GT_OK;
}

gt_status gt_recon_new(const gt_projections *p, gt_recon **r)
{
	if (!r)
		return null("gt_recon_new: r");
	*r = NULL;
	if (!p)
		return null("gt_recon_new: p");
	gt_status st = gt_projections_are("gt_recon_new", p);
	if (st != GT_OK)
		return st;
	if (!p->data)
		return gt_fail(GT_ERR_ARG, "gt_recon_new: the projections hold only the geometry");
	st = make(r);
	if (st == GT_OK)
		(*r)->given = p;
	return st;
}

gt_status gt_recon_open(const char *path, const gt_read_options *o, gt_recon **r)
{
	if (!r)
		return null("gt_recon_open: r");
	*r = NULL;
	if (!path)
		return null("gt_recon_open: path");
	gt_status st = make(r);
	if (st != GT_OK)
		return st;
	st = gt_options_complete(path, "gt_read_options", o, &(*r)->read, sizeof(*r)->read);
	if (st == GT_OK && !((*r)->path = strdup(path)))
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st != GT_OK) {
		gt_recon_free(*r);
		*r = NULL;
	}
	return st;
}

void gt_recon_free(gt_recon *r)
{
	if (!gt_is_recon(r))
		return;
	if (r->is_busy) {
		r->is_freed = 1;
		return;
	}
	gt_mark_stage("release of memory");
	gt_recon_undecide(r);
	gt_recon_forget(r);
	gt_recon_settings_free(&r->set);
	free(r->path);
	free(r->text);
	r->tag = GT_FREED;
	free(r);
}

void gt_recon_end_call(gt_recon *r)
{
	r->is_busy = 0;
	gt_recon_drop_kept(r);
	if (r->is_freed)
		gt_recon_free(r);
}

gt_status gt_recon_set(gt_recon *r, const char *key, const char *value)
{
	gt_status st = gt_recon_check_idle("gt_recon_set", r);
	if (st != GT_OK)
		return st;
	if (!key)
		return null("gt_recon_set: key");
	if (r->given && value && !strcmp(key, "views"))
		return gt_fail(GT_ERR_ARG, "views=%s: the projections are in memory: expected only the views to use", value);
	if (r->given && value && !strcmp(key, "data"))
		return gt_fail(GT_ERR_ARG, "data=%s: the projections are in memory: expected none, or gt_recon_open()", value);
	st = gt_recon_settings_set(&r->set, key, value);
	if (st == GT_OK)
		gt_recon_undecide(r);
	return st;
}

gt_status gt_recon_check(const char *key, const char *value)
{
	gt_recon_settings s;
	if (!key || !value)
		return null(key ? "gt_recon_check: value" : "gt_recon_check: key");
	gt_recon_settings_init(&s);
	const gt_status st = gt_recon_settings_set(&s, key, value);
	gt_recon_settings_free(&s);
	return st;
}

gt_status gt_recon_help(const char *key, const char *name, FILE *out)
{
	if (!key || !out)
		return null(key ? "gt_recon_help: out" : "gt_recon_help: key");
	if (!strcmp(key, "weights"))
		return gt_weights_spec_help(name, out);
	if (!strcmp(key, "preset") || !strcmp(key, "quality"))
		return gt_preset_help(name, out);
	return gt_fail(GT_ERR_ARG, "gt_recon_help: key '%s': expected weights or preset", key);
}

const char *gt_recon_key(size_t i) { return gt_recon_settings_key(i); }

gt_status gt_recon_grid(gt_recon *r, const gt_grid *grid)
{
	gt_status st = gt_recon_check_idle("gt_recon_grid", r);
	if (st == GT_OK && grid)
		st = gt_grid_check(grid, NULL);
	if (st != GT_OK)
		return st;
	if (grid)
		r->grid = *grid;
	r->grid_from = grid ? GT_GRID_GIVEN : GT_GRID_NOT_GIVEN;
	gt_recon_undecide(r);
	return GT_OK;
}

gt_status gt_recon_start(gt_recon *r, const float *volume)
{
	const gt_status st = gt_recon_check_idle("gt_recon_start", r);
	if (st != GT_OK)
		return st;
	r->start = volume;
	gt_recon_undecide(r);
	return GT_OK;
}

gt_status gt_recon_choose(gt_recon *r)
{
	gt_status st = gt_recon_check_idle("gt_recon_choose", r);
	if (st != GT_OK)
		return st;
	r->is_busy = 1;
	st = gt_recon_decide(r, 0);
	gt_recon_end_call(r);
	return st;
}

gt_status gt_recon_chosen_grid(const gt_recon *r, gt_grid *grid)
{
	const gt_status st = gt_recon_check_is("gt_recon_chosen_grid", r);
	if (st != GT_OK)
		return st;
	if (!grid)
		return null("gt_recon_chosen_grid: grid");
	if (!r->is_chosen)
		return gt_fail(GT_ERR_ARG, "gt_recon_chosen_grid: nothing is chosen yet: expected gt_recon_choose() before");
	*grid = r->job.chosen.grid;
	return GT_OK;
}

int gt_recon_iterates(const gt_recon *r)
{
	if (!gt_is_recon(r))
		return -1;
	const gt_method *m = r->is_chosen ? &r->job.chosen.method : &r->set.method;
	return m->solver ? 1 : m->analytic ? 0 : -1;
}

/* Runs ----------------------------------------------------------------------------- */

/* The grid of the volume applies if nothing else sets one. A volume made for the chosen grid sets none: the run equals
 * the command's run without a grid. */
static void take_grid(gt_recon *r, const gt_volume *v)
{
	if (r->set.text[GT_SET_GRID] || r->set.text[GT_SET_LIKE] || r->grid_from == GT_GRID_GIVEN)
		return;
	if (r->grid_from == GT_GRID_NOT_GIVEN && r->is_chosen && gt_grid_same(&r->job.chosen.grid, &v->grid))
		return;
	if (r->grid_from != GT_GRID_OF_VOLUME || !gt_grid_same(&r->grid, &v->grid)) {
		r->grid = v->grid;
		r->grid_from = GT_GRID_OF_VOLUME;
		gt_recon_undecide(r);
	}
}

/* The memory has been checked. */
static gt_status compute(gt_recon *r, float *out)
{
	gt_status st = GT_OK;
	if ((!gt_recon_is_mpi(&r->job) || gt_process() == 0) &&
	    (st = gt_checkpointing_has_space(r->job.chosen.checkpoint, &r->job.chosen.grid)) != GT_OK)
		return st;
	gt_recon_forget(r);
	st = gt_recon_compute(&r->job, out, &r->found);
	gt_recon_drop_kept(r);
	char *failed = st == GT_ERR_MEMORY ? gt_text("%s", gt_error()) : NULL;
	if (failed)
		gt_recon_check_memory(r, failed);
	free(failed);
	r->has_run = st == GT_OK;
	return st;
}

static gt_status run(gt_recon *r, gt_volume *v)
{
	char have[256], want[256];
	gt_status st = GT_OK;
	take_grid(r, v);
	GT_TRY(gt_recon_decide(r, 0));
	gt_grid_print(&v->grid, have, sizeof have);
	gt_grid_print(&r->job.chosen.grid, want, sizeof want);
	if (!gt_grid_same(&v->grid, &r->job.chosen.grid))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "gt_recon_run: the volume has the grid %s, expected %s", have, want));
	if (r->by_slabs)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "gt_recon_run: the run does not fit into memory as a whole: expected gt_recon_run_to()"));
	gt_mark_stage("estimate of memory");
	GT_TRY(gt_recon_check_memory(r, NULL));
	GT_TRY(compute(r, v->data));
	GT_TRY(gt_recon_record(r, v));
done:
	return st;
}

gt_status gt_recon_run(gt_recon *r, gt_volume *v)
{
	gt_status st = gt_recon_check_idle("gt_recon_run", r);
	if (st != GT_OK)
		return st;
	if (!v)
		return null("gt_recon_run: v");
	st = gt_volume_is("gt_recon_run", v);
	if (st != GT_OK)
		return st;
	if (!v->data)
		return null("gt_recon_run: the data of v");
	r->is_busy = 1;
	st = run(r, v);
	gt_recon_end_call(r);
	return st;
}

static gt_status write_volume(gt_recon *r, const char *path, const gt_write_options *o, gt_volume *v)
{
	gt_write_options w = *o;
	if (r->set.text[GT_SET_UNIT])
		w.unit = (gt_unit)r->set.unit;
	w.water = r->job.chosen.water;
	if (!w.notes.say)
		w.notes = r->on.log;
	if (gt_recon_report(&r->job, GT_RECON_WRITES, 0, path))
		return gt_fail(GT_STOPPED, "stopped before %s was written", path);
	gt_mark_stage("writing");
	return gt_write_volume(path, &w, v);
}

static gt_status run_to(gt_recon *r, const char *path, const gt_write_options *o)
{
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_decide(r, 0));
	gt_mark_stage("estimate of memory");
	if (!r->by_slabs)
		GT_TRY(gt_recon_check_memory(r, NULL));
	if (!r->by_slabs && gt_recon_is_mpi(&r->job) && gt_process() > 0)
		return compute(r, NULL); /* process 0 has the whole volume and writes it */
	GT_TRY(gt_has_space_for_volume(path, o, &r->job.chosen.grid));
	if (r->by_slabs) {
		gt_mark_stage("slabs");
		return gt_recon_run_slabs(r, path, o);
	}
	GT_TRY(gt_volume_new(&r->job.chosen.grid, &v));
	GT_TRY(compute(r, v->data));
	GT_TRY(gt_recon_record(r, v));
	GT_TRY(write_volume(r, path, o, v));
done:
	gt_volume_free(v);
	return st;
}

gt_status gt_recon_run_to(gt_recon *r, const char *path, const gt_write_options *o)
{
	gt_write_options all = gt_write_defaults;
	gt_status st = gt_recon_check_idle("gt_recon_run_to", r);
	if (st != GT_OK)
		return st;
	if (!path)
		return null("gt_recon_run_to: path");
	GT_TRY(gt_options_complete(path, "gt_write_options", o, &all, sizeof all));
	if (!r->set.text[GT_SET_OUTPUT] || strcmp(r->set.text[GT_SET_OUTPUT], path))
		GT_TRY(gt_recon_set(r, "output", path));
	r->is_busy = 1;
	st = run_to(r, path, &all);
	gt_recon_end_call(r);
done:
	return st;
}

static gt_status plan(gt_recon *r, gt_memory_estimate *memory, const char **settings)
{
	gt_memory_estimate e;
	int known = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_decide(r, 1));
	st = r->by_slabs ? gt_recon_plan_slabs(r) : gt_recon_plan_whole(r, &e, &known);
	if (st != GT_OK && !known)
		goto done;
	if (memory && known) {
		const size_t size = memory->size < sizeof e ? memory->size : sizeof e;
		e.size = size;
		memcpy(memory, &e, size);
	}
	free(r->text);
	r->text = r->by_slabs ? gt_recon_slab_facts(r) : gt_recon_facts(r, &r->found);
	if (!r->text)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (settings)
		*settings = r->text;
done:
	return st;
}

gt_status gt_recon_plan(gt_recon *r, gt_memory_estimate *memory, const char **settings)
{
	gt_status st = gt_recon_check_idle("gt_recon_plan", r);
	if (settings)
		*settings = NULL;
	if (st != GT_OK)
		return st;
	if (memory && memory->size < sizeof memory->size)
		return gt_fail(GT_ERR_ARG, "gt_recon_plan: memory->size=%zu: expected sizeof(gt_memory_estimate)", memory->size);
	r->is_busy = 1;
	st = plan(r, memory, settings);
	gt_recon_end_call(r);
	return st;
}

/* Results -------------------------------------------------------------------------- */

gt_status gt_recon_result(const gt_recon *r, gt_recon_outcome *out)
{
	const gt_status st = gt_recon_check_is("gt_recon_result", r);
	if (st != GT_OK)
		return st;
	if (!out)
		return null("gt_recon_result: out");
	if (!r->has_run)
		return gt_fail(GT_ERR_ARG, "gt_recon_result: nothing has run yet: expected gt_recon_run() or gt_recon_run_to() before");
	const size_t size = out->size < sizeof *out ? out->size : sizeof *out;
	const gt_run *run = &r->found.run;
	const gt_recon_outcome all = { .size = size,
		                       .iterations = run->iterations,
		                       .max = run->max,
		                       .reason = run->reason,
		                       .stopped = run->interrupted,
		                       .diverged = run->diverged != NULL,
		                       .kept = run->diverged ? run->returned_iteration : run->iterations,
		                       .residual = run->residual,
		                       .seconds = r->found.seconds,
		                       .backend = r->found.backend,
		                       .parameters = r->parameters,
		                       .cost = r->found.cost,
		                       .costs = r->found.costs,
		                       .device_peak = r->found.device_peak,
		                       .unsaved = r->found.unsaved };
	if (size < sizeof all.size)
		return gt_fail(GT_ERR_ARG, "gt_recon_result: size=%zu: expected sizeof(gt_recon_outcome)", out->size);
	memcpy(out, &all, size);
	return GT_OK;
}
