/* Volumes in NetCDF: attenuation(z,y,x) in mm-1 or ct_number(z,y,x) in HU, with coordinate variables of voxel
 * centres. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/netcdf/nc.h"
#include "io/netcdf/netcdf.h"
#include "io/slice_reader.h"
#include "io/slice_writer.h"
#include "io/write_kit/volume_units.h"

static const char *const axis_names[3] = { "x", "y", "z" }; /* in the order of gt_grid */
static const char *const zyx[] = { "z", "y", "x" };
static const char *const mm[] = { "mm", "millimeter", "millimeters", "millimetre", NULL };
static const char *const per_mm[] = { "mm-1", "1/mm", "mm^-1", "mm**-1", NULL };
static const char *const hounsfield[] = { "HU", "hounsfield", "Hounsfield", "Hounsfield units", NULL };
static const char water_name[] = "water_attenuation_mm-1", pitch_name[] = "pitch_mm", center_name[] = "center_mm";

/* other programs store coordinates in single precision */
#define UNIFORM 1e-3

static gt_status check_steps(const gt_nc *f, const char *name, const double *c, size_t n, double step)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(c[i]))
			return gt_fail(GT_ERR_FORMAT, "%s: variable %s: value %zu is %g, expected a finite number", f->path, name, i, c[i]);
	if (step == 0)
		return gt_fail(GT_ERR_FORMAT, "%s: variable %s: first and last of %zu coordinates are both %g, expected them to differ",
		               f->path, name, n, c[0]);
	for (size_t i = 0; i < n; i++) {
		const double expected = c[0] + (double)i * step;
		if (!(fabs(c[i] - expected) <= UNIFORM * fabs(step)))
			return gt_fail(GT_ERR_FORMAT,
			               "%s: variable %s: not evenly spaced: value %zu is %.9g, expected %.9g (steps of %.9g)", f->path,
			               name, i, c[i], expected, step);
	}
	return GT_OK;
}

/* The attribute holds the exact value, unless another program cropped the volume afterwards. */
static gt_status exact_if_near(const gt_nc *f, const char *name, const char *attribute, double tolerance, double *value)
{
	int has;
	double exact;
	const gt_status st = gt_nc_number(f, name, attribute, &exact, &has);
	if (st == GT_OK && has && fabs(exact - *value) <= tolerance)
		*value = exact;
	return st;
}

static gt_status get_axis(const gt_nc *f, int axis, gt_grid *grid, int flip[3])
{
	const char *name = axis_names[axis];
	const size_t n = grid->n[axis];
	gt_status st;
	int id;
	double *c = NULL, step = 0;
	GT_TRY(gt_nc_variable(f, name, 1, &name, &id));
	GT_TRY(gt_nc_units(f, name, mm));
	GT_TRY(gt_fail_in(gt_host_has_memory((double)n * sizeof *c, name), "%s", f->path));
	if (!(c = malloc(n * sizeof *c)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: variable %s: out of memory", f->path, name));
	GT_TRY(gt_nc_doubles(f, name, c));
	if (n > 1) {
		step = (c[n - 1] - c[0]) / (double)(n - 1);
		GT_TRY(check_steps(f, name, c, n, step));
	} else {
		int has;
		GT_TRY(gt_nc_number(f, name, pitch_name, &step, &has));
		if (!has || !(step > 0) || !isfinite(c[0]))
			GT_TRY(gt_fail(GT_ERR_FORMAT,
			               "%s: variable %s: one coordinate (%g) and attribute %s %s: expected its spacing there", f->path,
			               name, c[0], pitch_name, has ? "is not positive" : "is missing"));
	}
	flip[axis] = step < 0;
	grid->pitch[axis] = fabs(step);
	grid->center[axis] = c[0] + (c[n - 1] - c[0]) / 2;
	GT_TRY(exact_if_near(f, name, pitch_name, 1e-9 * fabs(step), &grid->pitch[axis]));
	GT_TRY(exact_if_near(f, name, center_name, 1e-9 * (fabs(step) + fabs(c[0]) + fabs(c[n - 1])), &grid->center[axis]));
done:
	free(c);
	return st;
}

static gt_status get_grid(const gt_nc *f, gt_grid *grid, int flip[3])
{
	gt_status st = GT_OK;
	for (int axis = 0; axis < 3; axis++)
		GT_TRY(gt_nc_dimension(f, axis_names[axis], &grid->n[axis]));
	if ((double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2] > 1e18)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: dimensions z=%zu, y=%zu, x=%zu: their product overflows", f->path, grid->n[2],
		               grid->n[1], grid->n[0]));
	for (int axis = 0; axis < 3; axis++)
		GT_TRY(get_axis(f, axis, grid, flip));
	GT_TRY(gt_volume_check(f->path, grid));
done:
	return st;
}

