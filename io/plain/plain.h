#ifndef GT_IO_PLAIN_PLAIN_H
#define GT_IO_PLAIN_PLAIN_H
/* Volumes as bare numbers (.raw) or as an array of NumPy (.npy), with a JSON beside them; private to io/. */
#include <gantry/io.h>

extern const gt_slice_source gt_plain_slices;
/* npy: 1 behind a head of NumPy. */
gt_status gt_plain_write (int npy, const char *path, const gt_write_options *o, const gt_volume *v);
gt_status gt_plain_create(int npy, const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);

#endif
