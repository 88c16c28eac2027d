/* Projections -> a folder of DICOM-CT-PD, one file for each view. Line integrals are quantised to 16 bits between the
 * minimum and the maximum of their view. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "io/dicom/dicom_ct_pd.h"
#include "io/tmp_list.h"

enum { GRAIN = 8, LEVELS = 65535 };

/* DICOM attributes in addition to the format's own table. */
static const gt_dicom_tag tag_instance = { 0x0008, 0x0018, "UI", "SOP Instance UID" },
			  tag_study = { 0x0020, 0x000D, "UI", "Study Instance UID" },
			  tag_pitch = { 0x0018, 0x9311, "FD", "Spiral Pitch Factor" },
			  tag_diameter = { 0x0018, 0x0090, "DS", "Data Collection Diameter" };
static const struct {
	gt_dicom_tag tag;
	const char *text;
} fixed_texts[] = {
	{ { 0x0008, 0x0008, "CS", "Image Type" }, "ORIGINAL\\PRIMARY\\CT_PROJECTION" },
	{ { 0x0008, 0x0016, "UI", "SOP Class UID" }, "1.2.840.10008.5.1.4.1.1.2" },
	{ { 0x0008, 0x0060, "CS", "Modality" }, "CT" },
	{ { 0x0008, 0x1090, "LO", "Manufacturer's Model Name" }, "written by Gantry" },
	{ { 0x0010, 0x0010, "PN", "Patient's Name" }, "" },
	{ { 0x0010, 0x0020, "LO", "Patient ID" }, "" },
	{ { 0x0028, 0x0004, "CS", "Photometric Interpretation" }, "MONOCHROME2" },
	{ { 0x7029, 0x0010, "LO", "private creator" }, "DetectorSystemArrangementModule" },
	{ { 0x7031, 0x0010, "LO", "private creator" }, "DetectorDynamicsModule" },
	{ { 0x7033, 0x0010, "LO", "private creator" }, "SourceDynamicsModule" },
	{ { 0x7037, 0x0010, "LO", "private creator" }, "ProjectionDataDefinitions" },
	{ { 0x7039, 0x0010, "LO", "private creator" }, "PreprocessingFlagsModule" },
	{ { 0x7041, 0x0010, "LO", "private creator" }, "WaterAttenuationModule" },
};
static const struct {
	gt_dicom_tag tag;
	double number;
} fixed_numbers[] = {
	{ { 0x0028, 0x0002, "US", "Samples per Pixel" }, 1 },
	{ { 0x0028, 0x0101, "US", "Bits Stored" }, 16 },
	{ { 0x0028, 0x0102, "US", "High Bit" }, 15 },
};

typedef struct {
	const char *path, *tmp;
	const gt_write_options *o;
	const gt_projections *p;
	gt_ctpd_head head; /* shared by all views; NAN and "": not written */
	double pitch, diameter;
	char study[GT_DICOM_UID];
	int flip_columns, flip_rows; /* the files' direction is opposite to the array's */
	size_t stride[2];
	gt_ctpd_work work;
} writing;

/* Header ---------------------------------------------------------------- */

static const char *spot_mode(const gt_scan *s)
{
	int axial = 0, in_plane = 0, columns, rows;
	gt_ctpd_place p;
	for (size_t v = 0; v < s->views && !(axial && in_plane); v++) {
		gt_ctpd_place_of(s, v, &p, &columns, &rows);
		axial |= p.shift[2] != 0;
		in_plane |= p.shift[0] != 0 || p.shift[1] != 0;
	}
	return axial ? in_plane ? "FFSXYZ" : "FFSZ" : in_plane ? "FFSXY" : "FFSNONE";
}

/* GT_ERR_UNSUPPORTED unless the format can represent every view, all with the first one's radius and pixel
 * directions. */
