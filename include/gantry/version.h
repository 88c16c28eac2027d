#ifndef GANTRY_VERSION_H
#define GANTRY_VERSION_H
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers; the number is 10000 major + 100 minor + patch. */
#define GT_VERSION "0.2.0"
#define GT_VERSION_NUMBER 200

/* Of the library that runs: "0.2.0 (commit, CUDA 12.4)", where "no CUDA" and "commit unknown" are possible; and its
 * number. */
GT_API const char *gt_version(void);
GT_API int         gt_version_number(void);
/* gt_check_version(GT_VERSION_NUMBER): GT_ERR_UNSUPPORTED, with both versions, if the caller was built with headers
 * that this library does not serve: those of another major version, of another minor one before 1.0, or of a later
 * one. */
GT_API gt_status   gt_check_version(int number);

#ifdef __cplusplus
}
#endif
#endif
