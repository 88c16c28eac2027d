/* Folders of DICOM-CT-PD: what is written comes back, both ways of counting and of storing; what is missing, twice there or contradicts
 * itself is refused by name.
 * labels: unit property, backend: none */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/dicom.h"
#include "io/format.h"
#include "tests/io/dicom_bytes.h"
#include "tests/support/support.h"

#define PI 3.14159265358979323846
enum { VIEWS = 23, ROWS = 5, COLUMNS = 17 };

static char folder[64], dir[96], note[1024];
static const gt_dicom_tag number = { 0x0020, 0x0013, "IS", "" }, angle = { 0x7031, 0x1001, "FL", "" },
			  height = { 0x7031, 0x1002, "FL", "" }, spot_radius = { 0x7033, 0x100D, "FL", "" },
			  series = { 0x0020, 0x000E, "UI", "" }, spectrum = { 0x7033, 0x1063, "US", "" },
			  source = { 0x7033, 0x105D, "US", "" }, rows = { 0x7029, 0x1010, "US", "" }, type = { 0x7037, 0x1009, "CS", "" },
			  shape = { 0x7029, 0x100B, "CS", "" }, bits = { 0x0028, 0x0100, "US", "" }, logs = { 0x7039, 0x1009, "CS", "" },
			  photons = { 0x7033, 0x1065, "FL", "" }, center = { 0x7031, 0x1033, "FL", "" },
			  scatter = { 0x7039, 0x1008, "CS", "" }, timed = { 0x7033, 0x1067, "FL", "" };

static void empty_folder(void)
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

static int built_without(void)
{
	gt_dicom *d;
	const int without = gt_dicom_new(&d) != GT_OK;
	gt_dicom_close(without ? NULL : d);
	return without;
}

static void setup(void)
{
	strcpy(folder, "/tmp/gantry-ct-pd-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(dir, sizeof dir, "%s/scan", folder);
}

static void teardown(void)
{
	empty_folder();
	ck_assert_msg(rmdir(folder) == 0, "something was left in %s", folder);
}

/* A helix with everything off centre: a flying focal spot, quarter offset, a start angle, table positions as measured. */
static gt_projections *projections(gt_shape form, double pitch)
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
	gt_projections *p = calloc(1, sizeof *p);
	ck_ok(gt_scan_orbit(&o, &p->scan));
	const size_t n = gt_scan_cells(p->scan);
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

static gt_status write_as(const gt_projections *p, const gt_dicom_style *style)
{
	gt_write_options o = gt_write_defaults;
	o.format = "dicom-ct-pd";
	if (style)
		o.dicom = *style;
	return gt_write_projections(dir, &o, p);
}

static gt_status read_as(const gt_dicom_style *style, gt_projections **p)
{
	gt_read_options o = gt_read_defaults;
	if (style)
		o.dicom = *style;
	o.note = note;
	o.note_size = sizeof note;
	return gt_read_projections(dir, &o, p);
}

static void near(const double *a, const double *b, double tolerance)
{
	for (int i = 0; i < 3; i++)
		ck_assert_double_eq_tol(a[i], b[i], tolerance);
}

/* Places to single precision, line integrals to half of a 65535th of the range of 6.2, counts to their digits. */
static void same(const gt_projections *p, const gt_projections *q)
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
	for (size_t i = 0; i < gt_scan_cells(s); i++) {
		ck_assert_double_eq_tol(p->data[i], q->data[i], 6.2 / 65535 / 2 + 1e-6);
		ck_assert_double_eq_tol(p->photons[i], q->photons[i], 1e-3);
	}
	ck_assert_double_eq_tol(p->water, q->water, 1e-12);
	ck_assert_int_eq(p->position, q->position);
}

