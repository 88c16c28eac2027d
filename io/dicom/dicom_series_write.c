/* Writes a volume as a folder of CT images. Slices are axial, from feet to head; rows run to the patient's left,
 * columns from front to back, as viewers expect. Values are whole HU, or coarser steps if the range exceeds 16 bits. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/log.h"
#include "core/try.h"
#include "geometry/patient_position.h"
#include "geometry/volume.h"
#include "io/dicom/dicom_series.h"
#include "io/slice_writer.h"
#include "io/tmp_list.h"
#include "io/write_kit/gantry_comment.h"
#include "io/write_kit/volume_units.h"

typedef struct {
	struct gt_slice_writer base;
	const char *path;
	char *tmp;
	const gt_volume *v;
	double water, step; /* HU of one step */
	char study[GT_DICOM_UID], series[GT_DICOM_UID], frame[GT_DICOM_UID], date[16], time[16], comment[10001];
	uint16_t *sample;
} writer;

static gt_status text(gt_dicom *d, int tag, const char *value) { return gt_dicom_put_text(d, &gt_series_tag[tag], value); }
static gt_status number(gt_dicom *d, int tag, double value) { return gt_dicom_put_numbers(d, &gt_series_tag[tag], 1, &value); }
static gt_status numbers(gt_dicom *d, int tag, size_t n, const double *value)
{
	return gt_dicom_put_numbers(d, &gt_series_tag[tag], n, value);
}

/* +1 if the scanner's axis points to the patient's left, back or head. */
static int left_back_head(const gt_volume *v, int axis) { return gt_position_sign(v->position, axis) * (axis < 2 ? -1 : 1); }

static gt_status put_texts(gt_dicom *d, const writer *w, const char *instance)
{
	const struct {
		int tag;
		const char *value;
	} all[] = {
		{ GT_SERIES_CHARACTERS, "ISO_IR 192" },
		{ GT_SERIES_IMAGE_TYPE, "ORIGINAL\\PRIMARY\\AXIAL" },
		{ GT_SERIES_CLASS, GT_CT_IMAGE },
		{ GT_SERIES_INSTANCE, instance },
		{ GT_SERIES_STUDY_DATE, w->date },
		{ GT_SERIES_CONTENT_DATE, w->date },
		{ GT_SERIES_STUDY_TIME, w->time },
		{ GT_SERIES_CONTENT_TIME, w->time },
		{ GT_SERIES_ACCESSION, "" },
		{ GT_SERIES_MODALITY, "CT" },
		{ GT_SERIES_MAKER, "Gantry" },
		{ GT_SERIES_PHYSICIAN, "" },
		{ GT_SERIES_DESCRIPTION, "Gantry" },
		{ GT_SERIES_PATIENT, "ANONYMOUS" },
		{ GT_SERIES_PATIENT_ID, "ANONYMOUS" },
		{ GT_SERIES_BIRTH, "" },
		{ GT_SERIES_SEX, "" },
		{ GT_SERIES_KVP, "" },
		{ GT_SERIES_LIES, gt_position_names[w->v->position] },
		{ GT_SERIES_STUDY, w->study },
		{ GT_SERIES_SERIES, w->series },
		{ GT_SERIES_STUDY_ID, "1" },
		{ GT_SERIES_ACQUISITION, "" },
		{ GT_SERIES_FRAME, w->frame },
		{ GT_SERIES_REFERENCE, "" },
		{ GT_SERIES_COMMENTS, w->comment },
		{ GT_SERIES_PHOTOMETRIC, "MONOCHROME2" },
		{ GT_SERIES_TYPE, "HU" },
	};
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		GT_TRY(text(d, all[i].tag, all[i].value));
done:
	return st;
}

