#ifndef GT_RECON_SPEC_MERGE_H
#define GT_RECON_SPEC_MERGE_H
/* Texts "NAME:key=value,..." of which one says what to change in the other. */
#include <gantry/status.h>

/* *merged: base with the keys of `asked` in the place of its own, malloc'ed; keys that base has not follow. Another
 * name, or no base: `asked` alone; asked NULL: base alone. rivals: pairs of keys that cannot stand beside each other,
 * ending with NULL, or NULL: one that is asked for takes the place of the other. Values are not looked at. */
gt_status gt_spec_merge(const char *base, const char *asked, const char *const *rivals, char **merged);
#endif
