/* Series of DICOM CT images: round trips, contents of the files, foreign series in any orientation, refusals.
 * labels: unit property, backend: none */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "io/dicom/dicom.h"
#include "tests/io/dicom_bytes.h"
#include "tests/io/notes.h"
#include "tests/support/support.h"

static const gt_dicom_tag image_type = { 0x0008, 0x0008, "CS", "Image Type" }, class = { 0x0008, 0x0016, "UI", "SOP Class UID" },
			  instance = { 0x0008, 0x0018, "UI", "SOP Instance UID" }, modality = { 0x0008, 0x0060, "CS", "Modality" },
			  thickness = { 0x0018, 0x0050, "DS", "Slice Thickness" }, lies = { 0x0018, 0x5100, "CS", "Patient Position" },
			  study = { 0x0020, 0x000D, "UI", "Study Instance UID" }, series = { 0x0020, 0x000E, "UI", "Series Instance UID" },
			  place = { 0x0020, 0x0032, "DS", "Image Position (Patient)" },
			  axes = { 0x0020, 0x0037, "DS", "Image Orientation (Patient)" },
			  frames = { 0x0028, 0x0008, "IS", "Number of Frames" }, rows = { 0x0028, 0x0010, "US", "Rows" },
			  columns = { 0x0028, 0x0011, "US", "Columns" }, pixel = { 0x0028, 0x0030, "DS", "Pixel Spacing" },
			  bits = { 0x0028, 0x0100, "US", "Bits Allocated" }, stored = { 0x0028, 0x0101, "US", "Bits Stored" },
			  is_signed = { 0x0028, 0x0103, "US", "Pixel Representation" },
			  intercept = { 0x0028, 0x1052, "DS", "Rescale Intercept" }, slope = { 0x0028, 0x1053, "DS", "Rescale Slope" };

static char folder[64], path[128];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/s/", folder);
}

static size_t empty(const char *name)
{
	char file[400];
	size_t n = 0;
	DIR *d = opendir(name);
	for (const struct dirent *e; d && (e = readdir(d));) {
		snprintf(file, sizeof file, "%s/%s", name, e->d_name);
		n += e->d_name[0] != '.' && unlink(file) == 0;
	}
	if (d)
		closedir(d);
	rmdir(name);
	return n;
}

static void teardown(void)
{
	empty(path);
	gt_test_folder_remove(folder);
}

