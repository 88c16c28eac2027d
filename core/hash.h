#ifndef GT_CORE_HASH_H
#define GT_CORE_HASH_H
/* Hashes that identify scans and settings. */
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Distinguishes arrays and detects damage; not cryptographic. hash: 0, or the hash of preceding data, whose size was a
 * multiple of 8 bytes. */
uint64_t gt_hash(uint64_t hash, const void *bytes, size_t n);
uint64_t gt_hash_text(uint64_t hash, const char *text);

#ifdef __cplusplus
}
#endif
#endif
