#ifndef GT_IO_FRAMES_HND_FILE_H
#define GT_IO_FRAMES_HND_FILE_H
/* One image of Varian's on-board imager (OBI), .hnd or .hnc; private to io/. The form is what RTK reads: a head of
 * texts and numbers in fixed places, then pixels: .hnd at byte 1024, compressed as those of a .xim are but with a
 * lookup that has no length of its own; .hnc at byte 512, 16 bits each. */
#include "io/frames/xim_file.h"

/* Places of real numbers in the head: degrees, mm. */
enum { GT_HND_PITCH_X = 352, GT_HND_PITCH_Y = 360, GT_HND_ANGLE = 432 };

int       gt_is_hnd(const char *path);          /* .hnd or .hnc, by the name */
/* As gt_xim_open(); gt_xim_pixels() and gt_xim_close() work on it. Head: gt_xim_real_at(x->bytes + GT_HND_...). */
gt_status gt_hnd_open(const char *path, gt_xim *x);

#endif
