/* Derivative by velocities on the CPU, pixel by pixel: see pixel_derivative.h. */
#include <string.h>
#include <gantry/threads.h>
#include "core/poll.h"
#include "projectors/kit/pixel_derivative.h"
#include "projectors/kit/running_sums.h"

enum { GRAIN = 8 };

struct pixel_job {
	const struct gt_pixel_derivative *d;
	const void *in;
	void *out;
	const double *velocity;
	double *sums; /* [views][columns][GT_VELOCITIES] */
};

static size_t pixel_at(const struct gt_pixel_derivative *d, size_t view, int row, int column)
{
	return (view * (size_t)d->rows + (size_t)row) * (size_t)d->columns + (size_t)column;
}

static void forward_columns(void *self, size_t i, size_t end, int worker)
{
	const struct pixel_job *j = self;
	const struct gt_pixel_derivative *d = j->d;
	(void)worker;
	for (int row = 0; row < d->rows; row++)
		for (size_t at = i; at < end; at++) {
			const size_t view = at / (size_t)d->columns;
			const int column = (int)(at % (size_t)d->columns);
			double by[GT_VELOCITIES], sum = 0;
			d->pixel(d->self, view, row, column, by);
			for (int c = 0; c < GT_VELOCITIES; c++)
				sum += by[c] * j->velocity[view * GT_VELOCITIES + (size_t)c];
			put(d->type, j->out, pixel_at(d, view, row, column), sum);
		}
}

static void adjoint_columns(void *self, size_t i, size_t end, int worker)
{
	const struct pixel_job *j = self;
	const struct gt_pixel_derivative *d = j->d;
	(void)worker;
	for (; i < end; i++) {
		const size_t view = i / (size_t)d->columns;
		const int column = (int)(i % (size_t)d->columns);
		double *sums = j->sums + i * GT_VELOCITIES;
		memset(sums, 0, GT_VELOCITIES * sizeof *sums);
		for (int row = 0; row < d->rows; row++) {
			const double y = get(d->type, j->in, pixel_at(d, view, row, column));
			double by[GT_VELOCITIES];
			if (y == 0)
				continue;
			d->pixel(d->self, view, row, column, by);
			for (int c = 0; c < GT_VELOCITIES; c++)
				sums[c] += by[c] * y;
		}
	}
}

size_t gt_pixel_derivative_scratch(size_t views, int columns) { return views * (size_t)columns * GT_VELOCITIES * sizeof(double); }

void gt_pixel_derivative_forward(gt_backend *be, const struct gt_pixel_derivative *d, const double *velocity, void *y)
{
	struct pixel_job j = { .d = d, .out = y, .velocity = velocity };
	gt_poll_part(0, 1);
	gt_parallel(be->pool, d->views * (size_t)d->columns, GRAIN, forward_columns, &j);
}

void gt_pixel_derivative_adjoint(gt_backend *be, const struct gt_pixel_derivative *d, const void *y, double *velocity)
{
	struct pixel_job j = { .d = d, .in = y, .sums = gt_scratch(be) };
	const size_t columns = (size_t)d->columns;
	gt_poll_part(0, 1);
	gt_parallel(be->pool, d->views * columns, GRAIN, adjoint_columns, &j);
	memset(velocity, 0, d->views * GT_VELOCITIES * sizeof *velocity);
	for (size_t i = 0; i < d->views * columns; i++)
		for (size_t c = 0; c < GT_VELOCITIES; c++)
			velocity[i / columns * GT_VELOCITIES + c] += j.sums[i * GT_VELOCITIES + c];
}
