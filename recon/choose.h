#ifndef GT_RECON_CHOOSE_H
#define GT_RECON_CHOOSE_H
/* What is chosen for a scan where nothing was asked for; messages say why. */
#include <gantry/message.h>
#include "recon/method.h"

/* The direct method for the scan if it takes it, else the first solver; a remark says why, and where the views are few. grid: see
 * gt_analytic_supports(). */
gt_status gt_method_for(const gt_listener *log, const gt_grid *grid, const gt_scan *scan, gt_method *m);
/* Length of a direct method's refusal up to its advice to iterate, where that is what is done. */
int  gt_length_without_advice(const char *why);
/* A remark where a form for another device is asked for: options of a direct method. */
void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be);
/* The one that was asked for; NULL: the default, or where the detector leans one that takes it, and a remark says so. */
const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan);
#endif
