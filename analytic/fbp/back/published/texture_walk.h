#ifndef GT_ANALYTIC_FBP_BACK_PUBLISHED_TEXTURE_WALK_H
#define GT_ANALYTIC_FBP_BACK_PUBLISHED_TEXTURE_WALK_H
/* The implementation of gt_texture_walk() on CUDA. */
#include "analytic/table.h"
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif

struct gt_texture_walk_impl {
	size_t max_layers;
	gt_status (*run)(gt_backend *be, const struct gt_texture_walk *w, double *seconds);
};
extern const struct gt_texture_walk_impl gt_texture_walk_cuda;

#ifdef __cplusplus
}
#endif
#endif
