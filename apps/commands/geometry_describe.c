/* Describes the geometry of a scan as text or JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include <gantry/author/vec3.h>
#include "apps/commands/geometry.h"
#include "geometry/scan.h"

typedef struct {
	double turn, step, roll, tilt, slant, radius, low, high;
	double axis_tilt, to_axis, to_detector; /* degrees, NAN: not laminography; mm along the central ray */
	gt_axis_seen axis;
	int helical, up, away;
} facts;

static facts find(const gt_scan *s)
{
	const gt_view *w = &s->view[0], *last = &s->view[s->views - 1];
	double n[3], ray[3];
	facts f = { .turn = (last->angle - w->angle) * GT_DEGREES, .helical = gt_scan_is_helical(s), .up = w->row_axis[2] > 0 };
	gt_cross3(w->column_axis, w->row_axis, n);
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	f.away = gt_dot3(n, ray) > 0;
	f.step = s->views > 1 ? f.turn / (double)(s->views - 1) : 0;
	/* roll as in --roll: columns towards rows; tilt: of the normal against the plane across the axis. */
	f.roll = atan2(f.up ? w->column_axis[2] : -w->column_axis[2], hypot(w->column_axis[0], w->column_axis[1])) * GT_DEGREES;
	f.tilt = asin(fmin(1, fmax(-1, n[2]))) * GT_DEGREES;
	f.axis_tilt = NAN;
	f.to_axis = s->source_to_axis;
	f.to_detector = s->source_to_detector;
	if (gt_scan_is_laminography(s) || (s->shape == GT_PARALLEL && gt_scan_has_inclined_rays(s))) {
		f.axis_tilt = gt_scan_inclination(s, 0) * GT_DEGREES;
		f.to_axis = s->shape == GT_PARALLEL ? 0 : gt_scan_axis_distance(s, 0);
		f.to_detector = s->shape == GT_PARALLEL ? 0 : sqrt(gt_dot3(ray, ray));
	}
	gt_scan_see_axis(s, &f.axis);
	f.radius = gt_scan_field_of_view(s, &f.low, &f.high);
	return f;
}

/* Returns the distance from the centre, 0 below rounding errors. */
static double from_center(double pixel, double center) { return fabs(pixel - center) < 1e-6 ? 0 : pixel - center; }

static void describe_distances(const gt_scan *s, const facts *f)
{
	if (!isnan(f->axis_tilt)) {
		printf("axis tilt   %.6g degrees, %.6g degrees between central ray and axis", f->axis_tilt, 90 - f->axis_tilt);
		if (s->thickness > 0)
			printf("; plate of %.6g mm", s->thickness);
		printf("\n");
	}
	if (s->shape != GT_PARALLEL && f->to_axis > 0)
		printf("distances   %.6g mm from the source to the axis, %.6g mm to the detector: magnification %.4g, "
		       "a pixel is %.4g mm at the axis\n",
		       f->to_axis, f->to_detector, f->to_detector / f->to_axis, s->column_pitch * f->to_axis / f->to_detector);
}

