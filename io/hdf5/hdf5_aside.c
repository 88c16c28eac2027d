/* Redirects HDF5's last writes to memory, where they cannot fail. "HDF5 File Format Specification Version 3.0", III.A
 * "Format Signature and Superblock": the superblock is at the beginning, and its consistency flags change when a file
 * is closed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/try.h"
#include "io/file_access.h"
#include "io/hdf5/hdf5_aside.h"
#include "io/hdf5/hdf5_file.h"
#include "io/free_space.h"

/* Bytes copied from the beginning: a superblock has fewer than 200. */
enum { HEAD = 4096 };

/* As long as the file, and with its header: HDF5 does not extend it, and may read what it writes. */
static int copy_of_head(const char *tmp)
{
	unsigned char head[HEAD];
	struct stat s;
	const int file = open(tmp, O_RDONLY | O_CLOEXEC), aside = file < 0 ? -1 : memfd_create("gantry", MFD_CLOEXEC);
	const ssize_t n = aside < 0 ? -1 : pread(file, head, sizeof head, 0);
	const int made = n >= 0 && fstat(file, &s) == 0 && ftruncate(aside, s.st_size) == 0 &&
	                 gt_write_at(tmp, aside, 0, (size_t)n, head) == GT_OK;
	const int why = errno;
	if (file >= 0)
		close(file);
	if (!made && aside >= 0)
		close(aside);
	errno = why;
	return made ? aside : -1;
}

int gt_hdf5_set_aside(const char *tmp)
{
	const hid_t open = gt_hdf5_open_file(tmp);
	void *handle = NULL;
	errno = EIO;
	if (open < 0 || H5Fget_vfd_handle(open, H5P_DEFAULT, &handle) < 0 || !handle)
		return -1;
	const int aside = copy_of_head(tmp);
	if (aside < 0 || dup3(aside, *(const int *)handle, O_CLOEXEC) >= 0)
		return aside;
	const int why = errno;
	close(aside);
	errno = why;
	return -1;
}

/* Looks for non-zero bytes after the header. Only written pages occupy memory. */
static int more_than_head(int aside, off_t size)
{
	unsigned char part[HEAD];
	for (off_t at = HEAD; at < size && (at = lseek(aside, at, SEEK_DATA)) >= 0; at += (off_t)sizeof part) {
		const ssize_t n = pread(aside, part, sizeof part, at);
		if (n < 0)
			return 1;
		for (ssize_t i = 0; i < n; i++)
			if (part[i])
				return 1;
	}
	return 0;
}

/* errno is 0 if no call failed but the file became shorter. */
static gt_status move_head(int aside, int file, off_t size, const char *path)
{
	unsigned char now[HEAD], was[HEAD];
	const size_t n = size < HEAD ? (size_t)size : HEAD;
	size_t first = 0, end = n;
	gt_status st;
	errno = 0;
	GT_TRY(gt_read_at(path, aside, 0, n, now));
	GT_TRY(gt_read_at(path, file, 0, n, was));
	while (first < n && now[first] == was[first])
		first++;
	while (end > first && now[end - 1] == was[end - 1])
		end--;
	st = gt_write_at(path, file, (off_t)first, end - first, now + first);
done:
	return st;
}

gt_status gt_hdf5_take_head(int aside, const char *path, const char *tmp)
{
	struct stat a, f;
	const int file = open(tmp, O_RDWR | O_CLOEXEC);
	gt_status st = GT_OK;
	if (file < 0 || fstat(file, &f) != 0 || fstat(aside, &a) != 0)
		st = gt_fail_writing(path, tmp, errno, NULL);
	else if (a.st_size != f.st_size || more_than_head(aside, a.st_size))
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: HDF5 changes more than its header when it is closed", path);
	else if ((st = move_head(aside, file, f.st_size, path)) != GT_OK && errno)
		st = gt_fail_writing(path, tmp, errno, NULL);
	if (file >= 0)
		close(file);
	close(aside);
	return st;
}
