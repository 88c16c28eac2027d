/* Studies: many measurements, one folder with a report. */
#include "apps/study/study.h"
#include "core/module.h"

/* Load per thread above which times are reported as doubtful. */
#define MAX_LOAD 0.5

static const study_options defaults = { .backend = "auto", .cpu_reduce = -1, .cpu_iterations = -1, .seconds = -1 };
#define AT(field) offsetof(study_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FOLDER",
	  .help = "name of a new folder for the report", .at = AT(output) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: the field of view)", .at = AT(grid) },
	{ .name = "backend", .kind = CLI_TEXT, .value = "NAME",
	  .help = "auto, cuda:NUMBER: this GPU and the CPU; cpu, cpu:THREADS: the CPU alone", .at = AT(backend) },
	{ .name = "quick", .kind = CLI_FLAG, .help = "run at an eighth of the size with few points, to try the study", .at = AT(quick) },
	{ .name = "size", .kind = CLI_TEXT, .value = "small|full",
	  .help = "quality: one coarse slice (default), or many slices at the scanner's pixels; iterative: one slice, or all (default)",
	  .at = AT(size) },
	{ .name = "case", .kind = CLI_TEXT, .value = "NAME",
	  .help = "accuracy, fdk: run this part only, e.g. few-slices or patterns; quality: this case only, e.g. helix", .at = AT(one) },
	{ .name = "cpu-reduce", .kind = CLI_INT, .value = "N",
	  .help = "iterative: repeat every run on the CPU at 1/N of the size (default 4; 1 with --quick and without a GPU)",
	  .at = AT(cpu_reduce), .min = 1, .max = 16 },
	{ .name = "cpu-iterations", .kind = CLI_INT, .value = "N",
	  .help = "iterative: run N iterations of os-sart on the CPU with all voxels and every tenth view (default 5)",
	  .at = AT(cpu_iterations), .min = 0, .max = 1000 },
	{ .name = "seconds", .kind = CLI_INT, .value = "N",
	  .help = "accuracy; fdk; iterative, of its comparison of solvers: start no measurement after this time (the report lists the\n"
		  "rest; accuracy begins with the tables and figures of the paper);\n"
		  "tuner: of all searches (default 1200; 60 with --quick)",
	  .at = AT(seconds), .min = 0, .max = 1e6 },
	{ .name = "members", .kind = CLI_TEXT, .value = "1,2,4",
	  .help = "scale: run on these numbers of GPUs, or of ranks on the CPU (default: 1, 2, 4 ... GPUs; 1,2 ranks)", .at = AT(ranks) },
	{ .name = "logs", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "tuner: replay these logs of gantry tune (NAME.txt) without a GPU, instead of searching", .at = AT(logs) },
	{ .name = "no-figures", .kind = CLI_FLAG,
	  .help = "draw no figures, so gnuplot is not needed; --from draws them later", .at = AT(no_figures) },
	{ .name = "from", .kind = CLI_TEXT, .value = "FOLDER",
	  .help = "draw figures and report of this folder again, without measuring", .at = AT(from) },
	{ 0 },
};
/* clang-format on */

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

/* Names the studies that take an option: "'fdk', 'iterative' and 'tuner'"; returns their number. */
static int takers(unsigned option, char text[STUDY_LINE])
{
	int n = 0, left = 0;
	for (size_t i = 0; i < KINDS; i++)
		left += (kinds[i]->takes & option) != 0;
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i]->takes & option) {
			const size_t used = strlen(text);
			snprintf(text + used, STUDY_LINE - used, "%s'%s'", !n ? "" : n + 1 < left ? ", " : " and ", kinds[i]->name);
			n++;
		}
	return n;
}

static gt_status check_part(const study_kind *kind, const char *one)
{
	const char *name[32];
	for (size_t i = 0; i < kind->orders; i++) {
		name[i] = kind->order[i].name;
		if (!strcmp(one, name[i]))
			return GT_OK;
	}
	return kind->orders ? gt_unknown_of(FORMAT("case of the study '%s'", kind->name), one, name, kind->orders) : GT_OK;
}