static void describe_text(const char *name, const gt_scan *s, const facts *f, const gt_grid *grid)
{
	const double middle = ((double)s->columns - 1) / 2, middle_row = ((double)s->rows - 1) / 2;
	char text[256];
	cli_print(stdout, "%s: %s\n", name,
	          s->shape == GT_PARALLEL ? "parallel rays"
	          : !isnan(f->axis_tilt)  ? "a cone beam on a circle about a tilted axis"
	          : s->rows == 1          ? "a fan beam"
	          : f->helical            ? "a cone beam on a helix"
	                                  : "a cone beam on a circle");
	printf("detector    %s, %zu rows x %zu columns, pixels of %.6g mm along the columns and %.6g mm along the rows\n",
	       gt_shape_names[s->shape], s->rows, s->columns, s->column_pitch, s->row_pitch);
	if (isnan(f->turn))
		printf("views       %zu, without gantry angles\n", s->views);
	else
		printf("views       %zu, from %.6g degrees in steps of %.6g degrees, %s as seen from +z\n", s->views,
		       s->view[0].angle * GT_DEGREES, fabs(f->step), f->step < 0 ? "clockwise" : "counter-clockwise");
	describe_distances(s, f);
	if (s->pitch_per_turn != 0)
		printf("helix       table feed %.6g mm per rotation\n", s->pitch_per_turn);
	printf("axis        at column %.6g (%+.4g from the centre), at %s at row %.6g (%+.4g)\n", f->axis.column,
	       from_center(f->axis.column, middle), isnan(f->axis_tilt) ? "the height of the source" : "the central ray", f->axis.row,
	       from_center(f->axis.row, middle_row));
	if (f->axis.max - f->axis.min > 0.005)
		printf("            on average; from column %.6g to %.6g over the views\n", f->axis.min, f->axis.max);
	/* Rows of a panel parallel to the plate run neither up nor down. */
	if (fabs(s->view[0].row_axis[2]) > 1e-6)
		printf("images      seen from the source with z upwards, columns run from %s, rows %s\n",
		       f->away == f->up ? "right to left" : "left to right", f->up ? "upwards" : "downwards");
	if (fabs(f->roll) > 1e-4 || fabs(f->tilt) > 1e-4)
		printf("detector    roll %.4g degrees (columns towards rows), tilt %.4g degrees\n", f->roll, f->tilt + 0);
	if (f->radius > 0)
		printf("measured    within %.5g mm of the axis, z from %.5g to %.5g mm\n", f->radius, f->low + 0, f->high + 0);
	else
		printf("measured    nothing: some views do not see the axis\n");
	if (grid) {
		gt_grid_print(grid, text, sizeof text);
		printf("volume      %s\n", text);
	}
}

static void describe_json(const char *name, const gt_scan *s, const facts *f, const gt_grid *grid)
{
	const struct {
		const char *key;
		double value;
	} all[] = {
		{ "views", (double)s->views },
		{ "rows", (double)s->rows },
		{ "columns", (double)s->columns },
		{ "column_pitch_mm", s->column_pitch },
		{ "row_pitch_mm", s->row_pitch },
		{ "source_to_axis_mm", f->to_axis },
		{ "source_to_detector_mm", f->to_detector },
		{ "axis_tilt_deg", f->axis_tilt },
		{ "plate_thickness_mm", s->thickness > 0 ? s->thickness : NAN },
		{ "column_center", s->column_center },
		{ "row_center", s->row_center },
		{ "axis_column", f->axis.column },
		{ "axis_row", f->axis.row },
		{ "axis_column_least", f->axis.min },
		{ "axis_column_most", f->axis.max },
		{ "first_angle_deg", s->view[0].angle * GT_DEGREES },
		{ "step_deg", f->step },
		{ "pitch_mm_per_turn", s->pitch_per_turn },
		{ "roll_deg", f->roll },
		{ "lean_deg", f->tilt },
		{ "field_of_view_radius_mm", f->radius },
	};
	char text[256];
	cJSON *report = cJSON_CreateObject();
	cJSON_AddStringToObject(report, "scan", name);
	cJSON_AddStringToObject(report, "detector", gt_shape_names[s->shape]);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (isfinite(all[i].value))
			cJSON_AddNumberToObject(report, all[i].key, all[i].value);
		else
			cJSON_AddNullToObject(report, all[i].key);
	if (grid) {
		gt_grid_print(grid, text, sizeof text);
		cJSON_AddStringToObject(report, "default_grid", text);
	}
	cli_json(report);
}

void geometry_describe(const cli_call *call, const char *name, const gt_scan *scan, const gt_grid *grid)
{
	const facts f = find(scan);
	(call->common.json ? describe_json : describe_text)(name, scan, &f, grid);
}
