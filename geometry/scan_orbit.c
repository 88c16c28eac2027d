/* View tables of circular, tilted and helical orbits, short scans and flying focal spots. Frame and signs: Liu, Fu, De
 * Man, Yu, "GPU-based branchless distance-driven projection and backprojection", IEEE Trans. Comput. Imaging 3 (2017),
 * eqs 1-9, with the source's z written out. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include "core/arguments.h"
#include "geometry/laminography.h"

/* Default distance of a parallel beam's source and detector from the axis, mm. */
#define PARALLEL_DISTANCE 1000.0

static gt_status check_lengths(const gt_orbit *o)
{
	const int parallel = o->shape == GT_PARALLEL;
	const struct {
		const char *name;
		double value;
		int zero_too, signed_too;
	} length[] = {
		{ "source_to_axis", o->source_to_axis, parallel, 0 },
		{ "source_to_detector", o->source_to_detector, parallel, 0 },
		{ "column_pitch", o->column_pitch, 0, 0 },
		{ "row_pitch", o->row_pitch, 0, 0 },
		{ "turn", o->turn, 0, 1 },
		{ "pitch_per_turn", o->pitch_per_turn, 1, 1 },
	};
	for (size_t i = 0; i < sizeof length / sizeof *length; i++)
		if (!isfinite(length[i].value) || (length[i].value < 0 && !length[i].signed_too) ||
		    (length[i].value == 0 && !length[i].zero_too))
			return gt_fail(GT_ERR_ARG, "%s=%g of an orbit: expected a finite number%s", length[i].name, length[i].value,
			               length[i].signed_too ? (length[i].zero_too ? "" : " other than 0")
			               : length[i].zero_too ? " of at least 0"
			                                    : " greater than 0");
	return GT_OK;
}

const char *const gt_panel_names[] = { "beam", "stage", "stage-fixed", "axis", NULL };

/* Smallest angle between the central ray and a panel that is parallel to the plate. */
#define EDGE_ON (5 / GT_DEGREES)

static gt_status check_tilt(const gt_orbit *o)
{
	const int stage = o->panel == GT_PANEL_STAGE || o->panel == GT_PANEL_STAGE_FIXED;
	if (!(fabs(o->tilt) < GT_PI / 2))
		return gt_fail(
			GT_ERR_ARG,
			"tilt=%g degrees of an orbit: expected less than 90, at which the rays are along the axis and all views equal",
			o->tilt * GT_DEGREES);
	if ((unsigned)o->panel >= GT_NPANELS)
		return gt_fail(GT_ERR_ARG, "panel number %u of an orbit: expected less than %d", (unsigned)o->panel, (int)GT_NPANELS);
	if (stage && fabs(o->tilt) < EDGE_ON)
		return gt_fail(
			GT_ERR_ARG,
			"panel=%s at a tilt of %g degrees: the rays meet the panel edge-on: expected a tilt of at least %g degrees, or "
			"panel=beam",
			gt_panel_names[o->panel], o->tilt * GT_DEGREES, EDGE_ON * GT_DEGREES);
	if (!(o->thickness >= 0) || !isfinite(o->thickness))
		return gt_fail(GT_ERR_ARG, "thickness=%g mm of an orbit: expected a finite number of at least 0", o->thickness);
	if (o->tilt != 0 && (o->shape == GT_ARC || o->pitch_per_turn != 0 || o->spots))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "tilt=%g degrees of an orbit: found %s: expected a flat detector or a parallel beam on a circle",
		               o->tilt * GT_DEGREES,
		               o->shape == GT_ARC       ? "an arc detector"
		               : o->pitch_per_turn != 0 ? "a helix"
		                                        : "a flying focal spot");
	return GT_OK;
}