/* Centre of the slice's first voxel: left, back and head in mm. */
static void place_of(const gt_volume *v, size_t slice, double place[3])
{
	const gt_grid *g = &v->grid;
	for (int a = 0; a < 3; a++) {
		const int along = left_back_head(v, a);
		const size_t index = a == 2 ? slice : 0;
		place[a] = along * g->center[a] + ((double)index - ((double)g->n[a] - 1) / 2) * g->pitch[a];
	}
}

static gt_status put_numbers(gt_dicom *d, const writer *w, size_t slice)
{
	const gt_grid *g = &w->v->grid;
	const struct {
		int tag;
		double value;
	} all[] = {
		{ GT_SERIES_THICKNESS, g->pitch[2] },
		{ GT_SERIES_SPACING, g->pitch[2] },
		{ GT_SERIES_SERIES_NUMBER, 1 },
		{ GT_SERIES_NUMBER, (double)slice + 1 },
		{ GT_SERIES_SAMPLES, 1 },
		{ GT_SERIES_ROWS, (double)g->n[1] },
		{ GT_SERIES_COLUMNS, (double)g->n[0] },
		{ GT_SERIES_BITS, 16 },
		{ GT_SERIES_STORED, 16 },
		{ GT_SERIES_HIGH, 15 },
		{ GT_SERIES_SIGNED, 1 },
		{ GT_SERIES_WINDOW_CENTER, 40 },
		{ GT_SERIES_WINDOW_WIDTH, 400 },
		{ GT_SERIES_INTERCEPT, 0 },
		{ GT_SERIES_SLOPE, w->step },
	};
	const double axes[6] = { 1, 0, 0, 0, 1, 0 }, pixel[2] = { g->pitch[1], g->pitch[0] };
	double place[3];
	gt_status st = GT_OK;
	place_of(w->v, slice, place);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		GT_TRY(number(d, all[i].tag, all[i].value));
	GT_TRY(numbers(d, GT_SERIES_PLACE, 3, place));
	GT_TRY(numbers(d, GT_SERIES_AXES, 6, axes));
	GT_TRY(numbers(d, GT_SERIES_PIXEL, 2, pixel));
done:
	return st;
}

/* Converts one slice to samples in the file's order. */
static void fill_samples(const writer *w, const float *from)
{
	const size_t *n = w->v->grid.n;
	const int down[2] = { left_back_head(w->v, 0) < 0, left_back_head(w->v, 1) < 0 };
	for (size_t y = 0; y < n[1]; y++) {
		const float *line = from + (down[1] ? n[1] - 1 - y : y) * n[0];
		for (size_t x = 0; x < n[0]; x++) {
			const double hu = 1000 * (line[down[0] ? n[0] - 1 - x : x] / w->water - 1);
			w->sample[y * n[0] + x] = (uint16_t)(int16_t)lround(hu / w->step);
		}
	}
}

