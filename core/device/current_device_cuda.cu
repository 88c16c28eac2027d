/* Saves and restores the current device of a thread. cudaSetDevice() creates a context with hundreds of MB on the
 * device. Restoring the driver's context, or none, avoids that. */
#include <cuda.h>
#include <cuda_runtime.h>
#include "core/device/cuda_current.cuh"

/* Looks up a driver function by name, so that the library need not link with the driver; NULL: not found. */
static void *driver(const char *name)
{
	void *function = NULL;
	cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
	const cudaError_t e = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
	const cudaError_t e = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
	if (e != cudaSuccess)
		cudaGetLastError();
	return e == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

static void *context(void)
{
	CUcontext c = NULL;
	CUresult (*get)(CUcontext *) = (CUresult(*)(CUcontext *))driver("cuCtxGetCurrent");
	return get && get(&c) == CUDA_SUCCESS ? (void *)c : NULL;
}

static void set_context(void *c)
{
	CUresult (*set)(CUcontext) = (CUresult(*)(CUcontext))driver("cuCtxSetCurrent");
	if (set)
		set((CUcontext)c);
}

void gt_cuda_switch(int device, gt_cuda_current *before)
{
	before->device = device;
	before->context = NULL;
	if (cudaGetDevice(&before->device) != cudaSuccess || before->device == device)
		return;
	before->context = context();
	cudaSetDevice(device);
}

void gt_cuda_restore(int device, const gt_cuda_current *before)
{
	int now = device;
	if (before->device == device)
		return;
	set_context(before->context);
	if (cudaGetDevice(&now) == cudaSuccess && now != before->device)
		cudaSetDevice(before->device);
}
