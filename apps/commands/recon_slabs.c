/* Recon of what is larger than memory: whether to go by slabs, and the run and its report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/text.h>
#include "apps/cli/try.h"
#include "apps/commands/recon.h"
#include "recon/preset.h"
#include "recon/slab_pipeline.h"

/* In the text of one expression. */
#define BYTES(n) gt_bytes_text(n, (char[GT_BYTES_TEXT]){ 0 })

static const char *const stage_names[GT_STAGES] = { "read", "upload", "filter", "backproject", "download", "write" };

static const char *const kept_texts[] = { "read again for each slab", "kept in memory", "kept in a scratch file" };

gt_status recon_limits(const recon_options *o, double *device, double *host)
{
	gt_status st = GT_OK;
	*device = *host = 0;
	if (o->device_memory)
		GT_TRY(gt_bytes_parse("--device-memory", o->device_memory, device));
	if (o->host_memory)
		GT_TRY(gt_bytes_parse("--host-memory", o->host_memory, host));
done:
	return st;
}

char *recon_direct_text(const cli_call *call, const gt_method *m, const char *backend)
{
	char *method = gt_method_print(m), *text = NULL;
	if (method)
		text = cli_text("solver=%s precision=%s backend=%s", method, gt_type_name(cli_type(call)), backend);
	free(method);
	return text;
}

cJSON *recon_json(const recon_options *o, const gt_volume *v, const char *backend, double seconds)
{
	cJSON *json = cJSON_CreateObject();
	char grid[256];
	gt_grid_print(&v->grid, grid, sizeof grid);
	cJSON_AddStringToObject(json, "output", o->output);
	cJSON_AddStringToObject(json, "grid", grid);
	cJSON_AddStringToObject(json, "parameters", v->from.parameters);
	cJSON_AddStringToObject(json, "backend", backend);
	cJSON_AddNumberToObject(json, "seconds", seconds);
	return json;
}

/* Stage table --------------------------------------------------------------- */

static void add_number(cJSON *object, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, key, value);
	else
		cJSON_AddNullToObject(object, key);
}

static cJSON *plan_json(const gt_slab_cut *p)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddNumberToObject(json, "slabs", (double)p->slabs);
	cJSON_AddNumberToObject(json, "slices", (double)p->slices);
	cJSON_AddNumberToObject(json, "views", (double)p->batch);
	cJSON_AddNumberToObject(json, "rows", (double)p->rows);
	cJSON_AddStringToObject(json, "kept", gt_view_cache_places[p->kept]);
	cJSON_AddNumberToObject(json, "device_bytes", p->device);
	cJSON_AddNumberToObject(json, "host_bytes", p->host);
	cJSON_AddNumberToObject(json, "process_bytes", p->process);
	cJSON_AddNumberToObject(json, "reserve_bytes", p->reserve);
	return json;
}

static void report_json(const recon_options *o, const gt_volume *v, const gt_slab_result *r, int alone)
{
	cJSON *json = recon_json(o, v, r->backend, r->whole), *stages = cJSON_AddArrayToObject(json, "stages");
	cJSON_AddItemToObject(json, "cut", plan_json(&r->plan));
	cJSON_AddBoolToObject(json, "overlap", !alone);
	cJSON_AddNumberToObject(json, "device_peak_bytes", r->device_peak);
	cJSON_AddNumberToObject(json, "process_peak_bytes", r->process_peak);
	for (int k = 0; k < GT_STAGES; k++) {
		cJSON *stage = cJSON_CreateObject();
		cJSON_AddStringToObject(stage, "stage", stage_names[k]);
		add_number(stage, "seconds", r->seconds[k]);
		cJSON_AddNumberToObject(stage, k == GT_STAGE_BACKPROJECT ? "updates" : "bytes", r->bytes[k]);
		cJSON_AddItemToArray(stages, stage);
	}
	cli_json(json);
}

