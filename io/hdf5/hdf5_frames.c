/* All sources of an HDF5 file share one open file; one thread at a time uses the library. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/external.h"
#include "io/hdf5/hdf5_block.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/hdf5_frames.h"
#include "io/netcdf/nc.h"
#include "io/view_reader.h"
#include "io/write_kit/volume_units.h"

typedef struct shared_block shared_block;
struct shared_block {
	char *name;
	gt_hdf5_block block;
	shared_block *next;
};

struct gt_hdf5_shared {
	char *path;
	hid_t file;
	size_t users;
	shared_block *blocks;
};

static gt_status out_of_memory(const char *path) { return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path); }

void gt_hdf5_scan_free(gt_hdf5_scan *x)
{
	gt_frame_source_free(x->scan);
	gt_frame_source_free(x->flat);
	gt_frame_source_free(x->dark);
	free(x->angle);
	free(x->before);
	*x = (gt_hdf5_scan){ .scan = NULL };
}

static void leave(gt_hdf5_shared *f)
{
	if (!f || --f->users)
		return;
	gt_nc_lock();
	if (f->file >= 0)
		H5Fclose(f->file);
	gt_nc_unlock();
	while (f->blocks) {
		shared_block *b = f->blocks;
		f->blocks = b->next;
		gt_hdf5_block_free(&b->block);
		free(b->name);
		free(b);
	}
	free(f->path);
	free(f);
}

static gt_status open_file(const char *path, gt_hdf5_shared **out)
{
	gt_status st = GT_OK;
	gt_hdf5_shared *f = calloc(1, sizeof *f);
	*out = NULL;
	if (!f)
		return out_of_memory(path);
	f->users = 1;
	f->file = -1;
	GT_TRY(gt_hdf5_whole(path));
	GT_TRY(gt_external_hdf5(path));
	if (!(f->path = strdup(path)))
		GT_TRY(out_of_memory(path));
	if ((f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: cannot be opened, damaged", path));
	*out = f;
	f = NULL;
done:
	leave(f);
	return st;
}

hid_t gt_hdf5_id(const gt_hdf5_shared *f) { return f->file; }

struct hdf5_source {
	gt_frame_source base;
	gt_hdf5_shared *file;
	gt_hdf5_data data;
	char *name, *label; /* name of the data set; the same after the file's name */
	size_t *frame;
	gt_hdf5_block *block;        /* NULL: image by image */
	gt_hdf5_numbers_type number; /* of single images */
	int floats;                  /* 1: images are read as floats */
};

static gt_status check_frame(const gt_frame_source *self, size_t frame)
{
	const struct hdf5_source *s = (const struct hdf5_source *)self;
	return gt_hdf5_check_holes(&s->data.holes, s->file->path, s->name, s->frame[frame], 1);
}

/* Fields take memory and time before the first view is read. Refuses fields that were never written, scans of which no
 * view was written, and constant images. */
static gt_status check_images(const gt_hdf5_scan *x)
{
	const gt_frame_source *const fields[] = { x->flat, x->dark };
	gt_status st = gt_hdf5_check_constant(&((const struct hdf5_source *)x->scan)->data);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; fields[k] && i < fields[k]->frames && st == GT_OK; i++)
			st = check_frame(fields[k], i);
	if (st != GT_OK)
		return st;
	for (size_t i = 0; i < x->scan->frames; i++)
		if (check_frame(x->scan, i) == GT_OK)
			return GT_OK;
	return check_frame(x->scan, 0);
}

gt_status gt_hdf5_read_scan(const char *path, const gt_read_options *o, gt_hdf5_reader *reader, gt_hdf5_scan *x)
{
	gt_status st = GT_OK;
	gt_hdf5_shared *f = NULL;
	*x = (gt_hdf5_scan){ .scan = NULL };
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	GT_TRY(open_file(path, &f));
	GT_TRY(reader(f, path, o, x));
	st = check_images(x);
done:
	gt_hdf5_unhush(&quiet);
	leave(f);
	if (st != GT_OK)
		gt_hdf5_scan_free(x);
	return st;
}

static gt_status read_block(const struct hdf5_source *s, size_t frame, size_t row, size_t rows, float *out)
{
	gt_nc_lock();
	const gt_hdf5_quiet before = gt_hdf5_hush();
	const gt_status st = gt_hdf5_block_read(s->block, &s->data, s->frame[frame], row, rows, out);
	gt_hdf5_unhush(&before);
	gt_nc_unlock();
	return st;
}

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct hdf5_source *s = (const struct hdf5_source *)self;
	const size_t columns = s->base.columns, all = s->base.rows * columns, bytes = s->number.bytes;
	const int direct = s->floats && rows == s->base.rows;
	if (s->block)
		return read_block(s, frame, row, rows, out);
	void *whole = direct ? out : malloc(all * bytes);
	if (!whole)
		return out_of_memory(s->file->path);
	gt_nc_lock();
	const gt_hdf5_quiet before = gt_hdf5_hush();
	gt_status st = check_frame(self, frame);
	if (st == GT_OK)
		st = gt_hdf5_images(&s->data, s->number.type, s->frame[frame], 1, whole);
	gt_hdf5_unhush(&before);
	gt_nc_unlock();
	if (!direct && st == GT_OK)
		s->number.to_float((const char *)whole + row * columns * bytes, rows * columns, out);
	if (!direct)
		free(whole);
	return st;
}

