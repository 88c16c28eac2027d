/* The tables of a study, read back (RFC 4180). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "apps/cli/try.h"
#include "apps/study/study.h"
#include "core/files/opener.h"

/* The cell that was read last, and where the file is. */
typedef struct {
	FILE *in;
	const char *path;
	size_t line, used, room;
	char *text;
	int quoted;
} reader;

enum { NO_MEMORY = -3, NO_END };

static int put(reader *r, int c)
{
	if (r->used + 1 >= r->room) {
		const size_t room = r->room ? 2 * r->room : 64;
		char *more = realloc(r->text, room);
		if (!more)
			return 0;
		r->text = more;
		r->room = room;
	}
	r->text[r->used++] = (char)c;
	r->text[r->used] = 0; /* put(0) makes an empty one */
	return 1;
}

/* After the opening mark; 0 at the closing one. */
static int read_quoted(reader *r)
{
	for (int c; (c = fgetc(r->in)) != EOF;) {
		if (c == '"' && (c = fgetc(r->in)) != '"') {
			ungetc(c, r->in);
			return 0;
		}
		r->line += c == '\n';
		if (!put(r, c))
			return NO_MEMORY;
	}
	return NO_END;
}

/* What ends the cell: a comma, '\n' or EOF; less than EOF: it is none. */
static int next_cell(reader *r)
{
	r->used = 0;
	if (!put(r, 0))
		return NO_MEMORY;
	r->used = 0;
	int c = fgetc(r->in);
	if ((r->quoted = c == '"')) {
		const int bad = read_quoted(r);
		if (bad)
			return bad;
		c = fgetc(r->in);
	}
	for (; c != ',' && c != '\n' && c != EOF; c = fgetc(r->in))
		if (c != '\r' && !put(r, c))
			return NO_MEMORY;
	return c;
}

static gt_status add_cell(const reader *r, study_table *t)
{
	char *end;
	if (r->quoted) {
		study_text(t, "%s", r->text);
		return GT_OK;
	}
	const double x = strtod(r->text, &end);
	if (end == r->text || *end)
		return gt_fail(GT_ERR_FORMAT, "%s, line %zu: found '%s': expected a number, NaN, or text in quotation marks", r->path,
		               r->line, r->text);
	study_number(t, x);
	return GT_OK;
}

static gt_status read_heads(reader *r, study_table *t)
{
	int end;
	while ((end = next_cell(r)) == ',' || end == '\n') {
		study_head(t, "%s", r->text);
		if (end == '\n')
			return GT_OK;
	}
	return end == NO_MEMORY ? gt_fail(GT_ERR_MEMORY, "out of memory")
	                        : gt_fail(GT_ERR_FORMAT, "%s: expected a line of heads, then rows, found no whole line", r->path);
}

/* EOF on success. */
static gt_status read_row(reader *r, study_table *t, int *end)
{
	size_t cells = 0;
	gt_status st = GT_OK;
	for (*end = ','; *end == ','; cells++) {
		const size_t line = r->line;
		*end = next_cell(r);
		if (*end == NO_MEMORY)
			return gt_fail(GT_ERR_MEMORY, "out of memory");
		if (*end == NO_END)
			return gt_fail(GT_ERR_FORMAT, "%s, line %zu: quotation marks that are not closed", r->path, line);
		if (*end == EOF && !cells && !r->quoted && !r->used)
			return GT_OK;
		GT_TRY(add_cell(r, t));
	}
	if (cells != t->columns)
		return gt_fail(GT_ERR_FORMAT, "%s, line %zu: %zu cells: expected %zu, one for each head", r->path, r->line, cells,
		               t->columns);
	r->line++;
done:
	return st;
}

gt_status study_csv_read(const char *path, study_table *t)
{
	reader r = { .path = path, .line = 1 };
	int end = '\n', file;
	gt_status st = gt_file_open(path, &file, NULL);
	if (st != GT_OK)
		return st;
	if (!(r.in = fdopen(file, "r"))) {
		close(file);
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	}
	GT_TRY(read_heads(&r, t));
	r.line++;
	while (end != EOF)
		GT_TRY(read_row(&r, t, &end));
	if (ferror(r.in))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(errno)));
	if (t->failed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory for %s", path));
done:
	fclose(r.in);
	free(r.text);
	return st;
}
