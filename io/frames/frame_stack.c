/* Collects views, fields and view positions of a scan from files, folder and options. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/try.h"
#include "io/frames/frame_lists.h"
#include "io/frames/frame_stack.h"
#include "io/frames/ole2_file.h"
#include "io/frames/sinogram_source.h"
#include "io/geometry/geometry_files.h"
#include "io/hdf5/dataexchange.h"
#include "io/hdf5/nxtomo.h"
#include "io/plausibility.h"
#include "io/write_kit/volume_units.h"

void gt_frame_stack_close(gt_frame_stack *k)
{
	gt_intensity_free(k->intensity);
	gt_frame_source_free(k->scan);
	gt_frame_source_free(k->flat);
	gt_frame_source_free(k->dark);
	gt_frame_source_free(k->after);
	gt_frame_folder_free(&k->folder);
	gt_geometry_free(k->geometry);
	free(k->angle);
	free(k->before);
}

/* Opens fields: the ones given, else the ones in the scan's folder, else none. */
static gt_status open_field(const gt_frame_stack *k, const char *given, gt_field_kind kind, gt_file_list *beside, gt_frame_source **s,
                            const gt_read_options *o)
{
	gt_file_list files = { NULL, 0 };
	gt_status st = GT_OK;
	if (given && !strcmp(given, "none"))
		return GT_OK;
	if (!given)
		return beside->n ? gt_image_list_source(k->f.raw, beside, s) : GT_OK;
	if (gt_is_npy(given))
		return gt_npy_source(given, s);
	GT_TRY(gt_file_list_of(given, kind, o, &files));
	st = gt_image_list_source(k->f.raw, &files, s);
done:
	gt_file_list_free(&files);
	return st;
}

static void note_field(const gt_frame_stack *k, const char *what, const gt_frame_source *s, const gt_read_options *o)
{
	if (s)
		gt_read_note(o, "%s field: %zu image%s from %s", what, s->frames, s->frames == 1 ? "" : "s", s->name(s, 0));
	else
		gt_read_note(o, "%s: no %s field%s", k->path, what, *what == 'd' ? ": taken as 0" : "");
}

/* Reads the positions of the views from a geometry file, which may also state the blank-scan counts. */
static gt_status open_geometry(gt_frame_stack *k, const gt_read_options *o)
{
	const gt_frame_source *s = k->scan;
	const char *path = k->is_txrm && !k->f.geometry ? k->path : k->f.geometry;
	gt_geometry_options g = gt_geometry_defaults;
	if (!path)
		return GT_OK;
	if (k->f.angles || k->f.source_to_axis > 0)
		return gt_fail(GT_ERR_ARG, "%s: the geometry file %s states angles and distances: expected no options for them", k->path,
		               path);
	g.column_pitch = g.row_pitch = o->pixel;
	g.direction = (gt_sign)k->f.direction;
	g.offset = (gt_sign)k->f.axis_side;
	g.notes = o->notes;
	gt_status st = gt_geometry_read(path, &g, &k->geometry);
	if (st == GT_ERR_ARG) {
		/* size of the images */
		g.rows = s->rows;
		g.columns = s->columns;
		st = gt_geometry_read(path, &g, &k->geometry);
	}
	if (st != GT_OK)
		return st;
	const gt_scan *scan = gt_geometry_scan(k->geometry);
	if (!isnan(o->pixel) && fabs(o->pixel - scan->column_pitch) > 1e-6 * scan->column_pitch)
		return gt_fail(GT_ERR_ARG,
		               "%s: pixel=%g mm, and %s has pixels of %g x %g mm: expected one of them "
		               "('gantry geometry --pixel' corrects a scan)",
		               k->path, o->pixel, path, scan->column_pitch, scan->row_pitch);
	if (s->rows != scan->rows || s->columns != scan->columns)
		return gt_fail(GT_ERR_FORMAT, "%s: images of %zu rows x %zu columns, but %s states %zu x %zu: is it of another scan?",
		               k->path, s->rows, s->columns, path, scan->rows, scan->columns);
	if (s->frames != scan->views && s->frames != scan->views + 1)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu images, but %s states %zu views: is it of another scan, or is an image missing?",
		               k->path, s->frames, path, scan->views);
	if (s->frames == scan->views + 1)
		gt_read_note(o, "%zu images for %zu views: the last one repeats the first angle and is ignored", s->frames, scan->views);
	if (!k->f.flat && !k->folder.flat.n && !(k->is_txrm && gt_txrm_has_reference(k->path)) && k->f.white == 0)
		k->f.white = gt_geometry_white(k->geometry);
	return GT_OK;
}

