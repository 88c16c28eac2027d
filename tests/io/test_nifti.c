/* NIfTI files: round trips, heads made here byte by byte, every orientation and type, units, what is refused.
 * labels: unit property, backend: none */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/format.h"
#include "tests/io/volumes.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static void setup(void)
{
	strcpy(folder, "/tmp/gantry-nifti-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.nii", folder);
}

static void teardown(void)
{
	unlink(path);
	ck_assert_msg(rmdir(folder) == 0, "something was left in %s", folder);
}

static void same(const gt_volume *v, const gt_volume *w, double tolerance) { same_volume(v, w, tolerance, 0); }

START_TEST(volumes_come_back)
{
	static const char *const names[] = { "a.nii", "b.nii.gz", "c.NII.GZ" };
	for (int i = 0; i < 3; i++)
		for (int position = GT_HFS; position <= GT_FFP; position++) {
			gt_volume *v = volume(), *w;
			gt_write_options o = gt_write_defaults;
			snprintf(path, sizeof path, "%s/%s", folder, names[i]);
			v->from.command = strdup("gantry\nrecon");
			v->from.parameters = strdup("a=1 b=2");
			v->from.scan_hash = 0x123456789abcdef0u;
			v->water = 0.0191;
			v->position = (gt_position)position;
			o.unit = GT_PER_MM;
			ck_ok(gt_write_volume(path, &o, v));
			ck_ok(gt_read_volume(path, NULL, &w));
			same(v, w, 0);
			ck_assert(w->water == 0.0191 && (int)w->position == position);
			ck_assert_str_eq(w->from.command, "gantry recon");
			ck_assert_str_eq(w->from.parameters, "a=1 b=2");
			ck_assert_uint_eq(w->from.scan_hash, v->from.scan_hash);
			gt_volume_free(w);
			ck_ok(gt_write_volume(path, NULL, v));
			ck_ok(gt_read_volume(path, NULL, &w));
			same(v, w, 1e-7);
			ck_assert(w->water == 0.0191);
			gt_volume_free(w);
			gt_volume_free(v);
			unlink(path);
		}
}
END_TEST

/* Slice by slice: the same bytes as at once. */
START_TEST(slices_come_back)
{
	static const char *const names[] = { "a.nii", "b.nii.gz" };
	for (int i = 0; i < 4; i++) {
		gt_write_options o = gt_write_defaults;
		gt_volume *v = volume(), head = *v, *w;
		gt_slices *s;
		head.data = NULL;
		o.unit = i / 2 ? GT_HU : GT_PER_MM;
		snprintf(path, sizeof path, "%s/%s", folder, names[i % 2]);
		ck_ok(gt_slices_create(path, &o, &head, &s));
		ck_ok(gt_slices_write(s, 2, v->data));
		ck_assert_int_ne(access(path, F_OK), 0);
		ck_ok(gt_slices_write(s, 1, v->data + 2 * 35));
		ck_ok(gt_slices_commit(s));
		ck_ok(gt_read_volume(path, NULL, &w));
		same(v, w, i / 2 ? 1e-7 : 0);
		ck_assert(w->unit == o.unit);
		gt_volume_free(w);
		unlink(path);
		ck_ok(gt_slices_create(path, &o, &head, &s));
		ck_ok(gt_slices_write(s, 2, v->data));
		ck_refused(gt_slices_commit(s), GT_ERR_ARG, "2 of 3 slices are written");
		ck_assert_int_ne(access(path, F_OK), 0);
		gt_volume_free(v);
	}
}
END_TEST

/* A file as others write it: 4 x 3 x 2 voxels, little or big endian, head made here. */
typedef struct {
	int version, msb, datatype, dims, pair, extension;
	long long dim[8];
	double pixdim[8], slope, offset, at, quatern[3], qoffset[3], rows[12];
	int qform, sform, units, size_of_head;
} foreign;

static foreign plain(void)
{
	return (foreign){ .version = 1,
		          .datatype = 16,
		          .dim = { 3, 4, 3, 2, 1, 1, 1, 1 },
		          .pixdim = { 1, 0.5, 0.25, 2, 1, 1, 1, 1 },
		          .sform = 1,
		          .rows = { 0.5, 0, 0, 1, 0, 0.25, 0, 2, 0, 0, 2, 3 },
		          .units = 2 };
}

