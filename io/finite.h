#ifndef GT_IO_FINITE_H
#define GT_IO_FINITE_H
#include <stddef.h>
#include <gantry/status.h>

/* GT_ERR_UNSUPPORTED if one of n values is not finite. first: index of data[0] in the file, for the message. */
gt_status gt_check_finite(const char *path, const float *data, size_t first, size_t n);

#endif
