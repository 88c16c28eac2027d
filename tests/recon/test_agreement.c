/* Means of iterative results over soft parts against the direct method. Good scans give no warning; bad ones give a
 * warning with its remedy.
 * labels: unit physics */
#include <stdio.h>
#include <string.h>
#include <gantry/author/scan_math.h>
#include "recon/outside/agreement.h"
#include "tests/recon/region_runs.h"

typedef enum { NONE, SHIFTED, METAL, FAINT } fault;
typedef struct {
	region of;
	fault fault;
	const char *remedy; /* part of the warning; NULL: none */
} agreement_case;

#define WHOLE                                           \
	{                                               \
		{ 66, 66, 1 }, { 3, 3, 3 }, { 0, 0, 0 } \
	}
#define CENTRE                                             \
	{                                                  \
		{ 16, 14, 1 }, { 3, 3, 3 }, { 10, -15, 0 } \
	}
#define SLICES                                          \
	{                                               \
		{ 60, 60, 6 }, { 3, 3, 3 }, { 0, 0, 0 } \
	}
#define SET(name, ...) static const char *const name[][2] = { __VA_ARGS__, { NULL, NULL } }
SET(preset, PRESET);
SET(ignored, PRESET, { "outside", "no" });
SET(unpadded, { "solver", "os-sart:iterations=5,subsets=6" }, { "padding", "no" });
SET(sart, { "solver", "os-sart:iterations=5,subsets=6" });
SET(ignored_sart, { "solver", "os-sart:iterations=5,subsets=6" }, { "outside", "no" });
SET(cgls, { "solver", "cgls:iterations=4" });
SET(mltr, { "solver", "mltr:iterations=5,subsets=6" });
SET(smooth, { "solver", "fista:iterations=40" }, { "penalty", "tv:strength=1" });

#define FAN(views, columns, offset, turn) GT_FLAT, views, 1, columns, offset, turn
static const agreement_case cases[] = {
	{ { "fan", FAN(120, 84, 0, 2), WHOLE, "", preset, 0, 0 }, NONE, NULL },
	{ { "arc", GT_ARC, 120, 1, 84, 0, 2, WHOLE, "", preset, 0, 0 }, NONE, NULL },
	{ { "parallel", GT_PARALLEL, 120, 1, 80, 0, 1, WHOLE, "", preset, 0, 0 }, NONE, NULL },
	{ { "displaced", FAN(160, 60, 14, 2), WHOLE, "", preset, 0, 0 }, NONE, NULL },
	{ { "short", FAN(80, 84, 0, 1.25), WHOLE, "", preset, 0, 0 }, NONE, NULL },
	{ { "few views", FAN(30, 84, 0, 2), WHOLE, "", preset, 0, 0 }, NONE, NULL },
	{ { "few photons", FAN(120, 84, 0, 2), WHOLE, "", preset, 0, 0 }, FAINT, NULL },
	{ { "cone", GT_FLAT, 120, 16, 84, 0, 2, SLICES, "", preset, 0, 0 }, NONE, NULL },
	{ { "region", FAN(120, 84, 0, 2), CENTRE, "", preset, 0, 0 }, NONE, NULL },
	{ { "truncated", FAN(120, 44, 0, 2), CENTRE, "", preset, 0, 0 }, NONE, NULL },
	{ { "os-sart", FAN(120, 84, 0, 2), WHOLE, "", sart, 0, 0 }, NONE, NULL },
	{ { "cgls", FAN(120, 84, 0, 2), WHOLE, "", cgls, 0, 0 }, NONE, NULL },
	{ { "mltr", FAN(120, 84, 0, 2), WHOLE, "", mltr, 0, 0 }, NONE, NULL },
	{ { "smooth", FAN(120, 84, 0, 2), WHOLE, "", smooth, 0, 0 }, NONE, NULL },
	{ { "ignored", FAN(120, 84, 0, 2), CENTRE, "", ignored, 0, 0 }, NONE, "the grid ends inside the object; use --outside auto" },
	{ { "ignored by os-sart", FAN(120, 84, 0, 2), CENTRE, "", ignored_sart, 0, 0 }, NONE, "use --outside auto" },
	{ { "truncated, ignored", FAN(120, 44, 0, 2), CENTRE, "", ignored_sart, 0, 0 }, NONE, "use --outside auto" },
	{ { "unpadded", GT_FLAT, 120, 24, 84, 0, 2, SLICES, "", unpadded, 0, 0 }, NONE, "use --padding auto" },
	{ { "wrong centre", FAN(120, 84, 0, 2), WHOLE, "", preset, 0, 0 }, SHIFTED, NULL },
	{ { "metal", FAN(120, 84, 0, 2), WHOLE, "", preset, 0, 0 }, METAL, NULL },
};
enum { CASES = sizeof cases / sizeof *cases };

