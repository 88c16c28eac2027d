/* Times of complete iterations and direct methods on 1, 2, 4 ... devices together, the speed-up, and the model's
 * prediction. */
#include <gantry/analytic.h>
#include <gantry/recon.h>
#include "analytic/fbp/slab.h"
#include "apps/bench/bench_case.h"
#include "core/order_statistics.h"
#include "recon/modules.h"

enum { MAX_COUNTS = 16 };

/* A method with its penalty; NULL: the analytic method of the scan, complete or its kernels alone. */
typedef struct {
	const char *solver, *penalty;
	int kernels;
} team_entry;
static const team_entry standard[] = { { "pcg", "qggmrf:strength=100", 0 },
	                               { "os-sart:subsets=12", NULL, 0 },
	                               { "fista:prox=yes", "tv:strength=0.01", 0 },
	                               { NULL, NULL, 0 } };
static const char workloads[] = "ge-hd,ge-hd-helical,cube512,cube1024";

/* One line: an entry on one number of devices. */
typedef struct {
	bench_case *b;
	const team_entry *e;
	const char *split;
	int ranks;
	double ms[64], last, one_ms, model;
	int runs, stops_at;
	double peak;
	char chosen[32];
} timing;

/* Counts -------------------------------------------------------------------- */

static gt_status read_counts(const char *list, int count[MAX_COUNTS + 1])
{
	int n = 0;
	for (const char *c = list; *c;) {
		char *end;
		const long v = strtol(c, &end, 10);
		if (end == c || (*end && *end != ',') || (*end && !end[1]) || v < 1 || v > 64 || n == MAX_COUNTS)
			return gt_fail(GT_ERR_ARG, "--gpus=%s: expected numbers of devices as 1,2,4", list);
		count[n++] = (int)v;
		c = end + (*end == ',');
	}
	count[n] = 0;
	return n ? GT_OK : gt_fail(GT_ERR_ARG, "--gpus: expected numbers of devices as 1,2,4");
}

/* Names the first GPUs, or ranks of two threads each with --backend cpu:2. */
static gt_status backend_of(const timing *t, char *name, size_t size)
{
	const char *asked = t->b->call->common.backend;
	const int on_cpu = asked && !strncmp(asked, "cpu", 3);
	const int threads = on_cpu && asked[3] ? atoi(asked + 4) : 1;
	const int streams = asked && !strncmp(asked, "stream", 6) && t->ranks == 1;
	if (asked && !on_cpu && !streams && strcmp(asked, "cuda") && strcmp(asked, "auto"))
		return gt_fail(GT_ERR_ARG, "--backend=%s: with --gpus expected cuda, cpu:THREADS per rank, or stream:DEVICE for one device",
		               asked);
	if (streams)
		snprintf(name, size, "%s", asked);
	else if (on_cpu)
		snprintf(name, size, t->ranks > 1 ? "cpu:%dx%d" : "cpu:%d", threads > 0 ? threads : 1, t->ranks);
	else
		snprintf(name, size, t->ranks > 1 ? "cuda:0-%d" : "cuda:0", t->ranks - 1);
	return GT_OK;
}

/* Measuring ------------------------------------------------------------------- */

/* The first iteration warms up and includes the preparation. */
static int each(void *self, const gt_recon_progress *p)
{
	timing *t = self;
	if (p->phase != GT_RECON_ITERATION)
		return 0;
	if (p->iteration > 1 && t->runs < t->stops_at)
		t->ms[t->runs++] = 1e3 * (p->seconds - t->last);
	t->last = p->seconds;
	return t->runs >= t->stops_at;
}

typedef struct {
	const char *key, *value;
} setting;

static gt_status set_each(gt_recon *r, const setting *s)
{
	gt_status st = GT_OK;
	for (; s->key && st == GT_OK; s++)
		st = gt_recon_set(r, s->key, s->value);
	return st;
}

static gt_status set_all(gt_recon *r, const timing *t, const char *backend)
{
	const char *solver = t->e->solver;
	const size_t room = solver ? strlen(solver) + 40 : 1;
	char *all = malloc(room);
	gt_status st = all ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	if (solver)
		snprintf(all, room, "%s%citerations=%d", solver, strchr(solver, ':') ? ',' : ':', t->stops_at + 1);
	const setting both[] = { { "backend", backend },
		                 { "split", t->ranks > 1 ? t->split : NULL },
		                 { "padding", "no" },
		                 { "outside", "no" },
		                 { "check", "no" },
		                 { "force", "yes" },
		                 { "precision", gt_type_name(cli_type(t->b->call)) },
		                 { "solver", solver ? all : gt_analytic_for(t->b->scan)->name },
		                 { NULL, NULL } };
	const setting iterative[] = { { "weights", "uniform" },
		                      { "init", "zero" },
		                      { "projector", t->b->o->projector },
		                      { "penalty", t->e->penalty },
		                      { NULL, NULL } };
	GT_TRY(set_each(r, both));
	if (solver)
		GT_TRY(set_each(r, iterative));
	GT_TRY(gt_recon_grid(r, &t->b->grid));
done:
	free(all);
	return st;
}

