/* MetaImage files: round trips, every type and byte order of other programs, rule for units, refusals.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "geometry/volume.h"
#include "io/same_file.h"
#include "tests/io/notes.h"
#include "tests/io/volumes.h"
#include "tests/support/support.h"

static char folder[64], path[128], raw[128];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.mha", folder);
	snprintf(raw, sizeof raw, "%s/a.raw", folder);
}

static void remove_files(void)
{
	char *data = gt_data_file(path);
	if (data)
		unlink(data);
	free(data);
	unlink(path);
}

static void teardown(void)
{
	remove_files();
	unlink(raw);
	gt_test_folder_remove(folder);
}

static void same(const gt_volume *v, const gt_volume *w, double tolerance) { same_volume(v, w, tolerance, 1e-12); }

GT_TEST(volumes_come_back)
{
	static const char *const names[] = { "a.mha", "a.mhd" };
	for (int i = 0; i < 2; i++) {
		gt_volume *v = volume(), *w;
		gt_write_options o = gt_write_defaults;
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		v->from.command = strdup("gantry\nrecon");
		v->from.scan_hash = 0x123456789abcdef0u;
		v->water = 0.0191;
		ck_ok(gt_write_volume(path, &o, v));
		ck_ok(gt_read_volume(path, NULL, &w));
		same(v, w, 0);
		ck_assert(w->water == 0.0191 && w->unit == GT_PER_MM);
		ck_assert_str_eq(w->from.command, "gantry recon");
		ck_assert_uint_eq(w->from.scan_hash, v->from.scan_hash);
		gt_volume_free(w);
		o.unit = GT_HU;
		ck_ok(gt_write_volume(path, &o, v));
		ck_ok(gt_read_volume(path, NULL, &w));
		same(v, w, 1e-7);
		ck_assert(w->water == 0.0191 && w->unit == GT_HU);
		gt_volume_free(w);
		gt_volume_free(v);
		remove_files();
	}
}

/* Header and data of a 4 x 3 x 2 volume with stored values 3, 5, 7 ... */
typedef struct {
	const char *type, *extra, *file, *spacing;
	size_t size;
	int msb;
} foreign;

static void put_element(const char *type, double value, unsigned char bytes[8])
{
	union {
		int8_t c;
		uint8_t uc;
		int16_t s;
		uint16_t us;
		int32_t i;
		uint32_t ui;
		int64_t l;
		uint64_t ul;
		float f;
		double d;
	} u;
	memset(&u, 0, sizeof u);
	if (!strcmp(type, "MET_CHAR"))
		u.c = (int8_t)value;
	else if (!strcmp(type, "MET_UCHAR"))
		u.uc = (uint8_t)value;
	else if (!strcmp(type, "MET_SHORT"))
		u.s = (int16_t)value;
	else if (!strcmp(type, "MET_USHORT"))
		u.us = (uint16_t)value;
	else if (!strcmp(type, "MET_INT"))
		u.i = (int32_t)value;
	else if (!strcmp(type, "MET_UINT"))
		u.ui = (uint32_t)value;
	else if (!strcmp(type, "MET_LONG_LONG"))
		u.l = (int64_t)value;
	else if (!strcmp(type, "MET_ULONG_LONG"))
		u.ul = (uint64_t)value;
	else if (!strcmp(type, "MET_FLOAT"))
		u.f = (float)value;
	else
		u.d = value;
	memcpy(bytes, &u, 8);
}

static void put_data(FILE *f, const foreign *x, size_t n)
{
	const uint16_t probe = 1;
	const int host_msb = *(const unsigned char *)&probe == 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char bytes[8];
		put_element(x->type, 3 + 2 * (double)i, bytes);
		for (size_t k = 0; k < x->size; k++)
			fputc(bytes[x->msb == host_msb ? k : x->size - 1 - k], f);
	}
}

