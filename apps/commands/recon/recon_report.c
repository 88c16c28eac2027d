/* Prints the plan of a dry run, and the report of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/commands/recon/recon.h"
#include "core/text.h"

/* Text that is valid within the enclosing block. */
#define BYTES(n) gt_bytes_text(n, (char[GT_BYTES_TEXT]){ 0 })
#define SIZE(n) size_text((double)(n), (char[GT_BYTES_TEXT]){ 0 })

static const char *const stage_names[GT_RECON_STAGES] = { "read", "upload", "filter", "backproject", "download", "write" };

/* Plan ----------------------------------------------------------------------------- */

typedef struct {
	const char *key, *text;
	double bytes;
	int always;
} part;
enum { DEVICE_PARTS = 7, HOST_PARTS = 6 };

static void device_parts(const gt_memory_estimate *p, part list[DEVICE_PARTS])
{
	const part all[DEVICE_PARTS] = { { "volume", "volume", (double)p->volume, 1 },
		                         { "data", "data", (double)p->data, 0 },
		                         { "weights", "weights", (double)p->weights, 0 },
		                         { "operators", "operators", (double)p->operators, 0 },
		                         { "penalty", "penalty", (double)p->penalty, 0 },
		                         { "solver", "solver", (double)p->solver, 0 },
		                         { "best_image", "best image", (double)p->best_image, 0 } };
	memcpy(list, all, sizeof all);
}

static void host_parts(const gt_memory_estimate *p, part list[HOST_PARTS])
{
	const part all[HOST_PARTS] = { { "projections", "projections", p->host_projections, 1 },
		                       { "volume", "volume", p->host_volume, 1 },
		                       { "weights", "weights", p->host_weights, 0 },
		                       { "subset", "subset and tables", p->host_subset, 0 },
		                       { "strength", "penalty, when made", p->host_strength, 0 },
		                       { "process", "libraries, buffers", p->host_process, 0 } };
	memcpy(list, all, sizeof all);
}

/* Formats a size in MiB, or GiB from 1024 MiB. */
static const char *size_text(double bytes, char text[GT_BYTES_TEXT])
{
	const int giga = bytes >= 1024.0 * 1048576;
	snprintf(text, GT_BYTES_TEXT, "%.1f %s", bytes / (giga ? 1073741824 : 1048576), giga ? "GiB" : "MiB");
	return text;
}

static void print_parts(const char *title, const part *list, int n)
{
	printf("%s\n", title);
	for (int i = 0; i < n; i++)
		if (list[i].always || list[i].bytes > 0)
			printf("  %-20s %16s\n", list[i].text, SIZE(list[i].bytes));
}

static void each_setting(const char *lines, void (*put)(void *self, const char *key, const char *value), void *self)
{
	char *copy = strdup(lines), *rest = copy;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *value = line;
		const char *key = strsep(&value, "=");
		if (value)
			put(self, key, value);
	}
	free(copy);
}

static void put_text(void *self, const char *key, const char *value)
{
	(void)self;
	printf("%-12s%s\n", key, value);
}

static void put_json(void *self, const char *key, const char *value) { cJSON_AddStringToObject(self, key, value); }

static void print_text(const gt_memory_estimate *p, const char *settings)
{
	part device[DEVICE_PARTS], host[HOST_PARTS];
	char title[256];
	device_parts(p, device);
	host_parts(p, host);
	each_setting(settings, put_text, NULL);
	if (p->subsets)
		printf("%-12s%zu of %zu views, at most %zu each\n", "subsets", p->subsets, p->views,
		       (p->views + p->subsets - 1) / p->subsets);
	snprintf(title, sizeof title, "memory on %s (%s)", p->backend, p->about);
	print_parts(title, device, DEVICE_PARTS);
	printf("  %-20s %16s of %s free%s\n", "at most", SIZE(p->peak), SIZE(p->free),
	       p->peak == p->start_peak     ? ", during the starting volume"
	       : p->peak == p->penalty_peak ? ", during the strength search"
	                                    : "");
	if (p->keep_yes_peak)
		printf("  %-20s %16s, with keep=no %s\n", "with keep=yes", SIZE(p->keep_yes_peak), SIZE(p->keep_no_peak));
	print_parts("memory of the host", host, HOST_PARTS);
	printf("  %-20s %16s of %s free before the run%s\n", "at most", SIZE(p->host_peak), SIZE(p->host_free),
	       p->on_host ? ", including the above" : "");
	if (p->scratch > 0)
		printf("  %-20s %16s of it, in files (--scratch)\n", "on the disk", SIZE(p->scratch));
}

