#ifndef GT_TESTS_IO_CT_PD_FOLDER_H
#define GT_TESTS_IO_CT_PD_FOLDER_H
/* A folder of DICOM-CT-PD: written, read, compared, and single files of it changed. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/dicom/dicom.h"
#include "tests/io/notes.h"
#include "tests/support/support.h"

enum { VIEWS = 23, ROWS = 5, COLUMNS = 17 };

static char folder[64], dir[96], note[NOTES];
static const gt_dicom_tag number = { 0x0020, 0x0013, "IS", "" }, angle = { 0x7031, 0x1001, "FL", "" },
			  photons = { 0x7033, 0x1065, "FL", "" }, center = { 0x7031, 0x1033, "FL", "" };

static inline void empty_folder(void)
{
	char path[512];
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static inline void setup(void)
{
	gt_test_folder(folder);
	snprintf(dir, sizeof dir, "%s/scan", folder);
}

static inline void teardown(void)
{
	empty_folder();
	gt_test_folder_remove(folder);
}

/* An off-centre helix with a flying focal spot, quarter offset, a start angle and measured table positions. */
static inline gt_projections *projections(gt_shape form, double pitch)
{
	static const double spot[][3] = { { 0.3, 0.7, -0.4 }, { -0.25, 0.1, 0.5 } };
	const gt_orbit o = { .shape = form,
		             .views = VIEWS,
		             .rows = ROWS,
		             .columns = COLUMNS,
		             .source_to_axis = 541,
		             .source_to_detector = 949,
		             .column_pitch = 20.5,
		             .row_pitch = 7.25,
		             .column_offset = 1.25,
		             .row_offset = -0.3,
		             .start_angle = 2.1,
		             .turn = 7.7,
		             .pitch_per_turn = pitch,
		             .z_center = 33,
		             .spot = spot,
		             .spots = 2 };
	gt_projections *p = gt_projections_blank();
	ck_ok(gt_scan_orbit(&o, &p->scan));
	const size_t n = gt_scan_size(p->scan);
	float measured[VIEWS];
	gt_test_random(7, VIEWS, measured);
	for (size_t v = 0; v < VIEWS && pitch != 0; v++) {
		gt_view *w = &p->scan->view[v];
		w->source[2] += 0.2 * measured[v];
		w->detector[2] += 0.2 * measured[v];
		w->arc_center[2] += 0.2 * measured[v];
	}
	p->data = malloc(n * sizeof *p->data);
	p->photons = malloc(n * sizeof *p->photons);
	gt_test_random(3, n, p->data);
	for (size_t i = 0; i < n; i++) {
		p->data[i] = 3 + 3.1f * p->data[i];
		p->photons[i] = (float)(1000 + 37 * (i % COLUMNS) + i / (ROWS * COLUMNS));
	}
	p->water = 0.0193;
	p->position = GT_FFP;
	return p;
}

static inline gt_status write_as(const gt_projections *p, const gt_dicom_style *style)
{
	gt_write_options o = gt_write_defaults;
	o.format = "dicom-ct-pd";
	if (style)
		o.dicom = *style;
	return gt_write_projections(dir, &o, p);
}

static inline gt_status read_as(const gt_dicom_style *style, gt_projections **p)
{
	gt_read_options o = gt_read_defaults;
	if (style)
		o.dicom = *style;
	o.notes = notes_into(note);
	return gt_read_projections(dir, &o, p);
}

static inline void near(const double *a, const double *b, double tolerance)
{
	for (int i = 0; i < 3; i++)
		ck_assert_double_eq_tol(a[i], b[i], tolerance);
}

/* Positions in single precision, line integrals to half a step of 6.2/65535, counts to the stored digits. */
static inline void same(const gt_projections *p, const gt_projections *q)
{
	const gt_scan *s = p->scan, *t = q->scan;
	ck_assert_int_eq(s->shape, t->shape);
	ck_assert_uint_eq(s->views, t->views);
	ck_assert_uint_eq(s->rows, t->rows);
	ck_assert_uint_eq(s->columns, t->columns);
	ck_assert_double_eq_tol(s->column_center, t->column_center, 1e-6);
	ck_assert_double_eq_tol(s->row_center, t->row_center, 1e-6);
	ck_assert_double_eq_tol(s->column_pitch, t->column_pitch, 1e-5);
	ck_assert_double_eq_tol(s->source_to_axis, t->source_to_axis, 1e-4);
	for (size_t v = 0; v < s->views; v++) {
		near(s->view[v].source, t->view[v].source, 2e-4);
		near(s->view[v].detector, t->view[v].detector, 2e-4);
		near(s->view[v].column_axis, t->view[v].column_axis, 1e-6);
		near(s->view[v].row_axis, t->view[v].row_axis, 1e-12);
		if (s->shape == GT_ARC)
			for (int a = 0; a < 2; a++)
				ck_assert_double_eq_tol(s->view[v].arc_center[a], t->view[v].arc_center[a], 2e-4);
	}
	for (size_t i = 0; i < gt_scan_size(s); i++) {
		ck_assert_double_eq_tol(p->data[i], q->data[i], 6.2 / 65535 / 2 + 1e-6);
		ck_assert_double_eq_tol(p->photons[i], q->photons[i], 1e-3);
	}
	ck_assert_double_eq_tol(p->water, q->water, 1e-12);
	ck_assert_int_eq(p->position, q->position);
}

/* Opens view n of the folder, counted from 1 as in file names; save_view() stores the changed view. */
static inline gt_dicom *open_view(int n)
{
	char path[128];
	gt_dicom *d;
	snprintf(path, sizeof path, "%s/%06d.dcm", dir, n);
	ck_ok(gt_dicom_open(path, &d));
	return d;
}

static inline void save_view(gt_dicom *d, int n)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%06d.dcm", dir, n);
	ck_ok(gt_dicom_save(d, path));
	gt_dicom_close(d);
}

static inline void change_text(int n, const gt_dicom_tag *tag, const char *text)
{
	gt_dicom *d = open_view(n);
	ck_ok(gt_dicom_put_text(d, tag, text));
	save_view(d, n);
}

static inline void change(int n, const gt_dicom_tag *tag, double value)
{
	gt_dicom *d = open_view(n);
	ck_ok(gt_dicom_put_numbers(d, tag, 1, &value));
	save_view(d, n);
}

static inline void write_scan(double pitch)
{
	gt_projections *p = projections(GT_ARC, pitch);
	empty_folder();
	ck_ok(write_as(p, NULL));
	gt_projections_free(p);
}

static inline void refused(const char *text)
{
	gt_projections *p = NULL;
	ck_refused(read_as(NULL, &p), GT_ERR_FORMAT, text);
	ck_assert_ptr_null(p);
}

static inline void remark(const char *text)
{
	gt_projections *p = NULL;
	ck_ok(read_as(NULL, &p));
	ck_assert_msg(strstr(note, text) != NULL, "'%s' is not in the note '%s'", text, note);
	gt_projections_free(p);
}
#endif
