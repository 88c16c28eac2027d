/* Report of a reconstruction as a page: end, settings, notes, cost, and central slices before and after. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <gantry/analytic.h>
#include <gantry/image.h>
#include "apps/cli/try.h"
#include "apps/commands/recon/recon_page.h"
#include "core/text.h"

enum { MIDDLE_SLICES = 32, PARTS = 8 };
static const char *const subjects[] = { "choice", "step", "data", "geometry", "memory", "checkpoint" };
static const char *const chosen[] = { "solver",    "projector", "weights", "penalty", "start", "grid",
	                              "precision", "backend",   "subsets", "slabs",   NULL };

static char *page_path(const char *folder) { return cli_text("%s/report.html", folder); }

gt_status recon_page_check(const char *folder)
{
	struct stat is;
	char *path = NULL;
	gt_status st = GT_OK;
	if (!folder)
		return GT_OK;
	if (stat(folder, &is) != 0)
		return gt_can_write(folder);
	if (!S_ISDIR(is.st_mode))
		return gt_fail(GT_ERR_ARG, "--report=%s: is a file, expected a folder", folder);
	if (!(path = page_path(folder)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	st = gt_can_write(path);
	free(path);
	return st;
}

void recon_journal_say(recon_journal *j, const gt_message *m)
{
	struct recon_line *more = realloc(j->line, (j->lines + 1) * sizeof *more);
	char *text = strdup(m->text);
	if (more)
		j->line = more;
	if (more && text) {
		j->line[j->lines++] = (struct recon_line){ m->subject, text };
	} else {
		free(text);
		j->lost = 1;
	}
}

void recon_journal_step(recon_journal *j, const gt_recon_progress *p)
{
	double(*more)[3] = realloc(j->row, (j->rows + 1) * sizeof *more);
	if (!more) {
		j->lost = 1;
		return;
	}
	j->row = more;
	j->row[j->rows][0] = p->iteration;
	j->row[j->rows][1] = p->cost;
	j->row[j->rows++][2] = 1000 * p->change / p->water;
}

void recon_journal_free(recon_journal *j)
{
	for (size_t i = 0; i < j->lines; i++)
		free(j->line[i].text);
	free(j->line);
	free(j->row);
	*j = (recon_journal){ 0 };
}

/* Tables ---------------------------------------------------------------------------- */

/* Two columns of text; the table owns the second. */
typedef struct {
	const char *cell[2 * (GT_RECON_STAGES + 40)];
	size_t rows;
} table;

/* Takes ownership of value; NULL adds nothing. */
static void add(table *t, const char *key, char *value)
{
	if (!value || 2 * t->rows + 2 > sizeof t->cell / sizeof *t->cell) {
		free(value);
		return;
	}
	t->cell[2 * t->rows] = key;
	t->cell[2 * t->rows++ + 1] = value;
}

static void table_free(table *t)
{
	for (size_t i = 0; i < t->rows; i++)
		free((void *)(uintptr_t)t->cell[2 * i + 1]);
}

static gt_page_part part_of(const char *heading, const table *t)
{
	return (gt_page_part){ .kind = GT_PAGE_TABLE, .heading = heading, .cell = t->cell, .rows = t->rows, .columns = 2 };
}

static void add_bytes(table *t, const char *key, double bytes)
{
	char text[GT_BYTES_TEXT];
	if (bytes > 0)
		add(t, key, strdup(gt_bytes_text(bytes, text)));
}

static void fill_times(table *t)
{
	const char *name;
	double seconds;
	const size_t stages = gt_timings(0, &name, &seconds);
	for (size_t i = 0; i < stages; i++) {
		gt_timings(i, &name, &seconds);
		add(t, name, cli_text("%.2f s", seconds));
	}
}

static void fill_ending(table *t, const cli_call *call, const gt_recon_outcome *how)
{
	struct rusage used;
	add(t, "what", strdup("value"));
	add(t, "command", strdup(call->line));
	if (how->max)
		add(t, "iterations", cli_text("%d of %d", how->iterations, how->max));
	add(t, how->diverged ? "diverged" : "ended early", how->reason ? strdup(how->reason) : NULL);
	if (isfinite(how->residual))
		add(t, "residual |Ax-b|/|b|", cli_text("%.4g", how->residual));
	add(t, "time of the computation", cli_text("%.2f s", how->seconds));
	add_bytes(t, "maximum device memory", how->device_peak);
	if (getrusage(RUSAGE_SELF, &used) == 0)
		add_bytes(t, "maximum process memory", 1024.0 * (double)used.ru_maxrss);
	add(t, "parameters", how->parameters ? strdup(how->parameters) : NULL);
	fill_times(t);
}

