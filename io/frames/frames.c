/* The format "frames": images of a folder or file, with their fields and angles. What is taken from where is told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/geometry_files.h>
#include <gantry/host_memory.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "io/frames/axis_of_views.h"
#include "io/frames/frame_folder.h"
#include "io/frames/frame_lists.h"
#include "io/frames/frame_source.h"
#include "io/frames/intensity.h"
#include "io/frames/ole2_file.h"
#include "io/frames/parallel_views.h"
#include "io/frames/settle_signs.h"
#include "io/frames/sinogram_source.h"
#include "io/frames/view_angles.h"
#include "io/frames/hnd_file.h"
#include "io/hdf5/nxtomo.h"
#include "io/view_reader.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

/* All that belongs to a stack. */
typedef struct {
	const char *path;
	gt_frames_options f;
	gt_frame_folder folder;
	gt_frame_source *scan, *flat, *dark, *after;
	gt_intensity *intensity;
	gt_geometry *geometry; /* of a file; NULL: there is none */
	int is_txrm;
	double *angle;  /* of NXtomo, rad; NULL: from elsewhere */
	size_t *before; /* views before each flat field; NULL: all of them */
} stack;

static void close_stack(stack *k)
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

/* Fields: those that are named, else those beside the scan, else none. */
static gt_status open_field(const stack *k, const char *given, gt_field_kind kind, gt_file_list *beside, gt_frame_source **s,
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

static void note_field(const stack *k, const char *what, const gt_frame_source *s, const gt_read_options *o)
{
	if (s)
		gt_read_note(o, "%s field: %zu image%s from %s", what, s->frames, s->frames == 1 ? "" : "s", s->name(s, 0));
	else
		gt_read_note(o, "%s: no %s field%s", k->path, what, *what == 'd' ? ": taken as 0" : "");
}

/* Where the views are, by a file, which may also say what images count without a body. */
static gt_status open_geometry(stack *k, const gt_read_options *o)
{
	const gt_frame_source *s = k->scan;
	const char *path = k->is_txrm && !k->f.geometry ? k->path : k->f.geometry;
	gt_geometry_options g = gt_geometry_defaults;
	if (!path)
		return GT_OK;
	if (k->f.angles || k->f.source_to_axis > 0)
		return gt_fail(GT_ERR_ARG, "%s: angles and distances are those of the geometry file %s: expected it alone", k->path, path);
	g.column_pitch = g.row_pitch = o->pixel;
	g.direction = (gt_sign)k->f.direction;
	g.offset = (gt_sign)k->f.axis_side;
	g.notes = o->notes;
	gt_status st = gt_geometry_read(path, &g, &k->geometry);
	if (st == GT_ERR_ARG) {
		/* What the images can say. */
		g.rows = s->rows;
		g.columns = s->columns;
		st = gt_geometry_read(path, &g, &k->geometry);
	}
	if (st != GT_OK)
		return st;
	const gt_scan *scan = gt_geometry_scan(k->geometry);
	if (s->rows != scan->rows || s->columns != scan->columns)
		return gt_fail(GT_ERR_FORMAT, "%s: images of %zu rows x %zu columns, and %s says %zu x %zu: is it of another scan?",
		               k->path, s->rows, s->columns, path, scan->rows, scan->columns);
	if (s->frames != scan->views && s->frames != scan->views + 1)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu images, and %s says %zu views: is it of another scan, or is an image missing?",
		               k->path, s->frames, path, scan->views);
	if (s->frames == scan->views + 1)
		gt_read_note(o, "%zu images for %zu views: the last one closes the turn and is left out", s->frames, scan->views);
	if (!k->f.flat && !k->folder.flat.n && !(k->is_txrm && gt_txrm_has_reference(k->path)) && k->f.white == 0)
		k->f.white = gt_geometry_white(k->geometry);
	return GT_OK;
}

