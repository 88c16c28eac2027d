/* Projections in NetCDF. One table of per-view vectors and one of scan parameters serve reading and writing. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/device/host_memory.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "geometry/scan.h"
#include "io/netcdf/nc.h"
#include "io/netcdf/netcdf.h"

static const struct {
	const char *name, *units, *long_name;
	size_t at;
} vectors[] = {
	{ "source", "mm", "position of the source", offsetof(gt_view, source) },
	{ "detector", "mm", "point of the detector at (column_center, row_center)", offsetof(gt_view, detector) },
	{ "column_axis", "1", "unit vector along which the column index grows, at the detector point", offsetof(gt_view, column_axis) },
	{ "row_axis", "1", "unit vector along which the row index grows", offsetof(gt_view, row_axis) },
};
enum { NVECTORS = sizeof vectors / sizeof *vectors };
static const char water_name[] = "water_attenuation_mm-1", filtered_name[] = "weighted_and_filtered";
static const char arc_center_text[] = "point of the axis of the detector's cylinder";

/* needed: 1 for every shape, 2 for all but parallel, 0 for none (then 0 is read), -1 for none, and 0 is not written. */
static const struct {
	const char *name;
	size_t at;
	int needed;
} numbers[] = {
	{ "column_pitch_mm", offsetof(gt_scan, column_pitch), 1 },
	{ "row_pitch_mm", offsetof(gt_scan, row_pitch), 1 },
	{ "column_center", offsetof(gt_scan, column_center), 1 },
	{ "row_center", offsetof(gt_scan, row_center), 1 },
	{ "source_to_detector_mm", offsetof(gt_scan, source_to_detector), 2 },
	{ "source_to_axis_mm", offsetof(gt_scan, source_to_axis), 2 },
	{ "pitch_mm_per_turn", offsetof(gt_scan, pitch_per_turn), 0 },
	{ "plate_thickness_mm", offsetof(gt_scan, thickness), -1 },
};
enum { NNUMBERS = sizeof numbers / sizeof *numbers };

static const char *const view_xyz[] = { "view", "xyz" }, *const view_row_column[] = { "view", "row", "column" };
static const char *const mm[] = { "mm", "millimeter", "millimeters", "millimetre", NULL };
static const char *const one[] = { "1", "", NULL };
static const char *const radians[] = { "rad", "radian", "radians", NULL };

static double *vector_of(gt_view *v, size_t at) { return (double *)(void *)((char *)v + at); }
static double *number_of(gt_scan *s, size_t at) { return (double *)(void *)((char *)s + at); }

static gt_status get_vectors(const gt_nc *f, const char *name, const char *const *units, size_t at, double *scratch, gt_scan *scan)
{
	gt_status st;
	int id;
	GT_TRY(gt_nc_variable(f, name, 2, view_xyz, &id));
	GT_TRY(gt_nc_units(f, name, units));
	GT_TRY(gt_nc_doubles(f, name, scratch));
	for (size_t v = 0; v < scan->views; v++)
		memcpy(vector_of(&scan->view[v], at), scratch + 3 * v, 3 * sizeof *scratch);
done:
	return st;
}

static gt_status get_angles(const gt_nc *f, double *scratch, gt_scan *scan)
{
	static const char *const view[] = { "view" };
	gt_status st;
	int id;
	GT_TRY(gt_nc_variable(f, "angle", 1, view, &id));
	GT_TRY(gt_nc_units(f, "angle", radians));
	GT_TRY(gt_nc_doubles(f, "angle", scratch));
	for (size_t v = 0; v < scan->views; v++)
		scan->view[v].angle = scratch[v];
done:
	return st;
}

static gt_status get_shape(const gt_nc *f, gt_shape *shape)
{
	char *text = NULL;
	gt_status st;
	double schema = 1;
	int has;
	GT_TRY(gt_nc_number(f, NULL, "gantry_schema", &schema, &has));
	if (schema != 1)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: attribute gantry_schema: is %g, expected 1", f->path, schema));
	GT_TRY(gt_nc_text(f, NULL, "detector_shape", &text));
	if (!text)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: attribute detector_shape is missing", f->path));
	int i = 0;
	while (i < GT_NSHAPES && strcmp(text, gt_shape_names[i]))
		i++;
	if (i == GT_NSHAPES)
		st = gt_fail(GT_ERR_FORMAT, "%s: attribute detector_shape: is '%s', expected flat, arc or parallel", f->path, text);
	*shape = (gt_shape)i;
done:
	free(text);
	return st;
}

