#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/cli.h"
#include "apps/cli/gnuplot.h"
#include "apps/cli/runlog.h"
#include "apps/cli/try.h"

static const struct {
	const char *name, *unit;
} columns[RUNLOG_COLUMNS] = {
	{ "iteration", "" },  { "seconds", "s" },          { "cost", "" },        { "data", "" }, { "penalty", "" },
	{ "gradient", "mm" }, { "relative_residual", "" }, { "change_HU", "HU" },
};

static int ends_in(const char *path, const char *end)
{
	const size_t n = strlen(path), m = strlen(end);
	return n > m && !strcmp(path + n - m, end);
}

gt_status app_runlog_check(const char *log, const char *plot)
{
	gt_status st = GT_OK;
	if (log && !ends_in(log, ".csv") && !ends_in(log, ".json"))
		GT_TRY(gt_fail(GT_ERR_ARG, "--log=%s: expected a name that ends in .csv or .json", log));
	if (log)
		GT_TRY(gt_fail_in(gt_can_write(log), "--log"));
	if (plot && !ends_in(plot, ".png"))
		GT_TRY(gt_fail(GT_ERR_ARG, "--plot=%s: expected a name that ends in .png", plot));
	if (plot) {
		for (const char *c = plot; *c; c++)
			if ((unsigned char)*c < ' ' || *c == 127)
				GT_TRY(gt_fail(GT_ERR_ARG, "--plot=%s: expected a name without control characters", plot));
		GT_TRY(gt_fail_in(gt_can_write(plot), "--plot"));
		GT_TRY(gt_fail_in(app_gnuplot_check(), "--plot=%s", plot));
	}
done:
	return st;
}

/* Files ------------------------------------------------------------------------ */

static const char tail[] = "\n]}\n";

/* Writes the object as a line and deletes it. */
static void put_json(FILE *f, const char *before, cJSON *object)
{
	char *text = cli_json_text(object, 0);
	fprintf(f, "%s%s", before, text ? text : "null");
	cJSON_free(text);
	cJSON_Delete(object);
}

static cJSON *columns_json(void)
{
	cJSON *list = cJSON_CreateArray();
	for (int c = 0; c < RUNLOG_COLUMNS; c++) {
		cJSON *column = cJSON_CreateObject();
		cJSON_AddStringToObject(column, "name", columns[c].name);
		cJSON_AddStringToObject(column, "unit", columns[c].unit);
		cJSON_AddItemToArray(list, column);
	}
	return list;
}

static void begin_json(app_runlog *l, const app_fact *run)
{
	cJSON *facts = cJSON_CreateObject();
	for (; run->key; run++)
		cJSON_AddStringToObject(facts, run->key, run->value);
	put_json(l->file, "{\"run\": ", facts);
	put_json(l->file, ",\n\"columns\": ", columns_json());
	fputs(",\n\"iterations\": [", l->file);
}

static void begin_csv(app_runlog *l, const app_fact *run)
{
	for (; run->key; run++)
		fprintf(l->file, "# %s: %s\n", run->key, run->value);
	fputs("# units:", l->file);
	for (int c = 0; c < RUNLOG_COLUMNS; c++)
		if (columns[c].unit[0])
			fprintf(l->file, " %s [%s]", columns[c].name, columns[c].unit);
	fputc('\n', l->file);
	for (int c = 0; c < RUNLOG_COLUMNS; c++)
		fprintf(l->file, "%s%s", c ? "," : "", columns[c].name);
	fputc('\n', l->file);
}

/* Makes the line visible to other programs during the run. */
static void flush(app_runlog *l)
{
	if (fflush(l->file) != 0 && !l->failed)
		l->failed = errno;
}

static const char *value_of(const app_fact *run, const char *key)
{
	while (run->key && strcmp(run->key, key))
		run++;
	return run->key ? run->value : "";
}

gt_status app_runlog_open(app_runlog *l, const app_fact *run)
{
	if (l->plot && !(l->title = cli_text("%s: %s", value_of(run, "scan"), value_of(run, "solver"))))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (!l->log)
		return GT_OK;
	if (!(l->file = fopen(l->log, "w")))
		return gt_fail(GT_ERR_IO, "--log=%s: cannot be written: %s", l->log, strerror(errno));
	l->json = ends_in(l->log, ".json");
	l->seeks = l->json && ftell(l->file) == 0;
	if (l->json)
		begin_json(l, run);
	else
		begin_csv(l, run);
	if (l->seeks)
		fputs(tail, l->file);
	flush(l);
	return GT_OK;
}

