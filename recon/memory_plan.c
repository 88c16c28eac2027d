#include "core/text.h"
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "apps/cli/bytes.h"
#include "io/utf8.h"
#include "recon/memory_plan.h"

static gt_counters counters(const gt_backend *be)
{
	gt_counters count;
	gt_backend_counters(be, &count);
	return count;
}

static size_t held(const gt_backend *be) { return counters(be).bytes; }

static double bytes_of(size_t n) { return (double)n * sizeof(float); }

void gt_memory_estimate_begin(gt_memory_estimate *plan, const gt_projections *p, const gt_grid *grid)
{
	const double cells = bytes_of(gt_scan_size(p->scan));
	*plan = (gt_memory_estimate){ .host_free = plan->host_free,
		                      .host_cells = cells,
		                      .host_projections = cells * (1 + (p->weight != NULL) + (p->photons != NULL)),
		                      .host_volume = bytes_of(gt_grid_voxels(grid)) };
}

void gt_memory_estimate_open(gt_memory_estimate *plan, gt_backend *be)
{
	if (!plan)
		return;
	plan->on_host = !gt_backend_is_gpu(be);
	gt_backend_memory(be, &plan->free, &plan->total);
	snprintf(plan->backend, sizeof plan->backend, "%s", gt_backend_name(be));
	snprintf(plan->about, sizeof plan->about, "%s", gt_backend_describe(be));
}

void gt_memory_estimate_volume(gt_memory_estimate *plan, const gt_backend *be)
{
	if (plan)
		plan->volume = held(be);
}

void gt_memory_estimate_started(gt_memory_estimate *plan, const gt_backend *be)
{
	if (plan)
		plan->start_peak = counters(be).peak_bytes;
}

/* A strength is found from a copy of the volume, a list of its voxels and a sample of the noise of the data. */
void gt_memory_estimate_penalty(gt_memory_estimate *plan, const gt_backend *be, int finds_strength)
{
	if (!plan)
		return;
	plan->penalty = held(be) - plan->volume - plan->data - plan->weights - plan->operators;
	plan->prior_peak = counters(be).peak_bytes;
	plan->host_strength = finds_strength ? plan->host_volume * 3 + plan->host_cells : 0;
}

void gt_memory_estimate_subsets(gt_memory_estimate *plan, const gt_backend *be, const gt_subsets *s, int weighted, const gt_scan *scan)
{
	if (!plan)
		return;
	plan->views = scan->views;
	plan->subsets = s->subsets;
	for (size_t k = 0; k < s->subsets; k++) {
		plan->data += gt_array_bytes(s->b[k]);
		plan->weights += s->w ? gt_array_bytes(s->w[k]) : 0;
	}
	plan->operators = held(be) - plan->volume - plan->penalty - plan->data - plan->weights;
	const size_t largest = (scan->views + s->subsets - 1) / s->subsets;
	plan->host_subset = s->subsets > 1 ? bytes_of(largest * scan->rows * scan->columns) : 0;
	plan->host_weights = weighted ? bytes_of(gt_scan_size(scan)) : 0;
}

void gt_memory_estimate_solved(gt_memory_estimate *plan, const gt_backend *be, size_t iterating, size_t best)
{
	if (!plan)
		return;
	plan->best = best;
	plan->solver = iterating - held(be) - best;
}

void gt_memory_estimate_close(gt_memory_estimate *plan, const gt_backend *be)
{
	if (!plan)
		return;
	plan->peak = counters(be).peak_bytes;
	if (plan->peak > plan->free && plan->peak > plan->prior_peak) { /* a run goes without the best image then */
		plan->peak = plan->peak - plan->best > plan->prior_peak ? plan->peak - plan->best : plan->prior_peak;
		plan->best = 0;
	}
	plan->host_peak = plan->host_projections + plan->host_volume + plan->host_weights + (plan->on_host ? (double)plan->peak : 0);
	/* On the way to the device goes one subset at a time, when the solver's memory is not taken yet; nor when a strength is found. */
	const double more = plan->host_subset > plan->host_strength ? plan->host_subset : plan->host_strength;
	const double early = plan->host_peak + more - (plan->on_host ? (double)(plan->solver + plan->best) : 0);
	if (early > plan->host_peak)
		plan->host_peak = early;
}