static void fill_chosen(table *t, gt_recon *r)
{
	add(t, "setting", strdup("value"));
	for (size_t i = 0; chosen[i]; i++) {
		const char *text = gt_recon_text(r, chosen[i]);
		add(t, chosen[i], text ? strdup(text) : NULL);
	}
}

static void fill_stages(table *t, gt_recon *r)
{
	static const char *const names[GT_RECON_STAGES] = { "read", "upload", "filter", "backproject", "download", "write" };
	gt_recon_slabs slabs = { .size = sizeof slabs };
	if (gt_recon_slabs_result(r, &slabs) != GT_OK)
		return;
	add(t, "slabs", cli_text("%zu of %zu slices", slabs.slabs, slabs.slices));
	for (int k = 0; k < GT_RECON_STAGES; k++)
		add(t, names[k], isfinite(slabs.seconds[k]) ? cli_text("%.2f s", slabs.seconds[k]) : NULL);
}

/* Pictures -------------------------------------------------------------------------- */

static gt_status copy_facts(const gt_volume *from, gt_volume *to)
{
	const gt_status st = gt_volume_set_water(to, gt_volume_water(from));
	return st != GT_OK || !gt_volume_position_known(from) ? st : gt_volume_set_position(to, gt_volume_position(from));
}

/* Copies the slices around the central one. */
static gt_status central_slices(const gt_volume *v, gt_volume **part)
{
	gt_grid g = *gt_volume_grid(v);
	const size_t all = g.n[2], n = all < MIDDLE_SLICES ? all : MIDDLE_SLICES, first = (all - n) / 2, slice = g.n[0] * g.n[1];
	g.center[2] += ((double)first + ((double)n - 1) / 2 - ((double)all - 1) / 2) * g.pitch[2];
	g.n[2] = n;
	gt_status st = gt_volume_new(&g, part);
	if (st != GT_OK)
		return st;
	memcpy(gt_volume_data(*part), gt_volume_data(v) + first * slice, n * slice * sizeof(float));
	return copy_facts(v, *part);
}

/* Returns the analytic method that gave the starting volume. */
static const char *start_method(gt_recon *r)
{
	const char *start = gt_recon_text(r, "start");
	for (const gt_analytic *const *a = gt_analytics; *a && start; a++)
		if (!strncmp(start, (*a)->name, strlen((*a)->name)) && strchr(":", start[strlen((*a)->name)]))
			return (*a)->name;
	return NULL;
}

static gt_status direct(const cli_call *call, gt_recon *r, const gt_read_options *reading, const gt_volume *after, gt_volume **before)
{
	gt_recon *again = NULL;
	gt_status st = GT_OK;
	const char *method = gt_recon_iterates(r) == 1 ? start_method(r) : NULL;
	if (!method)
		return GT_OK;
	GT_TRY(gt_volume_new(gt_volume_grid(after), before));
	GT_TRY(gt_recon_open(call->file[0], reading, &again));
	GT_TRY(gt_recon_set(again, "solver", method));
	GT_TRY(gt_recon_set(again, "check", "no"));
	GT_TRY(gt_recon_set(again, "force", "yes"));
	GT_TRY(gt_recon_set(again, "backend", call->common.backend));
	GT_TRY(gt_recon_run(again, *before));
	GT_TRY(copy_facts(after, *before));
done:
	gt_recon_free(again);
	if (st != GT_OK) {
		gt_volume_free(*before);
		*before = NULL;
	}
	return st;
}

/* after: NULL with the reason if the file cannot be read back. */
static gt_status pictures(const cli_call *call, gt_recon *r, const gt_read_options *reading, const char *path, gt_volume *volume[2],
                          gt_unit *unit)
{
	gt_volume *whole = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_read_volume(path, NULL, &whole));
	*unit = gt_volume_unit(whole);
	GT_TRY(central_slices(whole, &volume[1]));
	gt_volume_free(whole);
	whole = NULL;
	GT_TRY(direct(call, r, reading, volume[1], &volume[0]));
done:
	gt_volume_free(whole);
	return st;
}

