/* `gantry tune --folder`: a search with a log for each workload and kernel of two lists, and a table of all logs. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/cli/workload.h"
#include "apps/commands/tune/tune.h"
#include "core/module.h"
#include "tuner/tuner.h"

enum { MAX_NAME = 64 };
static const char every_key[] = ":every=";

/* Copies the next name of a comma-separated list. GT_ERR_ARG: it is empty or too long. */
static gt_status next_name(const char *option, const char **at, char name[MAX_NAME])
{
	const size_t n = strcspn(*at, ",");
	if (n == 0 || n >= MAX_NAME)
		return gt_fail(GT_ERR_ARG, "--%s: expected a comma-separated list of names, found \"%s\"", option, *at);
	memcpy(name, *at, n);
	name[n] = 0;
	*at += n + ((*at)[n] == ',' && (*at)[n + 1]);
	return GT_OK;
}

static gt_status find_workload(const char *spec, size_t every, const app_workload **found, size_t *views)
{
	const char *key = strstr(spec, every_key);
	const size_t n = key ? (size_t)(key - spec) : strlen(spec);
	char *end = NULL;
	const long long given = key ? strtoll(key + strlen(every_key), &end, 10) : (long long)every;
	if (key && (*end || end == key + strlen(every_key) || given < 1 || given > 10000))
		return gt_fail(GT_ERR_ARG, "--workload=%s: expected NAME%sN with N of 1 to 10000", spec, every_key);
	*views = (size_t)given;
	for (*found = app_workloads; (*found)->name; ++*found)
		if (strlen((*found)->name) == n && !strncmp((*found)->name, spec, n))
			return GT_OK;
	return gt_fail(GT_ERR_UNKNOWN, "no workload \"%s\" (gantry bench --help lists them)", spec);
}

gt_status tune_workload(const char *spec, size_t every, gt_scan **scan, gt_grid *grid)
{
	const app_workload *w = NULL;
	size_t views = 1;
	const gt_status st = find_workload(spec, every, &w, &views);
	return st == GT_OK ? app_workload_make(w, views, scan, grid) : st;
}

/* State of filling a folder. */
typedef struct {
	tune_folder *f;
	double begin, beyond; /* beyond: largest excess of a search over its time */
	size_t searches, done;
	int late; /* 1: time is up */
} filling;
/* Initial estimate of the excess: process, device, and the final pairs. */
static const double beyond_at_first = 12;

static int is_late(const filling *g)
{
	return g->f->within > 0 && app_seconds() - g->begin + g->f->search.seconds + g->beyond > g->f->within;
}

static int is_whole(const char *log)
{
	gt_tune_log_facts facts;
	const gt_status st = gt_tune_log_facts_of(log, &facts);
	return st == GT_ERR_UNSUPPORTED || (st == GT_OK && facts.ended);
}

static gt_status search_one(filling *g, const char *workload, size_t every, const char *log)
{
	gt_scan *scan = NULL;
	gt_grid grid;
	gt_tune_outcome out;
	gt_tune_options *t = &g->f->search;
	gt_status st = GT_OK;
	const double begin = app_seconds();
	GT_TRY(tune_workload(workload, every, &scan, &grid));
	t->scan = scan;
	t->grid = &grid;
	t->log = log;
	cli_note(g->f->call, "%s, %s: %zu of %zu, %.0f s", workload, t->kernel, g->done + 1, g->searches, app_seconds() - g->begin);
	st = gt_tune_search(t, &out);
	const double beyond = app_seconds() - begin - t->seconds;
	g->beyond = t->seconds > 0 && beyond > g->beyond ? beyond : g->beyond;
	if (st == GT_OK || st == GT_ERR_IO)
		printf("%s, %s: %.4f ms as built in, tuned %.4f ms\n", workload, t->kernel, out.built_in_ms,
		       *out.variant ? out.ms : out.built_in_ms);
	fflush(stdout);
done:
	gt_scan_free(scan);
	return st;
}

/* After a failure: returns 1 if the log states the reason. Removes a log without evaluations. */
static int has_reason(const filling *g, const char *log, gt_status st)
{
	gt_tune_log_facts facts;
	char why[1024];
	snprintf(why, sizeof why, "%s", gt_error());
	const int whole = is_whole(log);
	if (!whole && gt_tune_log_facts_of(log, &facts) != GT_OK)
		remove(log);
	gt_fail(st, "%s", why);
	return whole || (g->done && app_left_out(st));
}

/* A kernel that the problem does not have is skipped; after a successful search a failing one is too. */
static gt_status fill_one(filling *g, const char *workload, const char *kernel)
{
	const app_workload *w = NULL;
	size_t every;
	gt_status st = find_workload(workload, g->f->every, &w, &every);
	if (st != GT_OK)
		return st;
	char *log = every > 1 ? cli_text("%s/%s-every%zu.%s.txt", g->f->path, w->name, every, kernel)
	                      : cli_text("%s/%s.%s.txt", g->f->path, w->name, kernel);
	if (!log)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (!is_whole(log) && !(g->late = is_late(g))) {
		g->f->search.kernel = kernel;
		st = search_one(g, w->name, every, log);
		if (st != GT_OK && has_reason(g, log, st)) {
			cli_note(g->f->call, "%s, %s: %s", workload, kernel, gt_error());
			st = GT_OK;
		}
	}
	g->done += st == GT_OK && is_whole(log);
	free(log);
	return st;
}

