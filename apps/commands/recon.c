/* Projections -> volume, by a direct method or by iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/host_memory.h>
#include <gantry/plausibility.h>
#include "apps/cli/try.h"
#include "apps/commands/recon.h"
#include "recon/preset.h"
#include "recon/prior.h"
#include "recon/view_cache.h"

static const char *const units[] = { "mm-1", "HU", "auto", NULL };
static const recon_options defaults = { .init = "auto", .weights = "auto", .unit = GT_UNIT_AUTO, .keep = GT_VIEW_CACHE_AUTO };
#define AT(field) offsetof(recon_options, field)
static const cli_option options[] = {
	{ "output", 'o', CLI_OUTPUT, "FILE", "where the volume goes; its name decides the format (.nc, .mha, .nii, a folder/ of DICOM)",
	  AT(output), 0, 0, NULL },
	{ "grid", 0, CLI_TEXT, "SPEC", "its voxels, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", AT(grid), 0, 0, NULL },
	{ "like", 0, CLI_INPUT, "FILE", "the grid of this volume", AT(like), 0, 0, NULL },
	{ "quality", 0, CLI_CHOICE, NULL, "all settings at once: fast is the direct method, iterative a quiet picture without tuning",
	  AT(quality), 0, 0, gt_preset_names },
	{ "solver", 0, CLI_TEXT, "NAME[:key=value,...]", "the method; 'gantry help solver NAME' lists its parameters", AT(solver), 0, 0,
	  NULL },
	{ "projector", 0, CLI_TEXT, "NAME", "the model of an iterative method (default dd; sf-tr for detectors that lean)", AT(projector),
	  0, 0, NULL },
	{ "init", 0, CLI_INPUT, "auto|zero|fdk|wfbp|FILE", "where an iterative method starts", AT(init), 0, 0, NULL },
	{ "margin", 0, CLI_CHOICE, NULL,
	  "slices beyond both ends that an iterative method computes and does not write (auto: where rays through the body go on)",
	  AT(margin), 0, 0, recon_margins },
	{ "weights", 0, CLI_TEXT, "auto|uniform|file|photons:...|noise", "of the data, by their noise (photons:count=1e5,electronic=10)",
	  AT(weights), 0, 0, NULL },
	{ "penalty", 0, CLI_TEXT, "NAME[:key=value,...]",
	  "on the volume, e.g. huber:noise=10HU; 'gantry help penalty NAME' lists its parameters", AT(penalty), 0, 0, NULL },
	{ "stop", 0, CLI_TEXT, "change=0.1HU,...", "end where the change, the gradient or the time says so", AT(stop), 0, 0, NULL },
	{ "log", 0, CLI_OUTPUT, "FILE", "cost, change ... of every iteration, as CSV, or JSON by the name", AT(log), 0, 0, NULL },
	{ "plot", 0, CLI_OUTPUT, "FILE.png", "the same drawn by gnuplot, when all is done", AT(plot), 0, 0, NULL },
	{ "checkpoint", 0, CLI_TEXT, "FILE[:every=10]", "to continue from, saved while it runs", AT(checkpoint), 0, 0, NULL },
	{ "resume", 0, CLI_INPUT, "FILE", "continue the run that saved this, with the same options but for iterations", AT(resume), 0, 0,
	  NULL },
	{ "data", 0, CLI_INPUT, "FILE.mhd", "the projections, where SCAN holds the geometry alone: MetaImage of columns x rows x views",
	  AT(data), 0, 0, NULL },
	{ "device-memory", 0, CLI_TEXT, "SIZE", "at most this much on the device, e.g. 4GiB; fdk and fbp go by slabs then",
	  AT(device_memory), 0, 0, NULL },
	{ "host-memory", 0, CLI_TEXT, "SIZE", "at most this much of the host's memory", AT(host_memory), 0, 0, NULL },
	{ "keep", 0, CLI_CHOICE, NULL, "by slabs: where projections are for the slabs after the first (no: read again; default auto)",
	  AT(keep), 0, 0, gt_view_cache_places },
	{ "scratch", 0, CLI_TEXT, "FOLDER", "by slabs: where a file for them may be, if memory does not hold them", AT(scratch), 0, 0,
	  NULL },
	{ "no-overlap", 0, CLI_FLAG, NULL, "by slabs: one stage after the other, to time each alone", AT(no_overlap), 0, 0, NULL },
	{ "dry-run", 0, CLI_FLAG, NULL, "check all, compute nothing: what would be done, and the memory that it needs", AT(dry_run), 0, 0,
	  NULL },
	{ "unit", 0, CLI_CHOICE, NULL, "of the volume that is written (default: HU in NIfTI and DICOM, else mm-1)", AT(unit), 0, 0, units },
	{ "water", 0, CLI_REAL, "MM-1", "attenuation of water, for HU (default: as the scan states, else 0.02)", AT(water), 1e-9, 1e3,
	  NULL },
	{ 0 },
};

static char *record_text(const cli_call *call, const recon_options *o, const gt_method *m, const recon_result *r)
{
	if (m->analytic)
		return recon_direct_text(call, m, r->backend);
	char *method = gt_method_print(m), *text = NULL;
	if (method)
		text = cli_text("solver=%s projector=%s weights=%s penalty=%s init=%s precision=%s backend=%s done=%d/%d", method,
		                o->projector, r->weights, r->penalty ? r->penalty : "none", r->start, gt_type_name(cli_type(call)),
		                r->backend, r->watch.iterations, r->watch.most);
	free(method);
	return text;
}

static void report(const cli_call *call, const recon_options *o, const gt_method *m, const gt_volume *v, const recon_result *r)
{
	if (!call->common.json) {
		cli_note(call, "%s: %s in %.2f s on %s", o->output, gt_method_name(m), r->seconds, r->backend);
		return;
	}
	cJSON *json = recon_json(o, v, r->backend, r->seconds);
	if (m->solver) {
		cJSON_AddNumberToObject(json, "iterations", r->watch.iterations);
		cJSON_AddBoolToObject(json, "stopped", r->watch.reason != NULL);
		if (r->watch.reason)
			cJSON_AddStringToObject(json, "reason", r->watch.reason);
		if (isfinite(r->watch.residual))
			cJSON_AddNumberToObject(json, "residual", r->watch.residual);
	}
	cli_json(json);
}

static gt_status check_prior(const recon_options *o, const gt_method *m)
{
	gt_weights_spec w = { GT_WEIGHTS_AUTO, 0, 0 };
	gt_stop_rule stop;
	gt_status st = GT_OK;
	GT_TRY(gt_weights_spec_parse(o->weights, &w));
	GT_TRY(gt_stop_rule_parse(o->stop, &stop));
	if (o->penalty)
		GT_TRY(gt_penalty_spec_check(o->penalty));
	if (m->analytic && (o->penalty || (w.kind != GT_WEIGHTS_AUTO && w.kind != GT_WEIGHTS_UNIFORM)))
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "--%s: %s is a direct method, which takes neither weights nor a penalty: expected an iterative --solver",
		               o->penalty ? "penalty" : "weights", m->analytic->name));
	if (m->analytic && (o->stop || o->log || o->plot))
		GT_TRY(gt_fail(GT_ERR_ARG, "--%s: %s is a direct method, which has no iterations: expected an iterative --solver",
		               o->stop  ? "stop"
		               : o->log ? "log"
		                        : "plot",
		               m->analytic->name));
done:
	return st;
}

static gt_status check_checkpoint(const recon_options *o, const gt_method *m, const char *input)
{
	const gt_checkpointing c = { .spec = o->checkpoint, .resume = o->resume };
	const char *const others[] = { input,   o->output ? o->output : input, o->like ? o->like : input,
		                       o->init, o->log ? o->log : input,       o->plot ? o->plot : input,
		                       NULL };
	if (m->analytic && (c.spec || c.resume))
		return gt_fail(GT_ERR_ARG, "--%s: %s is a direct method, which has no iterations: expected an iterative --solver",
		               c.spec ? "checkpoint" : "resume", m->analytic->name);
	return gt_checkpointing_check(&c, others);
}

static gt_status check_init(const recon_options *o, const gt_method *m)
{
	if (!m->analytic || !strcmp(o->init, "auto"))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "--init=%s: %s is a direct method, which starts from nothing: expected an iterative --solver", o->init,
	               m->analytic->name);
}

static gt_preset_settings settings_of(const recon_options *o) { return (gt_preset_settings){ o->solver, o->weights, o->penalty }; }

static gt_status set_quality(const cli_call *call, recon_options *o, const gt_projections *p, const gt_grid *grid, char **solver)
{
	recon_ground w;
	recon_window_of(p, grid, &w);
	gt_preset_settings s = settings_of(o);
	const gt_status st = gt_preset_set((gt_preset)o->quality, &w.p, &s, solver);
	o->solver = s.solver;
	o->weights = s.weights;
	o->penalty = s.penalty;
	if (*solver && !o->dry_run)
		cli_note(
			call,
			"--quality iterative: --solver %s --weights %s --penalty %s; about how long that takes is said after the first iteration",
			o->solver, o->weights, o->penalty);
	return st;
}

/* What can be refused by the options alone. */
static gt_status check(const recon_options *o, gt_method *m)
{
	int projections = 0;
	gt_status st = GT_OK;
	if (!o->dry_run)
		GT_TRY(cli_need("--output", o->output));
	const gt_preset_settings asked = settings_of(o);
	GT_TRY(gt_preset_check((gt_preset)o->quality, &asked));
	if (o->solver)
		GT_TRY(gt_method_parse(o->solver, m));
	GT_TRY(check_init(o, m));
	GT_TRY(check_prior(o, m));
	if (o->projector)
		GT_TRY(gt_projector_check(o->projector));
	GT_TRY(app_runlog_check(o->log, o->plot));
	if (o->output)
		GT_TRY(gt_can_write_volume(o->output));
	if (o->keep == GT_VIEW_CACHE_SCRATCH)
		GT_TRY(gt_fail_in(cli_need("--scratch FOLDER", o->scratch), "--keep=scratch, a file that is made there"));
	if (o->grid && o->like)
		GT_TRY(gt_fail(GT_ERR_ARG, "--grid and --like cannot be combined"));
	if (recon_starts_from_file(o->init)) {
		GT_TRY(gt_fail_in(gt_file_kind(o->init, NULL, &projections), "--init"));
		if (projections)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds projections, expected a volume", o->init));
	}
done:
	return st;
}

