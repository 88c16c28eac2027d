/* What a dry run prints: the run, and the memory that it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/commands/recon.h"

typedef struct {
	const char *key, *text;
	double bytes;
	int always;
} part;
enum { DEVICE_PARTS = 7, HOST_PARTS = 5 };

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

static void print_text(const gt_memory_estimate *p, const app_fact *run, const size_t *keeps)
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
	       p->peak == p->start_peak     ? ", while the start is computed"
	       : p->peak == p->penalty_peak ? ", while the strength of the penalty is found"
	                                    : "");
	if (keeps)
		printf("  %-20s %12.1f MiB, with keep=no %.1f MiB\n", "with keep=yes", mib((double)keeps[0]), mib((double)keeps[1]));
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

static void print_json(const gt_memory_estimate *p, const app_fact *run, const size_t *keeps)
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
		cJSON_AddNumberToObject(on_device, "peak_keep_yes", (double)keeps[0]);
		cJSON_AddNumberToObject(on_device, "peak_keep_no", (double)keeps[1]);
	}
	cJSON_AddNumberToObject(on_host, "peak", p->host_peak);
	cJSON_AddNumberToObject(on_host, "free", p->host_free);
	cJSON_AddItemToObject(json, "device_bytes", on_device);
	cJSON_AddItemToObject(json, "host_bytes", on_host);
	cli_json(json);
}

gt_status recon_print_memory(const gt_memory_dry_run *r, const gt_memory_estimate *p, const app_fact *run, int json)
{
	size_t keeps[2];
	const int both = gt_memory_estimate_compare(r, p, &keeps[0], &keeps[1]);
	if (json)
		print_json(p, run, both ? keeps : NULL);
	else
		print_text(p, run, both ? keeps : NULL);
	if (gt_memory_estimate_fits(p))
		return GT_OK;
	char *text = gt_memory_estimate_explain(r, p);
	const gt_status st = gt_fail(GT_ERR_MEMORY, "%s", text ? text : "out of memory");
	free(text);
	return st;
}
