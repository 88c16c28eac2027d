/* Atomic access to files in the user's cache. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "core/variant/folder.h"

enum { MAX_BYTES = 64 << 20 };

static void make_folders(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		mkdir(path, 0777);
		*at = '/';
	}
}

char *gt_cache_path(const char *name, int make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path = cache && *cache == '/' ? gt_text("%s/gantry/tune/%s", cache, name)
	             : home && *home == '/' ? gt_text("%s/.cache/gantry/tune/%s", home, name)
	                                    : NULL;
	if (path && make)
		make_folders(path);
	return path;
}

gt_status gt_cache_write(const char *path, const void *bytes, size_t n)
{
	char *other = gt_text("%s.%ld.tmp", path, (long)getpid());
	FILE *f = other ? fopen(other, "wb") : NULL;
	if (!f) {
		const gt_status st = gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", path, other ? strerror(errno) : "no memory");
		free(other);
		return st;
	}
	int well = fwrite(bytes, 1, n, f) == n;
	well = fflush(f) == 0 && well;
	well = fsync(fileno(f)) == 0 && well;
	well = fclose(f) == 0 && well;
	well = well && rename(other, path) == 0;
	const gt_status st = well ? GT_OK : gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", path, strerror(errno));
	if (!well)
		unlink(other);
	free(other);
	return st;
}

void *gt_cache_read(const char *path, size_t *n)
{
	FILE *f;
	size_t size;
	char *bytes = NULL;
	if (gt_file_stream(path, &f, &size) == GT_OK && size <= MAX_BYTES && (bytes = malloc(size + 1))) {
		*n = fread(bytes, 1, size, f);
		bytes[*n] = 0;
	}
	if (f)
		fclose(f);
	return bytes;
}
