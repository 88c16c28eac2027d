#ifndef GT_CORE_DEVICE_STAGED_H
#define GT_CORE_DEVICE_STAGED_H
#include <gantry/array.h>

/* Like gt_array_get() for an array that is not shared, but faster for large device arrays. Returns 0 if it did nothing:
 * call gt_array_get(). */
int gt_array_get_staged(const gt_array *a, void *host);
/* Likewise for gt_array_put() of an array without runs. */
int gt_array_put_staged(const void *host, gt_array *a);
/* Frees the page-locked buffers, which the backend keeps after the first large copy. */
void gt_staged_free(gt_backend *be);
#endif
