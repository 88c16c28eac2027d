/* The other formats of the command, read without its library: what it writes wrongly must not be read wrongly in the same way. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include "tests/reference/arrays.h"

/* A whole file, followed by a 0; .gz is unpacked. */
typedef struct bytes {
	unsigned char *at;
	size_t n;
} bytes;

static bytes slurp(const char *path)
{
	bytes b = { NULL, 0 };
	size_t room = 1 << 16;
	gzFile file = gzopen(path, "rb");
	if (!file)
		give_up(path, "cannot be opened");
	for (int got = 1; got > 0; b.n += (size_t)got) {
		if (!b.at || room - b.n < 1 << 15)
			room *= 2;
		b.at = realloc(b.at, room + 1);
		if (!b.at)
			give_up(path, "memory ran out");
		got = gzread(file, b.at + b.n, 1 << 15);
		if (got < 0)
			give_up(path, "cannot be read");
	}
	gzclose(file);
	b.at[b.n] = 0;
	return b;
}

static void whole(contents *c, const char *name, const char *type, const unsigned char *data, size_t n)
{
	char shape[32];
	snprintf(shape, sizeof shape, "%zu", n);
	add_array(c, name, type, shape, data, n);
}

static int starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static int ends(const char *path, const char *with)
{
	const size_t n = strlen(path), m = strlen(with);
	return n >= m && !strcasecmp(path + n - m, with);
}

static void add_lines(contents *c, const char *name, const unsigned char *text, size_t n)
{
	while (n) {
		const unsigned char *end = memchr(text, '\n', n);
		const size_t length = end ? (size_t)(end - text) : n;
		add_line(c, name, (const char *)text, length);
		text += length + (end != NULL);
		n -= length + (end != NULL);
	}
}

/* MetaImage: the comment and what is Gantry's own are text; the rest of the head is geometry. */
static void read_metaimage(bytes b, contents *c)
{
	unsigned char *head = take(b.n);
	size_t used = 0, at = 0;
	int local = 0, single = 0;
	while (at < b.n && !local) {
		const char *line = (const char *)b.at + at;
		const unsigned char *end = memchr(b.at + at, '\n', b.n - at);
		const size_t length = end ? (size_t)(end - b.at) + 1 - at : b.n - at;
		if (starts(line, "Comment") || starts(line, "Gantry")) {
			add_line(c, "head", line, length);
		} else {
			memcpy(head + used, line, length);
			used += length;
		}
		single |= starts(line, "ElementType = MET_FLOAT");
		local = starts(line, "ElementDataFile = LOCAL");
		at += length;
	}
	whole(c, "head", "text", head, used);
	if (local)
		whole(c, "voxels", single ? "float" : "bytes", b.at + at, b.n - at);
	free(head);
}

/* NIfTI 1 or 2: the description and the extensions are text. */
static void read_nifti(const char *path, bytes b, contents *c)
{
	const int second = b.at[0] != 348 % 256;
	const size_t head = second ? 540 : 348, description = second ? 240 : 148, type = second ? 12 : 70;
	int64_t start = 0;
	float first_start;
	int16_t code;
	memcpy(&first_start, b.at + 108, sizeof first_start);
	if (second)
		memcpy(&start, b.at + 168, sizeof start);
	else
		start = (int64_t)first_start;
	memcpy(&code, b.at + type, sizeof code);
	if (start < (int64_t)head || (size_t)start > b.n)
		give_up(path, "no start of the voxels in the head of this NIfTI file");
	add_line(c, "description", (char *)b.at + description, strnlen((char *)b.at + description, 80));
	add_lines(c, "extension", b.at + head, (size_t)start - head);
	memset(b.at + description, 0, 80);
	whole(c, "head", "bytes", b.at, head);
	whole(c, "voxels", code == 16 ? "float" : code == 64 ? "double" : "bytes", b.at + start, b.n - (size_t)start);
}

static unsigned word(const unsigned char *at) { return at[0] | (unsigned)at[1] << 8; }

static int one_of(const char *name, const char *all)
{
	for (; *all; all += 2)
		if (name[0] == all[0] && name[1] == all[1])
			return 1;
	return 0;
}

/* DICOM of little end, with types told: pixels; numbers, as one array; texts. Identifiers and times are new in every file. */
static void read_dicom(bytes b, contents *c)
{
	unsigned char *numbers = take(b.n);
	size_t used = 0, at = 132;
	while (at + 12 <= b.n) {
		const unsigned char *e = b.at + at;
		const char *type = (const char *)e + 4;
		const int is_long = one_of(type, "OBOWOFODOLSQUTUNUCUR");
		const size_t begin = is_long ? 12 : 8, n = is_long ? word(e + 8) | (size_t)word(e + 10) << 16 : word(e + 6);
		char tag[16];
		if (!isupper(type[0]) || !isupper(type[1]) || n > b.n - at - begin)
			break;
		snprintf(tag, sizeof tag, "%04x,%04x", word(e), word(e + 2));
		if (!strcmp(tag, "7fe0,0010")) {
			whole(c, "pixels", "bytes", e + begin, n);
		} else if (one_of(type, "LOLTSHSTPNUTCSAE") && word(e) > 2) {
			add_lines(c, tag, e + begin, n);
		} else if (!one_of(type, "UIDATMDT") && word(e) > 2) {
			memcpy(numbers + used, e, begin + n);
			used += begin + n;
		}
		at += begin + n;
	}
	whole(c, "numbers", "bytes", numbers, used);
	if (at < b.n)
		whole(c, "rest", "bytes", b.at + at, b.n - at);
	free(numbers);
}