static void put(unsigned char *to, const foreign *x, const void *value, size_t size)
{
	const uint16_t probe = 1;
	const int host_msb = *(const unsigned char *)&probe == 0;
	for (size_t k = 0; k < size; k++)
		to[k] = ((const unsigned char *)value)[host_msb == x->msb ? k : size - 1 - k];
}

static void put_short(unsigned char *to, const foreign *x, long long value) { put(to, x, &(int16_t){ (int16_t)value }, 2); }
static void put_int(unsigned char *to, const foreign *x, int value) { put(to, x, &(int32_t){ value }, 4); }
static void put_long(unsigned char *to, const foreign *x, long long value) { put(to, x, &(int64_t){ value }, 8); }
static void put_float(unsigned char *to, const foreign *x, double value) { put(to, x, &(float){ (float)value }, 4); }
static void put_double(unsigned char *to, const foreign *x, double value) { put(to, x, &value, 8); }

static size_t size_of(int datatype)
{
	return datatype == 2 || datatype == 256                         ? 1
	       : datatype == 4 || datatype == 512                       ? 2
	       : datatype == 64 || datatype == 1024 || datatype == 1280 ? 8
	                                                                : 4;
}

/* Offsets as in the tables of the standard. */
static size_t put_head_1(unsigned char *h, const foreign *x)
{
	put_int(h, x, x->size_of_head ? x->size_of_head : 348);
	for (int i = 0; i < 8; i++) {
		put_short(h + 40 + 2 * i, x, x->dim[i]);
		put_float(h + 76 + 4 * i, x, x->pixdim[i]);
	}
	put_short(h + 70, x, x->datatype);
	put_short(h + 72, x, 8 * (int)size_of(x->datatype));
	put_float(h + 108, x, x->at ? x->at : 352);
	put_float(h + 112, x, x->slope);
	put_float(h + 116, x, x->offset);
	h[123] = (unsigned char)x->units;
	put_short(h + 252, x, x->qform);
	put_short(h + 254, x, x->sform);
	for (int i = 0; i < 3; i++) {
		put_float(h + 256 + 4 * i, x, x->quatern[i]);
		put_float(h + 268 + 4 * i, x, x->qoffset[i]);
	}
	for (int i = 0; i < 12; i++)
		put_float(h + 280 + 4 * i, x, x->rows[i]);
	memcpy(h + 344, x->pair ? "ni1" : "n+1", 4);
	return 352;
}

static size_t put_head_2(unsigned char *h, const foreign *x)
{
	put_int(h, x, 540);
	memcpy(h + 4, "n+2\0\r\n\032\n", 8);
	put_short(h + 12, x, x->datatype);
	put_short(h + 14, x, 8 * (int)size_of(x->datatype));
	for (int i = 0; i < 8; i++) {
		put_long(h + 16 + 8 * i, x, x->dim[i]);
		put_double(h + 104 + 8 * i, x, x->pixdim[i]);
	}
	put_long(h + 168, x, 544);
	put_double(h + 176, x, x->slope);
	put_double(h + 184, x, x->offset);
	put_int(h + 344, x, x->qform);
	put_int(h + 348, x, x->sform);
	for (int i = 0; i < 3; i++) {
		put_double(h + 352 + 8 * i, x, x->quatern[i]);
		put_double(h + 376 + 8 * i, x, x->qoffset[i]);
	}
	for (int i = 0; i < 12; i++)
		put_double(h + 400 + 8 * i, x, x->rows[i]);
	put_int(h + 500, x, x->units);
	return 544;
}

static void put_value(unsigned char *to, const foreign *x, double value)
{
	switch (x->datatype) {
	case 2:
		*to = (unsigned char)value;
		break;
	case 256:
		*(signed char *)to = (signed char)value;
		break;
	case 4:
		put_short(to, x, (long long)value);
		break;
	case 512:
		put(to, x, &(uint16_t){ (uint16_t)value }, 2);
		break;
	case 8:
		put_int(to, x, (int)value);
		break;
	case 768:
		put(to, x, &(uint32_t){ (uint32_t)value }, 4);
		break;
	case 1024:
	case 1280:
		put_long(to, x, (long long)value);
		break;
	case 64:
		put_double(to, x, value);
		break;
	default:
		put_float(to, x, value);
	}
}

