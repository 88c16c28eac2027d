/* Derivative of the projections of sf-tr by velocities on the CPU, in double precision: voxel by voxel, one job per
 * view. A pixel is slant * sum over voxels of value * chord * w1 * w2 (sf_footprint.h). Memory: for each thread two
 * images of a view. */
#include <string.h>
#include <gantry/threads.h>
#include "core/poll.h"
#include "projectors/kit/running_sums.h"
#include "projectors/sf/sf_derivative.h"
#include "projectors/sf/sf_lines.h"
#include "projectors/sf/sf_voxels.h"

/* Scratch of a thread: images of a view, and the weights of a voxel with their derivatives. */
struct scratch {
	double *plain, *change;     /* [rows][columns]: without the slant; plain: data times slant for the transpose */
	double *column, *column_by; /* [columns], [columns][4] */
	double *row, *low, *high;   /* [rows] */
	double *line;               /* [n[2]]: a column of voxels */
	gt_sf_line_weights *weight; /* [columns] */
};

struct sf_job {
	const gt_sf_derivative *d;
	const void *x, *y;
	void *out;
	const double *velocity;
	double *sums;
};

static size_t pixels(const gt_sf *d) { return (size_t)d->rows * (size_t)d->columns; }
static size_t scratch_doubles(const gt_sf *d) { return 2 * pixels(d) + 8 * (size_t)d->columns + 3 * (size_t)d->rows + (size_t)d->n[2]; }
static struct scratch scratch_of(const gt_sf_derivative *d, int worker)
{
	struct scratch s;
	const size_t columns = (size_t)d->d.columns, rows = (size_t)d->d.rows;
	s.plain = (double *)gt_scratch(d->be) + (size_t)worker * scratch_doubles(&d->d);
	s.change = s.plain + pixels(&d->d);
	s.column = s.change + pixels(&d->d);
	s.column_by = s.column + columns;
	s.row = s.column_by + 4 * columns;
	s.low = s.row + rows;
	s.high = s.low + rows;
	s.line = s.high + rows;
	s.weight = (gt_sf_line_weights *)(s.line + d->d.n[2]);
	return s;
}

/* Weights of the pixels that a footprint meets. */
static gt_sf_window weigh(const gt_sf *d, const gt_sf_voxel *v, const struct scratch *s)
{
	const gt_sf_window w = gt_sf_window_of(d, v);
	for (int k = w.k0; k < w.k1; k++)
		s->column[k] = gt_sf_column_by(&v->columns, k, s->column_by + 4 * k);
	for (int l = w.l0; l < w.l1; l++)
		s->row[l] = gt_sf_row_by(v, l, &s->low[l], &s->high[l]);
	return w;
}

/* Adds a voxel to the images: its projection, and the change by the changes of its footprint. */
static void add_voxel(const gt_sf *d, const gt_sf_voxel *v, double value, const double change[GT_SF_QUANTITIES], const struct scratch *s)
{
	const gt_sf_window w = weigh(d, v, s);
	for (int k = w.k0; k < w.k1; k++) {
		double by_column = 0;
		for (int c = 0; c < 4; c++)
			by_column += s->column_by[4 * k + c] * change[c];
		const double column = value * v->chord * s->column[k];
		const double moved = value * (v->chord * by_column + change[GT_SF_CHORD] * s->column[k]);
		for (int l = w.l0; l < w.l1; l++) {
			const size_t at = (size_t)l * (size_t)d->columns + (size_t)k;
			s->plain[at] += column * s->row[l];
			s->change[at] += moved * s->row[l] + column * (s->low[l] * change[GT_SF_LOW] + s->high[l] * change[GT_SF_HIGH]);
		}
	}
}

/* Visits the voxels of a view. With sums it adds to them, in the frame, from the image of the data. Otherwise it adds
 * to the images; velocity NULL: a view at rest. */
