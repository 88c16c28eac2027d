/* Round trips of DICOM-CT-PD folders: both ways of counting and of storing, and the order of views.
 * labels: unit property, backend: none */
#include "geometry/projections.h"
#include "tests/io/ct_pd_folder.h"
#include "tests/io/dicom_bytes.h"

static const gt_dicom_tag timed = { 0x7033, 0x1067, "FL", "" };

GT_TESTS(what_is_written_comes_back, 4)
{
	static const gt_shape shapes[] = { GT_ARC, GT_FLAT };
	gt_projections *p = projections(shapes[_i % 2], _i / 2 ? 0 : 29.7), *q = NULL;
	ck_ok(write_as(p, NULL));
	ck_ok(read_as(NULL, &q));
	same(p, q);
	ck_assert_double_eq_tol(q->scan->pitch_per_turn, _i / 2 ? 0 : 29.7, 0.5);
	ck_assert_ptr_nonnull(strstr(note, "of Gantry: central column 10.25 of 17, counted from 1 and the first"));
	ck_refused(write_as(p, NULL), GT_ERR_IO, "scan: already exists and is not empty");
	/* values that were read once are stored without rounding */
	gt_projections *r = NULL;
	empty_folder();
	ck_ok(write_as(q, NULL));
	ck_ok(read_as(NULL, &r));
	ck_assert_int_eq(memcmp(q->scan->view, r->scan->view, VIEWS * sizeof *q->scan->view), 0);
	for (size_t i = 0; i < gt_scan_size(q->scan); i++)
		ck_assert_double_eq_tol(q->data[i], r->data[i], 1e-6);
	gt_projections_free(r);
	gt_projections_free(p);
	gt_projections_free(q);
}

/* Both manufacturers, both image orders: the same scan if reader and writer use the same convention, else another. */
GT_TESTS(styles, 4)
{
	static const struct {
		gt_dicom_style style;
		double column;
	} all[] = {
		{ { .maker = "GE MEDICAL SYSTEMS" }, 7.75 - 1 },
		{ { .maker = "SIEMENS", .lines_are_rows = 1 }, 9.25 + 1 },
		{ { .maker = "SIEMENS", .central = GT_CENTRAL_LAST }, 7.75 - 1 },
		{ { .maker = "GE", .central = GT_CENTRAL_FIRST, .lines_are_rows = 1 }, 9.25 + 1 },
	};
	const gt_dicom_style *style = &all[_i].style;
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	char path[128];
	gt_dicom *d;
	double at[2];
	ck_ok(write_as(p, style));
	ck_ok(read_as(style, &q));
	same(p, q);
	snprintf(path, sizeof path, "%s/000007.dcm", dir);
	ck_ok(gt_dicom_open(path, &d));
	ck_ok(gt_dicom_numbers(d, &center, 2, at));
	gt_dicom_close(d);
	ck_assert_double_eq_tol(at[0], all[_i].column, 1e-6);
	ck_assert_double_eq_tol(at[1], 2.3 + 1, 1e-6);
	gt_projections_free(q);
	gt_dicom_style other = *style;
	other.central = at[0] < 8 ? GT_CENTRAL_FIRST : GT_CENTRAL_LAST;
	ck_ok(read_as(&other, &q));
	ck_assert(fabs(q->scan->column_center - p->scan->column_center) > 0.5);
	gt_projections_free(q);
	gt_projections_free(p);
}

GT_TEST(photon_statistics)
{
	gt_dicom_style style = { .photons = 12345 };
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	free(p->photons);
	p->photons = NULL;
	ck_ok(write_as(p, &style));
	ck_ok(read_as(NULL, &q));
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		ck_assert(q->photons[i] == 12345);
	gt_projections_free(q);
	gt_read_options alone = gt_read_defaults;
	alone.without_statistics = 1;
	ck_ok(gt_read_projections(dir, &alone, &q));
	ck_assert(q->data && !q->photons);
	gt_projections_free(q);
	style.without_photons = 1;
	ck_ok(read_as(&style, &q));
	ck_assert_ptr_null(q->photons);
	gt_projections_free(q);
	change(5, &photons, 0);
	refused("000005.dcm: (7033,1065) photon statistics: value 1 is 0: expected counts above 0");
	gt_projections_free(p);
}