static gt_status write_slice(const writer *w, size_t slice, const float *data)
{
	const size_t *n = w->v->grid.n;
	char instance[GT_DICOM_UID], *file = NULL;
	gt_dicom *d = NULL;
	gt_status st;
	const size_t size = strlen(w->tmp) + 32;
	if (!(file = malloc(size)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", w->path);
	snprintf(file, size, "%s/%06zu.dcm", w->tmp, slice + 1);
	GT_TRY(gt_dicom_new(&d));
	GT_TRY(gt_dicom_uid(instance));
	GT_TRY(put_texts(d, w, instance));
	GT_TRY(put_numbers(d, w, slice));
	fill_samples(w, data);
	GT_TRY(gt_dicom_put_pixels(d, n[0] * n[1], w->sample));
	GT_TRY(gt_dicom_save(d, file));
done:
	gt_dicom_close(d);
	free(file);
	return st == GT_OK ? GT_OK : gt_fail_in(st, "%s", w->path);
}

/* Uses steps of 1 HU, or the smallest integer step with which all values fit into 16 bits. */
static void choose_step(writer *w, const gt_write_options *o)
{
	const double max = fmax(fabs(o->low), fabs(o->high));
	w->step = fmax(1, ceil(max / 32767));
	if (w->step > 1)
		gt_notify(&o->notes, GT_INFO, GT_ABOUT_DATA, "values reach %.4g HU: stored in steps of %g HU, to fit into 16 bits", max,
		          w->step);
}

static gt_status begin(writer *w, const gt_write_options *o)
{
	const size_t *n = w->v->grid.n;
	const time_t now = time(NULL);
	struct tm t;
	char *comment = NULL;
	gt_status st = GT_OK;
	if (o->unit == GT_PER_MM)
		return gt_fail(GT_ERR_ARG, "%s: DICOM CT images hold HU, but mm^-1 was requested", w->path);
	if (n[0] > 65535 || n[1] > 65535)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: slices of %zu x %zu: DICOM images have at most 65535 rows and columns", w->path,
		               n[0], n[1]);
	w->water = gt_hu_water(o, w->v);
	choose_step(w, o);
	if (!w->v->positioned)
		gt_notify(&o->notes, GT_INFO, GT_ABOUT_DATA,
		          "the patient position is unknown: %s is written, because DICOM needs one (set it with gantry convert "
		          "--position)",
		          gt_position_names[w->v->position]);
	localtime_r(&now, &t);
	strftime(w->date, sizeof w->date, "%Y%m%d", &t);
	strftime(w->time, sizeof w->time, "%H%M%S", &t);
	GT_TRY(gt_dicom_uid(w->study));
	GT_TRY(gt_dicom_uid(w->series));
	GT_TRY(gt_dicom_uid(w->frame));
	comment = gt_comment_of(o, 1, w->v);
	w->sample = malloc(n[0] * n[1] * sizeof *w->sample);
	if (!comment || !w->sample)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", w->path));
	snprintf(w->comment, sizeof w->comment, "%s", comment);
done:
	free(comment);
	return st;
}

/* Slices of the file are slices of the grid, from feet to head. */
static gt_status write_slices(gt_slice_writer *self, size_t first, size_t n, const float *data)
{
	const writer *w = (const writer *)self;
	const size_t plane = self->size[1] * self->size[2];
	const int down = left_back_head(w->v, 2) < 0;
	gt_status st = GT_OK;
	for (size_t z = 0; z < n && st == GT_OK; z++)
		st = write_slice(w, down ? self->size[0] - 1 - (first + z) : first + z, data + z * plane);
	return st;
}

static void drop_slices(gt_slice_writer *self)
{
	writer *w = (writer *)self;
	if (w->tmp)
		gt_tmp_drop(w->tmp);
	free(w->sample);
	free(w);
}

static gt_status commit_slices(gt_slice_writer *self)
{
	writer *w = (writer *)self;
	const gt_status st = gt_tmp_commit_folder(w->tmp, w->path);
	w->tmp = NULL;
	drop_slices(self);
	return st;
}

gt_status gt_series_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **out)
{
	const size_t *n = head->grid.n;
	gt_status st;
	writer *w = calloc(1, sizeof *w);
	if (!w)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	w->base = (struct gt_slice_writer){
		.path = path, .size = { n[2], n[1], n[0] }, .write = write_slices, .commit = commit_slices, .drop = drop_slices
	};
	w->path = path;
	w->v = head;
	GT_TRY(begin(w, o));
	GT_TRY(gt_tmp_folder(path, n[2], "dcm", &w->tmp));
	*out = &w->base;
done:
	if (st != GT_OK)
		drop_slices(&w->base);
	return st;
}

gt_status gt_series_write(const char *path, const gt_write_options *given, const gt_volume *v)
{
	gt_write_options o = *given;
	gt_slice_writer *w;
	o.low = INFINITY;
	o.high = -INFINITY;
	gt_extremes_extend(&o, v, gt_grid_voxels(&v->grid), v->data);
	const gt_status st = gt_series_create(path, &o, v, &w);
	return st != GT_OK ? st : gt_slice_writer_write_all(w, v->data);
}
