#ifndef GT_CORE_HASH_H
#define GT_CORE_HASH_H
/* Hashes of bytes: what says that two scans or settings are the same. */
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Tells arrays from each other, and damage; no secret. hash: 0, or that of what came before, which had a multiple of 8
 * bytes. */
uint64_t gt_hash(uint64_t hash, const void *bytes, size_t n);
/* The same of a text with its end. */
uint64_t gt_hash_text(uint64_t hash, const char *text);

#ifdef __cplusplus
}
#endif
#endif
