/* Times of the standard problems: data on the device, one run to warm up, median of the next ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/bench.h"
#include "apps/cli.h"
#include "apps/method.h"
#include "apps/prior.h"
#include "apps/progress.h"
#include "projectors/projector.h"

typedef struct {
	const char *workload, *operation, *projector, *vs, *solver, *method, *penalty, *output;
	long long repeat, every;
} bench_options;
static const bench_options defaults = {
	.workload = "quick", .operation = "all", .projector = "dd", .solver = "os-sart", .repeat = 5, .every = 1
};
#define AT(field) offsetof(bench_options, field)
static const cli_option options[] = {
	{ "workload", 'w', CLI_TEXT, "NAME[,...]", "what to time: names of the list below, 'quick' (default), 'odd' or 'all'", AT(workload),
	  0, 0, NULL },
	{ "operation", 0, CLI_TEXT, "NAME[,...]", "forward, back, direct, iteration, parts, penalty, vectors (default all)", AT(operation),
	  0, 0, NULL },
	{ "projector", 0, CLI_TEXT, "NAME[:key=value...][,...]", "the models, or 'all' (default dd)", AT(projector), 0, 0, NULL },
	{ "vs", 0, CLI_TEXT, "NAME", "time each together with this one, in turn, and print the ratio: forward and back", AT(vs), 0, 0,
	  NULL },
	{ "solver", 0, CLI_TEXT, "NAME[:key=value,...]", "of 'iteration' (default os-sart); its number of iterations is set by --repeat",
	  AT(solver), 0, 0, NULL },
	{ "method", 0, CLI_TEXT, "NAME[:key=value,...]", "of 'direct' (default: fdk, fbp or wfbp, as the scan is)", AT(method), 0, 0,
	  NULL },
	{ "penalty", 0, CLI_TEXT, "NAME[:key=value,...][,...]",
	  "of 'penalty' (default qggmrf and tv); the first one given also goes with 'iteration', and random weights, where the solver takes them",
	  AT(penalty), 0, 0, NULL },
	{ "repeat", 0, CLI_INT, "N", "timed runs (default 5)", AT(repeat), 1, 10000, NULL },
	{ "every", 0, CLI_INT, "N", "only every Nth view", AT(every), 1, 1e6, NULL },
	{ "output", 'o', CLI_OUTPUT, "FILE", "also write the table as JSON", AT(output), 0, 0, NULL },
	{ 0 },
};

enum { FORWARD, BACK, DIRECT, ITERATION, PARTS, PENALTY, VECTORS, OPERATIONS };
static const char *const operations[] = { "forward", "back", "direct", "iteration", "parts", "penalty", "vectors", NULL };
static const char standard_penalties[] = "qggmrf:neighbours=26,tv";

/* One workload on one device. */
typedef struct {
	const cli_call *call;
	const bench_options *o;
	cJSON *results;
	const app_workload *workload;
	gt_backend *be; /* of direct */
	gt_scan *scan;
	gt_grid grid;
	float *data; /* random, [view][row][column] */
	size_t cells;
	double overlap;
	int operation;
	app_timing time[2]; /* ms: [repeat] */
} bench;

static const char *backend_of(const bench *b) { return b->call->common.backend ? b->call->common.backend : "auto"; }

/* The whole, then as often its stages. */
static gt_status time_direct(bench *b, const app_method *m, app_timing stage[2])
{
	gt_array *data = NULL, *x = NULL;
	gt_analytic_times times;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(b->be, cli_type(b->call), b->cells, &data));
	GT_TRY(gt_array_new(b->be, cli_type(b->call), gt_grid_voxels(&b->grid), &x));
	gt_array_put_float(b->data, data);
	for (int i = -1; i < b->o->repeat; i++) {
		gt_backend_wait(b->be);
		const double start = app_seconds();
		GT_TRY(gt_analytic_run(m->analytic, b->be, &b->grid, b->scan, m->options, data, x));
		gt_backend_wait(b->be);
		if (i >= 0)
			b->time->ms[b->time->runs++] = 1e3 * (app_seconds() - start);
	}
	for (int i = 0; i < b->o->repeat; i++) {
		GT_TRY(gt_analytic_run_timed(m->analytic, b->be, &b->grid, b->scan, m->options, data, x, &times));
		stage[0].ms[stage[0].runs++] = 1e3 * times.filter;
		stage[1].ms[stage[1].runs++] = 1e3 * times.back;
	}
	GT_TRY(gt_backend_status(b->be));
done:
	gt_array_free(data);
	gt_array_free(x);
	return st;
}