static void report_text(const cli_call *call, const gt_slab_result *r, int alone)
{
	cli_note(call, "stage          seconds   rate%s", alone ? "" : "      (at the same time)");
	for (int k = 0; k < GT_STAGES; k++) {
		const double rate = r->bytes[k] / r->seconds[k];
		if (!isfinite(r->seconds[k]))
			cli_note(call, "%-13s        -", stage_names[k]);
		else if (k == GT_STAGE_BACKPROJECT)
			cli_note(call, "%-13s %8.2f   %.3g GUPS", stage_names[k], r->seconds[k], rate / 1073741824);
		else
			cli_note(call, "%-13s %8.2f   %.0f MB/s", stage_names[k], r->seconds[k], rate / 1e6);
	}
	cli_note(call, "%-13s %8.2f   at most %s on %s, %s of memory in all", "whole", r->whole, BYTES(r->device_peak), r->backend,
	         BYTES(r->process_peak));
}

/* The run -------------------------------------------------------------------- */

static gt_status write_by_slabs(const cli_call *call, const gt_slab_job *s, const recon_options *o, const gt_method *m, gt_volume *v,
                                gt_slab_result *r)
{
	const gt_write_options w = { .unit = (gt_unit)o->unit, .water = o->water };
	gt_slice_writer *out = NULL;
	gt_status st;
	char *parameters = recon_direct_text(call, m, gt_backend_name(s->be));
	st = parameters ? cli_record(call, s->c->scan, parameters, &v->from) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(parameters);
	if (st != GT_OK)
		return st;
	cli_begin_writing();
	GT_TRY(gt_slice_writer_create(o->output, &w, v, &out));
	GT_TRY(gt_slab_pipeline(s, out, r));
	st = gt_slice_writer_commit(out);
	out = NULL;
done:
	gt_slice_writer_drop(out);
	return cli_end_writing(st);
}

static int show(void *self, const gt_slab_progress *p)
{
	char text[128];
	snprintf(text, sizeof text, "slab %zu/%zu  read %.0f MB/s  back %.3g GUPS  write %.0f MB/s", p->slab + 1, p->slabs,
	         p->read / p->seconds / 1e6, p->updates / p->seconds / 1073741824, p->written / p->seconds / 1e6);
	app_progress_text(self, p->done, text);
	return 0;
}

static gt_status run(const cli_call *call, gt_slab_case *c, const recon_options *o, const gt_method *m, gt_position position)
{
	app_progress progress;
	gt_slab_job s;
	gt_slab_result r = { .whole = 0 };
	gt_volume v = { .grid = *c->grid, .water = o->water, .position = position };
	gt_status st;
	GT_TRY(gt_slab_job_open(c, &s));
	gt_method_note_form(c->log, c->method, c->options, s.be);
	GT_TRY(gt_slab_job_choose(&s, &r.plan));
	cli_note(call,
	         "by slabs: %zu of %zu slices, %zu views of at most %zu rows at a time: %s on %s, %s of memory in all (%s in reserve)%s%s",
	         r.plan.slabs, r.plan.slices, r.plan.batch, r.plan.rows, BYTES(r.plan.device), gt_backend_name(s.be), BYTES(r.plan.process),
	         BYTES(r.plan.reserve), r.plan.slabs > 1 ? "; projections are " : "", r.plan.slabs > 1 ? kept_texts[r.plan.kept] : "");
	if (o->dry_run) {
		if (call->common.json)
			cli_json(plan_json(&r.plan));
		goto done;
	}
	c->progress = show;
	c->progress_self = &progress;
	progress = app_progress_start("recon", call->common.quiet);
	st = write_by_slabs(call, &s, o, m, &v, &r);
	app_progress_end(&progress);
	GT_TRY(st);
	if (call->common.json)
		report_json(o, &v, &r, c->alone);
	else
		report_text(call, &r, c->alone);
	cli_note(call, "%s: %s in %.2f s on %s", o->output, m->analytic->name, r.whole, r.backend);
done:
	gt_slab_job_close(&s);
	free(v.from.command);
	free(v.from.parameters);
	return st;
}

