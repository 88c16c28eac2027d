/* Positions of voxels in each view of a filtered backprojection. Flat, arc and parallel detectors with rows parallel to
 * slices have separate column and row formulas; tilted ones and inclined parallel rays have a matrix. See Kak, Slaney,
 * Principles of Computerized Tomographic Imaging, 1988, ch. 3. Memory: one record per view, owned by the plan. */
#include <math.h>
#include <gantry/author/scan_math.h>
#include "analytic/fbp/fbp.h"
#include "analytic/fbp/preweights.h"

static double dot2(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

/* v: vector multiplied with (x, y, 1) relative to `from`; out: its coefficients for (x, y, 1) itself. */
static void linear(const double *v, double scale, const double *from, double out[3])
{
	out[0] = v[0] * scale;
	out[1] = v[1] * scale;
	out[2] = -dot2(v, from) * scale;
}

void gt_fbp_set_rows(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	const double from = scan->shape == GT_PARALLEL ? w->detector[2] : w->source[2];
	b->z0 = from;
	b->flip_rows = w->row_axis[2] < 0;
	const double center = b->flip_rows ? (double)scan->rows - 1 - scan->row_center : scan->row_center;
	b->row0 = center - (w->detector[2] - from) / scan->row_pitch;
	b->per_row = 1 / scan->row_pitch;
	b->height = w->detector[2] - center * scan->row_pitch - w->source[2];
}

static void set_flat(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	double n[2];
	const double distance = gt_preweights_plane2(w, n), to[2] = { w->detector[0] - w->source[0], w->detector[1] - w->source[1] };
	linear(n, 1 / distance, w->source, b->depth);
	linear(w->column_axis, 1 / scan->column_pitch, w->source, b->across);
	b->column0 = scan->column_center - dot2(w->column_axis, to) / scan->column_pitch;
}

/* Row of the matrix: position x depth = foot x depth + axis . (x - source) / pitch. */
static void matrix_row(const double *depth, const gt_view *w, const double axis[3], double foot_at, double pitch, double *row)
{
	for (int a = 0; a < 3; a++)
		row[a] = foot_at * depth[a] + axis[a] / pitch;
	row[3] = foot_at * depth[3] - gt_dot3(axis, w->source) / pitch;
}

/* Row of the matrix of parallel rays e: a point x is projected along e onto the panel with normal n. */
static void parallel_row(const gt_view *w, const double axis[3], double center, double pitch, double *row)
{
	double n[3], e[3];
	const double plane = gt_preweights_plane3(w, n);
	for (int a = 0; a < 3; a++)
		e[a] = w->detector[a] - w->source[a];
	const double shear = gt_dot3(axis, e) / plane;
	for (int a = 0; a < 3; a++)
		row[a] = (axis[a] - shear * n[a]) / pitch;
	row[3] = center - gt_dot3(row, w->detector);
}

static void set_tilted(const gt_scan *scan, const gt_view *w, size_t lead, struct gt_back_view *b)
{
	double n[3], up[3], *depth = b->matrix + 8;
	const double distance = gt_preweights_plane3(w, n);
	b->flip_rows = w->row_axis[2] < 0;
	for (int a = 0; a < 3; a++) {
		depth[a] = scan->shape == GT_PARALLEL ? 0 : n[a] / distance;
		up[a] = b->flip_rows ? -w->row_axis[a] : w->row_axis[a];
	}
	depth[3] = scan->shape == GT_PARALLEL ? 1 : -gt_dot3(n, w->source) / distance;
	const double center = b->flip_rows ? (double)scan->rows - 1 - scan->row_center : scan->row_center;
	if (scan->shape == GT_PARALLEL) {
		parallel_row(w, w->column_axis, scan->column_center + (double)lead, scan->column_pitch, b->matrix);
		parallel_row(w, up, center, scan->row_pitch, b->matrix + 4);
		return;
	}
	const double column = gt_preweights_foot(w, w->column_axis, scan->column_center, scan->column_pitch),
		     row = gt_preweights_foot(w, up, center, scan->row_pitch);
	matrix_row(depth, w, w->column_axis, column + (double)lead, scan->column_pitch, b->matrix);
	matrix_row(depth, w, up, row, scan->row_pitch, b->matrix + 4);
	b->height = -row * scan->row_pitch;
}

static void set_arc(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	double arm[3];
	gt_arc_arm(w, arm);
	b->radius = sqrt(gt_dot3(arm, arm));
	const double unit[2] = { arm[0] / b->radius, arm[1] / b->radius };
	const double off[2] = { w->source[0] - w->arc_center[0], w->source[1] - w->arc_center[1] };
	linear(unit, 1, w->source, b->depth);
	linear(w->column_axis, 1, w->source, b->across);
	b->offset[0] = dot2(unit, off);
	b->offset[1] = dot2(w->column_axis, off);
	b->column0 = scan->column_center;
	b->per_column = b->radius / scan->column_pitch;
}

/* A point x is projected along the ray e onto the plane of the detector: column axis . (x + t e - detector). */
static void set_parallel(const gt_scan *scan, const gt_view *w, struct gt_back_view *b)
{
	double n[2];
	const double along = gt_preweights_plane2(w, n), e[2] = { w->detector[0] - w->source[0], w->detector[1] - w->source[1] };
	const double shear = dot2(w->column_axis, e) / along;
	const double across[2] = { w->column_axis[0] - shear * n[0], w->column_axis[1] - shear * n[1] };
	linear(across, 1 / scan->column_pitch, w->detector, b->across);
	b->column0 = scan->column_center;
}

void gt_fbp_set_view(const gt_scan *scan, int tilted, size_t v, size_t lead, struct gt_back_view *b)
{
	const gt_view *w = &scan->view[v];
	*b = (struct gt_back_view){ .z0 = 0 };
	if (tilted) {
		set_tilted(scan, w, lead, b);
		return;
	}
	switch (scan->shape) {
	case GT_FLAT:
		set_flat(scan, w, b);
		break;
	case GT_ARC:
		set_arc(scan, w, b);
		break;
	default:
		set_parallel(scan, w, b);
		break;
	}
	b->column0 += (double)lead;
	gt_fbp_set_rows(scan, w, b);
}
