/* Small HDF5 files that would need far more memory or time than their size are refused before allocation. Their sizes
 * are false, groups are cyclic, or virtual data sets read from themselves.
 * labels: unit, backend: none */
#include <hdf5.h>
#include <sys/resource.h>
#include <gantry/io.h>
#include "core/clones.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

/* Zeros if values is set, else never written. */
static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const hsize_t *chunk, int values)
{
	const hsize_t unlimited[3] = { H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED };
	const hid_t links = H5Pcreate(H5P_LINK_CREATE), made = H5Pcreate(H5P_DATASET_CREATE),
		    space = H5Screate_simple(rank, size, unlimited);
	hsize_t n = 1;
	H5Pset_create_intermediate_group(links, 1);
	H5Pset_chunk(made, rank, chunk);
	H5Pset_deflate(made, 1);
	const hid_t id = H5Dcreate2(file, name, type, space, links, made, H5P_DEFAULT);
	for (int d = 0; d < rank; d++)
		n *= size[d];
	void *zeros = values ? calloc(n, H5Tget_size(type)) : NULL;
	ck_assert(id >= 0 && (!values || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0));
	free(zeros);
	H5Dclose(id);
	H5Sclose(space);
	H5Pclose(made);
	H5Pclose(links);
}

static hid_t begin(void) { return H5Fcreate(tiff_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT); }

static void refuse(const char *why)
{
	gt_projections *p = NULL;
	ck_refused(gt_read_projections(tiff_path("a.h5"), NULL, &p), GT_ERR_FORMAT, why);
	ck_assert_ptr_null(p);
}

START_TEST(a_chunk_beyond_its_data)
{
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 1024, 1024, 512 }, 0);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 8 }, (const hsize_t[]){ 8 }, 1);
	H5Fclose(file);
	/* under sanitizers the probe process may stay below its memory limit */
	refuse(GT_SANITIZED ? "a.h5: " : "needs more than");
}
END_TEST

START_TEST(many_tiny_images)
{
	const hsize_t n = 3 << 20;
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ n, 1, 2 }, (const hsize_t[]){ n, 1, 2 }, 1);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ n }, (const hsize_t[]){ n }, 1);
	H5Fclose(file);
	refuse("claims 3145728 images in a file of");
}
END_TEST

START_TEST(more_than_deflate_can_hold)
{
	const hsize_t n = 1 << 15;
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT16, 3, (const hsize_t[]){ n, 1024, 1024 }, (const hsize_t[]){ 1, 1024, 1024 }, 0);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ n }, (const hsize_t[]){ n }, 1);
	H5Fclose(file);
	refuse("claims 32768 x 1024 x 1024 values");
}
END_TEST

/* Angles of a Data Exchange file, 10 degrees apart. */
static void put_angles(hid_t file, hsize_t n)
{
	float degrees[32];
	for (hsize_t i = 0; i < n; i++)
		degrees[i] = 10 * (float)i;
	put(file, "exchange/theta", H5T_NATIVE_FLOAT, 1, &n, &n, 1);
	const hid_t id = H5Dopen2(file, "exchange/theta", H5P_DEFAULT);
	ck_assert(H5Dwrite(id, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, degrees) >= 0);
	H5Dclose(id);
}

