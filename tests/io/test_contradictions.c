/* HDF5 scans that contradict themselves: pixel pitches in two places or units, order of the dimensions, units of angles.
 * labels: unit property, backend: none */
#include "tests/io/exchange_files.h"
#include "tests/io/notes.h"

static void put_number(int group, const char *name, double value, const char *units)
{
	int variable;
	nc_ok(nc_def_var(group, name, NC_DOUBLE, 0, NULL, &variable));
	nc_ok(nc_put_att_text(group, variable, "units", strlen(units), units));
	nc_ok(nc_put_var_double(group, variable, &value));
}

static int group_of(int file, const char *name)
{
	int group;
	if (nc_inq_grp_full_ncid(file, name, &group) != NC_NOERR) {
		char above[128];
		snprintf(above, sizeof above, "%s", name);
		char *slash = strrchr(above, '/');
		if (slash)
			*slash = 0;
		nc_ok(nc_def_grp(slash ? group_of(file, above) : file, slash ? slash + 1 : above, &group));
	}
	return group;
}

/* A number to add to a file: group, name, value, units. */
typedef struct {
	const char *group, *name;
	double value;
	const char *units;
} stated;
#define DETECTOR "measurement/instrument/detector"
#define OBJECTIVE "measurement/instrument/detection_system/objective"
#define NX_DETECTOR "entry/tomo_entry/instrument/detector"
#define NX_SOURCE "entry/tomo_entry/instrument/source"
#define NX_SAMPLE "entry/tomo_entry/sample"

/* NXtomo: views of the usual exchange file, two flat and two dark fields before them. */
static void write_nxtomo(const char *angle_units)
{
	enum { FIELDS = 4 };
	const exchange *x = &usual;
	const size_t cells = x->rows * x->columns, frames = x->views + FIELDS;
	double *data = malloc(frames * cells * sizeof *data), *key = calloc(frames, sizeof *key), *angle = calloc(frames, sizeof *angle);
	int file, dim[3], variable;
	for (size_t f = 0; f < frames; f++) {
		key[f] = f < 2 ? 2 : f < FIELDS ? 1 : 0;
		angle[f] = f < FIELDS ? 0 : x->step * (double)(f - FIELDS);
		for (size_t i = 0; i < cells; i++) {
			const size_t r = i / x->columns, c = i % x->columns;
			data[f * cells + i] = f < 2 ? dark_of(r, c) : f < FIELDS ? flat_of(r, c) : counts(x, f - FIELDS, r, c);
		}
	}
	nc_ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &file));
	nc_ok(nc_def_dim(file, "f", frames, &dim[0]));
	nc_ok(nc_def_dim(file, "r", x->rows, &dim[1]));
	nc_ok(nc_def_dim(file, "c", x->columns, &dim[2]));
	nc_ok(nc_def_var(group_of(file, "entry/tomo_entry/data"), "data", NC_USHORT, 3, dim, &variable));
	nc_ok(nc_put_var_double(group_of(file, "entry/tomo_entry/data"), variable, data));
	nc_ok(nc_def_var(group_of(file, NX_DETECTOR), "image_key", NC_BYTE, 1, dim, &variable));
	nc_ok(nc_put_var_double(group_of(file, NX_DETECTOR), variable, key));
	nc_ok(nc_def_var(group_of(file, NX_SAMPLE), "rotation_angle", NC_DOUBLE, 1, dim, &variable));
	nc_ok(nc_put_att_text(group_of(file, NX_SAMPLE), variable, "units", strlen(angle_units), angle_units));
	nc_ok(nc_put_var_double(group_of(file, NX_SAMPLE), variable, angle));
	nc_ok(nc_close(file));
	free(data);
	free(key);
	free(angle);
}

static void add(const stated s[3])
{
	int file;
	nc_ok(nc_open(path, NC_WRITE, &file));
	for (int i = 0; i < 3 && s[i].group; i++)
		put_number(group_of(file, s[i].group), s[i].name, s[i].value, s[i].units);
	nc_ok(nc_close(file));
}

/* note: NULL: none on pitches. refusal: NULL: read. */
typedef struct {
	int nxtomo;
	stated s[3];
	double column_pitch, row_pitch;
	const char *note, *refusal;
} pitch_case;