static gt_status check_orbit(const gt_orbit *o)
{
	if ((unsigned)o->shape >= GT_NSHAPES)
		return gt_fail(GT_ERR_ARG, "detector shape number %u of an orbit: expected less than %d", (unsigned)o->shape,
		               (int)GT_NSHAPES);
	if (!o->views || !o->rows || !o->columns)
		return gt_fail(GT_ERR_ARG, "orbit with %zu views, %zu rows and %zu columns: expected at least 1 of each", o->views, o->rows,
		               o->columns);
	if (o->spots && !o->spot)
		return gt_fail(GT_ERR_ARG, "spots=%zu of an orbit without a table of spots", o->spots);
	if (o->spots && o->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_ARG, "flying focal spot with a parallel beam: expected a flat or arc detector");
	const gt_status st = check_lengths(o);
	return st != GT_OK ? st : check_tilt(o);
}

/* Axes of a panel whose central ray is inclined by the tilt. */
static void set_panel(const gt_orbit *o, const double inward[3], const double lateral[3], gt_view *w)
{
	for (int a = 0; a < 3; a++) {
		const double up = a == 2;
		w->column_axis[a] = o->panel == GT_PANEL_STAGE_FIXED ? (double)(a == 0) : lateral[a];
		switch (o->panel) {
		case GT_PANEL_STAGE:
			w->row_axis[a] = inward[a];
			break;
		case GT_PANEL_STAGE_FIXED:
			w->row_axis[a] = a == 1;
			break;
		case GT_PANEL_AXIS:
			w->row_axis[a] = up;
			break;
		default:
			w->row_axis[a] = sin(o->tilt) * inward[a] + cos(o->tilt) * up;
			break;
		}
	}
}

static void set_view(const gt_orbit *o, const gt_scan *scan, double theta, double z, const double *spot, gt_view *w)
{
	const double s = sin(theta), c = cos(theta);
	double dso = scan->source_to_axis, dsd = scan->source_to_detector;
	if (o->shape == GT_PARALLEL) {
		dso = o->source_to_axis > 0 ? o->source_to_axis : PARALLEL_DISTANCE;
		dsd = o->source_to_detector > 0 ? o->source_to_detector : dso + PARALLEL_DISTANCE;
	}
	const double ct = cos(o->tilt), st = sin(o->tilt), inward[3] = { s, -c, 0 }, lateral[3] = { c, s, 0 }, up[3] = { 0, 0, 1 };
	const double ray[3] = { ct * s, -ct * c, -st }, focus[3] = { -dso * ray[0], -dso * ray[1], z - dso * ray[2] };
	for (int a = 0; a < 3; a++) {
		w->arc_center[a] = focus[a];
		w->detector[a] = focus[a] + dsd * ray[a];
		w->source[a] = focus[a];
		if (spot)
			w->source[a] += spot[0] * lateral[a] - spot[1] * inward[a] + spot[2] * up[a];
	}
	set_panel(o, inward, lateral, w);
	w->angle = theta;
}

gt_status gt_scan_orbit(const gt_orbit *o, gt_scan **out)
{
	GT_NEED(o);
	GT_NEED(out);
	*out = NULL;
	gt_status st = check_orbit(o);
	if (st != GT_OK)
		return st;
	gt_scan *s;
	if ((st = gt_scan_new(o->shape, o->views, o->rows, o->columns, &s)) != GT_OK)
		return st;
	s->column_pitch = o->column_pitch;
	s->row_pitch = o->row_pitch;
	s->column_center = ((double)o->columns - 1) / 2 + o->column_offset;
	s->row_center = ((double)o->rows - 1) / 2 + o->row_offset;
	s->source_to_axis = o->shape == GT_PARALLEL ? 0 : o->source_to_axis;
	s->source_to_detector = o->shape == GT_PARALLEL ? 0 : o->source_to_detector;
	s->pitch_per_turn = fabs(o->pitch_per_turn);
	s->thickness = o->thickness;
	const double steps = (double)(o->end_view ? o->views - 1 : o->views), step = steps > 0 ? o->turn / steps : 0;
	for (size_t v = 0; v < o->views; v++) {
		const double from_middle = ((double)v - ((double)o->views - 1) / 2) * fabs(step);
		set_view(o, s, o->start_angle + (double)v * step, o->z_center + o->pitch_per_turn * from_middle / (2 * GT_PI),
		         o->spots ? o->spot[v % o->spots] : NULL, &s->view[v]);
	}
	if ((st = gt_scan_check(s)) != GT_OK)
		st = gt_fail_in(GT_ERR_ARG, "orbit");
	else
		st = gt_scan_check_plate(s);
	if (st != GT_OK) {
		gt_scan_free(s);
		return st;
	}
	*out = s;
	return GT_OK;
}

