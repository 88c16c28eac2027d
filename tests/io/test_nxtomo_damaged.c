/* Frames with image keys: values from counts, and named faults.
 * labels: unit, backend: none */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/nxtomo_layout.h"
#include "io/view_reader.h"
#include "tests/support/support.h"

enum { FRAMES = 9, VIEWS = 5, ROWS = 3, COLUMNS = 4, PIXELS = ROWS * COLUMNS };
#define ENTRY "/entry1/tomo_entry"

static char folder[64], path[96], other[96];
/* Dark, flat, views, and a flat and a dark between views. */
static const double keys[FRAMES] = { 2, 1, 0, 0, 1, 0, 2, 0, 0 };
static const size_t frame_of[VIEWS] = { 2, 3, 5, 7, 8 };

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nxs", folder);
	snprintf(other, sizeof other, "%s/b.h5", folder);
}

static void teardown(void)
{
	unlink(path);
	unlink(other);
	ck_assert_int_eq(rmdir(folder), 0);
}

static hid_t with_groups(void)
{
	const hid_t links = H5Pcreate(H5P_LINK_CREATE);
	H5Pset_create_intermediate_group(links, 1);
	return links;
}

static void put(hid_t file, const char *name, int rank, const hsize_t *size, const double *values, const char *units)
{
	const hid_t links = with_groups(), space = H5Screate_simple(rank, size, NULL),
		    id = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, links, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
	if (units) {
		const hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
		H5Tset_size(type, strlen(units) + 1);
		const hid_t a = H5Acreate2(id, "units", type, one, H5P_DEFAULT, H5P_DEFAULT);
		ck_assert(a >= 0 && H5Awrite(a, type, units) >= 0);
		H5Aclose(a);
		H5Sclose(one);
		H5Tclose(type);
	}
	H5Dclose(id);
	H5Sclose(space);
	H5Pclose(links);
}

/* Counts of a frame; 1000 is white and 100 dark. */
static double counts_of(size_t frame, size_t pixel) { return 100 + 900 * exp(-0.1 * (double)frame - 0.03 * (double)(pixel * pixel % 7)); }

/* Differences from a good file. */
typedef struct {
	size_t keys, angles; /* 0: one per frame */
	double angle;        /* angle of frame 5, unless 0 */
	int no_views;
	const char *units;         /* units of the angles; NULL: none */
	const char *link, *object; /* file and object of the data; object NULL: in this file */
	int dangling;              /* 1: the angles are a dangling link within the file */
	int no_keys, no_angles;
	const char *second; /* another entry, with the same images by a link, or with others */
	int same;
	const char *pixel; /* unit of the pixel size, "": none */
	double pitch;      /* 0: 6.5 */
} spoilt;

static void make(spoilt s)
{
	const hsize_t size[3] = { FRAMES, ROWS, COLUMNS }, n[2] = { s.keys ? s.keys : FRAMES, s.angles ? s.angles : FRAMES };
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), links = with_groups();
	double data[FRAMES * PIXELS], key[FRAMES], angle[FRAMES];
	for (size_t i = 0; i < FRAMES; i++) {
		key[i] = s.no_views && keys[i] == 0 ? 3 : keys[i];
		angle[i] = i == 5 && s.angle != 0 ? s.angle : 0.3 * (double)i;
		for (size_t k = 0; k < PIXELS; k++)
			data[i * PIXELS + k] = keys[i] == 2 ? 100 : keys[i] == 1 ? 1000 : counts_of(i, k);
	}
	if (s.object)
		ck_assert(H5Lcreate_external(s.link, s.object, file, ENTRY "/data/data", links, H5P_DEFAULT) >= 0);
	else
		put(file, ENTRY "/data/data", 3, size, data, NULL);
	if (!s.no_keys)
		put(file, ENTRY "/instrument/detector/image_key", 1, &n[0], key, NULL);
	if (s.pixel) {
		const double pitch = s.pitch > 0 ? s.pitch : 6.5;
		put(file, ENTRY "/instrument/detector/x_pixel_size", 0, NULL, &pitch, *s.pixel ? s.pixel : NULL);
	}
	if (s.second && s.same) {
		ck_assert(H5Lcreate_hard(file, "/entry1", file, s.second, links, H5P_DEFAULT) >= 0);
	} else if (s.second) {
		char name[64];
		snprintf(name, sizeof name, "%s/instrument/detector/data", s.second);
		for (size_t i = 0; i < FRAMES * PIXELS; i++)
			data[i] = keys[i / PIXELS] == 0 ? 100 + (data[i] - 100) / 2 : data[i];
		put(file, name, 3, size, data, NULL);
		snprintf(name, sizeof name, "%s/instrument/detector/image_key", s.second);
		put(file, name, 1, &n[0], key, NULL);
		snprintf(name, sizeof name, "%s/sample/rotation_angle", s.second);
		put(file, name, 1, &n[1], angle, s.units);
	}
	if (s.dangling)
		ck_assert(H5Lcreate_soft("/nothing", file, ENTRY "/sample/rotation_angle", links, H5P_DEFAULT) >= 0);
	else if (!s.no_angles)
		put(file, ENTRY "/sample/rotation_angle", 1, &n[1], angle, s.units);
	H5Pclose(links);
	H5Fclose(file);
}

