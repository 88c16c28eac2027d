#ifndef GT_CORE_VARIANT_STORE_H
#define GT_CORE_VARIANT_STORE_H
/* Results of tuning in the user's cache: one file for each kernel, KERNEL.json. */
#include "core/variant/variant.h"
#ifdef __cplusplus
extern "C" {
#endif

/* variant "": no variant beats the built-in kernel. */
typedef struct {
	char kernel[64], source[24], device[128], about[512], variant[512];
	int driver;             /* cuDriverGetVersion() */
	double ms, built_in_ms;
	char strategy[32], when[24];
	int evaluations, shipped;
} gt_store_entry;

/* 1: text is the variant for this request on the current device. */
int gt_store_find(const gt_variant_request *w, int shipped, char *text, size_t size);
/* Replaces an entry for the same device, driver, source and class. */
gt_status gt_store_put(const gt_store_entry *e);
/* Lists all entries of a kernel in order; GT_ERR_FORMAT: the file is damaged. */
gt_status gt_store_list(const char *kernel, void (*each)(void *self, const gt_store_entry *e), void *self);
/* Shipped tables: lists of such entries, core/variant/tables/. */
/* Lists the entries of such a table; kernel NULL: all. GT_ERR_FORMAT: not a table. */
gt_status gt_store_list_table(const char *text, const char *kernel, int shipped, void (*each)(void *self, const gt_store_entry *e),
                              void *self);
/* Table of n entries, grouped by kernel. The caller frees it. NULL: out of memory. */
char     *gt_store_table(size_t n, const gt_store_entry *e);
/* 1: same device, driver, source and class, so that one replaces the other. */
int       gt_store_same(const gt_store_entry *a, const gt_store_entry *b);
void      gt_store_list_shipped(const char *kernel, void (*each)(void *self, const gt_store_entry *e), void *self);
gt_status gt_store_forget(const char *kernel);
#ifdef __cplusplus
}
#endif
#endif
