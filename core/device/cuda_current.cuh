#ifndef GT_CORE_DEVICE_CUDA_CURRENT_CUH
#define GT_CORE_DEVICE_CUDA_CURRENT_CUH
/* For backend_cuda.cu: saves and restores the thread's current device, because callers may use other devices through
 * other libraries. */

typedef struct {
	int device;
	void *context; /* driver context of another device; NULL: none */
} gt_cuda_current;

/* Makes `device` current, and saves the previous state. If it is current already, this costs one query. */
void gt_cuda_switch(int device, gt_cuda_current *before);
/* Restores the previous state. Never creates a context on a device that the thread did not use. */
void gt_cuda_restore(int device, const gt_cuda_current *before);

#endif
