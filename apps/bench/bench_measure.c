/* Measurements of `gantry bench`, one function per operation. */
#include <gantry/projector.h>
#include "analytic/table.h"
#include "apps/bench/bench_case.h"
#include "apps/cli/progress.h"
#include "core/basis/basis_parts.h"
#include "core/linop.h"
#include "core/order_statistics.h"
#include "projectors/table.h"
#include "recon/choose.h"
#include "recon/modules.h"

const char *bench_backend(const bench_case *b) { return b->call->common.backend ? b->call->common.backend : "auto"; }

/* Returns the median ratio of adjacent runs: temporary slowdowns affect both. */
static double ratio(const app_timing *a, const app_timing *b)
{
	double *each = malloc((size_t)a->runs * sizeof *each), median = NAN;
	for (int i = 0; each && i < a->runs; i++)
		each[i] = a->ms[i] / b->ms[i];
	if (each)
		median = gt_median(each, (size_t)a->runs);
	free(each);
	return median;
}

/* An impossible combination (a projector that refuses the geometry, too little memory, more subsets than views)
 * becomes a line of the table. */
static gt_status add_tried(bench_case *b, int operation, gt_status st)
{
	app_timing *t = b->time;
	t->refused = st;
	if (st != GT_OK)
		snprintf(t->why, sizeof t->why, "%s", gt_error());
	if (st == GT_OK || app_left_out(st))
		bench_add(b, bench_line(b, operation, t));
	return app_left_out(st) ? GT_OK : st;
}

static gt_status measure_operator(bench_case *b, int operation)
{
	app_timing *t = b->time;
	const size_t n = b->o->vs && strcmp(b->o->vs, t->projector) ? 2 : 1;
	t[1].projector = b->o->vs;
	const gt_status st = app_time_operators(bench_backend(b), cli_type(b->call), &b->grid, b->scan, b->data, operation == BACK,
	                                        (int)b->o->repeat, t, n);
	if (st != GT_OK)
		return add_tried(b, operation, st);
	cJSON *r = bench_line(b, operation, &t[0]);
	if (n == 2 && t[0].refused == GT_OK && t[1].refused == GT_OK) {
		cJSON_AddStringToObject(r, "vs", b->o->vs);
		cJSON_AddNumberToObject(r, "vs_ms", gt_median(t[1].ms, (size_t)t[1].runs));
		cJSON_AddNumberToObject(r, "ratio", ratio(&t[0], &t[1]));
	}
	bench_add(b, r);
	if (n == 2 && t[1].refused != GT_OK)
		bench_add(b, bench_line(b, operation, &t[1]));
	return GT_OK;
}

/* The limit is a projection and a backprojection of all views, each in one call. */
static gt_status measure_iteration(bench_case *b)
{
	app_timing *t = b->time;
	double ms = 0;
	for (int adjoint = 0; adjoint < 2; adjoint++) {
		const gt_status st = app_time_operators(bench_backend(b), cli_type(b->call), &b->grid, b->scan, b->data, adjoint,
		                                        (int)b->o->repeat, t, 1);
		if (st != GT_OK)
			return add_tried(b, ITERATION, st);
		ms += t->refused == GT_OK ? gt_median(t->ms, (size_t)t->runs) : NAN;
	}
	const gt_status st = app_time_iteration(bench_backend(b), cli_type(b->call), &b->grid, b->scan, b->data, b->o->solver,
	                                        b->o->penalty, (int)b->o->repeat, t);
	t->bound = "forward + back";
	t->min_ms = ms > 0 ? ms : 0;
	return add_tried(b, ITERATION, st);
}

/* Times the projector's preparation, if it names its parts. */
static gt_status measure_parts(bench_case *b)
{
	app_timing *t = b->time;
	const gt_module *module;
	void *options;
	gt_status st = gt_module_parse("projector", t->projector, &module, &options);
	GT_TRY(st);
	const char *name = module->name;
	const struct gt_projector_parts *parts = gt_projector_find(name)->parts;
	const char *const *part = parts ? parts->names : NULL;
	if (!part && strcmp(b->o->operation, "all") && strcmp(b->o->projector, "all"))
		cli_note(b->call, "%s: %s has no preparation to time", bench_operations[PARTS], name);
	for (size_t i = 0; part && part[i]; i++) {
		GT_TRY(app_time_part(bench_backend(b), cli_type(b->call), &b->grid, b->scan, i, (int)b->o->repeat, t));
		cJSON *r = bench_line(b, PARTS, t);
		cJSON_ReplaceItemInObject(r, "operation", cJSON_CreateString(part[i]));
		bench_add(b, r);
	}
done:
	gt_free(options);
	return st;
}

gt_status bench_measure_projector(bench_case *b, int operation)
{
	if (operation == PARTS)
		return measure_parts(b);
	return operation == ITERATION ? measure_iteration(b) : measure_operator(b, operation);
}

