/* Times of the standard problems: data on the device, one run to warm up, median of the next ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/bench.h"
#include "apps/cli.h"
#include "apps/method.h"
#include "apps/progress.h"
#include "core/random.h"
#include "projectors/projector.h"

typedef struct {
	const char *workload, *operation, *projector, *solver, *output;
	long long repeat, every;
} bench_options;
static const bench_options defaults = {
	.workload = "quick", .operation = "all", .projector = "dd", .solver = "os-sart", .repeat = 5, .every = 1
};
#define AT(field) offsetof(bench_options, field)
static const cli_option options[] = {
	{ "workload", 'w', CLI_TEXT, "NAME[,...]", "what to time: names of the list below, 'quick' (default) or 'all'", AT(workload), 0, 0,
	  NULL },
	{ "operation", 0, CLI_TEXT, "NAME[,...]", "forward, back, direct, iteration (default all)", AT(operation), 0, 0, NULL },
	{ "projector", 0, CLI_TEXT, "NAME", "the model (default dd)", AT(projector), 0, 0, NULL },
	{ "solver", 0, CLI_TEXT, "NAME[:key=value,...]", "of 'iteration' (default os-sart); its number of iterations is set by --repeat",
	  AT(solver), 0, 0, NULL },
	{ "repeat", 0, CLI_INT, "N", "timed runs (default 5)", AT(repeat), 1, 10000, NULL },
	{ "every", 0, CLI_INT, "N", "only every Nth view", AT(every), 1, 1e6, NULL },
	{ "output", 'o', CLI_OUTPUT, "FILE", "also write the table as JSON", AT(output), 0, 0, NULL },
	{ 0 },
};

static const char *const operations[] = { "forward", "back", "direct", "iteration", NULL };

/* One workload on one device. */
typedef struct {
	const cli_call *call;
	const bench_options *o;
	const app_workload *workload;
	gt_backend *be;
	gt_scan *scan;
	gt_grid grid;
	float *data; /* random, [view][row][column] */
	size_t cells;
	double *ms; /* [repeat] */
	int runs;
} bench;

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Uniform in [0,1); a million different values are enough for timing. */
static void fill_random(float *x, size_t n)
{
	const size_t block = 1 << 20;
	for (size_t i = 0; i < n; i++)
		if (i < block) {
			uint32_t word[4];
			gt_philox(1, i, 0, word);
			x[i] = (float)(word[0] / 4294967296.0);
		} else {
			x[i] = x[i - block];
		}
}

static gt_status time_operator(bench *b, int back)
{
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	gt_status st = GT_OK;
	float *volume = NULL;
	GT_TRY(gt_projector_new(b->o->projector, b->be, cli_type(b->call), &b->grid, b->scan, &A));
	GT_TRY(gt_array_new(b->be, cli_type(b->call), gt_linop_nx(A), &x));
	GT_TRY(gt_array_new(b->be, cli_type(b->call), gt_linop_ny(A), &y));
	if (!(volume = malloc(gt_linop_nx(A) * sizeof *volume)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the volume needs %.3g MB", (double)gt_linop_nx(A) * 4e-6));
	fill_random(volume, gt_linop_nx(A));
	gt_array_put_float(volume, x);
	gt_array_put_float(b->data, y);
	for (int i = -1; i < b->o->repeat; i++) {
		gt_backend_wait(b->be);
		const double start = app_seconds();
		if (back)
			gt_adjoint(A, y, x);
		else
			gt_forward(A, x, y);
		gt_backend_wait(b->be);
		if (i >= 0)
			b->ms[b->runs++] = 1e3 * (app_seconds() - start);
	}
	GT_TRY(gt_backend_status(b->be));
done:
	free(volume);
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	return st;
}

static gt_status time_direct(bench *b)
{
	const gt_analytic *method = gt_analytic_for(b->scan);
	gt_array *data = NULL, *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(b->be, cli_type(b->call), b->cells, &data));
	GT_TRY(gt_array_new(b->be, cli_type(b->call), gt_grid_voxels(&b->grid), &x));
	gt_array_put_float(b->data, data);
	for (int i = -1; i < b->o->repeat; i++) {
		gt_backend_wait(b->be);
		const double start = app_seconds();
		GT_TRY(gt_analytic_run(method, b->be, &b->grid, b->scan, NULL, data, x));
		gt_backend_wait(b->be);
		if (i >= 0)
			b->ms[b->runs++] = 1e3 * (app_seconds() - start);
	}
	GT_TRY(gt_backend_status(b->be));
done:
	gt_array_free(data);
	gt_array_free(x);
	return st;
}

typedef struct {
	bench *b;
	double last;
	int done;
} stopwatch;

/* The first iteration warms up, with what the solver prepares; the times between the next ones count. */
static int each_iteration(void *self, const gt_progress *p)
{
	stopwatch *w = self;
	(void)p;
	gt_backend_wait(w->b->be);
	const double now = app_seconds();
	if (w->done++)
		w->b->ms[w->b->runs++] = 1e3 * (now - w->last);
	w->last = now;
	return w->b->runs >= w->b->o->repeat;
}

/* The solver with as many iterations as are timed, and one to warm up. */
static gt_status parse_solver(const bench_options *o, app_method *m)
{
	char *spec = cli_text("%s%citerations=%lld", o->solver, strchr(o->solver, ':') ? ',' : ':', o->repeat + 1);
	gt_status st = spec ? app_method_parse(spec, m) : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st == GT_OK && !m->solver)
		st = gt_fail(GT_ERR_ARG, "--solver=%s: expected an iterative method", o->solver);
	free(spec);
	return st;
}