static const char *name_(const gt_frame_source *self, size_t frame)
{
	(void)frame;
	return ((const struct hdf5_source *)self)->label;
}

static void free_(gt_frame_source *self)
{
	struct hdf5_source *s = (struct hdf5_source *)self;
	gt_nc_lock();
	gt_hdf5_close(&s->data);
	gt_nc_unlock();
	leave(s->file);
	free(s->name);
	free(s->label);
	free(s->frame);
	free(s);
}

/* Largest value of 1- or 2-byte integers, the counts of detectors; 0: other types. */
static double max_of(const gt_hdf5_data *d)
{
	const hid_t type = H5Dget_type(d->id);
	const size_t size = H5Tget_size(type), bits = H5Tget_precision(type);
	const int whole = H5Tget_class(type) == H5T_INTEGER && size <= 2 && bits == 8 * size, sign = H5Tget_sign(type) == H5T_SGN_2;
	H5Tclose(type);
	return whole ? (double)((1u << (bits - (sign ? 1 : 0))) - 1) : 0;
}

static gt_status share_block(struct hdf5_source *s)
{
	gt_hdf5_shared *f = s->file;
	shared_block *b = f->blocks;
	while (b && strcmp(b->name, s->name) != 0)
		b = b->next;
	if (!b) {
		if (!(b = calloc(1, sizeof *b)) || !(b->name = strdup(s->name))) {
			free(b);
			return out_of_memory(f->path);
		}
		b->block = gt_hdf5_block_of(&s->data);
		b->next = f->blocks;
		f->blocks = b;
	}
	if (!b->block.max)
		return GT_OK;
	s->block = &b->block;
	/* the readers share it */
	s->base.bytes = b->block.max * s->base.rows * s->base.columns * b->block.number.bytes / GT_READERS + 1;
	return GT_OK;
}

gt_status gt_hdf5_frames(gt_hdf5_shared *f, const char *name, int min_rank, const size_t *frame, size_t n, gt_frame_source **out)
{
	gt_status st = GT_OK;
	const size_t room = strlen(f->path) + strlen(name) + 3;
	struct hdf5_source *s = NULL;
	*out = NULL;
	if (frame && !n)
		return GT_OK;
	if (!(s = calloc(1, sizeof *s)))
		return out_of_memory(f->path);
	s->base = (struct gt_frame_source){ .read = read_, .name = name_, .free = free_ };
	s->file = f;
	f->users++;
	s->data.id = -1;
	s->name = strdup(name);
	s->label = malloc(room);
	if (!s->name || !s->label)
		GT_TRY(out_of_memory(f->path));
	snprintf(s->label, room, "%s: %s", f->path, name);
	GT_TRY(gt_hdf5_open(f->file, f->path, s->name, min_rank, &s->data));
	GT_TRY(gt_hdf5_check_count(&s->data, (double)s->data.size[0], "images"));
	s->base.frames = frame ? n : s->data.size[0];
	s->base.rows = s->data.size[1];
	s->base.columns = s->data.size[2];
	if ((double)s->base.frames * (double)s->base.rows * (double)s->base.columns > 1e18)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu x %zu x %zu overflows", s->label, s->base.frames, s->base.rows, s->base.columns));
	s->number = gt_hdf5_numbers_of(s->data.id);
	s->floats = s->number.type == H5T_NATIVE_FLOAT;
	s->base.bytes = s->base.rows * s->base.columns * s->number.bytes;
	s->base.max = max_of(&s->data);
	if (!(s->frame = malloc(s->base.frames * sizeof *s->frame)))
		GT_TRY(out_of_memory(f->path));
	for (size_t i = 0; i < s->base.frames; i++)
		s->frame[i] = frame ? frame[i] : i;
	GT_TRY(share_block(s));
	*out = &s->base;
	s = NULL;
done:
	gt_frame_source_free(s ? &s->base : NULL);
	return st;
}

size_t gt_hdf5_frame_number(const gt_frame_source *s, size_t i) { return ((const struct hdf5_source *)s)->frame[i]; }

