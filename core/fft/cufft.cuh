#ifndef GT_CORE_FFT_CUFFT_CUH
#define GT_CORE_FFT_CUFFT_CUH
/* cuFFT, loaded with the first plan: it is ten times as large as this library, and most programs do not need it. */
#include <cufft.h>
#include <gantry/status.h>

#define GT_CUFFT_FUNCTIONS(X)      \
	X(cufftCreate)             \
	X(cufftDestroy)            \
	X(cufftSetAutoAllocation)  \
	X(cufftSetStream)          \
	X(cufftSetWorkArea)        \
	X(cufftMakePlanMany64)     \
	X(cufftExecR2C)            \
	X(cufftExecC2R)            \
	X(cufftExecD2Z)            \
	X(cufftExecZ2D)

struct gt_cufft_functions {
#define GT_CUFFT_MEMBER(name) decltype(&::name) name;
	GT_CUFFT_FUNCTIONS(GT_CUFFT_MEMBER)
#undef GT_CUFFT_MEMBER
};
/* Valid after gt_cufft_open() has returned GT_OK; call that before making a plan. */
extern struct gt_cufft_functions gt_cufft;
/* GT_ERR_UNSUPPORTED names the missing library or function. */
gt_status gt_cufft_open(void);

#endif
