#ifndef GANTRY_LINOP_H
#define GANTRY_LINOP_H
#include <stdint.h>
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A linear operator and its exact adjoint. It is the only view of the physics for a solver. */
typedef struct gt_linop gt_linop;
struct gt_linop_ops {
	const char *name;
	void (*forward)(void *self, const gt_array *x, gt_array *y);   /* y = A x  */
	void (*adjoint)(void *self, const gt_array *y, gt_array *x);   /* x = A' y */
	void (*free   )(void *self);                                   /* NULL: self stays the caller's */
};
/* Takes self over: it is freed with the operator, also when this call fails. */
GT_API gt_status gt_linop_new(const struct gt_linop_ops *ops, void *self,
                       gt_backend *be, gt_type type, size_t nx, size_t ny, gt_linop **A);
GT_API void gt_linop_free(gt_linop *A);
GT_API void gt_forward(const gt_linop *A, const gt_array *x, gt_array *y);
GT_API void gt_adjoint(const gt_linop *A, const gt_array *y, gt_array *x);
GT_API size_t gt_linop_nx(const gt_linop *A);
GT_API size_t gt_linop_ny(const gt_linop *A);
GT_API gt_type gt_linop_type(const gt_linop *A);
GT_API const char *gt_linop_name(const gt_linop *A);
GT_API gt_backend *gt_linop_backend(const gt_linop *A);
/* |<Ax,y> - <x,A'y>| / (|Ax||y|) for random x, y of both signs: 0 up to rounding. */
GT_API gt_status gt_linop_mismatch(const gt_linop *A, uint64_t seed, double *mismatch);

/* Every entry of A by forward projections of unit vectors, against every entry of A' by adjoints of
 * unit vectors: largest |A_ij - A'_ji| and largest |A_ij|. Costs nx + ny applications and nx ny
 * doubles on the host: for small operators. */
GT_API gt_status gt_linop_mismatch_elements(const gt_linop *A, double *difference, double *largest);

#ifdef __cplusplus
}
#endif
#endif
