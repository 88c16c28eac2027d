/* Truncated objects on displaced detectors. The nearer side is inspected unless a full rotation measures it from
 * the other side. Short arcs are refused by name.
 * labels: unit; backend: none */
#include <math.h>
#include <string.h>
#include "tests/recon/small_recon.h"

typedef struct {
	char text[4096];
} heard;

static void hear(void *self, const gt_message *m)
{
	heard *h = self;
	const size_t n = strlen(h->text);
	snprintf(h->text + n, sizeof h->text - n, "%s\n", m->text);
}

/* Chooses for a scan with this displacement (columns), angular range (degrees) and solver (NULL: none). */
static gt_status choose(double offset, double turn, double pitch, const char *solver, heard *h)
{
	gt_orbit o = small_orbit;
	gt_recon *r;
	o.column_offset = offset;
	o.turn = turn / GT_DEGREES;
	o.column_pitch = pitch;
	gt_projections *p = projections_on(&o, 0);
	ck_ok(gt_recon_new(p, &r));
	gt_recon_on_message(r, hear, h);
	*h = (heard){ { 0 } };
	if (solver)
		ck_ok(gt_recon_set(r, "solver", solver));
	const gt_status st = gt_recon_choose(r);
	gt_recon_free(r);
	gt_projections_free(p);
	return st;
}

static void check_said(const heard *h, const char *text, int said)
{
	ck_assert_msg(!strstr(h->text, text) == !said, "'%s' %s in: %s", text, said ? "is not" : "is", h->text);
}

/* The phantom reaches 57 mm at least, the nearer side at most 32 mm, the farther side 100 mm. */
GT_TEST(short_arcs_of_displaced_detectors)
{
	heard h;
	ck_refused(choose(9, 300, 6, "fdk", &h), GT_ERR_UNSUPPORTED, "displaced by 9.0 of 40 columns, and no view lies between");
	ck_refused(choose(-9, 210, 6, "fdk", &h), GT_ERR_UNSUPPORTED, "expected a full rotation with gaps of at most 12 degrees");
	ck_ok(choose(9, 300, 6, NULL, &h));
	check_said(&h, "solver: os-sqs (fdk: the object extends beyond the nearer side", 1);
	check_said(&h, "less than a full rotation, values beyond its nearer side are inexact by several per cent; --preset", 1);
	ck_ok(choose(-9, 300, 6, "fdk:offset=off", &h));
	check_said(&h, "the object is wider than the detector", 1);
	ck_ok(choose(9, 360, 6, "fdk", &h));
	check_said(&h, "wider than the detector", 0);
	/* the nearer side covers the object */
	ck_ok(choose(9, 300, 24, "fdk", &h));
	check_said(&h, "wider than the detector", 0);
}

GT_TEST(few_columns_and_extension)
{
	heard h;
	ck_ok(choose(0, 360, 1, "fdk", &h));
	check_said(&h, "the object is wider than the detector: 100 %", 1);
	ck_ok(choose(0, 360, 1, "fdk:extend=none", &h));
	check_said(&h, "wider than the detector", 0);
	ck_ok(choose(0, 360, 1, "cgls", &h));
	check_said(&h, "the object is wider than the detector: 100 %", 1);
}

/* An object that covers all of 2 to 7 columns. */
GT_TEST(all_of_few_columns)
{
	for (size_t columns = 2; columns < 8; columns++) {
		gt_orbit o = small_orbit;
		gt_recon *r;
		heard h = { { 0 } };
		o.columns = columns;
		gt_projections *p = projections_on(&o, 0);
		ck_ok(gt_recon_new(p, &r));
		gt_recon_on_message(r, hear, &h);
		ck_ok(gt_recon_choose(r));
		check_said(&h, "the object is wider than the detector: 100 %", 1);
		gt_recon_free(r);
		gt_projections_free(p);
	}
}

/* Chooses for a full rotation with all angles scaled. */
static void choose_with_angles(double factor, const char *check, heard *h)
{
	gt_orbit o = small_orbit;
	gt_recon *r;
	gt_scan *scan;
	o.views = 120;
	gt_projections *p = projections_on(&o, 0);
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) /* a rod that distinguishes views from their mirror images */
		p->data[i] += 2 * expf(-0.1f *
		                       powf((float)(i % COLUMNS) - 19.5f - 9 * cosf((float)p->scan->view[i / (ROWS * COLUMNS)].angle), 2));
	o.turn *= factor;
	ck_ok(gt_scan_orbit(&o, &scan));
	memcpy(p->scan->view, scan->view, o.views * sizeof *scan->view);
	gt_scan_free(scan);
	ck_ok(gt_recon_new(p, &r));
	gt_recon_on_message(r, hear, h);
	*h = (heard){ { 0 } };
	ck_ok(gt_recon_set(r, "check", check));
	ck_ok(gt_recon_choose(r));
	gt_recon_free(r);
	gt_projections_free(p);
}

GT_TEST(ranges_of_angles)
{
	heard h;
	choose_with_angles(0.75, "yes", &h);
	check_said(&h, "the angles span 267.75 degrees, but the last view resembles the first as after a full rotation: expected about 360",
	           1);
	choose_with_angles(0.75, "no", &h);
	check_said(&h, "resembles", 0);
	choose_with_angles(1, "yes", &h);
	check_said(&h, "the angles span", 0);
}

int main(void) { return gt_test_main("truncation", NULL); }