void gt_memory_estimate_limit(gt_memory_estimate *plan, double bytes)
{
	plan->limited = bytes > 0;
	if (plan->limited && bytes < (double)plan->free)
		plan->free = (size_t)bytes;
}

static int fits_device(const gt_memory_estimate *plan) { return (plan->on_host && !plan->limited) || plan->peak <= plan->free; }

int gt_memory_estimate_fits(const gt_memory_estimate *plan)
{
	return fits_device(plan) && (plan->host_free < 0 || plan->host_peak <= plan->host_free);
}

/* What would fit ---------------------------------------------------------------- */

/* "; --WHAT (X GiB)" if that fits. */
static void offer(const gt_memory_dry_run *r, const gt_memory_variant *v, const gt_memory_estimate *asked, const char *what, char **list)
{
	gt_memory_estimate plan = *asked;
	if (r->rehearse(r->self, v, &plan) != GT_OK || !gt_memory_estimate_fits(&plan))
		return;
	char *more = gt_text("%s%s%s (%s)", *list ? *list : "", *list ? ", or " : "", what,
	                     app_bytes_text(plan.on_host ? plan.host_peak : (double)plan.peak).text);
	free(*list);
	*list = more;
}

/* The same place with fewer and larger voxels. */
static gt_grid coarser(const gt_grid *grid, double factor)
{
	gt_grid g = *grid;
	for (int a = 0; a < 3; a++) {
		const double length = (double)grid->n[a] * grid->pitch[a];
		const size_t n = (size_t)((double)grid->n[a] * factor);
		g.n[a] = n ? n : 1;
		char text[32];
		snprintf(text, sizeof text, "%.4g", length / (double)g.n[a]);
		g.pitch[a] = strtod(text, NULL);
	}
	return g;
}

enum { HALVINGS = 5 };

/* The finest grid that fits, to 1/2^HALVINGS of the one asked for along each axis. */
static void offer_grid(const gt_memory_dry_run *r, const gt_memory_estimate *asked, char **list)
{
	char text[256];
	double fits = 0, fails = 1;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (fits + fails) / 2;
		const gt_grid g = coarser(r->grid, middle);
		gt_memory_estimate plan = *asked;
		if (r->rehearse(r->self, &(gt_memory_variant){ .grid = &g }, &plan) == GT_OK && gt_memory_estimate_fits(&plan))
			fits = middle;
		else
			fails = middle;
	}
	if (!(fits > 0))
		return;
	const gt_grid g = coarser(r->grid, fits);
	gt_grid_print(&g, text, sizeof text);
	char *what = gt_text("--grid %s", text);
	if (what)
		offer(r, &(gt_memory_variant){ .grid = &g }, asked, what, list);
	free(what);
}

static const gt_param *find_param(const gt_param *p, const char *key)
{
	while (p && p->key && strcmp(p->key, key))
		p++;
	return p && p->key ? p : NULL;
}

/* The method's options with another value of `keep`: malloc'ed; NULL if it has no such parameter. */
static void *with_keep(const gt_method *m, const char *value)
{
	const gt_param *keep = m->solver ? find_param(m->solver->params, "keep") : NULL;
	void *options = keep ? malloc(m->solver->options_size) : NULL;
	char text[32];
	if (!options)
		return NULL;
	memcpy(options, m->options, m->solver->options_size);
	snprintf(text, sizeof text, "keep=%s", value);
	if (gt_params_parse(m->solver->params, text, options) == GT_OK)
		return options;
	free(options);
	return NULL;
}

/* The same with keep=yes and keep=no; 0 if the method has no such parameter. */
static int both_keeps(const gt_memory_dry_run *r, const gt_memory_estimate *asked, gt_memory_estimate *kept, gt_memory_estimate *not_kept)
{
	void *yes = with_keep(r->method, "yes"), *no = with_keep(r->method, "no");
	*kept = *not_kept = *asked;
	const int ok = yes && no && r->rehearse(r->self, &(gt_memory_variant){ .options = yes }, kept) == GT_OK &&
	               r->rehearse(r->self, &(gt_memory_variant){ .options = no }, not_kept) == GT_OK;
	free(yes);
	free(no);
	return ok;
}

