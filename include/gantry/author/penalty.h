#ifndef GANTRY_AUTHOR_PENALTY_H
#define GANTRY_AUTHOR_PENALTY_H
#include <gantry/author/solver_state.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A penalty R on volumes, made by a regularizer. It is the only view of the prior for a solver, as operators are of
 * the physics. */
typedef struct gt_penalty gt_penalty;
/* Entries that a penalty does not have are NULL; none allocates or moves an array. */
struct gt_penalty_ops {
	const char *name;
	double (*value   )(void *self, const gt_array *x);                      /* R(x) */
	/* g += R'(x), and d += D if d is not NULL, where R(u) <= R(x) + <R'(x), u-x> + 1/2 sum_j D_j (u_j-x_j)^2 for all u. */
	void   (*gradient)(void *self, const gt_array *x, gt_array *g, gt_array *d);
	void   (*majorize)(void *self, gt_array *d);                            /* d += a D that holds at every x */
	/* Slope of a -> R(x + a p) at a, and curvature of a parabola that touches there and majorizes it. */
	void   (*line    )(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature);
	/* x = the u in [lo, hi] with the least R(u) + |u-z|^2/(2t). x and z may be the same. */
	void   (*prox    )(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x);
	void   (*free    )(void *self);                                         /* NULL: self stays the caller's */
	/* Writes the state between calls into list, up to GT_STATE_MAX_PENALTY entries, and returns their number. */
	size_t (*state   )(void *self, gt_state_entry *list);
	void   (*value_async)(void *self, const gt_array *x, double *value);    /* as value(), after gt_reductions_wait() */
};
/* Takes self over: it is freed with the penalty, also when this call fails. convex: 0 if R is not. */
GT_API gt_status gt_penalty_new(const struct gt_penalty_ops *ops, void *self, gt_backend *be, gt_type type, size_t nx, int convex,
                         gt_penalty **R);
GT_API void gt_penalty_free(gt_penalty *R);

enum { GT_HAS_GRADIENT = 1, GT_HAS_LINE = 2, GT_HAS_PROX = 4 };         /* gradient and majorize go together */
GT_API unsigned    gt_penalty_has(const gt_penalty *R);
GT_API int         gt_penalty_is_convex(const gt_penalty *R);
GT_API const char *gt_penalty_name(const gt_penalty *R);
GT_API size_t      gt_penalty_nx(const gt_penalty *R);
GT_API gt_type     gt_penalty_type(const gt_penalty *R);
GT_API gt_backend *gt_penalty_backend(const gt_penalty *R);
/* As above. R = NULL is the penalty 0: these add nothing. */
GT_API double gt_penalty_value   (const gt_penalty *R, const gt_array *x);
GT_API void   gt_penalty_value_async   (const gt_penalty *R, const gt_array *x, double *value);      /* after gt_reductions_wait() */
GT_API void   gt_penalty_gradient(const gt_penalty *R, const gt_array *x, gt_array *g, gt_array *d);
GT_API void   gt_penalty_majorize(const gt_penalty *R, gt_array *d);
GT_API void   gt_penalty_line    (const gt_penalty *R, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature);
GT_API void   gt_penalty_prox    (const gt_penalty *R, double t, double lo, double hi, const gt_array *z, gt_array *x);

#ifdef __cplusplus
}
#endif
#endif
