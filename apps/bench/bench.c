/* Times of the standard problems: data on the device, one warm-up run, median of the following runs. */
#include <gantry/analytic.h>
#include <gantry/author/constants.h>
#include <gantry/projector.h>
#include <gantry/recon.h>
#include <gantry/solver.h>
#include "apps/bench/bench_case.h"

static const bench_options defaults = { .operation = "all", .projector = "dd", .split = "auto", .repeat = 5, .every = 1, .vectors = 50 };
#define AT(field) offsetof(bench_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "workload", .letter = 'w', .kind = CLI_TEXT, .value = "NAME[,...]",
	  .help = "what to time: names of the list below, 'quick' (default), 'odd' or 'all'", .at = AT(workload) },
	{ .name = "operation", .kind = CLI_TEXT, .value = "NAME[,...]",
	  .help = "forward, back, direct, iteration, parts, penalty, vectors, basis (default all)", .at = AT(operation) },
	{ .name = "projector", .kind = CLI_TEXT, .value = "NAME[:key=value...][,...]",
	  .help = "the projectors, or 'all' (default dd)", .at = AT(projector) },
	{ .name = "vs", .kind = CLI_TEXT, .value = "NAME",
	  .help = "forward and back: time each projector alternately with this one, and print the ratio", .at = AT(vs) },
	{ .name = "solver", .kind = CLI_TEXT, .value = "NAME[:key=value,...]",
	  .help = "set the solver of 'iteration' (default os-sart); --repeat sets its number of iterations", .at = AT(solver) },
	{ .name = "method", .kind = CLI_TEXT, .value = "NAME[:key=value,...]",
	  .help = "set the analytic method of 'direct' (default: fdk, fbp or wfbp by the scan, with mask=none: all voxels)",
	  .at = AT(method) },
	{ .name = "penalty", .kind = CLI_TEXT, .value = "NAME[:key=value,...][,...]",
	  .help = "set the penalties of 'penalty' (default qggmrf and tv); 'iteration' uses the first, with random weights",
	  .at = AT(penalty) },
	{ .name = "vectors", .kind = CLI_INT, .value = "N",
	  .help = "set the number of volumes of 'basis' (default 50)", .at = AT(vectors), .min = 1,
	  .max = 1000 },
	{ .name = "gpus", .kind = CLI_TEXT, .value = "N[,...]",
	  .help = "time iterations and analytic methods on N devices together, as 1,2,4; --backend cpu:1: ranks of one thread",
	  .at = AT(gpus) },
	{ .name = "split", .kind = CLI_TEXT, .value = "auto|views|slices|PxQ[,...]",
	  .help = "with --gpus: partition the work (default auto)", .at = AT(split) },
	{ .name = "repeat", .kind = CLI_INT, .value = "N",
	  .help = "set the number of timed runs (default 5)", .at = AT(repeat), .min = 1, .max = 10000 },
	{ .name = "every", .kind = CLI_INT, .value = "N", .help = "use every Nth view only", .at = AT(every), .min = 1, .max = 1e6 },
	{ .name = "tilt", .kind = CLI_ANGLE, .value = "ANGLE",
	  .help = "tilt each detector about its columns' direction by at most 80 degrees", .at = AT(tilt), .min = -80, .max = 80 },
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE", .help = "also write the table as JSON", .at = AT(output) },
	{ 0 },
};
/* clang-format on */

const char *const bench_operations[] = { "forward", "back", "direct", "iteration", "parts", "penalty", "vectors", "basis", NULL };
static const char standard_penalties[] = "qggmrf:neighbours=26,tv";

static const char *nth_workload(size_t i) { return app_workloads[i].name; }
static const char *nth_operation(size_t i) { return bench_operations[i]; }

static const char *const groups[] = { "quick", "odd", NULL };
static const char *const no_groups[] = { NULL };

static gt_status check_penalty(void *self, const char *spec)
{
	(void)self;
	return gt_recon_check("penalty", spec);
}

static gt_status check_projector(void *self, const char *spec)
{
	(void)self;
	return gt_recon_check("projector", spec);
}

/* --vs times operators alternately. */
static gt_status check_vs(const bench_options *o)
{
	if (!bench_in_list(o->operation, bench_operations[FORWARD]) && !bench_in_list(o->operation, bench_operations[BACK]))
		return gt_fail(GT_ERR_ARG, "--vs=%s: applies to forward and back, and --operation=%s has neither", o->vs, o->operation);
	return gt_recon_check("projector", o->vs);
}

