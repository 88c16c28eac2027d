#ifndef GT_IO_HDF5_NXTOMO_LAYOUT_H
#define GT_IO_HDF5_NXTOMO_LAYOUT_H
/* Names of data sets in files with keys of frames; private to io/hdf5/. */
#include <hdf5.h>

enum { GT_NXTOMO_NAME = 256 };
typedef struct { char data[GT_NXTOMO_NAME], key[GT_NXTOMO_NAME], angle[GT_NXTOMO_NAME]; } gt_nxtomo_layout;

/* The first with images; else the first whose data are missing, as links may lead nowhere. 0: there is none. */
int gt_nxtomo_find(hid_t file, gt_nxtomo_layout *l);

#endif
