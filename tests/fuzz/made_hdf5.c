/* HDF5 files made by libhdf5: Data Exchange or NXtomo with names, types, shapes, layouts, attributes and values from
 * the input. No probe process reads them first. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/table.h"
#include "io/probe.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_RANK = 5, CELLS = 4096, CHANGES_FROM = 208 };

gt_status __wrap_gt_probe(const char *path, const char *library, gt_probe_walk walk);
gt_status __wrap_gt_probe(const char *path, const char *library, gt_probe_walk walk)
{
	(void)path, (void)library, (void)walk;
	return GT_OK;
}

typedef struct {
	const char *name;
	int rank;
	hsize_t size[MAX_RANK];
	double first, step; /* values */
	const char *units;
	const double *values; /* values, if not NULL, instead of first and step */
} entry;

static const entry entries[] = {
	{ "exchange/data", 3, { 4, 2, 8 }, 500, -1, NULL, NULL },
	{ "exchange/data_white", 3, { 2, 2, 8 }, 1000, 1, NULL, NULL },
	{ "exchange/data_dark", 3, { 2, 2, 8 }, 20, 0.1, NULL, NULL },
	{ "exchange/theta", 1, { 4 }, 0, 45, "deg", NULL },
	{ "measurement/instrument/detector/x_pixel_size", 0, { 0 }, 6.5, 0, "um", NULL },
	{ "measurement/instrument/detection_system/objective/magnification", 0, { 0 }, 5, 0, NULL, NULL },
};
/* A flat field, views, an unused frame and a dark field, by their keys. */
static const double keys[] = { 1, 0, 0, 0, 3, 2 };
static const entry frames[] = {
	{ "entry1/tomo_entry/instrument/detector/data", 3, { 6, 2, 8 }, 1000, -9, NULL, NULL },
	{ "entry1/tomo_entry/instrument/detector/image_key", 1, { 6 }, 0, 0, NULL, keys },
	{ "entry1/tomo_entry/sample/rotation_angle", 1, { 6 }, 0, 36, "degrees", NULL },
};

static unsigned change(gt_fuzz_input *in)
{
	const unsigned b = gt_fuzz_byte(in);
	return b < CHANGES_FROM ? 0 : 1 + b - CHANGES_FROM;
}

/* A type in the file; the caller closes it. */
static hid_t type_of(gt_fuzz_input *in)
{
	const hid_t number[] = { H5T_NATIVE_FLOAT, H5T_IEEE_F64BE, H5T_STD_U8LE,  H5T_STD_I16BE,   H5T_STD_U16LE,
		                 H5T_STD_I64LE,    H5T_STD_U64BE,  H5T_STD_B32LE, H5T_STD_REF_OBJ, H5T_UNIX_D32LE };
	const unsigned which = gt_fuzz_byte(in) % 16;
	hid_t t;
	if (which < sizeof number / sizeof *number)
		return H5Tcopy(number[which]);
	if (which < 12) {
		t = H5Tcopy(H5T_C_S1);
		H5Tset_size(t, which == 10 ? 9 : H5T_VARIABLE);
	} else if (which == 12) {
		t = H5Tcreate(H5T_COMPOUND, 8);
		H5Tinsert(t, "a", 0, H5T_NATIVE_FLOAT);
	} else if (which == 13)
		t = H5Tvlen_create(H5T_NATIVE_FLOAT);
	else if (which == 14)
		t = H5Tarray_create2(H5T_NATIVE_FLOAT, 1, (const hsize_t[]){ 3 });
	else {
		t = H5Tcopy(H5T_IEEE_F32LE);
		H5Tset_precision(t, 20);
	}
	return t;
}

static hid_t space_of(gt_fuzz_input *in, const entry *e, hsize_t size[MAX_RANK], int *rank)
{
	static const hsize_t other[] = { 0, 1, 2, 3, 7, 4096, 1 << 20, (hsize_t)1 << 32, (hsize_t)1 << 62 };
	memcpy(size, e->size, sizeof e->size);
	*rank = e->rank;
	const unsigned how = change(in);
	if (how == 1)
		return H5Screate(H5S_NULL);
	if (how > 1 && how < 8 && *rank < MAX_RANK)
		size[(*rank)++] = 1 + how % 3;
	else if (how >= 8 && how < 12 && *rank)
		--*rank;
	else if (how >= 12 && *rank)
		size[gt_fuzz_byte(in) % (unsigned)*rank] = other[how % (sizeof other / sizeof *other)];
	return *rank ? H5Screate_simple(*rank, size, NULL) : H5Screate(H5S_SCALAR);
}

/* The layout of the values in the file. */
static hid_t layout_of(gt_fuzz_input *in, int rank, const hsize_t *size)
{
	const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
	const unsigned how = change(in);
	hsize_t chunk[MAX_RANK];
	int chunks = how > 8 && rank > 0;
	for (int i = 0; i < rank; i++) {
		chunk[i] = how & 1 ? 1 : size[i] > 64 ? 64 : size[i];
		chunks = chunks && chunk[i] > 0;
	}
	if (chunks)
		H5Pset_chunk(made, rank, chunk);
	else if (how)
		H5Pset_layout(made, H5D_COMPACT);
	if (chunks && how & 2)
		H5Pset_shuffle(made);
	if (chunks && how & 4)
		H5Pset_deflate(made, 1);
	if (chunks && how & 8)
		H5Pset_fletcher32(made);
	return made;
}

