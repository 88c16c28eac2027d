/* Derivative of the distance-driven projections by velocities on the CPU, in double precision, pixel by pixel:
 * kit/pixel_derivative.h. */
#include "core/clones.h"
#include "projectors/dd/tilt/dd_derivative.h"
#include "projectors/kit/pixel_derivative.h"

struct pixels {
	const gt_dd_derivative *d;
	const void *x;
};

GT_CLONES static void pixel(const void *self, size_t view, int row, int column, double by[GT_VELOCITIES])
{
	const struct pixels *p = self;
	const gt_dd_tilt *d = &p->d->d;
	const size_t line = (size_t)d->n[0];
	const int axis = d->view[view].axis;
	const struct gt_dd_voxels x = { p->x, p->d->type, 0, axis ? line : 1, axis ? 1 : line, line * (size_t)d->n[1] };
	gt_dd_pixel_by(p->d, &x, view, (size_t)row * (size_t)d->columns + (size_t)column, by);
}

static struct gt_pixel_derivative pixels_of(const struct pixels *p)
{
	const gt_dd_tilt *d = &p->d->d;
	return (struct gt_pixel_derivative){ p, pixel, p->d->type, d->views, d->rows, d->columns };
}

static void forward(void *self, const void *x, const double *velocity, void *y)
{
	const struct pixels pixels = { self, x };
	const struct gt_pixel_derivative p = pixels_of(&pixels);
	gt_pixel_derivative_forward(pixels.d->be, &p, velocity, y);
}

static void adjoint(void *self, const void *x, const void *y, double *velocity)
{
	const struct pixels pixels = { self, x };
	const struct gt_pixel_derivative p = pixels_of(&pixels);
	gt_pixel_derivative_adjoint(pixels.d->be, &p, y, velocity);
}

static size_t scratch(const gt_dd_derivative *d) { return gt_pixel_derivative_scratch(d->d.views, d->d.columns); }

const struct gt_dd_derivative_impl gt_dd_derivative_cpu = { { "derivative of dd", forward, adjoint, gt_dd_derivative_free }, scratch };