static gt_status time_iteration(bench *b)
{
	app_method m = { 0 };
	app_subsets s = { 0 };
	gt_array *x = NULL;
	size_t subsets = 1;
	gt_status st = GT_OK;
	GT_TRY(parse_solver(b->o, &m));
	if (m.solver->subsets)
		GT_TRY(m.solver->subsets(m.options, b->scan->views, &subsets));
	GT_TRY(app_subsets_new(b->o->projector, b->be, cli_type(b->call), &b->grid, b->scan, b->data, subsets, &s));
	GT_TRY(gt_array_new(b->be, cli_type(b->call), gt_grid_voxels(&b->grid), &x));
	gt_fill(0, x);
	stopwatch w = { .b = b };
	const gt_monitor monitor = { each_iteration, &w };
	const gt_problem problem = { .subsets = subsets, .A = s.A, .b = s.b, .lo = -INFINITY, .hi = INFINITY };
	st = gt_solve(m.solver, &problem, m.options, x, &monitor);
	if (st == GT_STOPPED)
		st = GT_OK;
done:
	gt_array_free(x);
	app_subsets_free(&s);
	app_method_free(&m);
	return st;
}

static gt_status time_it(bench *b, int operation)
{
	switch (operation) {
	case 0:
		return time_operator(b, 0);
	case 1:
		return time_operator(b, 1);
	case 2:
		return time_direct(b);
	default:
		return time_iteration(b);
	}
}

/* What cannot be done for a workload (a projector that refuses its geometry, too little memory, more subsets than
 * views) is a line of the table. */
static gt_status measure(bench *b, int operation, cJSON *results)
{
	gt_status st = gt_backend_open(b->call->common.backend ? b->call->common.backend : "auto", &b->be);
	if (st != GT_OK)
		return st;
	b->runs = 0;
	st = time_it(b, operation);
	const double voxels = (double)gt_grid_voxels(&b->grid);
	cJSON *r = cJSON_CreateObject();
	cJSON_AddStringToObject(r, "workload", b->workload->name);
	cJSON_AddStringToObject(r, "operation", operations[operation]);
	cJSON_AddStringToObject(r, "projector", operation == 2 ? "" : b->o->projector);
	if (operation == 3)
		cJSON_AddStringToObject(r, "solver", b->o->solver);
	cJSON_AddStringToObject(r, "precision", gt_type_name(cli_type(b->call)));
	cJSON_AddNumberToObject(r, "views", (double)b->scan->views);
	cJSON_AddNumberToObject(r, "voxels", voxels);
	cJSON_AddNumberToObject(r, "repeat", b->runs);
	if (st == GT_OK && b->runs > 0) {
		qsort(b->ms, (size_t)b->runs, sizeof *b->ms, by_value);
		const double median = (b->ms[(b->runs - 1) / 2] + b->ms[b->runs / 2]) / 2;
		cJSON_AddNumberToObject(r, "ms", median);
		cJSON_AddNumberToObject(r, "ms_least", b->ms[0]);
		cJSON_AddNumberToObject(r, "ms_most", b->ms[b->runs - 1]);
		cJSON_AddNumberToObject(r, "gups", voxels * (double)b->scan->views / 1073741824 / (1e-3 * median));
		cJSON_AddNumberToObject(r, "peak_bytes", (double)gt_backend_counters(b->be).peak_bytes);
	} else {
		cJSON_AddStringToObject(r, "refused", gt_error());
	}
	cJSON_AddItemToArray(results, r);
	gt_backend_close(b->be);
	b->be = NULL;
	return st == GT_ERR_UNSUPPORTED || st == GT_ERR_MEMORY || st == GT_ERR_ARG ? GT_OK : st;
}

static void print_line(const cJSON *r)
{
	const cJSON *refused = cJSON_GetObjectItem(r, "refused");
	printf("%-14s %-10s ", cJSON_GetObjectItem(r, "workload")->valuestring, cJSON_GetObjectItem(r, "operation")->valuestring);
	if (refused)
		printf("%s\n", refused->valuestring);
	else
		printf("%6.0f %12.2f %10.3f %10.1f\n", cJSON_GetObjectItem(r, "views")->valuedouble,
		       cJSON_GetObjectItem(r, "ms")->valuedouble, cJSON_GetObjectItem(r, "gups")->valuedouble,
		       cJSON_GetObjectItem(r, "peak_bytes")->valuedouble / 1048576);
	fflush(stdout);
}

