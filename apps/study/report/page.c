/* The report of a study as one page of the library: its parts are collected, with what they point to, and written
 * together. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/image.h>
#include "apps/cli/try.h"
#include "apps/study/study.h"

struct study_page {
	const study *s;
	gt_page_part *part;
	size_t parts, room;
	void **owned; /* freed at the end */
	size_t owns, owned_room;
	gt_volume **volume;
	size_t volumes, volume_room; /* one for each item */
	gt_status st;                /* what failed first */
};

/* Room for one more in an array of items of that size; 0 without memory. */
static int grow(study_page *p, void *array, size_t used, size_t *room, size_t size)
{
	void **const items = array;
	if (p->st != GT_OK || used < *room)
		return p->st == GT_OK;
	const size_t more = *room ? 2 * *room : 64;
	void *bigger = realloc(*items, more * size);
	if (!bigger) {
		p->st = gt_fail(GT_ERR_MEMORY, "out of memory for the report");
		return 0;
	}
	*items = bigger;
	*room = more;
	return 1;
}

/* Keeps memory until the page is written; NULL where there is none. */
static void *keep(study_page *p, void *memory)
{
	if (!memory && p->st == GT_OK)
		p->st = gt_fail(GT_ERR_MEMORY, "out of memory for the report");
	if (!memory || !grow(p, &p->owned, p->owns, &p->owned_room, sizeof *p->owned)) {
		free(memory);
		return NULL;
	}
	return p->owned[p->owns++] = memory;
}

static char *keep_text(study_page *p, const char *text) { return text ? keep(p, strdup(text)) : NULL; }

static void add(study_page *p, gt_page_part part)
{
	if (grow(p, &p->part, p->parts, &p->room, sizeof *p->part))
		p->part[p->parts++] = part;
}

void study_page_text(study_page *p, const char *heading, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	const int n = vsnprintf(NULL, 0, format, args);
	char *text = keep(p, n < 0 ? NULL : malloc((size_t)n + 1));
	if (text)
		vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	va_end(args);
	add(p, (gt_page_part){ .kind = GT_PAGE_TEXT, .heading = keep_text(p, heading), .text = text });
}

/* Tables ----------------------------------------------------------------------------------------- */

static char *number_text(double x)
{
	return isnan(x)                                       ? strdup("–")
	       : x != 0 && (fabs(x) < 1e-3 || fabs(x) >= 1e6) ? cli_text("%.2e", x)
	       : fabs(x) >= 1000                              ? cli_text("%.0f", x)
	                                                      : cli_text("%.3g", x);
}

static void add_table(study_page *p, const char *heading, int which, const char *caption)
{
	const study_table *t = &p->s->table[which];
	const char **cell = keep(p, malloc((t->columns + t->cells + 1) * sizeof *cell));
	for (size_t c = 0; cell && c < t->columns; c++)
		cell[c] = t->head[c];
	for (size_t i = 0; cell && i < t->cells; i++)
		cell[t->columns + i] = t->cell[i].text ? t->cell[i].text : keep(p, number_text(t->cell[i].number));
	if (cell)
		add(p, (gt_page_part){ .kind = GT_PAGE_TABLE,
		                       .heading = heading,
		                       .cell = cell,
		                       .rows = 1 + study_rows(t),
		                       .columns = t->columns,
		                       .caption = caption });
}

void study_page_table(study_page *p, int which)
{
	add_table(p, NULL, which, keep(p, cli_text("%s.csv", study_table_name(p->s, (size_t)which))));
}

/* Figures ---------------------------------------------------------------------------------------- */

/* All of a file; NULL with a message. */
static void *read_all(study_page *p, const char *name, size_t *bytes)
{
	char *path = cli_text("%s/%s", p->s->folder.tmp, name), *data = NULL;
	FILE *in = path ? fopen(path, "rb") : NULL;
	long size = -1;
	if (in && fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) >= 0 && fseek(in, 0, SEEK_SET) == 0)
		data = malloc((size_t)size + 1);
	*bytes = data ? fread(data, 1, (size_t)size, in) : 0;
	if (in)
		fclose(in);
	free(path);
	if (p->st == GT_OK && (!data || *bytes != (size_t)size))
		p->st = gt_fail(GT_ERR_IO, "%s/%s: cannot be read", p->s->folder.path, name);
	return data;
}