static gt_volume *volume(void)
{
	gt_volume *v = gt_volume_blank();
	v->grid = (gt_grid){ { 7, 5, 3 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	v->water = 0.0191;
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	for (size_t i = 0; i < gt_grid_voxels(&v->grid); i++)
		v->data[i] = 0.03f * (1 + v->data[i]);
	return v;
}

GT_TEST(volumes_come_back)
{
	for (int position = GT_HFS; position <= GT_FFP; position++) {
		gt_volume *v = volume(), *w;
		v->position = (gt_position)position;
		v->from.command = strdup("gantry recon \303\244 \\ b");
		v->from.scan_hash = 0x123456789abcdef0u;
		ck_ok(gt_can_write_volume(path, NULL));
		ck_ok(gt_write_volume(path, NULL, v));
		ck_ok(gt_read_volume(path, NULL, &w));
		for (int a = 0; a < 3; a++)
			ck_assert(v->grid.n[a] == w->grid.n[a] && v->grid.pitch[a] == w->grid.pitch[a] &&
			          v->grid.center[a] == w->grid.center[a]);
		/* half a HU */
		for (size_t i = 0; i < gt_grid_voxels(&v->grid); i++)
			ck_assert_double_eq_tol(v->data[i], w->data[i], 0.501 * 0.0191 / 1000);
		ck_assert(w->water == 0.0191 && (int)w->position == position && w->from.scan_hash == v->from.scan_hash);
		ck_assert_str_eq(w->from.command, v->from.command);
		gt_volume_free(v);
		gt_volume_free(w);
		ck_assert_uint_eq(empty(path), 3);
	}
}

static void get(gt_dicom *d, const gt_dicom_tag *tag, size_t n, double *x) { ck_ok(gt_dicom_numbers(d, tag, n, x)); }

/* From the files alone: axial slices, rows to the patient's left, columns to the back, slices to the head. */
GT_TEST(what_is_in_the_files)
{
	static const int turned[4][3] = { { 1, 1, 1 }, { -1, -1, 1 }, { -1, 1, -1 }, { 1, -1, -1 } };
	char uid[9][GT_DICOM_UID];
	for (int position = 0; position < 4; position++) {
		gt_volume *v = volume();
		v->position = (gt_position)position;
		ck_ok(gt_write_volume(path, NULL, v));
		for (size_t k = 0; k < 3; k++) {
			char file[256], text[64];
			double at[3], along[6], size[2], n[2], scale[2];
			uint16_t sample[35];
			gt_dicom *d;
			snprintf(file, sizeof file, "%s%06zu.dcm", path, k + 1);
			ck_ok(gt_dicom_open(file, &d));
			get(d, &place, 3, at);
			get(d, &axes, 6, along);
			get(d, &pixel, 2, size);
			get(d, &rows, 1, &n[0]);
			get(d, &columns, 1, &n[1]);
			get(d, &slope, 1, &scale[0]);
			get(d, &intercept, 1, &scale[1]);
			ck_ok(gt_dicom_pixels(d, 35, sample));
			ck_ok(gt_dicom_text(d, &lies, text, sizeof text));
			ck_assert_str_eq(text, gt_position_names[position]);
			ck_ok(gt_dicom_text(d, &modality, text, sizeof text));
			ck_assert_str_eq(text, "CT");
			ck_ok(gt_dicom_text(d, &image_type, text, sizeof text));
			ck_assert_str_eq(text, "ORIGINAL\\PRIMARY\\AXIAL");
			ck_ok(gt_dicom_text(d, &instance, uid[k], GT_DICOM_UID));
			ck_ok(gt_dicom_text(d, &series, uid[3 + k], GT_DICOM_UID));
			ck_ok(gt_dicom_text(d, &study, uid[6 + k], GT_DICOM_UID));
			gt_dicom_close(d);
			ck_assert(n[0] == 5 && n[1] == 7 && size[0] == 0.9 && size[1] == 0.7);
			for (int i = 0; i < 6; i++)
				ck_assert(along[i] == (i == 0 || i == 4));
			for (size_t s = 0; s < 35; s++) {
				/* mm to the left, back and head, then in the scanner's frame */
				const double lps[3] = { at[0] + 0.7 * (double)(s % 7), at[1] + 0.9 * (double)(s / 7), at[2] };
				size_t i[3];
				for (int a = 0; a < 3; a++) {
					const double mm = turned[position][a] * (a < 2 ? -lps[a] : lps[a]);
					i[a] = (size_t)lround((mm - gt_grid_first(&v->grid, a)) / v->grid.pitch[a]);
					ck_assert_double_eq_tol(gt_grid_first(&v->grid, a) + (double)i[a] * v->grid.pitch[a], mm, 1e-9);
				}
				const double hu = 1000 * (v->data[(i[2] * 5 + i[1]) * 7 + i[0]] / 0.0191 - 1);
				ck_assert_double_eq_tol(scale[0] * (int16_t)sample[s] + scale[1], hu, 0.501);
			}
		}
		ck_assert(strcmp(uid[0], uid[1]) && strcmp(uid[1], uid[2]) && strcmp(uid[0], uid[2]));
		ck_assert(!strcmp(uid[3], uid[4]) && !strcmp(uid[4], uid[5]) && !strcmp(uid[6], uid[8]) && strcmp(uid[3], uid[6]));
		gt_volume_free(v);
		empty(path);
	}
}

GT_TEST(numbers_beyond_16_bits)
{
	gt_volume *v = volume(), *w;
	char note[NOTES];
	gt_write_options o = gt_write_defaults;
	o.notes = notes_into(note), v->positioned = 1;
	ck_ok(gt_write_volume(path, &o, v));
	ck_assert_str_eq(note, "");
	empty(path);
	v->data[17] = 0.0191f * 101;
	ck_ok(gt_write_volume(path, &o, v));
	ck_assert_str_eq(note, "values reach 1e+05 HU: stored in steps of 4 HU, to fit into 16 bits");
	ck_ok(gt_read_volume(path, NULL, &w));
	for (size_t i = 0; i < gt_grid_voxels(&v->grid); i++)
		ck_assert_double_eq_tol(v->data[i], w->data[i], 2.01 * 0.0191 / 1000);
	gt_volume_free(v);
	gt_volume_free(w);
}

/* Foreign series: 4 x 3 pixels, any number of slices, names in random order. */
typedef struct {
	double axes[6], first[3], step[3], pixel[2], intercept, slope;
	int bits, is_signed, high;
	const char *uid, *position;
	size_t skip; /* this slice is missing */
} other;

static other plain(void)
{
	return (other){ .axes = { 1, 0, 0, 0, 1, 0 },
		        .first = { 10, 20, 30 },
		        .step = { 0, 0, 2.5 },
		        .pixel = { 0.5, 0.75 },
		        .intercept = -1024,
		        .slope = 1,
		        .bits = 12,
		        .uid = "1.2.3",
		        .position = "HFS",
		        .skip = 99 };
}

static void put(gt_dicom *d, const gt_dicom_tag *tag, double x) { ck_ok(gt_dicom_put_numbers(d, tag, 1, &x)); }

static gt_dicom *image(const other *x, size_t k)
{
	gt_dicom *d;
	char uid[GT_DICOM_UID];
	double at[3];
	uint16_t sample[12];
	ck_ok(gt_dicom_new(&d));
	ck_ok(gt_dicom_uid(uid));
	ck_ok(gt_dicom_put_text(d, &class, "1.2.840.10008.5.1.4.1.1.2"));
	ck_ok(gt_dicom_put_text(d, &instance, uid));
	ck_ok(gt_dicom_put_text(d, &series, x->uid));
	if (x->position)
		ck_ok(gt_dicom_put_text(d, &lies, x->position));
	for (int a = 0; a < 3; a++)
		at[a] = x->first[a] + (double)k * x->step[a];
	ck_ok(gt_dicom_put_numbers(d, &place, 3, at));
	ck_ok(gt_dicom_put_numbers(d, &axes, 6, x->axes));
	ck_ok(gt_dicom_put_numbers(d, &pixel, 2, x->pixel));
	put(d, &rows, 3);
	put(d, &columns, 4);
	put(d, &bits, 16);
	put(d, &stored, x->bits);
	put(d, &is_signed, x->is_signed);
	put(d, &slope, x->slope);
	put(d, &intercept, x->intercept);
	for (size_t i = 0; i < 12; i++)
		sample[i] = (uint16_t)((1000 + 100 * k + 7 * i) | (x->high ? 0xF000 : 0));
	ck_ok(gt_dicom_put_pixels(d, 12, sample));
	return d;
}

static void save(gt_dicom *d, size_t k)
{
	char file[256];
	mkdir(path, 0777);
	snprintf(file, sizeof file, "%s%c", path, (char)("QBXA"[k % 4]));
	ck_ok(gt_dicom_save(d, file));
	gt_dicom_close(d);
}

static void write_other(const other *x, size_t n)
{
	empty(path);
	for (size_t k = 0; k < n; k++)
		if (k != x->skip)
			save(image(x, k), k);
}

/* Slices across any patient axis, in any direction: each voxel is at its position. */
GT_TEST(every_orientation)
{
	static const double unit[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	for (int way = 0; way < 48; way++) {
		other x = plain();
		gt_volume *v;
		const int *o = order[way / 8];
		for (int r = 0; r < 3; r++) {
			x.axes[r] = (way & 1 ? -1 : 1) * unit[o[0]][r];
			x.axes[3 + r] = (way & 2 ? -1 : 1) * unit[o[1]][r];
			x.step[r] = (way & 4 ? -1 : 1) * 2.5 * unit[o[2]][r];
		}
		write_other(&x, 4);
		ck_ok(gt_read_volume(path, NULL, &v));
		ck_assert_uint_eq(gt_grid_voxels(&v->grid), 48);
		for (size_t n = 0; n < 48; n++) {
			const size_t c = n % 4, r = n / 4 % 3, k = n / 12;
			size_t i[3];
			for (int a = 0; a < 3; a++) {
				const double lps = x.first[a] + 0.75 * (double)c * x.axes[a] + 0.5 * (double)r * x.axes[3 + a] +
				                   (double)k * x.step[a];
				i[a] = (size_t)lround(((a < 2 ? -lps : lps) - gt_grid_first(&v->grid, a)) / v->grid.pitch[a]);
				ck_assert_uint_lt(i[a], v->grid.n[a]);
			}
			const double hu = 1000 + 100 * (double)k + 7 * (double)(4 * r + c) - 1024;
			ck_assert_double_eq_tol(v->data[(i[2] * v->grid.n[1] + i[1]) * v->grid.n[0] + i[0]], 0.02 * (1 + hu / 1000), 1e-7);
		}
		gt_volume_free(v);
	}
}

/* Bits above the stored ones are ignored; signed samples of 12 bits are read. */
GT_TEST(fewer_bits_and_notes)
{
	other x = plain();
	char note[NOTES], file[256];
	gt_read_options o = gt_read_defaults;
	gt_volume *v;
	o.notes = notes_into(note);
	x.high = 1;
	x.position = NULL;
	write_other(&x, 3);
	snprintf(file, sizeof file, "%snotes.txt", path);
	gt_test_write(file, "not DICOM, which has its mark at byte 128");
	ck_ok(gt_read_volume(path, &o, &v));
	/* the last voxel of the file is at the right and the front: z up, x and y down */
	ck_assert_double_eq_tol(v->data[0], 0.02 * (1 + (1000 + 7 * 11 - 1024) / 1000.0), 1e-7);
	ck_assert_ptr_nonnull(strstr(note, "Patient Position is missing: taken as HFS"));
	ck_assert_ptr_nonnull(strstr(note, "water is taken as 0.02"));
	ck_assert_ptr_nonnull(strstr(note, "1 files that are not DICOM are left out"));
	gt_volume_free(v);
	x.is_signed = 1;
	x.bits = 11;
	x.intercept = 0;
	x.position = "FFP";
	write_other(&x, 3);
	o.position = GT_HFS;
	ck_ok(gt_read_volume(path, &o, &v));
	/* 1000 + 77 exceeds 1023: negative in 11 bits */
	ck_assert_double_eq_tol(v->data[0], 0.02 * (1 + (1077 - 2048) / 1000.0), 1e-7);
	ck_assert_int_eq(v->position, GT_HFS);
	gt_volume_free(v);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_int_eq(v->position, GT_FFP);
	gt_volume_free(v);
}

static void refused(gt_status code, const char *text)
{
	gt_volume *v;
	ck_refused(gt_read_volume(path, NULL, &v), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), path));
	ck_assert_ptr_null(v);
}

GT_TEST(refusals)
{
	other x = plain();
	gt_volume *v;
	gt_dicom *d;
	x.skip = 1;
	write_other(&x, 4);
	refused(GT_ERR_FORMAT, "lie 5 mm, elsewhere 2.5: slices are missing");
	x = plain();
	write_other(&x, 3);
	save(image(&x, 1), 3);
	refused(GT_ERR_FORMAT, "has the same position as");
	write_other(&x, 3);
	x.uid = "1.2.4";
	save(image(&x, 3), 3);
	refused(GT_ERR_FORMAT, "Series Instance UID is 1.2.");
	x = plain();
	write_other(&x, 3);
	x.pixel[0] = 0.51;
	save(image(&x, 3), 3);
	refused(GT_ERR_FORMAT, "Pixel Spacing differs");
	x = plain();
	write_other(&x, 3);
	x.first[2] += 0.2;
	save(image(&x, 3), 3);
	refused(GT_ERR_FORMAT, "off the even steps");
	x = plain();
	write_other(&x, 3);
	x.slope = 0;
	save(image(&x, 2), 2);
	refused(GT_ERR_FORMAT, "(0028,1053) Rescale Slope is 0");
	x.slope = 1e300;
	save(image(&x, 2), 2);
	refused(GT_ERR_FORMAT, "voxels are NaN or infinite");
	/* a tilted gantry, whose slices are shifted against each other; then inclined slices */
	x = plain();
	x.step[1] = 0.5;
	write_other(&x, 3);
	refused(GT_ERR_UNSUPPORTED, "oblique: its axis 3");
	x = plain();
	x.axes[4] = cos(0.1);
	x.axes[5] = sin(0.1);
	write_other(&x, 3);
	refused(GT_ERR_UNSUPPORTED, "oblique: its axis 2");
	x = plain();
	write_other(&x, 1);
	refused(GT_ERR_FORMAT, "a single slice without Slice Thickness");
	d = image(&x, 0);
	put(d, &thickness, 3);
	save(d, 0);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert(v->grid.pitch[2] == 3);
	gt_volume_free(v);
	d = image(&x, 0);
	put(d, &frames, 5);
	save(d, 0);
	refused(GT_ERR_UNSUPPORTED, "5 frames, 1 samples per pixel");
	d = image(&x, 0);
	ck_ok(gt_dicom_put_text(d, &class, "1.2.840.10008.5.1.4.1.1.4"));
	save(d, 0);
	refused(GT_ERR_UNSUPPORTED, "SOP class 1.2.840.10008.5.1.4.1.1.4, expected");
	d = image(&x, 0);
	put(d, &rows, 4);
	put(d, &thickness, 3);
	save(d, 0);
	refused(GT_ERR_FORMAT, "samples");
	empty(path);
	mkdir(path, 0777);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "holds no files of a known format");
}

GT_TEST(not_written)
{
	gt_volume *v = volume();
	const gt_write_options o = { .size = sizeof o, .unit = GT_PER_MM };
	ck_refused(gt_write_volume(path, &o, v), GT_ERR_ARG, "hold HU");
	mkdir(path, 0777);
	char file[256];
	snprintf(file, sizeof file, "%sa", path);
	fclose(fopen(file, "w"));
	ck_refused(gt_write_volume(path, NULL, v), GT_ERR_IO, "already exists and is not empty");
	ck_refused(gt_can_write_volume(path, NULL), GT_ERR_IO, "already exists and is not empty");
	empty(path);
	v->grid.n[0] = 70000;
	v->grid.n[1] = v->grid.n[2] = 1;
	free(v->data);
	v->data = calloc(70000, sizeof(float));
	ck_refused(gt_write_volume(path, NULL, v), GT_ERR_UNSUPPORTED, "at most 65535");
	gt_volume_free(v);
}

int main(void) { return dicom_is_missing() ? 77 : gt_test_main_with("dicom_series", setup, teardown); }
