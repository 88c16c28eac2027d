/* NetCDF files made by libnetcdf: a copy of a file of Gantry with names, types, shapes, attributes and values
 * changed by the input. Changed bytes of a file seldom pass libnetcdf. No probe process reads them first. */
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "io/checkpoint.h"
#include "io/table.h"
#include "io/probe.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_VARIABLES = 32, MAX_DIMENSIONS = 8, CELLS = 4096, CHANGES_FROM = 208, MAX_FILLED = 1 << 20 };

gt_status __wrap_gt_probe(const char *path, const char *library, gt_probe_walk walk);
gt_status __wrap_gt_probe(const char *path, const char *library, gt_probe_walk walk)
{
	(void)path, (void)library, (void)walk;
	return GT_OK;
}

/* The files that are copied, made once: an arc of 3 views with weights, a volume in HU, a checkpoint. */
static char base[3][512];

static void make_scan(const char *path)
{
	const gt_orbit o = { .shape = GT_ARC,
		             .views = 3,
		             .rows = 2,
		             .columns = 4,
		             .source_to_axis = 500,
		             .source_to_detector = 900,
		             .column_pitch = 20,
		             .row_pitch = 15,
		             .turn = 6.28 };
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	float weight[24];
	gt_fuzz_must(gt_scan_orbit(&o, &scan) == GT_OK && gt_projections_new(scan, &p) == GT_OK, "no scan");
	for (int i = 0; i < 24; i++)
		p->data[i] = weight[i] = 0.1f * (float)i;
	gt_fuzz_must(gt_projections_set_weights(p, weight) == GT_OK && gt_write_projections(path, NULL, p) == GT_OK, gt_error());
	gt_projections_free(p);
	gt_scan_free(scan);
}

static void make_volume(const char *path)
{
	const gt_grid grid = { .n = { 4, 3, 2 }, .pitch = { 1, 1, 2 }, .center = { 0, 1, 5 } };
	gt_write_options o = gt_write_defaults;
	gt_volume *v = NULL;
	o.unit = GT_HU;
	gt_fuzz_must(gt_volume_new(&grid, &v) == GT_OK, "no volume");
	for (int i = 0; i < 24; i++)
		v->data[i] = 0.001f * (float)i;
	gt_fuzz_must(gt_write_volume(path, &o, v) == GT_OK, gt_error());
	gt_volume_free(v);
}

static gt_backend *be;
static gt_array *x;

static void make_checkpoint(const char *path)
{
	static const gt_checkpoint_line run[] = { { "solver", "fista" }, { "grid", "4x3x2@1x1x2" }, { NULL, NULL } };
	float values[24];
	double t = 3.5;
	for (int i = 0; i < 24; i++)
		values[i] = (float)i;
	gt_fuzz_must(gt_backend_open("cpu:1", &be) == GT_OK && gt_array_new(be, GT_F32, 24, &x) == GT_OK, "no array");
	gt_array_put(values, x);
	const gt_state_entry kept[] = { { "x", x, NULL }, { "t", NULL, &t }, { NULL, NULL, NULL } };
	gt_fuzz_must(gt_checkpoint_write(path, run, 7, kept) == GT_OK, gt_error());
}

static void make_bases(void)
{
	if (*base[0])
		return;
	for (int i = 0; i < 3; i++)
		snprintf(base[i], sizeof base[i], "%s/.base%d.nc", gt_fuzz_folder(), i);
	make_scan(base[0]);
	make_volume(base[1]);
	make_checkpoint(base[2]);
}

/* Returns 0 for no change, the usual case, so that the effect of a single change is seen by all later reads. */
static unsigned change(gt_fuzz_input *in)
{
	const unsigned b = gt_fuzz_byte(in);
	return b < CHANGES_FROM ? 0 : 1 + b - CHANGES_FROM;
}

static void change_name(gt_fuzz_input *in, char *name)
{
	static const char *const other[] = { "projections", "attenuation", "ct_number", "source", "detector",
		                             "x",           "y",           "z",         "view",   "_FillValue" };
	const unsigned which = gt_fuzz_byte(in) % 16;
	if (which < sizeof other / sizeof *other)
		strcpy(name, other[which]);
	else
		strcat(name, "s");
}

static size_t change_length(gt_fuzz_input *in, size_t n)
{
	static const size_t other[] = { 0, 1, 2, 3, 5, 24, 65536, 1 << 20, (size_t)1 << 31, (size_t)1 << 40 };
	const unsigned which = gt_fuzz_byte(in) % 16;
	return which < sizeof other / sizeof *other ? other[which] : which & 1 ? n + 1 : n > 1 ? n - 1 : n;
}

