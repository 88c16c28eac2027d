/* Volumes as .npy and .raw with JSON: exact or to half a step, equal as a whole and by slices; foreign files and
 * refusals. */
/* labels: unit, backend: none */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>
#include "io/same_file.h"
#include "io/slice_writer.h"
#include "tests/io/notes.h"
#include "tests/io/volumes.h"

static char folder[64], notes[NOTES];
static gt_write_options w;
static gt_read_options r;
static const char *const names[] = { "a.npy", "a.raw" };

static const char *in(const char *name)
{
	static char path[4][128];
	static int calls;
	char *to = path[calls++ % 4];
	snprintf(to, sizeof path[0], "%s/%s", folder, name);
	return to;
}

static void setup(void)
{
	gt_test_folder(folder);
	w = gt_write_defaults;
	r = gt_read_defaults;
	w.notes = r.notes = notes_into(notes);
}

static int files(int remove)
{
	DIR *dir = opendir(folder);
	int n = 0;
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
			n++;
			if (remove)
				unlinkat(dirfd(dir), e->d_name, 0);
		}
	closedir(dir);
	return n;
}

static void teardown(void)
{
	files(1);
	ck_assert_int_eq(rmdir(folder), 0);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in(name), "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static size_t get(const char *name, char *text, size_t size)
{
	FILE *f = fopen(in(name), "rb");
	ck_assert_ptr_nonnull(f);
	const size_t n = fread(text, 1, size - 1, f);
	fclose(f);
	text[n] = 0;
	return n;
}

GT_TEST(bits_come_back)
{
	static char bytes[4096];
	for (int i = 0; i < 2; i++) {
		gt_volume *v = volume(), *u = NULL;
		v->position = GT_FFP;
		v->water = 0.0213;
		v->from.scan_hash = 0xfedcba9876543210u;
		v->from.command = strdup("gantry recon \"a\\b.nc\"");
		ck_ok(gt_write_volume(in(names[i]), &w, v));
		for (int by = 0; by < 2; by++) {
			ck_ok(gt_read_volume(in(by ? i ? "a.raw.json" : "a.npy.json" : names[i]), &r, &u));
			same_volume(v, u, 0, 1e-14);
			ck_assert(u->position == GT_FFP && u->water == v->water && u->from.scan_hash == v->from.scan_hash);
			ck_assert_str_eq(u->from.command, v->from.command);
			gt_volume_free(u);
		}
		ck_assert_str_eq(notes, "");
		const size_t n = get(names[i], bytes, sizeof bytes), data = gt_grid_voxels(&v->grid) * sizeof(float);
		ck_assert_uint_eq(n, data + (i ? 0 : 128));
		ck_assert_int_eq(memcmp(bytes + n - data, v->data, data), 0);
		if (!i) {
			ck_assert_int_eq(memcmp(bytes, "\x93NUMPY\1\0\x76\0{'descr': '", 21), 0);
			ck_assert_ptr_nonnull(strstr(bytes + 10, "f4', 'fortran_order': False, 'shape': (3, 5, 7), }  "));
			ck_assert_int_eq(bytes[127], '\n');
		}
		gt_volume_free(v);
	}
	ck_assert_int_eq(files(0), 4);
}

GT_TEST(whole_numbers_come_back_to_half_a_step)
{
	gt_volume *v = volume(), *u = NULL;
	for (int i = 0; i < 8; i++) {
		const int bits = i & 1 ? 8 : 16, hu = i / 2 & 1;
		const double max = bits == 8 ? 255 : 65535, scale = hu ? 0.02 / 1000 : 1;
		w.bits = bits;
		w.unit = hu ? GT_HU : GT_PER_MM;
		w.water = 0.02;
		w.low = hu ? -60000 : -1.2;
		w.high = hu ? 60000 : 1.3;
		ck_ok(gt_write_volume(in(names[i / 4]), &w, v));
		ck_ok(gt_read_volume(in(names[i / 4]), &r, &u));
		ck_assert_int_eq(u->unit, w.unit);
		same_volume(v, u, (w.high - w.low) / max * scale * 0.501, 1e-14);
		gt_volume_free(u);
	}
	w.low = w.high = 0;
	ck_ok(gt_write_volume(in("a.raw"), &w, v));
	ck_assert_msg(strstr(notes, "8 bits over ") && strstr(notes, "excludes a thousandth"), "%s", notes);
	gt_volume_free(v);
}

static void same_bytes(const char *a, const char *b)
{
	static char bytes[2][8192];
	const size_t n = get(a, bytes[0], sizeof bytes[0]), m = get(b, bytes[1], sizeof bytes[1]);
	ck_assert_uint_eq(n, m);
	ck_assert_int_eq(memcmp(bytes[0], bytes[1], n), 0);
}

GT_TEST(slices_make_the_same_file)
{
	static const char *const others[] = { "b.npy", "b.raw" };
	gt_volume *v = volume();
	const size_t plane = v->grid.n[0] * v->grid.n[1];
	for (int i = 0; i < 4; i++) {
		gt_slice_writer *s = NULL;
		char path[128];
		w.bits = i & 1 ? 16 : 0;
		ck_ok(gt_can_write_slices(strcpy(path, in(others[i / 2]))));
		if (w.bits)
			ck_refused(gt_slice_writer_create(path, &w, v, &s), GT_ERR_ARG, "the range of all slices is unknown");
		w.low = w.bits ? -1 : 0;
		w.high = w.bits ? 1 : 0;
		ck_ok(gt_write_volume(in(names[i / 2]), &w, v));
		ck_ok(gt_slice_writer_create(path, &w, v, &s));
		ck_ok(gt_slice_writer_write(s, 1, v->data));
		ck_ok(gt_slice_writer_write(s, 2, v->data + plane));
		ck_ok(gt_slice_writer_commit(s));
		same_bytes(names[i / 2], others[i / 2]);
		w.low = w.high = 0;
		w.bits = 0;
		const int before = files(0);
		ck_ok(gt_slice_writer_create(path, &w, v, &s));
		ck_ok(gt_slice_writer_write(s, 1, v->data));
		gt_slice_writer_drop(s);
		ck_assert_int_eq(files(0), before);
	}
	gt_volume_free(v);
}

/* Foreign little-endian and big-endian values, both names of the JSON file, and defaults. */
GT_TEST(files_of_others_are_read)
{
	gt_volume *v = NULL;
	put("b.raw", "headABCDEFGH");
	put("b.json",
	    " {\"shape\": [2, 1, 2], \"spacing_mm\": [3, 2, 1], \"type\": \"i16be\", \"header\": 4, \"origin_mm\": [10, 20, 30]}");
	ck_ok(gt_read_volume(in("b.raw"), &r, &v));
	ck_assert_msg(strstr(notes, "taken as HU"), "%s", notes);
	ck_assert(v->grid.n[0] == 2 && v->grid.n[1] == 1 && v->grid.n[2] == 2 && v->grid.pitch[0] == 1 && v->grid.pitch[2] == 3);
	ck_assert(v->grid.center[0] == 30.5 && v->grid.center[1] == 20 && v->grid.center[2] == 11.5);
	ck_assert_float_eq_tol(v->data[2], 0.02f * (1 + 0x4546 / 1000.f), 1e-4f);
	gt_volume_free(v);
	put("b.json", "{\"shape\": [2, 1, 4], \"spacing_mm\": [3, 2, 1], \"type\": \"u8\", \"header\": 4,"
	              " \"unit\": \"mm-1\", \"slope\": 0.5, \"offset\": -1}");
	ck_ok(gt_read_volume(in("b.json"), &r, &v));
	ck_assert(v->data[1] == 0.5f * 'B' - 1 && v->data[7] == 0.5f * 'H' - 1 && v->grid.center[2] == 0);
	gt_volume_free(v);
	ck_ok(gt_write_volume(in("a.npy"), &w, v = volume()));
	put("a.npy.json", "{\"spacing_mm\": [1.1, 0.9, 0.7], \"unit\": \"mm-1\", \"origin_mm\": [6.6, -4, 1]}");
	gt_volume *u = NULL;
	ck_ok(gt_read_volume(in("a.npy"), &r, &u));
	same_volume(v, u, 0, 1e-14);
	gt_volume_free(v);
	gt_volume_free(u);
}

/* Refuses the JSON of a file of 8 bytes with this sentence. */
static void refuses(const char *json, gt_status st, const char *why)
{
	gt_volume *v = NULL;
	put("b.raw", "ABCDEFGH");
	put("b.raw.json", json);
	ck_refused(gt_read_volume(in("b.raw"), &r, &v), st, why);
	ck_assert_ptr_null(v);
}

#define SIZED "{\"shape\": [1, 1, 2], \"spacing_mm\": [1, 1, 1], "

GT_TEST(what_makes_no_sense_is_refused)
{
	refuses("{\"spacing_mm\": [1, 1, 1], \"type\": \"f32le\"}", GT_ERR_FORMAT, "key shape is missing");
	refuses("{\"shape\": [1, 2], \"spacing_mm\": [1, 1, 1]}", GT_ERR_FORMAT, "key shape: expected a list of three numbers, z, y, x");
	refuses("{\"shape\": [1, 2, 3, 4], \"spacing_mm\": [1, 1, 1]}", GT_ERR_FORMAT, "key shape: expected a list");
	refuses("{\"shape\": [1, 1, 2.5], \"spacing_mm\": [1, 1, 1]}", GT_ERR_FORMAT, "key shape: x is 2.5, expected a whole number");
	refuses("{\"shape\": [1e300, 1, 2], \"spacing_mm\": [1, 1, 1]}", GT_ERR_FORMAT, "key shape: z is 1e+300");
	refuses("{\"shape\": [1, 1, 2], \"spacing_mm\": [1, 1, -1]}", GT_ERR_FORMAT, "b.raw.json: ");
	refuses("{\"shape\": [1, 1, 2], \"spacing_mm\": \"1\"}", GT_ERR_FORMAT, "key spacing_mm: expected a list");
	refuses(SIZED "\"axes\": [\"x\", \"y\", \"z\"]}", GT_ERR_UNSUPPORTED, "key axes: expected [\"z\", \"y\", \"x\"]");
	refuses(SIZED "\"type\": \"f32le\", \"byte_order\": \"big\"}", GT_ERR_FORMAT,
	        "type and byte_order contradict each other: f32le and big");
	refuses(SIZED "\"type\": \"float\"}", GT_ERR_FORMAT, "key type: is 'float'");
	refuses(SIZED "\"type\": \"u7\", \"unit\": \"HU\"}", GT_ERR_FORMAT, "type 'u7' is not supported");
	refuses(SIZED "\"unit\": \"HU\"}", GT_ERR_FORMAT, "key type is missing");
	refuses(SIZED "\"type\": \"f32le\", \"unit\": \"cm\"}", GT_ERR_FORMAT, "key unit: is 'cm', expected mm-1 or HU");
	refuses(SIZED "\"type\": \"u8\"}", GT_ERR_UNSUPPORTED, "the unit (HU or mm-1) and the slope must be given");
	refuses(SIZED "\"type\": \"f64le\"}", GT_ERR_FORMAT, "has 8 bytes, expected 16");
	refuses(SIZED "\"type\": \"u16le\", \"slope\": 1e300}", GT_ERR_FORMAT, "key slope: expected a number from -1e+30 to 1e+30");
	refuses(SIZED "\"type\": \"u32le\", \"patient_position\": \"up\"}", GT_ERR_FORMAT, "key patient_position: is 'up'");
	refuses(SIZED "\"data_file\": \"../b.raw\", \"type\": \"f32le\"}", GT_ERR_FORMAT, "which holds projections, expected a volume");
	ck_refused(gt_read_volume(in("b.raw.json"), &r, &(gt_volume *){ NULL }), GT_ERR_IO, "../b.raw");
}

/* One JSON object is a header; anything else is refused by place or key. */
GT_TEST(a_header_is_one_json_object)
{
	refuses(SIZED "\"type\": \"f32le\"} {\"type\": \"f32be\"}", GT_ERR_FORMAT,
	        "b.raw.json: text after the end of the JSON object, at byte ");
	refuses(SIZED "\"type\": \"f32le\"}\n}", GT_ERR_FORMAT, "text after the end of the JSON object");
	refuses(SIZED "\"type\": \"f32le\", \"type\": \"f32be\"}", GT_ERR_FORMAT, "key type occurs twice in the JSON object");
	refuses(SIZED "\"type\": \"f32le\"", GT_ERR_FORMAT, "b.raw.json: not valid JSON from byte ");
	refuses(SIZED "\"type\": f32le}", GT_ERR_FORMAT, "not valid JSON from byte ");
	refuses(SIZED "\"type\": \"f64le\"} \r\n\t", GT_ERR_FORMAT, "has 8 bytes, expected 16");
	put("b.json", "{\"spacing_mm\": [1, 1, 1]} more");
	ck_refused(gt_read_volume(in("b.json"), &r, &(gt_volume *){ NULL }), GT_ERR_FORMAT, "b.json: text after the end");
}

/* Files that belong to something else remain. */
GT_TEST(other_files_are_not_replaced)
{
	char text[64];
	gt_volume *v = volume();
	put("a.raw.json", "{\"mine\": 1}");
	ck_refused(gt_write_volume(in("a.raw"), &w, v), GT_ERR_IO, "a.raw.json exists and describes another file");
	ck_assert_int_eq((int)get("a.raw.json", text, sizeof text), 11);
	ck_assert_int_eq(files(1), 1);
	ck_ok(gt_write_volume(in("a.mhd"), &w, v));
	ck_refused(gt_write_volume(in("a.raw"), &w, v), GT_ERR_IO, "is the data file of a MetaImage header");
	ck_assert_int_eq(files(1), 2);
	ck_ok(gt_write_volume(in("a.raw"), &w, v));
	v->data[3] = 17;
	ck_ok(gt_write_volume(in("a.raw"), &w, v));
	ck_assert_int_eq(files(0), 2);
	char *other = gt_data_file(in("a.raw"));
	ck_assert_str_eq(other, in("a.raw.json"));
	free(other);
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("plain", setup, teardown); }
