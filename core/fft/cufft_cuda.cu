/* Looks up the functions of cuFFT once. */
#include "core/fft/cufft.cuh"
#include <pthread.h>
#include <stdio.h>
#include "core/variant/symbols.h"

struct gt_cufft_functions gt_cufft;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum gt_symbols_found found;
static char name[32];

static void open_library(void)
{
#define SYMBOL(function) { #function, &gt_cufft.function },
	const gt_symbol symbols[] = { GT_CUFFT_FUNCTIONS(SYMBOL) };
#undef SYMBOL
	const char *const libraries[] = { name, NULL };
	snprintf(name, sizeof name, "libcufft.so.%d", CUFFT_VER_MAJOR);
	found = gt_symbols_open(libraries, symbols, sizeof symbols / sizeof *symbols);
}

gt_status gt_cufft_open(void)
{
	pthread_once(&once, open_library);
	if (found == GT_SYMBOLS_ALL)
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED,
	               "transforms on a GPU need cuFFT, and %s %s: install the CUDA toolkit or the Python package nvidia-cufft", name,
	               found == GT_SYMBOLS_NO_LIBRARY ? "cannot be opened" : "is of another version");
}
