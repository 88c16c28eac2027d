#ifndef GANTRY_SCAN_H
#define GANTRY_SCAN_H
/* Plain data: where each view looks from. Lengths in mm, angles in radians,
 * right-handed frame, z along the rotation axis. See docs/geometry.md. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_FLAT, GT_ARC, GT_PARALLEL, GT_NSHAPES } gt_shape;
GT_API extern const char *const gt_shape_names[];      /* "flat", "arc", "parallel", NULL */

/* One view. `detector` is the point of the detector at (column_center, row_center).
 * flat: cells at detector + (k - column_center) column_pitch column_axis + (l - row_center) row_pitch row_axis.
 * arc: a cylinder around the axis through arc_center along row_axis, through `detector`; column_pitch is
 *   arc length; arc_center is the source unless the focal spot was deflected.
 * parallel: cells as flat; all rays run along detector - source. */
typedef struct {
	double source[3], detector[3], column_axis[3], row_axis[3], arc_center[3];
	double angle;                           /* gantry angle; NAN where not known */
} gt_view;

typedef struct {
	gt_shape shape;
	size_t views, rows, columns;
	double column_pitch, row_pitch;         /* mm at the detector, > 0 */
	double column_center, row_center;       /* index of `detector`; the centre of the first cell is 0 */
	double source_to_detector;              /* mm; arc: radius. 0 where it has no meaning (parallel) */
	double source_to_axis;                  /* mm; 0 where it has no meaning */
	double pitch_per_turn;                  /* mm of z per turn; 0: circular */
	gt_view *view;                          /* [views], owned */
} gt_scan;

/* All fields 0 but the sizes; views' axes are set to x and z, angles to NAN. */
GT_API gt_status gt_scan_new(gt_shape shape, size_t views, size_t rows, size_t columns, gt_scan **scan);
GT_API void      gt_scan_free(gt_scan *scan);
GT_API gt_status gt_scan_clone(const gt_scan *scan, gt_scan **copy);
/* views*rows*columns; does not overflow for a scan that passed gt_scan_check(). */
GT_API size_t    gt_scan_size(const gt_scan *scan);
/* Refuses (GT_ERR_FORMAT, naming the field, the view, what was found and what was expected): no views, rows or
 * columns; sizes that overflow; pitches that are not positive; non-finite numbers; axes that are not unit
 * (1e-6) or not perpendicular (1e-6); a detector at the source; arc radii that do not fit. */
GT_API gt_status gt_scan_check(const gt_scan *scan);
/* Views first, first+stride, ... : one ordered subset. */
GT_API gt_status gt_scan_subset(const gt_scan *scan, size_t first, size_t stride, gt_scan **part);
/* The same field of view with at most that many views, rows and columns (cells get larger; never smaller). Views are an
 * evenly spaced choice that starts with the first; the last one is kept as well where the scan is no full turn.
 * GT_ERR_ARG for 0 of anything. */
GT_API gt_status gt_scan_coarsen(const gt_scan *scan, size_t views, size_t rows, size_t columns, gt_scan **coarse);
/* 64-bit FNV-1a of everything that defines the geometry: the provenance record of outputs. */
GT_API uint64_t  gt_scan_hash(const gt_scan *scan);

/* Orbits ---------------------------------------------------------------- */

typedef struct {
	gt_shape shape;
	size_t views, rows, columns;
	double source_to_axis, source_to_detector;      /* parallel: only the detector's place, >= 0 */
	double column_pitch, row_pitch;                 /* mm at the detector */
	double column_offset, row_offset;               /* cells: column_center = (columns-1)/2 + column_offset */
	double start_angle, turn;                       /* first gantry angle; angle of all views (2 pi: full turn; < 0: the other way) */
	double pitch_per_turn;                          /* mm; below 0: z falls from view to view; the helix is centred on z_center */
	double z_center;
	int end_view;                                   /* 1: the last view is at start+turn (short scans, 180 degrees with both ends) */
	/* Flying focal spot: view v moves its source by spot[v % spots] = {along column_axis, away from the axis, along z}, mm. */
	const double (*spot)[3];
	size_t spots;
} gt_orbit;
/* source(theta) = (-Dso sin, Dso cos, z), turning counter-clockwise seen from +z: the frame of docs/geometry.md. */
GT_API gt_status gt_scan_orbit(const gt_orbit *orbit, gt_scan **scan);

/* At most 1/by of the columns, rows and views (rounded up; by 0 counts as 1), and cells larger by as much: the same detector
 * over the same turn. */
GT_API void gt_orbit_reduce(gt_orbit *orbit, size_t by);

