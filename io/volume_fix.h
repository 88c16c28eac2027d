#ifndef GT_IO_VOLUME_FIX_H
#define GT_IO_VOLUME_FIX_H
/* What volume formats share; private to io/. */
#include "io/format.h"

/* gt_grid_check() of a grid that a file holds: GT_ERR_FORMAT, with the file's name. */
gt_status gt_volume_check(const char *path, const gt_grid *grid);
/* Reverses the data along every axis (0: x) whose flag is set. */
void   gt_volume_flip(gt_volume *v, const int flip[3]);
/* data = scale * data + offset */
void   gt_volume_linear(gt_volume *v, double scale, double offset);
/* Attenuation of water to write HU with: the options', else the volume's, else the default. */
double gt_volume_water(const gt_write_options *o, const gt_volume *v);
/* Adds a sentence to the note of the options, "; " between sentences. */
void   gt_read_note(const gt_read_options *o, const char *format, ...) GT_PRINTF(2, 3);
#endif
