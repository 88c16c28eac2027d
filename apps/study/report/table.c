/* Tables of a study, and their CSV files (RFC 4180). */
#include <errno.h>
#include <unistd.h>
#include <gantry/io.h>
#include "apps/study/study.h"
#include "core/files/opener.h"

void study_head(study_table *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *head = study_print(format, args);
	va_end(args);
	if (head && study_grow(&t->head, t->columns, &t->head_capacity, sizeof *t->head)) {
		t->head[t->columns++] = head;
	} else {
		t->failed = 1;
		free(head);
	}
}

void study_heads(study_table *t, const char *heads)
{
	for (const char *next = heads; *next; heads = next + 1) {
		next = heads + strcspn(heads, "|");
		if (strncmp(heads, "...", 3) != 0)
			study_head(t, "%.*s", (int)(next - heads) - (next > heads && next[-1] == '$'), heads);
	}
}

static void add(study_table *t, char *text, double number)
{
	if (study_grow(&t->cell, t->cells, &t->cell_capacity, sizeof *t->cell)) {
		t->cell[t->cells++] = (study_cell){ text, number };
	} else {
		t->failed = 1;
		free(text);
	}
}

void study_text(study_table *t, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = study_print(format, args);
	va_end(args);
	t->failed |= !text;
	add(t, text, NAN);
}

void study_number(study_table *t, double x) { add(t, NULL, x); }

void study_cells(study_table *t, const study_cell *cell, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cell[i].text)
			study_text(t, "%s", cell[i].text);
		else
			study_number(t, cell[i].number);
}

void study_numbers(study_table *t, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		study_number(t, x[i]);
}

size_t study_rows(const study_table *t) { return t->columns ? t->cells / t->columns : 0; }

double study_at(const study_table *t, size_t row, size_t column) { return t->cell[row * t->columns + column].number; }

const char *study_text_at(const study_table *t, size_t row, size_t column)
{
	const char *text = t->cell[row * t->columns + column].text;
	return text ? text : "";
}

int study_same(const study_table *t, size_t row, size_t other, size_t column)
{
	const double a = study_at(t, row, column), b = study_at(t, other, column);
	return !strcmp(study_text_at(t, row, column), study_text_at(t, other, column)) && (a == b || (isnan(a) && isnan(b)));
}

void study_table_free(study_table *t)
{
	for (size_t i = 0; i < t->columns; i++)
		free(t->head[i]);
	for (size_t i = 0; i < t->cells; i++)
		free((void *)t->cell[i].text);
	free(t->head);
	free(t->cell);
	*t = (study_table){ 0 };
}

/* Writing ---------------------------------------------------------------------------- */

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

static gt_status write_csv(const study_table *t, FILE *out)
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
		else
			fprintf(out, isnan(t->cell[i].number) ? "NaN" : "%.9g", t->cell[i].number);
		fputc((i + 1) % t->columns ? ',' : '\n', out);
	}
	return GT_OK;
}

gt_status study_write_tables(study *s)
{
	gt_status st = GT_OK;
	for (size_t i = 0; i < STUDY_OWN + s->kind->tables; i++) {
		char *name = FORMAT("%s.csv", study_table_name(s, i));
		FILE *out = NULL;
		if (!s->table[i].columns)
			continue;
		GT_TRY(study_open(&s->folder, name, &out));
		st = write_csv(&s->table[i], out);
		const gt_status closed = study_close(name, out);
		GT_TRY(st != GT_OK ? st : closed);
	}
done:
	return st;
}

/* Reading ----------------------------------------------------------------------------- */

gt_status study_read_file(const char *path, char **text, size_t *bytes)
{
	int file;
	GT_OR_RETURN(gt_file_open(path, &file, bytes));
	gt_status st = GT_OK;
	FILE *in = fdopen(file, "rb");
	*text = in ? calloc(1, *bytes + 1) : NULL;
	if (!*text)
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	else if (fread(*text, 1, *bytes, in) != *bytes)
		st = gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
	if (in)
		fclose(in);
	return st;
}

/* Position in a file, and the cell before it; end: ',', '\n' or 0 at the end of the file; -1: the quotation marks
 * are open. */
typedef struct {
	const char *path;
	char *at, *cell;
	size_t line;
	int quoted, end;
} reader;

