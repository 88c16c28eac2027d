#ifndef GT_APPS_CLI_TRY_H
#define GT_APPS_CLI_TRY_H
/* Functions that own resources declare `gt_status st = GT_OK;`, GT_TRY() and free at one label `done:`. Others return a
 * failure at once. */
#include <gantry/status.h>

#define GT_TRY(call) do { if ((st = (call)) != GT_OK) goto done; } while (0)
#define GT_OR_RETURN(call) do { const gt_status failure = (call); if (failure != GT_OK) return failure; } while (0)

#endif