static size_t fill_viewer(gt_page_part *part, gt_page_item item[2], gt_volume *const volume[2], gt_unit unit, char *trouble)
{
	size_t n = 0;
	if (volume[0])
		item[n++] = (gt_page_item){ .name = "before: the analytic method", .volume = volume[0], .unit = unit };
	if (volume[1])
		item[n++] = (gt_page_item){ .name = volume[0] ? "after: the iterative method" : "the volume",
			                    .volume = volume[1],
			                    .unit = unit };
	*part = (gt_page_part){
		.kind = n ? GT_PAGE_VIEWER : GT_PAGE_TEXT, .heading = "Middle slices", .item = item, .items = n, .text = trouble
	};
	return n;
}

/* The page ---------------------------------------------------------------------------- */

static size_t add_curves(gt_page_part *part, const recon_journal *j, double *xy)
{
	double *const x = xy, *const cost = xy + j->rows, *const change = xy + 2 * j->rows;
	size_t n = 0, known = 0;
	for (size_t i = 0; i < j->rows; i++) {
		x[i] = j->row[i][0];
		cost[i] = j->row[i][1];
		change[i] = j->row[i][2];
		known += isfinite(cost[i]);
	}
	if (known > 1)
		part[n++] = (gt_page_part){ .kind = GT_PAGE_CURVE,
			                    .heading = "Cost",
			                    .x = x,
			                    .y = cost,
			                    .points = j->rows,
			                    .x_label = "iteration",
			                    .y_label = "cost",
			                    .text = known < j->rows ? "Only some iterations report the cost." : NULL };
	if (j->rows > 1)
		part[n++] = (gt_page_part){ .kind = GT_PAGE_CURVE,
			                    .heading = "Change of the volume in an iteration",
			                    .x = x,
			                    .y = change,
			                    .points = j->rows,
			                    .x_label = "iteration",
			                    .y_label = "change, HU",
			                    .log_y = 1 };
	return n;
}

static gt_status make_folder(const char *folder)
{
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return gt_fail(GT_ERR_IO, "--report=%s: cannot be made: %s", folder, strerror(errno));
	return GT_OK;
}

static gt_status put(const cli_call *call, const char *folder, const gt_page_part *part, size_t parts, const char *title)
{
	const gt_page page = { .size = sizeof page, .title = title, .part = part, .parts = parts };
	char *path = page_path(folder);
	gt_status st = path ? make_folder(folder) : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st == GT_OK)
		st = gt_page_write(path, &page);
	if (st == GT_OK)
		cli_note(call, "%s: open it in a browser", path);
	free(path);
	return st;
}

gt_status recon_page_write(const char *folder, const cli_call *call, gt_recon *r, const recon_journal *j, const gt_read_options *reading,
                           const char *volume)
{
	gt_recon_outcome how = { .size = sizeof how };
	gt_page_part part[PARTS];
	gt_page_item item[2];
	gt_volume *shown[2] = { NULL, NULL };
	gt_unit unit = GT_UNIT_AUTO;
	table ending = { .rows = 0 }, settings = { .rows = 0 };
	size_t parts = 0;
	char *trouble = NULL, *title = cli_text("Reconstruction of %s", call->file[0]);
	double *xy = malloc((3 * j->rows + 1) * sizeof *xy);
	const char **said = malloc((2 * j->lines + 2) * sizeof *said);
	gt_status st = title && xy && said ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_recon_result(r, &how));
	fill_ending(&ending, call, &how);
	fill_chosen(&settings, r);
	fill_stages(&ending, r);
	said[0] = "about";
	said[1] = "what was said";
	for (size_t i = 0; i < j->lines; i++) {
		said[2 * i + 2] = subjects[j->line[i].subject];
		said[2 * i + 3] = j->line[i].text;
	}
	if (pictures(call, r, reading, volume, shown, &unit) != GT_OK)
		trouble = cli_text("%s: %s", shown[1] ? "The analytic method cannot be shown" : "The volume cannot be shown", gt_error());
	fill_viewer(&part[parts++], item, shown, unit, trouble);
	part[parts++] = part_of("How it ended", &ending);
	part[parts++] = part_of("What was chosen", &settings);
	part[parts++] = (gt_page_part){ .kind = GT_PAGE_TABLE,
		                        .heading = "Reasons and notes on the data",
		                        .cell = said,
		                        .rows = j->lines + 1,
		                        .columns = 2,
		                        .text = j->lost ? "Incomplete: out of memory." : NULL };
	parts += add_curves(part + parts, j, xy);
	GT_TRY(put(call, folder, part, parts, title));
done:
	gt_volume_free(shown[0]);
	gt_volume_free(shown[1]);
	table_free(&ending);
	table_free(&settings);
	free(trouble);
	free(title);
	free(xy);
	free((void *)said);
	return st;
}
