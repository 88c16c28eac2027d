#ifndef GT_CORE_VARIANT_SYMBOLS_H
#define GT_CORE_VARIANT_SYMBOLS_H
/* Functions of a shared library, which is opened on first use and stays open. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const char *name;
	void *at;               /* address of the function pointer to set */
} gt_symbol;
enum gt_symbols_found { GT_SYMBOLS_NO_LIBRARY, GT_SYMBOLS_MISSING, GT_SYMBOLS_ALL };
/* Uses the first library of the list that exists. libraries: terminated by NULL. */
enum gt_symbols_found gt_symbols_open(const char *const *libraries, const gt_symbol *symbols, size_t n);

#ifdef __cplusplus
}
#endif
#endif
