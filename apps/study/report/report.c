/* The report of a study as one page of the library: its parts are collected, with the memory that they point to, and
 * written together. */
#include <time.h>
#include <gantry/image.h>
#include "apps/study/study.h"

#ifndef GANTRY_COMMIT
#define GANTRY_COMMIT "unknown"
#endif

struct study_page {
	const study *s;
	gt_page_part *part;
	size_t parts, capacity;
	void **owned; /* freed at the end */
	size_t owns, owned_capacity;
	gt_volume **volume;
	size_t volumes, volume_capacity; /* one for each item */
	gt_status st;                    /* the first failure */
};

static int grow(study_page *p, void *array, size_t used, size_t *capacity, size_t size)
{
	if (p->st == GT_OK && !study_grow(array, used, capacity, size))
		p->st = gt_fail(GT_ERR_MEMORY, "out of memory for the report");
	return p->st == GT_OK;
}

/* Keeps memory until the page is written; NULL without memory. */
static void *keep(study_page *p, void *memory)
{
	if (!memory && p->st == GT_OK)
		p->st = gt_fail(GT_ERR_MEMORY, "out of memory for the report");
	if (!memory || !grow(p, &p->owned, p->owns, &p->owned_capacity, sizeof *p->owned)) {
		free(memory);
		return NULL;
	}
	return p->owned[p->owns++] = memory;
}

static char *keep_text(study_page *p, const char *text) { return text ? keep(p, strdup(text)) : NULL; }

static void add(study_page *p, gt_page_part part)
{
	if (grow(p, &p->part, p->parts, &p->capacity, sizeof *p->part))
		p->part[p->parts++] = part;
}

void study_page_text(study_page *p, const char *heading, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = keep(p, study_print(format, args));
	va_end(args);
	add(p, (gt_page_part){ .kind = GT_PAGE_TEXT, .heading = keep_text(p, heading), .text = text });
}

static char *number_text(double x)
{
	return isnan(x)                                       ? strdup("–")
	       : x != 0 && (fabs(x) < 1e-3 || fabs(x) >= 1e6) ? cli_text("%.2e", x)
	       : fabs(x) >= 1000                              ? cli_text("%.0f", x)
	                                                      : cli_text("%.3g", x);
}

static void add_table(study_page *p, const char *heading, size_t which, const char *caption)
{
	const study_table *t = &p->s->table[which];
	gt_page_part part = {
		.kind = GT_PAGE_TABLE, .heading = heading, .rows = 1 + study_rows(t), .columns = t->columns, .caption = caption
	};
	const char **cell = keep(p, malloc((t->columns + t->cells + 1) * sizeof *cell));
	for (size_t c = 0; cell && c < t->columns; c++)
		cell[c] = t->head[c];
	for (size_t i = 0; cell && i < t->cells; i++)
		cell[t->columns + i] = t->cell[i].text ? t->cell[i].text : keep(p, number_text(t->cell[i].number));
	part.cell = cell;
	if (cell)
		add(p, part);
}

void study_page_table(study_page *p, int which)
{
	const char *name = study_table_name(p->s, (size_t)which);
	if (study_rows(&p->s->table[which]))
		add_table(p, NULL, (size_t)which, keep(p, cli_text("%s.csv", name)));
	else
		study_page_text(p, NULL,
		                p->s->table[which].columns ? "Not measured: %s.csv has no rows." : "Not measured: there is no %s.csv.",
		                name);
}

/* Reads a file of the folder; NULL on failure. */
static void *read_all(study_page *p, const char *name, size_t *bytes)
{
	char *data = NULL;
	if (p->st == GT_OK)
		p->st = study_read_file(PATH("%s/%s", p->s->folder.tmp, name), &data, bytes);
	return data;
}

void study_page_figure(study_page *p, const char *name, const char *caption)
{
	const char *file = FORMAT("%s.png", name);
	size_t bytes = 0;
	void *image = p->s->no_figures ? NULL : keep(p, read_all(p, file, &bytes));
	add(p, (gt_page_part){ .kind = GT_PAGE_FIGURE,
	                       .caption = keep(p, cli_text("%s  %s", caption, file)),
	                       .image = image,
	                       .image_bytes = bytes,
	                       .name = keep_text(p, name),
	                       .alt = keep(p, cli_text("Figure %s. %s", name, caption)) });
}

void study_page_sections(study_page *p, const study_section *section, size_t n)
{
	for (const study_section *c = section; c < section + n; c++) {
		const int missing = c->table && !study_rows(&p->s->table[c->table]);
		study_page_text(p, c->heading, "%s", c->text);
		if (c->figure && !missing)
			study_page_figure(p, c->figure, c->caption);
		if (c->table)
			study_page_table(p, c->table);
		if (c->after && !missing)
			study_page_text(p, NULL, "%s", c->after);
	}
}

/* Reads floats of the folder as one slice: attenuation in mm^-1 if they are HU or fractions of water, else as they
 * are. */