static gt_status open_intensity(stack *k, const gt_read_options *o)
{
	gt_status st = GT_OK;
	if (k->is_txrm && !k->f.flat && gt_txrm_has_reference(k->path))
		GT_TRY(gt_txrm_source(k->path, 1, &k->flat));
	/* Other files may have fields of their own, which are open by now. */
	if (!k->flat)
		GT_TRY(open_field(k, k->f.flat, GT_FLAT_FIELD, &k->folder.flat, &k->flat, o));
	if (!k->dark)
		GT_TRY(open_field(k, k->f.dark, GT_DARK_FIELD, &k->folder.dark, &k->dark, o));
	if (k->flat && k->f.white > 0)
		GT_TRY(gt_fail(GT_ERR_ARG, "white=%g, and a flat field %s: expected one of them (--flat none leaves it out)", k->f.white,
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
		GT_TRY(open_field(k, k->f.flat_after, GT_FLAT_FIELD, NULL, &k->after, o)); /* none of "none" */
	if (k->after) {
		if (!k->flat)
			GT_TRY(gt_fail(GT_ERR_ARG,
			               "%s: flat fields after the scan, and none before it: expected both (--flat, --flat-after)",
			               k->path));
		GT_TRY(gt_intensity_set_after(k->intensity, k->after, o));
	}
	st = gt_intensity_set_air(k->intensity, k->f.air, !k->flat && k->f.white == 0, o);
done:
	return st;
}

static gt_status open_stack(const char *path, const gt_read_options *o, stack *k)
{
	struct stat s;
	gt_file_list one = { NULL, 0 };
	gt_status st = GT_OK;
	*k = (stack){ .path = path };
	GT_TRY(gt_frames_complete(path, o->frames, &k->f));
	if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
		GT_TRY(gt_frame_folder_read(path, k->f.gaps, o, &k->folder));
		GT_TRY(gt_image_list_source(k->f.raw, &k->folder.scan, &k->scan));
	} else if (gt_is_npy(path)) {
		GT_TRY(gt_npy_source(path, &k->scan));
	} else if (gt_is_nxtomo(path)) {
		gt_nxtomo x;
		GT_TRY(gt_nxtomo_open(path, o, &x));
		k->scan = x.scan;
		k->angle = x.angle;
		k->flat = k->f.flat ? NULL : x.flat;
		k->before = k->f.flat ? NULL : x.before;
		gt_frame_source_free(k->f.flat ? x.flat : NULL);
		free(k->f.flat ? x.before : NULL);
		if (k->f.dark)
			gt_frame_source_free(x.dark);
		else
			k->dark = x.dark;
	} else if (gt_is_ole2(path)) {
		k->is_txrm = 1;
		GT_TRY(gt_txrm_source(path, 0, &k->scan));
	} else {
		GT_TRY(gt_file_list_of(path, GT_ANY_FIELD, NULL, &one));
		GT_TRY(gt_image_list_source(k->f.raw, &one, &k->scan));
	}
	if (k->f.sinogram)
		GT_TRY(gt_sinogram_source(&k->scan));
	GT_TRY(open_geometry(k, o));
	if (k->f.values == GT_FRAMES_COUNTS)
		GT_TRY(open_intensity(k, o));
done:
	gt_file_list_free(&one);
	if (st != GT_OK)
		close_stack(k);
	return st;
}

struct views {
	struct gt_view_reader base;
	stack k;
};

static gt_status read_(gt_view_reader *self, size_t view, size_t row, size_t rows, float *out)
{
	const stack *k = &((struct views *)self)->k;
	return k->intensity ? gt_intensity_read(k->intensity, view, row, rows, out) : k->scan->read(k->scan, view, row, rows, out);
}

static void close_(gt_view_reader *self)
{
	struct views *v = (struct views *)self;
	gt_pool_free(v->base.pool);
	close_stack(&v->k);
	free(v);
}

static void tell_(gt_view_reader *self, const gt_read_options *o)
{
	const stack *k = &((struct views *)self)->k;
	const gt_intensity *x = k->intensity;
	const size_t n = self->size[0] * self->size[1] * self->size[2];
	if (x && x->floored)
		gt_read_note(o, "%zu of %zu values are darker than 1/65536 of white: taken as that%s", x->floored, n,
		             100 * x->floored > n ? "; is the dark field of another exposure?" : "");
	if (x && (double)x->saturated > 1e-3 * (double)n)
		gt_read_note(o, "%zu of %zu values are saturated, at %.0f: rays through little or nothing are too dark there", x->saturated,
		             n, k->scan->most);
}

/* Numbers become line integrals on the way. */
enum { READERS = 2 * GT_READERS };

/* What was looked at to find air and axis is read again. */
static void forget_counts(gt_intensity *x) { x->floored = x->saturated = 0; }

/* size NULL: as the images are. */
static gt_status open_views(const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **out)
{
	gt_status st = GT_OK;
	struct views *v = calloc(1, sizeof *v);
	if (!v)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	v->base = (struct gt_view_reader){ .path = path, .read = read_, .close = close_, .tell = tell_ };
	if ((st = open_stack(path, o, &v->k)) != GT_OK) {
		free(v);
		return st;
	}
	const gt_frame_source *s = v->k.scan;
	const size_t found[3] = { v->k.geometry ? gt_geometry_scan(v->k.geometry)->views : s->frames, s->rows, s->columns };
	for (int a = 0; a < 3; a++) {
		static const char *const what[] = { "images", "rows", "columns" };
		v->base.size[a] = found[a];
		if (size && found[a] != size[a])
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has %zu %s, expected the scan's %zu", path, found[a], what[a], size[a]));
	}
	const size_t images = 2 * READERS + 4 + (v->k.intensity ? v->k.intensity->sets : 0);
	v->base.bytes = READERS * s->bytes + images * s->rows * s->columns * sizeof(float);
	GT_TRY(gt_pool_new(READERS, &v->base.pool));
	if (v->k.intensity)
		forget_counts(v->k.intensity);
	*out = &v->base;
done:
	if (st != GT_OK)
		close_(&v->base);
	return st;
}

/* By the geometry file; what it leaves open is found in the images. --axis is of who knows better. */
static gt_status place_by_file(struct views *v, const gt_read_options *o, gt_scan **out)
{
	gt_status st = gt_settle_signs(&v->base, v->k.geometry, o);
	if (st == GT_OK)
		st = gt_scan_clone(gt_geometry_scan(v->k.geometry), out);
	if (st == GT_OK && !isnan(o->axis)) {
		gt_axis_seen seen;
		gt_scan_see_axis(*out, &seen);
		(*out)->column_center += o->axis - seen.column;
		gt_read_note(o, "the axis is seen at column %g, as asked for (%.6g in the file)", o->axis, seen.column);
	}
	return st == GT_OK ? gt_fail_in(gt_scan_check(*out), "%s", v->k.path) : st;
}

static gt_status place(struct views *v, const gt_read_options *o, gt_scan **out)
{
	if (v->k.geometry)
		return place_by_file(v, o, out);
	const stack *k = &v->k;
	const size_t views = v->base.size[0];
	const char *spec = k->f.angles ? k->f.angles : k->folder.angles;
	gt_scan *scan = NULL;
	double *angle = malloc(views * sizeof *angle);
	gt_status st = GT_OK;
	GT_TRY(angle ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", k->path));
	if (!spec && !k->angle)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: no angles: expected a file angles.txt beside the images, or --angles FILE, FIRST:STEP or FIRST..LAST, "
		               "or --geometry with the file of the scanner's maker (gantry import, prepare and recon have both)",
		               k->path));
	/* Numbers of files say which views are missing, where each file is one. */
	const long long *number = !k->f.sinogram && k->folder.numbers == views ? k->folder.number : NULL;
	if (spec)
		GT_TRY(gt_view_angles(spec, k->f.radians, number, views, o, angle));
	else
		memcpy(angle, k->angle, views * sizeof *angle);
	if (spec && !k->f.angles)
		gt_read_note(o, "%zu angles from %s", views, spec);
	GT_TRY(gt_fail_in(gt_scan_new(k->f.source_to_axis > 0 ? GT_FLAT : GT_PARALLEL, views, v->base.size[1], v->base.size[2], &scan),
	                  "%s", k->path));
	scan->column_pitch = scan->row_pitch = isnan(o->pixel) ? 1 : o->pixel;
	if (!(scan->column_pitch > 0) || isinf(scan->column_pitch))
		GT_TRY(gt_fail(GT_ERR_ARG, "pixel=%g: expected a positive length in mm", o->pixel));
	if (isnan(o->pixel))
		gt_read_note(o, "no pitch of the pixels: taken as 1 mm (--pixel sets it)");
	scan->row_center = (double)(scan->rows - 1) / 2;
	if (scan->shape == GT_FLAT)
		gt_place_cone(angle, k->f.source_to_axis, k->f.source_to_detector, scan);
	else
		gt_place_parallel(angle, -1, scan);
	GT_TRY(gt_set_axis(&v->base, o, angle, scan));
	GT_TRY(gt_fail_in(gt_scan_check(scan), "%s", k->path));
	*out = scan;
	scan = NULL;
done:
	gt_scan_free(scan);
	free(angle);
	return st;
}

