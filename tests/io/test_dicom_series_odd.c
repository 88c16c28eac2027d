/* CT images whose headers contradict the standard: axes of another length, samples in the highest bits, no rescale.
 * labels: unit, backend: none */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "io/dicom/dicom_series.h"
#include "tests/io/dicom_bytes.h"
#include "tests/io/notes.h"
#include "tests/support/support.h"

enum { SLICES = 2, CELLS = 12 };
static char folder[64], path[128];

static const char *file_of(int k)
{
	static char file[160];
	snprintf(file, sizeof file, "%s%d", path, k);
	return file;
}

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/s/", folder);
	mkdir(path, 0777);
}

static void teardown(void)
{
	for (int k = 0; k < SLICES; k++)
		unlink(file_of(k));
	rmdir(path);
	gt_test_folder_remove(folder);
}

/* Differences from a usual series of 4 x 3 pixels. */
typedef struct {
	double axes[6];
	int high; /* 0: not stated */
	int scaled;
	const char *refusal, *note; /* one of them, or neither */
} odd;

static void put(gt_dicom *d, int tag, size_t n, const double *x) { ck_ok(gt_dicom_put_numbers(d, &gt_series_tag[tag], n, x)); }
static void put_one(gt_dicom *d, int tag, double x) { put(d, tag, 1, &x); }

static void write_slice(const odd *x, int k)
{
	const double pixel[2] = { 2, 1 }, place[3] = { 0, 0, 3.0 * k };
	uint16_t sample[CELLS];
	char uid[GT_DICOM_UID];
	gt_dicom *d;
	ck_ok(gt_dicom_new(&d));
	ck_ok(gt_dicom_uid(uid));
	ck_ok(gt_dicom_put_text(d, &gt_series_tag[GT_SERIES_CLASS], "1.2.840.10008.5.1.4.1.1.2"));
	ck_ok(gt_dicom_put_text(d, &(gt_dicom_tag){ 0x0008, 0x0018, "UI", "SOP Instance UID" }, uid));
	ck_ok(gt_dicom_put_text(d, &gt_series_tag[GT_SERIES_SERIES], "1.2.3"));
	put(d, GT_SERIES_PLACE, 3, place);
	put(d, GT_SERIES_AXES, 6, x->axes);
	put(d, GT_SERIES_PIXEL, 2, pixel);
	put_one(d, GT_SERIES_ROWS, 3);
	put_one(d, GT_SERIES_COLUMNS, 4);
	put_one(d, GT_SERIES_BITS, 16);
	put_one(d, GT_SERIES_STORED, 12);
	put_one(d, GT_SERIES_SIGNED, 0);
	if (x->high)
		put_one(d, GT_SERIES_HIGH, x->high);
	if (x->scaled) {
		put_one(d, GT_SERIES_SLOPE, 1);
		put_one(d, GT_SERIES_INTERCEPT, -1024);
	}
	for (int i = 0; i < CELLS; i++)
		sample[i] = (uint16_t)(1000 + i);
	ck_ok(gt_dicom_put_pixels(d, CELLS, sample));
	ck_ok(gt_dicom_save(d, file_of(k)));
	gt_dicom_close(d);
}

static const odd cases[] = {
	{ { 1, 0, 0, 0, 1, 0 }, 0, 1, NULL, NULL },
	{ { 1, 0, 0, 0, 1, 0 }, 11, 1, NULL, NULL },
	{ { 1, 0, 0, 0, 1, 0 }, 15, 1, "High Bit is 15 and Bits Stored 12, expected 11", NULL },
	{ { 2, 0, 0, 0, 2, 0 }, 0, 1, "expected two perpendicular vectors of length 1", NULL },
	{ { 0, 0, 0, 0, 0, 0 }, 0, 1, "expected two perpendicular vectors of length 1", NULL },
	{ { 1, 0, 0, 0.6, 0.8, 0 }, 0, 1, "expected two perpendicular vectors of length 1", NULL },
	{ { 1, 0, 0, 0, 1, 0 }, 0, 0, NULL, "2 of 2 files lack Rescale Slope or Rescale Intercept" },
};

START_TEST(odd_headers)
{
	const odd *x = &cases[_i];
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_volume *v = NULL;
	o.notes = notes_into(note);
	for (int k = 0; k < SLICES; k++)
		write_slice(x, k);
	const gt_status st = gt_read_volume(path, &o, &v);
	if (x->refusal) {
		ck_assert_int_ne(st, GT_OK);
		ck_assert_msg(strstr(gt_error(), x->refusal) != NULL, "%s", gt_error());
		return;
	}
	ck_ok(st);
	ck_assert_int_eq(strstr(note, "lack Rescale") != NULL, x->note != NULL);
	ck_assert(!x->note || strstr(note, x->note));
	ck_assert_double_eq(v->grid.pitch[1], 2);
	gt_volume_free(v);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, odd_headers, 0, sizeof cases / sizeof *cases);
}

int main(void) { return dicom_is_missing() ? 77 : gt_test_main("dicom_series_odd", fill); }
