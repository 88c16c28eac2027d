/* Volumes read slice by slice and written slab by slab: between all formats the same bytes as in one call, for any
 * slice order. Damaged files are refused and leave no output. */
/* labels: unit property slow, backend: none */
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/slice_reader.h"
#include "io/slice_writer.h"
#include "tests/io/notes.h"
#include "tests/io/others.h"
#include "tests/io/volumes.h"

enum { NX = 7, NY = 5, NZ = 11, ONE = NX * NY * sizeof(float) };

static char folder[64], name[4][160];

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *f)
{
	(void)s, (void)kind, (void)f;
	return remove(path);
}

static void setup(void) { gt_test_folder(folder); }

static void teardown(void) { nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static const char *at(int i, const char *what)
{
	snprintf(name[i], sizeof name[i], "%s/%s", folder, what);
	return name[i];
}

/* Off centre, odd sizes, and values that whole HU store to a few digits. */
static gt_volume *made(gt_position position)
{
	const gt_grid grid = { { NX, NY, NZ }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	gt_test_random(4, gt_grid_voxels(&grid), v->data);
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++)
		v->data[i] = 0.02f + 0.01f * v->data[i];
	ck_ok(gt_volume_set_position(v, position));
	ck_ok(gt_volume_set_command(v, "gantry made"));
	return v;
}

typedef struct {
	const char *extension;
	int bits, deflate, dated; /* dated: contains unique identifiers */
	gt_unit unit;
} kind;
static const kind kinds[] = {
	{ ".nc", 0, 0, 0, GT_PER_MM }, { ".nc", 0, 5, 0, GT_HU },      { ".mha", 0, 0, 0, GT_HU },     { ".mhd", 0, 0, 0, GT_PER_MM },
	{ ".nii", 0, 0, 0, GT_HU },    { ".nii.gz", 0, 1, 0, GT_HU },  { ".npy", 0, 0, 0, GT_PER_MM }, { ".npy", 16, 0, 0, GT_HU },
	{ ".raw", 0, 0, 0, GT_HU },    { ".raw", 8, 0, 0, GT_PER_MM }, { ".tif", 0, 0, 0, GT_PER_MM }, { ".tif", 16, 6, 0, GT_HU },
	{ ".tif/", 8, 0, 0, GT_HU },   { "/", 0, 0, 1, GT_HU },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static gt_write_options options_of(const kind *k)
{
	gt_write_options o = gt_write_defaults;
	o.bits = k->bits;
	o.deflate = k->deflate;
	o.unit = k->unit;
	return o;
}

/* Compares files except for time stamps and their own name. */
static void same_bytes(const char *a, const char *b)
{
	FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
	ck_assert_msg(x && y, "%s, %s", a, b);
	for (long i = 0, c = 0; c != EOF; i++) {
		c = fgetc(x);
		const int d = fgetc(y);
		ck_assert_msg(c == d, "%s and %s differ at byte %ld", a, b, i);
	}
	fclose(x);
	fclose(y);
}

static void same_file(const char *a, const char *b, const kind *k)
{
	gt_volume *v, *w;
	if (k->extension[strlen(k->extension) - 1] == '/' && !k->dated)
		for (int z = 1; z <= NZ; z++) {
			char one[200], other[200];
			snprintf(one, sizeof one, "%s%06d.tif", a, z);
			snprintf(other, sizeof other, "%s%06d.tif", b, z);
			same_bytes(one, other);
		}
	else if (!k->dated && strcmp(k->extension, ".mhd") != 0 && strncmp(k->extension, ".nc", 3) != 0)
		same_bytes(a, b);
	ck_ok(gt_read_volume(a, NULL, &v));
	ck_ok(gt_read_volume(b, NULL, &w));
	same_volume(v, w, 0, 0);
	ck_assert_int_eq(v->position, w->position);
	ck_assert(v->water == w->water && v->unit == w->unit);
	ck_assert_str_eq(v->from.command ? v->from.command : "", w->from.command ? w->from.command : "");
	gt_volume_free(v);
	gt_volume_free(w);
}

static void clear(void)
{
	teardown();
	ck_assert_int_eq(mkdir(folder, 0700), 0);
}

/* Converts as a whole and by slabs. */
static void convert(const char *source, const gt_volume *whole, const kind *to, size_t slab)
{
	char text[64];
	gt_volume *head;
	gt_slice_reader *r;
	const gt_write_options o = options_of(to);
	snprintf(text, sizeof text, "a%s", to->extension);
	ck_ok(gt_write_volume(at(1, text), &o, whole));
	snprintf(text, sizeof text, "b%s", to->extension);
	ck_ok(gt_slice_reader_open(source, NULL, &head, &r));
	ck_ok(gt_write_volume_by_slabs(slab, at(2, text), &o, head, r));
	ck_assert(gt_slice_reader_max(r) > 0);
	gt_slice_reader_close(r);
	gt_volume_free(head);
	same_file(name[1], name[2], to);
}

GT_TESTS(every_pair, KINDS)
{
	static const gt_position positions[] = { GT_HFS, GT_FFP, GT_HFP };
	static const size_t slab[] = { 1, 2 * ONE, 3 * ONE, 1 << 20 };
	const kind *from = &kinds[_i];
	char text[64];
	gt_volume *v = made(positions[_i % 3]), *whole;
	const gt_write_options o = options_of(from);
	snprintf(text, sizeof text, "from%s", from->extension);
	ck_ok(gt_write_volume(at(0, text), &o, v));
	ck_ok(gt_read_volume(name[0], NULL, &whole));
	for (int to = 0; to < KINDS; to++) {
		convert(name[0], whole, &kinds[to], slab[(to + _i) % 4]);
		for (int k = 1; k < 3; k++)
			nftw(name[k], remove_one, 8, FTW_DEPTH | FTW_PHYS);
	}
	gt_volume_free(v);
	gt_volume_free(whole);
}

/* Any slices in any order, and the header, against the whole volume. */
static void read_in_parts(const char *path, const gt_read_options *o)
{
	static const size_t cut[][2] = { { 4, 3 }, { 0, 1 }, { 0, NZ }, { 10, 1 }, { 9, 2 }, { 1, 5 }, { 3, 0 } };
	float got[NZ * NY * NX];
	gt_volume *v, *head;
	gt_slice_reader *r;
	ck_ok(gt_read_volume(path, o, &v));
	ck_ok(gt_slice_reader_open(path, o, &head, &r));
	ck_assert_ptr_null(head->data);
	for (int a = 0; a < 3; a++)
		ck_assert(head->grid.n[a] == v->grid.n[a] && head->grid.pitch[a] == v->grid.pitch[a] &&
		          head->grid.center[a] == v->grid.center[a]);
	ck_assert(head->water == v->water && head->position == v->position && head->unit == v->unit);
	ck_assert_int_eq(head->positioned, v->positioned);
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
		ck_ok(gt_slice_reader_read(r, cut[i][0], cut[i][1], got));
		ck_assert_msg(memcmp(got, v->data + cut[i][0] * NX * NY, cut[i][1] * ONE) == 0, "%s: slices %zu to %zu", path, cut[i][0],
		              cut[i][0] + cut[i][1]);
	}
	ck_refused(gt_slice_reader_read(r, 9, 3, got), GT_ERR_ARG, "3 slices from slice 9 on: expected 11 in all");
	ck_refused(gt_slice_reader_read(r, (size_t)-1, 2, got), GT_ERR_ARG, "expected 11 in all");
	gt_slice_reader_close(r);
	gt_volume_free(head);
	gt_volume_free(v);
}

GT_TEST(any_slices)
{
	for (int i = 0; i < KINDS; i++)
		for (int lies = GT_HFS; lies <= GT_FFP; lies++) {
			char text[64];
			gt_volume *v = made(GT_HFS);
			gt_read_options o = gt_read_defaults;
			const gt_write_options w = options_of(&kinds[i]);
			snprintf(text, sizeof text, "v%s", kinds[i].extension);
			ck_ok(gt_write_volume(at(0, text), &w, v));
			o.position = (gt_position)lies;
			read_in_parts(name[0], &o);
			gt_volume_free(v);
			clear();
		}
}

/* A compressed volume in reversed slice order is held completely; other slices are read one by one. */
GT_TEST(what_is_held)
{
	const size_t all = NX * NY * NZ * sizeof(float);
	gt_volume *v = made(GT_HFS), *head;
	gt_slice_reader *r;
	gt_read_options o = gt_read_defaults;
	ck_ok(gt_write_volume(at(0, "v.nii.gz"), NULL, v));
	ck_ok(gt_write_volume(at(1, "v.nc"), NULL, v));
	size_t bytes[2];
	for (int down = 0; down < 2; down++) {
		o.position = down ? GT_FFS : GT_HFS;
		ck_ok(gt_slice_reader_open(name[0], &o, &head, &r));
		bytes[down] = gt_slice_reader_bytes(r);
		gt_slice_reader_close(r);
		gt_volume_free(head);
	}
	ck_assert_uint_eq(bytes[1], bytes[0] + all);
	ck_ok(gt_slice_reader_open(name[1], NULL, &head, &r));
	ck_assert_uint_lt(gt_slice_reader_bytes(r), all);
	ck_assert_uint_eq(gt_slice_reader_together(r), 1);
	gt_slice_reader_close(r);
	gt_volume_free(head);
	gt_volume_free(v);
}

/* A file of another program: decreasing coordinates, packed shorts, chunks of four slices. */
GT_TEST(netcdf_of_others)
{
	static const char *const axis[] = { "z", "y", "x" };
	const size_t n[] = { NZ, NY, NX }, chunk[] = { 4, NY, NX };
	const double scale = 1e-5, offset = 0.01;
	int id, dims[3], ids[3], data;
	short values[NZ * NY * NX];
	gt_volume *head;
	gt_slice_reader *r;
	for (int i = 0; i < NZ * NY * NX; i++)
		values[i] = (short)(i * 37 % 1009);
	nc_ok(nc_create(at(0, "o.nc"), NC_NETCDF4, &id));
	for (int a = 0; a < 3; a++) {
		nc_ok(nc_def_dim(id, axis[a], n[a], &dims[a]));
		nc_ok(nc_def_var(id, axis[a], NC_DOUBLE, 1, &dims[a], &ids[a]));
	}
	nc_ok(nc_def_var(id, "attenuation", NC_SHORT, 3, dims, &data));
	nc_ok(nc_def_var_chunking(id, data, NC_CHUNKED, chunk));
	nc_ok(nc_def_var_deflate(id, data, 1, 1, 4));
	nc_ok(nc_put_att_double(id, data, "scale_factor", NC_DOUBLE, 1, &scale));
	nc_ok(nc_put_att_double(id, data, "add_offset", NC_DOUBLE, 1, &offset));
	for (int a = 0; a < 3; a++) {
		double c[NZ];
		for (size_t i = 0; i < n[a]; i++)
			c[i] = a == 1 ? 3 + (double)i : 7 - 2 * (double)i;
		nc_ok(nc_put_var_double(id, ids[a], c));
	}
	nc_ok(nc_put_var_short(id, data, values));
	nc_ok(nc_close(id));
	read_in_parts(name[0], NULL);
	ck_ok(gt_slice_reader_open(name[0], NULL, &head, &r));
	ck_assert_uint_eq(gt_slice_reader_together(r), 4);
	gt_slice_reader_close(r);
	gt_volume_free(head);
}

/* More voxels than the range is determined from: both ways sample the same voxels. */
GT_TEST(range_of_many)
{
	const gt_grid grid = { { 301, 211, 97 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_write_options o = gt_write_defaults;
	gt_volume *v, *head;
	gt_slice_reader *r;
	char whole[NOTES], slabs[NOTES];
	ck_ok(gt_volume_new(&grid, &v));
	gt_test_random(8, gt_grid_voxels(&grid), v->data);
	o.bits = 16;
	ck_ok(gt_write_volume(at(0, "v.mha"), NULL, v));
	o.notes = notes_into(whole);
	ck_ok(gt_write_volume(at(1, "a.raw"), &o, v));
	ck_ok(gt_slice_reader_open(name[0], NULL, &head, &r));
	o.notes = notes_into(slabs);
	ck_ok(gt_write_volume_by_slabs(7 * 301 * 211 * sizeof(float), at(2, "b.raw"), &o, head, r));
	same_bytes(name[1], name[2]);
	ck_assert_msg(strstr(slabs, "16 bits over") != NULL, "%s", slabs);
	const char *said = strstr(whole, "16 bits");
	ck_assert_ptr_nonnull(said);
	ck_assert_int_eq(strncmp(said, strstr(slabs, "16 bits"), strcspn(said, ";")), 0);
	gt_slice_reader_close(r);
	gt_volume_free(head);
	gt_volume_free(v);
}

/* Truncated files and NaN are refused with the file name, also if found late; no output remains. */
static void refused(const char *path, const char *to, const char *why)
{
	gt_volume *head = NULL;
	gt_slice_reader *r = NULL;
	gt_write_options o = gt_write_defaults;
	gt_status st = gt_slice_reader_open(path, NULL, &head, &r);
	o.bits = strstr(to, ".tif") ? 16 : 0;
	if (st == GT_OK)
		st = gt_write_volume_by_slabs(2 * ONE, to, &o, head, r);
	ck_assert_msg(st == GT_ERR_FORMAT || st == GT_ERR_IO, "%s: %d", path, (int)st);
	ck_assert_msg(strstr(gt_error(), why) != NULL, "expected '%s': %s", why, gt_error());
	gt_slice_reader_close(r);
	gt_volume_free(head);
	ck_assert_msg(access(to, F_OK) != 0, "%s is there", to);
}

static void cut(const char *path, double part)
{
	struct stat s;
	ck_assert_int_eq(stat(path, &s), 0);
	ck_assert_int_eq(truncate(path, (off_t)((double)s.st_size * part)), 0);
}

GT_TEST(damaged)
{
	static const char *const ends[] = { "nc", "mha", "nii", "nii.gz", "npy", "raw", "tif" };
	gt_volume *v = made(GT_HFS);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		char text[32];
		snprintf(text, sizeof text, "v.%s", ends[i]);
		ck_ok(gt_write_volume(at(0, text), NULL, v));
		cut(name[0], 0.9);
		refused(name[0], at(1, "out.tif"), text);
		refused(name[0], at(1, "out.nc"), text);
	}
	ck_ok(gt_write_volume(at(0, "series/"), NULL, v));
	cut(at(0, "series/000009.dcm"), 0.9);
	refused(at(0, "series/"), at(1, "out.tif"), "000009.dcm");
	gt_volume_free(v);
}

GT_TEST(nan_in_the_last_slices)
{
	gt_volume *v = made(GT_HFS), *head;
	gt_slice_reader *r;
	float got[NX * NY], nan = NAN;
	ck_ok(gt_write_volume(at(0, "v.npy"), NULL, v));
	FILE *f = fopen(name[0], "r+b");
	ck_assert_int_eq(fseek(f, -(long)sizeof(float) * (NX + 3), SEEK_END), 0);
	ck_assert_uint_eq(fwrite(&nan, sizeof nan, 1, f), 1);
	fclose(f);
	refused(name[0], at(1, "out.nc"), "1 of 35 voxels in slices 10 to 10 are NaN or infinite, the first at [10][3][4]");
	refused(name[0], at(1, "out.tif"), "[10][3][4]");
	ck_ok(gt_slice_reader_open(name[0], NULL, &head, &r));
	ck_ok(gt_slice_reader_read(r, 9, 1, got));
	ck_refused(gt_slice_reader_read(r, 10, 1, got), GT_ERR_FORMAT, "v.npy");
	gt_slice_reader_close(r);
	gt_volume_free(head);
	gt_volume_free(v);
}

GT_TEST(wrong_calls)
{
	gt_volume *v = made(GT_HFS), *head;
	gt_slice_reader *r;
	gt_write_options o = gt_write_defaults;
	ck_ok(gt_write_volume(at(0, "v.nc"), NULL, v));
	ck_refused(gt_slice_reader_open(at(1, "none.nc"), NULL, &head, &r), GT_ERR_IO, "none.nc");
	ck_assert(head == NULL && r == NULL);
	ck_refused(gt_slice_reader_open(NULL, NULL, &head, &r), GT_ERR_ARG, "path is NULL");
	ck_ok(gt_slice_reader_open(name[0], NULL, &head, &r));
	ck_refused(gt_write_volume_from(NULL, NULL, head, r), GT_ERR_ARG, "path is NULL");
	ck_refused(gt_write_volume_from(at(1, "o.nc"), NULL, NULL, r), GT_ERR_ARG, "head is NULL");
	ck_refused(gt_write_volume_from(name[1], NULL, head, NULL), GT_ERR_ARG, "r is NULL");
	o.bits = 16;
	ck_refused(gt_write_volume_from(name[1], &o, head, r), GT_ERR_ARG, "one sample type");
	v->grid.n[0]++;
	ck_refused(gt_write_volume_from(name[1], NULL, v, r), GT_ERR_ARG, "the header has 8 x 5 x 11 voxels");
	v->grid.n[0]--;
	/* DICOM is checked first: it cannot be written by slices */
	ck_refused(gt_can_write_slices_as(at(1, "series/"), NULL), GT_ERR_UNSUPPORTED, "written as a whole");
	gt_slice_reader_close(r);
	gt_slice_reader_close(NULL);
	gt_volume_free(head);
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("slices", setup, teardown); }
