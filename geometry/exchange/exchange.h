#ifndef GT_GEOMETRY_EXCHANGE_EXCHANGE_H
#define GT_GEOMETRY_EXCHANGE_EXCHANGE_H
/* Conversion of the geometries of other programs to scans and back; docs/geometry.md has the formulas.
 * Lengths in mm, angles in radians. Functions that make a scan set *scan to NULL on failure; GT_ERR_FORMAT names the
 * view. */
#include <gantry/scan.h>

typedef struct { size_t views, rows, columns; } gt_scan_size3;

/* x = m y, and m = a b, of 3 x 3 matrices by rows. */
void gt_mat3_apply(const double m[9], const double y[3], double x[3]);
void gt_mat3_product(const double a[9], const double b[9], double m[9]);
/* Rotation about axis 0, 1 or 2, counter-clockwise seen against the axis. */
void gt_mat3_turn(int axis, double angle, double m[9]);
/* Rotation that maps the unit vector `from` to z; 180 degrees about x if it is -z. */
void gt_mat3_to_z(const double from[3], double m[9]);

/* A view by its source, the centre of its panel and the steps from a column and a row to the next, mm. */
typedef struct { double source[3], panel[3], column_step[3], row_step[3]; } gt_step_view;
/* Rotates a view about z. */
void gt_step_view_turn(const gt_step_view *from, double angle, gt_step_view *to);
/* Makes a scan of such views; center: pixel indices of `panel`. GT_ERR_UNSUPPORTED: steps that differ in length from
 * view 0, or skewed ones (1e-6). Distances, pitch and angles come from the views. */
gt_status gt_scan_of_steps(gt_shape shape, const gt_scan_size3 *size, const double center[2], const gt_step_view *view, gt_scan **scan);
/* Sets source_to_axis, source_to_detector (means), pitch_per_turn of an even helix, angles; then gt_scan_check(). */
gt_status gt_scan_complete(gt_scan *scan);

/* ASTRA Toolbox: cone_vec and parallel3d_vec (parallel 1: ray direction instead of source), twelve numbers per view, in
 * units of `unit` mm. */
gt_status gt_scan_of_astra(int parallel, const double (*vec)[12], const gt_scan_size3 *size, double unit, gt_scan **scan);
/* GT_ERR_UNSUPPORTED: arc detectors. */
gt_status gt_scan_to_astra(const gt_scan *scan, double (*vec)[12]);
/* ASTRA in two dimensions, fanflat_vec and parallel_vec: six numbers per view, row_pitch in mm. */
gt_status gt_scan_of_astra_2d(int parallel, const double (*vec)[6], const gt_scan_size3 *size, double unit,
                              double row_pitch, gt_scan **scan);

/* Reconstruction Toolkit: the nine parameters of a view. */
typedef struct {
	double sid, sdd;                /* source to isocentre, to detector; sdd 0: parallel */
	double gantry, out_of_plane, in_plane;
	double source[2], projection[2];        /* SourceOffset, ProjectionOffset */
} gt_rtk_view;
/* Pixel k of the image is at origin + k spacing. */
typedef struct { double spacing[2], origin[2]; } gt_rtk_image;
gt_status gt_scan_of_rtk(const gt_rtk_view *view, const gt_scan_size3 *size, const gt_rtk_image *image, gt_scan **scan);
/* image: centred at 0, with columns in RTK's direction. *reversed: 1 if these are the scan's columns in reverse order.
 * GT_ERR_UNSUPPORTED: arcs, and views with different column directions. */
gt_status gt_scan_to_rtk(const gt_scan *scan, gt_rtk_view *view, gt_rtk_image *image, int *reversed);
/* Compares projections of a point by RTK's matrix and by the scan, in mm from the image's origin. GT_ERR_FORMAT if they
 * differ by more than the tolerance. */
gt_status gt_scan_agrees_with_rtk(const gt_scan *scan, const gt_rtk_image *image, size_t view, const double matrix[12], double max);

/* LEAP. */
typedef struct {
	gt_shape shape;                 /* arc: curved detector; LEAP states its pixel sizes on a plane */
	double sod, sdd, tau, helical_pitch, tilt;      /* mm; helical_pitch in mm per radian; tilt in rad */
	double pitch[2], center[2];     /* width, height; column, row */
	const double *phi;              /* [views], as in the file, rad */
} gt_leap_orbit;
gt_status gt_scan_of_leap(const gt_leap_orbit *o, const gt_scan_size3 *size, gt_scan **scan);
/* Parallel beams alone. GT_ERR_UNSUPPORTED: rows not along z, or detectors whose centre moves. */
gt_status gt_scan_to_leap_parallel(const gt_scan *scan, double *phi, double center[2]);

/* TIGRE: pairs are (u, v); rotation: rotDetector in Python's order; three angles per view, the last two may be 0. */
typedef struct {
	int parallel;
	double dso, dsd, pitch[2];
	const double (*offset)[2], (*rotation)[3], *cor;        /* offDetector, rotDetector, COR of every view */
	const double (*angle)[3];
} gt_tigre_orbit;
gt_status gt_scan_of_tigre(const gt_tigre_orbit *o, const gt_scan_size3 *size, gt_scan **scan);

/* CIL's AcquisitionGeometry. origin: GT_CIL_RIGHT: columns count from the right, GT_CIL_TOP: rows from the top. */
enum { GT_CIL_RIGHT = 1, GT_CIL_TOP = 2 };
typedef struct {
	int parallel;
	double source[3], detector[3], axis[3], axis_direction[3], column_direction[3], row_direction[3], ray[3];
	double pitch[2];
	unsigned origin;
	const double *angle;            /* [views], with the initial angle added, rad */
} gt_cil_orbit;
gt_status gt_scan_of_cil(const gt_cil_orbit *o, const gt_scan_size3 *size, gt_scan **scan);

/* Laboratory scanners: a circle about z with offsets of the axis and offsets and rotations of the panel
 * (docs/geometry.md). Lengths in mm; the first row of the images is the top one. */
typedef struct {
	int parallel;
	double source_to_axis, source_to_detector, pitch[2];
	double axis_offset;             /* axis from the central ray, towards higher columns, at the axis */
	double detector_offset[2];      /* panel centre from the central ray: towards higher columns, upwards */
	double axis_roll, axis_tilt;    /* rotation of the axis about the beam, and about the column direction */
	double panel_roll;              /* rotation of the panel about the beam */
	const double *angle;            /* [views] */
	const double (*shift)[2];       /* [views]: panel towards higher columns, and upwards; NULL: none */
} gt_lab_orbit;
gt_status gt_scan_of_lab(const gt_lab_orbit *o, const gt_scan_size3 *size, gt_scan **scan);

#endif