static void write_foreign(const foreign *x, size_t n)
{
	FILE *f = fopen(path, "wb");
	fprintf(f,
	        "ObjectType = Image\nNDims = 3\n%sBinaryDataByteOrderMSB = %s\nOffset = 1 2 3\nElementSpacing = %s\n"
	        "DimSize = 4 3 2\nElementType = %s\nElementDataFile = %s\n",
	        x->extra ? x->extra : "", x->msb ? "True" : "False", x->spacing ? x->spacing : "0.5 0.25 2", x->type,
	        x->file ? x->file : "LOCAL");
	if (x->file) {
		FILE *data = fopen(raw, "wb");
		put_data(data, x, n);
		fclose(data);
	} else {
		put_data(f, x, n);
	}
	fclose(f);
}

GT_TEST(all_types_both_orders)
{
	const foreign types[] = {
		{ .type = "MET_CHAR", .size = 1 },      { .type = "MET_UCHAR", .size = 1 },      { .type = "MET_SHORT", .size = 2 },
		{ .type = "MET_USHORT", .size = 2 },    { .type = "MET_INT", .size = 4 },        { .type = "MET_UINT", .size = 4 },
		{ .type = "MET_LONG_LONG", .size = 8 }, { .type = "MET_ULONG_LONG", .size = 8 }, { .type = "MET_FLOAT", .size = 4 },
		{ .type = "MET_DOUBLE", .size = 8 },
	};
	gt_read_options o = gt_read_defaults;
	o.unit = GT_PER_MM;
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (int variant = 0; variant < 4; variant++) {
			foreign x = types[t];
			gt_volume *v;
			x.msb = variant & 1;
			x.file = variant & 2 ? "a.raw" : NULL;
			write_foreign(&x, 24);
			ck_ok(gt_read_volume(path, &o, &v));
			for (int i = 0; i < 24; i++)
				ck_assert_msg(v->data[i] == (float)(3 + 2 * i), "%s, variant %d: element %d is %g", x.type, variant, i,
				              v->data[i]);
			ck_assert_double_eq_tol(gt_grid_first(&v->grid, 1), 2, 1e-12);
			ck_assert(v->grid.pitch[2] == 2);
			gt_volume_free(v);
		}
}

/* Lengths stored as floats are rounded to the intended decimals; those of Gantry's files are exact. */
GT_TEST(spacings_that_were_floats)
{
	const foreign x = { .type = "MET_FLOAT", .size = 4, .spacing = "3.2000000476837158 0.30000001192092896 0.123456789012" };
	gt_volume *v;
	char text[200];
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, NULL, &v));
	gt_grid_print(&v->grid, text, sizeof text);
	ck_assert_str_eq(text, "4x3x2@3.2x0.3x0.123456789012+5.8,2.3,3.061728394506");
	v->grid.pitch[0] = (double)3.2f;
	v->grid.center[1] = (double)0.7f;
	ck_ok(gt_write_volume(path, NULL, v));
	gt_volume_free(v);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert(v->grid.pitch[0] == (double)3.2f);
	gt_volume_free(v);
}

GT_TEST(units_by_rule_or_as_told)
{
	foreign x = { .type = "MET_USHORT", .size = 2 };
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_volume *v;
	o.notes = notes_into(note);
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (13 - 1024) / 1000.0), 1e-8);
	ck_assert_ptr_nonnull(strstr(note, "MET_USHORT taken as HU = 1 * stored -1024"));
	gt_volume_free(v);
	ck_assert_ptr_null(strstr(note, "follow"));
	write_foreign(&x, 27);
	note[0] = 0;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_ptr_nonnull(strstr(note, "6 bytes follow the last of 4 x 3 x 2 values of MET_USHORT"));
	gt_volume_free(v);
	o.offset = -7;
	o.slope = 3;
	o.water = 0.1;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.1 * (1 + (3 * 13 - 7) / 1000.0), 1e-7);
	gt_volume_free(v);
	x.type = "MET_SHORT";
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * 1.013, 1e-8);
	gt_volume_free(v);
	x = (foreign){ .type = "MET_FLOAT", .size = 4 };
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert(v->data[5] == 13);
	gt_volume_free(v);
	o = gt_read_defaults;
	o.unit = GT_HU;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * 1.013, 1e-8);
	gt_volume_free(v);
	x = (foreign){ .type = "MET_UCHAR", .size = 1 };
	write_foreign(&x, 24);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_UNSUPPORTED, "the unit (HU or mm-1) and the slope must be given");
	o.slope = 0;
	ck_refused(gt_read_volume(path, &o, &v), GT_ERR_ARG, "slope=0");
}

