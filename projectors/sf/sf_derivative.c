/* Derivative of the projections of sf-tr by the motions of the views, on the CPU in double precision: voxel by voxel,
 * one job per view. A pixel is slant * sum over voxels of value * chord * w1 * w2 (sf_footprint.h). Memory: tables of
 * the projector on the host, and for each thread two images of a view. */
#include <stdlib.h>
#include <string.h>
#include <gantry/threads.h>
#include "core/poll.h"
#include "core/try.h"
#include "projectors/kit/derivative.h"
#include "projectors/kit/running_sums.h"
#include "projectors/sf/sf_derivative.h"
#include "projectors/sf/sf_impl.h"
#include "projectors/sf/sf_motion.h"

struct derivative {
	gt_backend *be;
	gt_type type;
	gt_sf host;
	gt_scan *scan;
	gt_grid grid;
	int has_scratch;
};

/* Scratch of a thread: images of a view, and the weights of a voxel with their derivatives. */
struct scratch {
	double *plain, *change;     /* [rows][columns]: without the slant; plain: data times slant for the transpose */
	double *column, *column_by; /* [columns], [columns][4] */
	double *row, *low, *high;   /* [rows] */
};

struct sf_job {
	const struct derivative *d;
	const void *x, *y;
	void *out;
	const double *velocity;
	double *sums;
};

static size_t pixels(const gt_sf *d) { return (size_t)d->rows * (size_t)d->columns; }
static size_t scratch_doubles(const gt_sf *d) { return 2 * pixels(d) + 5 * (size_t)d->columns + 3 * (size_t)d->rows; }
static struct scratch scratch_of(const struct derivative *d, int worker)
{
	struct scratch s;
	const size_t columns = (size_t)d->host.columns, rows = (size_t)d->host.rows;
	s.plain = (double *)gt_scratch(d->be) + (size_t)worker * scratch_doubles(&d->host);
	s.change = s.plain + pixels(&d->host);
	s.column = s.change + pixels(&d->host);
	s.column_by = s.column + columns;
	s.row = s.column_by + 4 * columns;
	s.low = s.row + rows;
	s.high = s.low + rows;
	return s;
}

static gt_sf_pose pose_of(const struct derivative *d, size_t view)
{
	return (gt_sf_pose){ gt_scan_detector(d->scan), &d->scan->view[view], &d->grid, d->scan->rows, d->host.view[view].flip_rows };
}

/* Weights of the pixels that a footprint meets. */
struct footprint_window {
	int k0, k1, l0, l1;
};
static struct footprint_window weigh(const gt_sf *d, const gt_sf_voxel *v, const struct scratch *s)
{
	const double *at = v->columns.at;
	struct footprint_window w = { at[0] > 0 ? at[0] < d->columns ? (int)at[0] : d->columns : 0, 0,
		                      v->low > 0 ? v->low < d->rows ? (int)v->low : d->rows : 0, 0 };
	w.k1 = at[3] < d->columns ? at[3] > w.k0 ? up(at[3]) : w.k0 : d->columns;
	w.l1 = v->high < d->rows ? v->high > w.l0 ? up(v->high) : w.l0 : d->rows;
	for (int k = w.k0; k < w.k1; k++) {
		double below[4], above[4];
		gt_sf_area_by(&v->columns, k, below);
		gt_sf_area_by(&v->columns, k + 1, above);
		s->column[k] = gt_sf_area(&v->columns, k + 1) - gt_sf_area(&v->columns, k);
		for (int c = 0; c < 4; c++)
			s->column_by[4 * k + c] = above[c] - below[c];
	}
	for (int l = w.l0; l < w.l1; l++) {
		s->row[l] = gt_sf_rise(v, l + 1) - gt_sf_rise(v, l);
		s->low[l] = (l > v->low) - (l + 1 > v->low);
		s->high[l] = (l + 1 > v->high) - (l > v->high);
	}
	return w;
}

/* Adds a voxel to the images: its projection, and the change by the changes of its footprint. */
static void add_voxel(const gt_sf *d, const gt_sf_motion *m, double value, const double change[GT_SF_QUANTITIES], const struct scratch *s)
{
	const struct footprint_window w = weigh(d, &m->voxel, s);
	for (int k = w.k0; k < w.k1; k++) {
		double by_column = 0;
		for (int c = 0; c < 4; c++)
			by_column += s->column_by[4 * k + c] * change[c];
		const double column = value * m->voxel.chord * s->column[k];
		const double moved = value * (m->voxel.chord * by_column + change[GT_SF_CHORD] * s->column[k]);
		for (int l = w.l0; l < w.l1; l++) {
			const size_t at = (size_t)l * (size_t)d->columns + (size_t)k;
			s->plain[at] += column * s->row[l];
			s->change[at] += moved * s->row[l] + column * (s->low[l] * change[GT_SF_LOW] + s->high[l] * change[GT_SF_HIGH]);
		}
	}
}