static gt_read_options how(gt_frames_options *f)
{
	gt_read_options o = gt_read_defaults;
	*f = gt_frames_defaults;
	o.axis = 1.25;
	o.frames = f;
	return o;
}

static void refused(spoilt s, gt_status code, const char *text)
{
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	make(s);
	ck_refused(gt_read_projections(path, &o, &p), code, text);
	ck_assert_ptr_null(p);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.nxs"));
}

static double line(size_t view, size_t pixel) { return -log((counts_of(frame_of[view], pixel) - 100) / 900); }

GT_TESTS(counts_become_line_integrals, 3)
{
	static const struct {
		const char *units;
		double unit;
	} cases[] = { { NULL, 1 }, { "rad", 1 }, { "degrees", GT_PI / 180 } };
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	f.radians = !cases[_i].units; /* set by the option if the file has none */
	make((spoilt){ .units = cases[_i].units });
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert(p->scan->views == VIEWS && p->scan->rows == ROWS && p->scan->columns == COLUMNS);
	for (size_t v = 0; v < VIEWS; v++) {
		const double turned = fmod(fabs(p->scan->view[v].angle - p->scan->view[0].angle), 2 * GT_PI);
		ck_assert_double_eq_tol(turned, 0.3 * (double)(frame_of[v] - frame_of[0]) * cases[_i].unit, 1e-6);
		for (size_t k = 0; k < PIXELS; k++)
			ck_assert_double_eq_tol(p->data[v * PIXELS + k], line(v, k), 2e-6);
	}
	gt_projections_free(p);
}

/* One row of two views. */
GT_TEST(pieces)
{
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *head;
	gt_view_reader *r;
	float part[2 * COLUMNS];
	make((spoilt){ .units = "rad" });
	ck_ok(gt_view_reader_open_scan(path, &o, &head, &r));
	ck_ok(gt_view_reader_read(r, 2, 2, 1, 1, part));
	for (size_t v = 0; v < 2; v++)
		for (size_t c = 0; c < COLUMNS; c++)
			ck_assert_double_eq_tol(part[v * COLUMNS + c], line(v + 2, COLUMNS + c), 2e-6);
	gt_view_reader_close(r);
	gt_projections_free(head);
}

GT_TEST(one_angle_for_each_view)
{
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	make((spoilt){ .angles = VIEWS, .units = "rad" });
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_double_eq_tol(fabs(p->scan->view[4].angle - p->scan->view[0].angle), 1.2, 1e-6);
	gt_projections_free(p);
}

GT_TEST(what_does_not_fit)
{
	refused((spoilt){ .keys = 8 }, GT_ERR_FORMAT, "image_key: has 8 keys, expected 9, one for each frame");
	refused((spoilt){ .angles = 7 }, GT_ERR_FORMAT,
	        "rotation_angle: has 7 angles, expected 9, one for each frame, or 5, one for each view");
	refused((spoilt){ .angle = NAN }, GT_ERR_FORMAT, "the angle of view 2 is nan, expected a finite number");
	refused((spoilt){ .units = "gon" }, GT_ERR_FORMAT, "units are 'gon', expected degrees or radians");
	refused((spoilt){ .no_views = 1 }, GT_ERR_FORMAT, "none of 9 frames has the key 0, of a projection");
}