static gt_volume *slice(study_page *p, const study_pictures *how, const char *array)
{
	const gt_grid grid = { .n = { how->n[0], how->n[1], 1 }, .pitch = { how->pitch[0], how->pitch[1], how->pitch[0] } };
	const double water = GT_WATER_DEFAULT;
	const size_t n = how->n[0] * how->n[1];
	char *file = FORMAT(STUDY_ARRAYS "%s.f32", array);
	size_t bytes = 0;
	float *data = read_all(p, file, &bytes);
	gt_volume *v = NULL;
	if (p->st == GT_OK && bytes != n * sizeof *data)
		p->st = gt_fail(GT_ERR_FORMAT, "%s: %zu bytes: expected %zu x %zu floats", file, bytes, how->n[0], how->n[1]);
	if (p->st == GT_OK)
		p->st = gt_volume_new(&grid, &v);
	for (size_t i = 0; p->st == GT_OK && i < n; i++)
		gt_volume_data(v)[i] = how->quantity     ? data[i]
		                       : how->water_is_1 ? (float)(water * (double)data[i])
		                                         : (float)(water * (1 + (double)data[i] / 1000));
	free(data);
	if (!v || !grow(p, &p->volume, p->volumes, &p->volume_capacity, sizeof *p->volume)) {
		gt_volume_free(v);
		return NULL;
	}
	return p->volume[p->volumes++] = v;
}

void study_add_picture(study_pictures *how, const char *name, const char *format, ...)
{
	va_list args;
	if (how->pictures == STUDY_MAX_PICTURES)
		return;
	va_start(args, format);
	vsnprintf(how->picture[how->pictures].array, sizeof how->picture->array, format, args);
	va_end(args);
	how->picture[how->pictures++].name = name;
}

void study_page_pictures(study_page *p, const study_pictures *how)
{
	if (p->volumes + how->pictures > GT_PAGE_ITEMS) {
		study_page_text(p, how->heading, "The page is full: the files " STUDY_ARRAYS "%s.f32 and later hold more pictures.",
		                how->picture[0].array);
		return;
	}
	gt_page_item *item = keep(p, calloc(how->pictures + 1, sizeof *item));
	for (size_t i = 0; item && i < how->pictures; i++)
		item[i] = (gt_page_item){ .name = keep_text(p, how->picture[i].name),
			                  .volume = slice(p, how, how->picture[i].array),
			                  .unit = GT_HU,
			                  .quantity = how->quantity };
	gt_page_part part = { .kind = GT_PAGE_VIEWER, .item = item, .items = how->pictures, .low = how->low, .high = how->high };
	part.heading = keep_text(p, how->heading);
	part.text = keep_text(p, how->text);
	if (item && p->st == GT_OK && how->pictures)
		add(p, part);
}

static void drop(study_page *p)
{
	for (size_t i = 0; i < p->volumes; i++)
		gt_volume_free(p->volume[i]);
	for (size_t i = 0; i < p->owns; i++)
		free(p->owned[i]);
	free(p->volume);
	free((void *)p->owned);
	free(p->part);
}

gt_status study_report(study *s)
{
	study_page p = { .s = s, .st = GT_OK };
	const char *path;
	study_page_text(&p, NULL, "%s", s->kind->intro);
	add_table(&p, "What was measured", STUDY_ABOUT, NULL);
	s->kind->parts(s, &p);
	if (study_rows(&s->table[STUDY_LEFT_OUT]))
		study_page_sections(&p,
		                    &(study_section){ .heading = "Left out", .text = "Cases without a result.", .table = STUDY_LEFT_OUT },
		                    1);
	study_page_text(&p, NULL, "To draw a figure again: gnuplot NAME.gp in this folder.%s",
	                study_has_arrays() ? " Files " STUDY_ARRAYS
	                                     "*.f32 are arrays of 32-bit floats in the byte order of this machine, from the bottom row of "
	                                     "the picture up."
	                                   : "");
	const gt_page page = { .size = sizeof page, .title = s->kind->title, .part = p.part, .parts = p.parts };
	if (p.st == GT_OK && (p.st = study_file(&s->folder, "report.html", &path)) == GT_OK)
		p.st = gt_page_write(path, &page);
	drop(&p);
	return p.st;
}

void study_about(study *s)
{
	study_table *t = &s->table[STUDY_ABOUT];
	char date[64];
	const time_t now = time(NULL);
	struct tm utc;
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
	study_heads(t, study_table_heads(s, STUDY_ABOUT));
	study_row(t, TXT("geometry"), TXT(s->geometry));
	study_row(t, TXT("CPU"), TXT(s->cpu_about));
	study_row(t, TXT("GPU"), TXT(s->gpu[0] ? s->gpu_about : "none: the parts for the CPU alone"));
	study_row(t, TXT("version"), TXT("Gantry " GANTRY_VERSION ", commit " GANTRY_COMMIT));
	study_row(t, TXT("command"), TXT(s->call->line));
	study_row(t, TXT("date"), TXT(date));
	study_row(t, TXT("measuring took"), TXT(FORMAT("%.0f s", app_seconds() - s->started)));
}
