#ifndef GT_RECON_PROJECTOR_SPEC_H
#define GT_RECON_PROJECTOR_SPEC_H
#include <gantry/status.h>

/* "NAME:key=value,...": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for a parameter that it does not take. */
gt_status gt_projector_check(const char *spec);
/* "NAME:key=value,..." of all its parameters; malloc'ed, NULL without memory. */
char *gt_projector_text(const char *spec);
#endif
