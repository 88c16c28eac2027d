/* The format "dataexchange": raw parallel-beam projections with flat and dark fields, as synchrotrons store them.
 * De Carlo et al., "Scientific data exchange: a schema for HDF5-based storage of raw and analyzed data",
 * J. Synchrotron Rad. 21 (2014) 1224-1230. How angles and rows are placed in our frame: docs/files.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/constants.h>
#include <gantry/io.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "io/external.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_file.h"
#include "io/frames/parallel_views.h"
#include "io/frames/rotation_axis.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

/* What passes less than one step of a 16-bit detector is not known better than that. */
#define LEAST_TRANSMISSION (1.0 / 65536)

static int probe(const char *path)
{
	if (!gt_hdf5_is(path))
		return 0;
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	/* What is refused here is refused with its reason when it is opened as NetCDF. */
	const hid_t file = gt_external_hdf5(path) == GT_OK ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
	int is = 0;
	if (file >= 0 && gt_hdf5_has(file, path, "exchange/data", &is) != GT_OK)
		is = 0;
	if (file >= 0)
		H5Fclose(file);
	gt_hdf5_unhush(&quiet);
	return is;
}

/* What is read before it becomes line integrals. */
typedef struct {
	const char *path;
	hid_t file;
	gt_hdf5_data data;
	size_t views, rows, columns;
	float *dark, *gain; /* [row][column]: mean dark field, mean flat minus mean dark; file's order of rows */
	size_t dead, floored;
} raw;

static gt_status out_of_memory(const char *path) { return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path); }

/* Mean over the frames, added to sum with the factor. */
static gt_status add_mean(const raw *x, const char *name, double factor, float *sum)
{
	gt_status st;
	gt_hdf5_data d;
	const size_t cells = x->rows * x->columns;
	double *mean = NULL;
	float *frame = NULL;
	GT_TRY(gt_hdf5_open(x->file, x->path, name, 2, &d));
	if (d.size[1] != x->rows || d.size[2] != x->columns)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: frames are %llu x %llu, expected %zu x %zu as in exchange/data", x->path, name,
		               (unsigned long long)d.size[1], (unsigned long long)d.size[2], x->rows, x->columns));
	mean = calloc(cells, sizeof *mean);
	frame = malloc(cells * sizeof *frame);
	if (!mean || !frame)
		GT_TRY(out_of_memory(x->path));
	for (hsize_t i = 0; i < d.size[0]; i++) {
		GT_TRY(gt_hdf5_floats(&d, i, 1, frame));
		for (size_t c = 0; c < cells; c++)
			mean[c] += frame[c] / (double)d.size[0];
	}
	for (size_t c = 0; c < cells; c++) {
		if (!isfinite(mean[c]))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: NaN or infinite at row %zu, column %zu", x->path, name, c / x->columns,
			               c % x->columns));
		sum[c] += (float)(factor * mean[c]);
	}
done:
	gt_hdf5_close(&d);
	free(mean);
	free(frame);
	return st;
}

static gt_status read_fields(raw *x, const gt_read_options *o)
{
	gt_status st = GT_OK;
	const size_t cells = x->rows * x->columns;
	int has_dark;
	x->dark = calloc(cells, sizeof(float));
	x->gain = calloc(cells, sizeof(float));
	if (!x->dark || !x->gain)
		GT_TRY(out_of_memory(x->path));
	GT_TRY(gt_hdf5_has(x->file, x->path, "exchange/data_dark", &has_dark));
	if (has_dark)
		GT_TRY(add_mean(x, "exchange/data_dark", 1, x->dark));
	else
		gt_read_note(o, "%s: no exchange/data_dark: taken as 0", x->path);
	GT_TRY(add_mean(x, "exchange/data_white", 1, x->gain));
	for (size_t r = 0; r < x->rows; r++) {
		size_t dead = 0;
		for (size_t c = r * x->columns; c < (r + 1) * x->columns; c++) {
			x->gain[c] -= x->dark[c];
			dead += !(x->gain[c] > 0);
		}
		x->dead += dead;
		if (dead == x->columns)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: exchange/data_white: not above the dark field anywhere in row %zu", x->path, r));
	}
	if (x->dead)
		gt_read_note(o, "%s: %zu pixels see no light in the flat field: filled from their neighbours", x->path, x->dead);
done:
	return st;
}