static void put_attribute(gt_fuzz_input *in, hid_t at, const char *name, const char *text)
{
	static const char *const other[] = { "", "mm", "rad", "radians", "m", "\377", "furlong", "micron" };
	const unsigned how = change(in);
	if (how == 1 || (!how && !text))
		return;
	const char *word = how ? other[how % (sizeof other / sizeof *other)] : text;
	const double number = how > 30 ? gt_fuzz_number(in) : 0;
	const hid_t type = how > 30 ? type_of(in) : H5Tcopy(H5T_C_S1);
	const int several = how % 5 == 3, variable = how <= 30 && how % 5 == 2;
	if (how <= 30)
		H5Tset_size(type, variable ? H5T_VARIABLE : strlen(word) + (how % 5 != 4));
	const hid_t space = several ? H5Screate_simple(1, (const hsize_t[]){ 2 }, NULL) : H5Screate(how % 7 == 6 ? H5S_NULL : H5S_SCALAR);
	const hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
	if (a >= 0 && !several && how <= 30)
		H5Awrite(a, type, variable ? (const void *)&word : (const void *)word);
	else if (a >= 0 && !several)
		H5Awrite(a, H5T_NATIVE_DOUBLE, &number);
	H5Aclose(a);
	H5Sclose(space);
	H5Tclose(type);
}

static void put_values(gt_fuzz_input *in, hid_t id, const entry *e, hid_t space)
{
	static double value[CELLS];
	const hssize_t n = H5Sget_simple_extent_npoints(space);
	if (n < 1 || n > CELLS)
		return;
	for (hssize_t i = 0; i < n; i++)
		value[i] = e->values && i < (hssize_t)e->size[0] ? e->values[i] : e->first + e->step * (double)i;
	if (change(in)) {
		const size_t at = gt_fuzz_byte(in) % (size_t)n;
		value[at] = gt_fuzz_number(in);
	}
	const hid_t type = H5Dget_type(id);
	if (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT)
		H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
	H5Tclose(type);
}

static void put_entry(gt_fuzz_input *in, hid_t file, const entry *e)
{
	char name[128];
	hsize_t size[MAX_RANK];
	int rank;
	const unsigned how = change(in);
	if (how == 1)
		return;
	snprintf(name, sizeof name, "%s%s", e->name, how == 2 ? "s" : how == 3 ? "/data" : "");
	const hid_t links = H5Pcreate(H5P_LINK_CREATE);
	H5Pset_create_intermediate_group(links, 1);
	if (how == 4)
		H5Lcreate_soft(e->name, file, name, links, H5P_DEFAULT);
	else if (how == 5)
		H5Lcreate_external("a.h5", e->name, file, name, links, H5P_DEFAULT);
	else if (how == 6)
		H5Gclose(H5Gcreate2(file, name, links, H5P_DEFAULT, H5P_DEFAULT));
	else {
		const hid_t space = space_of(in, e, size, &rank), type = change(in) ? type_of(in) : H5Tcopy(H5T_NATIVE_FLOAT);
		const hid_t layout = layout_of(in, H5Sget_simple_extent_type(space) == H5S_SIMPLE ? rank : 0, size);
		const hid_t id = H5Dcreate2(file, name, type, space, links, layout, H5P_DEFAULT);
		if (id >= 0) {
			put_attribute(in, id, "units", e->units);
			put_values(in, id, e, space);
			H5Dclose(id);
		}
		H5Pclose(layout);
		H5Tclose(type);
		H5Sclose(space);
	}
	H5Pclose(links);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_read_options o = gt_read_defaults;
	char path[600];
	gt_fuzz_clear();
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	snprintf(path, sizeof path, "%s/a.h5", gt_fuzz_folder());
	gt_frames_options said = gt_frames_defaults;
	const unsigned how = gt_fuzz_byte(&in);
	const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_libver_bounds(access, how & 1 ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
	const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
	gt_fuzz_must(file >= 0, "no file to write");
	const int keyed = (how & 4) != 0;
	const entry *const put = keyed ? frames : entries;
	for (size_t i = 0; i < (keyed ? sizeof frames / sizeof *frames : sizeof entries / sizeof *entries); i++)
		put_entry(&in, file, &put[i]);
	H5Fclose(file);
	H5Pclose(access);
	if (how & 2)
		o.axis = 3.5;
	/* the option states the kind of frames, as if keys were missing */
	if (how & 8) {
		said.values = how & 16 ? GT_FRAMES_LINE_INTEGRALS : GT_FRAMES_COUNTS;
		said.white = how & 16 ? said.white : 1200;
		o.frames = &said;
	}
	gt_fuzz_read(keyed ? &gt_format_nxtomo : &gt_format_dataexchange, path, &o);
	return 0;
}

/* Changes a byte with an effect, often with its operand: an inserted operand would shift the rest, and most bytes
 * have no effect. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	enum { OPERANDS = 8, ALL = 40 }; /* ALL: bytes of a file with one or two changes */
	uint32_t state = seed | 1;
	uint32_t random[4];
	for (size_t i = 0; i < sizeof random / sizeof *random; i++)
		random[i] = (state = state * 1664525u + 1013904223u) >> 8;
	if (random[0] % 3 == 0)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max) : size;
	/* missing bytes are 0; they may change too */
	while (size < ALL && size < max)
		data[size++] = 0;
	if (size == 0)
		return 0;
	const size_t at = random[1] % size;
	data[at] = (uint8_t)(CHANGES_FROM + random[2] % (256 - CHANGES_FROM));
	if (random[3] % 2 || size == max)
		return size;
	memmove(data + at + 2, data + at + 1, size - at - 1);
	data[at + 1] = (uint8_t)(random[3] / 2 % OPERANDS);
	return size + 1;
}