static double counted(size_t i) { return 3 + 2 * (double)i; }

/* The first n of the voxels. */
static void write_foreign(const foreign *x, size_t n, double (*value)(size_t i))
{
	unsigned char bytes[1024] = { 0 };
	size_t at = x->version == 1 ? put_head_1(bytes, x) : put_head_2(bytes, x);
	for (size_t i = 0; i < n; i++, at += size_of(x->datatype))
		put_value(bytes + at, x, value(i));
	FILE *f = fopen(path, "wb");
	ck_assert(f && fwrite(bytes, 1, at, f) == at && fclose(f) == 0);
}

START_TEST(all_types_both_orders_both_versions)
{
	static const int types[] = { 256, 2, 4, 512, 8, 768, 1024, 1280, 16, 64 };
	gt_read_options o = gt_read_defaults;
	o.unit = GT_PER_MM;
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (int variant = 0; variant < 4; variant++) {
			foreign x = plain();
			gt_volume *v;
			x.datatype = types[t];
			x.msb = variant & 1;
			x.version = 1 + variant / 2;
			write_foreign(&x, 24, counted);
			ck_ok(gt_read_volume(path, &o, &v));
			for (size_t i = 0; i < 24; i++)
				ck_assert_msg(v->data[i] == (float)counted(i), "type %d, variant %d: voxel %zu is %g", types[t], variant, i,
				              v->data[i]);
			ck_assert_double_eq_tol(gt_grid_first(&v->grid, 1), 2, 1e-12);
			ck_assert(v->grid.pitch[2] == 2 && v->position == GT_HFS);
			gt_volume_free(v);
		}
}
END_TEST

/* Right, front and head of each scanner axis: docs/geometry.md. */
static const int turned[4][3] = { { 1, 1, 1 }, { -1, -1, 1 }, { -1, 1, -1 }, { 1, -1, -1 } };

/* A value for every place in the patient, unlike at all others. */
static double at_place(const double p[3]) { return 0.001 * (1000 + 7 * p[0] + 1.3 * p[1] - 0.37 * p[2]); }

static const foreign *oriented;
static double by_place(size_t i)
{
	const size_t k[3] = { i % 4, i / 4 % 3, i / 12 };
	double p[3];
	for (int r = 0; r < 3; r++) {
		p[r] = oriented->rows[4 * r + 3];
		for (int c = 0; c < 3; c++)
			p[r] += oriented->rows[4 * r + c] * (double)k[c];
	}
	return at_place(p);
}

