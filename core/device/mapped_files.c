/* Arrays in mapped files. posix_fallocate() reserves the space at creation, so that a full disk is an error here and
 * not a SIGBUS later. */
#include "core/device/mapped_files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/text.h"
#include "core/try.h"

#define MIN_BYTES ((size_t)1 << 20) /* smaller arrays stay in memory */
#define PROBE_BYTES ((size_t)64 << 20)
#define BYTES(n) gt_bytes_text(n, (char[GT_BYTES_TEXT]){ 0 })

struct block {
	struct block *next;
	void *at;
	size_t bytes;
};

struct gt_mapped_files {
	char *folder;
	double memory;
	size_t bytes;
	struct block *first;
};

static gt_status failed(const char *folder, const char *what)
{
	return gt_fail(GT_ERR_IO, "--scratch=%s: %s: %s", folder, what, strerror(errno));
}

/* Opens an unnamed file; if the file system has none, unlinks a named one at once. */
static gt_status open_nameless(const char *folder, int *file)
{
	*file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*file >= 0)
		return GT_OK;
	if (errno != EOPNOTSUPP && errno != EISDIR)
		return failed(folder, "no file can be made there");
	char *name = gt_text("%s/gantry-scratch-XXXXXX", folder);
	if (!name)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	*file = mkostemp(name, O_CLOEXEC);
	const gt_status st = *file >= 0 ? GT_OK : failed(folder, "no file can be made there");
	if (st == GT_OK)
		unlink(name);
	free(name);
	return st;
}

gt_status gt_folder_space(const char *folder, double *bytes)
{
	struct statvfs s;
	if (statvfs(folder, &s) != 0)
		return failed(folder, "cannot be examined");
	*bytes = (double)s.f_bavail * (double)s.f_frsize;
	return GT_OK;
}

gt_status gt_folder_rate(const char *folder, double *rate)
{
	char *some = NULL;
	int file = -1;
	double room = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_folder_space(folder, &room));
	/* Uses at most half of a small disk. */
	const size_t bytes = room / 2 < (double)PROBE_BYTES ? (size_t)(room / 2) : PROBE_BYTES;
	if (!bytes)
		return gt_fail(GT_ERR_IO, "--scratch=%s: no free space to measure the write rate", folder);
	if (!(some = malloc(bytes)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < bytes; i++)
		some[i] = (char)(i * 2654435761u >> 11);
	GT_TRY(open_nameless(folder, &file));
	const double begin = gt_seconds();
	for (size_t done = 0; done < bytes;) {
		const ssize_t n = write(file, some + done, bytes - done);
		if (n <= 0)
			GT_TRY(failed(folder, "cannot be written to"));
		done += (size_t)n;
	}
	if (fdatasync(file) != 0)
		GT_TRY(failed(folder, "cannot be written to"));
	*rate = (double)bytes / (gt_seconds() - begin);
done:
	if (file >= 0)
		close(file);
	free(some);
	return st;
}

gt_status gt_mapped_files_new(const char *folder, double memory, gt_mapped_files **out)
{
	gt_mapped_files *m = calloc(1, sizeof *m);
	if (!m || !(m->folder = strdup(folder))) {
		free(m);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	m->memory = memory;
	*out = m;
	return GT_OK;
}

void gt_mapped_files_free(gt_mapped_files *m)
{
	if (!m)
		return;
	while (m->first)
		gt_mapped_files_give(m, m->first->at);
	free(m->folder);
	free(m);
}

int gt_mapped_files_want(const gt_mapped_files *m, size_t held, size_t bytes)
{
	return bytes >= MIN_BYTES && (double)(held - m->bytes) + (double)bytes > m->memory;
}

static gt_status map(const char *folder, size_t bytes, const char *what, void **at)
{
	int file = -1;
	gt_status st = GT_OK;
	GT_TRY(open_nameless(folder, &file));
	while ((errno = posix_fallocate(file, 0, (off_t)bytes)) == EINTR)
		;
	if (errno)
		GT_TRY(gt_fail(GT_ERR_IO, "--scratch=%s: no space for %s of %s: %s", folder, BYTES((double)bytes), what, strerror(errno)));
	*at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (*at == MAP_FAILED)
		GT_TRY(failed(folder, "its files cannot be mapped"));
	madvise(*at, bytes, MADV_SEQUENTIAL); /* loops over arrays: larger read-ahead; failure is harmless */
done:
	if (file >= 0)
		close(file);
	return st;
}

void *gt_mapped_files_take(gt_mapped_files *m, size_t bytes, const char *what)
{
	struct block *b = malloc(sizeof *b);
	if (!b) {
		gt_fail(GT_ERR_MEMORY, "out of memory");
		return NULL;
	}
	if (map(m->folder, bytes, what, &b->at) != GT_OK) {
		free(b);
		return NULL;
	}
	b->bytes = bytes;
	b->next = m->first;
	m->first = b;
	m->bytes += bytes;
	return b->at;
}

int gt_mapped_files_give(gt_mapped_files *m, void *block)
{
	for (struct block **at = &m->first; *at; at = &(*at)->next)
		if ((*at)->at == block) {
			struct block *const gone = *at;
			*at = gone->next;
			m->bytes -= gone->bytes;
			munmap(gone->at, gone->bytes);
			free(gone);
			return 1;
		}
	return 0;
}
