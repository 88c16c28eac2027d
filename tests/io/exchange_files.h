#ifndef GT_TESTS_IO_EXCHANGE_FILES_H
#define GT_TESTS_IO_EXCHANGE_FILES_H
/* Data Exchange files of discs, written through NetCDF-4, whose groups and variables are HDF5, in a temporary
 * folder. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/author/scan_math.h>
#include "geometry/projections.h"
#include "tests/io/others.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static inline void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.h5", folder);
}

static inline void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

/* Discs of a slice: position, radius, attenuation. */
static const double discs[][4] = { { 12, -7, 14, 0.02 }, { -21, 9, 6, 0.05 }, { 3, 24, 4, 0.08 }, { -5, -26, 3, -0.01 } };

static inline double line_integral(double theta, double s)
{
	double sum = 0;
	for (size_t i = 0; i < sizeof discs / sizeof *discs; i++) {
		const double d = s - discs[i][0] * cos(theta) - discs[i][1] * sin(theta), h = discs[i][2] * discs[i][2] - d * d;
		sum += h > 0 ? 2 * sqrt(h) * discs[i][3] : 0;
	}
	return sum;
}

typedef struct {
	size_t views, rows, columns, flats, angles; /* flats 0: one, of two dimensions */
	double axis, first, step;                   /* degrees */
	nc_type type;
	const char *units;
	int radians, string_units, no_dark, no_white, wrong_white, dead, integrals;
	double bad, pixel_um;
} exchange;
static const exchange usual = {
	.views = 90, .rows = 3, .columns = 101, .flats = 3, .angles = 90, .axis = 52.3, .step = 4, .type = NC_USHORT, .units = "degrees"
};

static inline double flat_of(size_t r, size_t c) { return 30000 + 40.0 * (double)c - 500.0 * (double)r; }
static inline double dark_of(size_t r, size_t c) { return 100 + (double)((r * 7 + c * 3) % 11); }

static inline double counts(const exchange *x, size_t v, size_t r, size_t c)
{
	const double theta = (x->first + x->step * (double)v) * GT_PI / 180, scale = 1 + 0.1 * (double)r;
	double sum = 0;
	for (int k = 0; k < 5; k++)
		sum += scale * line_integral(theta, (double)c - x->axis + (k - 2) / 5.0) / 5;
	return x->integrals ? sum : dark_of(r, c) + (flat_of(r, c) - dark_of(r, c)) * exp(-sum);
}

static inline void put_frames(int group, const char *name, const exchange *x, size_t frames, double (*value)(size_t, size_t))
{
	int dims[3], variable;
	char dimension[32];
	const size_t size[3] = { frames, x->rows, x->columns + (value == flat_of && x->wrong_white ? 1 : 0) };
	for (int i = 0; i < 3; i++) {
		snprintf(dimension, sizeof dimension, "%s_%d", name, i);
		nc_ok(nc_def_dim(group, dimension, size[i] ? size[i] : 1, &dims[i]));
	}
	nc_ok(nc_def_var(group, name, x->type, frames ? 3 : 2, frames ? dims : dims + 1, &variable));
	const size_t n = (frames ? frames : 1) * size[1] * size[2];
	double *data = malloc(n * sizeof *data);
	for (size_t i = 0; i < n; i++) {
		const size_t f = i / size[2] / size[1], r = i / size[2] % size[1], c = i % size[2];
		data[i] = value(r, c) + (frames ? (double)f - (double)(frames - 1) / 2 : 0);
		if (value == flat_of && x->dead && r == 1 && (c == 0 || (c > 39 && c < 43)))
			data[i] = 0;
	}
	nc_ok(nc_put_var_double(group, variable, data));
	free(data);
}

