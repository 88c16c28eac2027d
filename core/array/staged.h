#ifndef GT_CORE_ARRAY_STAGED_H
#define GT_CORE_ARRAY_STAGED_H
#include <gantry/array.h>

/* Like gt_array_get() for an array that is not shared, but faster for large device arrays. Returns 0 if it did nothing:
 * call gt_array_get(). */
int gt_array_get_staged(const gt_array *a, void *host);
/* The same for gt_array_put() of an array without runs, from blocks of `block` bytes, `stride` bytes apart. */
int gt_array_put_staged(const void *host, size_t block, size_t stride, gt_array *a);
#endif