static gt_status get_sizes(const gt_nc *f, size_t size[3])
{
	gt_status st;
	size_t xyz;
	for (int i = 0; i < 3; i++)
		GT_TRY(gt_nc_dimension(f, view_row_column[i], &size[i]));
	GT_TRY(gt_nc_dimension(f, "xyz", &xyz));
	if (xyz != 3)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: dimension xyz: is %zu, expected 3", f->path, xyz));
	if ((double)size[0] * (double)size[1] * (double)size[2] > 1e18)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: dimensions view=%zu, row=%zu, column=%zu: their product overflows", f->path, size[0],
		               size[1], size[2]));
	GT_TRY(gt_fail_in(gt_host_has_memory((double)size[0] * (sizeof(gt_view) + 3 * sizeof(double)), "table of views"), "%s", f->path));
done:
	return st;
}

static gt_status get_scan(const gt_nc *f, gt_scan **out)
{
	gt_status st;
	int has_centers, has_angle;
	gt_shape shape;
	gt_scan *scan = NULL;
	double *scratch = NULL;
	size_t size[3];
	GT_TRY(get_shape(f, &shape));
	GT_TRY(get_sizes(f, size));
	GT_TRY(gt_fail_in(gt_scan_new(shape, size[0], size[1], size[2], &scan), "%s", f->path));
	for (int i = 0; i < NNUMBERS; i++) {
		int has;
		const int needed = numbers[i].needed == 1 || (numbers[i].needed == 2 && shape != GT_PARALLEL);
		GT_TRY(gt_nc_number(f, NULL, numbers[i].name, number_of(scan, numbers[i].at), needed ? NULL : &has));
	}
	if (!(scratch = malloc(size[0] * 3 * sizeof *scratch)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path));
	for (int i = 0; i < NVECTORS; i++)
		GT_TRY(get_vectors(f, vectors[i].name, vectors[i].units[0] == '1' ? one : mm, vectors[i].at, scratch, scan));
	GT_TRY(gt_nc_has(f, "arc_center", &has_centers));
	if (has_centers)
		GT_TRY(get_vectors(f, "arc_center", mm, offsetof(gt_view, arc_center), scratch, scan));
	else
		for (size_t v = 0; v < scan->views; v++)
			memcpy(scan->view[v].arc_center, scan->view[v].source, sizeof scan->view[v].source);
	GT_TRY(gt_nc_has(f, "angle", &has_angle));
	if (has_angle)
		GT_TRY(get_angles(f, scratch, scan));
	GT_TRY(gt_fail_in(gt_scan_check(scan), "%s", f->path));
	if (has_angle)
		GT_TRY(gt_fail_in(gt_scan_check_angles(scan), "%s", f->path));
	else
		gt_scan_derive_angles(scan);
	*out = scan;
	scan = NULL;
done:
	gt_scan_free(scan);
	free(scratch);
	return st;
}

