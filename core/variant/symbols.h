#ifndef GT_CORE_VARIANT_SYMBOLS_H
#define GT_CORE_VARIANT_SYMBOLS_H
/* Functions of a shared library that is opened when it is first needed, and stays open. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const char *name;
	void *at;               /* the pointer to a function that is to be set */
} gt_symbol;
enum gt_symbols_found { GT_SYMBOLS_NO_LIBRARY, GT_SYMBOLS_MISSING, GT_SYMBOLS_ALL };
/* From the first library of the list that is there. libraries: ends with NULL. */
enum gt_symbols_found gt_symbols_open(const char *const *libraries, const gt_symbol *symbols, size_t n);

#ifdef __cplusplus
}
#endif
#endif
