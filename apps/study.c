/* Studies: many measurements, one folder with a report. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "apps/bench.h"
#include "apps/gnuplot.h"
#include "apps/study.h"
#include "phantoms/phantom.h"

typedef struct {
	const char *output, *grid, *backend;
	int quick;
	long long cpu_reduce, cpu_iterations;
} study_options;
static const study_options defaults = { .backend = "auto", .cpu_reduce = -1, .cpu_iterations = -1 };
#define AT(field) offsetof(study_options, field)
static const cli_option options[] = {
	{ "output", 'o', CLI_OUTPUT, "FOLDER", "where everything goes; must not be there yet", AT(output), 0, 0, NULL },
	{ "grid", 0, CLI_TEXT, "SPEC", "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", AT(grid), 0, 0, NULL },
	{ "backend", 0, CLI_TEXT, "NAME", "auto, cuda:NUMBER: that GPU and the CPU; cpu, cpu:THREADS: the CPU alone", AT(backend), 0, 0,
	  NULL },
	{ "quick", 0, CLI_FLAG, NULL, "an eighth of the size and few points: to see what comes", AT(quick), 0, 0, NULL },
	{ "cpu-reduce", 0, CLI_INT, "N",
	  "iterative: the CPU repeats every run at 1/N of the size (default 4; 1 with --quick and without a GPU)", AT(cpu_reduce), 1, 16,
	  NULL },
	{ "cpu-iterations", 0, CLI_INT, "N", "iterative: of os-sart on the CPU with all voxels and every tenth view (default 5; 0: none)",
	  AT(cpu_iterations), 0, 1000, NULL },
	{ 0 },
};

void study_step(study *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(s->doing, sizeof s->doing, format, args);
	va_end(args);
	const double done = (double)s->done++ / (double)s->steps;
	app_progress_fraction(&s->progress, done);
}

gt_status study_random(study *s, size_t n, const float **x)
{
	if (s->randoms < n) {
		const gt_status st = gt_host_room((double)n * sizeof *s->random, "random numbers");
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

/* The scanner of the paper, with its voxels; or a scan file. */
static gt_status preset(study *s, const study_options *o, int iterative)
{
	const gt_scanner *scanner = gt_scanner_find("ge-ct750hd");
	const size_t by = s->quick ? STUDY_QUICK : 1;
	const double pitch = iterative ? 0.5 : 0.9765625; /* a head, or the whole field of view */
	gt_status st = GT_OK;
	s->orbit = scanner->orbit;
	if (iterative)
		s->orbit.views = s->quick ? 1100 : 2200;
	s->full = s->orbit;
	gt_orbit_reduce(&s->orbit, by);
	GT_TRY(gt_scan_orbit(&s->orbit, &s->scan));
	s->grid = (gt_grid){ { 512 / by, 512 / by, 64 / by }, { pitch * (double)by, pitch * (double)by, 0.625 * (double)by }, { 0, 0, 0 } };
	if (o->grid)
		GT_TRY(cli_grid(s->call, o->grid, NULL, s->scan, &s->grid));
	snprintf(s->geometry, sizeof s->geometry, "scanner %s%s", scanner->name, s->quick ? " at an eighth of its size" : "");
done:
	return st;
}

static gt_status from_file(study *s, const study_options *o, const char *path)
{
	gt_projections *p = NULL;
	gt_scan *few = NULL;
	gt_grid coarse;
	gt_status st = GT_OK;
	GT_TRY(cli_read_scan(s->call, path, CLI_GEOMETRY, &p));
	GT_TRY(cli_grid(s->call, o->grid, NULL, p->scan, &s->grid));
	snprintf(s->geometry, sizeof s->geometry, "%s%s", path, s->quick ? ", made coarser" : "");
	if (s->quick) {
		GT_TRY(gt_scan_coarsen(p->scan, 124, 8, 112, &few));
		gt_grid_coarsen(&s->grid, 64, &coarse);
		s->grid = coarse;
		s->scan = few;
		few = NULL;
	} else {
		GT_TRY(gt_scan_clone(p->scan, &s->scan));
	}
done:
	gt_scan_free(few);
	gt_projections_free(p);
	return st;
}

