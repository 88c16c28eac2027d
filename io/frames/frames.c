/* The format "frames": images of a folder or file, with fields and angles. Notes report the source of each part. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include <gantry/array.h>
#include "core/try.h"
#include "core/log.h"
#include "geometry/angular_closure.h"
#include "geometry/projections.h"
#include "geometry/scan.h"
#include "io/dispatch.h"
#include "io/frames/axis_of_views.h"
#include "io/frames/frame_stack.h"
#include "geometry/circular_views.h"
#include "io/frames/resolve_signs.h"
#include "io/frames/view_angles.h"
#include "io/frames/hnd_file.h"
#include "io/hdf5/dataexchange.h"
#include "io/hdf5/nxtomo.h"
#include "io/view_reader.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

struct views {
	struct gt_view_reader base;
	gt_frame_stack k;
};

static gt_status read_(gt_view_reader *self, size_t view, size_t row, size_t rows, float *out)
{
	const gt_frame_stack *k = &((struct views *)self)->k;
	return k->intensity ? gt_intensity_read(k->intensity, view, row, rows, out) : k->scan->read(k->scan, view, row, rows, out);
}

static void close_(gt_view_reader *self)
{
	struct views *v = (struct views *)self;
	gt_pool_free(v->base.pool);
	gt_frame_stack_close(&v->k);
	free(v);
}

static void report_(gt_view_reader *self, const gt_read_options *o)
{
	const gt_frame_stack *k = &((struct views *)self)->k;
	if (k->intensity)
		gt_intensity_note(k->intensity, k->path, o);
}

/* Threads also compute line integrals. */
enum { READERS = 2 * GT_READERS };