static gt_status how_it_ended(const recon_options *o, const gt_method *m, const gt_run *w)
{
	if (w->diverged)
		return gt_fail(GT_ERR_DIVERGED, "solver '%s' diverged: after %d of %d iterations %s; %s holds %s %d", gt_method_name(m),
		               w->iterations, w->most, w->diverged, o->output,
		               !w->returned_iteration                  ? "what it began with, iteration"
		               : w->returned_iteration < w->iterations ? "the best image, of iteration"
		                                                       : "the last image, of iteration",
		               w->returned_iteration);
	if (w->interrupted)
		return gt_fail(GT_STOPPED, "stopped after %d of %d iterations; %s holds the result so far", w->iterations, w->most,
		               o->output);
	return GT_OK;
}

double recon_water(const cli_call *call, const recon_options *o, const gt_projections *p)
{
	if (o->water > 0 && p->water > 0 && fabs(o->water / p->water - 1) > 0.1)
		cli_note(call, "water: %g mm-1 as asked, and not the %g that %s states", o->water, p->water, call->file[0]);
	return o->water > 0 ? o->water : p->water > 0 ? p->water : GT_WATER_DEFAULT;
}

/* Direct methods have no use for weights and photons, and neither has the solver that stands in for them. m: the method that was asked for, if any. */
static int wants_statistics(const recon_options *o, const gt_method *m)
{
	return m->solver || o->quality == GT_PRESET_ITERATIVE || strcmp(o->weights, "auto") != 0;
}