static const pitch_case pitches[] = {
	{ 0, { { DETECTOR, "x_pixel_size", 2, "um" }, { DETECTOR, "y_pixel_size", 3, "um" } }, 2e-3, 3e-3, NULL, NULL },
	{ 0,
	  { { DETECTOR, "x_pixel_size", 2, "mm" }, { DETECTOR, "y_pixel_size", 2, "um" } },
	  0,
	  0,
	  NULL,
	  "expected a ratio of at most 50" },
	{ 0,
	  { { DETECTOR, "x_pixel_size", 2, "um" }, { DETECTOR, "actual_pixel_size", 1, "um" } },
	  1e-3,
	  1e-3,
	  "x_pixel_size is 0.002 mm, not the 0.001 mm",
	  NULL },
	{ 0,
	  { { DETECTOR, "x_pixel_size", 2, "um" }, { DETECTOR, "actual_pixel_size", 1, "um" }, { OBJECTIVE, "magnification", 2, "" } },
	  1e-3,
	  1e-3,
	  NULL,
	  NULL },
	{ 0,
	  { { DETECTOR, "x_pixel_size", 2, "um" }, { OBJECTIVE, "magnification", 0, "" } },
	  2e-3,
	  2e-3,
	  "magnification is 0, expected",
	  NULL },
	{ 0,
	  { { DETECTOR, "x_pixel_size", 3.45, "" }, { DETECTOR, "actual_pixel_size", 1, "um" } },
	  1e-3,
	  1e-3,
	  "x_pixel_size: is 3.45 without a unit",
	  NULL },
	{ 1,
	  { { NX_SAMPLE, "x_pixel_size", 2, "um" }, { NX_DETECTOR, "x_pixel_size", 20, "um" }, { NX_DETECTOR, "magnification", 10, "" } },
	  2e-3,
	  2e-3,
	  NULL,
	  NULL },
	{ 1,
	  { { NX_DETECTOR, "x_magnified_pixel_size", 2, "um" },
	    { NX_DETECTOR, "x_pixel_size", 20, "um" },
	    { NX_DETECTOR, "magnification", 10, "" } },
	  2e-3,
	  2e-3,
	  NULL,
	  NULL },
	{ 1, { { NX_DETECTOR, "x_pixel_size", 1e-30, "m" } }, 0, 0, NULL, "expected a pixel of 1 nm to 1 m" },
	{ 1, { { NX_DETECTOR, "x_pixel_size", 2, "m" } }, 0, 0, NULL, "expected a pixel of 1 nm to 1 m" },
	{ 1,
	  { { NX_DETECTOR, "x_pixel_size", 2, "mm" }, { "entry/tomo_entry/data", "x_pixel_size", 3, "mm" } },
	  2,
	  2,
	  "data/x_pixel_size is 3 mm, not the 2 mm",
	  NULL },
	{ 1, { { NX_DETECTOR, "x_pixel_size", 2, "mm" }, { "entry/tomo_entry/data", "x_pixel_size", 2e-3, "m" } }, 2, 2, NULL, NULL },
	{ 1,
	  { { NX_DETECTOR, "x_pixel_size", 20, "um" }, { NX_DETECTOR, "magnification", 10, "" } },
	  20e-3,
	  20e-3,
	  "magnification is 10 and is not used",
	  NULL },
};

START_TEST(pitches_in_two_places)
{
	const pitch_case *k = &pitches[_i];
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	o.axis = usual.axis;
	o.notes = notes_into(note);
	if (k->nxtomo)
		write_nxtomo("degrees");
	else
		write_exchange(&usual);
	add(k->s);
	if (k->refusal) {
		ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, k->refusal);
		return;
	}
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_double_eq_tol(p->scan->column_pitch, k->column_pitch, 1e-9);
	ck_assert_double_eq_tol(p->scan->row_pitch, k->row_pitch, 1e-9);
	ck_assert_msg(k->note ? strstr(note, k->note) != NULL : !strstr(note, "pixel_size is") && !strstr(note, "magnification"), "%s",
	              note);
	gt_projections_free(p);
}
END_TEST

