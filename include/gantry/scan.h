#ifndef GANTRY_SCAN_H
#define GANTRY_SCAN_H
/* Scan geometry: source and detector of each view. Lengths in mm, angles in radians,
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
 *   flat: pixel (k, l) at detector + (k - column_center) column_pitch column_axis + (l - row_center) row_pitch row_axis
 *   arc: cylinder about the line through arc_center along row_axis; `detector` lies on it, column_pitch is arc length
 *   parallel: pixels as flat; all rays have the direction detector - source
 * arc_center is the source unless the focal spot was deflected. */
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
	double thickness;                       /* mm of a plate centred at z = 0 (laminography); 0: unknown */
} gt_scan;

/* All fields 0 but the sizes; views' axes are set to x and z, angles to NAN. */
GT_API gt_status gt_scan_new(gt_shape shape, size_t views, size_t rows, size_t columns, gt_scan **scan);
GT_API void      gt_scan_free(gt_scan *scan);
GT_API gt_status gt_scan_clone(const gt_scan *scan, gt_scan **copy);
/* views*rows*columns; does not overflow for a scan that passed gt_scan_check(). */
GT_API size_t    gt_scan_size(const gt_scan *scan);
/* Checks a scan. GT_ERR_FORMAT names the field and the view, with the value found and the value expected. It
 * refuses scans without views, rows or columns, sizes that overflow, pitches that are not positive, and non-finite
 * numbers. It also refuses axes that are not unit or not perpendicular (to 1e-6), a detector at the source, and arc
 * radii that do not fit. */
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

/* Panels of a tilted orbit: across the central ray; parallel to the plate and turning with the view. Or parallel to the
 * plate with columns along x; parallel to the axis. */
typedef enum { GT_PANEL_BEAM, GT_PANEL_STAGE, GT_PANEL_STAGE_FIXED, GT_PANEL_AXIS, GT_NPANELS } gt_panel;
GT_API extern const char *const gt_panel_names[];      /* "beam", "stage", "stage-fixed", "axis", NULL */

typedef struct {
	gt_shape shape;
	size_t views, rows, columns;
	double source_to_axis, source_to_detector;      /* parallel: only the detector's place, >= 0 */
	double column_pitch, row_pitch;                 /* mm at the detector */
	double column_offset, row_offset;               /* cells: column_center = (columns-1)/2 + column_offset */
	double start_angle, turn;                       /* first gantry angle; angular range, < 0: reversed */
	double pitch_per_turn;                          /* mm; < 0: z decreases; the centre is z_center */
	double z_center;
	int end_view;                                   /* 1: the last view is at start_angle + turn */
	/* Flying focal spot: source shift of view v, spot[v % spots] = {along column_axis, away from the axis, along z}, mm. */
	const double (*spot)[3];
	size_t spots;
	/* Laminography: angle of the axis to the plane across the central ray, rad, below pi/2; 0: CT. Not for arcs,
	 * helices and spots. Distances are along the central ray, which meets the axis at the origin. */
	double tilt;
	gt_panel panel;                                 /* tilt 0: beam or axis */
	double thickness;                               /* mm, of the plate; 0: unknown */
} gt_orbit;
/* source(theta) = (-Dso sin, Dso cos, z), turning counter-clockwise seen from +z: the frame of docs/geometry.md. With a
 * tilt the central ray is b = cos(tilt) (sin, -cos, 0) - sin(tilt) (0, 0, 1), and the source -Dso b. */
GT_API gt_status gt_scan_orbit(const gt_orbit *orbit, gt_scan **scan);

/* Divides the numbers of columns, rows and views by `by`, rounded up, and enlarges the pixels: same detector, same
 * angular range. by 0 counts as 1. */
GT_API void gt_orbit_reduce(gt_orbit *orbit, size_t by);

/* Presets by name, e.g. "ge-ct750hd". fan_half_angle + pi on both sides makes a short scan. */
typedef struct { const char *name, *about; gt_orbit orbit; } gt_scanner;
GT_API extern const gt_scanner gt_scanners[];                  /* ends with name = NULL */
GT_API const gt_scanner *gt_scanner_find(const char *name);    /* NULL if there is none */

/* Half the fan, from the central ray to the outer edge on the shorter side (rad). Parallel: 0. */
GT_API double gt_orbit_half_fan(const gt_orbit *orbit);

/* 3x4 projection matrices, row-major: (column w, row w, w) = M (x, y, z, 1). Integers are pixel centres; w is the
 * depth in mm. A matrix determines pitches only up to the distance of the detector. So the detector of view 0 is placed
 * at source_to_detector, and those of other views where their columns have the same pitch. Matrices may have any scale
 * and sign, but the origin must be in front of each source. The mean foot of the perpendicular gives column_center
 * and row_center. Angles come from the sources, and pitch_per_turn is 0. GT_ERR_UNSUPPORTED names the view: rows and
 * columns are skew, or the ratio of pitches changes (1e-6). GT_ERR_FORMAT: singular or non-finite matrix. */
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
/* Range covered by the gantry angles: last - first + one (mean) step, rad; NAN if a view has none. Angles that start
 * again at 0 after 2 pi are counted on; angles in no order count as within one turn. */
GT_API double gt_scan_angular_range(const gt_scan *scan);
/* Returns 1 if the source z differs between views by more than a row. With pitch_per_turn 0 the difference must also
 * exceed a twentieth of the rows and be linear in views or angles, or exceed half of the rows. So a C-arm that sags or
 * wobbles is not a helix. */
GT_API int    gt_scan_is_helical(const gt_scan *scan);
/* Returns 1 for laminography. The thickness is stated, or in every view the ray to the detector's centre is inclined
 * to the x-y plane by more than 15 degrees. Panels parallel to that plane: by more than 1e-6 rad. Then the field of
 * view is the circle at z = 0 within rows and columns, and zmin, zmax are the faces of the plate. Without a stated
 * thickness the plate is the largest cylinder that every view sees. */
GT_API int    gt_scan_is_laminography(const gt_scan *scan);
/* GT_OK if every view has row_axis along +z or -z (1e-9). GT_ERR_UNSUPPORTED names `who` and the view. */
GT_API gt_status gt_scan_rows_along_z(const gt_scan *scan, const char *who);

/* Corrections of a scan. NAN, 0: no change. */
typedef struct {
	size_t size;                    /* sizeof(gt_scan_correction) */
	double column_offset, row_offset;       /* pixels: column_center = (columns - 1)/2 + column_offset */
	double roll;                    /* rad, added: columns turn towards rows, about the detector's centre */
	double column_pitch, row_pitch, source_to_axis, source_to_detector;     /* mm; no parallel rays */
	double start_angle, turn;       /* rad: first gantry angle; views x step, signed as they turn */
	int reverse_direction, reverse_columns, reverse_rows;   /* turn; images as they are counted */
} gt_scan_correction;
GT_API extern const gt_scan_correction gt_scan_correction_none;
/* Corrects a scan. GT_ERR_UNSUPPORTED: the scan lacks a property that a correction needs. It is unchanged then. */
GT_API gt_status      gt_scan_correct(gt_scan *scan, const gt_scan_correction *what);

#ifdef __cplusplus
}
#endif
#endif
