/* Writes output under a temporary name and renames it when complete. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "core/arguments.h"
#include "core/try.h"
#include "io/tmp_list.h"

static unsigned long serial; /* number in the names; changed between gt_tmp_list_begin() and end */

gt_status gt_tmp_check_target(const char *path)
{
	struct stat s;
	char *to = NULL;
	if (lstat(path, &s) == 0 && S_ISLNK(s.st_mode)) {
		to = realpath(path, NULL);
		const gt_status st = gt_fail(GT_ERR_IO, "%s: is a symbolic link to %s: expected that name, or one of a new file", path,
		                             to ? to : "a missing file");
		free(to);
		return st;
	}
	if (stat(path, &s) != 0)
		return GT_OK;
	if (!S_ISREG(s.st_mode))
		return gt_fail(GT_ERR_IO, "%s: already exists and is %s", path, S_ISDIR(s.st_mode) ? "a folder" : "not a regular file");
	if (!(s.st_mode & 0222))
		return gt_fail(GT_ERR_IO, "%s: already exists and is write-protected", path);
	return GT_OK;
}

/* The new file is readable only for those who could read the replaced one, since it may contain patients' data. */
static void take_rights(const char *tmp, const char *path)
{
	struct stat s;
	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
		return;
	/* chown() only permits groups of this user; if it fails, the group gets no permissions. */
	const int given = chown(tmp, (uid_t)-1, s.st_gid) == 0;
	chmod(tmp, s.st_mode & (given ? 0777 : 0707));
}

/* fsync() of the folder makes a rename durable. */
static void folder_to_disk(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	const int file = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (file >= 0) {
		fsync(file);
		close(file);
	}
	free(folder);
}

static int make_file(const char *name)
{
	const int file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	return file < 0 ? -1 : close(file);
}

static int make_folder(const char *name) { return mkdir(name, 0777); }

/* Sets a folder's second name, which has the same length. */
static void name_gone(gt_unfinished *u, const char *name)
{
	if (u->gone) {
		strcpy(u->gone, name);
		u->gone[strlen(name) - 1] = '-';
	}
}

/* Creates a new file or folder next to path and lists it as u. Frees u on failure. u->gone of a folder holds a name. */
static gt_status make_beside(const char *path, int (*make)(const char *), const char *kind, gt_unfinished *u, size_t size, char **tmp)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *name = malloc(size);
	sigset_t before;
	int failed, why = ENOMEM;
	if (!name)
		goto failed;
	gt_tmp_list_begin(&before);
	do {
		snprintf(name, size, "%.*s.%s.%ld-%lu.tmp", (int)(base - path), path, base, (long)getpid(), serial++);
		failed = make(name);
	} while (failed && errno == EEXIST);
	why = errno;
	if (!failed) {
		u->name = *tmp = name;
		u->owner = getpid();
		name_gone(u, name);
		gt_tmp_list_add(u);
	}
	gt_tmp_list_end(&before);
	if (!failed)
		return GT_OK;
failed:
	free(name);
	free(u->gone);
	free(u);
	return gt_fail(why == ENOMEM ? GT_ERR_MEMORY : GT_ERR_IO, "%s: cannot create a %s in the folder '%.*s': %s", path, kind,
	               slash ? (int)(base - path) : 1, slash ? path : ".", strerror(why));
}

/* Bytes for a name next to path. */
static size_t name_size(const char *path) { return strlen(path) + 64; }

gt_status gt_tmp_path(const char *path, char **tmp)
{
	GT_NEED(path);
	GT_NEED(tmp);
	const char *slash = strrchr(path, '/');
	gt_status st = GT_OK;
	*tmp = NULL;
	if (!*(slash ? slash + 1 : path))
		return gt_fail(GT_ERR_IO, "'%s': expected the name of a file", path);
	if ((st = gt_tmp_check_target(path)) != GT_OK)
		return st;
	gt_unfinished *u = calloc(1, sizeof *u);
	st = u ? make_beside(path, make_file, "file", u, name_size(path), tmp) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (st == GT_OK)
		take_rights(*tmp, path);
	return st;
}

