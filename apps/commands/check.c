/* gantry info --check: residual of the conjugate rays for each possible fault, a verdict, and the command that
 * corrects it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/consistency.h>
#include "analytic/consistency/conjugate.h"
#include "apps/cli/try.h"
#include "apps/commands/check.h"

enum { TEXT = GT_CONJUGATE_TEXT };

static void append(char *text, const char *more)
{
	const size_t n = strlen(text);
	snprintf(text + n, TEXT - n, "%s", more);
}

static void case_name(const gt_conjugate_case *c, char *text)
{
	text[0] = 0;
	for (int i = 0; gt_conjugate_fault_name(i); i++)
		if (c->faults & ~(unsigned)GT_CONJUGATE_CENTER & 1u << i) {
			append(text, text[0] ? ", " : "flipped ");
			append(text, gt_conjugate_fault_name(i));
		}
	if (c->faults & GT_CONJUGATE_CENTER)
		append(text, text[0] ? ", fitted center" : "fitted center");
	if (!text[0])
		append(text, "as given");
}

static void add_names(cJSON *to, const char *key, unsigned what)
{
	cJSON *list = cJSON_AddArrayToObject(to, key);
	for (int i = 0; gt_conjugate_fault_name(i); i++)
		if (what & 1u << i)
			cJSON_AddItemToArray(list, cJSON_CreateString(gt_conjugate_fault_name(i)));
}

static void add_cases(cJSON *to, const gt_scan *s, const gt_conjugate_report *r)
{
	cJSON *list = cJSON_AddArrayToObject(to, "cases");
	for (size_t i = 0; i < r->cases; i++) {
		const gt_conjugate_case *c = &r->item[i];
		char name[TEXT];
		/* Fitted centres of rejected cases are meaningless. */
		if (c->faults & GT_CONJUGATE_CENTER && c->faults != GT_CONJUGATE_CENTER && i != r->best)
			continue;
		cJSON *item = cJSON_CreateObject();
		case_name(c, name);
		cJSON_AddStringToObject(item, "case", name);
		cJSON_AddNumberToObject(item, "column_center", gt_conjugate_center(s, c->faults, c->center));
		cJSON_AddNumberToObject(item, "pairs", (double)c->pairs);
		cJSON_AddNumberToObject(item, "rms", c->rms);
		cJSON_AddNumberToObject(item, "expected", c->expected);
		cJSON_AddItemToArray(list, item);
	}
}

static void add_verdict(cJSON *to, const char *file, const gt_scan *s, const gt_conjugate_report *r)
{
	char text[TEXT];
	gt_conjugate_verdict(s, r, text, sizeof text);
	cJSON_AddBoolToObject(to, "consistent", !r->faults && r->explained);
	cJSON_AddStringToObject(to, "verdict", text);
	add_names(to, "faults", r->faults);
	add_names(to, "or_else", r->instead);
	add_names(to, "cannot_be_told", r->hidden);
	if (!r->faults)
		return;
	gt_conjugate_remedy(file, s, r, r->faults, text, sizeof text);
	cJSON_AddStringToObject(to, "remedy", text);
	if (r->instead) {
		gt_conjugate_remedy(file, s, r, r->instead, text, sizeof text);
		cJSON_AddStringToObject(to, "or_else_remedy", text);
	}
}

gt_status app_check(const char *file, const gt_projections *p, cJSON *report)
{
	gt_conjugate_report r;
	gt_pool *pool = NULL;
	const gt_scan *scan = gt_projections_scan(p);
	gt_status st = GT_OK;
	GT_TRY(gt_pool_new(0, &pool));
	GT_TRY(gt_conjugate_check(scan, gt_projections_data(p), pool, &r));
	cJSON *check = cJSON_AddObjectToObject(report, "check");
	cJSON_AddNumberToObject(check, "pairs", (double)r.pairs);
	cJSON_AddNumberToObject(check, "value", r.value);
	cJSON_AddNumberToObject(check, "noise", r.noise);
	add_cases(check, scan, &r);
	cJSON_AddNumberToObject(check, "fitted_column_center", gt_conjugate_center(scan, r.faults, r.center));
	if (isfinite(r.error))
		cJSON_AddNumberToObject(check, "fitted_column_center_error", r.error);
	add_verdict(check, file, scan, &r);
done:
	gt_pool_free(pool);
	return st;
}

static double number(const cJSON *item, const char *key) { return cJSON_GetObjectItem(item, key)->valuedouble; }
static const char *string(const cJSON *item, const char *key)
{
	const cJSON *found = cJSON_GetObjectItem(item, key);
	return found && found->valuestring ? found->valuestring : "";
}

void app_check_print(const cJSON *report)
{
	const cJSON *check = cJSON_GetObjectItem(report, "check"), *item, *untold = cJSON_GetObjectItem(check, "cannot_be_told");
	if (!check)
		return;
	printf("\nconjugate rays: %.0f pairs, line integrals of %.4g (root mean square), noise %.3g\n", number(check, "pairs"),
	       number(check, "value"), number(check, "noise"));
	printf("%-32s %13s %9s %11s %11s %9s\n", "case", "column_center", "pairs", "difference", "expected", "ratio");
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(check, "cases"))
	{
		printf("%-32s %13.2f %9.0f", string(item, "case"), number(item, "column_center"), number(item, "pairs"));
		if (number(item, "pairs") > 0)
			printf(" %11.4g %11.4g %9.2f\n", number(item, "rms"), number(item, "expected"),
			       number(item, "rms") / number(item, "expected"));
		else
			printf(" %11s %11s %9s\n", "-", "-", "-");
	}
	cli_print(stdout, "verdict: %s\n", string(check, "verdict"));
	if (string(check, "remedy")[0])
		cli_print(stdout, "try: %s\n", string(check, "remedy"));
	if (string(check, "or_else_remedy")[0])
		cli_print(stdout, "or:  %s\n", string(check, "or_else_remedy"));
	if (untold->child) {
		printf("not identifiable from this scan: whether");
		cJSON_ArrayForEach(item, untold) printf("%s %s", item == untold->child ? "" : item->next ? "," : " or", item->valuestring);
		printf(" %s right\n", untold->child->next || strcmp(untold->child->valuestring, "center") ? "are" : "is");
	}
}

gt_status app_check_verdict(const char *file, const cJSON *report)
{
	const cJSON *check = cJSON_GetObjectItem(report, "check");
	if (!check || cJSON_IsTrue(cJSON_GetObjectItem(check, "consistent")))
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: conjugate rays disagree: %s", file, string(check, "verdict"));
}