GT_TEST(reversed_axes)
{
	const foreign x = { .type = "MET_FLOAT", .size = 4, .extra = "TransformMatrix = -1 0 0 0 1 0 0 0 -1\n" };
	gt_volume *v;
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, NULL, &v));
	/* the first voxel of the file is at (1, 2, 3); x and z decrease from there */
	ck_assert_double_eq_tol(gt_grid_first(&v->grid, 0), 1 - 3 * 0.5, 1e-12);
	ck_assert_double_eq_tol(gt_grid_first(&v->grid, 2), 3 - 2, 1e-12);
	ck_assert(v->data[(1 * 3 + 2) * 4 + 3] == 3 + 2 * (2 * 4));
	ck_assert(v->data[0] == 3 + 2 * ((1 * 3 + 0) * 4 + 3));
	gt_volume_free(v);
}

/* Written in the patient's frame: left, back, head. */
GT_TEST(written_in_patient_space)
{
	static const int along[4][3] = { { -1, -1, 1 }, { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 } };
	for (int position = 0; position < 4; position++) {
		gt_volume *v = volume(), *w;
		char line[512], matrix[64];
		int seen = 0;
		v->position = (gt_position)position;
		ck_ok(gt_write_volume(path, NULL, v));
		snprintf(matrix, sizeof matrix, "TransformMatrix = %d 0 0 0 %d 0 0 0 %d\n", along[position][0], along[position][1],
		         along[position][2]);
		FILE *f = fopen(path, "rb");
		while (fgets(line, sizeof line, f) && strncmp(line, "ElementDataFile", 15) != 0) {
			double at[3];
			seen |= !strcmp(line, matrix);
			if (sscanf(line, "Offset = %lf %lf %lf", &at[0], &at[1], &at[2]) == 3)
				for (int a = 0; a < 3; a++)
					ck_assert_double_eq_tol(at[a], along[position][a] * gt_grid_first(&v->grid, a), 1e-12);
		}
		fclose(f);
		ck_assert_msg(seen, "no line %s", matrix);
		ck_ok(gt_read_volume(path, NULL, &w));
		same(v, w, 0);
		ck_assert_int_eq((int)w->position, position);
		gt_volume_free(w);
		gt_volume_free(v);
	}
}

/* Foreign files and older files of Gantry use the scanner's axes unless a patient position is set. */
GT_TEST(read_in_patient_space_if_set)
{
	foreign x = { .type = "MET_FLOAT", .size = 4 };
	gt_read_options o = gt_read_defaults;
	gt_volume *v;
	char note[NOTES];
	o.notes = notes_into(note);
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_ptr_nonnull(strstr(note, "axes taken as the scanner's"));
	ck_assert(v->data[1] == 5 && v->position == GT_HFS);
	gt_volume_free(v);
	o.position = GT_FFS;
	ck_ok(gt_read_volume(path, &o, &v));
	/* x to the left as in the file; y and z reversed */
	ck_assert(v->data[(1 * 3 + 2) * 4 + 1] == 5 && v->position == GT_FFS);
	ck_assert_double_eq_tol(gt_grid_first(&v->grid, 0), 1, 1e-12);
	ck_assert_double_eq_tol(gt_grid_first(&v->grid, 1), -2.5, 1e-12);
	ck_assert_double_eq_tol(gt_grid_first(&v->grid, 2), -5, 1e-12);
	gt_volume_free(v);
	x.extra = "Comment = gantry unit=HU water=0.03\n";
	write_foreign(&x, 24);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[1], 0.03 * 1.005, 1e-8);
	ck_assert(v->water == 0.03);
	gt_volume_free(v);
}