/* Without instance numbers the time gives the order. */
GT_TEST(order_by_time)
{
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	ck_ok(write_as(p, NULL));
	for (int i = 1; i <= VIEWS; i++) {
		gt_dicom *d = open_view(i);
		const double time = 0.25 * i;
		ck_ok(gt_dicom_put_numbers(d, &timed, 1, &time));
		if (i == 6)
			ck_ok(gt_dicom_put_text(d, &number, ""));
		else
			ck_ok(gt_dicom_put_numbers(d, &number, 1, &(double){ VIEWS - i }));
		save_view(d, i);
	}
	ck_ok(read_as(NULL, &q));
	same(p, q);
	gt_projections_free(q);
	change_text(6, &timed, "");
	refused("000006.dcm: neither (0020,0013) Instance Number nor (7033,1067) time stamp: expected one of them");
	gt_projections_free(p);
}

/* A mask of interpolated pixels is lost with a note; a pixel without a value is not. */
GT_TEST(mask_of_interpolated_pixels)
{
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	const size_t n = gt_scan_size(p->scan);
	gt_write_options o = gt_write_defaults;
	o.format = "dicom-ct-pd";
	o.notes = notes_into(note);
	p->weight = malloc(n * sizeof *p->weight);
	for (size_t i = 0; i < n; i++)
		p->weight[i] = i % 7 ? 1 : GT_INTERPOLATED_WEIGHT;
	ck_ok(gt_write_projections(dir, &o, p));
	ck_assert_msg(strstr(note, "DICOM-CT-PD has no weights: interpolated pixels, of weight 0.1, count as measured ones") != NULL, "%s",
	              note);
	ck_ok(read_as(NULL, &q));
	same(p, q);
	gt_projections_free(q);
	p->weight[3] = 0;
	ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "there are weights");
	gt_projections_free(p);
}

GT_TEST(what_cannot_be_written)
{
	gt_projections *p = projections(GT_ARC, 29.7);
	p->weight = p->photons;
	ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "there are weights");
	p->weight = NULL;
	gt_view *w = &p->scan->view[4];
	for (int a = 0; a < 2; a++) {
		w->source[a] += 0.1 * w->column_axis[a];
		w->detector[a] += 0.1 * w->column_axis[a];
		w->arc_center[a] += 0.1 * w->column_axis[a];
	}
	ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "view 4: the central ray does not meet the axis");
	for (int a = 0; a < 2; a++) {
		w->source[a] -= 0.1 * w->column_axis[a] - 0.2 * w->column_axis[1 - a] * (a ? -1 : 1);
		w->detector[a] -= 0.1 * w->column_axis[a] - 0.2 * w->column_axis[1 - a] * (a ? -1 : 1);
		w->arc_center[a] -= 0.1 * w->column_axis[a] - 0.2 * w->column_axis[1 - a] * (a ? -1 : 1);
	}
	ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "view 4: its detector pose differs from view 0");
	gt_write_options o = gt_write_defaults;
	o.format = "dicom";
	ck_refused(gt_can_write_projections(dir, &o), GT_ERR_ARG, "in the format 'dicom': expected one of: netcdf, dicom-ct-pd");
	o.format = "dicom-ct-pd";
	ck_ok(gt_can_write_projections(dir, &o));
	ck_refused(gt_can_write_projections("/nowhere/scan", &o), GT_ERR_IO, "cannot create a folder in the folder '/nowhere/'");
	gt_projections_free(p);
}

int main(void) { return dicom_is_missing() ? 77 : gt_test_main_with("dicom_ct_pd", setup, teardown); }