static gt_status get_data(const gt_nc *f, const char *name, const size_t size[3], double min, float **data)
{
	gt_status st;
	int id;
	GT_TRY(gt_nc_variable(f, name, 3, view_row_column, &id));
	GT_TRY(gt_nc_units(f, name, one));
	if (!(*data = gt_host_alloc(size[0] * size[1] * size[2] * sizeof **data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: variable %s: out of memory", f->path, name));
	GT_TRY(gt_nc_floats(f, name, size, min, *data));
done:
	return st;
}

/* 1: projections already weighted and filtered for fdk, not line integrals. */
static gt_status get_filtered(const gt_nc *f, int *filtered)
{
	double value = 0;
	int has = 0;
	const gt_status st = gt_nc_number(f, NULL, filtered_name, &value, &has);
	if (st == GT_OK && has && value != 0 && value != 1)
		return gt_fail(GT_ERR_FORMAT, "%s: attribute %s: is %g, expected 0 or 1", f->path, filtered_name, value);
	*filtered = has && value == 1;
	return st;
}

gt_status gt_netcdf_read_projections(const char *path, const gt_read_options *o, gt_projections **out)
{
	gt_status st;
	gt_nc f;
	gt_projections *p = gt_projections_blank();
	GT_TRY(gt_nc_open(path, &f));
	if (!p)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(get_scan(&f, &p->scan));
	GT_TRY(gt_nc_get_provenance(&f, &p->from));
	GT_TRY(gt_nc_get_position(&f, &p->position, &p->positioned));
	int has_water, has_data, weight = 0, photons = 0;
	GT_TRY(gt_nc_number(&f, NULL, water_name, &p->water, &has_water));
	if (has_water && !(p->water > 0 && p->water <= GT_WATER_MAX))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: attribute %s: is %g, expected a number above 0 and at most %g", path, water_name,
		               p->water, GT_WATER_MAX));
	GT_TRY(get_filtered(&f, &p->filtered));
	GT_TRY(gt_nc_has(&f, "projections", &has_data));
	if (!o->without_statistics) {
		GT_TRY(gt_nc_has(&f, "weight", &weight));
		GT_TRY(gt_nc_has(&f, "photons", &photons));
	}
	if (!o->geometry_only && (has_data || !o->may_lack_data)) {
		const size_t size[3] = { p->scan->views, p->scan->rows, p->scan->columns };
		const int arrays = 1 + weight + photons;
		int id;
		GT_TRY(gt_nc_variable(&f, "projections", 3, view_row_column, &id));
		GT_TRY(gt_fail_in(gt_host_has_memory((double)gt_scan_size(p->scan) * sizeof(float) * arrays, "projections"), "%s", path));
		GT_TRY(get_data(&f, "projections", size, -INFINITY, &p->data));
		if (weight)
			GT_TRY(get_data(&f, "weight", size, 0, &p->weight));
		if (photons)
			GT_TRY(get_data(&f, "photons", size, 0, &p->photons));
	}
	*out = p;
	p = NULL;
done:
	gt_nc_close(&f);
	gt_projections_free(p);
	return st;
}

/* Writing ---------------------------------------------------------------- */

typedef struct {
	int dims[3], xyz, vector[NVECTORS], arc_center, angle, data, weight, photons;
} ids;

static int has_arc_centers(const gt_scan *s)
{
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++)
			if (s->view[v].arc_center[a] != s->view[v].source[a])
				return s->shape == GT_ARC;
	return 0;
}

static int has_angles(const gt_scan *s)
{
	for (size_t v = 0; v < s->views; v++)
		if (!isnan(s->view[v].angle))
			return 1;
	return 0;
}

static gt_status define_geometry(const gt_nc *f, gt_scan *scan, ids *id)
{
	gt_status st;
	const size_t size[3] = { scan->views, scan->rows, scan->columns };
	for (int i = 0; i < 3; i++)
		GT_TRY(gt_nc_define_dimension(f, view_row_column[i], size[i], &id->dims[i]));
	GT_TRY(gt_nc_define_dimension(f, "xyz", 3, &id->xyz));
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "detector_shape", gt_shape_names[scan->shape]));
	for (int i = 0; i < NNUMBERS; i++)
		if (numbers[i].needed >= 0 || *number_of(scan, numbers[i].at) != 0)
			GT_TRY(gt_nc_put_number(f, NC_GLOBAL, numbers[i].name, *number_of(scan, numbers[i].at)));
	const int of_view[2] = { id->dims[0], id->xyz };
	for (int i = 0; i < NVECTORS; i++)
		GT_TRY(gt_nc_define(f, vectors[i].name, NC_DOUBLE, 2, of_view, vectors[i].units, vectors[i].long_name, &id->vector[i]));
	if (has_arc_centers(scan))
		GT_TRY(gt_nc_define(f, "arc_center", NC_DOUBLE, 2, of_view, "mm", arc_center_text, &id->arc_center));
	if (has_angles(scan))
		GT_TRY(gt_nc_define(f, "angle", NC_DOUBLE, 1, of_view, "rad", "gantry angle", &id->angle));
done:
	return st;
}

static const char data_text[] = "line integrals of the attenuation", weight_text[] = "statistical weights of the line integrals";

static gt_status define_data(const gt_nc *f, const gt_projections *p, int deflate, ids *id)
{
	gt_status st = GT_OK;
	const size_t size[3] = { p->scan->views, p->scan->rows, p->scan->columns };
	if (p->data)
		GT_TRY(gt_nc_define_data(f, "projections", id->dims, size, deflate, "1", data_text, &id->data));
	if (p->weight)
		GT_TRY(gt_nc_define_data(f, "weight", id->dims, size, deflate, "1", weight_text, &id->weight));
	if (p->photons)
		GT_TRY(gt_nc_define_data(f, "photons", id->dims, size, deflate, "1", "unattenuated photon counts", &id->photons));
done:
	return st;
}

static gt_status put_vectors(const gt_nc *f, int variable, gt_scan *scan, size_t at, double *scratch)
{
	for (size_t v = 0; v < scan->views; v++)
		memcpy(scratch + 3 * v, vector_of(&scan->view[v], at), 3 * sizeof *scratch);
	return gt_nc_put_doubles(f, variable, 3 * scan->views, scratch);
}

