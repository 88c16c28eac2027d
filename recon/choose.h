#ifndef GT_RECON_CHOOSE_H
#define GT_RECON_CHOOSE_H
/* Chooses the method and the projector for a scan if the settings name none; messages report the reason. */
#include <gantry/analytic.h>
#include <gantry/grid.h>
#include <gantry/message.h>
#include "recon/modules.h"

/* Chooses the direct method for the scan if it supports it, else the first solver. Notes report the reason and too few
 * views. For grid see gt_analytic_supports(). */
gt_status gt_method_for(const gt_listener *log, const gt_grid *grid, const gt_scan *scan, gt_method *m);
/* The first solver instead of the method in m; a note gives gt_error() as the reason. */
gt_status gt_method_instead(const gt_listener *log, const gt_scan *scan, gt_method *m);
/* Value of a choice among the options of a method (NULL: the defaults); NULL if it has no such choice. */
const char *gt_method_choice(const gt_analytic *method, const void *options, const char *key);
/* Returns the length of a direct method's error message without its advice to iterate. */
int  gt_length_without_advice(const char *why);

/* Returns the requested projector, with a message if the default takes at most a tenth of its time. NULL: chooses
 * dd if the image of z is within 15 degrees of the columns (or of the rows, if the detector is no arc), else joseph.
 * The limit grows by 20 degrees if pixels at the centre of the grid are twice or half as large as voxels, because
 * joseph aliases. A message reports choices beyond 15 degrees. grid NULL: voxels of the pixel size. The choice is the
 * same on every backend. */
const char *gt_projector_for_grid(const gt_listener *log, const char *asked, const gt_grid *grid, const gt_scan *scan);
/* Reports options of a direct method that request a kernel of another device. */
void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be);
#endif