static inline void put_views(int group, const exchange *x)
{
	int dims[3], variable;
	nc_ok(nc_def_dim(group, "data_0", x->views, &dims[0]));
	nc_ok(nc_def_dim(group, "data_1", x->rows, &dims[1]));
	nc_ok(nc_def_dim(group, "data_2", x->columns, &dims[2]));
	nc_ok(nc_def_var(group, "data", x->type, 3, dims, &variable));
	double *data = malloc(x->views * x->rows * x->columns * sizeof *data);
	for (size_t i = 0; i < x->views * x->rows * x->columns; i++)
		data[i] = counts(x, i / x->columns / x->rows, i / x->columns % x->rows, i % x->columns);
	if (x->bad != 0)
		data[(4 * x->rows + 1) * x->columns + 9] = x->bad;
	nc_ok(nc_put_var_double(group, variable, data));
	free(data);
}

static inline void put_angles(int group, const exchange *x)
{
	int dim, variable;
	double *theta = malloc(x->angles * sizeof *theta);
	nc_ok(nc_def_dim(group, "theta_0", x->angles, &dim));
	nc_ok(nc_def_var(group, "theta", NC_DOUBLE, 1, &dim, &variable));
	if (x->string_units)
		nc_ok(nc_put_att_string(group, variable, "units", 1, &(const char *){ x->units }));
	else if (x->units)
		nc_ok(nc_put_att_text(group, variable, "units", strlen(x->units), x->units));
	for (size_t v = 0; v < x->angles; v++)
		theta[v] = (x->first + x->step * (double)v) * (x->radians ? GT_PI / 180 : 1);
	nc_ok(nc_put_var_double(group, variable, theta));
	free(theta);
}

static inline void put_pixel(int file, const exchange *x)
{
	int group, variable;
	nc_ok(nc_def_grp(file, "measurement", &group));
	nc_ok(nc_def_grp(group, "instrument", &group));
	nc_ok(nc_def_grp(group, "detector", &group));
	nc_ok(nc_def_var(group, "x_pixel_size", NC_DOUBLE, 0, NULL, &variable));
	nc_ok(nc_put_att_text(group, variable, "units", 2, "um"));
	nc_ok(nc_put_var_double(group, variable, &x->pixel_um));
}

static inline void write_exchange(const exchange *x)
{
	int file, group;
	nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file));
	nc_ok(nc_def_grp(file, "exchange", &group));
	put_views(group, x);
	if (!x->no_white)
		put_frames(group, "data_white", x, x->flats, flat_of);
	if (!x->no_dark)
		put_frames(group, "data_dark", x, x->flats, dark_of);
	if (x->angles)
		put_angles(group, x);
	if (x->pixel_um != 0)
		put_pixel(file, x);
	nc_ok(nc_close(file));
}

/* Compares with integrals through the discs along the rays that the scan claims. */
static inline void check_rays(const gt_projections *p, const exchange *x, double tolerance)
{
	const gt_detector d = gt_scan_detector(p->scan);
	ck_assert(p->scan->view[0].row_axis[2] == -1);
	for (size_t v = 0; v < x->views; v += 7)
		for (size_t r = 0; r < x->rows; r++)
			for (size_t c = 2; c + 2 < x->columns; c++) {
				double sum = 0, point[3], along[3];
				for (int k = 0; k < 5; k++) {
					gt_pixel_ray(&d, &p->scan->view[v], (double)c + (k - 2) / 5.0, (double)r, point, along);
					/* s of the ray = point . (cos, sin) of its normal; its direction is (sin,
					 * -cos) */
					const double length = hypot(along[0], along[1]), nx = -along[1] / length, ny = along[0] / length;
					sum += line_integral(atan2(ny, nx), (point[0] * nx + point[1] * ny) / p->scan->column_pitch) / 5;
				}
				const double scale = 1 + 0.1 * (double)r;
				ck_assert_double_eq_tol(p->data[(v * x->rows + r) * x->columns + c], scale * sum, tolerance);
			}
}

static inline void refused(const exchange *x, gt_status code, const char *text)
{
	gt_projections *p;
	write_exchange(x);
	ck_refused(gt_read_projections(path, NULL, &p), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.h5: "));
	ck_assert_ptr_null(p);
}

#endif
