#ifndef GT_APPS_COMMANDS_CHECK_H
#define GT_APPS_COMMANDS_CHECK_H
#include "apps/cli/cli.h"

/* Adds the comparison of conjugate rays to a report as "check". GT_ERR_UNSUPPORTED if the scan has none. */
gt_status app_check(const char *file, const gt_projections *p, cJSON *report);
/* Prints "check" as text. */
void app_check_print(const cJSON *report);
/* GT_OK, or GT_ERR_UNSUPPORTED with the verdict if the rays disagree. */
gt_status app_check_verdict(const char *file, const cJSON *report);
#endif
