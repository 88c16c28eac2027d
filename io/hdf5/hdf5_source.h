#ifndef GT_IO_HDF5_HDF5_SOURCE_H
#define GT_IO_HDF5_HDF5_SOURCE_H
/* Source files of external links and virtual data sets: names that libhdf5 tries; private to io/. */
#include <gantry/status.h>

/* Paths that libhdf5 1.10 tries for the name `source` in the file `path`, in order. An absolute name comes first. Then
 * its last component, or a relative name, is tried in the folder of path, in the folder of the resolved path, and in
 * the current directory. Free with gt_hdf5_source_free(); n is 0 for an empty name. */
enum { GT_HDF5_PLACES = 4 };
typedef struct {
	char *file[GT_HDF5_PLACES];
	int n;
} gt_hdf5_places;
gt_status gt_hdf5_source_places(const char *path, const char *source, gt_hdf5_places *p);
void      gt_hdf5_source_free(gt_hdf5_places *p);
#endif