static gt_status check_folder(const char *path)
{
	struct stat s;
	if (lstat(path, &s) != 0)
		return GT_OK;
	if (!S_ISDIR(s.st_mode))
		return gt_fail(GT_ERR_IO, "%s: already exists and is not a folder", path);
	DIR *dir = opendir(path);
	int full = !dir;
	for (struct dirent *e; !full && (e = readdir(dir));)
		full = strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return full ? gt_fail(GT_ERR_IO, "%s: already exists and is not empty: expected the name of a new folder", path) : GT_OK;
}

gt_status gt_tmp_folder(const char *given, size_t files, const char *extension, char **tmp)
{
	GT_NEED(given);
	GT_NEED(extension);
	GT_NEED(tmp);
	gt_status st = GT_OK;
	gt_unfinished *u = NULL;
	char *path = strdup(given);
	size_t n = path ? strlen(path) : 0;
	*tmp = NULL;
	if (!path)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", given);
	while (n > 1 && path[n - 1] == '/')
		path[--n] = 0;
	if (!n || path[n - 1] == '/')
		GT_TRY(gt_fail(GT_ERR_IO, "'%s': expected the name of a folder", given));
	if (files >= 1000000)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu files: expected fewer than a million", given, files));
	if (strlen(extension) > GT_TMP_EXTENSION)
		GT_TRY(gt_fail(GT_ERR_ARG, "extension '%s': expected at most %d letters", extension, GT_TMP_EXTENSION));
	GT_TRY(check_folder(path));
	u = calloc(1, sizeof *u);
	if (u && (u->gone = malloc(name_size(path)))) {
		u->files = files;
		strcpy(u->extension, extension);
		st = make_beside(path, make_folder, "folder", u, name_size(path), tmp);
	} else {
		free(u);
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", given);
	}
done:
	free(path);
	return st;
}

/* Some file systems allocate space only at writeback: flush before the old file is replaced. */
static int to_disk(const char *name)
{
	const int file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	struct stat s;
	const int folder = fstat(file, &s) == 0 && S_ISDIR(s.st_mode);
	int failed = folder ? syncfs(file) : fsync(file);
	if (failed && (errno == EINVAL || errno == ENOSYS || errno == EROFS))
		failed = 0;
	const int why = errno;
	close(file);
	errno = why;
	return failed;
}

/* Removes tmp from the list; also deletes it if `remove` is set. */
static void forget(char *tmp, int remove)
{
	gt_unfinished *u = gt_tmp_list_find(tmp);
	if (u && remove)
		gt_tmp_delete(u);
	if (u)
		gt_tmp_list_drop(u);
}

/* taken: NULL if path may exist. An empty file reserves a new name: otherwise rename() would replace a file that
 * another program creates meanwhile. */
static gt_status commit(char *tmp, const char *path, int *taken)
{
	gt_status st = GT_OK;
	sigset_t before;
	if (to_disk(tmp) != 0) {
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
		gt_tmp_drop(tmp);
		return st;
	}
	gt_tmp_list_begin(&before);
	if (taken && make_file(path) != 0 && errno == EEXIST) {
		*taken = 1;
		gt_tmp_list_end(&before);
		return GT_OK;
	}
	if (!taken)
		take_rights(tmp, path);
	const int failed = rename(tmp, path) != 0;
	if (failed)
		st = gt_fail(GT_ERR_IO, "%s: cannot be renamed from its temporary name: %s", path, strerror(errno));
	if (failed && taken)
		unlink(path);
	forget(tmp, failed);
	gt_tmp_list_end(&before);
	if (!failed)
		folder_to_disk(path);
	free(tmp);
	return st;
}

gt_status gt_tmp_commit(char *tmp, const char *path) { return commit(tmp, path, NULL); }

gt_status gt_tmp_commit_new(char *tmp, const char *path, int *taken)
{
	GT_NEED(tmp);
	GT_NEED(path);
	GT_NEED(taken);
	*taken = 0;
	return commit(tmp, path, taken);
}

void gt_tmp_drop(char *tmp)
{
	sigset_t before;
	if (!tmp)
		return;
	gt_tmp_list_begin(&before);
	forget(tmp, 1);
	gt_tmp_list_end(&before);
	free(tmp);
}

gt_status gt_tmp_commit_folder(char *tmp, const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	char *name = strndup(path, n);
	if (!name) {
		gt_tmp_drop(tmp);
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	}
	const gt_status st = gt_tmp_commit(tmp, name);
	free(name);
	return st;
}

int gt_names_folder(const char *path)
{
	const size_t n = strlen(path);
	return n > 1 && path[n - 1] == '/';
}
