/* Counts that no beam gives: fields of another exposure, one odd field among several, saturation below the type's limit.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 20, ROWS = 16, COLUMNS = 50, CELLS = ROWS * COLUMNS, DARK = 100, WHITE = 20000 };

/* A scan, and its faults. */
typedef struct {
	double flat, noise, limit; /* exposure of the flat fields; noise of the views, as a factor; counts at which pixels saturate */
	int odd_flat, odd_dark;    /* 1: the second of three fields has no beam, or has one */
	int everywhere;            /* the object covers all columns, and moves */
	double flat_limit;         /* counts at which flat fields saturate; 0: as views */
} fault;
static const fault none = { 1, 1, 65535, 0, 0, 0, 0 };

static void write_image(const char *kind, int number, double beam, const fault *f)
{
	double image[CELLS];
	char name[32];
	for (size_t i = 0; i < CELLS; i++) {
		const double centre = 24 + (f->everywhere ? 8 * sin(number) : 0),
			     x = ((double)(i % COLUMNS) - centre) / (f->everywhere ? 60 : 21), h = 1 - x * x,
			     sum = beam < 0 && h > 0 ? 1.5 * sqrt(h) : 0, signal = fabs(beam) * WHITE * exp(-sum);
		const double noise = f->noise * sqrt(signal) * gt_test_normal(3 + (uint64_t)number, i + (uint64_t)(beam < 0) * 1000);
		image[i] = fmin(floor(DARK + signal + noise), beam > 0 && f->flat_limit > 0 ? f->flat_limit : f->limit);
	}
	snprintf(name, sizeof name, "%s_%d.tif", kind, number);
	tiff_write(name, &tiff_u16, ROWS, COLUMNS, image);
}

static void read_notes(const fault *f, char note[NOTES])
{
	gt_frames_options frames = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	gt_projections *p;
	frames.angles = "0:9";
	o.axis = 24;
	o.frames = &frames;
	o.notes = notes_into(note);
	for (int v = 0; v < VIEWS; v++)
		write_image("view", v, -1, f);
	for (int i = 0; i < 3; i++) {
		write_image("flat", i, f->odd_flat && i == 1 ? 0 : f->flat, f);
		write_image("dark", i, f->odd_dark && i == 1 ? 1 : 0, f);
	}
	ck_ok(gt_read_projections(tiff_folder, &o, &p));
	gt_projections_free(p);
}

/* Notes that a scan without faults lacks. */
static const char *const all[] = { "were the flat fields exposed for", "pixels are saturated at", "flat field 2 of 3 has",
	                           "dark field 2 of 3 has", "of the flat field are saturated" };

START_TEST(faults_are_noted)
{
	const struct {
		fault f;
		const char *note;
		int which; /* of all; -1: none */
	} cases[] = {
		{ none, "", -1 },
		{ { 0.5, 1, 65535, 0, 0, 0, 0 }, "in all views, expected at most 1: were the flat fields exposed for less time?", 0 },
		{ { 2, 1, 65535, 0, 0, 0, 0 }, "in all views: were the flat fields exposed for more time?", 0 },
		{ { 2, 1, 65535, 0, 0, 1, 0 }, "", -1 },
		{ { 1, 1, 4900, 0, 0, 1, 0 }, "pixels are saturated at 4900 counts", 1 },
		{ { 1, 1, 12000, 0, 0, 0, 0 }, "pixels are saturated at 12000 counts", 1 },
		{ { 1, 0, 65535, 0, 0, 0, 0 }, "", -1 },
		{ { 1, 1, 65535, 0, 0, 1, 19700 }, "of the flat field are saturated at 19700 counts", 4 },
		{ { 1, 1, 65535, 0, 0, 1, 30000 }, "", -1 },
		{ { 1, 1, 65535, 1, 0, 0, 0 }, "flat_1.tif: flat field 2 of 3 has", 2 },
		{ { 1, 1, 65535, 0, 1, 0, 0 }, "dark_1.tif: dark field 2 of 3 has", 3 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char note[NOTES];
		read_notes(&cases[i].f, note);
		ck_assert_msg(strstr(note, cases[i].note) != NULL, "case %zu: '%s' is not in '%s'", i, cases[i].note, note);
		for (int n = 0; n < 5; n++)
			ck_assert_msg(!strstr(note, all[n]) || n == cases[i].which || cases[i].which == 2 || cases[i].which == 3,
			              "case %zu: '%s' is in '%s'", i, all[n], note);
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, tiff_setup, tiff_teardown);
	tcase_add_test(tc, faults_are_noted);
}

int main(void) { return gt_test_main("implausible_counts", fill); }
