#ifndef GT_GEOMETRY_DETECTOR_EDGES_H
#define GT_GEOMETRY_DETECTOR_EDGES_H
/* Objects that reach the edges of the detector, and displaced detectors that see one side of them. */
#include <gantry/scan.h>

/* Displacements of the detector, in columns: up to this one, conjugate rays only interleave. */
#define GT_DISPLACED_BY 4.0

/* Line integrals of a view, [row][column], valid until the next call. */
typedef struct {
	gt_status (*view)(void *self, size_t view, const float **values);
	void *self;
} gt_view_values;

/* For gt_view_values: self is a gt_view_in_memory. */
typedef struct {
	const float *data;
	size_t pixels; /* per view */
} gt_view_in_memory;
gt_status gt_view_of_memory(void *self, size_t view, const float **values);

/* Numbers of inspected views, and of views that do not end in air at the left, the right, and either. The sum over
 * these views of the larger mean at their edges is part, and the largest value max. */
typedef struct {
	size_t looked, left, right, both;
	double max, part;
} gt_detector_edges;

/* Inspects at most 180 views. side: whether the left and the right edge count. Fails as the views do, and with
 * GT_ERR_MEMORY. */
gt_status gt_detector_edges_measure(const gt_scan *scan, const gt_view_values *views, const int side[2], gt_detector_edges *e);

/* Columns from the centre of the detector to the axis of rotation, which is nearer to the low ones if negative. */
double gt_scan_displacement(const gt_scan *scan);
/* 1: the detector is displaced, and the views leave a gap: whether filtered backprojection is right depends on the
 * object. */
int gt_displaced_is_open(const gt_scan *scan);
/* GT_ERR_UNSUPPORTED, naming the gap, if gt_displaced_is_open() and the object extends beyond the nearer side.
 * who: the method. Reads no view of other scans. */
gt_status gt_displaced_check(const char *who, const gt_scan *scan, const gt_view_values *views);

#endif
