/* Tables of the distance-driven projector for tilted detectors, in double on the host: see dd_tilt.h. Memory: 40 bytes
 * for each column or row of a view, whichever are more. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "projectors/dd/dd_operator.h"
#include "projectors/dd/tilt/dd_derivative.h"

/* A view, and the layout of its strips and pieces on the detector. */
struct frame {
	const char *name;
	const gt_scan *scan;
	const gt_grid *grid;
	gt_detector det;
	const gt_view *w;
	size_t at;
	gt_dd_slicing slices;
	int turned, flip_strips, flip_pieces;
	double strips, pieces;
};

/* The ray at edge (k, l) of strips and pieces. depth: along the slice axis, in units of the ray's length. */
struct ray {
	double U, N, depth, length;
};

static struct ray ray_of(const struct frame *f, double column, double row)
{
	double point[3], direction[3];
	gt_pixel_ray(&f->det, f->w, column, row, point, direction);
	const gt_dd_slicing *c = &f->slices;
	const struct gt_dd_line across = gt_dd_in_slices(c, f->grid, 1 - c->axis, point, direction),
				up = gt_dd_in_slices(c, f->grid, 2, point, direction);
	struct ray r = { across.slope, up.slope, c->sign * direction[c->axis], sqrt(gt_dot3(direction, direction)) };
	if (f->scan->shape == GT_PARALLEL) {
		r.U = across.start;
		r.N = up.start;
	}
	return r;
}
static struct ray ray_at(const struct frame *f, double k, double l)
{
	const double a = (f->flip_strips ? f->strips - k : k) - 0.5, b = (f->flip_pieces ? f->pieces - l : l) - 0.5;
	return f->turned ? ray_of(f, b, a) : ray_of(f, a, b);
}

/* Chooses columns or rows as strips: those that run more along z at the centre of the detector. */
static void turn(struct frame *f)
{
	const double c = 0.5 * ((double)f->scan->columns - 1), r = 0.5 * ((double)f->scan->rows - 1), h = 0.25;
	const struct ray left = ray_of(f, c - h, r), right = ray_of(f, c + h, r), below = ray_of(f, c, r - h), above = ray_of(f, c, r + h);
	const double px = f->grid->pitch[1 - f->slices.axis], pz = f->grid->pitch[2];
	const double cu = px * (right.U - left.U), cn = pz * (right.N - left.N), ru = px * (above.U - below.U),
		     rn = pz * (above.N - below.N);
	f->turned = fabs(cn) * hypot(ru, rn) > fabs(rn) * hypot(cu, cn);
	f->flip_strips = (f->turned ? ru : cu) < 0;
	f->flip_pieces = (f->turned ? cn : rn) < 0;
	f->strips = (double)(f->turned ? f->scan->rows : f->scan->columns);
	f->pieces = (double)(f->turned ? f->scan->columns : f->scan->rows);
}

static void lay_out(const struct frame *f, gt_dd_pose *v)
{
	const long columns = (long)f->scan->columns;
	v->strips = (int)f->strips;
	v->pieces = (int)f->pieces;
	v->to_strip = (f->turned ? columns : 1) * (f->flip_strips ? -1 : 1);
	v->to_piece = (f->turned ? 1 : columns) * (f->flip_pieces ? -1 : 1);
	v->start = (f->flip_strips ? -v->to_strip * (v->strips - 1) : 0) + (f->flip_pieces ? -v->to_piece * (v->pieces - 1) : 0);
}

/* Checks that all rays cross the slices and the detector at an angle, in front of the source; the corner rays
 * suffice. */
static gt_status check_rays(const struct frame *f)
{
	static const double min_cosine = 1e-3;
	double point[3], direction[3], normal[3];
	gt_cross3(f->w->column_axis, f->w->row_axis, normal);
	for (int c = 0; c < 4; c++) {
		const double column = c & 1 ? (double)f->scan->columns - 0.5 : -0.5, row = c & 2 ? (double)f->scan->rows - 0.5 : -0.5;
		const struct ray r = ray_of(f, column, row);
		if (!(r.depth > min_cosine * r.length))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: the ray of the corner at column %g, row %g runs along the slices (perpendicular to "
			               "%c), or away from them: the fan is too wide for the distance-driven model; "
			               "--projector sf-tr takes it",
			               f->name, f->at, column, row, "xy"[f->slices.axis]);
		gt_pixel_ray(&f->det, f->w, column, row, point, direction);
		if (!(fabs(gt_dot3(direction, normal)) > min_cosine * r.length))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: the ray of the corner at column %g, row %g runs along the detector", f->name, f->at,
			               column, row);
	}
	return GT_OK;
}

