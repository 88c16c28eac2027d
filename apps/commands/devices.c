/* Where computing can happen. */
#include "apps/cli/cli.h"

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

static int run(const cli_call *call, const void *options)
{
	gt_backend *be = NULL;
	cJSON *all = cJSON_CreateArray();
	(void)options;
	gt_status st = gt_backend_open("cpu", &be);
	if (st != GT_OK) {
		cJSON_Delete(all);
		return cli_exit(call, st);
	}
	add_device(all, be);
	gt_backend_close(be);
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
	for (const cJSON *d = all->child; d; d = d->next)
		printf("%-8s %-50s %6.1f of %.1f GiB free\n", cJSON_GetObjectItem(d, "backend")->valuestring,
		       cJSON_GetObjectItem(d, "about")->valuestring, cJSON_GetObjectItem(d, "available_bytes")->valuedouble / 1073741824,
		       cJSON_GetObjectItem(d, "total_bytes")->valuedouble / 1073741824);
	cJSON_Delete(all);
	return CLI_DONE;
}

const cli_command cli_devices = {
	.name = "devices",
	.about = "list the processors and GPUs that can compute",
	.synopsis = "[--json]",
	.notes = "  gantry devices\n",
	.traits = CLI_REPORTS,
	.run = run,
};
