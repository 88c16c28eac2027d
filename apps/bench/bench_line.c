/* Lines of `gantry bench`: JSON objects, from which the text is printed. */
#include "apps/bench/bench_case.h"
#include "core/order_statistics.h"

/* Meaning of the column `by`. */
static const char *const by[] = { "projector", "projector", "method", "projector", "projector", "penalty", "vector", "basis" };

cJSON *bench_line(const bench_case *b, int operation, const app_timing *t)
{
	const double voxels = (double)gt_grid_voxels(&b->grid), ms = gt_median(t->ms, (size_t)t->runs);
	cJSON *r = cJSON_CreateObject();
	cJSON_AddStringToObject(r, "workload", b->workload->name);
	cJSON_AddStringToObject(r, "operation", bench_operations[operation]);
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
	double min = t->ms[0], max = t->ms[0];
	for (int i = 1; i < t->runs; i++) {
		min = fmin(min, t->ms[i]);
		max = fmax(max, t->ms[i]);
	}
	cJSON_AddNumberToObject(r, "ms", ms);
	cJSON_AddNumberToObject(r, "ms_least", min);
	cJSON_AddNumberToObject(r, "ms_most", max);
	if (operation < PARTS) {
		cJSON_AddNumberToObject(r, "gups", voxels * (double)b->scan->views / 1073741824 / (1e-3 * ms));
		cJSON_AddNumberToObject(r, "gups_overlap", b->overlap / 1073741824 / (1e-3 * ms));
	}
	if (t->min_ms > 0) {
		cJSON_AddStringToObject(r, "bound", t->bound);
		cJSON_AddNumberToObject(r, "bound_ms", t->min_ms);
		cJSON_AddNumberToObject(r, "fraction_of_bound", t->min_ms / ms);
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
	char who[128];
	snprintf(who, sizeof who, "%s%s%s", name, text(r, "solver") ? " " : "", text(r, "solver") ? text(r, "solver") : "");
	printf("%-14s %-*s %-*s ", text(r, "workload"), BENCH_OPERATION, text(r, "operation"), BENCH_BY, who);
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

void bench_add(bench_case *b, cJSON *r)
{
	cJSON_AddItemToArray(b->results, r);
	if (!b->call->common.json)
		print_line(r);
	fflush(stdout);
}