START_TEST(what_is_written_comes_back)
{
	static const gt_shape shapes[] = { GT_ARC, GT_FLAT };
	gt_projections *p = projections(shapes[_i % 2], _i / 2 ? 0 : 29.7), *q = NULL;
	if (built_without())
		ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "built without DCMTK");
	else {
		ck_ok(write_as(p, NULL));
		ck_ok(read_as(NULL, &q));
		same(p, q);
		ck_assert_double_eq_tol(q->scan->pitch_per_turn, _i / 2 ? 0 : 29.7, 0.5);
		ck_assert_ptr_nonnull(strstr(note, "of Gantry: central column 10.25 of 17, counted from 1 and the first"));
		ck_refused(write_as(p, NULL), GT_ERR_IO, "scan: is there and is not empty");
		/* What was read has nothing that files would round away. */
		gt_projections *r = NULL;
		empty_folder();
		ck_ok(write_as(q, NULL));
		ck_ok(read_as(NULL, &r));
		ck_assert_int_eq(memcmp(q->scan->view, r->scan->view, VIEWS * sizeof *q->scan->view), 0);
		for (size_t i = 0; i < gt_scan_cells(q->scan); i++)
			ck_assert_double_eq_tol(q->data[i], r->data[i], 1e-6);
		gt_projections_free(r);
	}
	gt_projections_free(p);
	gt_projections_free(q);
}
END_TEST

/* Both makers, both orders of the image: the same scan if the reader counts as the writer did, else another one. */
START_TEST(styles)
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
	if (!built_without()) {
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
	}
	gt_projections_free(p);
}
END_TEST

/* Opens view n of the folder, changes it, saves it under a name. */
static gt_dicom *open_view(int n)
{
	char path[128];
	gt_dicom *d;
	snprintf(path, sizeof path, "%s/%06d.dcm", dir, n);
	ck_ok(gt_dicom_open(path, &d));
	return d;
}

static void save_view(gt_dicom *d, int n)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%06d.dcm", dir, n);
	ck_ok(gt_dicom_save(d, path));
	gt_dicom_close(d);
}

static void change_text(int n, const gt_dicom_tag *tag, const char *text)
{
	gt_dicom *d = open_view(n);
	ck_ok(gt_dicom_put_text(d, tag, text));
	save_view(d, n);
}

static void change(int n, const gt_dicom_tag *tag, double value)
{
	gt_dicom *d = open_view(n);
	ck_ok(gt_dicom_put_numbers(d, tag, 1, &value));
	save_view(d, n);
}

static void write_scan(double pitch)
{
	gt_projections *p = projections(GT_ARC, pitch);
	empty_folder();
	ck_ok(write_as(p, NULL));
	gt_projections_free(p);
}

static void refused(const char *text)
{
	gt_projections *p = NULL;
	ck_refused(read_as(NULL, &p), GT_ERR_FORMAT, text);
	ck_assert_ptr_null(p);
}

static void remark(const char *text)
{
	gt_projections *p = NULL;
	ck_ok(read_as(NULL, &p));
	ck_assert_msg(strstr(note, text) != NULL, "'%s' is not in the note '%s'", text, note);
	gt_projections_free(p);
}

/* One thing wrong in one file. */
START_TEST(one_bad_view)
{
	static const struct {
		const gt_dicom_tag *tag;
		const char *text;
		double value;
		const char *why;
	} all[] = {
		{ &series, "1.2.3", 0, "000004.dcm: (0020,000E) Series Instance UID is '1.2.3', and '" },
		{ &spectrum, NULL, 2, "000004.dcm: (7033,1063) spectrum index is 2, and 1 in" },
		{ &source, NULL, 2, "000004.dcm: (7033,105D) source index is 2, and 1 in" },
		{ &rows, NULL, 6, "000004.dcm: (7029,1010) number of detector rows is 6, and 5 in" },
		{ &number, NULL, 3, "000003.dcm and" },
		{ &angle, NULL, 0.4, "000004.dcm: (7031,1001) focal centre angular position jumps" },
		{ &height, NULL, 60, "000004.dcm: (7031,1002) focal centre axial position jumps: " },
		{ &spot_radius, NULL, -60, "000004.dcm: (7033,100B), (7033,100D), (7033,100C) source shifts are " },
		{ &bits, NULL, 8, "000004.dcm: (0028,0100) Bits Allocated is 8: expected 16" },
		{ &logs, "NO", 0, "(7039,1009) log flag is 'NO': expected YES" },
		{ &shape, "SPHERICAL", 0, "(7029,100B) detector shape is 'SPHERICAL': expected CYLINDRICAL or FLAT" },
		{ &photons, NULL, 0, "000004.dcm: (7033,1065) photon statistics holds 1 values" },
		{ &center, NULL, 4, "000004.dcm: (7031,1033) detector central element: 1 numbers, expected 2" },
		{ &angle, "", 0, "000004.dcm: (7031,1001) focal centre angular position: missing" },
	};
	if (built_without())
		return;
	write_scan(29.7);
	if (all[_i].text)
		change_text(4, all[_i].tag, all[_i].text);
	else
		change(4, all[_i].tag, all[_i].value);
	refused(all[_i].why);
}
END_TEST