static void copy_attribute(gt_fuzz_input *in, int from, int v, const char *name, int to, int w)
{
	static const char *const text[] = { "",         "m",     "HU",  "mm-1",     "degrees",     "flat",
		                            "parallel", "1e999", "nan", "\377\376", "HFS\ngantry", "um" };
	char renamed[NC_MAX_NAME + 2];
	double number[3];
	switch (change(in)) {
	case 0:
		nc_copy_att(from, v, name, to, w);
		return;
	case 1:
	case 2:
		return;
	case 3:
	case 4:
		strcpy(renamed, name);
		change_name(in, renamed);
		name = renamed; /* fall through */
	default:
		break;
	}
	const unsigned how = gt_fuzz_byte(in);
	const char *word = text[how / 4 % (sizeof text / sizeof *text)];
	for (int i = 0; i < 3; i++)
		number[i] = gt_fuzz_number(in);
	if (how % 4 == 0)
		nc_put_att_text(to, w, name, strlen(word), word);
	else if (how % 4 == 1)
		nc_put_att_string(to, w, name, 1 + (how & 1), (const char *[]){ word, "more" });
	else
		nc_put_att_double(to, w, name, how & 16 ? NC_DOUBLE : how & 32 ? NC_FLOAT : NC_DOUBLE, how % 4 == 2 ? 1 : how % 3, number);
}

static void copy_attributes(gt_fuzz_input *in, int from, int v, int to, int w)
{
	int n = 0;
	char name[NC_MAX_NAME + 1];
	if (v == NC_GLOBAL)
		nc_inq_natts(from, &n);
	else
		nc_inq_varnatts(from, v, &n);
	for (int i = 0; i < n; i++)
		if (nc_inq_attname(from, v, i, name) == NC_NOERR)
			copy_attribute(in, from, v, name, to, w);
}

static void copy_dimensions(gt_fuzz_input *in, int from, int to)
{
	int n = 0;
	nc_inq_ndims(from, &n);
	for (int i = 0; i < n; i++) {
		char name[NC_MAX_NAME + 2];
		size_t length;
		int id;
		nc_inq_dim(from, i, name, &length);
		const unsigned how = change(in);
		if (how == 1)
			change_name(in, name);
		else if (how > 3)
			length = change_length(in, length);
		nc_def_dim(to, name, how == 2 ? NC_UNLIMITED : length, &id);
	}
}

/* Another type of a variable, also user-defined ones. */
static nc_type change_type(gt_fuzz_input *in, int to)
{
	static const nc_type other[] = { NC_BYTE,  NC_CHAR,   NC_SHORT, NC_INT,   NC_FLOAT,  NC_DOUBLE,
		                         NC_UBYTE, NC_USHORT, NC_UINT,  NC_INT64, NC_UINT64, NC_STRING };
	const unsigned which = gt_fuzz_byte(in) % 16;
	nc_type made = NC_FLOAT;
	if (which < sizeof other / sizeof *other)
		return other[which];
	if (which == 12)
		nc_def_vlen(to, "rows", NC_FLOAT, &made);
	else if (which == 13)
		nc_def_opaque(to, 7, "lump", &made);
	else if (which == 14)
		nc_def_enum(to, NC_BYTE, "kind", &made);
	else if (nc_def_compound(to, 8, "pair", &made) == NC_NOERR)
		nc_insert_compound(to, made, "first", 0, NC_FLOAT);
	return made;
}

static int copy_definition(gt_fuzz_input *in, int from, int v, int to)
{
	char name[NC_MAX_NAME + 2];
	int rank = 0, dimension[NC_MAX_VAR_DIMS], w = -1;
	nc_type type;
	nc_inq_var(from, v, name, &type, &rank, dimension, NULL);
	const unsigned how = change(in), at = gt_fuzz_byte(in) % MAX_DIMENSIONS;
	if (how == 1 || how == 2)
		return -1;
	if (how == 3 || how == 4)
		change_name(in, name);
	else if (how > 4 && how < 12)
		type = change_type(in, to);
	else if (how >= 12 && how < 20 && rank > 1) {
		const int first = dimension[0];
		dimension[0] = dimension[rank - 1];
		dimension[rank - 1] = first;
	} else if (how >= 20 && how < 28 && rank > 0)
		rank--;
	else if (how >= 28 && how < 36 && rank < MAX_DIMENSIONS)
		dimension[rank++] = (int)at;
	else if (how >= 36 && how < 44 && rank)
		dimension[at % (unsigned)rank] = (int)at / 2;
	if (nc_def_var(to, name, type, rank, dimension, &w) != NC_NOERR)
		return -1;
	/* unwritten data are not filled: filling large variables takes too long for a fuzzer */
	double cells = 1;
	for (int i = 0; i < rank; i++) {
		size_t length = 0;
		nc_inq_dimlen(to, dimension[i], &length);
		cells *= (double)length;
	}
	if (cells > MAX_FILLED)
		nc_def_var_fill(to, w, NC_NOFILL, NULL);
	if (how == 45)
		nc_def_var_deflate(to, w, 1, 1, 1);
	if (how == 46)
		nc_def_var_fletcher32(to, w, NC_FLETCHER32);
	copy_attributes(in, from, v, to, w);
	return w;
}

