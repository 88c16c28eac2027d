/* Prints the results of the RabbitCT benchmark. */
#include <math.h>
#include "apps/commands/rabbitct/rabbitct.h"

static void print_json(const app_rabbitct_report *r, double gib, double giga)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "backend", r->backend);
	cJSON_AddNumberToObject(json, "size", (double)r->size);
	cJSON_AddNumberToObject(json, "columns", (double)r->columns);
	cJSON_AddNumberToObject(json, "rows", (double)r->rows);
	cJSON_AddNumberToObject(json, "views", (double)r->views);
	cJSON_AddNumberToObject(json, "seconds", r->seconds);
	cJSON_AddNumberToObject(json, "seconds_finish", r->finish);
	cJSON_AddNumberToObject(json, "gups_2_30", gib);
	cJSON_AddNumberToObject(json, "gups_1e9", giga);
	if (r->score) {
		cJSON_AddNumberToObject(json, "rmse_hu", r->score->rmse);
		cJSON_AddNumberToObject(json, "mse_hu2", r->score->mse);
		cJSON_AddNumberToObject(json, "max_hu", r->score->max);
		if (isfinite(r->score->psnr))
			cJSON_AddNumberToObject(json, "psnr_db", r->score->psnr);
		else
			cJSON_AddNullToObject(json, "psnr_db");
		cJSON *bins = cJSON_AddArrayToObject(json, "histogram");
		for (int i = 0; i < GT_RCT_BINS; i++)
			cJSON_AddItemToArray(bins, cJSON_CreateNumber((double)r->score->bin[i]));
	}
	cli_json(json);
}

static void print_score(const gt_rabbitct_score *s)
{
	printf("root mean square error    %.6g HU\n", s->rmse);
	printf("largest difference        %.6g HU\n", s->max);
	printf("PSNR                      %.6g dB\n", s->psnr);
	printf("voxels off by 0 ... 9, >9");
	for (int i = 0; i < GT_RCT_BINS; i++)
		printf(" %zu", s->bin[i]);
	printf("\n");
}

void app_rabbitct_print(const cli_call *call, const app_rabbitct_report *r)
{
	const double total = r->seconds + r->finish;
	const double updates = (double)r->views * (double)r->size * (double)r->size * (double)r->size / total;
	if (call->common.json) {
		print_json(r, updates / 1073741824., updates / 1e9);
		return;
	}
	printf("volume                    %zu^3 voxels of %.6g mm\n", r->size, 256 / (double)r->size);
	printf("images                    %zu of %zu x %zu\n", r->views, r->columns, r->rows);
	printf("time                      %.6g s, with %.6g s after the last image\n", total, r->finish);
	printf("updates                   %.6g GUPS (2^30 per second), %.6g (10^9 per second)\n", updates / 1073741824., updates / 1e9);
	if (r->score)
		print_score(r->score);
}
