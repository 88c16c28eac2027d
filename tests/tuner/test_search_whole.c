/* Complete searches on the CPU, where all variants of a runtime kernel are one kernel: times have no meaning. Tests
 * tilted rows and refusals.
 * labels: unit, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/support/support.h"
#include "tuner/tuner.h"

static char folder[] = "/tmp/gantry-tuner-XXXXXX", log_path[64];

/* Tilts the rows against the z axis by this number of degrees. */
static gt_scan *make_scan(double tilt, gt_grid *grid)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .source_to_axis = 1000,
		                 .source_to_detector = 1536,
		                 .columns = 31,
		                 .rows = 27,
		                 .views = 15,
		                 .column_pitch = 16,
		                 .row_pitch = 16,
		                 .turn = 6.283185307179586 };
	const double c = cos(tilt * 0.017453292519943295), s = sin(tilt * 0.017453292519943295);
	gt_scan *scan = NULL;
	ck_ok(gt_scan_orbit(&orbit, &scan));
	for (size_t v = 0; v < scan->views && tilt != 0; v++) {
		gt_view *w = &scan->view[v];
		const double across[2] = { w->column_axis[1], -w->column_axis[0] };
		w->row_axis[0] = s * across[0];
		w->row_axis[1] = s * across[1];
		w->row_axis[2] = c;
	}
	ck_ok(gt_scan_check(scan));
	*grid = (gt_grid){ { 23, 21, 17 }, { 12, 12, 12 }, { 0, 0, 0 } };
	return scan;
}

static gt_tune_options options_for(const gt_scan *scan, const gt_grid *grid)
{
	gt_tune_options o;
	gt_tune_defaults(&o);
	o.kernel = "fdk-published";
	o.backend = "cpu:1";
	o.scan = scan;
	o.grid = grid;
	o.evaluations = 4;
	o.strategy = "random";
	o.log = log_path;
	return o;
}

static void tried(void *self, size_t program, const char *variant, const gt_tune_evaluation *t)
{
	int *highest = self;
	const int form = atoi(strstr(variant, "FORM=") + 5);
	(void)program;
	ck_assert_msg(t->verdict == GT_TUNE_OK, "%s: %s", variant, t->why);
	*highest = form > *highest ? form : *highest;
}

/* If rows are tilted, forms that need rows parallel to slices are excluded. */
GT_TESTS(rows_that_are_tilted, 2)
{
	static const struct {
		double tilt;
		const char *class, *by_hand;
		int highest;
	} of[] = { { 0, "tilted=0", "FORM=12 ", 12 }, { 2, "tilted=1", "FORM=9 ", 9 } };
	gt_grid grid;
	gt_scan *scan = make_scan(of[_i].tilt, &grid);
	gt_tune_options o = options_for(scan, &grid);
	gt_tune_outcome out;
	gt_tune_log_facts facts;
	int highest = 0;
	o.tried = tried;
	o.self = &highest;
	o.evaluations = 16;
	ck_ok(gt_tune_search(&o, &out));
	ck_assert_msg(strstr(out.about, of[_i].class) != NULL, "%s", out.about);
	ck_assert_msg(!strncmp(out.built_in, of[_i].by_hand, strlen(of[_i].by_hand)), "%s", out.built_in);
	ck_assert_uint_eq(out.evaluations, 16);
	ck_assert_uint_eq(out.failed, 0);
	ck_assert_int_le(highest, of[_i].highest);
	ck_ok(gt_tune_log_facts_of(log_path, &facts));
	ck_assert_int_eq(facts.ended, 1);
	ck_assert_uint_eq(facts.right, 16);
	gt_scan_free(scan);
}

/* The log of a problem without the kernel holds the reason, so that gantry tune --folder continues. */
GT_TEST(reason_in_the_log)
{
	gt_grid grid;
	gt_scan *scan = make_scan(20, &grid);
	const gt_tune_options o = options_for(scan, &grid);
	gt_tune_outcome out;
	gt_tune_log_facts facts;
	ck_refused(gt_tune_search(&o, &out), GT_ERR_UNSUPPORTED, "fdk-published cannot be tuned for this problem: ");
	ck_assert_msg(strstr(gt_error(), "are tilted by 20 degrees") != NULL, "%s", gt_error());
	ck_refused(gt_tune_log_facts_of(log_path, &facts), GT_ERR_UNSUPPORTED, "are tilted by 20 degrees");
	gt_scan_free(scan);
}

/* NULL: as in options_for(). */
static const struct {
	const char *backend, *log;
	double seconds;
	gt_status status;
	const char *says;
} refused[] = {
	{ NULL, NULL, 1e-6, GT_ERR_ARG, "the time limit is too short" },
	{ "cuda:0,shared=1KiB", NULL, 0, GT_ERR_ARG,
	  "backend cuda:0,shared=1KiB: expected shared=BYTES or shared=NKiB, of 16 to 1024 KiB" },
	{ "bees", NULL, 0, GT_ERR_UNSUPPORTED, "no kernel can be tuned here" },
	{ NULL, "/nowhere/log.txt", 0, GT_ERR_IO, "/nowhere/log.txt: cannot be written" },
};

GT_TESTS(refusals, sizeof refused / sizeof *refused)
{
	gt_grid grid;
	gt_scan *scan = make_scan(0, &grid);
	gt_tune_options o = options_for(scan, &grid);
	gt_tune_outcome out;
	o.seconds = refused[_i].seconds;
	o.backend = refused[_i].backend ? refused[_i].backend : o.backend;
	o.log = refused[_i].log ? refused[_i].log : o.log;
	ck_refused(gt_tune_search(&o, &out), refused[_i].status, refused[_i].says);
	gt_scan_free(scan);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(log_path, sizeof log_path, "%s/log.txt", folder);
	const int code = gt_test_main("whole searches", NULL);
	remove(log_path);
	rmdir(folder);
	return code;
}
