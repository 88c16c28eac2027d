/* DICOM-CT-PD folders with missing, duplicate or contradictory elements: refused, or noted, by name.
 * labels: unit, backend: none */
#include <sys/stat.h>
#include "tests/io/ct_pd_folder.h"
#include "tests/io/dicom_bytes.h"

static const gt_dicom_tag height = { 0x7031, 0x1002, "FL", "" }, spot_radius = { 0x7033, 0x100D, "FL", "" },
			  series = { 0x0020, 0x000E, "UI", "" }, spectrum = { 0x7033, 0x1063, "US", "" },
			  source = { 0x7033, 0x105D, "US", "" }, rows = { 0x7029, 0x1010, "US", "" }, type = { 0x7037, 0x1009, "CS", "" },
			  shape = { 0x7029, 0x100B, "CS", "" }, bits = { 0x0028, 0x0100, "US", "" }, logs = { 0x7039, 0x1009, "CS", "" },
			  scatter = { 0x7039, 0x1008, "CS", "" };

/* One fault in one file. */
GT_TESTS(one_bad_view, 14)
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
	write_scan(29.7);
	if (all[_i].text)
		change_text(4, all[_i].tag, all[_i].text);
	else
		change(4, all[_i].tag, all[_i].value);
	refused(all[_i].why);
}

GT_TEST(what_the_folder_holds)
{
	char path[128], other[128];
	write_scan(29.7);
	/* file names have no meaning: rename a view, add other files */
	snprintf(path, sizeof path, "%s/000003.dcm", dir);
	snprintf(other, sizeof other, "%s/zzz", dir);
	ck_assert_int_eq(rename(path, other), 0);
	gt_test_write(path, "not DICOM\n");
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	ck_ok(read_as(NULL, &q));
	same(p, q);
	gt_projections_free(p);
	gt_projections_free(q);
	ck_assert_ptr_nonnull(strstr(note, "files without projections, left out: 1, such as"));
	/* a pipe without a writer */
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	remark("files without projections, left out: 1, such as");
	unlink(path);
	/* a missing view */
	unlink(other);
	remark("missing views: 1, in gaps: 1, the first between view 1 (");
	ck_assert_ptr_nonnull(strstr(note, "000002.dcm) and view 2 ("));
	ck_assert_ptr_nonnull(strstr(note, "000004.dcm)"));
	/* DICOM without projections */
	gt_dicom *d;
	ck_ok(gt_dicom_new(&d));
	ck_ok(gt_dicom_put_text(d, &(gt_dicom_tag){ 0x0008, 0x0016, "UI", "" }, "1.2.840.10008.5.1.4.1.1.2"));
	ck_ok(gt_dicom_put_text(d, &(gt_dicom_tag){ 0x0008, 0x0018, "UI", "" }, "1.2.3.4"));
	save_view(d, 3);
	remark("files without projections, left out: 1, such as");
	/* truncated within the samples, and within the header */
	snprintf(path, sizeof path, "%s/000009.dcm", dir);
	struct stat is;
	ck_assert_int_eq(stat(path, &is), 0);
	ck_assert_int_eq(truncate(path, is.st_size - 10), 0);
	refused("000009.dcm: ");
	ck_assert_int_eq(truncate(path, 700), 0);
	refused("000009.dcm: ");
	unlink(path);
	/* only DICOM files of another kind */
	for (int i = 1; i <= VIEWS; i++) {
		snprintf(path, sizeof path, "%s/%06d.dcm", dir, i);
		if (i != 3)
			unlink(path);
	}
	refused("is a DICOM CT images file, which holds a volume, expected projections");
}

/* The format cannot store this flag, so readers would filter again. */
GT_TEST(filtered_projections)
{
	gt_projections *p = projections(GT_ARC, 29.7);
	p->filtered = 1;
	ck_refused(write_as(p, NULL), GT_ERR_UNSUPPORTED, "the projections are weighted and filtered already");
	gt_projections_free(p);
}

GT_TEST(what_contradicts_itself)
{
	write_scan(29.7);
	for (int i = 1; i <= VIEWS; i++)
		change_text(i, &type, "AXIAL");
	refused("(7037,1009) projection data type is AXIAL, but the table moves");
	write_scan(0);
	for (int i = 1; i <= VIEWS; i++)
		change_text(i, &type, "HELICAL");
	refused("(7037,1009) projection data type is HELICAL, but the table does not move");
	write_scan(29.7);
	for (int i = 1; i <= VIEWS; i++)
		change(i, &angle, 1.25);
	refused("focal centre angular position is 1.25 in all views: the gantry does not turn");
	write_scan(29.7);
	for (int i = 1; i <= VIEWS; i++)
		change_text(i, &scatter, "NO");
	remark("not corrected for scatter, according to the files");
}

int main(void) { return dicom_is_missing() ? 77 : gt_test_main_with("dicom_ct_pd_refusals", setup, teardown); }