/* Flat fields of these 71 MB would take ten times their size before a view is read. */
START_TEST(constant_images)
{
	const hid_t file = begin();
	put(file, "exchange/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 17, 2048, 2048 }, (const hsize_t[]){ 1, 2048, 2048 }, 1);
	put_angles(file, 17);
	H5Fclose(file);
	refuse("they are constant, expected a scan");
}
END_TEST

/* The probe process does not read texts of variables: it took five times their length. */
START_TEST(a_long_text)
{
	enum { LENGTH = 60 << 20, MAX_KIB = 160 << 10 };
	const hid_t file = begin(), type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
	char *text = malloc(LENGTH + 1);
	struct rusage used;
	memset(text, 'x', LENGTH);
	text[LENGTH] = 0;
	H5Tset_size(type, H5T_VARIABLE);
	put(file, "exchange/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 17, 4, 4 }, (const hsize_t[]){ 1, 4, 4 }, 1);
	put_angles(file, 17);
	const hid_t id = H5Dcreate2(file, "definition", type, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0);
	free(text);
	H5Dclose(id);
	H5Sclose(one);
	H5Tclose(type);
	H5Fclose(file);
	refuse("no flat fields, and no edge columns that are air");
	ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
	ck_assert_msg(GT_SANITIZED || used.ru_maxrss < MAX_KIB, "the probe process used %ld KiB", used.ru_maxrss);
}
END_TEST

/* A thin object without noise compresses as far, but each image shows it. Without fields these are no scan. */
START_TEST(nearly_empty_images)
{
	enum { SIDE = 2048, IMAGES = 17, LINES = 4 };
	const hid_t file = begin();
	put(file, "exchange/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ IMAGES, SIDE, SIDE }, (const hsize_t[]){ 1, SIDE, SIDE }, 1);
	put_angles(file, IMAGES);
	const hid_t id = H5Dopen2(file, "exchange/data", H5P_DEFAULT), space = H5Dget_space(id);
	const hsize_t start[] = { 0, 700, 0 }, size[] = { IMAGES, LINES, SIDE };
	uint8_t *line = malloc((size_t)IMAGES * LINES * SIDE);
	memset(line, 9, (size_t)IMAGES * LINES * SIDE);
	const hid_t memory = H5Screate_simple(3, size, NULL);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
	ck_assert(H5Dwrite(id, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, line) >= 0);
	free(line);
	H5Sclose(memory);
	H5Sclose(space);
	H5Dclose(id);
	H5Fclose(file);
	refuse("no flat fields, and no edge columns that are air");
}
END_TEST

/* The fields would fail too, but only after they were read. */
START_TEST(views_that_were_never_written)
{
	const hid_t file = begin();
	put(file, "exchange/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 1, 4, 4 }, 0);
	put(file, "exchange/data_white", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 1, 4, 4 }, 1);
	put_angles(file, 8);
	H5Fclose(file);
	refuse("exchange/data: image 0 of 8: 8 of its 8 chunks were never written");
}
END_TEST

/* libnetcdf would take 480 MB for them. */
START_TEST(more_groups_than_a_scan_has)
{
	char name[64];
	const hid_t file = begin();
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 8, 4, 4 }, 1);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 8 }, (const hsize_t[]){ 8 }, 1);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "entry/g%d", i);
		H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	}
	H5Fclose(file);
	refuse("a.h5: holds more than");
}
END_TEST

/* libnetcdf would take 4 s for them. */
START_TEST(more_attributes_than_a_scan_has)
{
	char name[64];
	const hid_t file = begin(), space = H5Screate(H5S_SCALAR);
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 8, 4, 4 }, 1);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 8 }, (const hsize_t[]){ 8 }, 1);
	for (int group = 0; group < 10; group++) {
		snprintf(name, sizeof name, "entry/g%d", group);
		const hid_t id = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
		for (int i = 0; i < 1200; i++) {
			snprintf(name, sizeof name, "a%d", i);
			H5Aclose(H5Acreate2(id, name, H5T_NATIVE_UINT8, space, H5P_DEFAULT, H5P_DEFAULT));
		}
		H5Gclose(id);
	}
	H5Sclose(space);
	H5Fclose(file);
	refuse("a.h5: holds more than");
	ck_assert_ptr_nonnull(strstr(gt_error(), "attributes"));
}
END_TEST

