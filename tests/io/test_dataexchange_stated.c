/* Facts that Data Exchange files omit and options supply: blank-scan counts, line integrals, units of angles.
 * labels: unit property, backend: none */
#include "io/fields.h"
#include "tests/io/exchange_files.h"
#include "tests/io/notes.h"

static gt_projections *imported_so(const exchange *x, gt_frames_options *f, char *note)
{
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	o.axis = x->axis;
	o.frames = f;
	o.notes = notes_into(note);
	write_exchange(x);
	ck_ok(gt_read_projections(path, &o, &p));
	return p;
}

/* Blank-scan counts from the air columns or from the option; the file is refused if both are missing. */
GT_TEST(without_a_flat_field)
{
	for (int dark = 0; dark < 2; dark++) {
		exchange x = usual;
		gt_frames_options f = gt_frames_defaults;
		char note[NOTES];
		x.no_white = 1;
		x.no_dark = !dark;
		gt_projections *p = imported_so(&x, &f, note);
		ck_assert_ptr_nonnull(strstr(note, "no flat field"));
		ck_assert_ptr_nonnull(strstr(note, "every view is divided by it"));
		ck_assert((strstr(note, "no dark field: taken as 0") != NULL) == !dark);
		gt_projections_free(p);
		f.air = "10,10";
		p = imported_so(&x, &f, note);
		check_rays(p, &x, 0.04); /* flat fields differ between rows, and dark fields are subtracted */
		gt_projections_free(p);
		f.white = 31000;
		f.air = "no";
		p = imported_so(&x, &f, note);
		const size_t at = (8 * x.rows + 2) * x.columns + 50;
		const double counted = floor(counts(&x, 8, 2, 50)), lowest = dark ? dark_of(2, 50) : 0;
		ck_assert_double_eq_tol(p->data[at], -log((counted - lowest) / (31000 - lowest)), 1e-5);
		gt_projections_free(p);
		gt_read_options o = gt_read_defaults;
		f.white = 0;
		o.frames = &f;
		ck_refused(gt_read_projections(path, &o, &p), GT_ERR_ARG, "neither flat fields nor a white level");
	}
}

/* Line integrals have no air columns and are refused unless declared. */
GT_TEST(line_integrals_are_said_to_be_that)
{
	gt_frames_options f = gt_frames_defaults;
	exchange x = usual;
	char note[NOTES];
	gt_projections *p;
	x.no_white = x.no_dark = 1;
	x.type = NC_FLOAT;
	x.integrals = 1;
	refused(&x, GT_ERR_FORMAT, "--values line-integrals");
	f.values = GT_FRAMES_LINE_INTEGRALS;
	p = imported_so(&x, &f, note);
	check_rays(p, &x, 1e-5);
	gt_projections_free(p);
}

/* Without a unit, 180 or 360 degrees in radians cause a note, smaller ranges are refused, and the option overrides. */
GT_TEST(units_of_angles)
{
	static const struct {
		double step;
		const char *units, *say, *refusal;
		int said;
		double factor;
	} cases[] = {
		{ 4, NULL, "taken as degrees", NULL, 0, GT_PI / 180 },
		{ GT_PI / 90, NULL, "exchange/theta from 0 to 3.10669 have no unit: taken as radians, half a rotation", NULL, 0, 1 },
		{ GT_PI / 89, NULL, "taken as radians, half a rotation", NULL, 0, 1 },
		{ 2 * GT_PI / 90, NULL, "taken as radians, a full rotation", NULL, 0, 1 },
		{ 2 * GT_PI / 90, NULL, "", NULL, -1, GT_PI / 180 },
		{ 0.05, NULL, NULL, "angles from 0 to 4.45 have no unit: as radians they are 255 degrees, else 4.45", 0, 0 },
		{ 0.05, NULL, "", NULL, 1, 1 },
		{ 0.05, "degrees", "", NULL, 0, GT_PI / 180 },
		{ 0.05, "rad", NULL, "units are 'rad', but --angle-unit differs", -1, 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		exchange x = usual;
		gt_frames_options f = gt_frames_defaults;
		char note[NOTES];
		gt_read_options o = gt_read_defaults;
		gt_projections *p;
		x.step = cases[i].step;
		x.units = cases[i].units;
		f.radians = cases[i].said;
		if (cases[i].refusal) {
			o.frames = &f;
			write_exchange(&x);
			ck_refused(gt_read_projections(path, &o, &p), cases[i].said ? GT_ERR_ARG : GT_ERR_FORMAT, cases[i].refusal);
			continue;
		}
		p = imported_so(&x, &f, note);
		ck_assert_msg(strstr(note, cases[i].say) != NULL, "case %zu: '%s' is not in '%s'", i, cases[i].say, note);
		ck_assert_double_eq_tol(p->scan->view[89].angle, 89 * cases[i].step * cases[i].factor, 1e-9);
		gt_projections_free(p);
	}
}

/* Another group of the same file has its own views and fields. Its angles default to the first group's; the pixel
 * size is missing. */
GT_TEST(another_group)
{
	exchange x = usual, other = usual;
	gt_frames_options f = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	char note[NOTES];
	gt_projections *p;
	int file, group;
	x.pixel_um = 500;
	other.columns = 103;
	other.axis = 50.7;
	for (int angles = 0; angles < 2; angles++) {
		write_exchange(&x);
		other.step = angles ? -4 : 4;
		nc_ok(nc_open(path, NC_WRITE, &file));
		nc_ok(nc_def_grp(file, "exchange1", &group));
		put_views(group, &other);
		put_frames(group, "data_white", &other, other.flats, flat_of);
		put_frames(group, "data_dark", &other, other.flats, dark_of);
		if (angles)
			put_angles(group, &other);
		nc_ok(nc_close(file));
		f.entry = angles ? "/exchange1" : "exchange1";
		o.axis = other.axis;
		o.frames = &f;
		o.notes = notes_into(note);
		ck_ok(gt_read_projections(path, &o, &p));
		ck_assert_uint_eq(p->scan->columns, other.columns);
		ck_assert_double_eq(p->scan->column_pitch, 1);
		ck_assert_ptr_nonnull(strstr(note, "exchange1 may be binned"));
		check_rays(p, &other, 2e-3);
		gt_projections_free(p);
		gt_fields fields;
		ck_ok(gt_read_fields(path, &o, &(gt_fields_request){ other.rows, other.columns, 0 }, &fields));
		ck_assert_uint_eq(fields.images, other.flats);
		ck_assert_double_eq(fields.data[other.columns + 7], flat_of(1, 7) - 1);
		gt_fields_free(&fields);
	}
	f.entry = "exchange2";
	ck_refused(gt_read_projections(path, &o, &p), GT_ERR_FORMAT, "has no exchange2/data");
	f.entry = NULL;
	o.axis = x.axis;
	ck_ok(gt_read_projections(path, &o, &p));
	ck_assert_double_eq_tol(p->scan->column_pitch, 0.5, 1e-9);
	ck_assert_uint_eq(p->scan->columns, x.columns);
	gt_projections_free(p);
}

int main(void) { return gt_test_main_with("dataexchange_stated", setup, teardown); }
