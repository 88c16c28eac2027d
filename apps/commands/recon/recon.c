/* gantry recon: reconstructs a volume from projections by an analytic or iterative method. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/analytic.h>
#include <gantry/processes.h>
#include <gantry/solver.h>
#include "apps/cli/try.h"
#include "apps/commands/prepare_auto.h"
#include "apps/commands/recon/recon.h"
#include "io/same_file.h"
#include "viewer/live.h"

static gt_status check(const recon_options *o)
{
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	if (!o->dry_run)
		GT_TRY(cli_need("--output", o->output));
	if (o->port && !o->watch)
		GT_TRY(gt_fail(GT_ERR_ARG, "--port needs --watch"));
	GT_TRY(app_runlog_check(o->log, o->plot));
	GT_TRY(recon_page_check(o->report));
	GT_TRY(cli_set_numbers(o->number, o->range, &w));
	if (o->output)
		GT_TRY(gt_can_write_volume(o->output, &w));
done:
	return st;
}

/* --log and --plot need iterations, and must differ from the checkpoint. */
static gt_status check_log(const recon_options *o, gt_recon *r)
{
	const char *const files[] = { o->log, o->plot };
	gt_status st = GT_OK;
	if ((o->log || o->plot || o->watch) && gt_recon_iterates(r) == 0) {
		char *method = recon_method(r);
		st = gt_fail(GT_ERR_ARG, "--%s: %s is an analytic method, which has no iterations: expected an iterative --solver",
		             o->log    ? "log"
		             : o->plot ? "plot"
		                       : "watch",
		             method ? method : "it");
		free(method);
	}
	const char *checkpoint = gt_recon_text(r, "checkpoint");
	for (size_t i = 0; i < 2 && checkpoint && st == GT_OK; i++)
		if (files[i] && gt_same_file(checkpoint, files[i]))
			st = gt_fail(GT_ERR_ARG,
			             "--checkpoint=%s: is the same file as %s, which would be overwritten: expected another name",
			             checkpoint, files[i]);
	return st;
}

static gt_status compute(const cli_call *call, const recon_options *o, recon_monitor *m, const gt_read_options *reading)
{
	gt_recon_outcome how = { .size = sizeof how };
	gt_write_options w = gt_write_defaults;
	gt_status st = cli_set_numbers(o->number, o->range, &w);
	if (st != GT_OK)
		return st;
	GT_TRY(gt_recon_choose(m->r));
	GT_TRY(check_log(o, m->r));
	st = gt_recon_run_to(m->r, o->output, &w);
	recon_end_direct(m);
	if (m->writes)
		st = cli_end_writing(st);
	GT_TRY(m->st != GT_OK ? m->st : st);
	if (!call->process)
		recon_report(call, o, m->r);
	GT_TRY(gt_recon_result(m->r, &how));
	GT_TRY(app_runlog_close(&m->log, how.iterations, how.max, how.reason, 1));
	if (o->report)
		GT_TRY(recon_page_write(o->report, call, m->r, &m->journal, reading, o->output));
	st = recon_how_it_ended(o, m->r);
done:
	app_runlog_close(&m->log, m->iteration, m->iterations, how.reason ? how.reason : "a failure", 0);
	return st;
}

static const double slices_every = 1; /* s */

static void show_slices(void *self, const gt_recon_slices *s)
{
	const recon_monitor *m = self;
	gt_live_page_slices(m->page, s);
}

/* Prints the address even with --quiet, because the page cannot be opened without it. */
static gt_status watch(const cli_call *call, recon_monitor *m)
{
	char *title = cli_text("Reconstruction of %s", call->file[0]);
	const gt_status st = gt_live_page_new(title, (int)m->o->port, &m->page);
	free(title);
	if (st != GT_OK)
		return st;
	gt_recon_on_slices(m->r, slices_every, show_slices, m);
	fprintf(stderr, "watch: %s\n", gt_live_page_address(m->page));
	return GT_OK;
}

/* Called before the error is printed, because the page ends with its text. */
static void end_watch(recon_monitor *m, gt_status st)
{
	char *ending = st == GT_OK ? cli_text("done: %s written", m->o->output) : cli_text("ended: %s", gt_error());
	gt_live_page_free(m->page, ending);
	free(ending);
}

/* MPI processes after the first print and write nothing. */
static void write_nothing(recon_options *o)
{
	o->log = o->plot = o->report = NULL;
	o->watch = 0;
}

/* Decides whether the processes of mpirun compute one volume together or one each. */
static gt_status part(cli_call *call, const recon_options *o)
{
	char folder[4096] = "";
	int alone = 0;
	if (call->processes < 2)
		return GT_OK;
	const int own = !o->team && o->output && !o->dry_run;
	if (own && *o->output != '/' && !getcwd(folder, sizeof folder))
		*folder = 0;
	char *work = own ? cli_text("%s/%s", folder, o->output) : cli_text("%s", "");
	const gt_status st = work ? gt_processes_part(work, &alone) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(work);
	if (st != GT_OK || !alone)
		return st;
	cli_note(call, "found %d processes with different outputs: each computes alone (--team mpi: together)", call->processes);
	call->process = 0;
	call->processes = 1;
	call->common.quiet = call->common.quiet == 1;
	call->log = cli_listener(call);
	return GT_OK;
}

