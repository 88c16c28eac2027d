#ifndef GANTRY_MODULE_H
#define GANTRY_MODULE_H
#include <gantry/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* GT_ERR_UNKNOWN "unknown WHAT 'NAME': did you mean ...?" with the nearest of the n names and all of them. */
GT_API gt_status gt_unknown_of(const char *what, const char *name, const char *const *names, size_t n);
GT_API gt_status gt_unknown(const char *what, const char *name, const char *(*nth)(size_t i), size_t n);
/* Keeps the nearer of *best (NULL at first) and name, if name is within two letters of what was wanted; *distance begins as (size_t)-1. */
GT_API void gt_nearer(const char *wanted, const char *name, const char **best, size_t *distance);

#ifdef __cplusplus
}
#endif
#endif