static void refused(const foreign *x, size_t n, gt_status code, const char *text)
{
	gt_volume *v;
	write_foreign(x, n);
	ck_refused(gt_read_volume(path, NULL, &v), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.mha"));
	ck_assert_ptr_null(v);
}

GT_TEST(refusals)
{
	foreign x = { .type = "MET_FLOAT", .size = 4 };
	refused(&x, 23, GT_ERR_FORMAT, "truncated: 4 x 3 x 2 voxels of MET_FLOAT need 96 bytes, the file has 92");
	x.file = "a.raw";
	refused(&x, 23, GT_ERR_FORMAT, "a.raw has 92");
	unlink(raw);
	x.file = "b.raw";
	refused(&x, 24, GT_ERR_IO, "b.raw: No such file");
	x.file = "slice%03d.raw";
	refused(&x, 24, GT_ERR_UNSUPPORTED, "expected LOCAL or one file");
	x.file = NULL;
	x.extra = "CompressedData = True\n";
	refused(&x, 24, GT_ERR_UNSUPPORTED, "key CompressedData: is True, expected False");
	x.extra = "TransformMatrix = 0 1 0 1 0 0 0 0 1\n";
	refused(&x, 24, GT_ERR_UNSUPPORTED, "key TransformMatrix: row 1 is 0 1 0");
	x.extra = "TransformMatrix = 1 0 0 0 1 0 0 0\n";
	refused(&x, 24, GT_ERR_FORMAT, "key TransformMatrix: is '1 0 0 0 1 0 0 0', expected 9 numbers");
	x.extra = "ElementNumberOfChannels = 3\n";
	refused(&x, 24, GT_ERR_UNSUPPORTED, "key ElementNumberOfChannels: is 3, expected 1");
	x.extra = "BinaryData = False\n";
	refused(&x, 24, GT_ERR_UNSUPPORTED, "key BinaryData: is False, expected True");
	x.extra = NULL;
	x.type = "MET_LONG";
	refused(&x, 24, GT_ERR_UNSUPPORTED, "key ElementType: is 'MET_LONG', expected one of");
}

static void put_head(const char *text) { gt_test_write(path, text); }

GT_TEST(broken_heads)
{
	gt_volume *v;
	put_head("ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "its header ends before the key ElementDataFile");
	put_head("NDims = 2\nDimSize = 4 3\nElementDataFile = LOCAL\n");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "key NDims: is 2, expected 3");
	put_head("NDims = 3\nElementSpacing = 1 1 1\nElementDataFile = LOCAL\n");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "key DimSize is missing");
	put_head("NDims = 3\nDimSize = 4 0 2\nElementSpacing = 1 1 1\nElementDataFile = LOCAL\n");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "key DimSize: number 2 is 0");
	put_head("NDims = 3\nDimSize = 4 3 2\nElementSpacing = 1 -1 1\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "a.mha: ");
	put_head(
		"NDims = 3\nDimSize = 10000000 10000000 10000000\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n");
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "overflows");
}

GT_TEST(not_a_number)
{
	gt_volume *v = volume();
	const float nan_value = NAN;
	ck_ok(gt_write_volume(path, NULL, v));
	v->data[(2 * 5 + 1) * 7 + 4] = NAN;
	ck_refused(gt_write_volume(path, NULL, v), GT_ERR_UNSUPPORTED, "1 of 105 values are not finite, the first is number 81");
	gt_volume_free(v);
	FILE *f = fopen(path, "r+b");
	ck_assert(f && fseek(f, -(105 - 81) * (long)sizeof nan_value, SEEK_END) == 0 && fwrite(&nan_value, sizeof nan_value, 1, f) == 1 &&
	          fclose(f) == 0);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "1 of 105 voxels are NaN or infinite, the first at [2][1][4]");
}

GT_TEST(a_real_head)
{
	const char *data = getenv("GT_DATA");
	char head[4096];
	gt_volume *v;
	snprintf(head, sizeof head, "%s/head.mha", data ? data : "");
	if (!data || access(head, R_OK) != 0)
		return;
	ck_ok(gt_read_volume(head, NULL, &v));
	ck_assert(v->grid.n[0] == 64 && v->grid.n[1] == 64 && v->grid.n[2] == 93);
	/* soft tissue is the most frequent value inside a head: within 50 HU of water */
	size_t tissue = 0, inside = 0;
	for (size_t i = 0; i < gt_grid_voxels(&v->grid); i++) {
		inside += v->data[i] > 0.5 * v->water;
		tissue += fabs(1000 * (v->data[i] / v->water - 1) - 30) < 50;
	}
	ck_assert(tissue > inside / 2);
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("metaimage", setup, teardown); }
