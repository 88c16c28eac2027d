/* Restricts the location of files that another file names. */
#include "core/try.h"
#include "io/external.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int gt_external_allowed(void)
{
	const char *allowed = getenv("GANTRY_ALLOW_EXTERNAL");
	return allowed && !strcmp(allowed, "1");
}

/* Absolute path of the folder; truncates `path` in place. */
static char *folder_of(char *path)
{
	char *slash = path ? strrchr(path, '/') : NULL;
	if (slash)
		slash[slash == path] = 0;
	return path;
}

static int lies_below(const char *folder, const char *file)
{
	const size_t n = strlen(folder);
	return !strncmp(folder, file, n) && (file[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

/* The named folder and, if path is a symbolic link, the folder of the link's target. */
static gt_status folders_of(const char *path, char *folder[2])
{
	const char *slash = strrchr(path, '/');
	char *named = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	folder[0] = named ? realpath(named, NULL) : NULL;
	folder[1] = folder_of(realpath(path, NULL));
	free(named);
	if (folder[0] && folder[1])
		return GT_OK;
	return errno == ENOMEM ? gt_fail(GT_ERR_MEMORY, "%s: out of memory", path) : gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
}

gt_status gt_external_entry(const char *folder, const char *file)
{
	struct stat s;
	gt_status st = GT_OK;
	if (gt_external_allowed() || lstat(file, &s) != 0 || !S_ISLNK(s.st_mode))
		return GT_OK;
	char *real = realpath(file, NULL), *in = real ? realpath(folder, NULL) : NULL;
	/* The reader reports a dangling link if it needs the file. */
	if (!in && errno != ENOENT)
		st = gt_fail(errno == ENOMEM ? GT_ERR_MEMORY : GT_ERR_IO, "%s: %s", file, strerror(errno));
	else if (in && !lies_below(in, real))
		st = gt_fail(GT_ERR_FORMAT,
		             "%s: is a symbolic link to %s, outside of its folder: copy the file into the folder, or set "
		             "GANTRY_ALLOW_EXTERNAL=1 if you trust the folder",
		             file, real);
	free(real);
	free(in);
	return st;
}

gt_status gt_external_check(const char *path, const char *what, const char *target)
{
	gt_status st = GT_OK;
	char *folder[2] = { NULL, NULL }, *real = realpath(target, NULL);
	struct stat s;
	if (!real || stat(real, &s) != 0)
		GT_TRY(gt_fail(errno == ENOMEM ? GT_ERR_MEMORY : GT_ERR_IO, "%s: %s: its data file %s: %s", path, what, target,
		               strerror(errno)));
	if (!S_ISREG(s.st_mode))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: its data file %s is not a regular file", path, what, target));
	if (gt_external_allowed())
		goto done;
	GT_TRY(folders_of(path, folder));
	if (!lies_below(folder[0], real) && !lies_below(folder[1], real))
		st = gt_fail(GT_ERR_FORMAT,
		             "%s: %s: its data file %s lies outside of the folder of the file: move it into the folder of the file, or set "
		             "GANTRY_ALLOW_EXTERNAL=1 if you trust this file",
		             path, what, target);
done:
	free(folder[0]);
	free(folder[1]);
	free(real);
	return st;
}
