#ifndef GT_CORE_TEXT_H
#define GT_CORE_TEXT_H
/* Texts that are made by a format and belong to the caller. */
#include <gantry/status.h>

/* malloc'ed text; NULL without memory. */
char *gt_text(const char *format, ...) GT_PRINTF(1, 2);

#endif
