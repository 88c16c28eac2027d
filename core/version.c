/* Version of this library, and of the headers that it supports. */
#include <gantry/version.h>

#ifndef GANTRY_COMMIT
#define GANTRY_COMMIT "commit unknown"
#endif
#ifdef GANTRY_CUDA
#define CUDA_TEXT "CUDA " GANTRY_CUDA
#else
#define CUDA_TEXT "no CUDA"
#endif

const char *gt_version(void) { return GANTRY_VERSION " (" GANTRY_COMMIT ", " CUDA_TEXT ")"; }

int gt_version_number(void) { return GT_VERSION_NUMBER; }

/* Compatible versions agree in the major number, before 1.0 also in the minor number. */
static int series(int number) { return number >= 10000 ? number / 10000 * 100 : number / 100; }

gt_status gt_check_version(int number)
{
	if (number >= 0 && series(number) == series(GT_VERSION_NUMBER) && number / 100 <= GT_VERSION_NUMBER / 100)
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED, "built with the headers of gantry %d.%d.%d, run with the library %s: expected headers of %d.%d",
	               number / 10000, number / 100 % 100, number % 100, GANTRY_VERSION, GT_VERSION_NUMBER / 10000,
	               GT_VERSION_NUMBER / 100 % 100);
}
