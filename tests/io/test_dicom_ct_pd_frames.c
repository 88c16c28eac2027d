/* DICOM-CT-PD with all views as frames of one implicit file, with functional groups: equal to a folder of views.
 * labels: unit, backend: none */
#include "tests/io/ct_pd_folder.h"
#include "tests/io/dicom_bytes.h"

/* Copies an element from the file of a single view. */
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

/* A sequence or an item of undefined length. */
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

/* Joins the views of the folder into one implicit file: values per frame, shared values, and z in one element with a
 * value per frame. */
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

GT_TEST(frames_of_one_file)
{
	gt_projections *p = projections(GT_ARC, 29.7), *q = NULL;
	ck_ok(write_as(p, NULL));
	join_frames(VIEWS, "23");
	/* without instance numbers and times, frames are in file order */
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
	gt_projections_free(p);
}

int main(void) { return dicom_is_missing() ? 77 : gt_test_main_with("dicom_ct_pd_frames", setup, teardown); }
