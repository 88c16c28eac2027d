/* The format "dataexchange": raw parallel-beam projections with flat and dark fields, as synchrotrons store them. De
 * Carlo et al., "Scientific data exchange: a schema for HDF5-based storage of raw and analyzed data", J. Synchrotron
 * Rad. 21 (2014) 1224-1230. docs/files.md defines the orientation of angles and rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/external.h"
#include "io/frames/view_angles.h"
#include "io/hdf5/dataexchange.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_file.h"
#include "io/write_kit/volume_units.h"

int gt_is_dataexchange(const char *path)
{
	if (!gt_hdf5_is(path))
		return 0;
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	/* A file that is refused here is opened as NetCDF next, whose reader gives the reason. */
	const hid_t file = gt_external_hdf5(path) == GT_OK ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
	int is = 0;
	if (file >= 0 && gt_hdf5_has(file, path, "exchange/data", &is) != GT_OK)
		is = 0;
	if (file >= 0)
		H5Fclose(file);
	gt_hdf5_unhush(&quiet);
	return is;
}

/* "entry/what"; the caller frees it. */
static gt_status name_in(const char *entry, const char *what, char **name)
{
	const size_t size = strlen(entry) + strlen(what) + 2;
	if (!(*name = malloc(size)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", entry);
	snprintf(*name, size, "%s/%s", entry, what);
	return GT_OK;
}

/* *s is NULL if the group has no such images. */
static gt_status open_images(gt_hdf5_shared *f, const char *path, const char *entry, const char *what, int min_rank, gt_frame_source **s)
{
	int has = 0;
	char *name = NULL;
	gt_status st = GT_OK;
	GT_TRY(name_in(entry, what, &name));
	GT_TRY(gt_hdf5_has(gt_hdf5_id(f), path, name, &has));
	if (has)
		st = gt_hdf5_frames(f, name, min_rank, NULL, 0, s);
done:
	free(name);
	return st;
}

/* Angles of the group, or of the first group if it has none. */
static gt_status read_angles(const gt_hdf5_shared *f, const char *path, const char *entry, const gt_read_options *o, gt_hdf5_scan *x)
{
	static const char first[] = "exchange/theta";
	char units[32], *own = NULL;
	const char *name = first;
	size_t n;
	int has;
	gt_status st = GT_OK;
	GT_TRY(name_in(entry, "theta", &own));
	GT_TRY(gt_hdf5_has(gt_hdf5_id(f), path, own, &has));
	if (has)
		name = own;
	else
		GT_TRY(gt_hdf5_has(gt_hdf5_id(f), path, first, &has));
	if (!has)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s is missing: expected the angles of the %zu views, or --angles", path, name,
		               x->scan->frames));
	GT_TRY(gt_hdf5_numbers(f, name, &x->angle, &n, units, sizeof units));
	if (n != x->scan->frames)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: has %zu angles, expected %zu, one for each view of %s/data", path, name, n,
		               x->scan->frames, entry));
	st = gt_angles_of_file(path, name, units, x->scan->frames, o, x->angle);
done:
	free(own);
	return st;
}

/* Pixel pitch at the object: as stored, or the detector's divided by the magnification of its lens. Lengths without a
 * unit are metres, as the format uses SI. */
static gt_status read_pixel(const gt_hdf5_shared *f, const char *path, const gt_read_options *o, gt_hdf5_scan *x)
{
	static const char *const direct[] = { "measurement/instrument/detection_system/objective/resolution",
		                              "measurement/instrument/detector/actual_pixel_size" };
	gt_status st = GT_OK;
	char units[32];
	static const char across[] = "measurement/instrument/detector/x_pixel_size",
			  along[] = "measurement/instrument/detector/y_pixel_size",
			  enlarged[] = "measurement/instrument/detection_system/objective/magnification";
	double mm = 0, other = 0, columns, rows, magnification = 1;
	int magnified;
	GT_TRY(gt_hdf5_length(f, direct[0], o, &mm));
	GT_TRY(gt_hdf5_other_length(f, direct[1], mm, o, &other));
	gt_hdf5_note_pitch(f, direct[1], other, mm, o);
	mm = mm > 0 ? mm : other;
	GT_TRY(gt_hdf5_other_length(f, across, mm, o, &columns));
	GT_TRY(gt_hdf5_other_length(f, along, mm, o, &rows));
	GT_TRY(gt_hdf5_number(gt_hdf5_id(f), path, enlarged, &magnification, units, sizeof units, &magnified));
	if (magnified && !(magnification > 0 && isfinite(magnification))) {
		gt_read_note(o, "%s: %s is %g, expected a positive number: not used", path, enlarged, magnification);
		magnification = 1;
	}
	columns /= magnified ? magnification : 1;
	rows /= magnified ? magnification : 1;
	gt_hdf5_note_pitch(f, across, columns, mm, o);
	gt_hdf5_note_pitch(f, along, rows, mm, o);
	x->column_pitch = mm > 0 ? mm : columns;
	x->row_pitch = mm > 0 ? mm : rows;
done:
	return st;
}

/* The optional attribute axes names the order of the dimensions, as theta:y:x. */
static gt_status check_axes(const gt_hdf5_shared *f, const char *path, const char *entry)
{
	gt_hdf5_data d = { .id = -1 };
	char axes[64], *name = NULL;
	gt_status st = GT_OK;
	GT_TRY(name_in(entry, "data", &name));
	d = (gt_hdf5_data){ .path = path, .name = name, .id = H5Dopen2(gt_hdf5_id(f), name, H5P_DEFAULT), .size = { 1, 1, 1 } };
	if (d.id < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: cannot be read: damaged, or out of memory", path, name));
	GT_TRY(gt_hdf5_text(&d, "axes", axes, sizeof axes));
	if (strstr(axes, "theta") && strncmp(axes, "theta", 5))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: axes are '%s', expected theta:y:x: save the projections in this order", path, name,
		               axes));
done:
	gt_hdf5_close(&d);
	free(name);
	return st;
}

static gt_status read_scan(gt_hdf5_shared *f, const char *path, const gt_read_options *o, gt_hdf5_scan *x)
{
	static const char usual[] = "exchange";
	const gt_frames_options *given = o->frames;
	const char *entry = given && given->entry ? given->entry : usual;
	gt_status st = GT_OK;
	while (*entry == '/')
		entry++;
	GT_TRY(open_images(f, path, entry, "data", 3, &x->scan));
	if (!x->scan)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has no %s/data: expected the name of a group that contains data, or no --entry", path,
		               entry));
	GT_TRY(check_axes(f, path, entry));
	if (!given || !(given->angles || given->geometry))
		GT_TRY(read_angles(f, path, entry, o, x));
	if (!given || !given->flat)
		GT_TRY(open_images(f, path, entry, "data_white", 2, &x->flat));
	if (!given || !given->dark)
		GT_TRY(open_images(f, path, entry, "data_dark", 2, &x->dark));
	if (isnan(o->pixel) && !strcmp(entry, usual))
		GT_TRY(read_pixel(f, path, o, x));
	else if (isnan(o->pixel))
		gt_read_note(o, "%s: %s may be binned: the pitch of the pixels is not taken from the file (--pixel)", path, entry);
done:
	return st;
}

gt_status gt_dataexchange_open(const char *path, const gt_read_options *o, gt_hdf5_scan *x)
{
	return gt_hdf5_read_scan(path, o, read_scan, x);
}
