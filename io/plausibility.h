#ifndef GT_IO_PLAUSIBILITY_H
#define GT_IO_PLAUSIBILITY_H
/* Are the values of projections line integrals, or counts, or of another unit? */
#include <gantry/message.h>
#include <gantry/io.h>
#include <gantry/message.h>

/* Of the values that were looked at; all 0 to begin with. */
typedef struct { size_t looked, strange; float least, most; } gt_value_range;
void gt_value_range_look(gt_value_range *l, const float *value, size_t n);
/* A remark if some are strange. */
void gt_value_range_note(const gt_listener *log, const char *path, const gt_value_range *l);
#endif