static hid_t scan_file(const char *name)
{
	const hid_t file = H5Fcreate(tiff_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	put(file, "entry/data/data", H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 8, 4, 4 }, 1);
	put(file, "entry/data/rotation_angle", H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 8 }, (const hsize_t[]){ 8 }, 1);
	H5Gclose(H5Gcreate2(file, "entry/more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	return file;
}

/* libnetcdf follows hard, soft and external links until its stack overflows. */
START_TEST(groups_in_cycles)
{
	for (int kind = 0; kind < 5; kind++) {
		const hid_t file = scan_file("a.h5");
		if (kind == 0)
			H5Lcreate_hard(file, "entry", file, "entry/more/up", H5P_DEFAULT, H5P_DEFAULT);
		else if (kind == 1)
			H5Lcreate_soft("/", file, "entry/more/up", H5P_DEFAULT, H5P_DEFAULT);
		else if (kind == 2)
			H5Lcreate_external("a.h5", "entry", file, "entry/more/up", H5P_DEFAULT, H5P_DEFAULT);
		else if (kind == 3) {
			H5Lcreate_soft("/entry/more", file, "entry/data/up", H5P_DEFAULT, H5P_DEFAULT);
			H5Lcreate_soft("/entry/data", file, "entry/more/up", H5P_DEFAULT, H5P_DEFAULT);
		} else {
			H5Lcreate_external("b.h5", "entry/more", file, "entry/more/up", H5P_DEFAULT, H5P_DEFAULT);
			const hid_t other = scan_file("b.h5");
			H5Lcreate_external("a.h5", "entry/more", other, "entry/more/up", H5P_DEFAULT, H5P_DEFAULT);
			H5Fclose(other);
		}
		H5Fclose(file);
		refuse("leads back to a group that contains it: expected groups without cycles");
	}
}
END_TEST

/* 40 groups, each with two links to the next: 2^40 paths. */
START_TEST(groups_with_many_paths)
{
	const hid_t file = scan_file("a.h5");
	hid_t group = H5Gopen2(file, "entry/more", H5P_DEFAULT);
	for (int i = 0; i < 40; i++) {
		const hid_t next = H5Gcreate2(group, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
		H5Lcreate_hard(group, "a", group, "b", H5P_DEFAULT, H5P_DEFAULT);
		H5Gclose(group);
		group = next;
	}
	H5Gclose(group);
	H5Fclose(file);
	refuse("a.h5: holds more than");
}
END_TEST

/* A soft link to itself, two that lead to each other, and one through itself. */
START_TEST(links_to_themselves)
{
	static const char *const links[][2] = { { "/entry/more/a", "/entry/more/a" },
		                                { "/entry/more/b", "/entry/more/b" },
		                                { "/entry/more/a/b", "/nowhere" },
		                                { "/entry/data/data", "/nowhere" } };
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		const hid_t file = scan_file("a.h5");
		if (i == 3)
			H5Ldelete(file, "/entry/data/data", H5P_DEFAULT);
		H5Lcreate_soft(links[i][0], file,
		               i == 1   ? "entry/more/b"
		               : i == 3 ? "entry/data/data"
		                        : "entry/more/a",
		               H5P_DEFAULT, H5P_DEFAULT);
		H5Lcreate_soft(links[i][1], file, "entry/more/c", H5P_DEFAULT, H5P_DEFAULT);
		H5Fclose(file);
		refuse(i == 1   ? "entry/more/b leads to itself"
		       : i == 3 ? "the link /entry/data/data leads to itself, directly or through other links: expected a data set"
		                : "entry/more/a leads to itself, directly or through other links");
	}
}
END_TEST

/* Images behind a link without a target, next to angles. */
START_TEST(images_without_target)
{
	const hid_t file = scan_file("a.h5");
	H5Ldelete(file, "/entry/data/data", H5P_DEFAULT);
	H5Lcreate_soft("/entry/lost", file, "/entry/data/data", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(file);
	refuse("entry/data/data: the link has no target");
}
END_TEST

/* Two links to a group, and links without a target, are no cycle. */
START_TEST(groups_without_cycles)
{
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	gt_projections *p = NULL;
	const hid_t file = scan_file("a.h5");
	o.frames = &f;
	f.flat = "none";
	f.values = GT_FRAMES_LINE_INTEGRALS;
	H5Lcreate_hard(file, "entry/data", file, "entry/more/again", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_soft("/entry/data", file, "entry/more/soft", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_soft("/nowhere", file, "entry/more/none", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_external("missing.h5", "/", file, "entry/more/missing", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(file);
	const gt_status st = gt_read_projections(tiff_path("a.h5"), &o, &p);
	ck_assert_msg(!strstr(gt_error(), "cycles") && !strstr(gt_error(), "probe"), "%d: %s", st, gt_error());
	gt_projections_free(p);
}
END_TEST

/* A virtual data set of all images of `source` in `from`. */
static void put_virtual(const char *name, const char *in, const char *from, const char *source)
{
	const hsize_t size[3] = { 8, 4, 4 };
	const hid_t file = H5Fopen(tiff_path(name), H5F_ACC_RDWR, H5P_DEFAULT), made = H5Pcreate(H5P_DATASET_CREATE),
		    space = H5Screate_simple(3, size, NULL);
	ck_assert(H5Pset_virtual(made, space, from, source, space) >= 0);
	H5Ldelete(file, in, H5P_DEFAULT);
	H5Dclose(H5Dcreate2(file, in, H5T_NATIVE_UINT8, space, H5P_DEFAULT, made, H5P_DEFAULT));
	H5Pclose(made);
	H5Sclose(space);
	H5Fclose(file);
}

START_TEST(virtual_data_of_themselves)
{
	static const char data[] = "entry/data/data";
	static const char *const self[] = { ".", "a.h5" };
	for (int kind = 0; kind < 2; kind++) {
		H5Fclose(scan_file("a.h5"));
		put_virtual("a.h5", data, self[kind], data);
		refuse("the virtual data set reads from itself: expected sources that hold images");
	}
	H5Fclose(scan_file("a.h5"));
	H5Fclose(scan_file("b.h5"));
	put_virtual("a.h5", data, "b.h5", data);
	put_virtual("b.h5", data, "a.h5", data);
	refuse("the virtual data set reads from itself through others");
	/* a chain of ten in one file */
	H5Fclose(scan_file("a.h5"));
	char name[2][64] = { "entry/more/d0", "" };
	put_virtual("a.h5", data, ".", name[0]);
	for (int i = 1; i < 10; i++) {
		snprintf(name[i % 2], sizeof *name, "entry/more/d%d", i);
		put_virtual("a.h5", name[(i + 1) % 2], ".", name[i % 2]);
	}
	H5Fclose(H5Fopen(tiff_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
	const hid_t file = H5Fopen(tiff_path("a.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
	put(file, name[1], H5T_NATIVE_UINT8, 3, (const hsize_t[]){ 8, 4, 4 }, (const hsize_t[]){ 8, 4, 4 }, 1);
	H5Fclose(file);
	refuse("virtual data sets of virtual data sets: more than 8 in each other");
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, tiff_setup, tiff_teardown);
	tcase_add_test(tc, a_chunk_beyond_its_data);
	tcase_add_test(tc, many_tiny_images);
	tcase_add_test(tc, more_than_deflate_can_hold);
	tcase_add_test(tc, constant_images);
	tcase_add_test(tc, nearly_empty_images);
	tcase_add_test(tc, a_long_text);
	tcase_add_test(tc, views_that_were_never_written);
	tcase_add_test(tc, more_groups_than_a_scan_has);
	tcase_add_test(tc, more_attributes_than_a_scan_has);
	tcase_add_test(tc, groups_in_cycles);
	tcase_add_test(tc, groups_with_many_paths);
	tcase_add_test(tc, groups_without_cycles);
	tcase_add_test(tc, links_to_themselves);
	tcase_add_test(tc, images_without_target);
	tcase_add_test(tc, virtual_data_of_themselves);
}

int main(void) { return gt_test_main("hdf5_bombs", fill); }
