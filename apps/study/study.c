/* Studies: many measurements, one folder with a report. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/phantom.h>
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/study/study.h"
#include "core/module.h"

/* From this load for each thread on, times are said to be doubtful. */
#define MAX_LOAD 0.5

static const study_options defaults = { .backend = "auto", .cpu_reduce = -1, .cpu_iterations = -1, .seconds = -1 };
#define AT(field) offsetof(study_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FOLDER",
	  .help = "name of a new folder for the report", .at = AT(output) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", .at = AT(grid) },
	{ .name = "backend", .kind = CLI_TEXT, .value = "NAME",
	  .help = "auto, cuda:NUMBER: that GPU and the CPU; cpu, cpu:THREADS: the CPU alone", .at = AT(backend) },
	{ .name = "quick", .kind = CLI_FLAG, .help = "an eighth of the size and few points, to try the study", .at = AT(quick) },
	{ .name = "size", .kind = CLI_TEXT, .value = "small|full",
	  .help = "quality: one slice, coarse (the default); or the scanner's pixels and many slices. iterative: small has all "
		  "solvers and penalties on one slice alone, which two CPU cores bear; full (the default) all of it",
	  .at = AT(size) },
	{ .name = "case", .kind = CLI_TEXT, .value = "NAME", .help = "quality: this scan alone, as helix or parallel", .at = AT(one) },
	{ .name = "cpu-reduce", .kind = CLI_INT, .value = "N",
	  .help = "iterative: the CPU repeats every run at 1/N of the size (default 4; 1 with --quick and without a GPU)",
	  .at = AT(cpu_reduce), .min = 1, .max = 16 },
	{ .name = "cpu-iterations", .kind = CLI_INT, .value = "N",
	  .help = "iterative: iterations of os-sart on the CPU with all voxels and every tenth view (default 5; 0: none)",
	  .at = AT(cpu_iterations), .min = 0, .max = 1000 },
	{ .name = "seconds", .kind = CLI_INT, .value = "N",
	  .help = "fdk; iterative, of its comparison of solvers: begin no measurement after this time; the report lists what is left out;\n"
		  "tuner: of all searches (default 1200; 60 with --quick)",
	  .at = AT(seconds), .min = 0, .max = 1e6 },
	{ .name = "members", .kind = CLI_TEXT, .value = "1,2,4",
	  .help = "scale: numbers of GPUs, or of members of the CPU (default: 1, 2, 4 ... of the GPUs; 1,2)", .at = AT(ranks) },
	{ .name = "logs", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "tuner: replay these logs of gantry tune (NAME.txt), which takes no GPU, instead of searching", .at = AT(logs) },
	{ .name = "no-figures", .kind = CLI_FLAG,
	  .help = "draw no figures, where there is no gnuplot; --from draws them later", .at = AT(no_figures) },
	{ .name = "from", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "measure nothing: draw the figures of that folder, and write its report again", .at = AT(from) },
	{ 0 },
};
/* clang-format on */

void study_step(study *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(s->doing, sizeof s->doing, format, args);
	va_end(args);
	const double done = (double)s->done++ / (double)s->steps;
	app_progress_fraction(&s->progress, done);
}

gt_status study_host_floats(size_t n, const char *what, float **x)
{
	const gt_status st = gt_host_has_memory((double)n * sizeof **x, what);
	if (st != GT_OK)
		return st;
	*x = malloc(n * sizeof **x);
	return *x ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s need %.3g MB", what, (double)n * 4e-6);
}

gt_status study_random(study *s, size_t n, const float **x)
{
	if (s->randoms < n) {
		const gt_status st = gt_host_has_memory((double)n * sizeof *s->random, "random numbers");
		if (st != GT_OK)
			return st;
		free(s->random);
		s->random = malloc(n * sizeof *s->random);
		s->randoms = s->random ? n : 0;
		if (!s->random)
			return gt_fail(GT_ERR_MEMORY, "random numbers need %.3g MB", (double)n * 4e-6);
		app_fill_random(s->random, n);
	}
	*x = s->random;
	return GT_OK;
}

gt_status study_scanner(study *s, size_t views, double pitch)
{
	const gt_scanner *scanner = gt_scanner_find("ge-ct750hd");
	const size_t by = s->quick ? STUDY_QUICK : 1;
	s->orbit = scanner->orbit;
	if (views)
		s->orbit.views = views;
	s->full = s->orbit;
	gt_orbit_reduce(&s->orbit, by);
	s->grid = (gt_grid){ { 512 / by, 512 / by, 64 / by }, { pitch * (double)by, pitch * (double)by, 0.625 * (double)by }, { 0, 0, 0 } };
	snprintf(s->geometry, sizeof s->geometry, "scanner %s%s", scanner->name, s->quick ? " at an eighth of its size" : "");
	return gt_scan_orbit(&s->orbit, &s->scan);
}

void study_leave_out(study *s, const char *part, const char *who)
{
	study_table *t = &s->table[STUDY_LEFT_OUT];
	study_text(t, "%s", part);
	study_text(t, "%s", who);
	study_text(t, "%s", gt_error());
	cli_note(s->call, "%s, %s: left out: %s", part, who, gt_error());
}