START_TEST(what_the_folder_holds)
{
	char path[128], other[128];
	if (built_without())
		return;
	write_scan(29.7);
	/* Names tell nothing: a view changes its name, and others come beside it. */
	snprintf(path, sizeof path, "%s/000003.dcm", dir);
	snprintf(other, sizeof other, "%s/zzz", dir);
	ck_assert_int_eq(rename(path, other), 0);
	FILE *f = fopen(path, "w");
	fputs("not DICOM\n", f);
	fclose(f);
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	ck_ok(read_as(NULL, &q));
	same(p, q);
	gt_projections_free(p);
	gt_projections_free(q);
	ck_assert_ptr_nonnull(strstr(note, "files without projections, left out: 1, such as"));
	/* Nobody writes into this pipe. */
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	remark("files without projections, left out: 1, such as");
	unlink(path);
	/* A view is missing. */
	unlink(other);
	remark("views that are missing: 1, in gaps: 1, the first between view 1 (");
	ck_assert_ptr_nonnull(strstr(note, "000002.dcm) and view 2 ("));
	ck_assert_ptr_nonnull(strstr(note, "000004.dcm)"));
	/* DICOM, but no projections. */
	gt_dicom *d;
	ck_ok(gt_dicom_new(&d));
	ck_ok(gt_dicom_put_text(d, &(gt_dicom_tag){ 0x0008, 0x0016, "UI", "" }, "1.2.840.10008.5.1.4.1.1.2"));
	ck_ok(gt_dicom_put_text(d, &(gt_dicom_tag){ 0x0008, 0x0018, "UI", "" }, "1.2.3.4"));
	save_view(d, 3);
	remark("files without projections, left out: 1, such as");
	/* Cut off within its samples, and within its head. */
	snprintf(path, sizeof path, "%s/000009.dcm", dir);
	struct stat is;
	ck_assert_int_eq(stat(path, &is), 0);
	ck_assert_int_eq(truncate(path, is.st_size - 10), 0);
	refused("000009.dcm: ");
	ck_assert_int_eq(truncate(path, 700), 0);
	refused("000009.dcm: ");
	unlink(path);
	/* Nothing but other DICOM. */
	for (int i = 1; i <= VIEWS; i++) {
		snprintf(path, sizeof path, "%s/%06d.dcm", dir, i);
		if (i != 3)
			unlink(path);
	}
	refused("is a DICOM CT images file, which holds a volume, expected projections");
}
END_TEST

START_TEST(what_contradicts_itself)
{
	if (built_without())
		return;
	write_scan(29.7);
	for (int i = 1; i <= VIEWS; i++)
		change_text(i, &type, "AXIAL");
	refused("(7037,1009) projection data type is AXIAL, but the table moves");
	write_scan(0);
	for (int i = 1; i <= VIEWS; i++)
		change_text(i, &type, "HELICAL");
	refused("(7037,1009) projection data type is HELICAL, but the table stands still");
	write_scan(29.7);
	for (int i = 1; i <= VIEWS; i++)
		change(i, &angle, 1.25);
	refused("focal centre angular position is 1.25 in all views: the gantry stands still");
	write_scan(29.7);
	for (int i = 1; i <= VIEWS; i++)
		change_text(i, &scatter, "NO");
	remark("not corrected for scatter, as the files say");
}
END_TEST

