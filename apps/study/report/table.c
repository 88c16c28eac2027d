/* Tables of a study: the same numbers as CSV and in the report. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "apps/study/study.h"

static char *print(const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	const int n = vsnprintf(NULL, 0, format, args);
	char *text = n < 0 ? NULL : malloc((size_t)n + 1);
	if (text)
		vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

/* Makes room for one more of `used`; 0 without memory. */
static int grow(study_table *t, void **items, size_t used, size_t *room, size_t size)
{
	if (used < *room)
		return 1;
	const size_t more = *room ? 2 * *room : 16;
	void *bigger = realloc(*items, more * size);
	if (!bigger) {
		t->failed = 1;
		return 0;
	}
	*items = bigger;
	*room = more;
	return 1;
}

void study_head(study_table *t, const char *format, ...)
{
	void *items = t->head;
	va_list args;
	if (grow(t, &items, t->columns, &t->head_room, sizeof *t->head)) {
		t->head = items;
		va_start(args, format);
		t->head[t->columns] = print(format, args);
		va_end(args);
		t->failed |= !t->head[t->columns];
		t->columns++;
	}
}

static void add(study_table *t, char *text, double number)
{
	void *items = t->cell;
	if (grow(t, &items, t->cells, &t->cell_room, sizeof *t->cell)) {
		t->cell = items;
		t->cell[t->cells++] = (study_cell){ text, number };
	} else {
		free(text);
	}
}

void study_text(study_table *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = print(format, args);
	va_end(args);
	t->failed |= !text;
	add(t, text, NAN);
}

void study_number(study_table *t, double x) { add(t, NULL, x); }

size_t study_rows(const study_table *t) { return t->columns ? t->cells / t->columns : 0; }

void study_table_free(study_table *t)
{
	for (size_t i = 0; i < t->columns; i++)
		free(t->head[i]);
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i].text);
	free(t->head);
	free(t->cell);
	*t = (study_table){ 0 };
}

/* RFC 4180: in quotation marks, which are doubled inside. */
static void quoted(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

gt_status study_csv(const study_table *t, FILE *out)
{
	if (t->failed)
		return gt_fail(GT_ERR_MEMORY, "out of memory for the tables of the study");
	for (size_t c = 0; c < t->columns; c++) {
		quoted(t->head[c], out);
		fputc(c + 1 < t->columns ? ',' : '\n', out);
	}
	for (size_t i = 0; i < t->cells; i++) {
		if (t->cell[i].text)
			quoted(t->cell[i].text, out);
		else if (isnan(t->cell[i].number))
			fputs("NaN", out);
		else
			fprintf(out, "%.9g", t->cell[i].number);
		fputc((i + 1) % t->columns ? ',' : '\n', out);
	}
	return GT_OK;
}
