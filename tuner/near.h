#ifndef GT_TUNER_NEAR_H
#define GT_TUNER_NEAR_H
/* Variants that are kept for neighbouring classes of problems, to be tried on another. A neighbour differs in numbers
 * of rows, slices, views, columns or voxels alone, each by one bin at most. */
#include "core/variant/store.h"
#include "tuner/space.h"
#ifdef __cplusplus
extern "C" {
#endif
/* In how many of these numbers two classes differ; -1: they are no neighbours. */
int gt_near_classes(const char *about, const char *other);
/* Candidates of s, each once, nearest first, up to `most`: kept by the user or shipped, for neighbours of
 * like->about (and for itself), of its kernel, device and driver and of this library's source. What is not legal here
 * is left out. */
size_t gt_near_find(const gt_space *s, const gt_store_entry *like, size_t max, size_t *candidate);
#ifdef __cplusplus
}
#endif
#endif
