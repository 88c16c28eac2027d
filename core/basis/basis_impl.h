#ifndef GT_CORE_BASIS_BASIS_IMPL_H
#define GT_CORE_BASIS_BASIS_IMPL_H
/* Interface of basis.c to a backend. */
#include "core/basis/basis.h"
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
	size_t n, max;                  /* length of a vector, number of vectors */
	gt_type type;
	gt_backend *be;
} gt_basis_shape;

struct gt_basis_impl {
	size_t    (*bytes)(const gt_basis_shape *s);                    /* device memory in addition to the vectors */
	gt_status (*open )(const gt_basis_shape *s, void **state);
	/* y = V' w on the host; then w = w - V y if project. */
	void      (*dots )(void *state, size_t k, const void *V, void *w, int project, double *y);
	void      (*add  )(void *state, size_t k, const void *V, const double *y, void *w);      /* w = w + V y */
	void      (*close)(void *state);
};
extern const struct gt_basis_impl gt_basis_cpu, gt_basis_cuda;
#ifdef __cplusplus
}
#endif
#endif