/* Presets by name, e.g. "ge-ct750hd". fan_half_angle + pi on both sides makes a short scan. */
typedef struct { const char *name, *about; gt_orbit orbit; } gt_scanner;
GT_API extern const gt_scanner gt_scanners[];                  /* ends with name = NULL */
GT_API const gt_scanner *gt_scanner_find(const char *name);    /* NULL if there is none */

/* Half the fan, from the central ray to the outer edge on the shorter side (rad). Parallel: 0. */
GT_API double gt_orbit_half_fan(const gt_orbit *orbit);

/* What a C-arm does: source and detector of each view are displaced by up to `shift` mm along each axis, each by itself, and the
 * detector is turned by up to `tilt` radians around an axis of its own; the same seed gives the same scan. Flat detectors;
 * GT_ERR_UNSUPPORTED for others. */
GT_API gt_status gt_scan_perturb(gt_scan *scan, double shift, double tilt, uint64_t seed);

/* 3x4 projection matrices: (column w, row w, w) = M (x, y, z, 1), row-major, integer = centre of a cell; w is the
 * depth in mm. The reverse needs the cell pitches, which a matrix does not hold up to the distance: the detector of view 0
 * is put at source_to_detector, that of each other view where its columns have the same pitch. Matrices of any scale and
 * sign; the origin must be in front of each source. column_center, row_center: mean foot of the perpendicular; angles from
 * the sources; pitch_per_turn 0. GT_ERR_UNSUPPORTED, naming the view, if rows and columns of a matrix are not
 * perpendicular (skew) or the ratio of their pitches changes (1e-6); GT_ERR_FORMAT for singular or non-finite ones. */
GT_API gt_status gt_matrix_from_view(const gt_scan *scan, size_t view, double matrix[12]);     /* flat only */
GT_API gt_status gt_scan_from_matrices(const double (*matrix)[12], size_t views, size_t rows, size_t columns,
                                double source_to_detector, gt_scan **scan);

/* Facts about a scan that methods ask for -------------------------------- */

/* Returns the radius around the z axis that is measured (mm), at the middle row; 0 if the axis is not in the fan of
 * some view. Over a full turn, with gaps of at most 12 degrees, it is the reach of the longer side of the columns in
 * every view. So it is if the shorter side reaches less than a third of it, as with a displaced detector. Otherwise
 * every view sees all of the circle. zmin, zmax (NULL: not wanted): the z range of the rows at the axis. Every view of
 * a circular scan sees this range, and some view of a helical one. */
GT_API double gt_scan_field_of_view(const gt_scan *scan, double *zmin, double *zmax);
/* Where the z axis is seen at the source's height, in pixels counted from 0 at the middle of the first one: column and
 * row in the mean of all views, the least and the most of the columns. NAN where a view does not look at it. The
 * central ray (column_center) may be elsewhere: geometries of RTK, C-arms. */
typedef struct { double column, row, min, max; } gt_axis_seen;
GT_API void gt_scan_see_axis(const gt_scan *scan, gt_axis_seen *seen);
/* Range covered by the gantry angles: last - first + one (mean) step, rad; NAN if a view has none. Angles that start again
 * at 0 after 2 pi are counted on; angles in no order count as within one turn. */
GT_API double gt_scan_angular_range(const gt_scan *scan);
/* Sets the angles by the sources (parallel: by where the rays come from), counted on from view to view; leaves them
 * where rows are not along the axis, or a source is on it. */
GT_API void      gt_scan_derive_angles(gt_scan *scan);
/* GT_ERR_FORMAT, with both numbers, where angles that are stated (not NAN) turn otherwise than the sources, by more
 * than 0.2 rad: degrees. */
GT_API gt_status gt_scan_check_angles(const gt_scan *scan);
/* Source z differs between views by more than a row; where pitch_per_turn is 0, by more than a twentieth of the rows
 * as well, and evenly with the views or the angles, or by more than half of the rows: a C-arm that sags or wobbles is
 * not a helix. */
GT_API int    gt_scan_is_helical(const gt_scan *scan);
/* The first view whose detector stands before the z axis, and how far both are from its source (mm): along the normal of a flat detector; arc: its
 * radius. scan->views: none does. Only directions of rays count, so that this is no fault of a table; in a gantry nothing would be left of the body. */
GT_API size_t gt_scan_detector_before_axis(const gt_scan *scan, double *detector, double *axis);
/* GT_OK if every view has row_axis along +z or -z (1e-9); else GT_ERR_UNSUPPORTED, naming `who` and the view. */
GT_API gt_status gt_scan_rows_along_z(const gt_scan *scan, const char *who);

#ifdef __cplusplus
}
#endif
#endif