static gt_status each_pair(filling *g, gt_status (*each)(filling *g, const char *workload, const char *kernel))
{
	char workload[MAX_NAME], kernel[MAX_NAME];
	const int all = !strcmp(g->f->kernels, "all");
	gt_status st = GT_OK;
	for (const char *w = g->f->workloads; *w && st == GT_OK && !g->late;) {
		GT_TRY(next_name("workload", &w, workload));
		for (size_t i = 0; all && gt_tune_kernel_name(i) && st == GT_OK && !g->late; i++)
			st = each(g, workload, gt_tune_kernel_name(i));
		for (const char *k = all ? "" : g->f->kernels; *k && st == GT_OK && !g->late;) {
			GT_TRY(next_name("kernel", &k, kernel));
			st = each(g, workload, kernel);
		}
	}
done:
	return st;
}

/* Counts the searches and rejects unknown names. */
static gt_status count_search(filling *g, const char *workload, const char *kernel)
{
	const app_workload *w;
	size_t every, i = 0;
	while (gt_tune_kernel_name(i) && strcmp(gt_tune_kernel_name(i), kernel) != 0)
		i++;
	if (!gt_tune_kernel_name(i))
		return gt_unknown("kernel", kernel, gt_tune_kernel_name, i);
	g->searches++;
	return find_workload(workload, g->f->every, &w, &every);
}

/* Table -------------------------------------------------------------------------------- */

static int is_log(const struct dirent *d)
{
	const size_t n = strlen(d->d_name);
	return n > 4 && !strcmp(d->d_name + n - 4, ".txt") && strchr(d->d_name, '.') != d->d_name + n - 4;
}

static void write_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

/* WORKLOAD.KERNEL.txt; a workload may contain a dot, as step-0.4. */
static void write_line(FILE *f, const char *folder, const char *name)
{
	const char *end = name + strlen(name) - 4, *dot = memrchr(name, '.', (size_t)(end - name)), *kernel = dot + 1;
	const int of_kernel = (int)(end - kernel), back = !strstr(kernel, "-forward");
	gt_tune_log_facts a;
	char *path = cli_text("%s/%s", folder, name);
	const gt_status st = path ? gt_tune_log_facts_of(path, &a) : GT_ERR_MEMORY;
	free(path);
	fprintf(f, "%.*s,%s,%.*s,", (int)(dot - name), name, back ? "back" : "forward", of_kernel, kernel);
	if (st == GT_OK && a.ended)
		fprintf(f, "%.5g,%.5g,%.4f,", a.chosen_built_in_ms, *a.chosen ? a.chosen_ms : a.chosen_built_in_ms,
		        *a.chosen ? a.chosen_built_in_ms / a.chosen_ms : 1);
	else
		fprintf(f, ",,,");
	if (st == GT_OK)
		fprintf(f, "%zu,%zu,%g,", a.candidates, a.candidates - a.right, a.seconds);
	else
		fprintf(f, ",,,");
	write_quoted(f, st != GT_OK || !a.ended ? "" : *a.chosen ? a.chosen : "built-in");
	fputc(',', f);
	write_quoted(f, st == GT_OK ? a.problem : "");
	fputc(',', f);
	write_quoted(f, st != GT_OK ? gt_error() : a.ended ? "" : "not at its end");
	fputc('\n', f);
}

static void write_table(FILE *f, const void *folder)
{
	struct dirent **name = NULL;
	const int n = scandir(folder, &name, is_log, alphasort);
	fprintf(f, "workload,operation,kernel,built-in [ms],tuned [ms],gain,programs,failed,seconds,variant,problem,note\n");
	for (int i = 0; i < n; i++) {
		write_line(f, folder, name[i]->d_name);
		free(name[i]);
	}
	free(name);
}

static gt_status make_folder(const char *path, int *made)
{
	struct stat s;
	*made = mkdir(path, 0777) == 0;
	if (*made || (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode)))
		return GT_OK;
	return gt_fail(GT_ERR_IO, "--folder=%s: cannot be made (%s)", path, strerror(errno));
}

gt_status tune_folder_fill(tune_folder *f)
{
	filling g = { .f = f, .begin = app_seconds(), .beyond = beyond_at_first };
	char *table = NULL;
	int made = 0;
	gt_status st = GT_OK;
	GT_TRY(each_pair(&g, count_search));
	GT_TRY(make_folder(f->path, &made));
	if (!(table = cli_text("%s/results.csv", f->path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(each_pair(&g, fill_one));
	GT_TRY(cli_write_text(table, write_table, f->path));
	printf("%s: %zu of %zu searches are done%s\n", table, g.done, g.searches, g.late ? "; repeat the command to continue" : "");
done:
	if (st != GT_OK && made)
		rmdir(f->path); /* succeeds only if it is empty */
	free(table);
	return st;
}