/* *measured: the corrected projections of --auto, which r borrows. */
static gt_status open_scan(const cli_call *call, const recon_options *o, const gt_read_options *reading, gt_projections **measured,
                           gt_recon **r)
{
	gt_status st = GT_OK;
	if (!o->automatic)
		return gt_recon_open(call->file[0], reading, r);
	if (o->data)
		GT_TRY(gt_fail(GT_ERR_ARG, "--auto and --data cannot be combined"));
	GT_TRY(app_prepare_auto(call, reading, call->common.backend, measured));
	GT_TRY(gt_projections_set_provenance(*measured, call->line, gt_projections_provenance(*measured)->parameters, NULL));
	st = gt_recon_new(*measured, r);
done:
	return st;
}

static int run(const cli_call *begun, const void *given)
{
	cli_call mine = *begun;
	const cli_call *const call = &mine;
	recon_options all = *(const recon_options *)given;
	const recon_options *o = &all;
	recon_monitor m = { .call = call, .o = o };
	gt_projections *measured = NULL;
	gt_frames_options frames;
	gt_read_options reading = gt_read_defaults;
	gt_status st = GT_OK;
	GT_TRY(check(o));
	GT_TRY(part(&mine, o));
	if (call->process) {
		write_nothing(&all);
		cli_let_first_stop();
	}
	GT_TRY(cli_frames_check(&o->frames, call->file[0]));
	cli_frames_apply(&o->frames, &frames, &reading);
	if (call->files > 1 && call->processes > 1)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%zu scans: joint reconstruction expects one process, found %d", call->files,
		               call->processes));
	if (call->files > 1 && o->automatic)
		GT_TRY(gt_fail(GT_ERR_ARG, "--auto: found %zu scans, expected one: correct each by 'gantry prepare --auto'", call->files));
	if (call->files > 1)
		return cli_exit(call, recon_joint(call, o, &m, &reading));
	GT_TRY(open_scan(call, o, &reading, &measured, &m.r));
	gt_recon_on_message(m.r, call->common.quiet && !o->report ? NULL : recon_say, &m);
	gt_recon_on_progress(m.r, recon_progress, &m);
	GT_TRY(recon_set(m.r, call, o));
	GT_TRY(check_log(o, m.r));
	if (o->watch && !o->dry_run)
		GT_TRY(watch(call, &m));
	st = o->dry_run ? recon_print_plan(call, m.r) : compute(call, o, &m, &reading);
done:
	end_watch(&m, st);
	gt_recon_free(m.r);
	gt_projections_free(measured);
	recon_journal_free(&m.journal);
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
	.synopsis = "SCAN... -o VOLUME [options]",
	.notes = "SCAN is a file or a folder of projections. 'gantry import' corrects wrong columns, rows, rotation direction or centre\n"
		 "(--flip, --axis; DICOM-CT-PD: --central, --without-photons).\n"
		 "Without --solver: the analytic method if the scan permits one (wfbp: helical), else an iterative one, with the reason.\n"
		 "--init auto starts from the analytic method if the scan permits one, else from zero; 'fdk' requires one.\n"
		 "Ctrl-C stops after the current iteration, writes the result and exits with 1. A second one, or one before the\n"
		 "iterations, writes nothing and exits with 130. With --checkpoint, SIGTERM has the effect of Ctrl-C.\n"
		 "The same command with --resume continues an interrupted run, with a bit-identical result.\n"
		 "With mpirun, the processes compute one volume together, and the first one writes it.\n\n"
		 "  gantry recon scan.nc -o vol.nc\n"
		 "  gantry recon counts/ -o vol.nc --auto                correct the projections first\n"
		 "  gantry recon counts/ -o vol.nc --pixel 0.01          TIFF images with flat and dark fields and angles.txt\n"
		 "  gantry recon scan.nc -o vol.nc --solver fdk:filter=hann\n"
		 "  gantry recon scan.nc -o vol.nc --solver os-sart:iterations=20,subsets=12 --init fdk --unit HU\n"
		 "  mpirun -n 4 gantry recon scan.nc -o vol.nc --backend cpu:2 --solver sirt\n\n"
		 "A penalty of several volumes reconstructs several scans of one object (energies, times) jointly, and writes vol-1.nc,\n"
		 "vol-2.nc, ...\n\n"
		 "  gantry recon low.nc high.nc -o vol.nc --solver fista:prox=yes --penalty joint-tv:strength=0.1\n",
	.traits = CLI_COMPUTES | CLI_REPORTS | CLI_TEAMS,
	.options = recon_table,
	.hints = recon_hints,
	.defaults = &recon_defaults,
	.options_size = sizeof recon_defaults,
	.min_files = 1,
	.max_files = 1024,
	.run = run,
	.list = list,
};