/* Options that not every study takes, and those that only measure. */
static gt_status check(const study *s, const study_options *o)
{
	const char *const scan = s->call->files > 1 ? s->call->file[1] : NULL;
	const struct {
		unsigned takes;
		int given;
		const char *name, *text;
	} list[] = { { TAKES_SCAN, scan != NULL, "scan", scan },
		     { TAKES_CASE, o->one != NULL, "--case", o->one },
		     { TAKES_CPU, o->cpu_reduce >= 0, "--cpu-reduce", FORMAT("%lld", o->cpu_reduce) },
		     { TAKES_CPU, o->cpu_iterations >= 0, "--cpu-iterations", FORMAT("%lld", o->cpu_iterations) },
		     { TAKES_RANKS, o->ranks != NULL, "--members", o->ranks },
		     { TAKES_LOGS, o->logs != NULL, "--logs", o->logs },
		     { TAKES_SECONDS, o->seconds >= 0, "--seconds", FORMAT("%lld", o->seconds) },
		     { TAKES_SIZE, o->size != NULL, "--size", o->size },
		     { 0, o->quick, "--quick", "" },
		     { TAKES_GRID, o->grid != NULL, "--grid", o->grid },
		     { 0, o->no_figures, "--no-figures", "" } };
	char text[STUDY_LINE] = "";
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const unsigned takes = list[i].takes;
		if (!list[i].given)
			continue;
		if (o->from)
			return gt_fail(GT_ERR_ARG, "--from=%s: measures nothing: cannot be combined with %s", o->from, list[i].name);
		if (takes && !(s->kind->takes & takes))
			return gt_fail(GT_ERR_ARG, "%s=%s: is for the stud%s %s", list[i].name, list[i].text,
			               takers(takes, text) > 1 ? "ies" : "y", text);
	}
	if (o->size && o->quick)
		return gt_fail(GT_ERR_ARG, "--size=%s: cannot be combined with --quick", o->size);
	if (o->size && strcmp(o->size, "small") && strcmp(o->size, "full"))
		return gt_fail(GT_ERR_ARG, "--size=%s: expected small or full", o->size);
	return o->one ? check_part(s->kind, o->one) : GT_OK;
}

static gt_status begin(study *s, const char *name)
{
	GT_OR_RETURN(find_kind(name, &s->kind));
	GT_OR_RETURN(study_new(STUDY_OWN + s->kind->tables, sizeof *s->table, &s->table));
	return study_new(1, s->kind->own_size, &s->own);
}

static gt_status measure(study *s, const study_options *o)
{
	GT_OR_RETURN(find_devices(s, o->backend));
	study_begin_tables(s, STUDY_LEFT_OUT, STUDY_STEPS);
	GT_OR_RETURN(s->kind->prepare(s, o));
	if (s->scan)
		describe(s);
	GT_OR_RETURN(s->kind->measure(s));
	study_about(s);
	return GT_OK;
}

static gt_status read(study *s, const char *from)
{
	GT_OR_RETURN(study_read_tables(s, from));
	s->steps = 1;
	study_row(&s->table[STUDY_ABOUT], TXT("figures drawn by"), TXT(s->call->line));
	return GT_OK;
}

static gt_status tell(study *s)
{
	gt_status st = GT_OK;
	study_step(s, "figures");
	if (s->kind->complete)
		s->kind->complete(s);
	GT_TRY(study_write_tables(s));
	GT_TRY(study_plot_style(s));
	s->kind->figures(s);
	GT_TRY(s->st);
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
	s.one = o->one;
	s.progress.what = s.doing;
	GT_TRY(begin(&s, call->file[0]));
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(check(&s, o));
	GT_TRY(study_folder_new(o->output, &s.folder));
	st = s.no_figures ? GT_OK : app_gnuplot_check();
	if (st != GT_OK && !o->from)
		cli_note(call, "--no-figures measures without it; --from draws elsewhere");
	GT_TRY(st);
	if (o->from && !s.kind->from_tables) {
		GT_TRY(study_redraw(&s, o->from));
	} else {
		GT_TRY(o->from ? read(&s, o->from) : measure(&s, o));
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
		"accuracy: errors and times of projectors (without SCAN: ge-ct750hd, 512 x 512 x 64 voxels; CPU times from some views).\n"
		"iterative: os-sart, pcg and accelerated sart from 2200 views, on GPU and CPU; noise at equal resolution; all solvers and\n"
		"penalties at equal noise (only these with --size small). fdk: kernels of its backprojection, step by step.\n"
		"quality: errors by tissue of the preset and of other methods with the same noise. scale: speed-up on several devices.\n"
		"tuner: gain of gantry tune, by search strategy. gnuplot draws the figures by scripts in the folder. --from runs these\n"
		"scripts: use it only on folders that you trust.\n\n"
		"  gantry study accuracy -o study\n"
		"  gantry study accuracy scan.nc -o study --quick\n"
		"  gantry study iterative -o study --quick\n"
		"  gantry study scale -o study --quick --backend cpu:1 --members 1,2\n"
		"  gantry study fdk -o patterns --case patterns\n"
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
