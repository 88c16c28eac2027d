#ifndef GT_CORE_DEVICE_CUDA_CURRENT_CUH
#define GT_CORE_DEVICE_CUDA_CURRENT_CUH
/* For backend_cuda.cu: the device that a thread has current belongs to the caller, who may compute on another one
 * with other libraries. */

/* What the thread had. */
typedef struct {
	int device;
	void *context; /* of the driver, where it had another device; NULL: none */
} gt_cuda_current;

/* Makes `device` current, and notes what was. Costs one question where it is current already. */
void gt_cuda_switch(int device, gt_cuda_current *before);
/* Gives back what was before `device`. Makes no context on a device that the thread never used. */
void gt_cuda_restore(int device, const gt_cuda_current *before);

#endif