static gt_status get_water(const gt_nc *f, const char *name, double *water)
{
	int has;
	gt_status st = gt_nc_number(f, name, water_name, water, &has);
	if (st == GT_OK && !has)
		st = gt_nc_number(f, NULL, water_name, water, &has);
	if (st == GT_OK && has && !(*water > 0 && *water <= GT_WATER_MAX))
		st = gt_fail(GT_ERR_FORMAT, "%s: variable %s: attribute %s is %g, expected a number above 0 and at most %g", f->path, name,
		             water_name, *water, GT_WATER_MAX);
	return st;
}

/* Reads everything but the voxels; *name: the variable's. */
static gt_status get_head(const gt_nc *f, const gt_read_options *o, gt_volume *v, const char **name, int flip[3])
{
	gt_status st;
	int id, linear, hu;
	GT_TRY(gt_nc_has(f, "attenuation", &linear));
	GT_TRY(gt_nc_has(f, "ct_number", &hu));
	hu = hu && !linear;
	*name = hu ? "ct_number" : "attenuation";
	GT_TRY(gt_nc_variable(f, *name, 3, zyx, &id));
	GT_TRY(gt_nc_units(f, *name, hu ? hounsfield : per_mm));
	v->unit = hu ? GT_HU : GT_PER_MM;
	GT_TRY(get_grid(f, &v->grid, flip));
	GT_TRY(gt_nc_get_provenance(f, &v->from));
	v->positioned = 1;
	if ((v->position = o->position) == GT_POSITION_AUTO)
		GT_TRY(gt_nc_get_position(f, &v->position, &v->positioned));
	st = get_water(f, *name, &v->water);
done:
	return st;
}

/* Reading, slice by slice -------------------------------------------------- */

struct stored {
	struct gt_slice_reader base;
	gt_nc file;
	const char *name;
	int flip[3];
};

static gt_status read_stored(gt_slice_reader *self, size_t first, size_t n, float *out)
{
	struct stored *s = (struct stored *)self;
	const size_t *size = self->size;
	gt_nc_lock();
	const gt_hdf5_quiet before = gt_hdf5_hush();
	const gt_status st = gt_nc_some_floats(&s->file, s->name, size, gt_stored_slice(size[0], first, n, s->flip[2]), n, -INFINITY, out);
	gt_hdf5_unhush(&before);
	gt_nc_unlock();
	if (st == GT_OK)
		gt_voxels_flip(out, (const size_t[3]){ size[2], size[1], n }, s->flip);
	return st;
}

static void close_stored(gt_slice_reader *self)
{
	struct stored *s = (struct stored *)self;
	gt_nc_close(&s->file);
	free(s);
}

static gt_status open_stored(gt_slice_reader *self, const gt_read_options *o, gt_volume *v)
{
	struct stored *s = (struct stored *)self;
	const char *path = self->path;
	gt_status st = GT_OK;
	GT_TRY(gt_nc_open(path, &s->file));
	GT_TRY(get_head(&s->file, o, v, &s->name, s->flip));
	gt_slice_reader_size(self, &v->grid);
	s->base.together = gt_nc_together(&s->file, s->name, s->base.size);
	if (v->unit == GT_HU && !o->geometry_only) {
		if (!(v->water > 0)) {
			v->water = o->water > 0 ? o->water : GT_WATER_DEFAULT;
			gt_read_note(o, "%s: no %s: water is taken as %g mm^-1", path, water_name, v->water);
		}
		s->base.scale = v->water / 1000;
		s->base.offset = v->water;
	}
done:
	return st;
}

const gt_slice_source gt_netcdf_slices = { sizeof(struct stored), open_stored, read_stored, close_stored };

static gt_status put_axis(const gt_nc *f, const gt_grid *grid, int axis, int variable)
{
	double *c = malloc(grid->n[axis] * sizeof *c);
	if (!c)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	for (size_t i = 0; i < grid->n[axis]; i++)
		c[i] = gt_grid_first(grid, axis) + (double)i * grid->pitch[axis];
	const gt_status st = gt_nc_put_doubles(f, variable, grid->n[axis], c);
	free(c);
	return st;
}