/* Times the whole method, then its stages equally often. */
static gt_status time_direct(bench_case *b, const gt_method *m, app_timing stage[2])
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

/* One number read and one written per pixel. Eight instructions per voxel in a view: two for its overlap with two
 * intervals, three for its value, three for one interpolated detector row. */
static void bound_stages(const bench_case *b, app_timing stage[2])
{
	const double bytes = gt_backend_rate(b->be, GT_BYTES), instructions = gt_backend_rate(b->be, GT_INSTRUCTIONS);
	stage[0].bound = gt_resource_name(GT_BYTES);
	stage[0].min_ms = bytes > 0 ? 1e3 * 2 * (double)(b->cells * gt_type_size(cli_type(b->call))) / bytes : 0;
	stage[1].bound = gt_resource_name(GT_INSTRUCTIONS);
	stage[1].min_ms = instructions > 0 ? 1e3 * 8 * b->overlap / 32 / instructions : 0;
}

static void add_stages(bench_case *b, app_timing stage[2])
{
	static const char *const names[] = { "filter", "backprojection" };
	bound_stages(b, stage);
	for (int i = 0; i < 2; i++) {
		stage[i].projector = b->time->projector;
		stage[i].peak_bytes = b->time->peak_bytes;
		cJSON *r = bench_line(b, DIRECT, &stage[i]);
		cJSON_ReplaceItemInObject(r, "operation", cJSON_CreateString(names[i]));
		if (i == 0) {
			cJSON_DeleteItemFromObject(r, "gups");
			cJSON_DeleteItemFromObject(r, "gups_overlap");
		}
		bench_add(b, r);
	}
}

static gt_status parse_direct(const char *method, gt_method *m)
{
	const gt_status st = gt_method_parse(method, m);
	return st != GT_OK   ? st
	       : m->analytic ? GT_OK
	                     : gt_fail(GT_ERR_ARG, "--method=%s: expected an analytic method, fdk, fbp or wfbp", method);
}

gt_status bench_check_method(const char *method)
{
	gt_method m = { 0 };
	const gt_status st = parse_direct(method, &m);
	gt_method_free(&m);
	return st;
}

gt_status bench_measure_direct(bench_case *b)
{
	app_timing *t = b->time, stage[2] = { { 0 }, { 0 } };
	gt_method m = { 0 };
	/* GUPS count all voxels, so all are computed. */
	char *standard = cli_text("%s:mask=none", gt_analytic_for(b->scan)->name);
	gt_status st = GT_OK;
	if (!standard)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_backend_open(bench_backend(b), &b->be));
	t->projector = b->o->method ? b->o->method : standard;
	t->runs = 0;
	t->min_ms = 0;
	GT_TRY(parse_direct(t->projector, &m));
	for (int i = 0; i < 2; i++)
		if (!(stage[i].ms = calloc((size_t)b->o->repeat, sizeof *stage[i].ms)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	gt_method_note_form(&b->call->log, m.analytic, m.options, b->be);
	st = time_direct(b, &m, stage);
	t->peak_bytes = bench_peak_bytes(b->be);
	const int timed = st == GT_OK;
	GT_TRY(add_tried(b, DIRECT, st));
	if (timed)
		add_stages(b, stage);
done:
	for (int i = 0; i < 2; i++)
		free(stage[i].ms);
	gt_method_free(&m);
	gt_backend_close(b->be);
	b->be = NULL;
	t->projector = NULL;
	free(standard);
	return st;
}

/* Times the i-th function of a row, if it exists; sets *what. */
static gt_status time_nth(const bench_case *b, int operation, int i, app_timing *t, const char **what)
{
	const char *backend = bench_backend(b);
	const gt_type type = cli_type(b->call);
	const size_t n = gt_grid_voxels(&b->grid);
	if (operation == PENALTY)
		return app_time_penalty(backend, type, &b->grid, t->projector, i, (int)b->o->repeat, t, what);
	if (operation == VECTORS)
		return app_time_vector(backend, type, n, i, (int)b->o->repeat, t, what);
	*what = gt_basis_parts[i];
	return *what ? app_time_basis(backend, type, n, (size_t)b->o->vectors, (size_t)i, (int)b->o->repeat, t) : GT_OK;
}

/* Adds one line per function of every entry of a list. */
gt_status bench_measure_row(bench_case *b, int operation, const char *spec)
{
	app_timing *t = b->time;
	gt_status st = GT_OK;
	t->projector = spec;
	for (int i = 0; st == GT_OK; i++) {
		const char *what = NULL;
		st = time_nth(b, operation, i, t, &what);
		if (!what)
			break;
		if (st != GT_OK)
			return add_tried(b, operation, st);
		cJSON *r = bench_line(b, operation, t);
		cJSON_ReplaceItemInObject(r, "operation", cJSON_CreateString(what));
		bench_add(b, r);
	}
	return st;
}