static gt_status check_views(writing *w, double *radius)
{
	const gt_scan *s = w->p->scan;
	int columns, rows;
	for (size_t v = 0; v < s->views; v++) {
		gt_ctpd_place p;
		const gt_status st = gt_ctpd_place_of(s, v, &p, &columns, &rows);
		if (st != GT_OK)
			return st;
		if (v == 0) {
			*radius = p.radius;
			w->flip_columns = columns;
			w->flip_rows = rows;
		}
		if (fabs(p.radius - *radius) > 1e-6 * *radius || columns != w->flip_columns || rows != w->flip_rows)
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "view %zu: its detector pose differs from view 0: DICOM-CT-PD cannot describe that", v);
	}
	return GT_OK;
}

static void set_center(writing *w)
{
	const gt_scan *s = w->p->scan;
	const double columns = (double)s->columns, rows = (double)s->rows;
	const double column = w->flip_columns ? columns - 1 - s->column_center : s->column_center,
		     row = w->flip_rows ? rows - 1 - s->row_center : s->row_center;
	w->head.center[0] = gt_ctpd_counts_from_last(&w->o->dicom, w->head.text[PD_MAKER]) ? columns - 1 - column : column + 1;
	w->head.center[1] = row + 1;
}

static void set_numbers(writing *w, double radius)
{
	const gt_scan *s = w->p->scan;
	const int by_row = w->o->dicom.lines_are_rows;
	double *x = w->head.number, turn = fabs(gt_scan_angular_range(s));
	x[PD_LINES] = (double)(by_row ? s->rows : s->columns);
	x[PD_SAMPLES] = (double)(by_row ? s->columns : s->rows);
	x[PD_BITS] = 16;
	x[PD_SIGNED] = 0;
	x[PD_ROWS] = (double)s->rows;
	x[PD_COLUMNS] = (double)s->columns;
	x[PD_TRANSVERSE] = s->column_pitch;
	x[PD_AXIAL] = s->row_pitch;
	x[PD_RADIUS] = radius;
	x[PD_DISTANCE] = s->source_to_detector;
	if (turn > 0)
		x[PD_STEPS] = fmin(LEVELS, round((double)s->views * 2 * GT_PI / turn));
	if (w->p->water > 0)
		x[PD_WATER] = w->p->water;
	if (gt_scan_is_helical(s)) {
		x[PD_FEED] = s->pitch_per_turn;
		w->pitch = s->pitch_per_turn * s->source_to_detector / ((double)s->rows * s->row_pitch * radius);
	}
	w->diameter = 2 * gt_scan_field_of_view(s, NULL, NULL);
	x[PD_SOURCE] = x[PD_SPECTRUM] = 1;
	w->stride[0] = by_row ? 1 : s->rows;
	w->stride[1] = by_row ? s->columns : 1;
}

static gt_status make_head(writing *w)
{
	const gt_scan *s = w->p->scan;
	const gt_dicom_style *style = &w->o->dicom;
	char(*text)[GT_DICOM_UID] = w->head.text;
	gt_status st = GT_OK;
	double radius = 0;
	if (s->rows > LEVELS || s->columns > LEVELS)
		return gt_fail(GT_ERR_UNSUPPORTED, "%zu rows x %zu columns: DICOM has at most 65535", s->rows, s->columns);
	GT_TRY(check_views(w, &radius));
	w->flip_rows = !w->flip_rows;
	for (int i = 0; i < PD_NNUMBERS; i++)
		w->head.number[i] = NAN;
	set_numbers(w, radius);
	for (int i = PD_HARDENING; i <= PD_LOG; i++)
		strcpy(text[i], "YES");
	snprintf(text[PD_MAKER], sizeof text[PD_MAKER], "%s", style->maker ? style->maker : "Gantry");
	strcpy(text[PD_POSITION], gt_position_names[w->p->position]);
	strcpy(text[PD_SHAPE], s->shape == GT_FLAT ? "FLAT" : "CYLINDRICAL");
	strcpy(text[PD_SPOT], spot_mode(s));
	strcpy(text[PD_TYPE], gt_scan_is_helical(s) ? "HELICAL" : "AXIAL");
	strcpy(text[PD_BEAM], "FANBEAM");
	GT_TRY(gt_dicom_uid(text[PD_SERIES]));
	GT_TRY(gt_dicom_uid(w->study));
	set_center(w);
done:
	return st;
}

