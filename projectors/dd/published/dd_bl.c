/* Detector parameters of a view for the branchless backprojection, computed in double and rounded once. */
#include "projectors/dd/published/dd_bl.h"

static double flat_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

/* Positions in the plane of a slice axis s and the other axis b; R is 0 at `plane`. */
struct frame {
	int s, b;
	double sign, plane, first, pitch;
};

static void see_parallel(const gt_view *w, const double normal[2], const struct frame *f, gt_dd_screen *out, double *climb)
{
	double ray[3], start[2], step[2] = { 0, 0 };
	for (int a = 0; a < 3; a++)
		ray[a] = (w->detector[a] - w->source[a]) / (f->sign * (w->detector[f->s] - w->source[f->s]));
	start[f->s] = f->plane - w->detector[f->s];
	start[f->b] = f->first - w->detector[f->b];
	step[f->b] = f->pitch;
	const double along = flat_dot(ray, normal), across = flat_dot(ray, w->column_axis);
	const double de0 = -flat_dot(start, normal) / along, de1 = -flat_dot(step, normal) / along;
	out->de0 = (float)de0;
	out->de1 = (float)de1;
	out->la0 = (float)(flat_dot(start, w->column_axis) + de0 * across);
	out->la1 = (float)(flat_dot(step, w->column_axis) + de1 * across);
	*climb = ray[2];
}

static void see_fan(const gt_view *w, const double normal[2], const struct frame *f, gt_dd_screen *out)
{
	out->la0 = (float)(f->sign * w->column_axis[f->s]);
	out->la1 = (float)(f->pitch * w->column_axis[f->b]);
	out->de0 = (float)(f->sign * normal[f->s]);
	out->de1 = (float)(f->pitch * normal[f->b]);
}

gt_dd_screen gt_dd_screen_of(const gt_scan *scan, const gt_grid *g, size_t view, const gt_dd_view *v)
{
	const gt_view *w = &scan->view[view];
	const int s = v->axis, b = 1 - s, fan = scan->shape != GT_PARALLEL;
	const double sign = v->dR > 0 ? 1 : -1, to[2] = { w->detector[0] - w->source[0], w->detector[1] - w->source[1] };
	const struct frame f = { s, b, sign, fan ? w->source[s] : g->center[s], gt_grid_first(g, b) - g->pitch[b] / 2, g->pitch[b] };
	double normal[2] = { w->column_axis[1], -w->column_axis[0] }, arm[3], climb = 0;
	gt_arc_arm(w, arm);
	const double out = flat_dot(scan->shape == GT_ARC ? arm : to, normal) < 0 ? -1 : 1;
	normal[0] *= out;
	normal[1] *= out;
	gt_dd_screen screen = { .shape = (int)scan->shape };
	if (fan)
		see_fan(w, normal, &f, &screen);
	else
		see_parallel(w, normal, &f, &screen, &climb);

	double scale = 1 / scan->column_pitch, start = scan->column_center + 0.5;
	if (scan->shape == GT_ARC) {
		const double from[2] = { w->source[0] - w->arc_center[0], w->source[1] - w->arc_center[1] }, rr = flat_dot(arm, arm);
		screen.from_la = (float)flat_dot(from, w->column_axis);
		screen.from_de = (float)flat_dot(from, normal);
		screen.space = (float)(rr - flat_dot(from, from));
		scale *= sqrt(rr);
	} else if (fan) {
		screen.distance = (float)flat_dot(to, normal);
		start -= flat_dot(to, w->column_axis) * scale;
	}
	screen.column0 = (float)(v->flip_columns ? (double)scan->columns - start : start);
	screen.column1 = (float)(v->flip_columns ? -scale : scale);

	const double bottom = gt_grid_first(g, 2) - g->pitch[2] / 2, from = fan ? w->source[2] : bottom;
	const double middle = v->flip_rows ? (double)scan->rows - 0.5 - scan->row_center : scan->row_center + 0.5;
	screen.row0 = (float)(middle + (from - w->detector[2]) / scan->row_pitch);
	screen.row1 = (float)((bottom - from) / scan->row_pitch);
	screen.row2 = (float)(g->pitch[2] / scan->row_pitch);
	screen.row3 = (float)(climb / scan->row_pitch);
	return screen;
}
