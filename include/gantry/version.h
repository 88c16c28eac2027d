#ifndef GANTRY_VERSION_H
#define GANTRY_VERSION_H
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Version of these headers; the number is 10000 major + 100 minor + patch. */
#define GT_VERSION "0.2.0"
#define GT_VERSION_NUMBER 200

/* Version of the running library, "0.2.0 (commit, CUDA 12.4)", possibly with "no CUDA" or "commit unknown"; its
 * number. */
GT_API const char *gt_version(void);
GT_API int         gt_version_number(void);
/* Checks the headers of the caller: gt_check_version(GT_VERSION_NUMBER). GT_ERR_UNSUPPORTED, with both versions, if
 * they are later than the library or have another major version, before 1.0 another minor version. */
GT_API gt_status   gt_check_version(int number);

#ifdef __cplusplus
}
#endif
#endif