static gt_status read_values(struct views *v, const gt_read_options *o, gt_projections *p)
{
	const size_t n = gt_scan_size(p->scan), views = p->scan->views, cells = n / views;
	gt_status st = gt_fail_in(gt_host_room((double)n * sizeof *p->data, "the line integrals"), "%s", v->k.path);
	if (st != GT_OK)
		return st;
	if (!(p->data = malloc(n * sizeof *p->data)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", v->k.path);
	for (size_t view = 0; view < views && st == GT_OK; view += READERS) {
		st = gt_view_reader_read(&v->base, view, views - view < READERS ? views - view : READERS, 0, p->scan->rows,
		                         p->data + view * cells);
		if (st == GT_OK && o->progress && o->progress(o->progress_self, (double)view / (double)views))
			st = gt_fail(GT_STOPPED, "%s: stopped", v->k.path);
	}
	if (st == GT_OK)
		tell_(&v->base, o);
	return st;
}

static gt_status open_scan(const char *path, const gt_read_options *o, gt_projections **head, gt_view_reader **out)
{
	gt_view_reader *v = NULL;
	gt_projections *p = gt_projections_blank();
	gt_status st = GT_OK;
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	GT_TRY(open_views(path, o, NULL, &v));
	GT_TRY(place((struct views *)v, o, &p->scan));
	if (((struct views *)v)->k.intensity)
		forget_counts(((struct views *)v)->k.intensity);
	*head = p;
	*out = v;
	return GT_OK;
done:
	gt_projections_free(p);
	gt_view_reader_close(v);
	return st;
}

static gt_status read_projections(const char *path, const gt_read_options *o, gt_projections **out)
{
	gt_view_reader *v = NULL;
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(open_scan(path, o, &p, &v));
	if (!o->geometry_only)
		GT_TRY(read_values((struct views *)v, o, p));
	*out = p;
	p = NULL;
done:
	gt_projections_free(p);
	gt_view_reader_close(v);
	return st;
}

const gt_format gt_format_frames = {
	.name = "frames",
	.about = "images (TIFF, NumPy, EDF, raw, txrm)",
	.extensions = "",
	.folders = 1,
	.probe = gt_is_frames,
	.read_projections = read_projections,
	.open_views = open_views,
	.open_scan = open_scan,
};

const gt_format gt_format_nxtomo = {
	.name = "nxtomo",
	.about = "HDF5 with a key of every frame (NXtomo)",
	.extensions = "",
	.probe = gt_is_nxtomo,
	.read_projections = read_projections,
	.open_views = open_views,
	.open_scan = open_scan,
};
