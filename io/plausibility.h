#ifndef GT_IO_PLAUSIBILITY_H
#define GT_IO_PLAUSIBILITY_H
/* Are the values of projections line integrals, or counts, or of another unit? */
#include "apps/cli/cli.h"

/* Of the values that were looked at; all 0 to begin with. */
typedef struct { size_t looked, strange; float least, most; } app_lines;
void app_lines_look(app_lines *l, const float *value, size_t n);
/* A remark if some are strange. */
void app_lines_note(const cli_call *call, const char *path, const app_lines *l);
#endif
