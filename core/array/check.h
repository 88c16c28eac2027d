#ifndef GT_CORE_ARRAY_CHECK_H
#define GT_CORE_ARRAY_CHECK_H
#include "core/device/backend.h"

static inline int gt_is_array(const gt_array *a) { return a && a->tag == GT_IS_ARRAY; }
/* Describes an argument for messages. */
static inline const char *gt_kind_of(const gt_array *a) { return !a ? "NULL" : gt_is_array(a) ? "an array" : "something else"; }
#endif
