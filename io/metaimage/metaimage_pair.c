/* Header and data of a MetaImage pair, which cannot be renamed atomically. The data get a name that neither a file nor
 * a header uses; then the new header replaces the old one. Until then the old pair stays intact, and no header ever
 * names data written for another. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/metaimage/metaimage.h"
#include "io/same_file.h"
#include "io/tmp_list.h"

enum { MAX_NAMES = 10000 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int same(const char *a, const char *b)
{
	struct stat x, y;
	return !strcmp(a, b) || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* folder: length of the folder's path, including the slash. */
static char *joined(const char *folder, const char *name)
{
	const size_t n = (size_t)(base_of(folder) - folder);
	char *path = malloc(n + strlen(name) + 1);
	if (path) {
		memcpy(path, folder, n);
		strcpy(path + n, name);
	}
	return path;
}

int gt_metaimage_is_named(const char *data)
{
	char *folder = joined(data, ".");
	DIR *dir = folder ? opendir(folder) : NULL;
	int found = dir ? 0 : -1;
	for (struct dirent *e; found == 0 && (e = readdir(dir));) {
		const char *end = strrchr(e->d_name, '.');
		if (!end || (strcasecmp(end, ".mhd") && strcasecmp(end, ".mha")))
			continue;
		char *head = joined(data, e->d_name), *named = head ? gt_data_file(head) : NULL;
		found = !head ? -1 : named && same(named, data);
		free(head);
		free(named);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return found;
}

/* stem.mhd -> stem.raw, stem-1.raw, stem-2.raw ... */
char *gt_metaimage_data_name(const char *path, int number)
{
	const size_t stem = strlen(path) - strlen(".mhd"), size = stem + sizeof "-10000.raw";
	char *name = malloc(size);
	if (name && number)
		snprintf(name, size, "%.*s-%d.raw", (int)stem, path, number);
	else if (name)
		snprintf(name, size, "%.*s.raw", (int)stem, path);
	return name;
}

gt_status gt_metaimage_commit_data(char *tmp, const char *path, char **name)
{
	*name = NULL;
	for (int number = 0; number < MAX_NAMES; number++) {
		struct stat s;
		int taken;
		free(*name);
		if (!(*name = gt_metaimage_data_name(path, number)))
			break;
		if (lstat(*name, &s) == 0 || gt_metaimage_is_named(*name) > 0)
			continue;
		const gt_status st = gt_tmp_commit_new(tmp, *name, &taken);
		if (st == GT_OK && taken)
			continue;
		if (st != GT_OK) {
			free(*name);
			*name = NULL;
		}
		return st;
	}
	gt_tmp_drop(tmp);
	const gt_status st = *name ? gt_fail(GT_ERR_IO, "%s: %d data files are next to it: expected fewer", path, MAX_NAMES)
	                           : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	free(*name);
	*name = NULL;
	return st;
}

void gt_metaimage_drop_data(const char *path, const char *old)
{
	const size_t stem = strlen(path) - strlen(".mhd"), length = old ? strlen(old) : 0;
	const size_t digits = length > stem ? strspn(old + stem + 1, "0123456789") : 0;
	if (length < stem + strlen(".raw") || strncmp(old, path, stem) || strcmp(old + length - strlen(".raw"), ".raw"))
		return;
	const int numbered = old[stem] == '-' && digits && stem + 1 + digits + strlen(".raw") == length;
	if ((numbered || length == stem + strlen(".raw")) && gt_metaimage_is_named(old) == 0)
		unlink(old);
}
