#ifndef GT_IO_FRAMES_HND_FILE_H
#define GT_IO_FRAMES_HND_FILE_H
/* One image of Varian's on-board imager (OBI), .hnd or .hnc; private to io/. The layout follows RTK's reader: a header
 * of texts and numbers at fixed offsets, then pixels. In .hnd they begin at byte 1024, compressed like .xim but with a
 * lookup without its own length. In .hnc they begin at byte 512 and have 16 bits. */
#include "io/frames/xim_file.h"

/* Offsets of real numbers in the header: degrees, mm. */
enum { GT_HND_PITCH_X = 352, GT_HND_PITCH_Y = 360, GT_HND_ANGLE = 432 };

int       gt_is_hnd(const char *path);          /* 1: the extension is .hnd or .hnc */
/* Like gt_xim_open(); use gt_xim_pixels() and gt_xim_close(). Header: gt_xim_real_at(x->bytes + GT_HND_...). */
gt_status gt_hnd_open(const char *path, gt_xim *x);

#endif
