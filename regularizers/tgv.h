#ifndef GT_REGULARIZERS_TGV_H
#define GT_REGULARIZERS_TGV_H
/* Inside this room: an inner iteration of total generalised variation as one pass, where a device has it. Arrays and
 * numbers are those of tgv_math.inc. */
#include "regularizers/pass.h"
#ifdef __cplusplus
extern "C" {
#endif
struct gt_tgv_impl {
	int  (*fits)(gt_type type);     /* 1: the current device has the shared memory for it */
	void (*step)(gt_backend *be, gt_type type, const size_t *n, const struct gt_pass_call *call);
};
extern const struct gt_tgv_impl gt_tgv_cuda;
#ifdef __cplusplus
}
#endif
#endif
