#ifndef GT_IO_PLAIN_PLAIN_H
#define GT_IO_PLAIN_PLAIN_H
/* Volumes as raw data (.raw) or as a NumPy array (.npy), each with a JSON; private to io/. */
#include <gantry/io.h>

extern const gt_slice_source gt_plain_slices;
/* npy: 1 adds a NumPy header. */
gt_status gt_plain_write (int npy, const char *path, const gt_write_options *o, const gt_volume *v);
gt_status gt_plain_create(int npy, const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);

#endif