static cJSON *parts_json(const part *list, int n)
{
	cJSON *object = cJSON_CreateObject();
	for (int i = 0; i < n; i++)
		cJSON_AddNumberToObject(object, list[i].key, list[i].bytes);
	return object;
}

static void print_json(const gt_memory_estimate *p, const char *settings)
{
	part device[DEVICE_PARTS], host[HOST_PARTS];
	device_parts(p, device);
	host_parts(p, host);
	cJSON *json = cJSON_CreateObject(), *on_device = parts_json(device, DEVICE_PARTS), *on_host = parts_json(host, HOST_PARTS);
	each_setting(settings, put_json, json);
	cJSON_AddNumberToObject(json, "subsets", (double)p->subsets);
	cJSON_AddBoolToObject(json, "fits", gt_memory_estimate_fits(p));
	cJSON_AddNumberToObject(on_device, "peak", (double)p->peak);
	cJSON_AddNumberToObject(on_device, "free", (double)p->free);
	if (p->keep_yes_peak) {
		cJSON_AddNumberToObject(on_device, "peak_keep_yes", (double)p->keep_yes_peak);
		cJSON_AddNumberToObject(on_device, "peak_keep_no", (double)p->keep_no_peak);
	}
	cJSON_AddNumberToObject(on_host, "peak", p->host_peak);
	cJSON_AddNumberToObject(on_host, "free", p->host_free);
	cJSON_AddNumberToObject(on_host, "scratch", p->scratch);
	cJSON_AddItemToObject(json, "device_bytes", on_device);
	cJSON_AddItemToObject(json, "host_bytes", on_host);
	cli_json(json);
}

static cJSON *cut_json(const gt_recon_slabs *p)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddNumberToObject(json, "slabs", (double)p->slabs);
	cJSON_AddNumberToObject(json, "slices", (double)p->slices);
	cJSON_AddNumberToObject(json, "views", (double)p->views);
	cJSON_AddNumberToObject(json, "rows", (double)p->rows);
	cJSON_AddStringToObject(json, "kept", p->kept);
	cJSON_AddNumberToObject(json, "device_bytes", p->device);
	cJSON_AddNumberToObject(json, "host_bytes", p->host);
	cJSON_AddNumberToObject(json, "process_bytes", p->process);
	cJSON_AddNumberToObject(json, "reserve_bytes", p->reserve);
	return json;
}

gt_status recon_print_plan(const cli_call *call, gt_recon *r)
{
	gt_memory_estimate memory = { .size = sizeof memory };
	gt_recon_slabs slabs = { .size = sizeof slabs };
	const char *settings = NULL;
	const gt_status st = gt_recon_plan(r, &memory, &settings);
	if (!settings || call->process)
		return st;
	if (memory.backend[0] && call->common.json)
		print_json(&memory, settings);
	else if (memory.backend[0])
		print_text(&memory, settings);
	else if (call->common.json && gt_recon_slabs_result(r, &slabs) == GT_OK)
		cli_json(cut_json(&slabs));
	return st;
}

/* Report --------------------------------------------------------------------------- */

static void add_number(cJSON *object, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(object, key, value);
	else
		cJSON_AddNullToObject(object, key);
}

static cJSON *common_json(const recon_options *o, gt_recon *r, const gt_recon_outcome *how)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "output", o->output);
	cJSON_AddStringToObject(json, "grid", gt_recon_text(r, "grid"));
	cJSON_AddStringToObject(json, "parameters", how->parameters);
	cJSON_AddStringToObject(json, "backend", how->backend);
	cJSON_AddNumberToObject(json, "seconds", how->seconds);
	return json;
}

static void iterations_json(cJSON *json, const gt_recon_outcome *how)
{
	cJSON_AddNumberToObject(json, "iterations", how->iterations);
	cJSON_AddBoolToObject(json, "stopped", how->reason != NULL);
	if (how->reason)
		cJSON_AddStringToObject(json, "reason", how->reason);
	if (isfinite(how->residual))
		cJSON_AddNumberToObject(json, "residual", how->residual);
}