const char *study_table_name(const study *s, size_t which)
{
	static const char *const shared[STUDY_OWN] = { [STUDY_ABOUT] = "about", [STUDY_LEFT_OUT] = "left-out" };
	return which < STUDY_OWN ? shared[which] : s->kind->table_name[which - STUDY_OWN];
}

/* Appends detector and voxels to the geometry in words. */
static void describe(study *s)
{
	char grid[256];
	const size_t used = strlen(s->geometry);
	gt_grid_print(&s->grid, grid, sizeof grid);
	snprintf(s->geometry + used, sizeof s->geometry - used, ": %s detector, %zu views of %zu rows x %zu columns; voxels %s",
	         gt_shape_names[s->scan->shape], s->scan->views, s->scan->rows, s->scan->columns, grid);
}

/* Appends how busy the machine was before the study: times and speed-ups of two threads that share a processor with
 * others are not the method's. */
static void add_load(study *s)
{
	const size_t used = strlen(s->cpu_about);
	double load;
	if (getloadavg(&load, 1) != 1)
		return;
	snprintf(s->cpu_about + used, sizeof s->cpu_about - used, ", load %.1f", load);
	if (load > MAX_LOAD * s->threads)
		cli_note(s->call,
		         "the machine was busy before this study began (load %.1f, %d threads here): times and speed-ups may be several "
		         "times off",
		         load, s->threads);
}

/* The GPU if there is one and it is wanted, and the CPU with the threads that are wanted. */
static gt_status find_devices(study *s, const char *name)
{
	gt_backend *be = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(name, &be));
	if (gt_backend_is_gpu(be)) {
		snprintf(s->gpu, sizeof s->gpu, "%s", gt_backend_name(be));
		snprintf(s->gpu_about, sizeof s->gpu_about, "%s", gt_backend_describe(be));
		gt_backend_close(be);
		be = NULL;
		GT_TRY(gt_backend_open("cpu", &be));
	}
	snprintf(s->cpu, sizeof s->cpu, "%s", gt_backend_name(be));
	snprintf(s->cpu_about, sizeof s->cpu_about, "%s", gt_backend_describe(be));
	s->threads = gt_pool_threads(gt_backend_pool(be));
	add_load(s);
	cli_note(s->call, "%s: %s%s%s%s%s", s->cpu, s->cpu_about, s->gpu[0] ? "; " : "", s->gpu, s->gpu[0] ? ": " : "", s->gpu_about);
done:
	gt_backend_close(be);
	return st;
}

static const study_kind *const kinds[] = { &study_kind_accuracy, &study_kind_iterative, &study_kind_fdk,
	                                   &study_kind_quality,  &study_kind_scale,     &study_kind_tuner };
enum { KINDS = sizeof kinds / sizeof *kinds };

static gt_status find_kind(const char *name, const study_kind **kind)
{
	const char *names[KINDS];
	for (size_t i = 0; i < KINDS; i++) {
		names[i] = kinds[i]->name;
		if (!strcmp(name, names[i])) {
			*kind = kinds[i];
			return GT_OK;
		}
	}
	return gt_unknown_of("study", name, names, KINDS);
}

/* Options of one kind alone, and of those that measure. */
static gt_status check(const study *s, const study_options *o)
{
	const int iterative = s->kind == &study_kind_iterative, cpu = o->cpu_reduce >= 0 || o->cpu_iterations >= 0;
	if (!iterative && cpu)
		return gt_fail(GT_ERR_ARG, "--cpu-%s: is for the study 'iterative'", o->cpu_reduce >= 0 ? "reduce" : "iterations");
	if (o->seconds >= 0 && s->kind != &study_kind_fdk && s->kind != &study_kind_tuner && !iterative)
		return gt_fail(GT_ERR_ARG, "--seconds=%lld: is for the studies 'fdk', 'iterative' and 'tuner'", o->seconds);
	if (o->logs && s->kind != &study_kind_tuner)
		return gt_fail(GT_ERR_ARG, "--logs=%s: is for the study 'tuner'", o->logs);
	if (o->size && s->kind != &study_kind_quality && !iterative)
		return gt_fail(GT_ERR_ARG, "--size=%s: is for the studies 'quality' and 'iterative'", o->size);
	if (o->size && o->quick)
		return gt_fail(GT_ERR_ARG, "--size=%s: cannot be combined with --quick, which is a size of its own", o->size);
	if (o->size && strcmp(o->size, "small") && strcmp(o->size, "full"))
		return gt_fail(GT_ERR_ARG, "--size=%s: expected small or full", o->size);
	if (o->one && s->kind != &study_kind_quality)
		return gt_fail(GT_ERR_ARG, "--case=%s: is for the study 'quality'", o->one);
	if (o->ranks && s->kind != &study_kind_scale)
		return gt_fail(GT_ERR_ARG, "--members=%s: is for the study 'scale'", o->ranks);
	if (o->from && (o->one || cpu || o->ranks || o->logs || o->size || o->seconds >= 0 || o->quick || o->grid || o->no_figures ||
	                s->call->files > 1))
		return gt_fail(GT_ERR_ARG, "--from=%s: measures nothing and draws figures: cannot be combined with %s", o->from,
		               s->call->files > 1 ? "scan"
		               : o->one           ? "--case"
		               : cpu              ? "--cpu-..."
		               : o->ranks         ? "--members"
		               : o->logs          ? "--logs"
		               : o->seconds >= 0  ? "--seconds"
		               : o->size          ? "--size"
		               : o->quick         ? "--quick"
		               : o->grid          ? "--grid"
		                                  : "--no-figures");
	return s->kind->check ? s->kind->check(s->call, o) : GT_OK;
}