/* PNG: all chunks but texts and the time. */
static void read_png(bytes b, contents *c)
{
	unsigned char *kept = take(b.n);
	size_t used = 0;
	for (size_t at = 8; at + 12 <= b.n;) {
		const unsigned char *e = b.at + at;
		const size_t n = 12 + ((size_t)e[0] << 24 | (size_t)e[1] << 16 | (size_t)e[2] << 8 | e[3]);
		if (n > b.n - at)
			break;
		if (memcmp(e + 4, "tEXt", 4) && memcmp(e + 4, "zTXt", 4) && memcmp(e + 4, "iTXt", 4) && memcmp(e + 4, "tIME", 4)) {
			memcpy(kept + used, e, n);
			used += n;
		}
		at += n;
	}
	whole(c, "picture", "bytes", kept, used);
	free(kept);
}

/* JSON: times, speeds and what was asked for are taken out, number or text, and the rest is one text. */
static void read_json(bytes b, contents *c)
{
	static const char *const left_out[] = { "seconds", "ms",    "ms_",  "gups", "gups_",  "peak",
		                                "command", "ratio", "free", "time", "version" };
	unsigned char *kept = take(b.n);
	size_t used = 0;
	for (size_t at = 0; at < b.n; at++) {
		const char *name = (const char *)b.at + at + 1;
		int drop = 0;
		for (size_t k = 0; b.at[at] == '"' && k < sizeof left_out / sizeof *left_out; k++) {
			const size_t n = strlen(left_out[k]);
			drop |= starts(name, left_out[k]) && (left_out[k][n - 1] == '_' || (name[n] == '"' && name[n + 1] == ':'));
		}
		if (drop) {
			int quoted = 0;
			for (at += strcspn(name, ":") + 1; at < b.n && (quoted || !strchr(",}\n", b.at[at])); at++)
				quoted ^= b.at[at] == '"' && b.at[at - 1] != '\\';
		}
		if (at < b.n)
			kept[used++] = b.at[at];
	}
	whole(c, "values", "text", kept, used);
	free(kept);
}

/* The end of a cell: commas in quotation marks part nothing. */
static size_t cell_length(const char *cell)
{
	size_t n = 0;
	for (int quoted = 0; cell[n] && cell[n] != '\n' && (quoted || cell[n] != ','); n++)
		quoted ^= cell[n] == '"';
	return n;
}

static const char *cell_of(const char *line, size_t column, size_t *n)
{
	*n = cell_length(line);
	for (; column && line[*n] == ','; column--) {
		line += *n + 1;
		*n = cell_length(line);
	}
	return column ? NULL : line;
}

static int is_timing(const char *head)
{
	static const char *const parts[] = { "seconds", "s per ", "[s]", "[ms", "GUPS", "GB/s", "speed-up", "E [%]", "times ", "when" };
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (strstr(head, parts[k]))
			return 1;
	return 0;
}

/* A table: lines that start with # are text, each column is an array, but those of times. */
static void read_table(bytes b, contents *c)
{
	const char *text = (const char *)b.at, *head = NULL;
	char *cells = take(b.n + 1), name[256];
	size_t n;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (*line == '#')
			add_line(c, "table", line, strcspn(line, "\n"));
		else if (!head)
			head = line;
	}
	const char *cell;
	for (size_t column = 0; head && (cell = cell_of(head, column, &n)); column++) {
		size_t used = 0, rows = 0;
		snprintf(name, sizeof name, "%.*s", (int)(n < 255 ? n : 255), cell);
		for (const char *line = head; *line; line += strcspn(line, "\n"), line += *line == '\n') {
			cell = *line == '#' ? NULL : cell_of(line, column, &n);
			if (!cell)
				continue;
			memcpy(cells + used, cell, n);
			used += n;
			cells[used++] = '\n';
			rows++;
		}
		char shape[32];
		snprintf(shape, sizeof shape, "%zu", rows);
		if (!is_timing(name))
			add_array(c, name, "cells", shape, cells, used);
	}
	free(cells);
}

void read_contents(const char *path, contents *c)
{
	const bytes b = slurp(path);
	if (b.n > 8 && (!memcmp(b.at, "\211HDF\r\n\032\n", 8) || (!memcmp(b.at, "CDF", 3) && b.at[3] < 6)))
		read_netcdf(path, c);
	else if (starts((char *)b.at, "ObjectType ="))
		read_metaimage(b, c);
	else if (b.n > 132 && !memcmp(b.at + 128, "DICM", 4))
		read_dicom(b, c);
	else if (b.n > 8 && !memcmp(b.at, "\211PNG\r\n\032\n", 8))
		read_png(b, c);
	else if (b.n > 540 && (ends(path, ".nii") || ends(path, ".nii.gz")))
		read_nifti(path, b, c);
	else if (ends(path, ".json"))
		read_json(b, c);
	else if (ends(path, ".csv"))
		read_table(b, c);
	else if (ends(path, ".html") || ends(path, ".gp") || ends(path, ".txt"))
		add_lines(c, "text", b.at, b.n);
	else
		whole(c, "bytes", ends(path, ".f32") ? "float" : "bytes", b.at, b.n);
	free(b.at);
}