/* Repeats an analytic method from projections in memory to voxels in memory. */
static gt_status run_all(gt_recon *r, timing *t, gt_volume *v)
{
	gt_recon_outcome found = { .size = sizeof found };
	const int runs = t->e->solver ? 1 : t->stops_at + 1;
	for (int i = 0; i < runs; i++) {
		GT_OR_RETURN(gt_recon_run(r, v));
		GT_OR_RETURN(gt_recon_result(r, &found));
		if (!t->e->solver && i)
			t->ms[t->runs++] = 1e3 * found.seconds;
	}
	t->peak = found.device_peak;
	const char *model = gt_recon_text(r, "model");
	t->model = model ? 1e3 * strtod(model, NULL) : NAN;
	const char *split = gt_recon_text(r, "split");
	snprintf(t->chosen, sizeof t->chosen, "%s", split ? split : "-");
	return GT_OK;
}

/* Returns the threads per rank on the CPU; 0: GPUs. */
static int cpu_threads(const timing *t)
{
	const char *asked = t->b->call->common.backend;
	const int n = asked && !strncmp(asked, "cpu", 3) && asked[3] ? atoi(asked + 4) : 1;
	return asked && !strncmp(asked, "cpu", 3) ? n > 0 ? n : 1 : 0;
}

/* Slices and rows of each device are in its memory before the timing. */
static gt_status measure_kernels(timing *t)
{
	enum { NAME = 16 };
	char name[64][NAME];
	const char *backend[64];
	double seconds[64];
	for (int k = 0; k < t->ranks; k++) {
		if (cpu_threads(t))
			snprintf(name[k], NAME, "cpu:%d", cpu_threads(t) < 999 ? cpu_threads(t) : 999);
		else
			snprintf(name[k], NAME, "cuda:%d", k);
		backend[k] = name[k];
	}
	gt_status st = bench_kernels(t->b, backend, t->ranks, t->stops_at, seconds, &t->peak);
	for (t->runs = 0; st == GT_OK && t->runs < t->stops_at; t->runs++)
		t->ms[t->runs] = 1e3 * seconds[t->runs];
	t->model = NAN;
	snprintf(t->chosen, sizeof t->chosen, "%s", t->ranks > 1 ? "slices" : "-");
	return st;
}

static gt_status measure(timing *t, gt_volume *v)
{
	if (t->e->kernels)
		return measure_kernels(t);
	gt_projections *p = NULL;
	gt_recon *r = NULL;
	gt_status st = GT_OK;
	char backend[48];
	GT_TRY(backend_of(t, backend, sizeof backend));
	GT_TRY(gt_projections_wrap(t->b->scan, t->b->data, NULL, NULL, &p));
	GT_TRY(gt_recon_new(p, &r));
	GT_TRY(set_all(r, t, backend));
	gt_recon_on_progress(r, each, t);
	GT_TRY(run_all(r, t, v));
done:
	gt_recon_free(r);
	gt_projections_free(p);
	return st;
}

/* Lines ----------------------------------------------------------------------- */

static cJSON *line_of(const timing *t, const char *why)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "workload", t->b->workload->name);
	char direct[32];
	snprintf(direct, sizeof direct, "%s%s", gt_analytic_for(t->b->scan)->name, t->e->kernels ? " kernels" : "");
	cJSON_AddStringToObject(o, "method", t->e->solver ? t->e->solver : direct);
	if (t->e->penalty)
		cJSON_AddStringToObject(o, "penalty", t->e->penalty);
	cJSON_AddNumberToObject(o, "members", t->ranks);
	if (why) {
		cJSON_AddStringToObject(o, "refused", why);
		return o;
	}
	const double ms = gt_median(t->ms, (size_t)t->runs);
	cJSON_AddStringToObject(o, "split", t->chosen);
	cJSON_AddNumberToObject(o, "repeat", t->runs);
	cJSON_AddNumberToObject(o, "ms", ms);
	if (t->one_ms > 0) {
		cJSON_AddNumberToObject(o, "speedup", t->one_ms / ms);
		cJSON_AddNumberToObject(o, "efficiency", t->one_ms / ms / t->ranks);
	}
	if (!t->e->kernels) {
		cJSON_AddNumberToObject(o, "model_ms", t->model);
		cJSON_AddNumberToObject(o, "model_error", t->model / ms - 1);
	}
	cJSON_AddNumberToObject(o, "peak_bytes", t->peak);
	return o;
}