/* What a line names in its column `by`. */
static const char *const by[] = { "projector", "projector", "method", "projector", "projector", "penalty", "vector" };

static cJSON *as_json(const bench *b, int operation, const app_timing *t)
{
	const double voxels = (double)gt_grid_voxels(&b->grid), ms = app_median(t->ms, (size_t)t->runs);
	cJSON *r = cJSON_CreateObject();
	cJSON_AddStringToObject(r, "workload", b->workload->name);
	cJSON_AddStringToObject(r, "operation", operations[operation]);
	cJSON_AddStringToObject(r, by[operation], t->projector);
	if (operation == ITERATION)
		cJSON_AddStringToObject(r, "solver", b->o->solver);
	if (operation == ITERATION && b->o->penalty)
		cJSON_AddStringToObject(r, "penalty", b->o->penalty);
	cJSON_AddStringToObject(r, "precision", gt_type_name(cli_type(b->call)));
	cJSON_AddNumberToObject(r, "voxels", voxels);
	if (operation < PENALTY) {
		cJSON_AddNumberToObject(r, "views", (double)b->scan->views);
		cJSON_AddNumberToObject(r, "overlap", b->overlap);
	}
	cJSON_AddNumberToObject(r, "repeat", t->runs);
	if (t->refused != GT_OK) {
		cJSON_AddStringToObject(r, "refused", t->why);
		return r;
	}
	double least = t->ms[0], most = t->ms[0];
	for (int i = 1; i < t->runs; i++) {
		least = fmin(least, t->ms[i]);
		most = fmax(most, t->ms[i]);
	}
	cJSON_AddNumberToObject(r, "ms", ms);
	cJSON_AddNumberToObject(r, "ms_least", least);
	cJSON_AddNumberToObject(r, "ms_most", most);
	if (operation < PARTS) {
		cJSON_AddNumberToObject(r, "gups", voxels * (double)b->scan->views / 1073741824 / (1e-3 * ms));
		cJSON_AddNumberToObject(r, "gups_overlap", b->overlap / 1073741824 / (1e-3 * ms));
	}
	if (t->least_ms > 0) {
		cJSON_AddStringToObject(r, "bound", t->bound);
		cJSON_AddNumberToObject(r, "bound_ms", t->least_ms);
		cJSON_AddNumberToObject(r, "fraction_of_bound", t->least_ms / ms);
	}
	cJSON_AddNumberToObject(r, "peak_bytes", t->peak_bytes);
	return r;
}

static double number(const cJSON *r, const char *key) { return cJSON_GetObjectItem(r, key)->valuedouble; }
static const char *text(const cJSON *r, const char *key)
{
	const cJSON *item = cJSON_GetObjectItem(r, key);
	return item ? item->valuestring : NULL;
}

static void print_line(const cJSON *r)
{
	const char *name = NULL;
	for (int i = 0; i < OPERATIONS && !name; i++)
		name = text(r, by[i]);
	printf("%-14s %-10s %-10s ", text(r, "workload"), text(r, "operation"), name);
	if (text(r, "refused")) {
		printf("%s\n", text(r, "refused"));
		return;
	}
	char limit[48] = "-";
	if (text(r, "bound"))
		snprintf(limit, sizeof limit, "%.0f %% %s", 100 * number(r, "fraction_of_bound"), text(r, "bound"));
	if (cJSON_GetObjectItem(r, "views"))
		printf("%6.0f ", number(r, "views"));
	else
		printf("%6s ", "-");
	if (cJSON_GetObjectItem(r, "gups"))
		printf("%11.2f %9.3f %9.3f ", number(r, "ms"), number(r, "gups"), number(r, "gups_overlap"));
	else
		printf("%11.4f %9s %9s ", number(r, "ms"), "-", "-");
	printf("%10.1f  ", number(r, "peak_bytes") / 1048576);
	if (text(r, "vs"))
		printf("%-16s  %.3f x %s (%.2f ms)\n", limit, number(r, "ratio"), text(r, "vs"), number(r, "vs_ms"));
	else
		printf("%s\n", limit);
}

static void add_result(bench *b, cJSON *r)
{
	cJSON_AddItemToArray(b->results, r);
	if (!b->call->common.json)
		print_line(r);
	fflush(stdout);
}

/* The median of the ratios of runs that followed each other: what slows the device down for a while slows both. */
static double ratio(const app_timing *a, const app_timing *b)
{
	double *each = malloc((size_t)a->runs * sizeof *each), median = NAN;
	for (int i = 0; each && i < a->runs; i++)
		each[i] = a->ms[i] / b->ms[i];
	if (each)
		median = app_median(each, (size_t)a->runs);
	free(each);
	return median;
}

