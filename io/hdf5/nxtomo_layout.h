#ifndef GT_IO_HDF5_NXTOMO_LAYOUT_H
#define GT_IO_HDF5_NXTOMO_LAYOUT_H
/* Names of data sets in files with frame keys; private to io/hdf5/. */
#include <hdf5.h>

enum { GT_NXTOMO_NAME = 256 };
typedef struct {
	char data[GT_NXTOMO_NAME], key[GT_NXTOMO_NAME], angle[GT_NXTOMO_NAME];  /* key, angle: "" if missing */
	size_t scans;                   /* number of root groups that have images with their own keys and angles */
	char names[4 * GT_NXTOMO_NAME]; /* their names, separated by commas, ending with "..." if truncated */
} gt_nxtomo_layout;

/* Finds the layout of the root group `entry`. NULL: the first with images; else the first with missing data, as links
 * may be dangling; else images with only angles or only keys. 0: none. */
int gt_nxtomo_find(hid_t file, const char *entry, gt_nxtomo_layout *l);

#endif
