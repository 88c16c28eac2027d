/* Equal counts in every image format give bit-identical line integrals, with dead, dark and saturated pixels. Fields
 * may come from other files.
 * labels: unit property, backend: none */
#include <hdf5.h>
#include <math.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 7, FIELDS = 2, ROWS = 9, COLUMNS = 23, CELLS = ROWS * COLUMNS };
enum { TIFFS, RAW, NPY, EDF, EXCHANGE, NXTOMO, KINDS };
static const char *const names[KINDS] = { "TIFF", "raw", "NumPy", "EDF", "Data Exchange", "NXtomo" };

/* Counts of a view ('v'), flat ('f') or dark ('d') field. Pixels (2, 4), (8, 0) and (8, 22) are always 0; (2, 5) and
 * (3, 5) are always 65535. Pixel (5, 11) has more dark than white counts, (6, 3) fewer than dark in views. (4, 20)
 * saturates in views, (1, 12) in flat fields. */
static double count_of(char what, size_t image, size_t cell)
{
	const size_t row = cell / COLUMNS, column = cell % COLUMNS;
	const double dark = 90 + (double)(cell % 13), light = 9000 + 17 * (double)(cell * 7 % 31);
	if ((row == 2 && column == 4) || (row == 8 && (column == 0 || column == 22)))
		return 0;
	if ((row == 2 || row == 3) && column == 5)
		return 65535;
	if (row == 5 && column == 11)
		return what == 'd' ? 40000 : 30000;
	if (row == 1 && column == 12 && what == 'f')
		return 65535;
	if (what == 'd')
		return dark + (double)image;
	if (what == 'f')
		return dark + light + 3 * (double)image;
	if (row == 6 && column == 3)
		return 20;
	if (row == 4 && column == 20)
		return 65535;
	return floor(dark + light * exp(-2 * exp(-pow(((double)column - 11 - cos((double)image)) / 4, 2))));
}

static double *images(char what, size_t n)
{
	double *v = malloc(n * CELLS * sizeof *v);
	for (size_t i = 0; i < n * CELLS; i++)
		v[i] = count_of(what, i / CELLS, i % CELLS);
	return v;
}

static void put_numbers(const char *name, const char *head, const double *v, size_t n)
{
	FILE *f = fopen(tiff_path(name), "wb");
	ck_assert(f && fwrite(head, 1, strlen(head), f) == strlen(head));
	for (size_t i = 0; i < n; i++) {
		const uint16_t c = (uint16_t)v[i];
		ck_assert(fputc(c & 255, f) >= 0 && fputc(c >> 8, f) >= 0);
	}
	ck_assert_int_eq(fclose(f), 0);
}

/* Writes all images of a kind into one file, or into one file each. */
static void put_images(int kind, const char *name, char what, size_t n)
{
	char file[64], head[1024];
	double *v = images(what, n);
	for (size_t i = 0; i < n && (kind == TIFFS || kind == EDF); i++) {
		snprintf(file, sizeof file, "%s_%zu.%s", name, i, kind == TIFFS ? "tif" : "edf");
		if (kind == TIFFS)
			tiff_write(file, &tiff_u16, ROWS, COLUMNS, v + i * CELLS);
		snprintf(head, sizeof head, "{\nDim_1 = %d ;\nDim_2 = %d ;\nDataType = UnsignedShort ;\nByteOrder = LowByteFirst ;\n",
		         COLUMNS, ROWS);
		const size_t at = strlen(head);
		memset(head + at, ' ', 510 - at);
		strcpy(head + 510, "}\n");
		if (kind == EDF)
			put_numbers(file, head, v + i * CELLS, CELLS);
	}
	snprintf(file, sizeof file, "%s.%s", name, kind == RAW ? "raw" : "npy");
	if (kind == RAW)
		put_numbers(file, "", v, n * CELLS);
	if (kind == NPY) {
		FILE *f = fopen(tiff_path(file), "wb");
		char text[119];
		snprintf(text, sizeof text, "{'descr': '<u2', 'fortran_order': False, 'shape': (%zu, %d, %d), }", n, ROWS, COLUMNS);
		ck_assert(fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f) == 10 && fprintf(f, "%-117s\n", text) == 118);
		for (size_t i = 0; i < n * CELLS; i++)
			ck_assert(fputc((int)v[i] & 255, f) >= 0 && fputc((int)v[i] >> 8, f) >= 0);
		ck_assert_int_eq(fclose(f), 0);
	}
	free(v);
}

