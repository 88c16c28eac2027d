#ifndef GT_CORE_LINOP_H
#define GT_CORE_LINOP_H
/* Cost models of operators and rates of devices, from which benchmarks compute the minimum time (roofline). */
#include <gantry/linop.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Resources of a device with a limited rate per second. */
typedef enum {
	GT_BYTES,                       /* bytes read from and written to the device's memory */
	GT_INSTRUCTIONS,                /* instructions of a warp of 32 */
	GT_SHARED,                      /* passes of 128 bytes through the unit of shared memory and first cache */
	GT_FETCHES,                     /* bilinear fetches of one number from a texture */
	GT_DOUBLES,                     /* multiplications with addition in double precision */
	GT_NRESOURCES
} gt_resource;
/* Returns the rate per second from clocks and widths of the device; 0: unknown (CPU). */
double      gt_backend_rate(gt_backend *be, gt_resource r);
const char *gt_resource_name(gt_resource r);                     /* "bytes", "instructions", ... */

/* Cost model of an operator on a GPU: the resource that limits its application, and the minimum amount of it, from
 * the geometry. */
typedef struct { gt_resource bound; double amount; } gt_roofline;
/* Computes *min for an application (adjoint 0 or 1) of the operator that owns self; returns 0 without a model. */
typedef int (*gt_roofline_of)(void *self, int adjoint, gt_roofline *min);
void gt_linop_set_roofline(gt_linop *A, gt_roofline_of roofline);
/* Returns the minimum time in seconds of an application (adjoint 0 or 1), and the name of the resource in *bound. 0:
 * no model, or the rate of the device is unknown. */
double gt_linop_min_seconds(const gt_linop *A, int adjoint, const char **bound);

#ifdef __cplusplus
}
#endif
#endif