/* Copies the values that both have, sometimes with an unusual one. Too large variables keep the fill values. */
static void copy_values(gt_fuzz_input *in, int from, int v, int to, int w)
{
	static double value[CELLS];
	size_t start[NC_MAX_VAR_DIMS] = { 0 }, count[NC_MAX_VAR_DIMS], n = 1;
	int rank = 0, dimension[NC_MAX_VAR_DIMS];
	nc_type type;
	memset(value, 0, sizeof value);
	nc_inq_var(from, v, NULL, &type, &rank, dimension, NULL);
	for (int i = 0; i < rank; i++) {
		nc_inq_dimlen(from, dimension[i], &count[i]);
		n *= count[i];
	}
	if (n > CELLS || type == NC_STRING || type == NC_CHAR || nc_get_var_double(from, v, value) != NC_NOERR)
		return;
	if (change(in))
		value[gt_fuzz_byte(in) % n] = gt_fuzz_number(in);
	rank = 0;
	n = 1;
	nc_inq_var(to, w, NULL, &type, &rank, dimension, NULL);
	for (int i = 0; i < rank; i++) {
		nc_inq_dimlen(to, dimension[i], &count[i]);
		count[i] = count[i] ? count[i] : 3;
		n *= count[i] > CELLS ? CELLS + 1 : count[i];
		if (n > CELLS)
			return;
	}
	if (type < NC_STRING && type != NC_CHAR)
		nc_put_vara_double(to, w, start, count, value);
}

static void copy_changed(gt_fuzz_input *in, const char *from_path, const char *to_path)
{
	static const int kind[] = { NC_NETCDF4, NC_NETCDF4,      NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL,
		                    0,          NC_64BIT_OFFSET, NC_CDF5,    NC_NETCDF4 };
	int from, to, n = 0, w[MAX_VARIABLES];
	gt_fuzz_must(nc_open(from_path, NC_NOWRITE, &from) == NC_NOERR, "no file to copy");
	gt_fuzz_must(nc_create(to_path, NC_CLOBBER | kind[gt_fuzz_byte(in) % 8], &to) == NC_NOERR, "no file to write");
	copy_dimensions(in, from, to);
	copy_attributes(in, from, NC_GLOBAL, to, NC_GLOBAL);
	nc_inq_nvars(from, &n);
	gt_fuzz_must(n <= MAX_VARIABLES, "more variables than the copy can hold");
	for (int v = 0; v < n; v++)
		w[v] = copy_definition(in, from, v, to);
	nc_set_fill(to, NC_NOFILL, NULL); /* for classic formats, which have no other way */
	nc_enddef(to);
	for (int v = 0; v < n; v++)
		if (w[v] >= 0)
			copy_values(in, from, v, to, w[v]);
	nc_close(to);
	nc_close(from);
}

static void read_checkpoint(const char *path)
{
	gt_checkpoint *c = NULL;
	double t;
	const gt_state_entry kept[] = { { "x", x, NULL }, { "t", NULL, &t }, { NULL, NULL, NULL } };
	if (gt_checkpoint_open(path, &c) != GT_OK || gt_checkpoint_fill(c, kept) != GT_OK)
		gt_fuzz_failed();
	gt_checkpoint_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	char path[600];
	gt_fuzz_clear();
	make_bases();
	const unsigned which = gt_fuzz_byte(&in) % 3;
	snprintf(path, sizeof path, "%s/a.nc", gt_fuzz_folder());
	copy_changed(&in, base[which], path);
	if (which == 2)
		read_checkpoint(path);
	else
		gt_fuzz_read(&gt_format_netcdf, path, NULL);
	return 0;
}