static void describe(study *s)
{
	char grid[256];
	const size_t used = strlen(s->geometry);
	gt_grid_print(&s->grid, grid, sizeof grid);
	snprintf(s->geometry + used, sizeof s->geometry - used, ": %s detector, %zu views of %zu rows x %zu columns; voxels %s",
	         gt_shape_names[s->scan->shape], s->scan->views, s->scan->rows, s->scan->columns, grid);
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
	cli_note(s->call, "%s: %s%s%s%s%s", s->cpu, s->cpu_about, s->gpu[0] ? "; " : "", s->gpu, s->gpu[0] ? ": " : "", s->gpu_about);
done:
	gt_backend_close(be);
	return st;
}

static gt_status accuracy(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(study_find_variants(s));
	s->steps = study_times_steps(s) + study_accuracy_steps(s) + study_random_steps(s) + study_bar_steps(s) + study_head_steps(s) + 1;
	GT_TRY(study_accuracy(s));
	GT_TRY(study_random_errors(s));
	GT_TRY(study_bar(s));
	GT_TRY(study_head_error(s));
	GT_TRY(study_times(s));
	study_step(s, "figures");
	GT_TRY(study_write_tables(s));
	GT_TRY(study_figures(s));
	GT_TRY(study_report(s));
done:
	app_progress_end(&s->progress);
	return st;
}

static gt_status check(const cli_call *call, const study_options *o, int iterative)
{
	if (iterative && call->files > 1)
		return gt_fail(GT_ERR_ARG, "%s: the study 'iterative' has a scan of its own: expected no file", call->file[1]);
	if (iterative && o->grid)
		return gt_fail(GT_ERR_ARG, "--grid=%s: the study 'iterative' has a grid of its own", o->grid);
	if (!iterative && (o->cpu_reduce >= 0 || o->cpu_iterations >= 0))
		return gt_fail(GT_ERR_ARG, "--cpu-%s: is for the study 'iterative'", o->cpu_reduce >= 0 ? "reduce" : "iterations");
	return GT_OK;
}

static void finish(study *s)
{
	study_folder_drop(&s->folder);
	for (int i = 0; i < STUDY_TABLES; i++)
		study_table_free(&s->table[i]);
	free(s->variant);
	free(s->random);
	gt_scan_free(s->scan);
}

static int run(const cli_call *call, const void *given)
{
	const study_options *o = given;
	const char *const kinds[] = { "accuracy", "iterative" };
	const int iterative = !strcmp(call->file[0], kinds[1]);
	study s = { .call = call, .quick = o->quick, .progress = app_progress_start("study", call->common.quiet) };
	gt_status st = GT_OK;
	s.started = app_seconds();
	s.progress.what = s.doing;
	if (!iterative && strcmp(call->file[0], kinds[0]))
		GT_TRY(cli_unknown_of("study", call->file[0], kinds, 2));
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(check(call, o, iterative));
	GT_TRY(study_folder_new(o->output, &s.folder));
	GT_TRY(app_gnuplot_check());
	GT_TRY(call->files > 1 ? from_file(&s, o, call->file[1]) : preset(&s, o, iterative));
	describe(&s);
	GT_TRY(find_devices(&s, o->backend));
	s.cpu_reduce = o->cpu_reduce > 0 ? (int)o->cpu_reduce : s.quick || !s.gpu[0] ? 1 : 4;
	s.cpu_iterations = o->cpu_iterations >= 0 ? (int)o->cpu_iterations : 5;
	GT_TRY(iterative ? study_iterative(&s) : accuracy(&s));
	GT_TRY(study_folder_commit(&s.folder));
	printf("%s/report.html: ", s.folder.path);
	if (!iterative)
		printf("%zu lines of projectors and devices ", s.variants);
	printf("in %.0f s\n", app_seconds() - s.started);
done:
	finish(&s);
	return cli_exit(call, st);
}

const cli_command cli_study = {
	.name = "study",
	.about = "what projectors or iterative methods cost and how near they are: a report with tables and figures",
	.synopsis = "accuracy [SCAN] -o FOLDER [options]\n       gantry study iterative -o FOLDER [options]",
	.notes =
		"accuracy: projectors. Without SCAN: the scanner ge-ct750hd, 512 x 512 x 64 voxels. Times on the CPU are estimated from some\n"
		"of the views. iterative: heads from 2200 views by os-sart, pcg and accelerated sart, on the GPU and on the CPU, and noise at\n"
		"equal resolution. gnuplot draws the figures; its scripts stay in the folder.\n\n"
		"  gantry study accuracy -o study\n"
		"  gantry study accuracy scan.nc -o study --quick\n"
		"  gantry study iterative -o study --quick\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.least_files = 1,
	.most_files = 2,
	.run = run,
};
