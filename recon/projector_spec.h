#ifndef GT_RECON_PROJECTOR_SPEC_H
#define GT_RECON_PROJECTOR_SPEC_H
#include <gantry/status.h>

/* Checks "NAME:key=value,...". GT_ERR_UNKNOWN with the nearest name; GT_ERR_ARG for an unknown parameter. */
gt_status gt_projector_check(const char *spec);
/* Returns "NAME:key=value,..." with all parameters; malloc'ed, NULL without memory. */
char *gt_projector_text(const char *spec);
#endif