static void add_json(app_runlog *l, const double *row)
{
	cJSON *object = cJSON_CreateObject();
	for (int c = 0; c < RUNLOG_COLUMNS; c++)
		if (isfinite(row[c]))
			cJSON_AddNumberToObject(object, columns[c].name, row[c]);
		else
			cJSON_AddNullToObject(object, columns[c].name);
	if (l->seeks)
		fseek(l->file, -(long)strlen(tail), SEEK_CUR);
	put_json(l->file, l->rows ? ",\n" : "\n", object);
	if (l->seeks)
		fputs(tail, l->file);
}

static void add_csv(app_runlog *l, const double *row)
{
	for (int c = 0; c < RUNLOG_COLUMNS; c++) {
		if (c)
			fputc(',', l->file);
		if (!isnan(row[c]))
			fprintf(l->file, "%.9g", row[c]);
	}
	fputc('\n', l->file);
}

/* Stores a row for the plot; without memory later rows are missing. */
static void remember(app_runlog *l, const double *row)
{
	if (l->drawn < l->rows)
		return;
	if (l->drawn == l->room) {
		const size_t room = l->room ? 2 * l->room : 64;
		void *more = room < SIZE_MAX / sizeof *l->row ? realloc(l->row, room * sizeof *l->row) : NULL;
		if (!more)
			return;
		l->row = more;
		l->room = room;
	}
	memcpy(l->row[l->drawn++], row, sizeof *l->row);
}

void app_runlog_add(app_runlog *l, const double row[RUNLOG_COLUMNS])
{
	if (l->file && l->json)
		add_json(l, row);
	else if (l->file)
		add_csv(l, row);
	if (l->file)
		flush(l);
	if (l->plot)
		remember(l, row);
	l->rows++;
}

/* Figure ----------------------------------------------------------------------- */

/* Counts the positive values of a column, and returns their minimum and maximum. */
static size_t range_of(const app_runlog *l, int column, double *min, double *max)
{
	size_t n = 0;
	*min = INFINITY;
	*max = 0;
	for (size_t i = 0; i < l->drawn; i++) {
		const double v = l->row[i][column];
		if (isfinite(v) && v > 0) {
			*min = fmin(*min, v);
			*max = fmax(*max, v);
			n++;
		}
	}
	return n;
}

static size_t drawable(const app_runlog *l, int column)
{
	double min, max;
	return range_of(l, column, &min, &max);
}

static void put_rows(const app_runlog *l, FILE *f)
{
	fputs("$run << end\n", f);
	for (size_t i = 0; i < l->drawn; i++)
		for (int c = 0; c < RUNLOG_COLUMNS; c++) {
			const double v = l->row[i][c];
			if (isfinite(v) && (v > 0 || c <= RUNLOG_SECONDS))
				fprintf(f, "%.9g%c", v, c + 1 < RUNLOG_COLUMNS ? ' ' : '\n');
			else
				fprintf(f, "NaN%c", c + 1 < RUNLOG_COLUMNS ? ' ' : '\n');
		}
	fputs("end\n", f);
}

/* Plots one quantity against iterations and against seconds. */
static void put_panels(const app_runlog *l, int column, const char *label, FILE *f)
{
	static const char *const along[] = { "iteration", "seconds" };
	double min, max;
	range_of(l, column, &min, &max);
	fputs(max > 20 * min ? "set logscale y\n" : "unset logscale y\n", f);
	for (int x = 0; x < 2; x++) {
		fprintf(f,
		        "set xrange [0:%g]\nset xlabel '%s'\nset ylabel '%s'\nplot $run using %d:%d with linespoints lc rgb '#1f77b4' pt 7 ps 0.5 title '%s'",
		        l->row[l->drawn - 1][x] > 0 ? l->row[l->drawn - 1][x] * 1.02 : 1, along[x], label, x + 1, column + 1,
		        columns[column].name);
		fputc('\n', f);
	}
}

static void put_script(const app_runlog *l, const char *picture, FILE *f)
{
	static const char *const labels[RUNLOG_COLUMNS] = { [RUNLOG_COST] = "cost",
		                                            [RUNLOG_DATA] = "data term",
		                                            [RUNLOG_RESIDUAL] = "|Ax-b| / |b|",
		                                            [RUNLOG_CHANGE] = "change [HU]",
		                                            [RUNLOG_GRADIENT] = "gradient [mm]" };
	int n = 0, show[3], cost = RUNLOG_COST;
	/* Plot the quantity that more iterations report. */
	cost = drawable(l, RUNLOG_DATA) > drawable(l, cost) ? RUNLOG_DATA : cost;
	cost = drawable(l, RUNLOG_RESIDUAL) > drawable(l, cost) ? RUNLOG_RESIDUAL : cost;
	const int wanted[3] = { cost, RUNLOG_CHANGE, RUNLOG_GRADIENT };
	for (int i = 0; i < 3; i++)
		if (2 * drawable(l, wanted[i]) >= l->drawn)
			show[n++] = wanted[i];
	fprintf(f, "set terminal pngcairo noenhanced size 1100,%d font 'DejaVu Sans,10'\nset output ", n ? 60 + 300 * n : 200);
	app_gnuplot_quote(f, "%s", picture);
	fputs("\nset grid\nunset key\nset format y '%.3g'\nset datafile missing 'NaN'\n", f);
	put_rows(l, f);
	fprintf(f, "set multiplot layout %d,2 title ", n ? n : 1);
	app_gnuplot_quote(f, "%s", l->title);
	fputc('\n', f);
	for (int i = 0; i < n; i++)
		put_panels(l, show[i], labels[show[i]], f);
	fputs("unset multiplot\n", f);
}