static void check_places(const gt_volume *v, int position)
{
	const gt_grid *g = &v->grid;
	for (size_t i = 0; i < 24; i++) {
		const size_t k[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		double p[3];
		for (int a = 0; a < 3; a++)
			p[a] = turned[position][a] * (gt_grid_first(g, a) + (double)k[a] * g->pitch[a]);
		ck_assert_double_eq_tol(v->data[i], at_place(p), 1e-6);
	}
}

/* All 48 ways in which the axes of a file can run, by sform and by qform, for every position of the patient. */
START_TEST(every_orientation)
{
	static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	static const double pitch[3] = { 0.5, 0.25, 2 };
	for (int way = 0; way < 48; way++) {
		foreign x = plain();
		oriented = &x;
		memset(x.rows, 0, sizeof x.rows);
		for (int c = 0; c < 3; c++)
			x.rows[4 * order[way / 8][c] + c] = (way >> c & 1 ? -1 : 1) * pitch[c];
		x.rows[3] = 11;
		x.rows[7] = -6;
		x.rows[11] = 40;
		for (int position = 0; position < 4; position++) {
			gt_read_options o = gt_read_defaults;
			gt_volume *v;
			o.position = (gt_position)position;
			o.unit = GT_PER_MM;
			write_foreign(&x, 24, by_place);
			ck_ok(gt_read_volume(path, &o, &v));
			check_places(v, position);
			for (int c = 0; c < 3; c++)
				ck_assert_uint_eq(v->grid.n[order[way / 8][c]], (size_t)x.dim[c + 1]);
			gt_volume_free(v);
		}
	}
}
END_TEST

/* A quarter turn about z by a quaternion, and an axis that runs against the others by the sign of pixdim[0]. */
START_TEST(orientation_by_quaternion)
{
	foreign x = plain();
	gt_volume *v;
	x.sform = 0;
	x.qform = 1;
	x.quatern[2] = sqrt(0.5);
	x.pixdim[0] = -1;
	x.qoffset[0] = 11;
	x.qoffset[1] = -6;
	x.qoffset[2] = 40;
	/* i runs to the front, j to the left, k to the feet. */
	const double rows[12] = { 0, -0.25, 0, 11, 0.5, 0, 0, -6, 0, 0, -2, 40 };
	foreign means = x;
	memcpy(means.rows, rows, sizeof rows);
	oriented = &means;
	write_foreign(&x, 24, by_place);
	ck_ok(gt_read_volume(path, NULL, &v));
	check_places(v, GT_HFS);
	gt_volume_free(v);
}
END_TEST

/* What is written, by its bytes: sform and qform say the same place, and it is the patient's. */
START_TEST(written_heads)
{
	for (int position = 0; position < 4; position++) {
		gt_volume *v = volume();
		unsigned char h[352];
		v->position = (gt_position)position;
		ck_ok(gt_write_volume(path, NULL, v));
		FILE *f = fopen(path, "rb");
		ck_assert(f && fread(h, 1, sizeof h, f) == sizeof h && fclose(f) == 0);
		float row[12], quatern[6], pixdim[8];
		int16_t code[2], dim[8];
		memcpy(row, h + 280, sizeof row);
		memcpy(quatern, h + 256, sizeof quatern);
		memcpy(code, h + 252, sizeof code);
		memcpy(pixdim, h + 76, sizeof pixdim);
		memcpy(dim, h + 40, sizeof dim);
		ck_assert(code[0] == 1 && code[1] == 1 && h[123] == 2 && !memcmp(h + 344, "n+1", 4) && h[348] == 1);
		ck_assert(dim[0] == 3 && dim[1] == 7 && dim[2] == 5 && dim[3] == 3 && dim[4] == 1);
		for (int r = 0; r < 3; r++) {
			ck_assert_float_eq_tol(pixdim[r + 1], (float)v->grid.pitch[r], 1e-6f);
			for (int c = 0; c < 3; c++)
				ck_assert_float_eq_tol(row[4 * r + c], r == c ? (float)(turned[position][r] * v->grid.pitch[r]) : 0, 1e-6f);
			ck_assert_float_eq_tol(row[4 * r + 3], (float)(turned[position][r] * gt_grid_first(&v->grid, r)), 1e-5f);
			ck_assert_float_eq_tol(quatern[3 + r], row[4 * r + 3], 1e-5f);
		}
		/* Half turns about z, y and x: all four positions are rotations. */
		ck_assert_float_eq_tol(quatern[0], position == GT_FFP, 1e-6f);
		ck_assert_float_eq_tol(quatern[1], position == GT_FFS, 1e-6f);
		ck_assert_float_eq_tol(quatern[2], position == GT_HFP, 1e-6f);
		ck_assert(pixdim[0] == 1);
		gt_volume_free(v);
	}
}
END_TEST

START_TEST(units_by_rule_or_as_told)
{
	foreign x = plain();
	char note[400];
	gt_read_options o = gt_read_defaults;
	gt_volume *v;
	o.note = note;
	o.note_size = sizeof note;
	x.datatype = 512;
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (13 - 1024) / 1000.0), 1e-8);
	ck_assert_ptr_nonnull(strstr(note, "uint16 taken as HU = 1 * stored -1024 (NIfTI names no unit)"));
	gt_volume_free(v);
	/* The file's own slope and offset; a slope of 0 is none. */
	x.slope = 2;
	x.offset = -1000;
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (2 * 13 - 1000) / 1000.0), 1e-8);
	gt_volume_free(v);
	o.slope = 3;
	o.offset = 5;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (3 * 13 + 5) / 1000.0), 1e-8);
	gt_volume_free(v);
	x = plain();
	x.datatype = 4;
	x.offset = 77;
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * 1.013, 1e-8);
	gt_volume_free(v);
	x = plain();
	x.datatype = 2;
	write_foreign(&x, 24, counted);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_UNSUPPORTED, "elements are uint8");
}
END_TEST