static gt_status put_geometry(const gt_nc *f, gt_scan *scan, const ids *id)
{
	gt_status st;
	double *scratch = malloc(scan->views * 3 * sizeof *scratch);
	if (!scratch)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	for (int i = 0; i < NVECTORS; i++)
		GT_TRY(put_vectors(f, id->vector[i], scan, vectors[i].at, scratch));
	if (has_arc_centers(scan))
		GT_TRY(put_vectors(f, id->arc_center, scan, offsetof(gt_view, arc_center), scratch));
	if (has_angles(scan)) {
		for (size_t v = 0; v < scan->views; v++)
			scratch[v] = scan->view[v].angle;
		GT_TRY(gt_nc_put_doubles(f, id->angle, scan->views, scratch));
	}
done:
	free(scratch);
	return st;
}

/* Writes everything except the data. */
static gt_status put_head(const gt_nc *f, const gt_projections *p, ids *id)
{
	gt_status st = GT_OK;
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "title", "X-ray projections"));
	GT_TRY(gt_nc_put_provenance(f, &p->from));
	GT_TRY(gt_nc_put_position(f, p->position, p->positioned));
	if (p->water > 0)
		GT_TRY(gt_nc_put_number(f, NC_GLOBAL, water_name, p->water));
	if (p->filtered)
		GT_TRY(gt_nc_put_number(f, NC_GLOBAL, filtered_name, 1));
	GT_TRY(define_geometry(f, p->scan, id));
done:
	return st;
}

gt_status gt_netcdf_write_projections(const char *path, const gt_write_options *o, const gt_projections *p)
{
	gt_status st;
	gt_nc f = { .path = path, .id = -1 };
	ids id;
	const size_t size[3] = { p->scan->views, p->scan->rows, p->scan->columns };
	const int arrays = (p->data != NULL) + (p->weight != NULL) + (p->photons != NULL);
	GT_TRY(gt_nc_create(path, o->deflate ? 0 : (double)gt_scan_size(p->scan) * sizeof(float) * arrays, &f));
	GT_TRY(put_head(&f, p, &id));
	GT_TRY(define_data(&f, p, o->deflate, &id));
	GT_TRY(gt_nc_end_definitions(&f));
	GT_TRY(put_geometry(&f, p->scan, &id));
	if (p->data)
		GT_TRY(gt_nc_put_floats(&f, id.data, 0, size, p->data, 1, 0));
	if (p->weight)
		GT_TRY(gt_nc_put_floats(&f, id.weight, 0, size, p->weight, 1, 0));
	if (p->photons)
		GT_TRY(gt_nc_put_floats(&f, id.photons, 0, size, p->photons, 1, 0));
	GT_TRY(gt_nc_commit(&f));
done:
	gt_nc_drop(&f);
	return st;
}

/* Defines a contiguous block. allocate_block() writes its last value, so that libnetcdf allocates it. */
static gt_status define_block(const gt_nc *f, const char *name, const char *about, const ids *id, int *variable)
{
	gt_status st = GT_OK;
	GT_TRY(gt_nc_define(f, name, NC_FLOAT, 3, id->dims, "1", about, variable));
	GT_TRY(gt_nc_check(f, name, nc_def_var_chunking(f->id, *variable, NC_CONTIGUOUS, NULL)));
done:
	return st;
}

static gt_status allocate_block(const gt_nc *f, const gt_scan *s, int variable)
{
	const size_t last[3] = { s->views - 1, s->rows - 1, s->columns - 1 };
	return gt_nc_check(f, NULL, nc_put_var1_float(f->id, variable, last, &(float){ 0 }));
}

gt_status gt_netcdf_put_head(const gt_projections *head, int weighted, gt_nc *f)
{
	gt_status st = GT_OK;
	ids id;
	GT_TRY(put_head(f, head, &id));
	GT_TRY(define_block(f, gt_netcdf_blocks[0], data_text, &id, &id.data));
	if (weighted)
		GT_TRY(define_block(f, gt_netcdf_blocks[1], weight_text, &id, &id.weight));
	GT_TRY(gt_nc_end_definitions(f));
	GT_TRY(put_geometry(f, head->scan, &id));
	GT_TRY(allocate_block(f, head->scan, id.data));
	if (weighted)
		GT_TRY(allocate_block(f, head->scan, id.weight));
done:
	return st;
}