static gt_status define_axis(const gt_nc *f, const gt_grid *grid, int axis, int *dimension, int *variable)
{
	static const char *const letter[] = { "X", "Y", "Z" };
	static const char *const long_names[] = { "voxel centres along x", "voxel centres along y",
		                                  "voxel centres along z, the rotation axis" };
	gt_status st;
	GT_TRY(gt_nc_define_dimension(f, axis_names[axis], grid->n[axis], dimension));
	GT_TRY(gt_nc_define(f, axis_names[axis], NC_DOUBLE, 1, dimension, "mm", long_names[axis], variable));
	GT_TRY(gt_nc_put_text(f, *variable, "axis", letter[axis]));
	GT_TRY(gt_nc_put_number(f, *variable, pitch_name, grid->pitch[axis]));
	GT_TRY(gt_nc_put_number(f, *variable, center_name, grid->center[axis]));
done:
	return st;
}

/* Writing, slice by slice -------------------------------------------------- */

struct slices {
	struct gt_slice_writer base;
	gt_nc file;
	int id;
	double scale, offset;
};

/* Holds the lock for few slices at a time, so that other threads can read. */
static gt_status write_slices(gt_slice_writer *self, size_t first, size_t n, const float *data)
{
	struct slices *s = (struct slices *)self;
	const size_t plane = s->base.size[1] * s->base.size[2], wanted = 4u << 20, max = plane < wanted ? wanted / plane : 1;
	gt_status st = GT_OK;
	for (size_t z = 0; z < n && st == GT_OK; z += max) {
		const size_t size[3] = { n - z < max ? n - z : max, s->base.size[1], s->base.size[2] };
		gt_nc_lock();
		const gt_hdf5_quiet before = gt_hdf5_hush();
		st = gt_nc_put_floats(&s->file, s->id, first + z, size, data + z * plane, s->scale, s->offset);
		gt_hdf5_unhush(&before);
		gt_nc_unlock();
	}
	return st;
}

static void drop_slices(gt_slice_writer *self)
{
	struct slices *s = (struct slices *)self;
	gt_nc_drop(&s->file);
	free(s);
}

static gt_status commit_slices(gt_slice_writer *self)
{
	struct slices *s = (struct slices *)self;
	const gt_status st = gt_nc_commit(&s->file);
	drop_slices(self);
	return st;
}

static gt_status put_head(struct slices *s, const gt_write_options *o, const gt_volume *v)
{
	const gt_nc *f = &s->file;
	const int hu = o->unit == GT_HU;
	const double water = gt_hu_water(o, v);
	int dims[3], axis_ids[3];
	gt_status st;
	GT_TRY(gt_nc_put_text(f, NC_GLOBAL, "title", "X-ray attenuation"));
	GT_TRY(gt_nc_put_provenance(f, &v->from));
	GT_TRY(gt_nc_put_position(f, v->position, v->positioned));
	for (int axis = 2; axis >= 0; axis--)
		GT_TRY(define_axis(f, &v->grid, axis, &dims[2 - axis], &axis_ids[axis]));
	GT_TRY(gt_nc_define_data(f, hu ? "ct_number" : "attenuation", dims, s->base.size, o->deflate, hu ? "HU" : "mm-1",
	                         hu ? "CT number" : "linear attenuation coefficient", &s->id));
	if (hu || v->water > 0)
		GT_TRY(gt_nc_put_number(f, s->id, water_name, hu ? water : v->water));
	GT_TRY(gt_nc_end_definitions(f));
	for (int axis = 0; axis < 3; axis++)
		GT_TRY(put_axis(f, &v->grid, axis, axis_ids[axis]));
	s->scale = hu ? 1000 / water : 1;
	s->offset = hu ? -1000 : 0;
done:
	return st;
}

gt_status gt_netcdf_create_slices(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **out)
{
	const gt_grid *g = &head->grid;
	gt_status st;
	struct slices *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_slice_writer){
		.path = path, .size = { g->n[2], g->n[1], g->n[0] }, .write = write_slices, .commit = commit_slices, .drop = drop_slices
	};
	s->file = (gt_nc){ .path = path, .id = -1 };
	GT_TRY(gt_nc_create(path, o->deflate ? 0 : (double)gt_grid_voxels(g) * sizeof(float), &s->file));
	GT_TRY(put_head(s, o, head));
	*out = &s->base;
done:
	if (st != GT_OK)
		drop_slices(&s->base);
	return st;
}

gt_status gt_netcdf_write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	gt_slice_writer *s;
	const gt_status st = gt_netcdf_create_slices(path, o, v, &s);
	return st != GT_OK ? st : gt_slice_writer_write_all(s, v->data);
}
