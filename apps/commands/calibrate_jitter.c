/* gantry calibrate --jitter: estimates the shift of each view. */
#include <math.h>
#include <stdlib.h>
#include <gantry/calibrate.h>
#include "apps/cli/try.h"
#include "apps/commands/calibrate.h"

typedef struct {
	const gt_jitter *r;
	const gt_scan *scan;
} table;

static void write_table(FILE *f, const void *self)
{
	const table *t = self;
	fprintf(f, "view,shift_columns,shift_rows,error_columns,error_rows,%s\n", app_view_columns);
	for (size_t v = 0; v < t->r->views; v++) {
		fprintf(f, "%zu", v);
		for (int a = 0; a < 2; a++)
			app_print_number(f, t->r->shift[v][a]);
		for (int a = 0; a < 2; a++)
			app_print_number(f, t->r->identifiable[a] ? t->r->error[v][a] : NAN);
		app_print_view(f, t->scan, v);
		fputc('\n', f);
	}
}

static double rms(const gt_jitter *r, double (*x)[2], int axis)
{
	double sum = 0;
	for (size_t v = 0; v < r->views; v++)
		sum += x[v][axis] * x[v][axis];
	return sqrt(sum / (double)r->views);
}

static const char *const axes[] = { "columns", "rows" };

static cJSON *report_of(const gt_jitter *r)
{
	cJSON *report = cJSON_CreateObject();
	for (int a = 0; a < 2; a++) {
		cJSON *item = cJSON_AddObjectToObject(report, axes[a]);
		double *x = malloc(r->views * sizeof *x);
		cJSON_AddBoolToObject(item, "told", r->identifiable[a]);
		cJSON_AddNumberToObject(item, "rms", rms(r, r->shift, a));
		cJSON_AddNumberToObject(item, "standard_error", rms(r, r->error, a));
		for (size_t v = 0; x && v < r->views; v++)
			x[v] = r->shift[v][a];
		if (x)
			cJSON_AddItemToObject(item, "shift", cJSON_CreateDoubleArray(x, (int)r->views));
		free(x);
	}
	cJSON_AddNumberToObject(report, "residual_before", r->before);
	cJSON_AddNumberToObject(report, "residual_after", r->after);
	cJSON_AddNumberToObject(report, "rounds", r->rounds);
	cJSON_AddBoolToObject(report, "converged", r->converged);
	cJSON_AddBoolToObject(report, "kept", r->kept);
	return report;
}

gt_status app_calibrate_jitter(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters)
{
	gt_jitter_options how = gt_jitter_defaults;
	gt_jitter r = { 0 };
	gt_status st = GT_OK;
	if (o->picture)
		GT_TRY(gt_fail(GT_ERR_ARG, "--picture: cannot be combined with --jitter; use --table"));
	how.rounds = o->iterations ? (int)o->iterations : how.rounds;
	how.columns = o->columns ? (size_t)o->columns : how.columns;
	how.threads = (int)o->threads;
	how.backend = o->backend;
	how.notes = call->log;
	GT_TRY(gt_calibrate_jitter(p, &how, &r));
	if (!r.converged)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "not converged after %d rounds: the last one moved views by %.3g pixels (root mean square); try "
		               "--iterations %d, or gantry calibrate --find first, because a wrong centre resembles jitter",
		               r.rounds, r.change, 3 * r.rounds));
	const table t = { &r, gt_projections_scan(p) };
	if (o->table)
		GT_TRY(cli_write_text(o->table, write_table, &t));
	if (call->common.json)
		cli_json(report_of(&r));
	else
		for (int a = 0; a < 2; a++)
			if (r.kept)
				printf("jitter along %-8s none that reduces the residual: unchanged\n", axes[a]);
			else if (r.identifiable[a])
				printf("jitter along %-8s %.4f pixels (root mean square), each view +- %.4f\n", axes[a],
				       rms(&r, r.shift, a), rms(&r, r.error, a));
			else
				printf("jitter along %-8s not identifiable: unchanged\n", axes[a]);
	if (!call->common.json)
		printf("residual of the line integrals: %.4g before, %.4g after %d rounds (root mean square)\n", r.before, r.after,
		       r.rounds);
	*parameters = cli_text("jitter=columns:%.6g,rows:%.6g", rms(&r, r.shift, 0), rms(&r, r.shift, 1));
done:
	gt_jitter_free(&r);
	return st;
}
