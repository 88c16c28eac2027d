#ifndef GT_CORE_TRY_H
#define GT_CORE_TRY_H
/* Functions that own resources have `gt_status st = GT_OK;` and one label `done:` that frees them. */
#include <gantry/status.h>

#define GT_TRY(call) do { if ((st = (call)) != GT_OK) goto done; } while (0)

#endif
