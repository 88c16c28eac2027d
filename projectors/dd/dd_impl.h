#ifndef GT_DD_IMPL_H
#define GT_DD_IMPL_H
/* What dd.c asks of dd_cpu.c and dd_cuda.cu. Volumes [z][y][x], data [view][row][column], both of the type given. */
#include "core/backend.h"
#include "projectors/dd/dd_row.h"
#ifdef __cplusplus
extern "C" {
#endif
struct gt_dd_impl {
	size_t (*scratch)(gt_backend *be, const gt_dd *d, gt_type t);          /* bytes of gt_scratch() that the others use */
	void (*forward)(gt_backend *be, const gt_dd *d, gt_type t, const void *x, void *y);
	void (*adjoint)(gt_backend *be, const gt_dd *d, gt_type t, const void *y, void *x);
};
extern const struct gt_dd_impl gt_dd_cpu, gt_dd_cuda;
#ifdef __cplusplus
}
#endif
#endif