gt_status gt_hdf5_numbers(const gt_hdf5_shared *f, const char *name, double **values, size_t *n, char *units, size_t size)
{
	gt_hdf5_data d;
	*values = NULL;
	gt_status st = gt_hdf5_open(f->file, f->path, name, 1, &d);
	if (st == GT_OK)
		st = gt_hdf5_check_count(&d, (double)d.size[0] * (double)d.size[1] * (double)d.size[2], "numbers");
	if (st == GT_OK) {
		*n = (size_t)(d.size[0] * d.size[1] * d.size[2]);
		*values = malloc(*n * sizeof **values);
		st = *values ? gt_hdf5_doubles(&d, *values) : out_of_memory(f->path);
	}
	if (st == GT_OK && units)
		st = gt_hdf5_text(&d, "units", units, size);
	gt_hdf5_close(&d);
	return st;
}

/* Millimetres per unit; 0: unknown. */
static double unit_mm(const char *name)
{
	static const struct {
		const char *name;
		double mm;
	} lengths[] = {
		{ "m", 1e3 },           { "meter", 1e3 },      { "meters", 1e3 },   { "metre", 1e3 },    { "metres", 1e3 },
		{ "cm", 10 },           { "mm", 1 },           { "millimeter", 1 }, { "millimetre", 1 }, { "um", 1e-3 },
		{ "\xc2\xb5m", 1e-3 },  { "\xce\xbcm", 1e-3 }, { "micron", 1e-3 },  { "microns", 1e-3 }, { "micrometer", 1e-3 },
		{ "micrometre", 1e-3 }, { "nm", 1e-6 },
	};
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		if (!strcmp(lengths[i].name, name))
			return lengths[i].mm;
	return 0;
}

/* Metres; a larger pitch without a unit has another unit. */
#define MAX_METRES 0.01
/* No detector has smaller or larger pixels, mm. */
#define MIN_PITCH 1e-6
#define MAX_PITCH 1e3

gt_status gt_hdf5_length(const gt_hdf5_shared *f, const char *name, const gt_read_options *o, double *mm)
{
	char units[32];
	double value;
	int found;
	*mm = 0;
	int present;
	gt_status st = gt_hdf5_number(f->file, f->path, name, &value, units, sizeof units, &found);
	if (st == GT_OK && !found)
		st = gt_hdf5_has(f->file, f->path, name, &present);
	if (st == GT_OK && !found && present)
		gt_read_note(o, "%s: %s: is no single number: not used (--pixel sets the pitch)", f->path, name);
	if (st != GT_OK || !found)
		return st;
	if (!*units && value > MAX_METRES)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: is %g without a unit: expected m, cm, mm, um or nm; set the pitch in mm (--pixel)",
		               f->path, name, value);
	if (!*units)
		gt_read_note(o, "%s: %s: %g without a unit is taken as metres (--pixel sets mm)", f->path, name, value);
	*mm = value * unit_mm(*units ? units : "m");
	if (!(*mm > 0) || !isfinite(*mm))
		return gt_fail(GT_ERR_FORMAT, "%s: %s: is %g %s, expected a positive length in m, cm, mm, um or nm", f->path, name, value,
		               units);
	if (*mm < MIN_PITCH || *mm > MAX_PITCH)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: is %g %s, expected a pixel of 1 nm to 1 m (--pixel sets the pitch)", f->path, name,
		               value, units);
	return GT_OK;
}

gt_status gt_hdf5_distance(const gt_hdf5_shared *f, const char *name, const gt_read_options *o, double *mm)
{
	char units[32];
	double value;
	int found;
	const gt_status st = gt_hdf5_number(f->file, f->path, name, &value, units, sizeof units, &found);
	*mm = st == GT_OK && found ? fabs(value) * unit_mm(*units ? units : "m") : 0;
	if (st != GT_ERR_FORMAT)
		return st;
	gt_read_note(o, "%s (not used)", gt_error());
	return GT_OK;
}

gt_status gt_hdf5_other_length(const gt_hdf5_shared *f, const char *name, double used, const gt_read_options *o, double *mm)
{
	const gt_status st = gt_hdf5_length(f, name, o, mm);
	if (st != GT_ERR_FORMAT || !(used > 0))
		return st;
	*mm = 0;
	gt_read_note(o, "%s (not used: the file states the pitch elsewhere)", gt_error());
	return GT_OK;
}

/* Pitches that differ by less are rounded differently. */
#define SAME_PITCH 0.01

void gt_hdf5_note_pitch(const gt_hdf5_shared *f, const char *name, double mm, double used, const gt_read_options *o)
{
	if (mm > 0 && used > 0 && fabs(mm - used) > SAME_PITCH * used)
		gt_read_note(o,
		             "%s: %s is %.6g mm, not the %.6g mm that the file states elsewhere and that are used (--pixel sets the pitch)",
		             f->path, name, mm, used);
}
