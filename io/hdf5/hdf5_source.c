/* Search order of libhdf5 for source files. "HDF5 User's Guide", H5Pset_elink_prefix and H5Pset_virtual_prefix. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/hdf5/hdf5_source.h"

static gt_status add_place(const char *path, const char *folder, size_t length, const char *name, gt_hdf5_places *p)
{
	const size_t size = length + strlen(name) + 1;
	char *file = malloc(size);
	if (!file)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	snprintf(file, size, "%.*s%s", (int)length, folder, name);
	p->file[p->n++] = file;
	return GT_OK;
}

static size_t folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

gt_status gt_hdf5_source_places(const char *path, const char *source, gt_hdf5_places *p)
{
	gt_status st = GT_OK;
	char *real = NULL;
	*p = (gt_hdf5_places){ .n = 0 };
	if (source[0] == '/') {
		GT_TRY(add_place(path, "", 0, source, p));
		source = strrchr(source, '/') + 1;
	}
	if (!*source)
		goto done;
	GT_TRY(add_place(path, path, folder_of(path), source, p));
	if (!(real = realpath(path, NULL)))
		GT_TRY(gt_fail(errno == ENOMEM ? GT_ERR_MEMORY : GT_ERR_IO, "%s: %s", path, strerror(errno)));
	GT_TRY(add_place(path, real, folder_of(real), source, p));
	st = add_place(path, "", 0, source, p);
done:
	free(real);
	if (st != GT_OK)
		gt_hdf5_source_free(p);
	return st;
}

void gt_hdf5_source_free(gt_hdf5_places *p)
{
	while (p->n > 0)
		free(p->file[--p->n]);
}