/* Straight lines over the dead cells of one row. */
static void fill_dead(const float *gain, size_t n, float *p)
{
	for (size_t c = 0; c < n; c++) {
		if (gain[c] > 0)
			continue;
		size_t end = c;
		while (end < n && !(gain[end] > 0))
			end++;
		const float left = c > 0 ? p[c - 1] : p[end], right = end < n ? p[end] : left;
		for (size_t k = c; k < end; k++)
			p[k] = left + (right - left) * (float)(k - c + 1) / (float)(end - c + 1);
		c = end;
	}
}

/* One row of counts to line integrals; the first bad column in *bad. */
static void to_line_integrals(raw *x, size_t row, const float *counts, float *p, size_t *bad)
{
	const float *dark = x->dark + row * x->columns, *gain = x->gain + row * x->columns;
	*bad = x->columns;
	for (size_t c = 0; c < x->columns; c++) {
		if (!isfinite(counts[c]) && *bad == x->columns)
			*bad = c;
		if (!(gain[c] > 0))
			continue;
		double t = ((double)counts[c] - dark[c]) / gain[c];
		if (t < LEAST_TRANSMISSION) {
			t = LEAST_TRANSMISSION;
			x->floored++;
		}
		p[c] = (float)-log(t);
	}
	if (x->dead)
		fill_dead(gain, x->columns, p);
}

/* The first row of the file is the top one: our rows run upwards. */
static gt_status read_views(raw *x, const gt_read_options *o, float *data)
{
	gt_status st = GT_OK;
	const size_t cells = x->rows * x->columns, wanted = 4u << 20, slab = cells < wanted ? wanted / cells : 1;
	float *counts = malloc((slab < x->views ? slab : x->views) * cells * sizeof *counts);
	if (!counts)
		return out_of_memory(x->path);
	for (size_t first = 0; first < x->views; first += slab) {
		const size_t count = x->views - first < slab ? x->views - first : slab;
		GT_TRY(gt_hdf5_floats(&x->data, first, count, counts));
		for (size_t line = 0; line < count * x->rows; line++) {
			const size_t v = first + line / x->rows, r = line % x->rows;
			size_t bad;
			to_line_integrals(x, r, counts + line * x->columns, data + v * cells + (x->rows - 1 - r) * x->columns, &bad);
			if (bad < x->columns)
				GT_TRY(gt_fail(GT_ERR_FORMAT,
				               "%s: exchange/data: NaN or infinite at [%zu][%zu][%zu]; expected finite numbers", x->path, v,
				               r, bad));
		}
	}
	if (x->floored)
		gt_read_note(o, "%s: %zu of %zu values are darker than 1/65536 of the flat field: taken as that", x->path, x->floored,
		             x->views * cells);
done:
	free(counts);
	return st;
}

static gt_status read_angles(const raw *x, const gt_read_options *o, double **angle)
{
	gt_status st;
	gt_hdf5_data d;
	char units[32];
	GT_TRY(gt_hdf5_open(x->file, x->path, "exchange/theta", 1, &d));
	if (d.size[0] * d.size[1] * d.size[2] != x->views)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: exchange/theta: has %llu angles, expected %zu, one for each view of exchange/data",
		               x->path, (unsigned long long)(d.size[0] * d.size[1] * d.size[2]), x->views));
	if (!(*angle = malloc(x->views * sizeof **angle)))
		GT_TRY(out_of_memory(x->path));
	GT_TRY(gt_hdf5_doubles(&d, *angle));
	GT_TRY(gt_hdf5_text(&d, "units", units, sizeof units));
	const int radians = !strncmp(units, "rad", 3), degrees = !strncmp(units, "deg", 3) || !*units;
	if (!radians && !degrees)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: exchange/theta: units are '%s', expected degrees or radians", x->path, units));
	if (!*units)
		gt_read_note(o, "%s: exchange/theta names no units: taken as degrees", x->path);
	for (size_t v = 0; v < x->views; v++) {
		if (!isfinite((*angle)[v]))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: exchange/theta: value %zu is %g, expected a finite number", x->path, v,
			               (*angle)[v]));
		(*angle)[v] *= radians ? 1 : GT_PI / 180;
	}