/* The scan, and its data from a file of their own where one is given. */
static gt_status read_projections(const cli_call *call, const recon_options *o, const gt_method *m, gt_projections **out)
{
	gt_projections *p = NULL;
	gt_view_reader *views = NULL;
	gt_status st;
	if (!o->data)
		return cli_read_scan(call, call->file[0], wants_statistics(o, m) ? CLI_WITH_DATA : CLI_DATA_ALONE, out);
	GT_TRY(cli_read_scan(call, call->file[0], CLI_GEOMETRY, &p));
	GT_TRY(gt_view_reader_open(o->data, p->scan, &views));
	GT_TRY(gt_host_room((double)gt_scan_size(p->scan) * sizeof(float), o->data));
	if (!(p->data = malloc(gt_scan_size(p->scan) * sizeof *p->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", o->data));
	GT_TRY(gt_view_reader_read(views, 0, p->scan->views, 0, p->scan->rows, p->data));
	*out = p;
	p = NULL;
done:
	gt_view_reader_close(views);
	gt_projections_free(p);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	recon_options set = *(const recon_options *)given;
	const recon_options *o = &set;
	char *solver = NULL;
	gt_method m = { 0 };
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	gt_grid grid;
	size_t subsets;
	recon_result r = { .watch.residual = NAN };
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	double host_free = gt_host_available(), device_limit, host_limit;
	int done;
	GT_TRY(recon_limits(o, &device_limit, &host_limit));
	if (host_limit > 0)
		host_free = fmax(0, fmin(host_free < 0 ? INFINITY : host_free, host_limit - gt_host_used()));
	char remark[256] = "";
	GT_TRY(check(o, &m));
	GT_TRY(check_checkpoint(o, &m, call->file[0]));
	GT_TRY(recon_by_slabs(call, o, host_free, &done));
	if (done)
		goto done;
	gt_backend_prefetch(call->common.backend ? call->common.backend : "auto");
	GT_TRY(read_projections(call, o, &m, &p));
	gt_backend_prefetch_end();
	cli_note_detector(call, p->scan);
	gt_projections_implausible(p, &call->log, o->data ? o->data : call->file[0]);
	set.water = recon_water(call, o, p);
	GT_TRY(recon_count_subsets(&m, p->scan, &subsets)); /* of a solver that was asked for */
	GT_TRY(cli_grid(call, o->grid, o->like, p->scan, &grid));
	GT_TRY(set_quality(call, &set, p, &grid, &solver));
	if (solver)
		GT_TRY(gt_method_parse(solver, &m));
	if (!o->solver)
		GT_TRY(gt_method_for(&call->log, &grid, p->scan, &m));
	if (m.solver)
		set.projector = gt_projector_for(&call->log, o->projector, p->scan);
	GT_TRY(check_init(o, &m));
	GT_TRY(check_checkpoint(o, &m, call->file[0]));
	GT_TRY(check_prior(o, &m));
	GT_TRY(recon_count_subsets(&m, p->scan, &subsets));
	cli_note_slices(call, &grid, p->scan);
	if (m.solver)
		cli_note_sides(call, &grid, p);
	recon_case this = { call, o, &m, p, &grid, host_free, device_limit };
	if (o->dry_run) {
		GT_TRY(recon_dry_run(&this));
		goto done;
	}
	GT_TRY(recon_compute_if_it_fits(&this, &v, &r));
	v->water = o->water;
	v->position = p->position;
	w.unit = (gt_unit)o->unit;
	w.water = o->water;
	char *parameters = record_text(call, o, &m, &r);
	st = parameters ? cli_record(call, p->scan, parameters, &v->from) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(parameters);
	GT_TRY(st);
	w.note = remark;
	w.note_size = sizeof remark;
	GT_TRY(cli_write_volume(o->output, &w, v));
	if (remark[0])
		cli_note(call, "%s", remark);
	report(call, o, &m, v, &r);
	GT_TRY(recon_log_end(&r));
	st = how_it_ended(o, &m, &r.watch);
done:
	gt_backend_prefetch_end();
	recon_log_drop(&r);
	gt_method_free(&m);
	free(solver);
	free(r.weights);
	free(r.penalty);
	gt_projections_free(p);
	gt_volume_free(v);
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\nmethods:\n");
	for (const gt_analytic *const *a = gt_analytics; *a; a++)
		fprintf(out, "  %-10s %s\n", (*a)->name, (*a)->about);
	for (const gt_solver *const *s = gt_solvers; *s; s++)
		fprintf(out, "  %-10s %s\n", (*s)->name, (*s)->about);
}

const cli_command cli_recon = {
	.name = "recon",
	.about = "reconstruct a volume from projections",
	.synopsis = "SCAN -o VOLUME [options]",
	.notes =
		"SCAN is a file or a folder of projections; where its columns, rows, turn or centre are wrong, 'gantry import' puts them right\n"
		"first (--flip, --column-center; DICOM-CT-PD: --central, --without-photons).\n"
		"Without --solver: the direct method where the scan allows one (wfbp: helical), else the first iterative one, and why.\n"
		"--init auto starts from the direct method where the scan allows one, else from zero; 'fdk' insists on the one that fits.\n"
		"Ctrl-C ends after the iteration in progress, writes what there is and exits with 1; a second one, or one\n"
		"before the iterations, writes nothing and exits with 130. With --checkpoint SIGTERM does what Ctrl-C does.\n"
		"A run that was killed goes on by the same command with --resume, and ends with the same bits.\n\n"
		"  gantry recon scan.nc -o vol.nc\n"
		"  gantry recon scan.nc -o vol.nc --solver fdk:filter=hann\n"
		"  gantry recon scan.nc -o vol.nc --solver os-sart:iterations=20,subsets=12 --init fdk --unit HU\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.least_files = 1,
	.most_files = 1,
	.run = run,
	.list = list,
};
