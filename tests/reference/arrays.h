#ifndef GT_TESTS_ARRAYS_H
#define GT_TESTS_ARRAYS_H
/* Contents of an output file: arrays, which must be bit-identical between two versions, and text. */
#include <stddef.h>

typedef struct array {
	char *name, *shape;
	const char *type; /* float and double are read as numbers where a tolerance is given, and so are cells of tables */
	unsigned char *data;
	size_t bytes;
} array;

typedef struct contents {
	array *array;
	size_t arrays;
	char **line; /* the text */
	size_t lines;
} contents;

/* Copies of all that is given. The program ends where memory does. */
void add_array(contents *c, const char *name, const char *type, const char *shape, const void *data, size_t bytes);
/* A line of text, unless it tells the time, the command or the version: those differ between equal runs. */
void add_line(contents *c, const char *name, const char *text, size_t length);
void *take(size_t bytes);
_Noreturn void give_up(const char *path, const char *why);

void read_netcdf(const char *path, contents *c);
/* By what the file starts with, else by its name, else all of its bytes as one array. */
void read_contents(const char *path, contents *c);
#endif
