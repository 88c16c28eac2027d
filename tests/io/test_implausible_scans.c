/* Faults that projections show: clipped line integrals, pixels of an impossible shape. Rows and halves in a wrong order.
 * labels: unit property, backend: none */
#include <math.h>
#include "io/plausibility.h"
#include "tests/io/notes.h"
#include "tests/prepare/half_turn.h"

enum { VIEWS = 90, ROWS = 12, COLUMNS = 64 };

/* A scan of a disc, or of a square, off the axis of rotation. */
typedef struct {
	size_t views;
	int square;
	double radius, off, noise, clip, step, row_pitch; /* noise: standard deviation; step: of rounding, 0: none */
	void (*change)(gt_projections *);
	double counts; /* integer counts without the object; 0: no counts */
	int still;     /* 1: all views at one angle */
} made;
static const made usual = { VIEWS, 0, 20, 8, 0, 100, 0, 1, NULL, 0, 0 };

/* Chord of a square of side 2 at angle a and distance t from its centre. */
static double chord(double a, double t)
{
	const double c = fabs(cos(a)), s = fabs(sin(a)), outer = c + s, inner = fabs(c - s);
	const double top = 2 / fmax(c, s);
	t = fabs(t);
	return t >= outer ? 0 : t <= inner ? top : top * (outer - t) / (outer - inner);
}

static gt_projections *make(const made *m)
{
	gt_projections *p = half_turn((const size_t[]){ m->views, ROWS, COLUMNS }, (const double[]){ 1, m->row_pitch },
	                              (const double[]){ 0, 0 });
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < m->views * ROWS * COLUMNS; i++) {
		const double a = m->still ? 0 : GT_PI * (double)(i / (ROWS * COLUMNS)) / (double)m->views, z = (double)(i / COLUMNS % ROWS),
			     t = ((double)(i % COLUMNS) - 31.5 - m->off * cos(a)) / m->radius, part = 1 + z * z / 500;
		double sum = part * (m->square ? chord(a, t) : 2 * sqrt(fmax(0, 1 - t * t))) + m->noise * gt_test_normal(7, i);
		if (m->counts > 0)
			sum = -log(fmax(1, nearbyint(m->counts * exp(-sum))) / m->counts);
		sum = m->step > 0 ? m->step * floor(sum / m->step) : sum;
		x[i] = (float)fmin(sum, m->clip);
	}
	if (m->change)
		m->change(p);
	return p;
}

static void check_note(const made *m, const char *note)
{
	char text[NOTES] = "";
	gt_projections *p = make(m);
	const gt_listener log = notes_into(text);
	gt_projections_note_all(p, &log, "scan.nc");
	gt_projections_free(p);
	ck_assert_msg(note ? strstr(text, note) != NULL : !*text, "'%s' and not '%s'", text, note ? note : "");
}

GT_TEST(clipped_values)
{
	static const double noise[] = { 0, 0.02, 0.2 }, step[] = { 0, 1e-4, 0.02 }, off[] = { 0, 8 };
	for (int i = 0; i < 18; i++) {
		made m = usual;
		m.noise = noise[i % 3];
		m.step = step[i / 3 % 3];
		m.off = off[i / 9];
		check_note(&m, NULL);
		m.clip = 1.2;
		check_note(&m, "sampled values equal the maximum 1.2, only ");
	}
}

/* Steps of rounding of more than 2 % of the maximum. */
GT_TEST(coarse_values)
{
	static const double step[] = { 0.05, 0.1, 0.3 }, counts[] = { 30, 100, 1000 };
	for (int i = 0; i < 12; i++) {
		made m = usual;
		m.step = i < 6 ? step[i % 3] : 0;
		m.counts = i < 6 ? 0 : counts[i % 3];
		m.off = i / 3 % 2 ? 8 : 0;
		check_note(&m, NULL);
		m.clip = 1.2;
		check_note(&m, "sampled values equal the maximum 1.2, only ");
	}
}

static void pad(gt_projections *p)
{
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
		x[i] = i % COLUMNS < 9 || i % COLUMNS >= 52 ? 3 : x[i];
}

/* A gap between two modules of the detector. */
static void fill_gap(gt_projections *p)
{
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
		x[i] = i % COLUMNS >= 28 && i % COLUMNS < 38 ? 3 : x[i];
}

static int says_clipped(const made *m)
{
	char text[NOTES] = "";
	gt_projections *p = make(m);
	const gt_listener log = notes_into(text);
	gt_projections_note_all(p, &log, "scan.nc");
	gt_projections_free(p);
	return strstr(text, "are clipped there") != NULL;
}

/* Constant columns above the object, and a box that does not rotate. */
GT_TEST(flat_runs_at_one_place)
{
	for (int i = 0; i < 6; i++) {
		made m = usual;
		m.change = i < 2 ? pad : i < 4 ? fill_gap : NULL;
		m.still = m.square = i > 3;
		m.noise = i % 2 && i < 4 ? 0.02 : 0;
		m.step = i == 5 ? 0.02 : 0;
		ck_assert_msg(!says_clipped(&m), "case %d", i);
	}
}

/* Squares have flat profiles in single views, all of them if there are few. */
GT_TEST(flat_profiles)
{
	for (size_t views = 2; views < 200; views = 3 * views / 2) {
		made m = usual;
		m.views = views;
		m.square = 1;
		m.off = 0;
		check_note(&m, NULL);
	}
}

GT_TEST(shapes_of_pixels)
{
	made m = usual;
	m.row_pitch = 20;
	check_note(&m, NULL);
	m.row_pitch = 1e-3;
	check_note(&m, "scan.nc: detector pixels have 1 mm along the columns and 0.001 mm along the rows: expected a ratio of at most 50");
	m.row_pitch = 1000;
	check_note(&m, "expected a ratio of at most 50");
}

int main(void) { return gt_test_main("implausible scans", NULL); }
