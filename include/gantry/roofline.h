#ifndef GANTRY_ROOFLINE_H
#define GANTRY_ROOFLINE_H
/* What a device could do at most, and the least that an operator needs of it: what benchmarks hold times against. No reconstruction needs
 * it; benchmarks include it with <gantry/backend_author.h>. */
#include <gantry/linop.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A resource of which a device has only so much in a second; the unit of each is counted. */
typedef enum {
	GT_BYTES,                       /* bytes read from and written to the device's memory */
	GT_INSTRUCTIONS,                /* instructions of a warp of 32 */
	GT_SHARED,                      /* passes of 128 bytes through the unit of shared memory and first cache */
	GT_FETCHES,                     /* bilinear fetches of one number from a texture */
	GT_DOUBLES,                     /* multiplications with addition in double precision */
	GT_NRESOURCES
} gt_resource;
/* How much of it there is per second, from the clocks and widths that the device names; 0 where it is not known (the CPU). */
GT_API double      gt_backend_rate(gt_backend *be, gt_resource r);
GT_API const char *gt_resource_name(gt_resource r);                     /* "bytes", "instructions", ... */

/* The cost model of an operator: the resource that bounds an application of it on a GPU, and the least amount of it that the method cannot
 * do without, counted from the geometry. */
typedef struct { gt_resource bound; double amount; } gt_roofline;
/* Fills in *least for an application (adjoint 0 or 1) of the operator that owns self; 0 where it has no model. */
typedef int (*gt_roofline_of)(void *self, int adjoint, gt_roofline *min);
GT_API void gt_linop_set_roofline(gt_linop *A, gt_roofline_of roofline);
/* Seconds that an application (adjoint 0 or 1) takes at least on its device by its cost model, and the name of the resource
 * in *bound; 0 where it has no model or the device's rate is not known. */
GT_API double gt_linop_min_seconds(const gt_linop *A, int adjoint, const char **bound);

#ifdef __cplusplus
}
#endif
#endif
