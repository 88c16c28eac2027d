#ifndef GT_APPS_CLI_TRY_H
#define GT_APPS_CLI_TRY_H
/* Functions that own resources declare `gt_status st = GT_OK;` and free at one label `done:`. */
#include <gantry/status.h>

#define GT_TRY(call) do { if ((st = (call)) != GT_OK) goto done; } while (0)

#endif