static gt_status fill_strips(const struct frame *f, gt_dd_pose *v, gt_dd_tilt_edge *edge, gt_dd_tilt_strip *strip)
{
	v->low = INFINITY;
	v->high = -INFINITY;
	for (int k = 0; k <= v->strips; k++) {
		const struct ray a = ray_at(f, k, 0), b = ray_at(f, k, f->pieces);
		edge[k].slope = (b.U - a.U) / (b.N - a.N);
		edge[k].at = a.U - edge[k].slope * a.N;
	}
	for (int k = 0; k < v->strips; k++) {
		const struct ray a = ray_at(f, k + 0.5, 0), b = ray_at(f, k + 0.5, f->pieces);
		const double C = f->scan->shape == GT_PARALLEL ? 0 : (b.depth / a.depth - 1) / f->pieces;
		strip[k] = (gt_dd_tilt_strip){ a.N, (b.N - a.N) * (1 + C * f->pieces) / f->pieces, C };
		v->low = fmin(v->low, a.N);
		v->high = fmax(v->high, b.N);
	}
	for (int k = 0; k < v->strips; k++)
		if (!(strip[k].Q > 0) || !(gt_dd_tilt_width(edge + k, v->low) > 0) || !(gt_dd_tilt_width(edge + k, v->high) > 0))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "%s: view %zu: detector tilt: lines of its pixels cross in a slice; use --projector joseph", f->name,
			               f->at);
	return GT_OK;
}

static struct frame frame_of(const char *name, const gt_scan *scan, const gt_grid *g, size_t at)
{
	return (struct frame){ name, scan, g, gt_scan_detector(scan), &scan->view[at], at, gt_dd_slicing_of(scan, g, &scan->view[at]), 0, 0,
		               0,    0,    0 };
}

static gt_status fill_view(const char *name, const gt_scan *scan, const gt_grid *g, size_t at, gt_dd_pose *v, gt_dd_tilt_edge *edge,
                           gt_dd_tilt_strip *strip)
{
	const int fan = scan->shape != GT_PARALLEL;
	struct frame f = frame_of(name, scan, g, at);
	const gt_dd_slicing *c = &f.slices;
	gt_status st = check_rays(&f);
	if (st != GT_OK)
		return st;
	*v = (gt_dd_pose){ .axis = c->axis,
		           .R0 = c->sign * (gt_grid_first(g, c->axis) - c->plane),
		           .dR = c->sign * g->pitch[c->axis],
		           .F0 = !fan,
		           .F1 = fan };
	double point[3], direction[3];
	gt_pixel_ray(&f.det, f.w, scan->column_center, scan->row_center, point, direction);
	const struct gt_dd_line across = gt_dd_in_slices(c, g, 1 - c->axis, point, direction),
				up = gt_dd_in_slices(c, g, 2, point, direction);
	v->X0 = fan ? across.start : 0;
	v->M0 = fan ? 0 : across.slope;
	v->Z0 = fan ? up.start : 0;
	v->Z1 = fan ? 0 : up.slope;
	gt_dd_slices_in_front(fan, (int)g->n[c->axis], g->pitch[c->axis], v->R0, v->dR, &v->first, &v->end);
	turn(&f);
	if (f.turned && scan->shape == GT_ARC)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: view %zu: roll of the arc: expected less than 45 degrees; use --projector joseph",
		               name, at);
	lay_out(&f, v);
	return fill_strips(&f, v, edge, strip);
}

