#ifndef GANTRY_PROJECTOR_H
#define GANTRY_PROJECTOR_H
#include <gantry/linop.h>
#include <gantry/module.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A matched pair: from a volume [z][y][x] in mm^-1 to line integrals [view][row][column], and the adjoint. The adjoint
 * is exact, entry by entry, unless off_adjoint states a deviation. The function make() copies scan and
 * grid and allocates all memory. GT_ERR_UNSUPPORTED names projector and view of an unsupported geometry. */
typedef struct {
	GT_MODULE_MEMBERS
	const char *model;              /* reference projector on the CPU, equal up to off_model; NULL: itself */
	int         cuda_only;          /* no CPU side: make() refuses it, naming model */
	int         single_only;        /* make() refuses GT_F64 */
	double      off_adjoint;        /* maximum deviation of adjoint entries over the largest; 0: rounding */
	double      off_model;          /* likewise forward's from the model's */
	gt_status (*make)(gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
	                  const void *options, gt_linop **A);
	const struct gt_projector_parts *parts;         /* for benchmarks; may be NULL */
	/* Derivative by the motions of the views; scan: after the motion. jacobian: that of the motion, on the host,
	 * copied. NULL: there is none. */
	gt_status (*make_derivative)(const gt_grid *grid, const gt_scan *scan, const void *options, const double *jacobian,
	                             const gt_array *volume, gt_linop **D);
} gt_projector;

GT_API extern const gt_projector *const gt_projectors[];              /* NULL-terminated; the first is the default */
GT_API const gt_projector *gt_projector_find(const char *name);       /* NULL if there is none */
/* spec: "dd" or "NAME:key=value,...". Checks scan and grid first, but not that a view sees
 * the grid: of a subset of a helix, none may. */
GT_API gt_status gt_projector_new(const char *spec, gt_backend *be, gt_type type,
                           const gt_grid *grid, const gt_scan *scan, gt_linop **A);
/* Rigid motions of source and detector, separately for each view. Axes are those of the view before the motion, and n
 * is the normal of the detector, away from the source. Rotations are about the point `detector`; several together are
 * one rotation by the vector of their angles. With parallel rays shifts and distance move source and detector together,
 * so that rays keep their direction. */
typedef enum {
	GT_MOTION_SHIFT_U,              /* detector along column_axis, mm */
	GT_MOTION_SHIFT_V,              /* detector along row_axis, mm */
	GT_MOTION_DISTANCE,             /* detector along n, mm */
	GT_MOTION_TILT,                 /* about column_axis, row_axis towards n, rad */
	GT_MOTION_SLANT,                /* about row_axis, column_axis towards n, rad */
	GT_MOTION_ROLL,                 /* about n, column_axis towards row_axis, rad */
	GT_MOTION_SOURCE_X,             /* source along the axes of the scan, mm */
	GT_MOTION_SOURCE_Y,
	GT_MOTION_SOURCE_Z,
	GT_MOTIONS
} gt_motion;
GT_API extern const char *const gt_motion_names[];     /* "shift_u", "shift_v", ..., "source_z", NULL */

/* Copies a scan and moves its views; motion: [views][GT_MOTIONS]. GT_ERR_ARG names view and parameter of a value that
 * is not finite. GT_ERR_FORMAT as gt_scan_check(): a source in the plane of the detector. */
GT_API gt_status gt_scan_move(const gt_scan *scan, const double *motion, gt_scan **moved);

/* Derivative of the projections of `volume` by the motions of the views (gt_motion), at `motion` [views][GT_MOTIONS]
 * from `scan`; NULL: 0. D maps [view][GT_MOTIONS] to projections and has the backend and the type of the volume. The
 * volume must live as long as D and is read in every call. The transpose is exact. joseph: each direction costs about
 * one projection. If a ray meets a line between voxel centres, D is the derivative towards the upper voxel. dd and
 * sf-tr: several projections. GT_ERR_UNSUPPORTED: the projector has no derivative. GT_ERR_ARG: a volume of another
 * size, values of `motion` that are not finite. */
GT_API gt_status gt_projector_derivative(const char *spec, const gt_grid *grid, const gt_scan *scan, const double *motion,
                           const gt_array *volume, gt_linop **D);
#ifdef __cplusplus
}
#endif
#endif
