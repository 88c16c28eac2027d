#ifndef GT_PROJECTORS_RAY_RAY_IMPL_H
#define GT_PROJECTORS_RAY_RAY_IMPL_H
/* Kernel functions of each backend. Volumes [z][y][x], data [view][row][column], both of the operator's type. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/device/backend.h"
#include "core/linop.h"
#include "projectors/ray/ray_walk.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
	gt_ray_model model;
	gt_type      type;
	gt_rays      rays;      /* tables on the backend */
	void        *state;     /* state of the implementation */
} gt_ray_operator;

struct gt_ray_impl {
	/* Creates own tables on the backend in o->state; host: o's tables in host memory. NULL: no own tables. */
	gt_status (*make)(gt_backend *be, const gt_rays *host, gt_ray_operator *o);
	/* NULL if make is NULL; state may be NULL */
	void   (*free   )(gt_backend *be, gt_ray_operator *o);
	/* bytes of gt_scratch() for the other functions */
	size_t (*scratch)(gt_backend *be, const gt_ray_operator *o);
	void   (*forward)(gt_backend *be, const gt_ray_operator *o, const void *x, void *y);
	void   (*adjoint)(gt_backend *be, const gt_ray_operator *o, const void *y, void *x);
	int    (*roofline)(const gt_ray_operator *o, int adjoint, gt_roofline *min);         /* may be NULL */
};
/* Fills view [views] and column [views][columns], and the pointers to them. */
void gt_ray_fill(const gt_scan *s, const gt_grid *g, gt_ray_view *view, gt_ray_column *column, gt_rays *rays);

/* Checks the sizes and fills tables in host memory; name: the projector's. Free them also after a failure. */
gt_status gt_ray_host_new (const char *name, const gt_scan *s, const gt_grid *g, gt_rays *host);
void      gt_ray_host_free(gt_rays *host);
/* Copies the tables to the backend. Unload them also after a failure. */
gt_status gt_ray_upload(gt_backend *be, const gt_rays *host, gt_rays *rays);
void      gt_ray_unload(gt_backend *be, gt_rays *rays);

extern const struct gt_ray_impl gt_ray_cpu, gt_ray_cuda;
#ifdef __cplusplus
}
#endif
#endif