struct fill_job {
	const char *name;
	const gt_scan *scan;
	const gt_grid *grid;
	gt_dd_pose *view;
	gt_dd_tilt_edge *edge;
	gt_dd_tilt_strip *strip;
	gt_status *status;
};
static gt_status fill_one(const struct fill_job *j, size_t v)
{
	const size_t longest = j->scan->rows > j->scan->columns ? j->scan->rows : j->scan->columns;
	return fill_view(j->name, j->scan, j->grid, v, &j->view[v], j->edge + v * (longest + 1), j->strip + v * longest);
}
static void fill_views(void *self, size_t v, size_t end, int worker)
{
	const struct fill_job *j = self;
	(void)worker;
	for (; v < end; v++)
		j->status[v] = fill_one(j, v);
}

gt_status gt_dd_tilt_fill(gt_pool *pool, const char *name, const gt_scan *scan, const gt_grid *g, gt_dd_pose *view, gt_dd_tilt_edge *edge,
                          gt_dd_tilt_strip *strip)
{
	gt_status st = GT_OK;
	struct fill_job j = { name, scan, g, view, edge, strip, malloc(scan->views * sizeof(gt_status)) };
	if (!j.status)
		return gt_fail(GT_ERR_MEMORY, "%s: no memory for the tables of %zu views", name, scan->views);
	gt_parallel(pool, scan->views, 1, fill_views, &j);
	for (size_t v = 0; v < scan->views && st == GT_OK; v++)
		if (j.status[v] != GT_OK)
			st = fill_one(&j, v); /* once more: messages belong to threads */
	free(j.status);
	return st;
}

/* Derivatives by the velocities -------------------------------------------- */

/* Derivatives of a ray's U, N and depth. */
struct ray_by {
	double U[GT_VELOCITIES], N[GT_VELOCITIES], depth[GT_VELOCITIES];
};

/* Sets the derivatives of a number from those by the ray's point and direction, as in ray_gradient.h. */
static void by_velocities(int fan, const double arm[3], const double by_point[3], const double by_direction[3], double by[GT_VELOCITIES])
{
	double torque[3];
	gt_cross3(arm, fan ? by_direction : by_point, torque);
	for (int a = 0; a < 3; a++) {
		by[GT_VELOCITY_T + a] = by_direction[a];
		by[GT_VELOCITY_W + a] = torque[a];
		by[GT_VELOCITY_V + a] = by_point[a] - by_direction[a];
	}
}

/* Derivatives of U (b in the slice) or N (b = 2). Fan beams: of the ray's slope. Parallel beams: of its start.
 * slope: also of the parallel ray's slope, if not NULL. */
static void position_by(const struct frame *f, int b, const double point[3], const double direction[3], const double arm[3],
                        double by[GT_VELOCITIES], double *slope)
{
	const int fan = f->scan->shape != GT_PARALLEL, s = f->slices.axis;
	const double per = 1 / (f->slices.sign * direction[s] * f->grid->pitch[b]), none[3] = { 0, 0, 0 };
	const double depth = f->slices.sign * (point[s] - f->slices.plane);
	double along[3] = { 0, 0, 0 }, at[3] = { 0, 0, 0 };
	along[b] = per;
	along[s] = -direction[b] / direction[s] * per;
	if (fan) {
		by_velocities(fan, arm, none, along, by);
		return;
	}
	if (slope)
		by_velocities(fan, arm, none, along, slope);
	at[b] = 1 / f->grid->pitch[b];
	at[s] = -f->slices.sign * direction[b] * per;
	for (int a = 0; a < 3; a++)
		along[a] *= -depth;
	by_velocities(fan, arm, at, along, by);
}

static void ray_by(const struct frame *f, double k, double l, struct ray_by *by)
{
	const double a = (f->flip_strips ? f->strips - k : k) - 0.5, b = (f->flip_pieces ? f->pieces - l : l) - 0.5;
	double point[3], direction[3], arm[3], depth[3] = { 0, 0, 0 };
	const double none[3] = { 0, 0, 0 };
	gt_pixel_ray(&f->det, f->w, f->turned ? b : a, f->turned ? a : b, point, direction);
	for (int i = 0; i < 3; i++)
		arm[i] = point[i] + direction[i] - f->w->detector[i];
	depth[f->slices.axis] = f->slices.sign;
	position_by(f, 1 - f->slices.axis, point, direction, arm, by->U, NULL);
	position_by(f, 2, point, direction, arm, by->N, NULL);
	by_velocities(f->scan->shape != GT_PARALLEL, arm, none, depth, by->depth);
}