done:
	gt_hdf5_close(&d);
	return st;
}

/* mm in one unit of that name; 0: not known. Without a name it is the metre: the format is in SI. */
static double unit_mm(const char *name)
{
	static const struct {
		const char *name;
		double mm;
	} lengths[] = {
		{ "", 1e3 },         { "m", 1e3 },           { "meter", 1e3 }, { "meters", 1e3 },     { "cm", 10 },
		{ "mm", 1 },         { "millimeter", 1 },    { "um", 1e-3 },   { "\xc2\xb5m", 1e-3 }, { "micron", 1e-3 },
		{ "microns", 1e-3 }, { "micrometer", 1e-3 }, { "nm", 1e-6 },
	};
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		if (!strcmp(lengths[i].name, name))
			return lengths[i].mm;
	return 0;
}

/* A length of the file in mm; 0 if it is not there. */
static gt_status length_of(const raw *x, const char *name, double *mm)
{
	char units[32];
	double value;
	int found;
	*mm = 0;
	const gt_status st = gt_hdf5_number(x->file, x->path, name, &value, units, sizeof units, &found);
	if (st != GT_OK || !found)
		return st;
	*mm = value * unit_mm(units);
	if (!(*mm > 0) || !isfinite(*mm))
		return gt_fail(GT_ERR_FORMAT, "%s: %s: is %g %s, expected a positive length in m, cm, mm, um or nm", x->path, name, value,
		               units);
	return GT_OK;
}

/* Cell size at the sample: as stored, or the detector's divided by the magnification of its lens. */
static gt_status read_pixel(const raw *x, const gt_read_options *o, double *column_pitch, double *row_pitch)
{
	static const char *const direct[] = { "measurement/instrument/detection_system/objective/resolution",
		                              "measurement/instrument/detector/actual_pixel_size" };
	gt_status st;
	char units[32];
	double mm = 0, magnification;
	int magnified;
	*column_pitch = *row_pitch = o->pixel;
	if (!isnan(o->pixel))
		return o->pixel > 0 && isfinite(o->pixel) ? GT_OK
		                                          : gt_fail(GT_ERR_ARG, "pixel=%g: expected a positive length in mm", o->pixel);
	for (int i = 0; i < 2 && mm == 0; i++)
		GT_TRY(length_of(x, direct[i], &mm));
	*column_pitch = *row_pitch = mm;
	if (mm == 0) {
		GT_TRY(length_of(x, "measurement/instrument/detector/x_pixel_size", column_pitch));
		GT_TRY(length_of(x, "measurement/instrument/detector/y_pixel_size", row_pitch));
		if (*row_pitch == 0)
			*row_pitch = *column_pitch;
		GT_TRY(gt_hdf5_number(x->file, x->path, "measurement/instrument/detection_system/objective/magnification", &magnification,
		                      units, sizeof units, &magnified));
		if (magnified && magnification > 0 && isfinite(magnification)) {
			*column_pitch /= magnification;
			*row_pitch /= magnification;
		}
	}
	if (*column_pitch == 0) {
		*column_pitch = *row_pitch = 1;
		gt_read_note(o, "%s: no pitch of the pixels: taken as 1 mm (--pixel MM sets it)", x->path);
	}
done:
	return st;
}

