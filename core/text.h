#ifndef GT_CORE_TEXT_H
#define GT_CORE_TEXT_H
#include <gantry/status.h>

/* malloc'ed text; NULL without memory. */
char *gt_text(const char *format, ...) GT_PRINTF(1, 2);

#endif