char *gt_memory_estimate_explain(const gt_memory_dry_run *r, const gt_memory_estimate *plan)
{
	char *list = NULL, *first = NULL, *text, word[512];
	void *no = with_keep(r->method, "no");
	if (no) {
		char *what = gt_text("--solver %s:keep=no", gt_method_name(r->method));
		if (what)
			offer(r, &(gt_memory_variant){ .options = no }, plan, what, &list);
		free(what);
	}
	free(no);
	if (r->is_double)
		offer(r, &(gt_memory_variant){ .single = 1 }, plan, "--precision single", &list);
	offer_grid(r, plan, &list);
	if (r->read_whole)
		first = gt_text("; %s is read as a whole, and %s goes by slabs from NetCDF: import it first: gantry import %s -o scan.nc",
		                r->read_whole, gt_method_name(r->method), gt_shell_word(r->read_whole, word, sizeof word));
	if (fits_device(plan))
		text = gt_text("needs %s of memory, %s are free; %s%s%s", app_bytes_text(plan->host_peak).text,
		               app_bytes_text(plan->host_free).text, list ? "would fit: " : "nothing that is near would fit",
		               list ? list : "", first ? first : "");
	else
		text = gt_text("needs %s on %s, %s are free; %s%s%s", app_bytes_text((double)plan->peak).text, plan->backend,
		               app_bytes_text((double)plan->free).text,
		               list ? "would fit: " : "no grid would fit, the data alone are too much", list ? list : "",
		               first ? first : "");
	free(first);
	free(list);
	return text;
}

/* Printing ------------------------------------------------------------------------ */

typedef struct {
	const char *key, *text;
	double bytes;
	int always;
} part;
enum { DEVICE_PARTS = 7, HOST_PARTS = 5 };

static void device_parts(const gt_memory_estimate *p, part list[DEVICE_PARTS])
{
	const part all[DEVICE_PARTS] = {
		{ "volume", "volume", (double)p->volume, 1 },      { "data", "data", (double)p->data, 0 },
		{ "weights", "weights", (double)p->weights, 0 },   { "operators", "operators", (double)p->operators, 0 },
		{ "penalty", "penalty", (double)p->penalty, 0 },   { "solver", "solver", (double)p->solver, 0 },
		{ "best_image", "best image", (double)p->best, 0 }
	};
	memcpy(list, all, sizeof all);
}

static void host_parts(const gt_memory_estimate *p, part list[HOST_PARTS])
{
	const part all[HOST_PARTS] = { { "projections", "projections", p->host_projections, 1 },
		                       { "volume", "volume", p->host_volume, 1 },
		                       { "weights", "weights", p->host_weights, 0 },
		                       { "subset", "a subset on its way", p->host_subset, 0 },
		                       { "strength", "strength, as found", p->host_strength, 0 } };
	memcpy(list, all, sizeof all);
}

static double mib(double bytes) { return bytes / 1048576; }

static void print_parts(const char *title, const part *list, int n)
{
	printf("%s\n", title);
	for (int i = 0; i < n; i++)
		if (list[i].always || list[i].bytes > 0)
			printf("  %-20s %12.1f MiB\n", list[i].text, mib(list[i].bytes));
}