static gt_status measure_operator(bench *b, int operation)
{
	app_timing *t = b->time;
	const size_t n = b->o->vs && strcmp(b->o->vs, t->projector) ? 2 : 1;
	t[1].projector = b->o->vs;
	const gt_status st = app_time_operators(backend_of(b), cli_type(b->call), &b->grid, b->scan, b->data, operation == BACK,
	                                        (int)b->o->repeat, t, n);
	if (st != GT_OK)
		return st;
	cJSON *r = as_json(b, operation, &t[0]);
	if (n == 2 && t[0].refused == GT_OK && t[1].refused == GT_OK) {
		cJSON_AddStringToObject(r, "vs", b->o->vs);
		cJSON_AddNumberToObject(r, "vs_ms", app_median(t[1].ms, (size_t)t[1].runs));
		cJSON_AddNumberToObject(r, "ratio", ratio(&t[0], &t[1]));
	}
	add_result(b, r);
	if (n == 2 && t[1].refused != GT_OK)
		add_result(b, as_json(b, operation, &t[1]));
	return GT_OK;
}

/* What cannot be done for a workload (a projector that refuses its geometry, too little memory, more subsets than
 * views) is a line of the table. */
static gt_status add_tried(bench *b, int operation, gt_status st)
{
	app_timing *t = b->time;
	t->refused = st;
	if (st != GT_OK)
		snprintf(t->why, sizeof t->why, "%s", gt_error());
	if (st == GT_OK || app_left_out(st))
		add_result(b, as_json(b, operation, t));
	return app_left_out(st) ? GT_OK : st;
}

/* A number read and a number written per cell; eight instructions per voxel seen by a view: two for its share of two
 * intervals, three for its value, and three for one row of the detector, interpolated. */
static void bound_stages(const bench *b, app_timing stage[2])
{
	const double bytes = gt_backend_rate(b->be, GT_BYTES), instructions = gt_backend_rate(b->be, GT_INSTRUCTIONS);
	stage[0].bound = gt_resource_name(GT_BYTES);
	stage[0].least_ms = bytes > 0 ? 1e3 * 2 * (double)(b->cells * gt_type_size(cli_type(b->call))) / bytes : 0;
	stage[1].bound = gt_resource_name(GT_INSTRUCTIONS);
	stage[1].least_ms = instructions > 0 ? 1e3 * 8 * b->overlap / 32 / instructions : 0;
}

static void add_stages(bench *b, app_timing stage[2])
{
	static const char *const names[] = { "filter", "smear" };
	bound_stages(b, stage);
	for (int i = 0; i < 2; i++) {
		stage[i].projector = b->time->projector;
		stage[i].peak_bytes = b->time->peak_bytes;
		cJSON *r = as_json(b, DIRECT, &stage[i]);
		cJSON_ReplaceItemInObject(r, "operation", cJSON_CreateString(names[i]));
		if (i == 0) {
			cJSON_DeleteItemFromObject(r, "gups");
			cJSON_DeleteItemFromObject(r, "gups_overlap");
		}
		add_result(b, r);
	}
}