void gt_orbit_reduce(gt_orbit *o, size_t by)
{
	by = by ? by : 1;
	const size_t columns = (o->columns - 1) / by + 1, rows = (o->rows - 1) / by + 1;
	const double wider = (double)o->columns / (double)columns, higher = (double)o->rows / (double)rows;
	o->column_pitch *= wider;
	o->column_offset /= wider;
	o->row_pitch *= higher;
	o->row_offset /= higher;
	o->columns = columns;
	o->rows = rows;
	o->views = (o->views - 1) / by + 1;
}

double gt_orbit_half_fan(const gt_orbit *o)
{
	const double side = ((double)o->columns / 2 - fabs(o->column_offset)) * o->column_pitch;
	switch (o->shape) {
	case GT_FLAT:
		return atan(side / o->source_to_detector);
	case GT_ARC:
		return side / o->source_to_detector;
	default:
		return 0;
	}
}

#define GE_CT750HD                                                                                                             \
	.shape = GT_ARC, .rows = 64, .columns = 888, .source_to_axis = 541, .source_to_detector = 949, .column_pitch = 1.0239, \
	.row_pitch = 1.0963, .column_offset = 1.25

const gt_scanner gt_scanners[] = {
	{ "ge-ct750hd",
	  "clinical CT: arc of 888 x 64 pixels, 0.58 x 0.625 mm at the axis, 984 views over 360 degrees",
	  { GE_CT750HD, .views = 984, .turn = 2 * GT_PI } },
	{ "ge-ct750hd-helical",
	  "ge-ct750hd on a helix: three rotations of 38.75 mm (pitch 31/32)",
	  { GE_CT750HD, .views = 2952, .turn = 6 * GT_PI, .pitch_per_turn = 38.75 } },
	{ "c-arm",
	  "C-arm cone beam: flat panel of 1240 x 960 pixels of 0.308 mm, 496 views of a short scan of 200 degrees",
	  { .shape = GT_FLAT,
	    .views = 496,
	    .rows = 960,
	    .columns = 1240,
	    .source_to_axis = 750,
	    .source_to_detector = 1200,
	    .column_pitch = 0.308,
	    .row_pitch = 0.308,
	    .start_angle = -100 * GT_PI / 180,
	    .turn = 200 * GT_PI / 180,
	    .end_view = 1 } },
	{ "micro-ct",
	  "laboratory micro-CT: flat panel of 1024 x 1024 pixels of 0.05 mm, magnification 6, 720 views over 360 degrees",
	  { .shape = GT_FLAT,
	    .views = 720,
	    .rows = 1024,
	    .columns = 1024,
	    .source_to_axis = 50,
	    .source_to_detector = 300,
	    .column_pitch = 0.05,
	    .row_pitch = 0.05,
	    .turn = 2 * GT_PI } },
	{ "synchrotron",
	  "parallel beam: 1024 x 512 pixels of 1.3 micrometres, 1500 views over 180 degrees",
	  { .shape = GT_PARALLEL,
	    .views = 1500,
	    .rows = 512,
	    .columns = 1024,
	    .column_pitch = 0.0013,
	    .row_pitch = 0.0013,
	    .turn = GT_PI } },
	{ NULL, NULL, { .views = 0 } },
};

const gt_scanner *gt_scanner_find(const char *name)
{
	for (const gt_scanner *s = gt_scanners; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}