/* What a direct method does not take is left to the other way to refuse. */
static int goes_by_slabs(const recon_options *o, const gt_method *m)
{
	const int plain = !o->penalty && !o->stop && !o->log && !o->plot && !o->checkpoint && !o->resume;
	return m->analytic && gt_slab_plan_supports(m->analytic) && plain && !strcmp(o->init, "auto") &&
	       (!strcmp(o->weights, "auto") || !strcmp(o->weights, "uniform"));
}

/* Nothing is said yet: what does not go by slabs says it again. */
static gt_status method_of(const cli_call *silent, const recon_options *o, const gt_scan *scan, gt_method *m)
{
	const gt_analytic *direct = gt_analytic_for(scan);
	if (!o->solver && gt_slab_plan_supports(direct))
		return gt_method_for(&silent->log, NULL, scan, m);
	return gt_method_parse(o->solver ? o->solver : direct->name, m);
}

/* Formats that are read as a whole go the other way, which says what does not fit; so do files that cannot be read. */
enum { IN_PIECES, AS_A_WHOLE, NOT_AT_ALL };
static int how_read(const char *path)
{
	const gt_format *format;
	int projections;
	return gt_file_kind(path, &format, &projections) != GT_OK ? NOT_AT_ALL : format->open_views ? IN_PIECES : AS_A_WHOLE;
}

/* Options that would do nothing. */
static gt_status only_by_slabs(const recon_options *o, const char *what, const char *how)
{
	const char *option = o->no_overlap ? "--no-overlap" : o->keep != GT_VIEW_CACHE_AUTO ? "--keep" : o->scratch ? "--scratch" : NULL;
	return option ? gt_fail(GT_ERR_ARG, "%s: only for reconstruction by slabs, and '%s' %s", option, what, how) : GT_OK;
}

gt_status recon_by_slabs(const cli_call *call, const recon_options *o, double host_free, int *done)
{
	const char *data = o->data ? o->data : call->file[0];
	gt_slab_case c = { .log = &call->log,
		           .backend = call->common.backend,
		           .type = cli_type(call),
		           .data = data,
		           .hu = o->unit == GT_HU,
		           .alone = o->no_overlap,
		           .keep = (gt_view_cache_place)o->keep,
		           .scratch = o->scratch };
	cli_call silent = *call;
	gt_projections *p = NULL;
	gt_method m = { 0 };
	gt_grid grid;
	gt_status st;
	*done = 0;
	silent.common.quiet = 1;
	silent.log.say = NULL;
	if (o->quality == GT_PRESET_ITERATIVE)
		return only_by_slabs(o, "--quality iterative", "computes all at once");
	const int how = how_read(data);
	if (how != IN_PIECES)
		return how == AS_A_WHOLE ? only_by_slabs(o, data, "is of a format that is read as a whole") : GT_OK;
	GT_TRY(recon_limits(o, &c.device_limit, &c.host_limit));
	GT_TRY(cli_read_scan(&silent, call->file[0], CLI_GEOMETRY, &p));
	GT_TRY(method_of(&silent, o, p->scan, &m));
	if (!goes_by_slabs(o, &m)) {
		st = only_by_slabs(o, gt_method_name(&m), "computes all at once");
		goto done;
	}
	GT_TRY(cli_grid(&silent, o->grid, o->like, p->scan, &grid));
	recon_case this = { &silent, o, &m, p, &grid, host_free, c.device_limit };
	if (!o->no_overlap && recon_fits(&this))
		goto done;
	*done = 1;
	if (o->output)
		GT_TRY(gt_fail_in(gt_can_write_slices(o->output), "by slabs"));
	GT_TRY(cli_grid(call, o->grid, o->like, p->scan, &grid));
	cli_note_slices(call, &grid, p->scan);
	cli_note_detector(call, p->scan);
	c.method = m.analytic;
	c.options = m.options;
	c.scan = p->scan;
	c.grid = &grid;
	recon_options set = *o;
	set.water = recon_water(call, o, p);
	st = run(call, &c, &set, &m, p->position);
done:
	gt_method_free(&m);
	gt_projections_free(p);
	return st;
}