/* Views without keys are accepted with options for the keys; likewise for angles. */
GT_TEST(what_is_said_counts)
{
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	refused((spoilt){ .no_keys = 1, .units = "rad" }, GT_ERR_FORMAT,
	        "no image_key that distinguishes views, flat and dark fields in entry1/tomo_entry/data/data");
	how(&f);
	f.white = 1000;
	f.air = "no";
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_uint_eq(p->scan->views, FRAMES);
	ck_assert_double_eq_tol(p->data[2 * PIXELS + 1], -log(counts_of(2, 1) / 1000), 2e-6);
	gt_projections_free(p);
	refused((spoilt){ .no_angles = 1 }, GT_ERR_FORMAT, "no rotation_angle next to entry1/tomo_entry/data/data");
	how(&f);
	f.angles = "0:45";
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_uint_eq(p->scan->views, VIEWS);
	ck_assert_double_eq_tol(p->scan->view[4].angle - p->scan->view[0].angle, GT_PI, 1e-9);
	ck_assert_double_eq_tol(p->data[PIXELS + 1], line(1, 1), 2e-6);
	gt_projections_free(p);
	refused((spoilt){ .no_keys = 1, .no_angles = 1 }, GT_ERR_FORMAT, "no image_key that distinguishes views");
	how(&f);
	f = (gt_frames_options){ .size = sizeof f, .angles = "0:20", .white = 1000, .air = "no" };
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_uint_eq(p->scan->views, FRAMES);
	gt_projections_free(p);
}

GT_TEST(two_scans_in_a_file)
{
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	refused((spoilt){ .second = "/entry2", .units = "rad" }, GT_ERR_FORMAT,
	        "a.nxs: holds 2 scans, entry1, entry2: expected the name of one of them (--entry of import");
	for (int second = 0; second < 2; second++) {
		f.entry = second ? "/entry2" : "entry1";
		ck_ok(gt_read_projections(path, &o, &p));
		/* the second entry has half of the counts of the first */
		ck_assert_double_eq_tol(p->data[PIXELS + 1], line(1, 1) + (second ? log(2) : 0), 2e-6);
		gt_projections_free(p);
	}
	f.entry = "entry3";
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, "has no scan in a group 'entry3': expected one of entry1, entry2");
	f.entry = NULL;
	make((spoilt){ .second = "/also", .same = 1, .units = "rad" });
	ck_ok(gt_read_projections(path, &o, &p));
	gt_projections_free(p);
}

/* The message names scans up to the length of its buffer. */
GT_TEST(many_scans_in_a_file)
{
	gt_nxtomo_layout l;
	const hsize_t size[3] = { 2, 2, 3 }, n = 2;
	const double zero[12] = { 0 };
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	for (int i = 0; i < 120; i++) {
		char name[64];
		snprintf(name, sizeof name, "/entry%04d/instrument/detector/data", i);
		put(file, name, 3, size, zero, NULL);
		snprintf(name, sizeof name, "/entry%04d/instrument/detector/image_key", i);
		put(file, name, 1, &n, zero, NULL);
		snprintf(name, sizeof name, "/entry%04d/sample/rotation_angle", i);
		put(file, name, 1, &n, zero, NULL);
	}
	ck_assert(gt_nxtomo_find(file, NULL, &l));
	ck_assert_uint_eq(l.scans, 120);
	ck_assert_int_eq(strncmp(l.names, "entry0000, entry0001, ", 22), 0);
	ck_assert_str_eq(l.names + strlen(l.names) - 5, ", ...");
	ck_assert_ptr_eq(strstr(l.names, ", ..."), l.names + strlen(l.names) - 5);
	ck_assert(gt_nxtomo_find(file, "entry0119", &l));
	ck_assert_str_eq(l.data, "entry0119/instrument/detector/data");
	H5Fclose(file);
}

