/* gantry devices: lists processors and GPUs, and measures the bandwidth between them. */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "core/vectors/sets.h"
#include "team/links.h"
#include "tuner/tuner.h"

typedef struct {
	int links;
	double megabytes;
} devices_options;
static const devices_options defaults = { .megabytes = 256 };
#define AT(field) offsetof(devices_options, field)
#define SLOWER "projections on the CPU take two to three times as long" /* docs/measurements.md */
/* clang-format off */
static const cli_option options[] = {
	{ .name = "links", .kind = CLI_FLAG,
	  .help = "measure the bandwidth of copies between host and devices and between each two devices", .at = AT(links) },
	{ .name = "megabytes", .kind = CLI_REAL, .value = "N",
	  .help = "size of these copies, in MB (default 256)", .at = AT(megabytes), .min = 0.001, .max = 1e5 },
	{ 0 },
};
/* clang-format on */

static void print_link(const gt_link *l)
{
	char both[32] = "-";
	if (l->both_ways > 0)
		snprintf(both, sizeof both, "%.1f", l->both_ways / 1e9);
	printf("%-11s %-11s %10.1f %16s %13.1f  %s\n", l->from, l->to, l->bytes_per_second / 1e9, both, l->latency * 1e6,
	       l->peer < 0 ? "-"
	       : l->peer   ? "yes"
	                   : "no");
}

static cJSON *link_json(const gt_link *l)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "from", l->from);
	cJSON_AddStringToObject(o, "to", l->to);
	cJSON_AddNumberToObject(o, "bytes_per_second", l->bytes_per_second);
	if (l->both_ways > 0)
		cJSON_AddNumberToObject(o, "bytes_per_second_both_ways", l->both_ways);
	cJSON_AddNumberToObject(o, "latency_seconds", l->latency);
	if (l->peer >= 0)
		cJSON_AddBoolToObject(o, "peer", l->peer);
	return o;
}

static int measure_links(const cli_call *call, double megabytes)
{
	gt_link *l = NULL;
	size_t n = 0;
	const gt_status st = gt_links_measure((size_t)(1e6 * megabytes), &l, &n);
	if (st != GT_OK)
		return cli_exit(call, st);
	cJSON *all = cJSON_CreateArray();
	if (!gt_device_count())
		cli_note(call, "no GPU: copies between two ranks on the host");
	if (!call->common.json)
		printf("%-11s %-11s %10s %16s %13s  %s\n", "from", "to", "GB/s", "GB/s both ways", "latency, us", "peer access");
	for (size_t i = 0; i < n; i++) {
		cJSON_AddItemToArray(all, link_json(&l[i]));
		if (!call->common.json)
			print_link(&l[i]);
	}
	gt_free(l);
	if (call->common.json)
		cli_json(all);
	else
		cJSON_Delete(all);
	return CLI_DONE;
}

static void add_device(cJSON *all, gt_backend *be)
{
	size_t available = 0, total = 0;
	gt_backend_memory(be, &available, &total);
	cJSON *d = cJSON_CreateObject();
	cJSON_AddStringToObject(d, "backend", gt_backend_name(be));
	cJSON_AddStringToObject(d, "about", gt_backend_describe(be));
	cJSON_AddNumberToObject(d, "available_bytes", (double)available);
	cJSON_AddNumberToObject(d, "total_bytes", (double)total);
	cJSON_AddItemToArray(all, d);
}

/* Explains the slow computation without vector instructions. */
static void note_instructions(const cli_call *call)
{
	const char *limit = getenv("GANTRY_INSTRUCTIONS");
	if (strcmp(gt_cpu_instructions(), "any") != 0)
		return;
	if (limit && !strcmp(limit, "any"))
		cli_note(call, "GANTRY_INSTRUCTIONS=any: CPU kernels use neither AVX2 nor AVX-512: " SLOWER);
	else
		cli_note(call, "this processor, or the virtual machine, has no AVX2: " SLOWER);
}

static void print_devices(const cJSON *all)
{
	int widest = 0;
	for (const cJSON *d = all->child; d; d = d->next) {
		const int n = (int)strlen(cJSON_GetObjectItem(d, "about")->valuestring);
		widest = n > widest ? n : widest;
	}
	for (const cJSON *d = all->child; d; d = d->next)
		printf("%-8s %-*s %6.1f of %.1f GiB free\n", cJSON_GetObjectItem(d, "backend")->valuestring, widest,
		       cJSON_GetObjectItem(d, "about")->valuestring, cJSON_GetObjectItem(d, "available_bytes")->valuedouble / 1073741824,
		       cJSON_GetObjectItem(d, "total_bytes")->valuedouble / 1073741824);
}

static int run(const cli_call *call, const void *given)
{
	const devices_options *o = given;
	gt_backend *be = NULL;
	cJSON *all = cJSON_CreateArray();
	if (o->links) {
		cJSON_Delete(all);
		return measure_links(call, o->megabytes);
	}
	gt_status st = gt_backend_open("cpu", &be);
	if (st != GT_OK) {
		cJSON_Delete(all);
		return cli_exit(call, st);
	}
	add_device(all, be);
	cJSON_AddStringToObject(all->child, "instructions", gt_cpu_instructions());
	gt_backend_close(be);
	note_instructions(call);
	for (int i = 0;; i++) {
		char name[32];
		snprintf(name, sizeof name, "cuda:%d", i);
		be = NULL;
		st = gt_backend_open(name, &be);
		if (st != GT_OK) {
			if (i == 0)
				cli_note(call, "no GPU%s%s", st == GT_ERR_UNKNOWN ? " (built without CUDA)" : ": ",
				         st == GT_ERR_UNKNOWN ? "" : gt_error());
			break;
		}
		add_device(all, be);
		gt_backend_close(be);
	}
	if (call->common.json) {
		cli_json(all);
		return CLI_DONE;
	}
	print_devices(all);
	cJSON_Delete(all);
	return CLI_DONE;
}

const cli_command cli_devices = {
	.name = "devices",
	.about = "list the processors and GPUs that can compute",
	.synopsis = "[--links] [--json]",
	.notes = "--links: host-paged memory is not page-locked; 'both ways' is the bandwidth of simultaneous copies in both directions.\n"
		 "The environment variable GANTRY_INSTRUCTIONS=avx2 disables AVX-512 in CPU kernels; any disables AVX2 as well.\n\n"
		 "  gantry devices\n"
		 "  gantry devices --links --megabytes 64\n",
	.traits = CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
