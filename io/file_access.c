/* Thread-safe reads and writes at file offsets, and the first failure of several threads. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "io/file_access.h"

gt_status gt_read_at(const char *path, int file, off_t at, size_t bytes, void *to)
{
	for (char *p = to; bytes;) {
		const ssize_t done = pread(file, p, bytes, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, done ? strerror(errno) : "unexpected end of file");
		p += done;
		at += done;
		bytes -= (size_t)done;
	}
	return GT_OK;
}

gt_status gt_write_at(const char *path, int file, off_t at, size_t bytes, const void *from)
{
	for (const char *p = from; bytes;) {
		const ssize_t done = pwrite(file, p, bytes, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, done ? strerror(errno) : "no space");
		p += done;
		at += done;
		bytes -= (size_t)done;
	}
	return GT_OK;
}

void gt_begin_to_disk(int file, off_t at, size_t bytes)
{
#ifdef SYNC_FILE_RANGE_WRITE
	sync_file_range(file, at, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
#else
	(void)file;
	(void)at;
	(void)bytes;
#endif
}

void gt_failure_note(gt_failure *f, size_t item, gt_status status)
{
	if (status == GT_OK)
		return;
	pthread_mutex_lock(&f->lock);
	if (f->status == GT_OK || item < f->item) {
		f->item = item;
		f->status = status;
		snprintf(f->message, sizeof f->message, "%s", gt_error());
	}
	pthread_mutex_unlock(&f->lock);
}

int gt_failure_at(gt_failure *f, size_t item)
{
	pthread_mutex_lock(&f->lock);
	const int failed = f->status != GT_OK && f->item < item;
	pthread_mutex_unlock(&f->lock);
	return failed;
}

gt_status gt_failure_status(gt_failure *f)
{
	pthread_mutex_destroy(&f->lock);
	return f->status == GT_OK ? GT_OK : gt_fail(f->status, "%s", f->message);
}