static void put_set(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const double *v)
{
	const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, size, NULL);
	H5Pset_create_intermediate_group(links, 1);
	const hid_t id = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
	ck_assert(id >= 0 && H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
	H5Dclose(id);
	H5Sclose(space);
	H5Pclose(links);
}

static void put_exchange(int fields)
{
	const hid_t file = H5Fcreate(tiff_path("s.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	static const char *const sets[] = { "exchange/data", "exchange/data_white", "exchange/data_dark" };
	double angle[VIEWS];
	for (int k = 0; k < (fields ? 3 : 1); k++) {
		const size_t n = k ? FIELDS : VIEWS;
		double *v = images("vfd"[k], n);
		put_set(file, sets[k], H5T_STD_U16LE, 3, (const hsize_t[]){ n, ROWS, COLUMNS }, v);
		free(v);
	}
	for (int v = 0; v < VIEWS; v++)
		angle[v] = 30 * v;
	put_set(file, "exchange/theta", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){ VIEWS }, angle);
	H5Fclose(file);
}

static void put_nxtomo(void)
{
	enum { ALL = VIEWS + 2 * FIELDS };
	const hid_t file = H5Fcreate(tiff_path("s.nxs"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	double v[ALL * CELLS], key[ALL], angle[ALL];
	for (size_t i = 0; i < ALL; i++) {
		key[i] = i < FIELDS ? 1 : i < 2 * FIELDS ? 2 : 0;
		angle[i] = 30 * (double)(key[i] == 0 ? i - 2 * FIELDS : 0);
		for (size_t c = 0; c < CELLS; c++)
			v[i * CELLS + c] = count_of(key[i] == 1   ? 'f'
			                            : key[i] == 2 ? 'd'
			                                          : 'v',
			                            key[i] == 0 ? i - 2 * FIELDS : i % FIELDS, c);
	}
	put_set(file, "entry/instrument/detector/data", H5T_STD_U16BE, 3, (const hsize_t[]){ ALL, ROWS, COLUMNS }, v);
	put_set(file, "entry/instrument/detector/image_key", H5T_NATIVE_INT, 1, (const hsize_t[]){ ALL }, key);
	put_set(file, "entry/sample/rotation_angle", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){ ALL }, angle);
	H5Fclose(file);
}

/* Options of the reader; names live as long as this. */
typedef struct {
	gt_frames_options f;
	char path[512], flat[512], dark[512], raw[64], note[NOTES];
} reading;

static gt_projections *read_so(reading *r)
{
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	o.axis = 11;
	o.pixel = 1;
	o.frames = &r->f;
	o.notes = notes_into(r->note);
	ck_ok(gt_read_projections(r->path, &o, &p));
	return p;
}

static gt_projections *read_kind(int kind, const char *air, reading *r)
{
	r->f = gt_frames_defaults;
	r->f.air = air;
	if (kind == EXCHANGE) {
		put_exchange(1);
		strcpy(r->path, tiff_path("s.h5"));
		return read_so(r);
	}
	if (kind == NXTOMO) {
		put_nxtomo();
		strcpy(r->path, tiff_path("s.nxs"));
		return read_so(r);
	}
	put_images(kind, "scan", 'v', VIEWS);
	put_images(kind, "flat", 'f', FIELDS);
	put_images(kind, "dark", 'd', FIELDS);
	r->f.angles = "0:30";
	snprintf(r->raw, sizeof r->raw, "u16le:%dx%d", COLUMNS, ROWS);
	r->f.raw = r->raw;
	strcpy(r->path, tiff_folder);
	if (kind == NPY || kind == RAW) {
		strcpy(r->path, tiff_path(kind == NPY ? "scan.npy" : "scan.raw"));
		strcpy(r->flat, tiff_path(kind == NPY ? "flat.npy" : "flat.raw"));
		strcpy(r->dark, tiff_path(kind == NPY ? "dark.npy" : "dark.raw"));
		r->f.flat = r->flat;
		r->f.dark = r->dark;
	}
	return read_so(r);
}

static void same(const gt_projections *a, const gt_projections *b, const char *what)
{
	ck_assert(b->scan->views == VIEWS && b->scan->rows == ROWS && b->scan->columns == COLUMNS);
	for (size_t v = 0; v < VIEWS; v++)
		ck_assert_mem_eq(&a->scan->view[v], &b->scan->view[v], sizeof(gt_view));
	for (size_t i = 0; i < (size_t)VIEWS * CELLS; i++)
		ck_assert_msg(a->data[i] == b->data[i], "%s: view %zu, row %zu, column %zu: %.9g, expected %.9g", what, i / CELLS,
		              i % CELLS / COLUMNS, i % COLUMNS, (double)b->data[i], (double)a->data[i]);
}

static void clear(void)
{
	tiff_teardown();
	tiff_setup();
}

/* Without air and with air columns found; notes on pixels agree too. */
GT_TESTS(every_reader_gives_the_same, 2 * (KINDS - 1))
{
	const char *const air = _i % 2 ? NULL : "no";
	const int kind = 1 + _i / 2;
	static reading first, r;
	gt_projections *a = read_kind(TIFFS, air, &first);
	clear();
	gt_projections *b = read_kind(kind, air, &r);
	same(a, b, names[kind]);
	ck_assert_ptr_nonnull(strstr(first.note, "interpolated 7 dead pixels (first at row 1, column 12)"));
	ck_assert_ptr_nonnull(strstr(r.note, "interpolated 7 dead pixels (first at row 1, column 12)"));
	ck_assert_ptr_nonnull(strstr(first.note, "7 of 1449 transmissions are below 1/65536"));
	ck_assert_ptr_nonnull(strstr(r.note, "7 of 1449 transmissions are below 1/65536"));
	/* a hot pixel is interpolated */
	ck_assert_float_eq_tol(a->data[COLUMNS + 12], (a->data[12] + a->data[2 * COLUMNS + 12]) / 2, 0.1f);
	ck_assert_ptr_nonnull(strstr(first.note, "pixels are saturated at 65535 counts"));
	ck_assert_ptr_nonnull(strstr(r.note, "pixels are saturated at 65535 counts"));
	gt_projections_free(a);
	gt_projections_free(b);
}

/* A Data Exchange file without fields, normalised by fields in NumPy files. */
GT_TEST(fields_of_other_files)
{
	static reading first, r;
	gt_projections *a = read_kind(EXCHANGE, "no", &first);
	put_exchange(0);
	put_images(NPY, "flat", 'f', FIELDS);
	put_images(NPY, "dark", 'd', FIELDS);
	r.f = first.f;
	strcpy(r.path, first.path);
	strcpy(r.flat, tiff_path("flat.npy"));
	strcpy(r.dark, tiff_path("dark.npy"));
	r.f.flat = r.flat;
	r.f.dark = r.dark;
	gt_projections *b = read_so(&r);
	same(a, b, "Data Exchange and NumPy");
	gt_projections_free(a);
	gt_projections_free(b);
}

int main(void) { return gt_test_main_with("readers_agree", tiff_setup, tiff_teardown); }
