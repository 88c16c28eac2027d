/* Header of an HDF5 file. "HDF5 File Format Specification Version 3.0", III.A "Format Signature and Superblock". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "io/hdf5/hdf5_file.h"

gt_hdf5_quiet gt_hdf5_hush(void)
{
	gt_hdf5_quiet before = { NULL, NULL };
	H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	return before;
}

void gt_hdf5_unhush(const gt_hdf5_quiet *before) { H5Eset_auto2(H5E_DEFAULT, before->print, before->data); }

hid_t gt_hdf5_open_file(const char *path)
{
	const ssize_t max = H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE);
	const size_t size = strlen(path) + 2;
	char *name = malloc(size);
	hid_t *files = max > 0 ? malloc((size_t)max * sizeof *files) : NULL, found = -1;
	const ssize_t n = name && files ? H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, (size_t)max, files) : 0;
	for (ssize_t i = 0; i < n && found < 0; i++)
		if (H5Fget_name(files[i], name, size) >= 0 && !strcmp(name, path))
			found = files[i];
	free(files);
	free(name);
	return found;
}

int gt_hdf5_in_file(const char *path, const char *object, const char *attribute)
{
	const hid_t file = gt_hdf5_open_file(path);
	htri_t has = file < 0 ? -1 : object ? H5Lexists(file, object, H5P_DEFAULT) : 1;
	if (has > 0 && attribute)
		has = H5Aexists_by_name(file, object ? object : "/", attribute, H5P_DEFAULT);
	return has < 0 ? -1 : has > 0;
}

static size_t head_of(const char *path, unsigned char head[96]) { return gt_file_start(path, head, 96); }

static int signed_as_hdf5(const unsigned char *head, size_t n) { return n >= 8 && !memcmp(head, "\211HDF\r\n\032\n", 8); }

int gt_hdf5_is(const char *path)
{
	unsigned char head[96];
	return signed_as_hdf5(head, head_of(path, head));
}

gt_status gt_hdf5_whole(const char *path)
{
	unsigned char head[96];
	struct stat s;
	const size_t n = head_of(path, head);
	if (!signed_as_hdf5(head, n) || stat(path, &s) != 0)
		return GT_OK;
	/* offsets of the end-of-file address and of the byte with the width of addresses, by superblock version */
	const int version = n > 8 ? head[8] : 0;
	const size_t end_at = version == 0 ? 40 : version == 1 ? 44 : 28, width_at = version < 2 ? 13 : 9;
	if (n < end_at + 8)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated: has %zu bytes, fewer than the header of an HDF5 file", path, n);
	if (head[width_at] != 8)
		return GT_OK;
	uint64_t end = 0;
	for (int i = 7; i >= 0; i--)
		end = end << 8 | head[end_at + (size_t)i];
	if ((uint64_t)s.st_size < end && end != UINT64_MAX)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated: has %llu bytes, expected %llu", path, (unsigned long long)s.st_size,
		               (unsigned long long)end);
	return GT_OK;
}