static gt_status open_intensity(gt_frame_stack *k, const gt_read_options *o)
{
	gt_status st = GT_OK;
	if (k->is_txrm && !k->f.flat && gt_txrm_has_reference(k->path))
		GT_TRY(gt_txrm_source(k->path, 1, &k->flat));
	/* other files may have own fields, which are open already */
	if (!k->flat)
		GT_TRY(open_field(k, k->f.flat, GT_FLAT_FIELD, &k->folder.flat, &k->flat, o));
	if (!k->dark)
		GT_TRY(open_field(k, k->f.dark, GT_DARK_FIELD, &k->folder.dark, &k->dark, o));
	if (k->flat && k->f.white > 0)
		GT_TRY(gt_fail(GT_ERR_ARG, "white=%g, and a flat field %s: expected one of them (--flat none ignores it)", k->f.white,
		               k->flat->name(k->flat, 0)));
	note_field(k, "flat", k->flat, o);
	note_field(k, "dark", k->dark, o);
	if (k->f.flat_at)
		GT_TRY(gt_flat_times(k->f.flat_at, k->flat ? k->flat->frames : 0, k->scan->frames, &k->before));
	gt_note_number(k->f.flat ? k->flat : NULL, "flat", k->scan, o);
	gt_note_number(k->f.dark ? k->dark : NULL, "dark", k->scan, o);
	const gt_fields_of_scan fields = { k->flat, k->dark, k->before, k->f.white, k->angle && !k->f.flat && !k->f.flat_at };
	GT_TRY(gt_intensity_new(k->scan, &fields, o, &k->intensity));
	if (k->f.flat_after)
		GT_TRY(open_field(k, k->f.flat_after, GT_FLAT_FIELD, NULL, &k->after, o)); /* no default for later
		                                                                            * fields */
	if (k->after) {
		if (!k->flat)
			GT_TRY(gt_fail(GT_ERR_ARG,
			               "%s: flat fields after the scan, but none before it: expected both (--flat, --flat-after)",
			               k->path));
		GT_TRY(gt_intensity_set_after(k->intensity, k->after, o));
	}
	st = gt_intensity_set_air(k->intensity, k->f.air, !k->flat && k->f.white == 0, o);
done:
	return st;
}

static gt_status open_hdf5(gt_frame_stack *k, gt_hdf5_opener *open, const gt_read_options *o)
{
	gt_hdf5_scan x;
	const gt_status st = open(k->path, o, &x);
	if (st != GT_OK)
		return st;
	k->is_hdf5 = 1;
	k->scan = x.scan;
	k->flat = x.flat;
	k->dark = x.dark;
	k->angle = x.angle;
	k->before = x.before;
	k->column_pitch = x.column_pitch > 0 ? x.column_pitch : x.row_pitch;
	k->row_pitch = x.row_pitch > 0 ? x.row_pitch : x.column_pitch;
	if (fmax(k->column_pitch, k->row_pitch) > GT_MAX_PITCH_RATIO * fmin(k->column_pitch, k->row_pitch))
		return gt_fail(GT_ERR_FORMAT,
		               "%s: states pixels of %g x %g mm: expected a ratio of at most %d: are the units right? "
		               "(--pixel sets the pitch)",
		               k->path, k->column_pitch, k->row_pitch, GT_MAX_PITCH_RATIO);
	return GT_OK;
}

gt_status gt_frame_stack_open(const char *path, const gt_read_options *given, gt_frame_stack *k)
{
	struct stat s;
	gt_file_list one = { NULL, 0 };
	gt_read_options all = *given, *const o = &all;
	gt_status st = GT_OK;
	*k = (gt_frame_stack){ .path = path };
	GT_TRY(gt_frames_complete(path, given->frames, &k->f));
	all.frames = &k->f;
	if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
		GT_TRY(gt_frame_folder_read(path, k->f.gaps, o, &k->folder));
		GT_TRY(gt_image_list_source(k->f.raw, &k->folder.scan, &k->scan));
	} else if (gt_is_npy(path)) {
		GT_TRY(gt_npy_source(path, &k->scan));
	} else if (gt_is_dataexchange(path)) {
		GT_TRY(open_hdf5(k, gt_dataexchange_open, o));
	} else if (gt_is_nxtomo(path)) {
		GT_TRY(open_hdf5(k, gt_nxtomo_open, o));
	} else if (gt_is_ole2(path)) {
		k->is_txrm = 1;
		GT_TRY(gt_txrm_source(path, 0, &k->scan));
	} else {
		GT_TRY(gt_file_list_of(path, GT_ANY_FIELD, NULL, &one));
		GT_TRY(gt_image_list_source(k->f.raw, &one, &k->scan));
	}
	if (k->f.entry && !k->is_hdf5)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: entry %s: expected none, this is not an HDF5 file", path, k->f.entry));
	if (k->f.sinogram)
		GT_TRY(gt_sinogram_source(&k->scan));
	GT_TRY(open_geometry(k, o));
	if (k->f.values == GT_FRAMES_COUNTS)
		GT_TRY(open_intensity(k, o));
done:
	gt_file_list_free(&one);
	if (st != GT_OK)
		gt_frame_stack_close(k);
	return st;
}
