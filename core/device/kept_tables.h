#ifndef GT_CORE_DEVICE_KEPT_TABLES_H
#define GT_CORE_DEVICE_KEPT_TABLES_H
/* Host tables of operators that a dry run has computed and that the run after it needs again. Threads may share a
 * store. */
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_kept_tables gt_kept_tables;
/* max: bytes. NULL: no memory. */
gt_kept_tables *gt_kept_tables_new(double max);
void   gt_kept_tables_free (gt_kept_tables *k);
void   gt_kept_tables_clear(gt_kept_tables *k);
size_t gt_kept_tables_bytes(gt_kept_tables *k);         /* NULL: 0 */
/* From here on, operators that this thread creates take their tables from k if it has them; NULL: no store. leave 1:
 * they leave their tables there, as in a dry run. */
void   gt_kept_tables_use(gt_kept_tables *k, int leave);

/* One set of tables: part of the struct that has them. */
typedef struct gt_kept {
	uint64_t key;           /* hash of all that the tables depend on */
	size_t bytes;
	void (*free)(struct gt_kept *self);
	struct gt_kept *next;
} gt_kept;
/* Returns tables of the thread's store, which the caller then owns; NULL if the store has none. */
gt_kept *gt_kept_take(uint64_t key);
/* Hands tables over to the thread's store, or frees them: without a store, without `leave`, and beyond max. */
void     gt_kept_leave(gt_kept *e);

#ifdef __cplusplus
}
#endif
#endif
