#ifndef GT_PROJECTORS_SF_SF_DERIVATIVE_H
#define GT_PROJECTORS_SF_SF_DERIVATIVE_H
/* Derivative of the projections of sf-tr by the motions of the views: kernels of each backend. */
#include <gantry/grid.h>
#include "core/device/backend.h"
#include "projectors/kit/derivative.h"
#include "projectors/sf/sf_impl.h"
#include "projectors/sf/sf_motion.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_SF_MEMORY = 65536 }; /* default limit of the projector's scratch, in MiB */

typedef struct {
	gt_type type;
	gt_backend *be;
	gt_sf d;                        /* tables on the backend; rays only with a projector */
	const gt_view *view;            /* [views], likewise */
	gt_detector detector;
	double first[3];                /* centre of voxel 0, mm */
	const struct gt_sf_impl *projector; /* of the backend; NULL: not needed */
	void *state;                    /* of the projector */
} gt_sf_derivative;

/* Functions of a backend; self: a gt_sf_derivative. */
struct gt_sf_derivative_impl {
	struct gt_derivative_ops ops;
	size_t (*scratch)(const gt_sf_derivative *d); /* bytes of gt_scratch() */
	const struct gt_sf_impl *projector; /* used by the transpose; NULL: none */
};
void gt_sf_derivative_free(void *self);
extern const struct gt_sf_derivative_impl gt_sf_derivative_cpu, gt_sf_derivative_cuda;

GT_HD gt_sf_pose gt_sf_pose_of(const gt_sf_derivative *d, size_t view)
{
	gt_sf_pose p;
	p.detector = d->detector;
	p.view = &d->view[view];
	for (int a = 0; a < 3; a++)
		p.first[a] = d->first[a];
	p.rows = d->d.rows;
	p.flip_rows = d->d.view[view].flip_rows;
	gt_sf_set_frame(&p);
	return p;
}

/* Derivative by the motions of the views; scan: after the motion, jacobian: see projectors/kit/derivative.h. */
gt_status gt_sf_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D);
#ifdef __cplusplus
}
#endif
#endif