static gt_status check_lists(const bench_options *o)
{
	size_t workloads = 0;
	while (app_workloads[workloads].name)
		workloads++;
	GT_OR_RETURN(bench_check_list("workload", o->workload, groups, nth_workload, workloads));
	GT_OR_RETURN(bench_check_list("operation", o->operation, no_groups, nth_operation, OPERATIONS));
	GT_OR_RETURN(bench_each_projector(o->projector, check_projector, NULL));
	if (o->vs)
		GT_OR_RETURN(check_vs(o));
	if (o->penalty)
		GT_OR_RETURN(bench_each_of("penalty", o->penalty, check_penalty, NULL));
	if (o->method)
		GT_OR_RETURN(bench_check_method(o->method));
	return GT_OK;
}

/* With --vs the default is operators alone. */
static int wanted(const bench_options *o, int operation)
{
	if (o->vs && operation >= DIRECT && !strcmp(o->operation, "all"))
		return 0;
	return bench_in_list(o->operation, bench_operations[operation]);
}

static gt_status measure_projector(void *self, const char *spec)
{
	bench_case *b = self;
	b->time->projector = spec;
	return bench_measure_projector(b, b->operation);
}

static gt_status measure_row(void *self, const char *spec)
{
	bench_case *b = self;
	return bench_measure_row(b, b->operation, spec);
}

/* Adds a line with the reason in b->time. */
static gt_status refuse_row(void *self, const char *spec)
{
	bench_case *b = self;
	b->time->projector = spec;
	bench_add(b, bench_line(b, b->operation, b->time));
	return GT_OK;
}

static gt_status run_operation(bench_case *b, int operation)
{
	b->operation = operation;
	if (!b->data && operation == DIRECT)
		return refuse_row(b, b->o->method ? b->o->method : gt_analytic_for(b->scan)->name);
	if (!b->data && operation < PARTS)
		return bench_each_projector(b->o->projector, refuse_row, b);
	if (operation == DIRECT)
		return bench_measure_direct(b);
	if (operation == PENALTY)
		return bench_each_of("penalty", b->o->penalty ? b->o->penalty : standard_penalties, measure_row, b);
	if (operation == VECTORS)
		return measure_row(b, gt_type_name(cli_type(b->call)));
	if (operation == BASIS) {
		char text[32];
		snprintf(text, sizeof text, "%lld vectors", b->o->vectors);
		return measure_row(b, text);
	}
	return bench_each_projector(b->o->projector, measure_projector, b);
}

/* If memory is insufficient, b->data stays NULL and b->time has the reason for the lines that need the data. */
static void make_data(bench_case *b)
{
	app_timing *t = b->time;
	t->refused = gt_host_has_memory((double)b->cells * sizeof *b->data, "the projections");
	if (t->refused == GT_OK && !(b->data = malloc(b->cells * sizeof *b->data)))
		t->refused = gt_fail(GT_ERR_MEMORY, "the projections need %.3g MB", (double)b->cells * 4e-6);
	t->runs = 0;
	if (b->data)
		app_fill_random(b->data, b->cells);
	else
		snprintf(t->why, sizeof t->why, "%s", gt_error());
}

gt_status bench_make_workload(bench_case *b)
{
	gt_status st = app_workload_make(b->workload, (size_t)b->o->every, &b->scan, &b->grid);
	return st == GT_OK && b->o->tilt != 0 ? app_workload_tilt(b->scan, b->o->tilt * GT_PI / 180) : st;
}

static gt_status run_workload(bench_case *b)
{
	const bench_options *o = b->o;
	gt_status st = GT_OK;
	GT_TRY(bench_make_workload(b));
	b->overlap = app_overlap(b->scan, &b->grid);
	b->cells = gt_scan_size(b->scan);
	make_data(b);
	for (int k = 0; k < OPERATIONS; k++)
		if (wanted(o, k))
			GT_TRY(run_operation(b, k));
done:
	free(b->data);
	b->data = NULL;
	gt_scan_free(b->scan);
	b->scan = NULL;
	return st;
}

static gt_status write_json(const char *path, const cJSON *report)
{
	char *text = cli_json_text(report, 1), *tmp = NULL;
	FILE *out = NULL;
	gt_status st = text ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_tmp_path(path, &tmp));
	out = fopen(tmp, "w");
	const int bad = !out || fprintf(out, "%s\n", text) < 0;
	if ((out && fclose(out)) || bad)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot write", path));
	st = gt_tmp_commit(tmp, path);
	tmp = NULL;