/* size NULL: size of the images. */
static gt_status open_views(const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **out)
{
	gt_status st = GT_OK;
	struct views *v = calloc(1, sizeof *v);
	if (!v)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	v->base = (struct gt_view_reader){ .path = path, .read = read_, .close = close_, .report = report_ };
	if ((st = gt_frame_stack_open(path, o, &v->k)) != GT_OK) {
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
		gt_intensity_restart(v->k.intensity);
	*out = &v->base;
done:
	if (st != GT_OK)
		close_(&v->base);
	return st;
}

/* Uses the geometry file, and the images for undetermined signs. --axis has priority. */
static gt_status place_by_file(struct views *v, const gt_read_options *o, gt_scan **out)
{
	gt_status st = gt_resolve_signs(&v->base, v->k.geometry, o);
	if (st == GT_OK)
		st = gt_scan_clone(gt_geometry_scan(v->k.geometry), out);
	if (st == GT_OK)
		st = gt_read_axis(*out, o);
	return st == GT_OK ? gt_fail_in(gt_scan_check(*out), "%s", v->k.path) : st;
}

static gt_status no_angles(const char *path)
{
	char *file = gt_find_geometry_file(path);
	const gt_status st =
		file ? gt_fail(GT_ERR_FORMAT, "%s: no angles: use --geometry %s, the geometry file next to the images", path, file)
		     : gt_fail(GT_ERR_FORMAT,
	                       "%s: no angles: expected a file angles.txt next to the images, or --angles FILE, FIRST:STEP or FIRST..LAST, "
	                       "or --geometry with the scanner's geometry file (gantry import, prepare and recon have both)",
	                       path);
	free(file);
	return st;
}

static gt_status place(struct views *v, const gt_read_options *o, gt_scan **out)
{
	if (v->k.geometry)
		return place_by_file(v, o, out);
	const gt_frame_stack *k = &v->k;
	const size_t views = v->base.size[0];
	const char *spec = k->f.angles ? k->f.angles : k->folder.angles;
	gt_scan *scan = NULL;
	double *angle = malloc(views * sizeof *angle);
	gt_status st = GT_OK;
	GT_TRY(angle ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", k->path));
	if (!spec && !k->angle)
		GT_TRY(no_angles(k->path));
	/* with one view per file, file numbers reveal missing views */
	const long long *number = !k->f.sinogram && k->folder.numbers == views ? k->folder.number : NULL;
	if (spec)
		GT_TRY(gt_view_angles(spec, k->f.radians, number, views, o, angle));
	else
		memcpy(angle, k->angle, views * sizeof *angle);
	if (spec && !k->f.angles)
		gt_read_note(o, "%zu angles from %s", views, spec);
	GT_TRY(gt_fail_in(gt_scan_new(k->f.source_to_axis > 0 ? GT_FLAT : GT_PARALLEL, views, v->base.size[1], v->base.size[2], &scan),
	                  "%s", k->path));
	const int pitch_known = isnan(o->pixel) && k->column_pitch > 0;
	scan->column_pitch = pitch_known ? k->column_pitch : isnan(o->pixel) ? 1 : o->pixel;
	scan->row_pitch = pitch_known ? k->row_pitch : scan->column_pitch;
	if (!(scan->column_pitch > 0) || isinf(scan->column_pitch))
		GT_TRY(gt_fail(GT_ERR_ARG, "pixel=%g: expected a positive length in mm", o->pixel));
	if (isnan(o->pixel) && !pitch_known)
		gt_read_note(o, "no pixel pitch: assumed 1 mm (--pixel sets it)");
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
	gt_status st = gt_fail_in(gt_host_has_memory((double)n * sizeof *p->data, "the line integrals"), "%s", v->k.path);
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
	if (st == GT_OK && v->k.intensity)
		st = gt_intensity_check(v->k.intensity, v->k.path, v->k.f.white);
	if (st == GT_OK)
		report_(&v->base, o);
	return st;
}

static gt_status profile_of(void *self, size_t view, float *out)
{
	gt_view_reader *v = self;
	const size_t rows = v->size[1], columns = v->size[2];
	float *data = malloc(rows * columns * sizeof *data);
	gt_status st = data ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", v->path);
	if (st == GT_OK)
		st = gt_view_reader_read(v, view, 1, 0, rows, data);
	memset(out, 0, columns * sizeof *out);
	for (size_t i = 0; i < rows * columns && st == GT_OK; i++)
		out[i % columns] += data[i] / (float)rows;
	free(data);
	return st;
}

/* Warns if the range of the angles contradicts the images. Scans with stage heights may be helical. */
static gt_status check_range(gt_view_reader *v, const gt_read_options *o, const gt_scan *scan)
{
	char text[GT_CLOSURE_TEXT];
	double *angle = gt_scan_is_helical(scan) ? NULL : malloc(scan->views * sizeof *angle);
	const gt_closure_views views = { scan->views, scan->columns, angle, scan->shape == GT_PARALLEL, profile_of, v };
	gt_status st = GT_OK;
	for (size_t i = 0; angle && i < scan->views; i++)
		angle[i] = scan->view[i].angle;
	if (angle)
		GT_TRY(gt_closure_check(&views, text));
	if (angle && *text)
		gt_notify(&o->notes, GT_WARNING, GT_ABOUT_GEOMETRY, "%s: %s", v->path, text);
done:
	free(angle);
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
	GT_TRY(check_range(v, o, p->scan));
	if (((struct views *)v)->k.intensity)
		GT_TRY(gt_intensity_check(((struct views *)v)->k.intensity, path, ((struct views *)v)->k.f.white));
	if (((struct views *)v)->k.intensity)
		gt_intensity_restart(((struct views *)v)->k.intensity);
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

/* All of these formats become a stack of images. */
#define READS_IMAGES .read_projections = read_projections, .open_views = open_views, .open_scan = open_scan

const gt_format gt_format_frames = {
	.name = "frames",
	.about = "images (TIFF, NumPy, EDF, raw, txrm)",
	.extensions = "",
	.folders = 1,
	.probe = gt_is_frames,
	READS_IMAGES,
};

const gt_format gt_format_dataexchange = {
	.name = "dataexchange",
	.about = "HDF5 Data Exchange",
	.extensions = "h5 hdf5",
	.probe = gt_is_dataexchange,
	READS_IMAGES,
};

const gt_format gt_format_nxtomo = {
	.name = "nxtomo",
	.about = "NeXus NXtomo (HDF5)",
	.extensions = "",
	.probe = gt_is_nxtomo,
	READS_IMAGES,
};