static void print_text(const gt_memory_estimate *p, const app_fact *run, const gt_memory_estimate *keeps)
{
	part device[DEVICE_PARTS], host[HOST_PARTS];
	char title[256];
	device_parts(p, device);
	host_parts(p, host);
	for (; run->key; run++)
		printf("%-12s%s\n", run->key, run->value);
	if (p->subsets)
		printf("%-12s%zu of %zu views, at most %zu each\n", "subsets", p->subsets, p->views,
		       (p->views + p->subsets - 1) / p->subsets);
	snprintf(title, sizeof title, "memory on %s (%s)", p->backend, p->about);
	print_parts(title, device, DEVICE_PARTS);
	printf("  %-20s %12.1f MiB of %.1f MiB that are free%s\n", "at most", mib((double)p->peak), mib((double)p->free),
	       p->peak == p->start_peak   ? ", while the start is computed"
	       : p->peak == p->prior_peak ? ", while the strength of the penalty is found"
	                                  : "");
	if (keeps)
		printf("  %-20s %12.1f MiB, with keep=no %.1f MiB\n", "with keep=yes", mib((double)keeps[0].peak),
		       mib((double)keeps[1].peak));
	print_parts("memory of the host", host, HOST_PARTS);
	printf("  %-20s %12.1f MiB of %.1f MiB that were free%s\n", "at most", mib(p->host_peak), mib(p->host_free),
	       p->on_host ? ", with the above" : "");
}

static cJSON *parts_json(const part *list, int n)
{
	cJSON *object = cJSON_CreateObject();
	for (int i = 0; i < n; i++)
		cJSON_AddNumberToObject(object, list[i].key, list[i].bytes);
	return object;
}

static void print_json(const gt_memory_estimate *p, const app_fact *run, const gt_memory_estimate *keeps)
{
	part device[DEVICE_PARTS], host[HOST_PARTS];
	device_parts(p, device);
	host_parts(p, host);
	cJSON *json = cJSON_CreateObject(), *on_device = parts_json(device, DEVICE_PARTS), *on_host = parts_json(host, HOST_PARTS);
	for (; run->key; run++)
		cJSON_AddStringToObject(json, run->key, run->value);
	cJSON_AddNumberToObject(json, "subsets", (double)p->subsets);
	cJSON_AddBoolToObject(json, "fits", gt_memory_estimate_fits(p));
	cJSON_AddNumberToObject(on_device, "peak", (double)p->peak);
	cJSON_AddNumberToObject(on_device, "free", (double)p->free);
	if (keeps) {
		cJSON_AddNumberToObject(on_device, "peak_keep_yes", (double)keeps[0].peak);
		cJSON_AddNumberToObject(on_device, "peak_keep_no", (double)keeps[1].peak);
	}
	cJSON_AddNumberToObject(on_host, "peak", p->host_peak);
	cJSON_AddNumberToObject(on_host, "free", p->host_free);
	cJSON_AddItemToObject(json, "device_bytes", on_device);
	cJSON_AddItemToObject(json, "host_bytes", on_host);
	cli_json(json);
}

gt_status gt_memory_estimate_print(const gt_memory_dry_run *r, const gt_memory_estimate *plan, const app_fact *run, int json)
{
	gt_memory_estimate keeps[2];
	const int both = both_keeps(r, plan, &keeps[0], &keeps[1]);
	if (json)
		print_json(plan, run, both ? keeps : NULL);
	else
		print_text(plan, run, both ? keeps : NULL);
	if (gt_memory_estimate_fits(plan))
		return GT_OK;
	char *text = gt_memory_estimate_explain(r, plan);
	const gt_status st = gt_fail(GT_ERR_MEMORY, "%s", text ? text : "out of memory");
	free(text);
	return st;
}

char *gt_projector_text(const char *spec)
{
	const size_t length = strcspn(spec, ":");
	char *name = strndup(spec, length), *values = NULL, *text = NULL;
	const gt_projector *p = name ? gt_projector_find(name) : NULL;
	void *options = NULL;
	if (p && !p->params)
		text = gt_text("%s", p->name);
	else if (p && gt_params_new(p->params, spec[length] ? spec + length + 1 : NULL, p->defaults, p->options_size, &options) == GT_OK) {
		const int n = gt_params_print(p->params, options, NULL, 0);
		if (n >= 0 && (values = malloc((size_t)n + 1))) {
			gt_params_print(p->params, options, values, (size_t)n + 1);
			text = gt_text("%s%s%s", p->name, n ? ":" : "", values);
		}
	}
	free(options);
	free(values);
	free(name);
	return text;
}
