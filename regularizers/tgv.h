#ifndef GT_REGULARIZERS_TGV_H
#define GT_REGULARIZERS_TGV_H
/* Private to regularizers/. Inner iteration of total generalised variation as one pass, on devices that support it.
 * Arrays and numbers: tgv_math.inc. */
#include "regularizers/pass.h"
#ifdef __cplusplus
extern "C" {
#endif
struct gt_tgv_impl {
	int  (*fits)(gt_type type);     /* returns 1 if the current device has enough shared memory */
	void (*step)(gt_backend *be, gt_type type, const size_t *n, const struct gt_pass_call *call);
};
extern const struct gt_tgv_impl gt_tgv_cuda;
#ifdef __cplusplus
}
#endif
#endif
