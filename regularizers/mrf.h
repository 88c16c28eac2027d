#ifndef GT_REGULARIZERS_MRF_H
#define GT_REGULARIZERS_MRF_H
/* Backend interface of mrf.c, for R(x) = sum over pairs of neighbours of w kappa kappa psi(difference). Arrays are
 * [z][y][x] of the pairs' type. */
#include "core/device/backend.h"
#include "regularizers/potential.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
	size_t       n[3];
	size_t       from, end;         /* slices whose voxels start the pairs that sums include */
	gt_type      type;
	gt_potential potential;
	double       number[GT_NNUMBERS];
	double       weight[8];         /* weight of the neighbour (dx, dy, dz), with the strength, at |dx| + 2|dy| + 4|dz|; 0: none */
	const void  *kappa;             /* on the backend; NULL: 1 */
	void        *state;             /* owned by the implementation */
} gt_mrf;

struct gt_mrf_impl {
	gt_status (*make)(gt_backend *be, gt_mrf *s);         /* NULL: no state */
	void (*free    )(gt_backend *be, gt_mrf *s);          /* NULL if make is; state may be NULL */
	void (*gradient)(gt_backend *be, const gt_mrf *s, const void *x, void *g, void *d);   /* adds to g and d; d may be NULL */
	void (*majorize)(gt_backend *be, const gt_mrf *s, void *d);                           /* adds to d */
	/* p NULL: *first is R(x); else slope and curvature of R(x + a p). Valid after gt_reductions_wait(). */
	void (*sum     )(gt_backend *be, const gt_mrf *s, const void *x, const void *p, double a, double *first, double *curvature);
};
extern const struct gt_mrf_impl gt_mrf_cpu, gt_mrf_cuda;
#ifdef __cplusplus
}
#endif
#endif
