/* Derivative of the distance-driven projections by velocities on the CPU: one job per strip of a view, in runs of
 * pieces. Sums over slices have the type of the data, all others are in double. The transpose adds the strips of a view
 * in order, so sums do not depend on the threads. Memory: 72 bytes per strip of a view. */
#include <string.h>
#include <gantry/threads.h>
#include "core/clones.h"
#include "core/poll.h"
#include "projectors/dd/tilt/dd_derivative.h"
#include "projectors/kit/running_sums.h"

enum { GRAIN = 8 };

struct strip_job {
	const gt_dd_derivative *d;
	const void *x, *in;
	void *out;
	const double *velocity;
	double *sums; /* [views][longest][GT_VELOCITIES] */
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

/* Sets the derivatives of a run by the scalars, times the weights of the pixels. */
GT_INLINE void run_by(const gt_dd_derivative *d, const struct strip *s, int l0, double by[GT_DD_RUN][GT_DD_SCALARS])
{
	struct gt_dd_piece piece = s->piece;
	double sums[GT_DD_RUN][GT_DD_MOMENTS];
	float single[GT_DD_RUN][GT_DD_MOMENTS];
	piece.l = l0;
	if (d->type == GT_F64) {
		gt_dd_add_slices_double(&d->d, &piece, &s->x, sums);
	} else {
		gt_dd_add_slices_single(&d->d, &piece, &s->x, single);
		for (int r = 0; r < GT_DD_RUN; r++)
			for (int m = 0; m < GT_DD_MOMENTS; m++)
				sums[r][m] = (double)single[r][m];
	}
	for (int r = 0; r < GT_DD_RUN && l0 + r < piece.v->pieces; r++) {
		piece.l = l0 + r;
		gt_dd_piece_by(&d->d, &piece, sums[r], by[r]);
		const double weight = gt_dd_tilt_weight(&d->d, piece.v, piece.e, piece.strip, piece.l);
		for (int c = 0; c < GT_DD_SCALARS; c++)
			by[r][c] *= weight;
	}
}

GT_CLONES static void forward_strips(void *self, size_t i, size_t end, int worker)
{
	const struct strip_job *j = self;
	const gt_dd_derivative *d = j->d;
	(void)worker;
	for (; i < end; i++) {
		const struct strip s = strip_of(j, i);
		double change[GT_DD_SCALARS], by[GT_DD_RUN][GT_DD_SCALARS];
		if (s.k >= s.piece.v->strips)
			continue;
		gt_dd_changes(d, s.view, s.k, j->velocity + s.view * GT_VELOCITIES, change);
		for (int l = 0; l < s.piece.v->pieces; l++) {
			double sum = 0;
			if (l % GT_DD_RUN == 0)
				run_by(d, &s, l, by);
			for (int c = 0; c < GT_DD_SCALARS; c++)
				sum += by[l % GT_DD_RUN][c] * change[c];
			put(d->type, j->out, pixel_of(&d->d, &s, l), sum);
		}
	}
}

GT_CLONES static void adjoint_strips(void *self, size_t i, size_t end, int worker)
{
	const struct strip_job *j = self;
	const gt_dd_derivative *d = j->d;
	(void)worker;
	for (; i < end; i++) {
		const struct strip s = strip_of(j, i);
		double change[GT_DD_SCALARS] = { 0 }, by[GT_DD_RUN][GT_DD_SCALARS], *sums = j->sums + i * GT_VELOCITIES;
		memset(sums, 0, GT_VELOCITIES * sizeof *sums);
		if (s.k >= s.piece.v->strips)
			continue;
		for (int l = 0; l < s.piece.v->pieces; l++) {
			const double y = get(d->type, j->in, pixel_of(&d->d, &s, l));
			if (l % GT_DD_RUN == 0)
				run_by(d, &s, l, by);
			for (int c = 0; c < GT_DD_SCALARS; c++)
				change[c] += by[l % GT_DD_RUN][c] * y;
		}
		for (int c = 0; c < GT_VELOCITIES; c++)
			sums[c] = gt_dd_change_back(d, s.view, s.k, change, c);
	}
}

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
	gt_poll_part(0, 1);
	gt_parallel(d->be->pool, strips_of(d), GRAIN, adjoint_strips, &j);
	memset(velocity, 0, d->d.views * GT_VELOCITIES * sizeof *velocity);
	for (size_t i = 0; i < strips_of(d); i++)
		for (size_t c = 0; c < GT_VELOCITIES; c++)
			velocity[i / d->d.longest * GT_VELOCITIES + c] += j.sums[i * GT_VELOCITIES + c];
}

static size_t scratch(const gt_dd_derivative *d) { return strips_of(d) * GT_VELOCITIES * sizeof(double); }

const struct gt_dd_derivative_impl gt_dd_derivative_cpu = { { "derivative of dd", forward, adjoint, gt_dd_derivative_free }, scratch };
