#ifndef GT_IO_HDF5_HDF5_HOLES_H
#define GT_IO_HDF5_HDF5_HOLES_H
/* Planes of an HDF5 data set without stored values; private to io/. HDF5 returns the fill value, mostly 0, for chunks
 * that were never written, and for parts of a virtual data set whose source is missing. */
#include <hdf5.h>
#include <gantry/status.h>

typedef struct {
	size_t planes;
	unsigned *cause; /* [planes]: 0: stored; else 1 + index into causes; NULL: everything is stored */
	char **causes;   /* [n]: message after the name of the data set */
	size_t n;
} gt_hdf5_holes;

/* Finds the holes of an open data set. planes: size of the first dimension if the rank is 3, else 1. GT_ERR_MEMORY,
 * GT_ERR_FORMAT. */
gt_status gt_hdf5_find_holes(hid_t data, const char *path, const char *name, size_t planes, gt_hdf5_holes *h);
/* GT_ERR_FORMAT if a hole lies in planes first ... first+count-1: names path, name, the first such plane and its
 * cause. */
gt_status gt_hdf5_check_holes(const gt_hdf5_holes *h, const char *path, const char *name, size_t first, size_t count);
void      gt_hdf5_holes_free(gt_hdf5_holes *h);
/* Both steps for the whole data set. */
gt_status gt_hdf5_refuse_holes(hid_t data, const char *path, const char *name);
#endif
