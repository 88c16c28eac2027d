/* Prints hashes of the arrays in output files, to compare two versions (see usage). Files also contain time and command, so
 * hashes of whole files would differ. Independent of the library. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/reference/arrays.h"

static const char usage[] =
	"hash_arrays FILE                     one line per array: name, type, shape, hash\n"
	"hash_arrays --metadata FILE          the text, without times, commands and versions\n"
	"hash_arrays --near LIMIT OLD NEW     arrays that differ by more than LIMIT times the largest number of the old one;\n"
	"                                     exit 1 if there are any\n";

void give_up(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	exit(2);
}

void *take(size_t bytes)
{
	void *data = malloc(bytes ? bytes : 1);
	if (!data)
		give_up("memory", "ran out");
	return data;
}

static char *copy(const char *text, size_t n)
{
	char *copied = take(n + 1);
	memcpy(copied, text, n);
	copied[n] = 0;
	return copied;
}

void add_array(contents *c, const char *name, const char *type, const char *shape, const void *data, size_t bytes)
{
	c->array = realloc(c->array, (c->arrays + 1) * sizeof *c->array);
	if (!c->array)
		give_up(name, "memory ran out");
	array *a = &c->array[c->arrays++];
	*a = (array){ copy(name, strlen(name)), copy(shape, strlen(shape)), type, take(bytes), bytes };
	memcpy(a->data, data, bytes);
}

/* These words at the start of an attribute's name, or of a line: the list of what may differ between equal runs. */
static int may_differ(const char *name, const char *text)
{
	static const char *const words[] = { ":history",      ":gantry_command", ":gantry_version", ":run_command",  ":gantry_commit",
		                             "GantryCommand", "command",         "# command",       "GantryVersion", "history" };
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!strncmp(name, words[k], strlen(words[k])) || !strncmp(text, words[k], strlen(words[k])))
			return 1;
	return 0;
}

void add_line(contents *c, const char *name, const char *text, size_t length)
{
	char *shown = take(strlen(name) + length + 4);
	sprintf(shown, "%s: ", name);
	const size_t before = strlen(shown);
	memcpy(shown + before, text, length);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)shown[before + i] < ' ')
			shown[before + i] = ' ';
	shown[before + length] = 0;
	if (may_differ(name, shown + before)) {
		free(shown);
		return;
	}
	c->line = realloc(c->line, (c->lines + 1) * sizeof *c->line);
	if (!c->line)
		give_up(name, "memory ran out");
	c->line[c->lines++] = shown;
}

/* FNV-1a of 64 bits. */
static uint64_t hash(const unsigned char *data, size_t n)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ data[i]) * 1099511628211u;
	return h;
}

/* The numbers of an array: NULL if it holds none, so that its bytes are to be the same. */
static double *numbers(const array *a, size_t *n)
{
	const size_t size = !strcmp(a->type, "float") ? sizeof(float) : !strcmp(a->type, "double") ? sizeof(double) : 0;
	double *x = take((a->bytes + 1) * sizeof *x);
	*n = 0;
	if (size) {
		for (size_t at = 0; at + size <= a->bytes; at += size) {
			float single;
			memcpy(&single, a->data + at, sizeof single);
			memcpy(&x[*n], a->data + at, size == sizeof(double) ? size : 0);
			if (size == sizeof single)
				x[*n] = single;
			++*n;
		}
		return x;
	}
	if (!strcmp(a->type, "cells")) {
		char *text = copy((const char *)a->data, a->bytes), *rest = NULL;
		strtok_r(text, "\n", &rest); /* the head */
		for (const char *cell; (cell = strtok_r(NULL, "\n", &rest));)
			x[(*n)++] = strtod(cell, NULL);
		free(text);
		return x;
	}
	free(x);
	return NULL;
}

/* Largest difference of two arrays of one shape, as a part of the largest number. */
static double apart(const array *a, const array *b)
{
	size_t n, m;
	if (a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes))
		return 0;
	double *x = numbers(a, &n), *y = numbers(b, &m), max = 0, largest = 0;
	if (!x || !y || n != m)
		max = INFINITY;
	for (size_t i = 0; max < INFINITY && i < n; i++) {
		if (isnan(x[i]) != isnan(y[i]))
			max = INFINITY;
		max = fmax(max, fabs(x[i] - y[i]));
		largest = fmax(largest, fabs(x[i]));
	}
	free(x);
	free(y);
	return max > 0 ? max / largest : 0;
}

static int near(const contents *a, const contents *b, double limit)
{
	int bad = a->arrays != b->arrays;
	if (bad)
		printf("%zu arrays, expected %zu\n", b->arrays, a->arrays);
	for (size_t i = 0; !bad && i < a->arrays; i++) {
		const array *old = &a->array[i], *new = &b->array[i];
		const int same_kind = !strcmp(old->name, new->name) && !strcmp(old->type, new->type) && !strcmp(old->shape, new->shape);
		const double by = same_kind ? apart(old, new) : INFINITY;
		if (by <= limit)
			continue;
		printf("%s %s %s: differs from %s %s %s by %g of the largest number\n", new->name, new->type, new->shape, old->name,
		       old->type, old->shape, by);
		bad = 1;
	}
	return bad;
}

static void drop(contents *c)
{
	for (size_t i = 0; i < c->arrays; i++) {
		free(c->array[i].name);
		free(c->array[i].shape);
		free(c->array[i].data);
	}
	for (size_t i = 0; i < c->lines; i++)
		free(c->line[i]);
	free(c->array);
	free(c->line);
}

int main(int argc, char **argv)
{
	contents c = { 0 }, other = { 0 };
	int bad = 0;
	if (argc == 2) {
		read_contents(argv[1], &c);
		for (size_t i = 0; i < c.arrays; i++)
			printf("%s %s %s %016llx\n", c.array[i].name, c.array[i].type, c.array[i].shape,
			       (unsigned long long)hash(c.array[i].data, c.array[i].bytes));
	} else if (argc == 3 && !strcmp(argv[1], "--metadata")) {
		read_contents(argv[2], &c);
		for (size_t i = 0; i < c.lines; i++)
			puts(c.line[i]);
	} else if (argc == 5 && !strcmp(argv[1], "--near")) {
		read_contents(argv[3], &c);
		read_contents(argv[4], &other);
		bad = near(&c, &other, strtod(argv[2], NULL));
	} else {
		fputs(usage, stderr);
		bad = 2;
	}
	drop(&c);
	drop(&other);
	return bad;
}
