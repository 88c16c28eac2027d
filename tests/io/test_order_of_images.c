/* Images that are not in the order of their angles, missing or misplaced images are reported; correct scans are not.
 * labels: unit property, backend: none */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "geometry/projections.h"
#include "tests/io/notes.h"
#include "tests/io/tiff_files.h"
#include "tests/support/support.h"

enum { MAX_VIEWS = 180, ROWS = 3, COLUMNS = 61, CELLS = ROWS * COLUMNS, DISCS = 5 };
static double disc[DISCS][4]; /* position, radius, attenuation */
static char note[NOTES];
static size_t copied; /* the image after this one is a copy of it; 0: none */
static int mirrored;  /* 1: every second image is mirrored left to right */

/* Returns another number in [0, 1) at each call. */
static double random_number(void)
{
	static uint64_t state = 12345;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void invent(void)
{
	for (int b = 0; b < DISCS; b++) {
		disc[b][0] = 30 * (random_number() - 0.5);
		disc[b][1] = 30 * (random_number() - 0.5);
		disc[b][2] = 2 + 6 * random_number();
		disc[b][3] = 0.01 + 0.05 * random_number();
	}
}

static double line(double theta, double s)
{
	double sum = 0;
	for (int b = 0; b < DISCS; b++) {
		const double d = s - disc[b][0] * cos(theta) - disc[b][1] * sin(theta), h = disc[b][2] * disc[b][2] - d * d;
		sum += h > 0 ? 2 * sqrt(h) * disc[b][3] : 0;
	}
	return sum;
}

/* Page i shows the view `shown[i]`; read with angles 0, step, 2 step ... */
static void read_with(size_t views, const size_t *shown, double step)
{
	static double value[MAX_VIEWS * CELLS];
	char rule[64], path[512];
	gt_read_options o = gt_read_defaults;
	gt_frames_options f = gt_frames_defaults;
	gt_projections *p;
	tiff_kind kind = tiff_u16;
	kind.pages = (unsigned)views;
	for (size_t i = 0; i < views * CELLS; i++) {
		const size_t c = mirrored && i / CELLS % 2 ? COLUMNS - 1 - i % COLUMNS : i % COLUMNS;
		value[i] = floor(100 + 20000 * exp(-line((double)shown[i / CELLS] * step * GT_PI / 180, (double)c - 30.4)) +
		                 60 * random_number());
	}
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

static int is_reported(void)
{
	return strstr(note, "is mirrored") || strstr(note, "out of order?") || strstr(note, "is one a duplicate?") ||
	       strstr(note, "in the order of their angles?");
}

GT_TEST(in_order)
{
	static const struct {
		size_t views;
		double step;
	} scans[] = { { 180, 1 }, { 90, 2 }, { 60, 6 }, { 45, 8 }, { 180, -2 }, { 144, 137.50776405 }, { 120, 15 }, { 17, 180 / 16.0 } };
	size_t shown[MAX_VIEWS];
	for (size_t i = 0; i < MAX_VIEWS; i++)
		shown[i] = i;
	for (size_t k = 0; k < sizeof scans / sizeof *scans; k++)
		for (int turn = 0; turn < 4; turn++) {
			invent();
			read_with(scans[k].views, shown, scans[k].step);
			ck_assert_msg(!is_reported(), "%zu views of %g degrees: %s", scans[k].views, scans[k].step, note);
		}
}

/* An object with rotational symmetry, on the axis and off it, is in order. */
GT_TEST(rotational_symmetry)
{
	size_t shown[MAX_VIEWS];
	for (size_t i = 0; i < MAX_VIEWS; i++)
		shown[i] = i;
	for (int fold = 2; fold <= DISCS; fold++)
		for (int beside = 0; beside < 3; beside++) {
			for (int b = 0; b < DISCS; b++) {
				const double a = 2 * GT_PI * (b % fold) / fold + 0.3;
				disc[b][0] = 9 * cos(a) + 0.01 * beside * beside * 100;
				disc[b][1] = 9 * sin(a) - 0.7 * beside;
				disc[b][2] = 3;
				disc[b][3] = b < fold ? 0.04 : 0;
			}
			read_with(120, shown, 3);
			ck_assert_msg(!is_reported(), "%d times, %d: %s", fold, beside, note);
			read_with(60, shown, 6);
			ck_assert_msg(!is_reported(), "%d times, %d, by 6 degrees: %s", fold, beside, note);
		}
}

static int by_text(const void *a, const void *b)
{
	char x[32], y[32];
	snprintf(x, sizeof x, "%zu", *(const size_t *)a);
	snprintf(y, sizeof y, "%zu", *(const size_t *)b);
	return strcmp(x, y);
}

GT_TEST(out_of_order)
{
	enum { VIEWS = 120 };
	size_t shown[VIEWS];
	for (int turn = 0; turn < 4; turn++) {
		invent();
		/* text order of numbers without leading zeros */
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i;
		qsort(shown, VIEWS, sizeof *shown, by_text);
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_reported(), "as text: %s", note);
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i * 11 % VIEWS;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_reported(), "every eleventh: %s", note);
		/* more than an eighth of a rotation apart: every seventh, with the remainder last */
		for (size_t i = 0, n = 0; i < 7; i++)
			for (size_t v = i; v < VIEWS; v += 7)
				shown[n++] = v;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_reported(), "every seventh: %s", note);
		read_with(VIEWS, shown, 1.5);
		ck_assert_msg(is_reported(), "every seventh of 180 degrees: %s", note);
		/* shuffled */
		for (size_t i = VIEWS; i-- > 1;) {
			const size_t j = (size_t)(random_number() * (double)(i + 1)), was = shown[i];
			shown[i] = shown[j];
			shown[j] = was;
		}
		read_with(VIEWS, shown, 3);
		ck_assert_msg(is_reported(), "in no order: %s", note);
		/* two are exchanged */
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i == 30 ? 71 : i == 71 ? 30 : i;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(strstr(note, "images 29 and 30 (from 0) differ more than 4 times") != NULL, "exchanged: %s", note);
		/* a copy of the image before, with its noise */
		for (size_t i = 0; i < VIEWS; i++)
			shown[i] = i;
		copied = 30;
		read_with(VIEWS, shown, 3);
		ck_assert_msg(strstr(note, "images 30 and 31 (from 0) are identical") != NULL, "copied: %s", note);
		copied = 0;
	}
}

GT_TEST(mirrored_images)
{
	size_t shown[MAX_VIEWS];
	for (size_t i = 0; i < MAX_VIEWS; i++)
		shown[i] = i;
	mirrored = 1;
	for (int turn = 0; turn < 8; turn++) {
		invent();
		read_with(turn % 2 ? 90 : 180, shown, turn % 2 ? 4 : 1);
		ck_assert_msg(strstr(note, "every second image is mirrored left to right: adjacent images match if one is reversed"), "%s",
		              note);
	}
	mirrored = 0;
}

int main(void) { return gt_test_main_with("order_of_images", tiff_setup, tiff_teardown); }