static void next_cell(reader *r)
{
	char *to = r->cell = r->at;
	const size_t line = r->line;
	int open = r->quoted = *r->at == '"';
	for (r->at += open; *r->at && (open || (*r->at != ',' && *r->at != '\n')); r->at++) {
		r->line += *r->at == '\n';
		if (open && *r->at == '"' && r->at[1] != '"')
			open = 0;
		else if (*r->at != '\r')
			*to++ = *(r->at += open && *r->at == '"');
	}
	r->end = open ? -1 : *r->at;
	r->line = open ? line : r->line;
	r->at += *r->at != 0;
	*to = 0;
}

static gt_status add_cell(const reader *r, study_table *t)
{
	char *end;
	const double x = strtod(r->cell, &end);
	if (r->quoted)
		study_text(t, "%s", r->cell);
	else if (end == r->cell || *end)
		return gt_fail(GT_ERR_FORMAT, "%s, line %zu: found '%s': expected a number, NaN, or text in quotation marks", r->path,
		               r->line, r->cell);
	else
		study_number(t, x);
	return GT_OK;
}

static gt_status read_row(reader *r, study_table *t)
{
	size_t cells = 0;
	do {
		next_cell(r);
		if (r->end < 0)
			return gt_fail(GT_ERR_FORMAT, "%s, line %zu: unclosed quotation marks", r->path, r->line);
		GT_OR_RETURN(add_cell(r, t));
		cells++;
	} while (r->end == ',');
	if (cells != t->columns)
		return gt_fail(GT_ERR_FORMAT, "%s, line %zu: %zu cells: expected %zu, one per column", r->path, r->line, cells, t->columns);
	r->line++;
	return GT_OK;
}

static gt_status read_csv(const char *path, study_table *t)
{
	char *text = NULL;
	size_t bytes;
	reader r = { .path = path, .line = 1 };
	gt_status st = GT_OK;
	GT_TRY(study_read_file(path, &text, &bytes));
	r.at = text;
	do {
		next_cell(&r);
		if (r.end != ',' && r.end != '\n')
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: expected a line of column names, then rows; found no complete line", path));
		study_head(t, "%s", r.cell);
	} while (r.end == ',');
	for (r.line++; *r.at;)
		GT_TRY(read_row(&r, t));
	if (t->failed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory for %s", path));
done:
	free(text);
	return st;
}

/* Compares heads and kinds of cells with the specification; "..." at its end: columns of numbers follow. */
static gt_status check_columns(const char *path, const char *heads, const study_table *t)
{
	size_t c = 0;
	for (; *heads && strcmp(heads, "..."); c++) {
		const size_t n = strcspn(heads, "|"), text = heads[n - 1] == '$';
		const char *found = c < t->columns ? t->head[c] : "";
		if (strlen(found) != n - text || strncmp(found, heads, n - text) != 0)
			return gt_fail(GT_ERR_FORMAT, "%s: column %zu is '%s': expected '%.*s'", path, c + 1, found, (int)(n - text),
			               heads);
		for (size_t i = c; i < t->cells; i += t->columns)
			if (text != (t->cell[i].text != NULL))
				return gt_fail(GT_ERR_FORMAT, "%s, row %zu: '%s' holds %s: expected %s", path, i / t->columns + 1, found,
				               text ? "a number" : "text", text ? "text" : "a number");
		heads += n + (heads[n] == '|');
	}
	if (!*heads && t->columns != c)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu columns: expected %zu", path, t->columns, c);
	for (size_t i = 0; i < t->cells; i++)
		if (i % t->columns >= c && t->cell[i].text)
			return gt_fail(GT_ERR_FORMAT, "%s, row %zu: '%s' holds text: expected a number", path, i / t->columns + 1,
			               t->head[i % t->columns]);
	return GT_OK;
}

gt_status study_read_tables(study *s, const char *from)
{
	for (size_t i = 0; i < STUDY_OWN + s->kind->tables; i++) {
		const char *path = PATH("%s/%s.csv", from, study_table_name(s, i));
		if (i == STUDY_ABOUT || access(path, F_OK) == 0)
			GT_OR_RETURN(read_csv(path, &s->table[i]));
		if (s->table[i].columns)
			GT_OR_RETURN(check_columns(path, study_table_heads(s, i), &s->table[i]));
	}
	return GT_OK;
}