START_TEST(photon_statistics)
{
	gt_dicom_style style = { .photons = 12345 };
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	if (!built_without()) {
		free(p->photons);
		p->photons = NULL;
		ck_ok(write_as(p, &style));
		ck_ok(read_as(NULL, &q));
		for (size_t i = 0; i < gt_scan_cells(p->scan); i++)
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
	}
	gt_projections_free(p);
}
END_TEST

/* Without instance numbers the time tells the order. */
START_TEST(order_by_time)
{
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	if (!built_without()) {
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
		refused("000006.dcm: neither (0020,0013) Instance Number nor (7033,1067) time stamp is there");
	}
	gt_projections_free(p);
}
END_TEST

START_TEST(what_cannot_be_written)
{
	gt_projections *p = projections(GT_ARC, 29.7);
	if (!built_without()) {
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
		ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "view 4: its detector does not stand as that of view 0");
		gt_write_options o = gt_write_defaults;
		o.format = "dicom";
		ck_refused(gt_can_write_projections(dir, &o), GT_ERR_ARG, "in the format 'dicom': expected one of: netcdf, dicom-ct-pd");
		o.format = "dicom-ct-pd";
		ck_ok(gt_can_write_projections(dir, &o));
		ck_refused(gt_can_write_projections("/nowhere/scan", &o), GT_ERR_IO, "cannot create a folder in the folder '/nowhere/'");
	}
	gt_projections_free(p);
}
END_TEST

/* An element as a file of one view has it. */
static void copy(dicom_bytes *b, gt_dicom *d, unsigned group, unsigned element, const char *vr)
{
	const gt_dicom_tag tag = { group, element, vr, "" };
	const size_t n = gt_dicom_count(d, &tag);
	double x[COLUMNS];
	char text[128] = "";
	if (!strcmp(vr, "FL") || !strcmp(vr, "US")) {
		const size_t size = *vr == 'F' ? 4 : 2;
		ck_ok(gt_dicom_numbers(d, &tag, n, x));
		dicom_add_tag(b, group, element, n * size);
		for (size_t i = 0; i < n; i++) {
			const float f = (float)x[i];
			if (size == 4)
				dicom_add(b, &f, 4);
			else
				dicom_add_little(b, (unsigned long)x[i], 2);
		}
		return;
	}
	ck_ok(gt_dicom_text(d, &tag, text, sizeof text - 1));
	strcat(text, strlen(text) % 2 ? " " : "");
	dicom_add_element(b, &tag, text, strlen(text));
}

/* A sequence or one of its items, of any length up to its end. */
static void begin(dicom_bytes *b, unsigned group, unsigned element) { dicom_add_tag(b, group, element, 0xFFFFFFFF); }
static void end_item(dicom_bytes *b) { dicom_add_tag(b, 0xFFFE, 0xE00D, 0); }
static void end_sequence(dicom_bytes *b) { dicom_add_tag(b, 0xFFFE, 0xE0DD, 0); }

static void add_frame(dicom_bytes *b, gt_dicom *d)
{
	begin(b, 0xFFFE, 0xE000);
	begin(b, 0x0028, 0x9145);
	begin(b, 0xFFFE, 0xE000);
	copy(b, d, 0x0028, 0x1052, "DS");
	copy(b, d, 0x0028, 0x1053, "DS");
	end_item(b);
	end_sequence(b);
	copy(b, d, 0x7031, 0x1001, "FL");
	copy(b, d, 0x7033, 0x100B, "FL");
	copy(b, d, 0x7033, 0x100D, "FL");
	copy(b, d, 0x7033, 0x1065, "FL");
	end_item(b);
}