/* A laboratory's source is close, so rays diverge; a synchrotron's source is far. */
START_TEST(distances_of_a_cone_beam)
{
	static const struct {
		stated s[3];
		int noted;
	} all[] = {
		{ { { NX_DETECTOR, "x_pixel_size", 0.2, "mm" } }, 0 },
		{ { { NX_DETECTOR, "x_pixel_size", 0.2, "mm" }, { NX_DETECTOR, "distance", 30, "mm" } }, 0 },
		{ { { NX_DETECTOR, "x_pixel_size", 0.2, "mm" },
		    { NX_SOURCE, "distance", -30, "m" },
		    { NX_DETECTOR, "distance", 0.3, "m" } },
		  0 },
		{ { { NX_DETECTOR, "x_pixel_size", 0.2, "mm" },
		    { NX_SOURCE, "distance", -50, "mm" },
		    { NX_DETECTOR, "distance", 20, "cm" } },
		  1 },
	};
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	o.axis = usual.axis;
	o.notes = notes_into(note);
	write_nxtomo("degrees");
	add(all[_i].s);
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_msg(!strstr(note, "taken as parallel, expected a cone beam") == !all[_i].noted, "%s", note);
	gt_projections_free(p);
}
END_TEST

/* Distances only lead to a note, so a group of this name does not fail the read. */
START_TEST(a_group_of_the_name_of_a_distance)
{
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	int file;
	o.axis = usual.axis;
	o.notes = notes_into(note);
	write_nxtomo("degrees");
	nc_ok(nc_open(path, NC_WRITE, &file));
	group_of(file, NX_SOURCE "/distance");
	nc_ok(nc_close(file));
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_msg(strstr(note, "instrument/source/distance: cannot be read: not a data set") != NULL, "%s", note);
	gt_projections_free(p);
}
END_TEST

/* A pitch for each frame is no pitch. */
START_TEST(a_list_of_pitches)
{
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	int file, dim, variable;
	o.axis = usual.axis;
	o.notes = notes_into(note);
	write_nxtomo("degrees");
	nc_ok(nc_open(path, NC_WRITE, &file));
	nc_ok(nc_inq_dimid(file, "f", &dim));
	nc_ok(nc_def_var(group_of(file, NX_DETECTOR), "x_pixel_size", NC_DOUBLE, 1, &dim, &variable));
	nc_ok(nc_close(file));
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_msg(strstr(note, "x_pixel_size: is no single number: not used") != NULL, "%s", note);
	gt_projections_free(p);
}
END_TEST

START_TEST(order_of_dimensions)
{
	static const char *const axes[] = { "theta:y:x", "y:theta:x" };
	gt_read_options o = gt_read_defaults;
	gt_projections *p = NULL;
	o.axis = usual.axis;
	for (int i = 0; i < 2; i++) {
		int file, variable;
		write_exchange(&usual);
		nc_ok(nc_open(path, NC_WRITE, &file));
		nc_ok(nc_inq_varid(group_of(file, "exchange"), "data", &variable));
		nc_ok(nc_put_att_text(group_of(file, "exchange"), variable, "axes", strlen(axes[i]), axes[i]));
		nc_ok(nc_close(file));
		if (i == 0) {
			ck_ok(gt_read_projections(path, &o, &p));
			gt_projections_free(p);
		} else {
			ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, "axes are 'y:theta:x', expected theta:y:x");
		}
	}
}
END_TEST

/* Degrees that are called radians turn many times; capitals do not matter. */
START_TEST(units_of_angles)
{
	static const struct {
		const char *units;
		int many;
	} cases[] = { { "degree", 0 }, { "Degrees", 0 }, { "rad", 1 }, { "Radian", 1 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char note[NOTES];
		gt_read_options o = gt_read_defaults;
		gt_projections *p;
		o.axis = usual.axis;
		o.notes = notes_into(note);
		write_nxtomo(cases[i].units);
		ck_ok(gt_read_projections(path, &o, &p));
		ck_assert_msg((strstr(note, "rotations: are they degrees?") != NULL) == cases[i].many, "%s: %s", cases[i].units, note);
		gt_projections_free(p);
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, pitches_in_two_places, 0, sizeof pitches / sizeof *pitches);
	tcase_add_loop_test(tc, distances_of_a_cone_beam, 0, 4);
	tcase_add_test(tc, a_group_of_the_name_of_a_distance);
	tcase_add_test(tc, a_list_of_pitches);
	tcase_add_test(tc, order_of_dimensions);
	tcase_add_test(tc, units_of_angles);
}

int main(void) { return gt_test_main("contradictions", fill); }
