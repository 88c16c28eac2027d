#ifndef GT_CORE_VARIANT_STORE_H
#define GT_CORE_VARIANT_STORE_H
/* What tuning found, in the user's cache: one file per kernel, KERNEL.json. */
#include "core/variant/variant.h"
#ifdef __cplusplus
extern "C" {
#endif

/* variant "": the built-in kernel is not beaten. */
typedef struct {
	char kernel[64], source[24], device[128], about[512], variant[512];
	int driver;             /* cuDriverGetVersion() */
	double ms, built_in_ms;
	char strategy[32], when[24];
	int evaluations, shipped;
} gt_store_entry;

/* 1: the variant for that wish on the current device is in text. */
int gt_store_find(const gt_variant_request *w, int shipped, char *text, size_t size);
/* Takes the place of what was kept for the same device, driver, source and class. */
gt_status gt_store_put(const gt_store_entry *e);
/* All that is kept of a kernel, in order; GT_ERR_FORMAT: the file is damaged. */
gt_status gt_store_list(const char *kernel, void (*each)(void *self, const gt_store_entry *e), void *self);
/* What the library brought with it: lists of such files' contents, core/variant/tables/. */
/* Of a table, a list of such files' contents; kernel NULL: of all. GT_ERR_FORMAT: the text is none. */
gt_status gt_store_list_table(const char *text, const char *kernel, int shipped, void (*each)(void *self, const gt_store_entry *e),
                              void *self);
/* Such a table of n entries, those of a kernel one after the other. malloc'ed; NULL without memory. */
char     *gt_store_table(size_t n, const gt_store_entry *e);
/* 1: of the same device, driver, source and class: one takes the place of the other. */
int       gt_store_same(const gt_store_entry *a, const gt_store_entry *b);
void      gt_store_list_shipped(const char *kernel, void (*each)(void *self, const gt_store_entry *e), void *self);
gt_status gt_store_forget(const char *kernel);
#ifdef __cplusplus
}
#endif
#endif
