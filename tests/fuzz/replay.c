/* The program of a harness without a fuzzer: reads each file once, and all files of folders. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz/fuzz.h"

enum { ROOM = 4096, CHANGES = 400, MIN_CHANGES = 5 };

/* Per input; GT_TESTS_EVERY=N divides them. */
static unsigned changes = CHANGES;

__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* If the harness mutates inputs, also reads one to five successive mutations. */
static void read_changed(const uint8_t *data, size_t size)
{
	const size_t room = size + ROOM;
	uint8_t *now = malloc(room), *before = malloc(room);
	size_t n = size;
	if (!now || !before)
		abort();
	for (unsigned seed = 0; seed < changes; seed++) {
		if (seed % 5 == 0)
			memcpy(now, data, n = size);
		memcpy(before, now, n);
		const size_t last = n;
		n = LLVMFuzzerCustomMutator(now, n, room, seed * 2654435761u);
		if (n != last || memcmp(now, before, n) != 0)
			LLVMFuzzerTestOneInput(now, n);
	}
	free(now);
	free(before);
}

static int read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t size = 0, room = 0;
	uint8_t *data = NULL;
	while (f && !feof(f) && !ferror(f)) {
		if (size == room && !(data = realloc(data, room = 2 * room + 4096)))
			abort();
		size += fread(data + size, 1, room - size, f);
	}
	const int failed = !f || ferror(f);
	if (f)
		fclose(f);
	if (failed)
		fprintf(stderr, "replay: %s cannot be read\n", path);
	else
		LLVMFuzzerTestOneInput(data, size);
	if (!failed && size && LLVMFuzzerCustomMutator)
		read_changed(data, size);
	free(data);
	return !failed;
}

/* Inputs share a fixed number of mutations. */
static unsigned changes_each(DIR *d)
{
	const struct dirent *e;
	unsigned n = 0;
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	rewinddir(d);
	const char *every = getenv("GT_TESTS_EVERY");
	const unsigned each = n * MIN_CHANGES < CHANGES ? CHANGES / (n ? n : 1) : MIN_CHANGES;
	return each / (every && atoi(every) > 1 ? (unsigned)atoi(every) : 1);
}

/* Returns the number of files read. */
static size_t replay(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	size_t n = 0;
	if (!d)
		return (size_t)read_file(path);
	changes = changes_each(d);
	while ((e = readdir(d))) {
		char name[4096];
		if (e->d_name[0] == '.' || snprintf(name, sizeof name, "%s/%s", path, e->d_name) >= (int)sizeof name)
			continue;
		n += (size_t)read_file(name);
	}
	closedir(d);
	return n;
}

/* Chooses the harness by name if all are in one program (one_program.sh). */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

int main(int argc, char **argv)
{
	size_t n = 0;
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			n += replay(argv[i]);
	printf("%zu inputs\n", n);
	return n ? 0 : 1;
}