static double little(size_t i) { return 0.01 * (double)i; }

/* Nothing attenuates by 10 mm^-1: floats beyond are HU. */
START_TEST(floats_by_their_range)
{
	foreign x = plain();
	gt_volume *v;
	write_foreign(&x, 24, little);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.05, 1e-8);
	gt_volume_free(v);
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * 1.013, 1e-8);
	gt_volume_free(v);
}
END_TEST

START_TEST(lengths_in_other_units)
{
	foreign x = plain();
	gt_volume *v;
	x.units = 1;
	write_foreign(&x, 24, little);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->grid.pitch[1], 250, 1e-9);
	gt_volume_free(v);
	x.units = 3;
	write_foreign(&x, 24, little);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->grid.pitch[1], 0.25e-3, 1e-12);
	gt_volume_free(v);
}
END_TEST

/* Another program may cut or move the volume and keep the comment: the head decides. */
START_TEST(comments_of_another_grid)
{
	gt_volume *v = volume(), *w;
	ck_ok(gt_write_volume(path, NULL, v));
	FILE *f = fopen(path, "r+b");
	const float moved = -40;
	ck_assert(f && fseek(f, 280 + 12, SEEK_SET) == 0 && fwrite(&moved, sizeof moved, 1, f) == 1 && fclose(f) == 0);
	ck_ok(gt_read_volume(path, NULL, &w));
	ck_assert_double_eq_tol(gt_grid_first(&w->grid, 0), -40, 1e-5);
	ck_assert_double_eq_tol(w->grid.center[1], v->grid.center[1], 1e-5);
	gt_volume_free(v);
	gt_volume_free(w);
}
END_TEST

START_TEST(long_axes_are_nifti_2)
{
	gt_volume *v = calloc(1, sizeof *v), *w;
	v->grid = (gt_grid){ { 1, 40001, 2 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	const gt_write_options o = { .unit = GT_PER_MM };
	ck_ok(gt_write_volume(path, &o, v));
	FILE *f = fopen(path, "rb");
	int size = 0;
	ck_assert(f && fread(&size, sizeof size, 1, f) == 1 && fclose(f) == 0 && size == 540);
	ck_ok(gt_read_volume(path, NULL, &w));
	same(v, w, 0);
	gt_volume_free(v);
	gt_volume_free(w);
}
END_TEST

static void refused(const foreign *x, size_t n, gt_status code, const char *text)
{
	gt_volume *v;
	write_foreign(x, n, counted);
	ck_refused(gt_read_volume(path, NULL, &v), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.nii"));
	ck_assert_ptr_null(v);
}

START_TEST(refusals)
{
	const foreign x = plain();
	foreign y = x;
	refused(&x, 23, GT_ERR_FORMAT, "truncated: 4 x 3 x 2 voxels of float32 need 96 bytes behind the head, the file has 92");
	y.rows[4] = 0.5 * tan(3 * 3.14159265 / 180);
	refused(&y, 24, GT_ERR_UNSUPPORTED,
	        "oblique: its axis 1 runs along (0.9986, 0.05234, 0) of the patient (right, front, head), 3 degrees off");
	y = x;
	y.rows[0] = NAN;
	refused(&y, 24, GT_ERR_FORMAT, "its orientation holds nan");
	y = x;
	y.rows[0] = 0;
	refused(&y, 24, GT_ERR_FORMAT, "axis 1 of its orientation has no length");
	y = x;
	y.rows[5] = 0;
	y.rows[1] = 0.25;
	refused(&y, 24, GT_ERR_FORMAT, "axes 1 and 2 of its orientation are the same");
	y = x;
	y.dim[0] = 4;
	y.dim[4] = 5;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "dim[4] is 5: several volumes");
	y.dim[0] = 9;
	refused(&y, 24, GT_ERR_FORMAT, "damaged");
	y = x;
	y.dim[2] = -3;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: dim[2] is -3");
	y = x;
	y.pixdim[3] = 0;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: pixdim[3] is 0");
	y = x;
	y.at = 100;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: vox_offset is 100");
	y = x;
	y.datatype = 32;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "datatype is 32 (");
	y.datatype = 128;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "datatype is 128 (");
	y = x;
	y.pair = 1;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "the head of a pair of files");
	y = x;
	y.size_of_head = 347;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: sizeof_hdr is not 348");
}
END_TEST