static void slabs_json(cJSON *json, const gt_recon_slabs *s, int alone)
{
	cJSON *stages = cJSON_AddArrayToObject(json, "stages");
	cJSON_AddItemToObject(json, "cut", cut_json(s));
	cJSON_AddBoolToObject(json, "overlap", !alone);
	cJSON_AddNumberToObject(json, "device_peak_bytes", s->device_peak);
	cJSON_AddNumberToObject(json, "process_peak_bytes", s->process_peak);
	for (int k = 0; k < GT_RECON_STAGES; k++) {
		cJSON *stage = cJSON_CreateObject();
		cJSON_AddStringToObject(stage, "stage", stage_names[k]);
		add_number(stage, "seconds", s->seconds[k]);
		cJSON_AddNumberToObject(stage, k == GT_RECON_STAGE_BACKPROJECT ? "updates" : "bytes", s->bytes[k]);
		cJSON_AddItemToArray(stages, stage);
	}
}

static void slabs_text(const cli_call *call, const gt_recon_slabs *s, const gt_recon_outcome *how, int alone)
{
	cli_note(call, "stage          seconds   rate%s", alone ? "" : "      (concurrently)");
	for (int k = 0; k < GT_RECON_STAGES; k++) {
		const double rate = s->bytes[k] / s->seconds[k];
		if (!isfinite(s->seconds[k]))
			cli_note(call, "%-13s        -", stage_names[k]);
		else if (k == GT_RECON_STAGE_BACKPROJECT)
			cli_note(call, "%-13s %8.2f   %.3g GUPS", stage_names[k], s->seconds[k], rate / 1073741824);
		else
			cli_note(call, "%-13s %8.2f   %.0f MB/s", stage_names[k], s->seconds[k], rate / 1e6);
	}
	cli_note(call, "%-13s %8.2f   maximum memory %s on %s, %s in total", "whole", s->whole, BYTES(s->device_peak), how->backend,
	         BYTES(s->process_peak));
}

char *recon_method(gt_recon *r)
{
	const char *name = gt_recon_text(r, "method");
	return name ? strdup(name) : NULL;
}

void recon_report(const cli_call *call, const recon_options *o, gt_recon *r)
{
	gt_recon_outcome how = { .size = sizeof how };
	gt_recon_slabs slabs = { .size = sizeof slabs };
	if (gt_recon_result(r, &how) != GT_OK)
		return;
	const int by_slabs = gt_recon_slabs_result(r, &slabs) == GT_OK;
	if (call->common.json) {
		cJSON *json = common_json(o, r, &how);
		if (by_slabs)
			slabs_json(json, &slabs, o->no_overlap);
		else if (gt_recon_iterates(r))
			iterations_json(json, &how);
		cli_json(json);
	} else if (by_slabs) {
		slabs_text(call, &slabs, &how, o->no_overlap);
	}
	if (by_slabs || !call->common.json) {
		char *method = recon_method(r);
		cli_note(call, "%s: %s in %.2f s on %s", o->output, method ? method : "", how.seconds, how.backend);
		free(method);
	}
}

gt_status recon_how_it_ended(const recon_options *o, gt_recon *r)
{
	gt_recon_outcome how = { .size = sizeof how };
	gt_status st = gt_recon_result(r, &how);
	char *method = recon_method(r);
	if (st == GT_OK && how.diverged)
		st = gt_fail(GT_ERR_DIVERGED, "solver '%s' diverged: after %d of %d iterations %s; %s holds %s %d", method ? method : "",
		             how.iterations, how.max, how.reason, o->output,
		             !how.kept                   ? "the starting volume, iteration"
		             : how.kept < how.iterations ? "the best image, of iteration"
		                                         : "the last image, of iteration",
		             how.kept);
	else if (st == GT_OK && how.stopped)
		st = gt_fail(GT_STOPPED, "stopped after %d of %d iterations; %s holds the result so far", how.iterations, how.max,
		             o->output);
	else if (st == GT_OK && how.unsaved)
		st = gt_fail(GT_ERR_IO, "--checkpoint: %s; %s holds the result", how.unsaved, o->output);
	free(method);
	return st;
}
