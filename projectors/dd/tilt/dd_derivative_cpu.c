/* Derivative of the distance-driven projections by velocities on the CPU: one job per strip of a view, in runs of
 * pieces. The transpose of level strips visits voxels instead (dd_derivative_level.h). Sums of a run or of voxels have
 * the type of the data, all others are in double. The transpose adds the strips of a view in order, so sums do not
 * depend on the threads. Memory: 72 bytes per strip of a view, and 8 bytes per piece of a strip and thread. */
#include <string.h>
#include <gantry/linop.h>
#include <gantry/threads.h>
#include "core/clones.h"
#include "core/poll.h"
#include "projectors/dd/tilt/dd_derivative_level.h"
#include "projectors/kit/running_sums.h"

enum { GRAIN = 8 };

struct strip_job {
	const gt_dd_derivative *d;
	const void *x, *in;
	void *out;
	const double *velocity;
	double *sums; /* [views][longest][GT_VELOCITIES] */
	/* if the transpose visits voxels: for each thread those of a strip */
	struct gt_dd_level_pixel *pixels;
	const float *projections;
};

/* A strip of a view, and its pixels. */
struct strip {
	struct gt_dd_piece piece;
	struct gt_dd_voxels x;
	size_t view;
	int k;
};

static struct strip strip_of(const struct strip_job *j, size_t i)
{
	const gt_dd_tilt *d = &j->d->d;
	const size_t line = (size_t)d->n[0], view = i / d->longest;
	const int k = (int)(i % d->longest), axis = d->view[view].axis;
	return (struct strip){ gt_dd_strip_of(j->d, view, k), { j->x, axis ? line : 1, axis ? 1 : line, line * (size_t)d->n[1] }, view, k };
}

static size_t pixel_of(const gt_dd_tilt *d, const struct strip *s, int l)
{
	const gt_dd_pose *v = s->piece.v;
	return s->view * (size_t)d->rows * (size_t)d->columns + (size_t)(v->start + s->k * v->to_strip + l * v->to_piece);
}

/* Pixels of a strip from the changes of its scalars, or with `back` the changes from the pixels. */
GT_INLINE void run_strip(const struct strip_job *j, const struct strip *s, int back, double change[GT_DD_SCALARS])
{
	const gt_dd_derivative *d = j->d;
	struct gt_dd_piece p = s->piece;
	for (p.l = 0; p.l < p.v->pieces; p.l += GT_DD_RUN) {
		const int run = p.v->pieces - p.l < GT_DD_RUN ? p.v->pieces - p.l : GT_DD_RUN;
		double y[GT_DD_RUN] = { 0 }, by[GT_DD_SCALARS];
		for (int r = 0; back && r < run; r++)
			y[r] = get(d->type, j->in, pixel_of(&d->d, s, p.l + r));
		if (back && d->type == GT_F64)
			gt_dd_run_back_double(&d->d, &p, &s->x, d->level, y, by);
		else if (back)
			gt_dd_run_back_single(&d->d, &p, &s->x, d->level, y, by);
		else if (d->type == GT_F64)
			gt_dd_run_forward_double(&d->d, &p, &s->x, d->level, change, y);
		else
			gt_dd_run_forward_single(&d->d, &p, &s->x, d->level, change, y);
		for (int c = 0; back && c < GT_DD_SCALARS; c++)
			change[c] += by[c];
		for (int r = 0; !back && r < run; r++)
			put(d->type, j->out, pixel_of(&d->d, s, p.l + r), y[r]);
	}
}

static size_t level_pixels(const gt_dd_derivative *d) { return (size_t)d->d.pieces + 2; }

/* Fills the weighted pixels of a strip, and adds the derivatives of the weights. */
GT_INLINE void weigh_strip(const struct strip_job *j, const struct strip *s, struct gt_dd_level_pixel *out, double change[GT_DD_SCALARS])
{
	const gt_dd_tilt *d = &j->d->d;
	const float *data = j->in;
	struct gt_dd_piece p = s->piece;
	double sum = 0;
	out[0].value = out[p.v->pieces + 1].value = 0;
	for (p.l = 0; p.l < p.v->pieces; p.l++) {
		const size_t pixel = pixel_of(d, s, p.l);
		const double y = data[pixel];
		out[p.l + 1].value = (float)(y * gt_dd_tilt_weight(d, p.v, p.e, p.strip, p.l));
		sum -= 0.5 * (double)out[p.l + 1].value; /* sums begin at minus half the total */
		gt_dd_add_weight(d, &p, y * (double)j->projections[pixel], change);
	}
	for (int l = 0; l < p.v->pieces + 2; l++) {
		out[l].below = (float)sum;
		sum += (double)out[l].value;
	}
}