done:
	if (tmp)
		gt_tmp_drop(tmp);
	cJSON_free(text);
	return st;
}

/* Writes the report's header: where it was measured. */
static gt_status start_report(const cli_call *call, int is_team, cJSON *report)
{
	gt_backend *be = NULL;
	const char *asked = call->common.backend ? call->common.backend : "auto";
	const char *device = strncmp(asked, "stream:", 7) ? asked : asked + 7; /* device that computes */
	GT_OR_RETURN(gt_backend_open(device, &be));
	cJSON_AddStringToObject(report, "gantry", GANTRY_VERSION);
	cJSON_AddStringToObject(report, "backend", gt_backend_name(be));
	cJSON_AddStringToObject(report, "device", gt_backend_describe(be));
	if (!call->common.json && is_team)
		printf("%s, %s\n", gt_backend_name(be), gt_backend_describe(be));
	else if (!call->common.json)
		printf("%s, %s\n%-14s %-*s %-*s %6s %11s %9s %9s %10s  %s\n", gt_backend_name(be), gt_backend_describe(be), "workload",
		       BENCH_OPERATION, "operation", BENCH_BY, "by", "views", "ms", "GUPS", "overlap", "peak MiB", "of the limit");
	gt_backend_close(be);
	return GT_OK;
}

int bench_wanted(const bench_options *o, const char *name)
{
	for (size_t i = 0; groups[i]; i++)
		if (!strncmp(name, groups[i], strlen(groups[i])) && bench_in_list(o->workload, groups[i]))
			return 1;
	return bench_in_list(o->workload, name);
}

static int run(const cli_call *call, const void *given)
{
	bench_options filled = *(const bench_options *)given;
	const bench_options *o = &filled;
	if (!o->workload)
		filled.workload = o->gpus ? bench_team_workloads() : groups[0];
	if (!o->solver && !o->gpus)
		filled.solver = "os-sart";
	cJSON *report = cJSON_CreateObject();
	bench_case b = { .call = call, .o = o, .results = cJSON_AddArrayToObject(report, "results") };
	gt_status st = b.results ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (int i = 0; i < 2; i++)
		if (!(b.time[i].ms = malloc((size_t)o->repeat * sizeof(double))))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(check_lists(o));
	if (o->solver)
		GT_TRY(app_iteration_check(o->solver));
	if (o->gpus)
		GT_TRY(bench_check_team(o));
	if (o->output)
		GT_TRY(gt_can_write(o->output));
	GT_TRY(start_report(call, o->gpus != NULL, report));
	if (o->gpus)
		GT_TRY(bench_run_team(&b));
	for (b.workload = app_workloads; !o->gpus && b.workload->name; b.workload++)
		if (bench_wanted(o, b.workload->name))
			GT_TRY(run_workload(&b));
	if (o->output) {
		cli_begin_writing();
		GT_TRY(cli_end_writing(write_json(o->output, report)));
	}
	if (call->common.json) {
		cli_json(report);
		report = NULL;
	}
done:
	cJSON_Delete(report);
	for (int i = 0; i < 2; i++)
		free(b.time[i].ms);
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\nworkloads:\n");
	for (const app_workload *w = app_workloads; w->name; w++)
		fprintf(out, "  %-14s %s\n", w->name, w->about);
}

const cli_command cli_bench = {
	.name = "bench",
	.about = "time standard problems",
	.synopsis = "[options]",
	.notes =
		"GUPS = voxels x views / 2^30 / s; 'overlap' counts only voxels that the view sees. 'of the limit': minimum time by the\n"
		"device's named resource, divided by the time. 'iteration' is one pass over all subsets, with the solver's own bookkeeping,\n"
		"compared with a projection and a backprojection of all views in one call each. 'penalty' and 'vectors' work on the volume\n"
		"and are compared with a copy of equal bytes. '% copy' is the copy's time divided by theirs, above 100 if caches hold\n"
		"more of their data. 'basis': operations of solvers that store volumes (hybrid-lsqr, ba-gmres, anderson), compared with a\n"
		"copy of equal bytes. 'parts': preparation of the branchless projectors, the integral images, compared likewise.\n\n"
		"  gantry bench --workload ge-hd --backend cuda:0 -o ge-hd.json\n"
		"  gantry bench --workload ge-hd --operation forward,back --projector all --vs dd\n"
		"  gantry bench --workload ge-hd --operation forward,back --every 41 --backend cpu:1\n"
		"  gantry bench --gpus 1,2,4 -o scaling.json\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.list = list,
};
