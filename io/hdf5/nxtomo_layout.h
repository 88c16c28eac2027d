#ifndef GT_IO_HDF5_NXTOMO_LAYOUT_H
#define GT_IO_HDF5_NXTOMO_LAYOUT_H
/* Names of data sets in files with keys of frames; private to io/hdf5/. */
#include <hdf5.h>

enum { GT_NXTOMO_NAME = 256 };
typedef struct {
	char data[GT_NXTOMO_NAME], key[GT_NXTOMO_NAME], angle[GT_NXTOMO_NAME];  /* key, angle "": there are none */
	size_t scans;                   /* groups of the root that have images with keys and angles of their own */
	char names[4 * GT_NXTOMO_NAME]; /* their names, with commas between; what has no room is "..." */
} gt_nxtomo_layout;

/* That of the group `entry` of the root. NULL: the first with images; else the first whose data are missing, as links
 * may lead nowhere; else images with angles and without keys, or with keys and without angles. 0: there is none. */
int gt_nxtomo_find(hid_t file, const char *entry, gt_nxtomo_layout *l);

#endif