/* run_strip() with `back` by voxels. */
GT_INLINE void gather_strip(const struct strip_job *j, const struct strip *s, int worker, double change[GT_DD_SCALARS])
{
	const gt_dd_tilt *d = &j->d->d;
	struct gt_dd_level_pixel *pixels = j->pixels + (size_t)worker * level_pixels(j->d);
	struct gt_dd_piece p = s->piece;
	weigh_strip(j, s, pixels, change);
	for (int z = 0; z < d->n[2]; z += GT_DD_HEIGHTS) {
		struct gt_dd_level_column c;
		double by[GT_DD_SCALARS];
		c.z = z;
		c.heights = d->n[2] - z < GT_DD_HEIGHTS ? d->n[2] - z : GT_DD_HEIGHTS;
		c.from = pixels + 1;
		c.row = (int)sizeof *pixels;
		p.l = gt_dd_middle_piece(&p, z, c.heights);
		gt_dd_set_column(&p, p.v->first, 1, &c);
		while (c.n < p.v->end)
			gt_dd_add_column(d, &p, &s->x, &c);
		gt_dd_column_by(&p, &c, by);
		for (int i = 0; i < GT_DD_SCALARS; i++)
			change[i] += by[i];
	}
}

/* All strips of all views. */
GT_INLINE void run_strips(const struct strip_job *j, size_t i, size_t end, int worker, int back)
{
	for (; i < end; i++) {
		const struct strip s = strip_of(j, i);
		double change[GT_DD_SCALARS] = { 0 };
		if (s.k < s.piece.v->strips) {
			if (!back)
				gt_dd_changes(j->d, s.view, s.k, j->velocity + s.view * GT_VELOCITIES, change);
			if (back && j->pixels)
				gather_strip(j, &s, worker, change);
			else
				run_strip(j, &s, back, change);
		}
		for (int c = 0; back && c < GT_VELOCITIES; c++)
			j->sums[i * GT_VELOCITIES + (size_t)c] = s.k < s.piece.v->strips ? gt_dd_change_back(j->d, s.view, s.k, change, c)
			                                                                 : 0;
	}
}

GT_CLONES static void forward_strips(void *self, size_t i, size_t end, int worker) { run_strips(self, i, end, worker, 0); }

GT_CLONES static void adjoint_strips(void *self, size_t i, size_t end, int worker) { run_strips(self, i, end, worker, 1); }

static size_t strips_of(const gt_dd_derivative *d) { return d->d.views * d->d.longest; }

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const gt_dd_derivative *d = self;
	struct strip_job j = { .d = d, .x = x, .out = y, .velocity = velocity };
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, strips_of(d), GRAIN, forward_strips, &j);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const gt_dd_derivative *d = self;
	struct strip_job j = { .d = d, .x = x, .in = y, .sums = gt_scratch(d->be) };
	if (d->projector) {
		gt_forward(d->projector, d->volume, d->projections); /* uses the same scratch */
		j.pixels = (struct gt_dd_level_pixel *)(j.sums + strips_of(d) * GT_VELOCITIES);
		j.projections = gt_array_data(d->projections);
	}
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, strips_of(d), GRAIN, adjoint_strips, &j);
	memset(velocity, 0, d->d.views * GT_VELOCITIES * sizeof *velocity);
	for (size_t i = 0; i < strips_of(d); i++)
		for (size_t c = 0; c < GT_VELOCITIES; c++)
			velocity[i / d->d.longest * GT_VELOCITIES + c] += j.sums[i * GT_VELOCITIES + c];
}

static size_t scratch(const gt_dd_derivative *d)
{
	const size_t threads = d->projector ? (size_t)gt_pool_threads(d->be->pool) : 0;
	return strips_of(d) * GT_VELOCITIES * sizeof(double) + threads * level_pixels(d) * sizeof(struct gt_dd_level_pixel);
}

const struct gt_dd_derivative_impl gt_dd_derivative_cpu = { { "derivative of dd", forward, adjoint, gt_dd_derivative_free }, scratch };
