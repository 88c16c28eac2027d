#ifndef GT_CORE_DEVICE_GET_STAGED_H
#define GT_CORE_DEVICE_GET_STAGED_H
#include <gantry/array.h>

/* As gt_array_get() of an array that no team shares, faster for large ones on a device; 0: it was not done, and
 * gt_array_get() will. */
int gt_array_get_staged(const gt_array *a, void *host);
#endif