void study_page_figure(study_page *p, const char *name, const char *caption)
{
	char *file = keep(p, cli_text("%s.png", name));
	size_t bytes = 0;
	void *image = p->s->no_figures || !file ? NULL : keep(p, read_all(p, file, &bytes));
	add(p, (gt_page_part){ .kind = GT_PAGE_FIGURE,
	                       .caption = keep(p, cli_text("%s  %s", caption, file ? file : "")),
	                       .image = image,
	                       .image_bytes = bytes,
	                       .name = keep_text(p, name),
	                       .alt = keep(p, cli_text("Figure %s. %s", name, caption)) });
}

/* Pictures that can be windowed and compared ------------------------------------------------------ */

/* Floats of the folder as one slice: mm^-1 where they are HU, else as they are. */
static gt_volume *slice(study_page *p, const study_pictures *how, const char *array)
{
	const gt_grid grid = { .n = { how->n[0], how->n[1], 1 }, .pitch = { how->pitch[0], how->pitch[1], how->pitch[0] } };
	char *file = cli_text(STUDY_ARRAYS "%s.f32", array);
	size_t bytes = 0;
	float *data = file ? read_all(p, file, &bytes) : NULL;
	gt_volume *v = NULL;
	if (p->st == GT_OK && bytes != how->n[0] * how->n[1] * sizeof *data)
		p->st = gt_fail(GT_ERR_FORMAT, "%s: %zu bytes, expected %zu x %zu floats", file ? file : array, bytes, how->n[0],
		                how->n[1]);
	if (p->st == GT_OK)
		p->st = gt_volume_new(&grid, &v);
	for (size_t i = 0; p->st == GT_OK && i < how->n[0] * how->n[1]; i++)
		gt_volume_data(v)[i] = how->quantity ? data[i]
		                                     : (float)(GT_WATER_DEFAULT *
		                                               (how->water_is_1 ? (double)data[i] : 1 + (double)data[i] / 1000));
	free(data);
	free(file);
	if (!v || !grow(p, &p->volume, p->volumes, &p->volume_room, sizeof *p->volume)) {
		gt_volume_free(v);
		return NULL;
	}
	return p->volume[p->volumes++] = v;
}

void study_page_pictures(study_page *p, const study_pictures *how)
{
	if (p->volumes + how->pictures > GT_PAGE_ITEMS) {
		study_page_text(p, how->heading,
		                "More pictures than a page holds: the files " STUDY_ARRAYS "%s.f32 and those after it have them.",
		                how->picture[0].array);
		return;
	}
	gt_page_item *item = keep(p, calloc(how->pictures + 1, sizeof *item));
	for (size_t i = 0; item && i < how->pictures; i++)
		item[i] = (gt_page_item){ .name = keep_text(p, how->picture[i].name),
			                  .volume = slice(p, how, how->picture[i].array),
			                  .unit = GT_HU,
			                  .quantity = how->quantity };
	if (item && p->st == GT_OK && how->pictures)
		add(p, (gt_page_part){ .kind = GT_PAGE_VIEWER,
		                       .heading = keep_text(p, how->heading),
		                       .text = keep_text(p, how->text),
		                       .item = item,
		                       .items = how->pictures,
		                       .low = how->low,
		                       .high = how->high });
}

/* The page --------------------------------------------------------------------------------------- */

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
	const char *path = study_file(&s->folder, "report.html");
	study_page_text(&p, NULL, "%s", s->kind->intro);
	add_table(&p, "What was measured", STUDY_ABOUT, NULL);
	s->kind->parts(s, &p);
	if (study_rows(&s->table[STUDY_LEFT_OUT])) {
		study_page_text(&p, "Left out", "What was not measured, and why.");
		study_page_table(&p, STUDY_LEFT_OUT);
	}
	study_page_text(&p, NULL, "Every figure can be drawn again: gnuplot NAME.gp in this folder.%s",
	                study_has_arrays()
	                        ? " Files " STUDY_ARRAYS
	                          "*.f32 are arrays of 32-bit floats in the order of this machine, rows of the picture from below."
	                        : "");
	const gt_page page = { .size = sizeof page, .title = s->kind->title, .part = p.part, .parts = p.parts };
	if (p.st == GT_OK)
		p.st = path ? gt_page_write(path, &page) : gt_fail(GT_ERR_MEMORY, "out of memory");
	drop(&p);
	return p.st;
}