/* Views --------------------------------------------------------------- */

/* Rounds to nine digits, which fit into a decimal string with any sign and exponent: computations use the written
 * value. */
static double nine_digits(double x)
{
	char text[32];
	gt_snprintf(text, sizeof text, "%.9g", x);
	return gt_strtod(text, NULL);
}

static void quantise(const writing *w, size_t view, gt_ctpd_head *h, uint16_t *sample)
{
	const gt_scan *s = w->p->scan;
	const float *p = w->p->data + view * s->rows * s->columns;
	double min = p[0], max = p[0];
	for (size_t i = 1; i < s->rows * s->columns; i++) {
		min = fmin(min, p[i]);
		max = fmax(max, p[i]);
	}
	const double slope = nine_digits(max > min ? (max - min) / LEVELS : 1), intercept = nine_digits(min);
	h->number[PD_SLOPE] = slope;
	h->number[PD_INTERCEPT] = intercept;
	for (size_t l = 0; l < s->rows; l++)
		for (size_t k = 0; k < s->columns; k++) {
			const size_t column = w->flip_columns ? s->columns - 1 - k : k, row = w->flip_rows ? s->rows - 1 - l : l;
			const double level = round((p[l * s->columns + k] - intercept) / slope);
			sample[column * w->stride[0] + row * w->stride[1]] = (uint16_t)fmin(LEVELS, fmax(0, level));
		}
}

/* The format stores one count for each column: the mean over the rows. */
static gt_status put_photons(const writing *w, size_t view, gt_dicom *d, double *count)
{
	const gt_scan *s = w->p->scan;
	if (!w->p->photons)
		return w->o->dicom.photons > 0 ? gt_dicom_put_numbers(d, &gt_ctpd_photons, 1, &w->o->dicom.photons) : GT_OK;
	const float *photons = w->p->photons + view * s->rows * s->columns;
	for (size_t k = 0; k < s->columns; k++) {
		double sum = 0;
		for (size_t l = 0; l < s->rows; l++)
			sum += photons[l * s->columns + k];
		count[w->flip_columns ? s->columns - 1 - k : k] = sum / (double)s->rows;
	}
	return gt_dicom_put_numbers(d, &gt_ctpd_photons, s->columns, count);
}

static gt_status put_head(const writing *w, const gt_ctpd_head *h, gt_dicom *d)
{
	gt_status st = GT_OK;
	char instance[GT_DICOM_UID];
	GT_TRY(gt_dicom_uid(instance));
	GT_TRY(gt_dicom_put_text(d, &tag_instance, instance));
	GT_TRY(gt_dicom_put_text(d, &tag_study, w->study));
	for (size_t i = 0; i < sizeof fixed_texts / sizeof *fixed_texts; i++)
		GT_TRY(gt_dicom_put_text(d, &fixed_texts[i].tag, fixed_texts[i].text));
	for (size_t i = 0; i < sizeof fixed_numbers / sizeof *fixed_numbers; i++)
		GT_TRY(gt_dicom_put_numbers(d, &fixed_numbers[i].tag, 1, &fixed_numbers[i].number));
	for (int i = 0; i < PD_NNUMBERS; i++)
		if (!isnan(h->number[i]))
			GT_TRY(gt_dicom_put_numbers(d, &gt_ctpd_number[i], 1, &h->number[i]));
	for (int i = 0; i < PD_NTEXTS; i++)
		GT_TRY(gt_dicom_put_text(d, &gt_ctpd_text[i], h->text[i]));
	GT_TRY(gt_dicom_put_numbers(d, &gt_ctpd_center, 2, h->center));
	if (w->pitch > 0)
		GT_TRY(gt_dicom_put_numbers(d, &tag_pitch, 1, &w->pitch));
	if (w->diameter > 0)
		GT_TRY(gt_dicom_put_numbers(d, &tag_diameter, 1, &w->diameter));
done:
	return st;
}