static void visit_voxels(const struct sf_job *j, size_t view, const double *velocity, const struct scratch *s, double *sums)
{
	static const double still[GT_SF_QUANTITIES];
	const gt_sf *d = &j->d->d;
	const gt_sf_view *v = &d->view[view];
	const gt_sf_pose pose = gt_sf_pose_of(j->d, view);
	const gt_sf_wedge wedge = gt_sf_wedge_of(&v->frame, -GT_SF_MARGIN, d->columns);
	for (int z = 0; z < d->n[2]; z++)
		for (int y = 0; y < d->n[1]; y++) {
			int at[3] = { 0, y, z }, from, to;
			gt_sf_interval(&wedge, 0, at, d->n[0], &from, &to);
			for (at[0] = from; at[0] < to; at[0]++) {
				const double value = get(j->d->type, j->x,
				                         ((size_t)z * (size_t)d->n[1] + (size_t)y) * (size_t)d->n[0] + (size_t)at[0]);
				double q[GT_SF_QUANTITIES];
				gt_sf_voxel voxel;
				if (value == 0 || !gt_sf_snapped_voxel(d, v, at[0], y, z, &voxel))
					continue;
				if (sums) {
					if (gt_sf_gather(d, &voxel, value, s->plain, 0, q))
						gt_sf_changes_back(d, v, &pose, at, q, sums);
				} else if (velocity) {
					gt_sf_changes(d, v, &pose, at, velocity, q);
					add_voxel(d, &voxel, value, q, s);
				} else {
					add_voxel(d, &voxel, value, still, s);
				}
			}
		}
}

/* Adds a column of voxels to the images. change: of the column. */
static void add_line(const gt_sf *d, const gt_sf_footprint *f, const gt_sf_line *change, const struct scratch *s)
{
	const gt_sf_climb edge = gt_sf_climb_from(d, &f->rows, 0);
	const double first = f->rows.start, last = gt_sf_snap(first + d->n[2] * f->rows.step);
	const gt_sf_voxel all = { f->columns, f->chord, first, last, 0, 0 };
	const gt_sf_window w = gt_sf_window_of(d, &all);
	gt_sf_line_rows rows = { .per = 1. / d->n[2], .x = s->line, .stride = 1, .n = d->n[2] };
	for (int i = 0; i < 3; i++)
		rows.row[i] = change->row[i];
	for (int i = 0; i < 2; i++)
		rows.half[i] = change->half[i];
	for (int k = w.k0; k < w.k1; k++)
		s->weight[k] = gt_sf_line_weigh(&f->columns, f->chord, change, k);
	gt_sf_line_state state = gt_sf_line_below(&rows, &edge, w.l0);
	for (int l = w.l0; l < w.l1; l++) {
		double sum[3];
		gt_sf_line_row(&rows, &state, l, sum);
		for (int k = w.k0; k < w.k1; k++) {
			const size_t at = (size_t)l * (size_t)d->columns + (size_t)k;
			const gt_sf_line_weights *c = &s->weight[k];
			s->plain[at] += c->all * sum[0];
			s->change[at] += c->first * sum[0] + c->second * sum[1] + c->all * sum[2];
		}
	}
}

/* visit_voxels() for an upright view. */
static void visit_lines(const struct sf_job *j, size_t view, const double *velocity, const struct scratch *s, double *sums)
{
	const gt_sf *d = &j->d->d;
	const gt_sf_view *v = &d->view[view];
	const gt_sf_pose pose = gt_sf_pose_of(j->d, view);
	const size_t slice = (size_t)d->n[0] * (size_t)d->n[1];
	static const gt_sf_line still;
	gt_sf_line_data data = { .x = s->line, .image = s->plain, .stride = 1 };
	for (int y = 0; y < d->n[1]; y++)
		for (int x = 0; x < d->n[0]; x++) {
			const size_t at = (size_t)y * (size_t)d->n[0] + (size_t)x;
			gt_sf_footprint footprint;
			gt_sf_line line = still;
			if (!gt_sf_footprint_at(d, v, x, y, &footprint))
				continue;
			for (size_t z = 0; z < (size_t)d->n[2]; z++)
				s->line[z] = get(j->d->type, j->x, z * slice + at);
			if (!sums) {
				if (velocity)
					gt_sf_line_changes(d, v, &pose, x, y, velocity, &line);
				add_line(d, &footprint, &line, s);
			} else if (gt_sf_line_gather(d, &footprint, &data, &line)) {
				gt_sf_line_back(d, v, &pose, x, y, &line, sums);
			}
		}
}