static gt_status set_axis(const raw *x, const gt_read_options *o, const float *data, const double *angle, gt_scan *scan)
{
	if (!isnan(o->axis)) {
		if (!(fabs(o->axis) <= 4 * (double)x->columns))
			return gt_fail(GT_ERR_ARG, "axis=%g: expected a column near 0 to %zu", o->axis, x->columns - 1);
		scan->column_center = o->axis;
		return GT_OK;
	}
	gt_axis_found found;
	const gt_status st = gt_axis_find(data, x->views, x->rows, x->columns, angle, &found);
	if (st != GT_OK)
		return gt_fail_in(st, "%s", x->path);
	scan->column_center = found.column;
	gt_read_note(o, "%s: rotation axis found at column %.2f (%zu opposite views, correlation %.3f%s)", x->path, found.column,
	             found.pairs, found.correlation, found.correlation < 0.8 ? ", doubtful" : "");
	return GT_OK;
}

static gt_status open_raw(const char *path, raw *x)
{
	gt_status st;
	*x = (raw){ .path = path, .file = -1, .data = { .id = -1 } };
	if ((st = gt_hdf5_whole(path)) != GT_OK || (st = gt_external_hdf5(path)) != GT_OK)
		return st;
	if ((x->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: cannot be opened, damaged", path);
	if ((st = gt_hdf5_open(x->file, path, "exchange/data", 3, &x->data)) != GT_OK)
		return st;
	x->views = x->data.size[0];
	x->rows = x->data.size[1];
	x->columns = x->data.size[2];
	const double cells = (double)x->rows * (double)x->columns, all = (double)x->views * cells;
	if (all > 1e18)
		return gt_fail(GT_ERR_FORMAT, "%s: exchange/data: %zu x %zu x %zu overflows", path, x->views, x->rows, x->columns);
	return gt_fail_in(gt_host_room((all + 8 * cells) * sizeof(float) + (double)x->views * sizeof(gt_view), "exchange/data"), "%s",
	                  path);
}

static gt_status read_all(raw *x, const gt_read_options *o, gt_projections *p)
{
	gt_status st;
	double *angle = NULL;
	GT_TRY(read_angles(x, o, &angle));
	GT_TRY(gt_fail_in(gt_scan_new(GT_PARALLEL, x->views, x->rows, x->columns, &p->scan), "%s", x->path));
	GT_TRY(read_pixel(x, o, &p->scan->column_pitch, &p->scan->row_pitch));
	p->scan->row_center = (double)(x->rows - 1) / 2;
	gt_place_parallel(angle, 1, p->scan);
	if (!o->geometry_only || isnan(o->axis)) {
		if (!(p->data = malloc(gt_scan_size(p->scan) * sizeof *p->data)))
			GT_TRY(out_of_memory(x->path));
		GT_TRY(read_fields(x, o));
		GT_TRY(read_views(x, o, p->data));
	}
	GT_TRY(set_axis(x, o, p->data, angle, p->scan));
	if (o->geometry_only) {
		free(p->data);
		p->data = NULL;
	}
	st = gt_fail_in(gt_scan_check(p->scan), "%s", x->path);
done:
	free(angle);
	return st;
}

static gt_status read_projections(const char *path, const gt_read_options *o, gt_projections **out)
{
	gt_status st;
	raw x;
	gt_projections *p = gt_projections_blank();
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	GT_TRY(open_raw(path, &x));
	if (!p)
		GT_TRY(out_of_memory(path));
	GT_TRY(read_all(&x, o, p));
	*out = p;
	p = NULL;
done:
	gt_hdf5_close(&x.data);
	if (x.file >= 0)
		H5Fclose(x.file);
	gt_hdf5_unhush(&quiet);
	free(x.dark);
	free(x.gain);
	gt_projections_free(p);
	return st;
}

const gt_format gt_format_dataexchange = {
	.name = "dataexchange",
	.about = "HDF5 Data Exchange",
	.extensions = "h5 hdf5",
	.probe = probe,
	.read_projections = read_projections,
};