/* Is name one of the comma-separated list? "all" holds every name. */
static int in_list(const char *list, const char *name)
{
	const size_t n = strlen(name);
	if (!strcmp(list, "all"))
		return 1;
	for (const char *c = list; *c; c += strcspn(c, ","), c += *c == ',')
		if (strcspn(c, ",") == n && !strncmp(c, name, n))
			return 1;
	return 0;
}

static const char *nth_workload(size_t i) { return app_workloads[i].name; }
static const char *nth_operation(size_t i) { return operations[i]; }

/* Every name of the list must be known. */
static gt_status check_list(const char *what, const char *list, const char *(*nth)(size_t), size_t n)
{
	for (const char *c = list; *c; c += strcspn(c, ","), c += *c == ',') {
		char *name = strndup(c, strcspn(c, ","));
		int known = name && (!strcmp(name, "all") || !strcmp(name, "quick"));
		for (size_t i = 0; i < n && name && !known; i++)
			known = !strcmp(nth(i), name);
		const gt_status st = known ? GT_OK : cli_unknown(what, name ? name : "", nth, n);
		free(name);
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

static gt_status run_workload(bench *b, cJSON *results)
{
	const bench_options *o = b->o;
	gt_status st = GT_OK;
	GT_TRY(app_workload_make(b->workload, (size_t)o->every, &b->scan, &b->grid));
	b->cells = gt_scan_cells(b->scan);
	GT_TRY(gt_host_room((double)b->cells * sizeof *b->data, "the projections"));
	if (!(b->data = malloc(b->cells * sizeof *b->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the projections need %.3g MB", (double)b->cells * 4e-6));
	fill_random(b->data, b->cells);
	for (int k = 0; operations[k]; k++)
		if (in_list(o->operation, operations[k])) {
			GT_TRY(measure(b, k, results));
			if (!b->call->common.json)
				print_line(cJSON_GetArrayItem(results, cJSON_GetArraySize(results) - 1));
		}
done:
	free(b->data);
	b->data = NULL;
	gt_scan_free(b->scan);
	b->scan = NULL;
	return st;
}

static gt_status write_json(const char *path, const cJSON *report)
{
	char *text = cJSON_Print(report), *tmp = NULL;
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

/* The head of the report says where it was measured. */
static gt_status start_report(const cli_call *call, cJSON *report)
{
	gt_backend *be = NULL;
	const gt_status st = gt_backend_open(call->common.backend ? call->common.backend : "auto", &be);
	if (st != GT_OK)
		return st;
	cJSON_AddStringToObject(report, "gantry", GANTRY_VERSION);
	cJSON_AddStringToObject(report, "backend", gt_backend_name(be));
	cJSON_AddStringToObject(report, "device", gt_backend_describe(be));
	if (!call->common.json)
		printf("%s, %s\n%-14s %-10s %6s %12s %10s %10s\n", gt_backend_name(be), gt_backend_describe(be), "workload", "operation",
		       "views", "ms", "GUPS", "peak MiB");
	gt_backend_close(be);
	return GT_OK;
}

static int run(const cli_call *call, const void *given)
{
	const bench_options *o = given;
	bench b = { .call = call, .o = o, .ms = malloc((size_t)o->repeat * sizeof(double)) };
	cJSON *report = cJSON_CreateObject(), *results = cJSON_AddArrayToObject(report, "results");
	app_method m = { 0 };
	size_t workloads = 0;
	gt_status st = b.ms && results ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	while (app_workloads[workloads].name)
		workloads++;
	GT_TRY(check_list("workload", o->workload, nth_workload, workloads));
	GT_TRY(check_list("operation", o->operation, nth_operation, 4));
	GT_TRY(parse_solver(o, &m));
	GT_TRY(app_projector_check(o->projector));
	if (o->output)
		GT_TRY(gt_can_write(o->output));
	GT_TRY(start_report(call, report));
	for (b.workload = app_workloads; b.workload->name; b.workload++)
		if (in_list(o->workload, b.workload->name) || (!strncmp(b.workload->name, "quick", 5) && in_list(o->workload, "quick")))
			GT_TRY(run_workload(&b, results));
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
	app_method_free(&m);
	free(b.ms);
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
	.about = "times of standard problems",
	.synopsis = "[options]",
	.notes = "GUPS = voxels x views / 2^30 / s. 'iteration' is one pass over all subsets, with the solver's own bookkeeping.\n\n"
		 "  gantry bench --workload ge-hd --backend cuda:0 -o ge-hd.json\n"
		 "  gantry bench --workload ge-hd --operation forward,back --every 41 --backend cpu:1\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.list = list,
};
