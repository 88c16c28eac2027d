/* Detects DICOM files by their prefix: PS3.10, section 7.1. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "io/dicom/dicom.h"

gt_status gt_dicom_probe(const char *path, int *is)
{
	char mark[4] = "";
	struct stat s;
	FILE *f;
	*is = 0;
	/* a folder, pipe or device is not DICOM */
	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
		return GT_OK;
	const gt_status st = gt_file_stream(path, &f, NULL);
	if (st != GT_OK)
		return st;
	*is = fseek(f, 128, SEEK_SET) == 0 && fread(mark, 1, 4, f) == 4 && !memcmp(mark, "DICM", 4);
	const int failed = ferror(f);
	fclose(f);
	return failed ? gt_fail(GT_ERR_IO, "%s: cannot be read", path) : GT_OK;
}

int gt_dicom_is(const char *path)
{
	char mark[4];
	return gt_file_part(path, 128, mark, sizeof mark) == sizeof mark && !memcmp(mark, "DICM", 4);
}

/* Files of each kind of name that gt_dicom_in_folder() opens. */
enum { MAX_OPENED = 512 };

typedef struct {
	char **name;
	size_t n, size;
} names;

static int add(names *l, const char *name)
{
	if (l->n == l->size) {
		const size_t size = l->size ? 2 * l->size : 64;
		char **more = realloc(l->name, size * sizeof *more);
		if (!more)
			return 0;
		l->name = more;
		l->size = size;
	}
	return (l->name[l->n] = strdup(name)) && ++l->n;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Frees the names. */
static int has_dicom(const char *folder, names *l)
{
	const size_t opened = l->n < MAX_OPENED ? l->n : MAX_OPENED;
	int found = 0;
	if (l->n)
		qsort(l->name, l->n, sizeof *l->name, by_name);
	for (size_t k = 0; k < opened && !found; k++) {
		char *path = gt_text("%s/%s", folder, l->name[opened > 1 ? k * (l->n - 1) / (opened - 1) : 0]);
		found = path && gt_dicom_is(path);
		free(path);
	}
	for (size_t i = 0; i < l->n; i++)
		free(l->name[i]);
	free(l->name);
	return found;
}

/* Names of other kinds of files end in a letter extension that is not one of DICOM. */
static int is_named_as_dicom(const char *name)
{
	static const char *const extensions[] = { ".dcm", ".ima", ".dic", ".dicom" };
	const char *dot = strrchr(name, '.');
	int is = !dot || strspn(dot + 1, "0123456789") == strlen(dot + 1);
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		is |= dot && !strcasecmp(dot, extensions[i]);
	return is;
}

int gt_dicom_in_folder(const char *path)
{
	names kind[2] = { { .n = 0 }, { .n = 0 } };
	DIR *folder = opendir(path);
	int all = folder != NULL;
	for (const struct dirent *e; all && (e = readdir(folder));)
		if (e->d_name[0] != '.')
			all = add(&kind[is_named_as_dicom(e->d_name)], e->d_name);
	if (folder)
		closedir(folder);
	const int named = has_dicom(path, &kind[1]);
	return has_dicom(path, &kind[0]) || named;
}