/* Derivatives of X0, M0, Z0, Z1 and R0. */
static void view_by(const struct frame *f, double (*by)[GT_VELOCITIES])
{
	const int s = f->slices.axis;
	double point[3], direction[3], arm[3], start[GT_VELOCITIES];
	if (f->scan->shape == GT_PARALLEL) {
		gt_pixel_ray(&f->det, f->w, f->scan->column_center, f->scan->row_center, point, direction);
		for (int a = 0; a < 3; a++)
			arm[a] = point[a] + direction[a] - f->w->detector[a];
		position_by(f, 1 - s, point, direction, arm, start, by[GT_DD_M0]);
		position_by(f, 2, point, direction, arm, start, by[GT_DD_Z1]);
		return;
	}
	by[GT_DD_X0][GT_VELOCITY_V + 1 - s] = 1 / f->grid->pitch[1 - s];
	by[GT_DD_Z0][GT_VELOCITY_V + 2] = 1 / f->grid->pitch[2];
	by[GT_DD_R0][GT_VELOCITY_V + s] = -f->slices.sign;
}

void gt_dd_tilt_fill_by(const gt_scan *scan, const gt_grid *g, size_t at, const gt_dd_pose *v, const gt_dd_velocities *by)
{
	struct frame f = frame_of("dd", scan, g, at);
	struct ray_by da, db;
	double(*edge)[GT_VELOCITIES] = (double(*)[GT_VELOCITIES])by->edge, (*strip)[GT_VELOCITIES] = (double(*)[GT_VELOCITIES])by->strip;
	turn(&f);
	view_by(&f, (double(*)[GT_VELOCITIES])by->view);
	for (int k = 0; k <= v->strips; k++, edge += GT_DD_OF_EDGE) {
		const struct ray a = ray_at(&f, k, 0), b = ray_at(&f, k, f.pieces);
		const double slope = (b.U - a.U) / (b.N - a.N);
		ray_by(&f, k, 0, &da);
		ray_by(&f, k, f.pieces, &db);
		for (int c = 0; c < GT_VELOCITIES; c++) {
			edge[1][c] = (db.U[c] - da.U[c] - slope * (db.N[c] - da.N[c])) / (b.N - a.N);
			edge[0][c] = da.U[c] - edge[1][c] * a.N - slope * da.N[c];
		}
	}
	for (int k = 0; k < v->strips; k++, strip += GT_DD_OF_STRIP) {
		const struct ray a = ray_at(&f, k + 0.5, 0), b = ray_at(&f, k + 0.5, f.pieces);
		const double times = scan->shape == GT_PARALLEL ? 1 : b.depth / a.depth;
		ray_by(&f, k + 0.5, 0, &da);
		ray_by(&f, k + 0.5, f.pieces, &db);
		for (int c = 0; c < GT_VELOCITIES; c++) {
			const double C = scan->shape == GT_PARALLEL ? 0 : (db.depth[c] - times * da.depth[c]) / (a.depth * f.pieces);
			strip[0][c] = da.N[c];
			strip[1][c] = (db.N[c] - da.N[c]) * times / f.pieces + (b.N - a.N) * C;
			strip[2][c] = C;
		}
	}
}

double gt_dd_tilt_rows(const gt_dd_pose *v, const gt_dd_tilt_strip *strip)
{
	const double scale = fmin(gt_dd_tilt_slice_of(v, v->first).scale, gt_dd_tilt_slice_of(v, v->end - 1).scale);
	double min = INFINITY;
	for (int k = 0; k < v->strips && v->end > v->first; k++)
		min = fmin(min, strip[k].Q * fmin(gt_dd_tilt_height(&strip[k], 0), gt_dd_tilt_height(&strip[k], v->pieces - 1)));
	return 1 / (scale * min);
}
