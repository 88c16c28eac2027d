/* Angle tables: columns, separators, decimal commas and refused tables. */
/* labels: unit, backend: none */
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "io/frames/view_angles.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { VIEWS = 12 };
static char notes[NOTES];
static double angle[VIEWS];

static gt_status read_spec(const char *spec)
{
	gt_read_options o = gt_read_defaults;
	notes[0] = 0;
	o.notes = notes_into(notes);
	return gt_view_angles(spec, 0, NULL, VIEWS, &o, angle);
}

static gt_status read_text(const char *text)
{
	gt_test_write(tiff_path("angles.txt"), text);
	return read_spec(tiff_path("angles.txt"));
}

/* Lines in this format: an index from `first` on and a multiple of `step`. */
static void write_lines(char *text, size_t size, const char *format, int first, int step)
{
	for (int v = 0; v < VIEWS; v++)
		snprintf(text + strlen(text), size - strlen(text), format, first + v, step * v);
}

GT_TEST(index_and_angle)
{
	static const char *const line[] = { "%d,%d\n", "%d;%d\r\n", "%d %d,0\n", "%d\t%d.0\n", "%d, %d\n", "%d;%d\r" };
	for (size_t k = 0; k < sizeof line / sizeof *line; k++)
		for (int first = 0; first < 2; first++) {
			char text[512] = "\xef\xbb\xbf", found[64];
			write_lines(text, sizeof text, line[k], first, 30);
			ck_ok(read_text(text));
			for (int v = 0; v < VIEWS; v++)
				ck_assert_double_eq_tol(angle[v], v * GT_PI / 6, 1e-12);
			snprintf(found, sizeof found, "lines hold an index (%d to %d) and an angle", first, first + 11);
			ck_assert_msg(strstr(notes, found) != NULL, "%s", notes);
		}
}

/* Steps of about 1 degree that could also be view numbers, and other steps. */
GT_TEST(decimal_commas)
{
	char text[512] = "", even[512] = "";
	write_lines(text, sizeof text, "%d,%02d\n", 0, 3);
	ck_ok(read_text(text));
	ck_assert_double_eq_tol(angle[11], 11.33 * GT_PI / 180, 1e-12);
	write_lines(even, sizeof even, "%d,%d\n", 5, 0);
	ck_ok(read_text(even));
	ck_assert_double_eq_tol(angle[11], 16 * GT_PI / 180, 1e-12);
	ck_ok(read_text("\xef\xbb\xbf"
	                "0\n3,5\n7\n10,5\n14\n17,5\n21\n24,5\n28\n31,5\n35\n38,5\n"));
	ck_assert_double_eq_tol(angle[11], 38.5 * GT_PI / 180, 1e-12);
}

/* 12 views with both ends of half a rotation have steps of 16.36 degrees. */
GT_TEST(ranges_with_both_ends)
{
	ck_ok(read_spec("0..180"));
	ck_assert_msg(strstr(notes, "angles 0..180: 12 views include both ends, in steps of 16.3636 degrees: expected FIRST:15 if"), "%s",
	              notes);
	ck_ok(read_spec("90..-270"));
	ck_assert_msg(strstr(notes, "expected FIRST:30 if the last view is one step before the end"), "%s", notes);
	ck_ok(read_spec("0..165"));
	ck_assert_msg(!strstr(notes, "both ends"), "%s", notes);
	ck_ok(read_spec("0..198"));
	ck_assert_msg(!strstr(notes, "both ends"), "%s", notes);
}

GT_TEST(tables_that_no_scan_has)
{
	static const char *const table[][2] = {
		{ "0,10\n1,20\n2,30\n3,40\n4,50\n5,60\n6,70\n7,80\n8,90\n9,95\n10,97\n11,98\n",
		  "hold a decimal comma, or an index and an angle" },
		{ "0,0\n22,1\n44,2\n66,3\n88,4\n110,5\n132,6\n154,7\n176,8\n198,9\n220,10\n242,11\n",
		  "hold a decimal comma, or an index and an angle" },
		{ "5,1\n10,2\n15,3\n20,4\n", "hold a decimal comma, or an index and an angle" },
		{ "0 10\n2 20\n1 30\n", "lines hold two numbers, and the first ones do not count the views" },
		{ "0;10\n20\n", "line 2 holds one number, expected an index and an angle" },
		{ "1,2,3\n", "line 1 is '1,2,3', expected one number" },
		{ "7\n7\n7\n7\n7\n7\n7\n7\n7\n7\n7\n7\n", "all 12 angles are 7: expected views from different directions" },
		{ "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n1e300\n", "angles from 0 to 1e+300: expected at most 10000 rotations" },
	};
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		ck_refused(read_text(table[k][0]), GT_ERR_FORMAT, table[k][1]);
	ck_refused(read_spec("4:0"), GT_ERR_FORMAT, "4:0: all 12 angles are 4");
	ck_refused(read_spec("0:1e300"), GT_ERR_FORMAT, "expected at most 10000 rotations");
	ck_refused(read_spec("0:1e308"), GT_ERR_FORMAT, "expected at most 10000 rotations");
}

/* A table far longer than the scan is refused before it takes memory for each line. */
GT_TEST(millions_of_angles)
{
	const size_t lines = 3000000;
	char *text = malloc(2 * lines + 1);
	for (size_t i = 0; i < lines; i++)
		memcpy(text + 2 * i, "7\n", 3);
	ck_refused(read_text(text), GT_ERR_FORMAT, "has more than 65560 angles, expected 12, one for each view");
	text[2 * 65560] = 0;
	ck_refused(read_text(text), GT_ERR_FORMAT, "has 65560 angles, expected 12");
	free(text);
}

int main(void) { return gt_test_main_with("angle_tables", tiff_setup, tiff_teardown); }
