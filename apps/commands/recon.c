/* gantry recon: projections -> volume, by a direct method or by iteration. */
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/solver.h>
#include "apps/cli/try.h"
#include "apps/commands/recon.h"

static const char *const units[] = { "mm-1", "HU", "auto", NULL }, *const presets[] = { "none", "fast", "iterative", NULL },
			 *const margins[] = { "auto", "yes", "no", NULL }, *const places[] = { "no", "memory", "scratch", "auto", NULL };
enum { UNIT_AUTO = 2, KEEP_AUTO = 3 };
static const recon_options defaults = { .unit = UNIT_AUTO, .keep = KEEP_AUTO };
#define AT(field) offsetof(recon_options, field)
static const cli_option options[] = {
	{ "output", 'o', CLI_OUTPUT, "FILE", "where the volume goes; its name decides the format (.nc, .mha, .nii, a folder/ of DICOM)",
	  AT(output), 0, 0, NULL },
	{ "grid", 0, CLI_TEXT, "SPEC", "its voxels, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", AT(grid), 0, 0, NULL },
	{ "like", 0, CLI_INPUT, "FILE", "the grid of this volume", AT(like), 0, 0, NULL },
	{ "quality", 0, CLI_CHOICE, NULL, "all settings at once: fast is the direct method, iterative a quiet picture without tuning",
	  AT(quality), 0, 0, presets },
	{ "solver", 0, CLI_TEXT, "NAME[:key=value,...]", "the method; 'gantry help solver NAME' lists its parameters", AT(solver), 0, 0,
	  NULL },
	{ "projector", 0, CLI_TEXT, "NAME", "the model of an iterative method (default dd; sf-tr for detectors that lean)", AT(projector),
	  0, 0, NULL },
	{ "init", 0, CLI_INPUT, "auto|zero|fdk|wfbp|FILE", "where an iterative method starts", AT(init), 0, 0, NULL },
	{ "margin", 0, CLI_CHOICE, NULL,
	  "slices beyond both ends that an iterative method computes and does not write (auto: where rays through the body go on)",
	  AT(margin), 0, 0, margins },
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
	  AT(keep), 0, 0, places },
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

static gt_status check(const recon_options *o)
{
	gt_status st = GT_OK;
	if (!o->dry_run)
		GT_TRY(cli_need("--output", o->output));
	GT_TRY(app_runlog_check(o->log, o->plot));
	if (o->output)
		GT_TRY(gt_can_write_volume(o->output));
done:
	return st;
}

static gt_status set_all(gt_recon *r, const cli_call *call, const recon_options *o)
{
	char water[32];
	snprintf(water, sizeof water, "%.17g", o->water);
	const char *const list[][2] = {
		{ "preset", presets[o->quality] },
		{ "solver", o->solver },
		{ "projector", o->projector },
		{ "penalty", o->penalty },
		{ "weights", o->weights },
		{ "init", o->init },
		{ "grid", o->grid },
		{ "like", o->like },
		{ "margin", margins[o->margin] },
		{ "stop", o->stop },
		{ "checkpoint", o->checkpoint },
		{ "resume", o->resume },
		{ "data", o->data },
		{ "device-memory", o->device_memory },
		{ "host-memory", o->host_memory },
		{ "keep", places[o->keep] },
		{ "scratch", o->scratch },
		{ "overlap", o->no_overlap ? "no" : "yes" },
		{ "unit", units[o->unit] },
		{ "water", o->water > 0 ? water : NULL },
		{ "backend", call->common.backend },
		{ "precision", call->common.precision ? "double" : "single" },
		{ "command", call->line },
		{ "output", o->output },
	};
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof list / sizeof *list && st == GT_OK; i++)
		if (list[i][1])
			st = gt_recon_set(r, list[i][0], list[i][1]);
	return st;
}

/* The log and the plot are files of iterations, and none that a checkpoint is written to. */
static gt_status check_log(const recon_options *o, gt_recon *r)
{
	const char *const files[] = { o->log, o->plot };
	gt_status st = GT_OK;
	if ((o->log || o->plot) && gt_recon_iterates(r) == 0) {
		char *method = recon_method(r);
		st = gt_fail(GT_ERR_ARG, "--%s: %s is a direct method, which has no iterations: expected an iterative --solver",
		             o->log ? "log" : "plot", method ? method : "it");
		free(method);
	}
	const char *checkpoint = gt_recon_text(r, "checkpoint");
	for (size_t i = 0; i < 2 && checkpoint && st == GT_OK; i++)
		if (files[i] && gt_same_file(checkpoint, files[i]))
			st = gt_fail(GT_ERR_ARG, "--checkpoint=%s: is the same file as %s, which would be lost: expected another name",
			             checkpoint, files[i]);
	return st;
}

static gt_status compute(const cli_call *call, const recon_options *o, recon_monitor *m)
{
	gt_recon_outcome how = { .size = sizeof how };
	gt_status st = GT_OK;
	GT_TRY(gt_recon_choose(m->r));
	GT_TRY(check_log(o, m->r));
	st = gt_recon_run_to(m->r, o->output, NULL);
	if (m->writes)
		st = cli_end_writing(st);
	GT_TRY(m->st != GT_OK ? m->st : st);
	recon_report(call, o, m->r);
	GT_TRY(gt_recon_result(m->r, &how));
	GT_TRY(app_runlog_close(&m->log, how.iterations, how.most, how.reason, 1));
	st = recon_how_it_ended(o, m->r);
done:
	app_runlog_close(&m->log, m->iteration, m->iterations, how.reason ? how.reason : "a failure", 0);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const recon_options *o = given;
	recon_monitor m = { .call = call, .o = o };
	gt_status st = GT_OK;
	GT_TRY(check(o));
	GT_TRY(gt_recon_open(call->file[0], NULL, &m.r));
	gt_recon_on_message(m.r, call->log.say, call->log.self);
	gt_recon_on_progress(m.r, recon_progress, &m);
	GT_TRY(set_all(m.r, call, o));
	GT_TRY(check_log(o, m.r));
	st = o->dry_run ? recon_print_plan(call, m.r) : compute(call, o, &m);
done:
	gt_recon_free(m.r);
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