/* Line integrals of a pin of radius 6 mm at x = 40, y = -20 mm, which saturates at 5: beam hardening of metal. */
static void add_metal(gt_projections *p)
{
	const gt_scan *s = p->scan;
	const gt_detector d = gt_scan_detector(s);
	for (size_t i = 0; i < gt_scan_size(s); i++) {
		double at[3], a[3];
		gt_pixel_ray(&d, &s->view[i / s->columns / s->rows], (double)(i % s->columns), (double)(i / s->columns % s->rows), at, a);
		const double x = at[0] - 40, y = at[1] + 20, off = (x * a[1] - y * a[0]) / hypot(a[0], a[1]);
		const double length = off * off < 36 ? 2 * sqrt(36 - off * off) : 0;
		gt_projections_data(p)[i] += (float)(5 * (1 - exp(-0.6 * length / 5)));
	}
}

/* Moves the columns by 3 pixels: 9 mm at the axis. */
static void shift(gt_projections *p)
{
	float *data = gt_projections_data(p);
	const size_t n = gt_scan_size(p->scan);
	for (size_t i = n; i-- > 0;)
		data[i] = i % p->scan->columns < 3 ? 0 : data[i - 3];
}

static void spoil(fault f, gt_projections *p)
{
	if (f == FAINT)
		gt_add_photon_noise(3000, 0, 3, 0, NULL, gt_projections_data(p), gt_scan_size(p->scan));
	if (f == METAL)
		add_metal(p);
	if (f == SHIFTED)
		shift(p);
}

/* Keeps the warning. */
static void take(void *self, const gt_message *m)
{
	if (m->severity == GT_WARNING && !strncmp(m->text, "soft parts:", 11))
		snprintf(self, 1024, "%s", m->text);
}

GT_TESTS_ALIKE(compared, CASES)
{
	const agreement_case *c = &cases[_i];
	char warning[1024] = "";
	gt_projections *p = scan_of(&c->of);
	gt_volume *v;
	spoil(c->fault, p);
	gt_recon *r = ready(p, &c->of.grid, c->of.set);
	ck_ok(gt_recon_set(r, "check", "no"));
	gt_recon_on_message(r, take, warning);
	ck_ok(gt_volume_new(&c->of.grid, &v));
	ck_ok(gt_recon_run(r, v));
	if (getenv("GT_PRINT"))
		printf("%-20s %s %s\n", c->of.name, gt_recon_text(r, "agreement"), warning);
	fflush(stdout);
	ck_assert(gt_recon_text(r, "agreement") != NULL);
	ck_assert_msg(c->remedy ? strstr(warning, c->remedy) != NULL : !*warning, "%s: '%s'", c->of.name, warning);
	ck_assert(!strstr(gt_recon_text(r, "parameters"), " mean_over_") == !c->remedy);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* Nothing is compared without a start by an analytic method. */
GT_TEST(without_direct)
{
	static const char *const zero[][2] = { { "solver", "os-sart:iterations=1,subsets=6" }, { "init", "zero" }, { NULL, NULL } };
	gt_projections *p = scan_of(&cases[0].of);
	gt_volume *v;
	gt_recon *r = ready(p, &cases[0].of.grid, zero);
	ck_ok(gt_volume_new(&cases[0].of.grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_assert(gt_recon_text(r, "agreement") == NULL);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* Nor in laminography, whose direct method lacks a part of the mean. */
GT_TEST(without_mean)
{
	static const char *const two[][2] = { { "solver", "os-sart:iterations=2,subsets=6" }, { NULL, NULL } };
	const gt_grid grid = { { 30, 30, 4 }, { 3, 3, 3 }, { 0, 0, 0 } };
	gt_orbit o = fan;
	gt_scan *scan;
	gt_projections *p;
	gt_volume *v;
	o.views = 60;
	o.rows = o.columns = 40;
	o.turn = 2 * GT_PI;
	o.tilt = GT_PI / 6;
	ck_ok(gt_scan_orbit(&o, &scan));
	ck_ok(gt_projections_new(scan, &p));
	for (size_t i = 0; i < gt_scan_size(scan); i++)
		gt_projections_data(p)[i] = 0.5F;
	gt_recon *r = ready(p, &grid, two);
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_assert(strstr(gt_recon_text(r, "start"), "fdk") != NULL);
	ck_assert(gt_recon_text(r, "agreement") == NULL);
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
	gt_scan_free(scan);
}

/* Differences fail beyond the noise and a twentieth of the mean. */
GT_TEST(limits)
{
	ck_assert(!gt_agreement_fails(&(gt_agreement){ 0.02, 0.02, 0, 0 }));
	ck_assert(!gt_agreement_fails(&(gt_agreement){ 0.02, 0.00099, 0.0001, 100 }));
	ck_assert(gt_agreement_fails(&(gt_agreement){ 0.02, 0.00101, 0.0001, 100 }));
	ck_assert(gt_agreement_fails(&(gt_agreement){ 0.02, -0.00101, 0.0001, 100 }));
	ck_assert(!gt_agreement_fails(&(gt_agreement){ 0.02, 0.0019, 0.002, 100 }));
}

int main(void) { return gt_test_main("agreement", NULL); }