/* The views of the folder as frames of one implicit file: in groups of each frame, in groups of all, and z in one tag with a value a frame. */
static void join_frames(size_t groups, const char *frames)
{
	static const struct {
		unsigned group, element;
		const char *vr;
	} all[] = { { 0x7029, 0x1002, "FL" }, { 0x7029, 0x1006, "FL" }, { 0x7029, 0x100B, "CS" }, { 0x7029, 0x1010, "US" },
		    { 0x7029, 0x1011, "US" }, { 0x7031, 0x1003, "FL" }, { 0x7031, 0x1031, "FL" }, { 0x7031, 0x1033, "FL" } };
	const size_t cells = ROWS * COLUMNS;
	uint16_t sample[VIEWS * ROWS * COLUMNS];
	float heights[2][VIEWS];
	dicom_bytes *b = dicom_bytes_new(VIEWS * (2 * cells + 512));
	gt_dicom *d = open_view(1);
	dicom_add_head(b, "1.2.840.10008.1.2");
	copy(b, d, 0x0008, 0x0070, "LO");
	copy(b, d, 0x0018, 0x5100, "CS");
	copy(b, d, 0x0020, 0x000E, "UI");
	dicom_add_element(b, &(gt_dicom_tag){ 0x0028, 0x0008, "IS", "" }, frames, strlen(frames));
	for (unsigned e = 0x0010; e <= 0x0011; e++)
		copy(b, d, 0x0028, e, "US");
	copy(b, d, 0x0028, 0x0100, "US");
	copy(b, d, 0x0028, 0x0103, "US");
	begin(b, 0x5200, 0x9229);
	begin(b, 0xFFFE, 0xE000);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		copy(b, d, all[i].group, all[i].element, all[i].vr);
	end_item(b);
	end_sequence(b);
	gt_dicom_close(d);
	begin(b, 0x5200, 0x9230);
	for (size_t v = 0; v < VIEWS; v++) {
		double x;
		d = open_view((int)v + 1);
		if (v < groups)
			add_frame(b, d);
		ck_ok(gt_dicom_pixels(d, cells, sample + v * cells));
		ck_ok(gt_dicom_number(d, &(gt_dicom_tag){ 0x7031, 0x1002, "FL", "" }, 0, &x));
		heights[0][v] = (float)x;
		ck_ok(gt_dicom_number(d, &(gt_dicom_tag){ 0x7033, 0x100C, "FL", "" }, 0, &x));
		heights[1][v] = (float)x;
		gt_dicom_close(d);
	}
	end_sequence(b);
	dicom_add_element(b, &(gt_dicom_tag){ 0x7031, 0x1002, "FL", "" }, heights[0], sizeof heights[0]);
	dicom_add_element(b, &(gt_dicom_tag){ 0x7033, 0x100C, "FL", "" }, heights[1], sizeof heights[1]);
	dicom_add_element(b, &(gt_dicom_tag){ 0x7041, 0x1001, "DS", "" }, "0.0193", 6);
	dicom_add_element(b, &(gt_dicom_tag){ 0x7FE0, 0x0010, "OW", "" }, sample, sizeof sample);
	empty_folder();
	dicom_save(b, dir);
}

START_TEST(frames_of_one_file)
{
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	if (!built_without()) {
		ck_ok(write_as(p, NULL));
		join_frames(VIEWS, "23");
		/* Without instance numbers and times: frames are in order as they are. */
		ck_ok(read_as(NULL, &q));
		same(p, q);
		gt_projections_free(q);
		unlink(dir);
		ck_ok(write_as(p, NULL));
		join_frames(VIEWS - 2, "23");
		refused("scan: (5200,9230) functional groups of 21 frames, expected those of frame 22");
		unlink(dir);
		ck_ok(write_as(p, NULL));
		join_frames(VIEWS, "99999998");
		refused("scan: (7FE0,0010) samples: 1955 found, expected 8499999830");
		unlink(dir);
	}
	gt_projections_free(p);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, what_is_written_comes_back, 0, 4);
	tcase_add_loop_test(tc, styles, 0, 4);
	tcase_add_loop_test(tc, one_bad_view, 0, 14);
	tcase_add_test(tc, what_the_folder_holds);
	tcase_add_test(tc, what_contradicts_itself);
	tcase_add_test(tc, photon_statistics);
	tcase_add_test(tc, order_by_time);
	tcase_add_test(tc, what_cannot_be_written);
	tcase_add_test(tc, frames_of_one_file);
}

int main(void) { return gt_test_main("dicom-ct-pd", fill); }