/* Empty tables and what the kind keeps. */
static gt_status begin(study *s, const char *name)
{
	gt_status st = GT_OK;
	GT_TRY(find_kind(name, &s->kind));
	s->table = calloc(STUDY_OWN + s->kind->tables, sizeof *s->table);
	s->own = calloc(1, s->kind->own_size);
	if (!s->table || !s->own)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
done:
	return st;
}

static gt_status measure(study *s, const study_options *o)
{
	study_table *left_out = &s->table[STUDY_LEFT_OUT];
	gt_status st = GT_OK;
	GT_TRY(find_devices(s, o->backend));
	study_head(left_out, "part");
	study_head(left_out, "case");
	study_head(left_out, "why it is left out");
	GT_TRY(s->kind->prepare(s, o));
	if (s->scan)
		describe(s);
	GT_TRY(s->kind->measure(s));
	study_about(s);
	study_step(s, "figures");
done:
	return st;
}

static gt_status tell(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(study_write_tables(s));
	GT_TRY(study_plot_style(s));
	GT_TRY(s->kind->figures(s));
	GT_TRY(study_report(s));
done:
	app_progress_end(&s->progress);
	return st;
}

static void finish(study *s)
{
	study_folder_drop(&s->folder);
	for (size_t i = 0; s->table && i < STUDY_OWN + s->kind->tables; i++)
		study_table_free(&s->table[i]);
	if (s->own && s->kind->drop)
		s->kind->drop(s);
	free(s->table);
	free(s->own);
	free(s->random);
	gt_scan_free(s->scan);
}

static int run(const cli_call *call, const void *given)
{
	const study_options *o = given;
	study s = {
		.call = call, .quick = o->quick, .no_figures = o->no_figures, .progress = app_progress_start("study", call->common.quiet)
	};
	gt_status st = GT_OK;
	s.started = app_seconds();
	s.seconds = (double)o->seconds;
	s.progress.what = s.doing;
	GT_TRY(begin(&s, call->file[0]));
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(check(&s, o));
	GT_TRY(study_folder_new(o->output, &s.folder));
	st = s.no_figures ? GT_OK : app_gnuplot_check();
	if (st != GT_OK && !o->from)
		cli_note(call, "--no-figures measures without it; --from draws elsewhere");
	GT_TRY(st);
	if (o->from && !s.kind->redraw) {
		GT_TRY(study_redraw(&s, o->from));
	} else {
		GT_TRY(o->from ? s.kind->redraw(&s, o) : measure(&s, o));
		GT_TRY(tell(&s));
	}
	GT_TRY(study_folder_commit(&s.folder));
	printf("%s/report.html: %s %s in %.0f s\n", s.folder.path, o->from ? "drawn again:" : "study", s.kind->name,
	       app_seconds() - s.started);
done:
	finish(&s);
	return cli_exit(call, st);
}

const cli_command cli_study = {
	.name = "study",
	.about = "measure speed and accuracy of projectors, iterative methods or analytic reconstruction: a report with tables and figures",
	.synopsis = "accuracy [SCAN] -o FOLDER [options]\n       gantry study iterative -o FOLDER [options]\n"
		    "       gantry study fdk -o FOLDER [options]\n       gantry study quality -o FOLDER [options]\n"
		    "       gantry study scale -o FOLDER [options]\n       gantry study tuner -o FOLDER [--logs FOLDER]",
	.notes =
		"accuracy: projectors. Without SCAN: the scanner ge-ct750hd, 512 x 512 x 64 voxels. Times on the CPU are estimated from some\n"
		"of the views. iterative: heads from 2200 views by os-sart, pcg and accelerated sart, on the GPU and on the CPU, and noise at\n"
		"equal resolution; every solver and every penalty at equal noise (these alone: --size small). fdk: the kernels of its\n"
		"backprojection, step by step. quality: errors by tissue of the preset and of others with the same noise. scale: what\n"
		"several devices gain. tuner: what gantry tune gains, and how its searchers compare. gnuplot draws\n"
		"the figures; its scripts stay in the folder, and --from runs them: give it only folders that you trust.\n\n"
		"  gantry study accuracy -o study\n"
		"  gantry study accuracy scan.nc -o study --quick\n"
		"  gantry study iterative -o study --quick\n"
		"  gantry study scale -o study --quick --backend cpu:1 --members 1,2\n"
		"  gantry study fdk -o undrawn --no-figures\n"
		"  gantry study fdk --from undrawn -o study\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 2,
	.words = 1,
	.run = run,
};