GT_TEST(pitch_of_the_pixels)
{
	static const struct {
		const char *unit;
		double mm;
	} cases[] = { { "um", 6.5e-3 }, { "mm", 6.5 }, { "cm", 65 } };
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		make((spoilt){ .pixel = cases[i].unit, .units = "rad" });
		ck_ok(gt_read_projections(path, &o, &p));
		ck_assert_double_eq_tol(p->scan->column_pitch, cases[i].mm, 1e-6 * cases[i].mm);
		ck_assert_double_eq_tol(p->scan->row_pitch, cases[i].mm, 1e-6 * cases[i].mm);
		gt_projections_free(p);
	}
	/* metres, as NeXus recommends, unless the pixel would be larger than 10 mm */
	make((spoilt){ .pixel = "", .pitch = 6.5e-6, .units = "rad" });
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_double_eq_tol(p->scan->column_pitch, 6.5e-3, 1e-9);
	gt_projections_free(p);
	refused((spoilt){ .pixel = "", .units = "rad" }, GT_ERR_FORMAT, "x_pixel_size: is 6.5 without a unit");
	refused((spoilt){ .pixel = "inch", .units = "rad" }, GT_ERR_FORMAT, "x_pixel_size: is 6.5 inch, expected a positive length");
}

/* The frames of another file below the folder. */
GT_TEST(data_by_a_link)
{
	const hsize_t size[3] = { FRAMES, ROWS, COLUMNS };
	gt_frames_options f;
	const gt_read_options o = how(&f);
	gt_projections *p;
	double data[FRAMES * PIXELS];
	for (size_t i = 0; i < FRAMES * PIXELS; i++)
		data[i] = keys[i / PIXELS] == 2 ? 100 : keys[i / PIXELS] == 1 ? 1000 : counts_of(i / PIXELS, i % PIXELS);
	const hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	put(file, "/frames/raw", 3, size, data, NULL);
	H5Fclose(file);
	make((spoilt){ .link = "b.h5", .object = "/frames/raw", .units = "rad" });
	ck_ok(gt_read_projections(path, &o, &p));
	for (size_t v = 0; v < VIEWS; v++)
		ck_assert_double_eq_tol(p->data[v * PIXELS + 5], line(v, 5), 2e-6);
	gt_projections_free(p);
}

GT_TEST(links)
{
	refused((spoilt){ .link = "b.h5", .object = "/x" }, GT_ERR_IO, "its data are in");
	ck_assert_ptr_nonnull(strstr(gt_error(), "b.h5, which does not exist"));
	H5Fclose(H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
	refused((spoilt){ .link = "b.h5", .object = "/x" }, GT_ERR_FORMAT, "b.h5 exists, but has no /x");
	refused((spoilt){ .dangling = 1 }, GT_ERR_FORMAT, "rotation_angle: the link has no target");
}

/* A group with many members keeps their names in a heap. libhdf5 1.10.8 crashes if it cannot read the heap. A probe
 * process would notice, but not if a disk fails later. */
GT_TESTS(members_that_cannot_be_read_are_none, 3)
{
	gt_nxtomo_layout l;
	unsigned char whole[1 << 16];
	const hid_t newest = H5Pcreate(H5P_FILE_ACCESS), one = H5Screate(H5S_SCALAR);
	H5Pset_libver_bounds(newest, H5F_LIBVER_V110, H5F_LIBVER_V110);
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, newest);
	for (int i = 0; i < 40; i++) {
		char name[32];
		snprintf(name, sizeof name, "member%d", i * 7 % 40);
		H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_FLOAT, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	}
	H5Fclose(file);
	FILE *f = fopen(path, "r+b");
	const size_t n = fread(whole, 1, sizeof whole, f);
	const char *const parts[] = { "FRHP", "FHDB", "BTLF" };
	unsigned char *part = memmem(whole, n, parts[_i], 4);
	ck_assert_ptr_nonnull(part);
	ck_assert(fseek(f, part - whole, SEEK_SET) == 0 && fputc('?', f) == '?' && fclose(f) == 0);
	const gt_hdf5_quiet quiet = gt_hdf5_hush();
	const hid_t damaged = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
	ck_assert_int_ge(damaged, 0);
	ck_assert_int_eq(gt_nxtomo_find(damaged, NULL, &l), 0);
	H5Fclose(damaged);
	gt_hdf5_unhush(&quiet);
	H5Pclose(newest);
	H5Sclose(one);
}

int main(void) { return gt_test_main_with("nxtomo_damaged", setup, teardown); }