/* by[q]: sum over the pixels of s->plain times the derivative of the voxel's projection by quantity q. */
static void gather_voxel(const gt_sf *d, const gt_sf_motion *m, double value, const struct scratch *s, double by[GT_SF_QUANTITIES])
{
	const struct footprint_window w = weigh(d, &m->voxel, s);
	memset(by, 0, GT_SF_QUANTITIES * sizeof *by);
	for (int k = w.k0; k < w.k1; k++) {
		double row = 0, low = 0, high = 0;
		for (int l = w.l0; l < w.l1; l++) {
			const double y = s->plain[(size_t)l * (size_t)d->columns + (size_t)k];
			row += y * s->row[l];
			low += y * s->low[l];
			high += y * s->high[l];
		}
		for (int c = 0; c < 4; c++)
			by[c] += value * m->voxel.chord * s->column_by[4 * k + c] * row;
		by[GT_SF_LOW] += value * m->voxel.chord * s->column[k] * low;
		by[GT_SF_HIGH] += value * m->voxel.chord * s->column[k] * high;
		by[GT_SF_CHORD] += value * s->column[k] * row;
	}
}

/* Visits the voxels of a view. sums NULL: adds to the images; else adds to sums from the image of the data. */
static void visit(const struct sf_job *j, size_t view, const double *velocity, const struct scratch *s, double *sums)
{
	const gt_sf *d = &j->d->host;
	const gt_sf_view *v = &d->view[view];
	const gt_sf_pose pose = pose_of(j->d, view);
	const gt_sf_wedge wedge = gt_sf_wedge_of(&v->frame, 0, d->columns);
	for (int z = 0; z < d->n[2]; z++)
		for (int y = 0; y < d->n[1]; y++) {
			const int line[3] = { 0, y, z };
			int from, to;
			gt_sf_interval(&wedge, 0, line, d->n[0], &from, &to);
			for (int x = from; x < to; x++) {
				const double value = get(j->d->type, j->x,
				                         ((size_t)z * (size_t)d->n[1] + (size_t)y) * (size_t)d->n[0] + (size_t)x);
				double q[GT_SF_QUANTITIES] = { 0 };
				gt_sf_motion m;
				if (value == 0 || !gt_sf_motion_of(d, v, &pose, x, y, z, &m))
					continue;
				if (!sums) {
					for (int i = 0; i < GT_SF_QUANTITIES; i++)
						for (int c = 0; c < GT_VELOCITIES; c++)
							q[i] += m.by[i][c] * velocity[c];
					add_voxel(d, &m, value, q, s);
					continue;
				}
				gather_voxel(d, &m, value, s, q);
				for (int i = 0; i < GT_SF_QUANTITIES; i++)
					for (int c = 0; c < GT_VELOCITIES; c++)
						sums[c] += m.by[i][c] * q[i];
			}
		}
}

static void forward_views(void *self, size_t view, size_t end, int worker)
{
	const struct sf_job *j = self;
	const gt_sf *d = &j->d->host;
	const struct scratch s = scratch_of(j->d, worker);
	for (; view < end; view++) {
		const double *velocity = j->velocity + view * GT_VELOCITIES;
		const gt_sf_pose pose = pose_of(j->d, view);
		memset(s.plain, 0, 2 * pixels(d) * sizeof *s.plain);
		visit(j, view, velocity, &s, NULL);
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
	static const double still[GT_VELOCITIES];
	const struct sf_job *j = self;
	const gt_sf *d = &j->d->host;
	const struct scratch s = scratch_of(j->d, worker);
	for (; view < end; view++) {
		double *sums = j->sums + view * GT_VELOCITIES;
		const gt_sf_pose pose = pose_of(j->d, view);
		memset(sums, 0, GT_VELOCITIES * sizeof *sums);
		memset(s.plain, 0, 2 * pixels(d) * sizeof *s.plain);
		visit(j, view, still, &s, NULL);
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
		visit(j, view, NULL, &s, sums);
	}
}

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const struct derivative *d = self;
	struct sf_job j = { .d = d, .x = x, .out = y, .velocity = velocity };
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, d->host.views, 1, forward_views, &j);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const struct derivative *d = self;
	struct sf_job j = { .d = d, .x = x, .y = y, .sums = velocity };
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, d->host.views, 1, adjoint_views, &j);
}

static void destroy(void *self)
{
	struct derivative *d = self;
	free((void *)d->host.view);
	free((void *)d->host.ray);
	gt_scan_free(d->scan);
	if (d->has_scratch)
		gt_scratch_release(d->be);
	free(d);
}

gt_status gt_sf_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D)
{
	static const struct gt_derivative_ops ops = { "derivative of sf-tr", forward, adjoint, destroy };
	gt_backend *be = gt_array_backend(volume);
	gt_status st = GT_OK;
	struct derivative *d = NULL;
	if (gt_backend_is_gpu(be))
		return gt_fail(GT_ERR_UNSUPPORTED, "derivative of sf-tr: found a volume on %s, expected the CPU; joseph runs on GPUs",
		               gt_backend_name(be));
	if (!(d = calloc(1, sizeof *d)))
		return gt_fail(GT_ERR_MEMORY, "sf-tr: no memory for the derivative");
	d->be = be;
	d->type = gt_array_type(volume);
	d->grid = *g;
	GT_TRY(gt_scan_clone(scan, &d->scan));
	GT_TRY(gt_sf_host_new("sf-tr", g, scan, 0, &d->host));
	GT_TRY(gt_scratch_reserve(be, (size_t)gt_pool_threads(be->pool) * scratch_doubles(&d->host) * sizeof(double),
	                          "scratch of the derivative by motions"));
	d->has_scratch = 1;
	st = gt_derivative_new(&ops, d, scan, jacobian, volume, D);
	d = NULL;
done:
	if (d)
		destroy(d);
	return st;
}
