#ifndef GANTRY_REGULARIZER_H
#define GANTRY_REGULARIZER_H
#include <gantry/module.h>
#include <gantry/penalty.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A kind of penalty on volumes [z][y][x] in mm^-1. Every one has a parameter `strength`, a factor on all of it, 0 or more.
 * make() allocates what the penalty needs; its functions allocate nothing. Options are in range. */
typedef struct {
	GT_MODULE_MEMBERS
	/* kappa: weights per voxel on the penalty's backend and of its type, copied; NULL: 1. A pair of voxels has the product of
	 * theirs (Fessler and Rogers, IEEE Trans. Image Process. 5 (1996) 1346). GT_ERR_UNSUPPORTED if there is no such thing. */
	gt_status (*make)(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R);
	int no_automatic_strength;      /* 1: the strength cannot be found from the noise of the data */
} gt_regularizer;

GT_API extern const gt_regularizer *const gt_regularizers[];               /* NULL-terminated */
GT_API extern const gt_module_kind gt_regularizer_kind;
GT_API const gt_regularizer *gt_regularizer_find(const char *name);        /* NULL if there is none */
/* spec: "huber:strength=3,delta=5HU" or "NAME". */
GT_API gt_status gt_regularizer_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_array *kappa,
                             gt_penalty **R);

#ifdef __cplusplus
}
#endif
#endif
