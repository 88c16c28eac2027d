/* Images that are not in the order of their angles, or of which one is missing or out of place, are told; others not.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { MOST = 180, ROWS = 3, COLUMNS = 61, CELLS = ROWS * COLUMNS, BODIES = 5 };
static double body[BODIES][4]; /* place, radius, attenuation */
static char note[NOTES];
static size_t copied; /* the image after this one is a copy of it; 0: none is */

/* Another number in [0, 1) for each call of a case. */
static double some(void)
{
	static uint64_t state = 12345;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void invent(void)
{
	for (int b = 0; b < BODIES; b++) {
		body[b][0] = 30 * (some() - 0.5);
		body[b][1] = 30 * (some() - 0.5);
		body[b][2] = 2 + 6 * some();
		body[b][3] = 0.01 + 0.05 * some();
	}
}

static double line(double theta, double s)
{
	double sum = 0;
	for (int b = 0; b < BODIES; b++) {
		const double d = s - body[b][0] * cos(theta) - body[b][1] * sin(theta), h = body[b][2] * body[b][2] - d * d;
		sum += h > 0 ? 2 * sqrt(h) * body[b][3] : 0;
	}
	return sum;
}

/* Image i of the pages shows the view `shown[i]`; read with angles 0, step, 2 step ... */
static void read_with(size_t views, const size_t *shown, double step)
{
	static double value[MOST * CELLS];
	char rule[64], path[512];
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	gt_projections *p;
	tiff_kind kind = tiff_u16;
	kind.pages = (unsigned)views;
	for (size_t i = 0; i < views * CELLS; i++)
		value[i] = floor(100 + 20000 * exp(-line((double)shown[i / CELLS] * step * GT_PI / 180, (double)(i % COLUMNS) - 30.4)) +
		                 60 * some());
	if (copied)
		memcpy(value + (copied + 1) * CELLS, value + copied * CELLS, CELLS * sizeof *value);
	tiff_write("s.tif", &kind, ROWS, COLUMNS, value);
	snprintf(rule, sizeof rule, "0:%.17g", step);
	strcpy(path, tiff_path("s.tif"));
	f.angles = rule;
	f.white = 20000;
	f.air = "no";
	o.pixel = 1;
	o.frames = &f;
	o.notes = notes_into(note);
	if (gt_read_projections(path, &o, &p) != GT_OK)
		ck_assert_msg(strstr(gt_error(), "are not mirror images") != NULL, "%s", gt_error());
	gt_projections_free(p);
}

static int is_told(void)
{
	return strstr(note, "out of order?") || strstr(note, "is one a duplicate?") || strstr(note, "in the order of their angles?");
}

START_TEST(in_order)
{
	static const struct {
		size_t views;
		double step;
	} scans[] = { { 180, 1 }, { 90, 2 }, { 60, 6 }, { 45, 8 }, { 180, -2 }, { 144, 137.50776405 }, { 120, 15 }, { 17, 180 / 16.0 } };
	size_t shown[MOST];
	for (size_t i = 0; i < MOST; i++)
		shown[i] = i;
	for (size_t k = 0; k < sizeof scans / sizeof *scans; k++)
		for (int turn = 0; turn < 4; turn++) {
			invent();
			read_with(scans[k].views, shown, scans[k].step);
			ck_assert_msg(!is_told(), "%zu views of %g degrees: %s", scans[k].views, scans[k].step, note);
		}
}
END_TEST

/* A body that is its own likeness several times in a turn, on the axis and beside it, is in order. */
START_TEST(its_own_likeness)
{
	size_t shown[MOST];
	for (size_t i = 0; i < MOST; i++)
		shown[i] = i;
	for (int fold = 2; fold <= BODIES; fold++)
		for (int beside = 0; beside < 3; beside++) {
			for (int b = 0; b < BODIES; b++) {
				const double a = 2 * GT_PI * (b % fold) / fold + 0.3;
				body[b][0] = 9 * cos(a) + 0.01 * beside * beside * 100;
				body[b][1] = 9 * sin(a) - 0.7 * beside;
				body[b][2] = 3;
				body[b][3] = b < fold ? 0.04 : 0;
			}
			read_with(120, shown, 3);
			ck_assert_msg(!is_told(), "%d times, %d: %s", fold, beside, note);
			read_with(60, shown, 6);
			ck_assert_msg(!is_told(), "%d times, %d, by 6 degrees: %s", fold, beside, note);
		}
}
END_TEST

static int by_text(const void *a, const void *b)
{
	char x[32], y[32];
	snprintf(x, sizeof x, "%zu", *(const size_t *)a);
	snprintf(y, sizeof y, "%zu", *(const size_t *)b);
	return strcmp(x, y);
}

START_TEST(out_of_order)
{
	enum { VIEWS = 120 };
	size_t shown[VIEWS];
	for (int turn = 0; turn < 4; turn++) {
		invent();
		/* As text has numbers without leading zeros. */
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i;
		qsort(shown, VIEWS, sizeof *shown, by_text);
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_told(), "as text: %s", note);
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i * 11 % VIEWS;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_told(), "every eleventh: %s", note);
		/* Farther apart than an eighth of a turn: every seventh, with what is left behind. */
		for (size_t i = 0, n = 0; i < 7; i++)
			for (size_t v = i; v < VIEWS; v += 7)
				shown[n++] = v;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_told(), "every seventh: %s", note);
		read_with(VIEWS, shown, 1.5);
		ck_assert_msg(is_told(), "every seventh of half a turn: %s", note);
		/* In no order at all. */
		for (size_t i = VIEWS; i-- > 1;) {
			const size_t j = (size_t)(some() * (double)(i + 1)), was = shown[i];
			shown[i] = shown[j];
			shown[j] = was;
		}
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_told(), "in no order: %s", note);
		/* Two are exchanged. */
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i == 30 ? 71 : i == 71 ? 30 : i;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(strstr(note, "images 29 and 30 (from 0) differ more than 4 times") != NULL, "exchanged: %s", note);
		/* A copy of the one before; in the file, noise and all. */
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i;
		copied = 30;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(strstr(note, "images 30 and 31 (from 0) are the same") != NULL, "copied: %s", note);
		copied = 0;
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, tiff_setup, tiff_teardown);
	tcase_add_test(tc, in_order);
	tcase_add_test(tc, its_own_likeness);
	tcase_add_test(tc, out_of_order);
}

int main(void) { return gt_test_main("order_of_images", fill); }
