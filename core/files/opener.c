/* Opens user files: opening a pipe would wait for its writer, and a device has no end. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/arguments.h"
#include "core/files/opener.h"
#include "core/text.h"

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Does not change gt_error(): returns -1 with errno, or with *kind if it is not a regular file. O_NONBLOCK has no
 * effect on regular files. */
static int open_regular(const char *path, struct stat *s, const char **kind)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	*kind = NULL;
	if (file >= 0 && fstat(file, s) == 0 && S_ISREG(s->st_mode))
		return file;
	if (file >= 0) {
		*kind = kind_of(s->st_mode);
		close(file);
	} else if (errno == ENXIO) {
		*kind = "a socket or a device"; /* which open() cannot open */
	}
	return -1;
}

gt_status gt_file_open(const char *path, int *file, size_t *bytes)
{
	struct stat s = { .st_size = 0 };
	const char *kind;
	GT_NEED(path);
	GT_NEED(file);
	if ((*file = open_regular(path, &s, &kind)) < 0)
		return kind ? gt_fail(GT_ERR_IO, "%s: is not a regular file but %s: expected a file", path, kind)
		            : gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	if (bytes)
		*bytes = (size_t)s.st_size;
	return GT_OK;
}

gt_status gt_file_check(const char *path) { return gt_file_size(path, NULL); }

gt_status gt_file_size(const char *path, size_t *bytes)
{
	int file;
	const gt_status st = gt_file_open(path, &file, bytes);
	if (st == GT_OK)
		close(file);
	return st;
}

gt_status gt_file_stream(const char *path, FILE **out, size_t *bytes)
{
	int file;
	const gt_status st = gt_file_open(path, &file, bytes);
	*out = NULL;
	if (st != GT_OK || (*out = fdopen(file, "rb")))
		return st;
	close(file);
	return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
}

gt_status gt_file_text(const char *path, size_t max, FILE **out)
{
	size_t bytes = 0;
	gt_status st = gt_file_stream(path, out, &bytes);
	if (st != GT_OK || bytes <= max)
		return st;
	char has[GT_BYTES_TEXT], most[GT_BYTES_TEXT];
	st = gt_fail(GT_ERR_FORMAT, "%s: has %s: expected a text of at most %s", path, gt_bytes_text((double)bytes, has),
	             gt_bytes_text((double)max, most));
	fclose(*out);
	*out = NULL;
	return st;
}

size_t gt_file_start(const char *path, void *to, size_t n) { return gt_file_part(path, 0, to, n); }

size_t gt_file_part(const char *path, long long at, void *to, size_t n)
{
	struct stat s;
	const char *kind;
	size_t got = 0;
	const int file = open_regular(path, &s, &kind);
	while (file >= 0 && got < n) {
		const ssize_t part = pread(file, (char *)to + got, n - got, (off_t)at + (off_t)got);
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			break;
		got += (size_t)part;
	}
	if (file >= 0)
		close(file);
	return got;
}