static void visit(const struct sf_job *j, size_t view, const double *velocity, const struct scratch *s, double *sums)
{
	(j->d->d.view[view].upright ? visit_lines : visit_voxels)(j, view, velocity, s, sums);
}

static void forward_views(void *self, size_t view, size_t end, int worker)
{
	const struct sf_job *j = self;
	const gt_sf *d = &j->d->d;
	const struct scratch s = scratch_of(j->d, worker);
	for (; view < end; view++) {
		const double *velocity = j->velocity + view * GT_VELOCITIES;
		const gt_sf_pose pose = gt_sf_pose_of(j->d, view);
		double in_frame[GT_VELOCITIES];
		gt_sf_into_frame(&pose, velocity, in_frame);
		memset(s.plain, 0, 2 * pixels(d) * sizeof *s.plain);
		visit(j, view, in_frame, &s, NULL);
		for (int l = 0; l < d->rows; l++)
			for (int k = 0; k < d->columns; k++) {
				const size_t at = (size_t)l * (size_t)d->columns + (size_t)k;
				double by[GT_VELOCITIES], turn = 0;
				const double slant = gt_sf_slant_by(&pose, k, l, by);
				for (int c = 0; c < GT_VELOCITIES; c++)
					turn += by[c] * velocity[c];
				put(j->d->type, j->out, gt_sf_pixel(d, &d->view[view], view, l, k),
				    slant * s.change[at] + turn * s.plain[at]);
			}
	}
}

static void adjoint_views(void *self, size_t view, size_t end, int worker)
{
	const struct sf_job *j = self;
	const gt_sf *d = &j->d->d;
	const struct scratch s = scratch_of(j->d, worker);
	for (; view < end; view++) {
		double *sums = j->sums + view * GT_VELOCITIES, in_frame[GT_VELOCITIES] = { 0 };
		const gt_sf_pose pose = gt_sf_pose_of(j->d, view);
		memset(sums, 0, GT_VELOCITIES * sizeof *sums);
		memset(s.plain, 0, 2 * pixels(d) * sizeof *s.plain);
		visit(j, view, NULL, &s, NULL);
		for (int l = 0; l < d->rows; l++)
			for (int k = 0; k < d->columns; k++) {
				const size_t at = (size_t)l * (size_t)d->columns + (size_t)k;
				const double y = get(j->d->type, j->y, gt_sf_pixel(d, &d->view[view], view, l, k));
				double by[GT_VELOCITIES];
				const double slant = gt_sf_slant_by(&pose, k, l, by);
				for (int c = 0; c < GT_VELOCITIES; c++)
					sums[c] += by[c] * y * s.plain[at];
				s.plain[at] = slant * y;
			}
		visit(j, view, NULL, &s, in_frame);
		gt_sf_out_of_frame(&pose, 1, in_frame, sums);
	}
}

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_sf_derivative *d = self;
	struct sf_job j = { .d = d, .x = x, .out = y, .velocity = velocity };
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, d->d.views, 1, forward_views, &j);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_sf_derivative *d = self;
	struct sf_job j = { .d = d, .x = x, .y = y, .sums = velocity };
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, d->d.views, 1, adjoint_views, &j);
}

static size_t scratch(const gt_sf_derivative *d) { return (size_t)gt_pool_threads(d->be->pool) * scratch_doubles(&d->d) * sizeof(double); }

const struct gt_sf_derivative_impl gt_sf_derivative_cpu = { { "derivative of sf-tr", forward, adjoint, gt_sf_derivative_free },
	                                                    scratch,
	                                                    NULL };
