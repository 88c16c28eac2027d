#ifndef GT_RECON_SPEC_MERGE_H
#define GT_RECON_SPEC_MERGE_H
/* Merges two specifications "NAME:key=value,...". */
#include <gantry/status.h>

/* *merged: base with its keys replaced by those of `asked`, malloc'ed; keys that base lacks are appended. If the names
 * differ or base is NULL, `asked` alone; if asked is NULL, base alone. `rivals` are pairs of mutually exclusive keys,
 * ending with NULL, or NULL; a requested one replaces the other. Values are not checked. */
gt_status gt_spec_merge(const char *base, const char *asked, const char *const *rivals, char **merged);
#endif