static gt_status measure_direct(bench *b)
{
	app_timing *t = b->time, stage[2] = { { 0 }, { 0 } };
	app_method m = { 0 };
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(backend_of(b), &b->be));
	t->projector = b->o->method ? b->o->method : gt_analytic_for(b->scan)->name;
	t->runs = 0;
	t->least_ms = 0;
	GT_TRY(app_method_parse(t->projector, &m));
	if (!m.analytic)
		GT_TRY(gt_fail(GT_ERR_ARG, "--method=%s: expected a direct method, fdk, fbp or wfbp", t->projector));
	for (int i = 0; i < 2; i++)
		if (!(stage[i].ms = calloc((size_t)b->o->repeat, sizeof *stage[i].ms)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	st = time_direct(b, &m, stage);
	t->peak_bytes = (double)gt_backend_counters(b->be).peak_bytes;
	const int timed = st == GT_OK;
	GT_TRY(add_tried(b, DIRECT, st));
	if (timed)
		add_stages(b, stage);
done:
	for (int i = 0; i < 2; i++)
		free(stage[i].ms);
	app_method_free(&m);
	gt_backend_close(b->be);
	b->be = NULL;
	return st;
}

/* Limit: a projection and a backprojection of all views, each in one call. */
static gt_status measure_iteration(bench *b)
{
	app_timing *t = b->time;
	double ms = 0;
	for (int adjoint = 0; adjoint < 2; adjoint++) {
		const gt_status st = app_time_operators(backend_of(b), cli_type(b->call), &b->grid, b->scan, b->data, adjoint,
		                                        (int)b->o->repeat, t, 1);
		if (st != GT_OK)
			return st;
		ms += t->refused == GT_OK ? app_median(t->ms, (size_t)t->runs) : NAN;
	}
	const gt_status st = app_time_iteration(backend_of(b), cli_type(b->call), &b->grid, b->scan, b->data, b->o->solver, b->o->penalty,
	                                        (int)b->o->repeat, t);
	t->bound = "forward + back";
	t->least_ms = ms > 0 ? ms : 0;
	return add_tried(b, ITERATION, st);
}

/* One line for each thing that can be timed of a list. */
static gt_status measure_row(void *self, const char *spec)
{
	bench *b = self;
	app_timing *t = b->time;
	gt_status st = GT_OK;
	t->projector = spec;
	for (int i = 0; st == GT_OK; i++) {
		const char *what = NULL;
		st = b->operation == PENALTY
		             ? app_time_penalty(backend_of(b), cli_type(b->call), &b->grid, spec, i, (int)b->o->repeat, t, &what)
		             : app_time_vector(backend_of(b), cli_type(b->call), gt_grid_voxels(&b->grid), i, (int)b->o->repeat, t, &what);
		if (!what)
			break;
		if (st != GT_OK)
			return add_tried(b, b->operation, st);
		cJSON *r = as_json(b, b->operation, t);
		cJSON_ReplaceItemInObject(r, "operation", cJSON_CreateString(what));
		add_result(b, r);
	}
	return st;
}

/* What the projector prepares, if it names that. */
static gt_status measure_parts(bench *b)
{
	app_timing *t = b->time;
	char *name = strndup(t->projector, strcspn(t->projector, ":"));
	gt_status st = name ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	const char *const *part = gt_projector_find(name)->parts;
	for (size_t i = 0; part && part[i]; i++) {
		GT_TRY(app_time_part(backend_of(b), cli_type(b->call), &b->grid, b->scan, i, (int)b->o->repeat, t));
		cJSON *r = as_json(b, PARTS, t);
		cJSON_ReplaceItemInObject(r, "operation", cJSON_CreateString(part[i]));
		add_result(b, r);
	}
done:
	free(name);
	return st;
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

static const char *const groups[] = { "quick", "odd", NULL };
static const char *const no_groups[] = { NULL };

/* Every name of the list must be known; `also` are those that stand for several. */
static gt_status check_list(const char *what, const char *list, const char *const *also, const char *(*nth)(size_t), size_t n)
{
	for (const char *c = list; *c; c += strcspn(c, ","), c += *c == ',') {
		char *name = strndup(c, strcspn(c, ","));
		int known = name && !strcmp(name, "all");
		for (size_t i = 0; also[i] && name && !known; i++)
			known = !strcmp(name, also[i]);
		for (size_t i = 0; i < n && name && !known; i++)
			known = !strcmp(nth(i), name);
		const gt_status st = known ? GT_OK : cli_unknown(what, name ? name : "", nth, n);
		free(name);
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

/* Length of the first "NAME" or "NAME:key=value,key=value" of a list: a comma before key=value is its own. */
size_t app_spec_length(const char *list)
{
	size_t n = strcspn(list, ",");
	while (list[n] && list[n + 1 + strcspn(list + n + 1, "=:,")] == '=')
		n += 1 + strcspn(list + n + 1, ",");
	return n;
}

static gt_status each_of(const char *list, gt_status (*each)(void *self, const char *spec), void *self)
{
	gt_status st = GT_OK;
	char *spec = NULL;
	for (const char *c = list; *c; c += *c == ',') {
		const size_t n = app_spec_length(c);
		if (!(spec = strndup(c, n)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		GT_TRY(each(self, spec));
		free(spec);
		spec = NULL;
		c += n;
	}
done:
	free(spec);
	return st;
}

/* Every projector of the list, or of the table if it is "all". */
static gt_status each_projector(const char *list, gt_status (*each)(void *self, const char *spec), void *self)
{
	gt_status st = GT_OK;
	if (strcmp(list, "all"))
		return each_of(list, each, self);
	for (size_t i = 0; gt_projectors[i] && st == GT_OK; i++)
		st = each(self, gt_projectors[i]->name);
	return st;
}

static gt_status check_penalty(void *self, const char *spec)
{
	(void)self;
	return app_penalty_check(spec);
}

static gt_status check_projector(void *self, const char *spec)
{
	(void)self;
	return app_projector_check(spec);
}

static gt_status check_lists(const bench_options *o)
{
	size_t workloads = 0;
	gt_status st = GT_OK;
	while (app_workloads[workloads].name)
		workloads++;
	GT_TRY(check_list("workload", o->workload, groups, nth_workload, workloads));
	GT_TRY(check_list("operation", o->operation, no_groups, nth_operation, OPERATIONS));
	GT_TRY(each_projector(o->projector, check_projector, NULL));
	if (o->vs)
		GT_TRY(app_projector_check(o->vs));
	if (o->penalty)
		GT_TRY(each_of(o->penalty, check_penalty, NULL));
done:
	return st;
}

/* With --vs, operators alone, unless others are asked for by name. */
static int wanted(const bench_options *o, int operation)
{
	if (o->vs && operation >= DIRECT && !strcmp(o->operation, "all"))
		return 0;
	return in_list(o->operation, operations[operation]);
}

static gt_status measure_projector(void *self, const char *spec)
{
	bench *b = self;
	b->time->projector = spec;
	if (b->operation == PARTS)
		return measure_parts(b);
	return b->operation == ITERATION ? measure_iteration(b) : measure_operator(b, b->operation);
}

static gt_status run_operation(bench *b, int operation)
{
	b->operation = operation;
	if (operation == DIRECT)
		return measure_direct(b);
	if (operation == PENALTY)
		return each_of(b->o->penalty ? b->o->penalty : standard_penalties, measure_row, b);
	if (operation == VECTORS)
		return measure_row(b, gt_type_name(cli_type(b->call)));
	return each_projector(b->o->projector, measure_projector, b);
}

static gt_status run_workload(bench *b)
{
	const bench_options *o = b->o;
	gt_status st = GT_OK;
	GT_TRY(app_workload_make(b->workload, (size_t)o->every, &b->scan, &b->grid));
	b->overlap = app_overlap(b->scan, &b->grid);
	b->cells = gt_scan_cells(b->scan);
	GT_TRY(gt_host_room((double)b->cells * sizeof *b->data, "the projections"));
	if (!(b->data = malloc(b->cells * sizeof *b->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "the projections need %.3g MB", (double)b->cells * 4e-6));
	app_fill_random(b->data, b->cells);
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
		printf("%s, %s\n%-14s %-10s %-10s %6s %11s %9s %9s %10s  %s\n", gt_backend_name(be), gt_backend_describe(be), "workload",
		       "operation", "by", "views", "ms", "GUPS", "overlap", "peak MiB", "of the limit");
	gt_backend_close(be);
	return GT_OK;
}

/* By its name, or as one of a group: those whose names start so. */
static int is_wanted(const bench_options *o, const char *name)
{
	for (size_t i = 0; groups[i]; i++)
		if (!strncmp(name, groups[i], strlen(groups[i])) && in_list(o->workload, groups[i]))
			return 1;
	return in_list(o->workload, name);
}

static int run(const cli_call *call, const void *given)
{
	const bench_options *o = given;
	cJSON *report = cJSON_CreateObject();
	bench b = { .call = call, .o = o, .results = cJSON_AddArrayToObject(report, "results") };
	gt_status st = b.results ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (int i = 0; i < 2; i++)
		if (!(b.time[i].ms = malloc((size_t)o->repeat * sizeof(double))))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(check_lists(o));
	GT_TRY(app_iteration_check(o->solver));
	if (o->output)
		GT_TRY(gt_can_write(o->output));
	GT_TRY(start_report(call, report));
	for (b.workload = app_workloads; b.workload->name; b.workload++)
		if (is_wanted(o, b.workload->name))
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
	.about = "times of standard problems",
	.synopsis = "[options]",
	.notes =
		"GUPS = voxels x views / 2^30 / s; 'overlap' counts only voxels that the view sees. 'of the limit': least time by what the\n"
		"device has of the named resource, by the time. 'iteration' is one pass over all subsets, with the solver's own bookkeeping, beside\n"
		"a projection and a backprojection of all views in one call each. 'penalty' and 'vectors' work on the volume, beside a copy of as\n"
		"many bytes as they read and write.\n"
		"'parts': what the branchless projectors prepare, the integral images, beside a copy of as many bytes.\n\n"
		"  gantry bench --workload ge-hd --backend cuda:0 -o ge-hd.json\n"
		"  gantry bench --workload ge-hd --operation forward,back --projector all --vs dd\n"
		"  gantry bench --workload ge-hd --operation forward,back --every 41 --backend cpu:1\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.list = list,
};
