/* Reads a folder of CT images as a volume, slice by slice. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/try.h"
#include "geometry/patient_position.h"
#include "geometry/volume.h"
#include "io/dicom/dicom_series_read.h"
#include "io/slice_reader.h"
#include "io/write_kit/gantry_comment.h"
#include "io/write_kit/volume_units.h"

/* The unused high bits of a sample may have any value. */
static double value_of(const gt_series *s, uint16_t sample)
{
	const int unused = 16 - s->stored;
	const uint16_t high = (uint16_t)(sample << unused);
	return s->is_signed ? (double)((int16_t)high >> unused) : (double)(high >> unused);
}

static gt_position position_of(const gt_series *s, const gt_read_options *o)
{
	const gt_position said = gt_position_find(s->lies);
	if (o->position != GT_POSITION_AUTO)
		return o->position;
	if (said != GT_POSITION_AUTO)
		return said;
	gt_read_note(o, "%s: Patient Position is %s%s%s: taken as HFS", s->path, *s->lies ? "'" : "missing", s->lies, *s->lies ? "'" : "");
	return GT_HFS;
}

/* The files hold HU; only files written by Gantry state the attenuation of water. */
static double water_of(const gt_series *s, const gt_stated *said, const gt_read_options *o)
{
	const double water = said->water > 0 ? said->water : o->water > 0 ? o->water : GT_WATER_DEFAULT;
	if (!(said->water > 0))
		gt_read_note(o, "%s: water is taken as %g mm^-1", s->path, water);
	return water;
}

struct stored {
	struct gt_slice_reader base;
	gt_series series;
	gt_place place;
	double water;
	uint16_t *sample; /* one slice */
	float *value;
};

static gt_status read_one(struct stored *s, size_t i)
{
	const gt_series_slice *x = &s->series.slice[i];
	const size_t n = s->series.rows * s->series.columns;
	gt_dicom *d = NULL;
	gt_status st;
	GT_TRY(gt_dicom_open(x->file, &d));
	GT_TRY(gt_dicom_pixels(d, n, s->sample));
	for (size_t k = 0; k < n; k++)
		s->value[k] = (float)(s->water * (1 + (x->slope * value_of(&s->series, s->sample[k]) + x->intercept) / 1000));
done:
	gt_dicom_close(d);
	return st;
}

static gt_status read_stored(gt_slice_reader *self, size_t first, size_t n, float *out)
{
	struct stored *s = (struct stored *)self;
	const size_t files = s->series.files, lines = s->series.rows, plane = self->size[1] * self->size[2];
	const int whole = n == self->size[0];
	const size_t from = whole ? 0 : gt_stored_slice(files, first, n, s->place.step[2] < 0), count = whole ? files : n;
	gt_place p = s->place;
	gt_status st = GT_OK;
	p.first = (size_t)((ptrdiff_t)p.first + (ptrdiff_t)from * p.step[2] - (ptrdiff_t)(first * plane));
	for (size_t i = 0; i < count; i++) {
		GT_TRY(read_one(s, from + i));
		gt_place_lines(&p, i * lines, lines, s->value, out);
	}
done:
	return st;
}

static void close_stored(gt_slice_reader *self)
{
	struct stored *s = (struct stored *)self;
	gt_series_clear(&s->series);
	free(s->sample);
	free(s->value);
	free(s);
}

static gt_status make_room(struct stored *s)
{
	const size_t n = s->series.rows * s->series.columns, files = s->series.files;
	const gt_place *p = &s->place;
	const ptrdiff_t plane = (ptrdiff_t)(p->grid.n[0] * p->grid.n[1]);
	const int stacked = files == p->grid.n[2] && (p->step[2] == plane || p->step[2] == -plane);
	gt_slice_reader_size(&s->base, &p->grid);
	s->base.together = stacked ? 1 : s->base.size[0];
	s->base.bytes = n * (sizeof *s->sample + sizeof *s->value);
	s->sample = malloc(n * sizeof *s->sample);
	s->value = malloc(n * sizeof *s->value);
	return s->sample && s->value ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->base.path);
}

static gt_status read_head(struct stored *s, const gt_read_options *o, gt_volume *v)
{
	gt_series *series = &s->series;
	gt_status st;
	gt_stated said;
	GT_TRY(gt_series_read_heads(series));
	GT_TRY(gt_volume_set_position(v, position_of(series, o)));
	GT_TRY(gt_series_place(series, v->position, &s->place));
	gt_comment_stated(series->comment, &said);
	GT_TRY(gt_fail_in(gt_comment_grid(series->comment, &s->place.grid), "%s", series->path));
	GT_TRY(gt_fail_in(gt_comment_provenance(series->comment, &v->from), "%s", series->path));
	v->grid = s->place.grid;
	v->water = s->water = water_of(series, &said, o);
	v->unit = GT_HU;
	if (series->unscaled)
		gt_read_note(o,
		             "%s: %zu of %zu files lack Rescale Slope or Rescale Intercept: taken as 1 and 0, which makes the samples HU",
		             series->path, series->unscaled, series->files);
	if (series->others)
		gt_read_note(o, "%s: %zu files that are not DICOM are left out", series->path, series->others);
	st = make_room(s);
done:
	return st;
}

static gt_status open_stored(gt_slice_reader *self, const gt_read_options *o, gt_volume *v)
{
	struct stored *s = (struct stored *)self;
	const char *path = self->path;
	struct stat at;
	gt_status st = GT_OK;
	s->series.path = path;
	if (stat(path, &at) == 0 && !S_ISDIR(at.st_mode))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: one DICOM file: expected the folder of its series", path));
	GT_TRY(gt_series_list(&s->series));
	if (!s->series.files)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: no DICOM files in this folder", path));
	GT_TRY(read_head(s, o, v));
done:
	return st;
}

const gt_slice_source gt_series_slices = { sizeof(struct stored), open_stored, read_stored, close_stored };