static double one_bad(size_t i) { return i == 17 ? NAN : 1; }

START_TEST(not_a_number)
{
	const foreign x = plain();
	gt_volume *v;
	write_foreign(&x, 24, one_bad);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "1 of 24 voxels are NaN or infinite, the first at [1][1][1]");
}
END_TEST

/* Cut at every length, and each byte changed: read whole, or refused; never by a crash. */
START_TEST(damaged_compressed_files)
{
	gt_volume *v = volume(), *w;
	unsigned char bytes[4096];
	snprintf(path, sizeof path, "%s/a.nii.gz", folder);
	ck_ok(gt_write_volume(path, &(gt_write_options){ .unit = GT_PER_MM, .deflate = 9 }, v));
	FILE *f = fopen(path, "rb");
	const size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	ck_assert(n > 300 && n < sizeof bytes);
	for (size_t cut = 1; cut < n; cut += 7) {
		f = fopen(path, "wb");
		fwrite(bytes, 1, cut, f);
		fclose(f);
		ck_assert_msg(gt_read_volume(path, NULL, &w) == GT_ERR_FORMAT, "cut at %zu of %zu: %s", cut, n, gt_error());
	}
	for (size_t at = 10; at < n; at += 5) {
		bytes[at] ^= 0x10;
		f = fopen(path, "wb");
		fwrite(bytes, 1, n, f);
		fclose(f);
		bytes[at] ^= 0x10;
		ck_assert_msg(gt_read_volume(path, NULL, &w) != GT_OK || at >= n - 4, "byte %zu of %zu changed, and it was read", at, n);
		gt_volume_free(w);
	}
	gt_volume_free(v);
}
END_TEST

/* Heads of chance: refused or read. */
START_TEST(heads_of_chance)
{
	unsigned char bytes[1024];
	float noise[1024];
	for (unsigned seed = 0; seed < 300; seed++) {
		foreign x = plain();
		gt_volume *v = NULL;
		memset(bytes, 0, sizeof bytes);
		x.version = 1 + (int)seed % 2;
		const size_t head = x.version == 1 ? put_head_1(bytes, &x) : put_head_2(bytes, &x);
		gt_test_random(seed, 1024, noise);
		for (size_t i = 0; i < head; i++)
			if (noise[i] > 0.97)
				bytes[i] = (unsigned char)(127 * (1 + noise[1023 - i]));
		FILE *f = fopen(path, "wb");
		fwrite(bytes, 1, head + 96, f);
		fclose(f);
		gt_read_volume(path, NULL, &v);
		gt_volume_free(v);
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, volumes_come_back);
	tcase_add_test(tc, slices_come_back);
	tcase_add_test(tc, all_types_both_orders_both_versions);
	tcase_add_test(tc, every_orientation);
	tcase_add_test(tc, orientation_by_quaternion);
	tcase_add_test(tc, written_heads);
	tcase_add_test(tc, units_by_rule_or_as_told);
	tcase_add_test(tc, floats_by_their_range);
	tcase_add_test(tc, lengths_in_other_units);
	tcase_add_test(tc, comments_of_another_grid);
	tcase_add_test(tc, long_axes_are_nifti_2);
	tcase_add_test(tc, refusals);
	tcase_add_test(tc, not_a_number);
	tcase_add_test(tc, damaged_compressed_files);
	tcase_add_test(tc, heads_of_chance);
}

/* Without the library there is nothing but a refusal. */
static int is_built_without(void)
{
	float one = 1;
	gt_volume v = { .grid = { { 1, 1, 1 }, { 1, 1, 1 }, { 0 } }, .data = &one };
	char name[] = "/tmp/gantry-nifti-XXXXXX.nii";
	const int file = mkstemps(name, 4);
	const gt_status st = gt_write_volume(name, NULL, &v);
	if (file >= 0)
		close(file);
	unlink(name);
	if (st != GT_OK)
		printf("skipped: %s\n", gt_error());
	return st == GT_ERR_UNSUPPORTED && strstr(gt_error(), "libnifti2-dev");
}

int main(void) { return is_built_without() ? 77 : gt_test_main("nifti", fill); }