static double number(const cJSON *o, const char *key)
{
	const cJSON *i = cJSON_GetObjectItem(o, key);
	return i ? i->valuedouble : NAN;
}

static void add_line(const timing *t, const char *why)
{
	cJSON *o = line_of(t, why);
	cJSON_AddItemToArray(t->b->results, o);
	if (t->b->call->common.json)
		return;
	printf("%-14s %-20s %7d ", t->b->workload->name, cJSON_GetObjectItem(o, "method")->valuestring, t->ranks);
	if (why)
		printf("%s\n", why);
	else if (isnan(t->model))
		printf("%-7s %11.2f %8.2f %6.0f %% %11s %8s %10.1f\n", t->chosen, number(o, "ms"), number(o, "speedup"),
		       100 * number(o, "efficiency"), "-", "-", t->peak / 1048576);
	else
		printf("%-7s %11.2f %8.2f %6.0f %% %11.2f %+6.0f %% %10.1f\n", t->chosen, number(o, "ms"), number(o, "speedup"),
		       100 * number(o, "efficiency"), t->model, 100 * number(o, "model_error"), t->peak / 1048576);
	fflush(stdout);
}

/* Times one entry on every number of devices, with each requested split. */
static gt_status run_entry(bench_case *b, const team_entry *e, const int *count, gt_volume *v)
{
	double one = 0;
	gt_status st = GT_OK;
	char *splits = strdup(b->o->split), *rest = splits;
	if (!splits)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (const char *split; (split = strsep(&rest, ","));)
		for (const int *n = count; *n; n++) {
			timing t = { .b = b, .e = e, .split = e->solver ? split : "auto", .ranks = *n, .one_ms = one };
			if ((*n == 1 || !e->solver) && split != splits)
				continue; /* equal to the previous one */
			t.stops_at = b->o->repeat < 63 ? (int)b->o->repeat : 63;
			st = measure(&t, v);
			if (st == GT_OK && *n == 1)
				one = t.one_ms = gt_median(t.ms, (size_t)t.runs);
			if (st == GT_OK)
				add_line(&t, NULL);
			else if (app_left_out(st) || st == GT_ERR_DEVICE)
				add_line(&t, gt_error());
			else
				GT_TRY(st);
			st = GT_OK;
		}
done:
	free(splits);
	return st;
}

static gt_status run_workload(bench_case *b, const int *count)
{
	const team_entry asked = { b->o->solver, b->o->penalty, 0 }, direct = { NULL, NULL, 0 }, kernels = { NULL, NULL, 1 };
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	GT_TRY(bench_make_workload(b));
	b->cells = gt_scan_size(b->scan);
	if (!(b->data = malloc(b->cells * sizeof *b->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: the projections need %.3g MB", b->workload->name, (double)b->cells * 4e-6));
	app_fill_random(b->data, b->cells);
	GT_TRY(gt_volume_new(&b->grid, &v));
	const int iterates = bench_in_list(b->o->operation, bench_operations[ITERATION]);
	for (const team_entry *e = standard; iterates && !b->o->solver && e->solver; e++)
		GT_TRY(run_entry(b, e, count, v));
	if (iterates && b->o->solver)
		GT_TRY(run_entry(b, &asked, count, v));
	if (bench_in_list(b->o->operation, bench_operations[DIRECT])) {
		GT_TRY(run_entry(b, &direct, count, v));
		if (gt_slab_plan_supports(gt_analytic_for(b->scan)))
			GT_TRY(run_entry(b, &kernels, count, v));
	}
done:
	gt_volume_free(v);
	free(b->data);
	b->data = NULL;
	gt_scan_free(b->scan);
	b->scan = NULL;
	return st;
}

gt_status bench_check_team(const bench_options *o)
{
	int count[MAX_COUNTS + 1];
	gt_status st = GT_OK;
	char *splits = strdup(o->split), *rest = splits;
	if (!splits)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (const char *split; (split = strsep(&rest, ","));)
		GT_TRY(gt_recon_check("split", split));
	if (o->vs)
		GT_TRY(gt_fail(GT_ERR_ARG, "--vs and --gpus cannot be combined"));
	st = read_counts(o->gpus, count);
done:
	free(splits);
	return st;
}

const char *bench_team_workloads(void) { return workloads; }

gt_status bench_run_team(bench_case *b)
{
	int count[MAX_COUNTS + 1];
	GT_OR_RETURN(read_counts(b->o->gpus, count));
	if (!b->call->common.json)
		printf("%-14s %-20s %7s %-7s %11s %8s %8s %11s %8s %10s\n", "workload", "method", "members", "split", "ms", "speed-up",
		       "effic.", "model, ms", "error", "peak MiB");
	for (b->workload = app_workloads; b->workload->name; b->workload++)
		if (bench_wanted(b->o, b->workload->name))
			GT_OR_RETURN(run_workload(b, count));
	return GT_OK;
}