static gt_status write_view(const writing *w, size_t view, uint16_t *sample, double *count)
{
	const size_t cells = w->p->scan->rows * w->p->scan->columns;
	char path[4096];
	gt_ctpd_head h = w->head;
	gt_ctpd_place place;
	gt_dicom *d = NULL;
	gt_status st = GT_OK;
	int columns, rows;
	if (snprintf(path, sizeof path, "%s/%06zu.dcm", w->tmp, view + 1) >= (int)sizeof path)
		return gt_fail(GT_ERR_IO, "%s: the path is too long", w->path);
	GT_TRY(gt_ctpd_place_of(w->p->scan, view, &place, &columns, &rows));
	h.number[PD_NUMBER] = (double)view + 1;
	h.number[PD_ANGLE] = place.angle;
	h.number[PD_HEIGHT] = place.z;
	h.number[PD_SHIFT_ANGLE] = place.shift[0];
	h.number[PD_SHIFT_R] = place.shift[1];
	h.number[PD_SHIFT_Z] = place.shift[2];
	quantise(w, view, &h, sample);
	GT_TRY(gt_dicom_new(&d));
	GT_TRY(put_head(w, &h, d));
	GT_TRY(put_photons(w, view, d, count));
	GT_TRY(gt_dicom_put_pixels(d, cells, sample));
	st = gt_dicom_save(d, path);
done:
	gt_dicom_close(d);
	return st == GT_OK ? GT_OK : gt_fail_in(st, "%s", w->path);
}

static void write_views(void *self, size_t begin, size_t end, int worker)
{
	writing *w = self;
	const gt_scan *s = w->p->scan;
	uint16_t *sample = malloc(s->rows * s->columns * sizeof *sample);
	double *count = malloc(s->columns * sizeof *count);
	for (size_t v = begin; v < end; v++)
		if (gt_ctpd_work_wants(&w->work, v))
			gt_ctpd_work_did(&w->work, v,
			                 sample && count ? write_view(w, v, sample, count)
			                                 : gt_fail(GT_ERR_MEMORY, "%s: out of memory", w->path),
			                 worker);
	free(sample);
	free(count);
}

/* A mask of interpolated pixels may be lost, statistical weights and pixels without a value not. */
static int weights_are_a_mask(const gt_projections *p)
{
	size_t others = 0;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		others += p->weight[i] != 1 && p->weight[i] != GT_INTERPOLATED_WEIGHT;
	return !others;
}

static gt_status refuse_losses(const gt_projections *p, const gt_write_options *o, const char *path)
{
	if (!p->data)
		return gt_fail(GT_ERR_UNSUPPORTED, "there are no projections: DICOM-CT-PD has no scans without projections");
	if (p->weight && !weights_are_a_mask(p))
		return gt_fail(GT_ERR_UNSUPPORTED, "there are weights, which DICOM-CT-PD cannot store");
	if (p->filtered)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "the projections are weighted and filtered already: DICOM-CT-PD cannot store them: expected line integrals");
	if (p->weight)
		gt_notify(&o->notes, GT_WARNING, GT_ABOUT_DATA,
		          "%s: DICOM-CT-PD has no weights: interpolated pixels, of weight %g, count as measured ones", path,
		          (double)GT_INTERPOLATED_WEIGHT);
	return GT_OK;
}

gt_status gt_dicom_ct_pd_write(const char *path, const gt_write_options *o, const gt_projections *p)
{
	writing w = { .path = path, .o = o, .p = p, .work = { .progress = o->progress, .self = o->progress_self, .to = 1 } };
	gt_pool *pool = NULL;
	char *tmp = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_fail_in(refuse_losses(p, o, path), "%s", path));
	GT_TRY(gt_fail_in(make_head(&w), "%s", path));
	GT_TRY(gt_pool_new(0, &pool));
	GT_TRY(gt_tmp_folder(path, p->scan->views, "dcm", &tmp));
	w.tmp = tmp;
	gt_ctpd_work_start(&w.work, p->scan->views);
	gt_parallel(pool, p->scan->views, GRAIN, write_views, &w);
	GT_TRY(gt_ctpd_work_end(&w.work));
	st = gt_tmp_commit_folder(tmp, path);
	tmp = NULL;
done:
	gt_tmp_drop(tmp);
	gt_pool_free(pool);
	return st;
}