static gt_status write_script(const app_runlog *l, const char *path, const char *picture)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	put_script(l, picture, f);
	const int bad = ferror(f);
	return fclose(f) || bad ? gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)) : GT_OK;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* 1: a complete PNG; gnuplot does not report a full disk. */
static int is_picture(const char *path)
{
	static const unsigned char end[8] = { 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };
	unsigned char last[sizeof end];
	FILE *f = fopen(path, "rb");
	const int whole = f && fseek(f, -(long)sizeof end, SEEK_END) == 0 && fread(last, 1, sizeof last, f) == sizeof last &&
	                  !memcmp(last, end, sizeof end);
	if (f)
		fclose(f);
	return whole;
}

/* gnuplot runs in the folder of the picture with names that begin with a dot, because it runs names that begin with
 * '|' or '<' as commands. */
static gt_status draw(const app_runlog *l)
{
	char *script = NULL, *picture = NULL, *log = NULL, *folder = NULL, message[256];
	gt_status st = GT_OK;
	if (!l->drawn)
		return gt_fail(GT_ERR_UNSUPPORTED, "--plot=%s: there was no iteration to plot", l->plot);
	GT_TRY(gt_tmp_path(l->plot, &picture));
	GT_TRY(gt_tmp_path(l->plot, &script));
	GT_TRY(gt_tmp_path(l->plot, &log));
	if (!(folder = cli_text("%.*s", (int)(base_of(l->plot) - l->plot), l->plot)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(write_script(l, script, base_of(picture)));
	if (app_gnuplot(*folder ? folder : NULL, base_of(log), NULL, base_of(script)) != 0) {
		app_gnuplot_message(log, message, sizeof message);
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "--plot=%s: gnuplot failed: %s", l->plot, message));
	}
	if (!is_picture(picture))
		GT_TRY(gt_fail(GT_ERR_IO, "--plot=%s: gnuplot wrote an incomplete picture: check the free disk space", l->plot));
	st = gt_tmp_commit(picture, l->plot);
	picture = NULL;
done:
	if (picture)
		gt_tmp_drop(picture);
	if (script)
		gt_tmp_drop(script);
	if (log)
		gt_tmp_drop(log);
	free(folder);
	return st;
}

/* End -------------------------------------------------------------------------- */

static void end_json(app_runlog *l, int iterations, int max, const char *reason)
{
	cJSON *end = cJSON_CreateObject();
	cJSON_AddNumberToObject(end, "iterations", iterations);
	cJSON_AddNumberToObject(end, "of", max);
	if (reason)
		cJSON_AddStringToObject(end, "reason", reason);
	else
		cJSON_AddNullToObject(end, "reason");
	if (l->seeks)
		fseek(l->file, -(long)strlen(tail), SEEK_CUR);
	put_json(l->file, "\n],\n\"end\": ", end);
	fputs("}\n", l->file);
}

static gt_status close_file(app_runlog *l, int iterations, int max, const char *reason)
{
	FILE *f = l->file;
	if (!f)
		return GT_OK;
	if (l->json)
		end_json(l, iterations, max, reason);
	else if (reason)
		fprintf(f, "# ended after %d of %d iterations: %s\n", iterations, max, reason);
	flush(l);
	const int bad = ferror(f);
	l->file = NULL;
	if (fclose(f) == 0 && !bad)
		return GT_OK;
	return gt_fail(GT_ERR_IO, "--log=%s: could not be written in full: %s", l->log, strerror(l->failed ? l->failed : errno));
}

gt_status app_runlog_close(app_runlog *l, int iterations, int max, const char *reason, int draws)
{
	gt_status st = close_file(l, iterations, max, reason);
	if (st == GT_OK && l->title && draws)
		st = draw(l);
	free(l->row);
	free(l->title);
	l->row = NULL;
	l->title = NULL;
	l->rows = l->drawn = l->room = 0;
	return st;
}
