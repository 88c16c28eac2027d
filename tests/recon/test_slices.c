/* Slices of the iterate: central slices of the result without padding, reported at intervals, and the live page.
 * labels: unit */
#include <stdio.h>
#include <string.h>
#include <gantry/image.h>
#include "tests/recon/small_recon.h"
#include "tests/support/http.h"
#include "viewer/live.h"

static const gt_grid odd = { { 23, 18, 5 }, { 6, 6, 6 }, { 3, -2, 1 } };

/* The last report, and the number of reports. */
struct reported {
	float *slice[3];
	int times, iteration;
	gt_live_page *page;
};

static size_t size_of(int axis) { return gt_grid_voxels(&odd) / odd.n[axis]; }

static void take(void *self, const gt_recon_slices *s)
{
	struct reported *t = self;
	t->times++;
	t->iteration = s->iteration;
	ck_assert(s->size == sizeof *s && !memcmp(s->grid->n, odd.n, sizeof odd.n));
	for (int a = 0; a < 3; a++) {
		ck_assert_uint_eq(s->index[a], odd.n[a] / 2);
		memcpy(t->slice[a], s->slice[a], size_of(a) * sizeof(float));
	}
	gt_live_page_slices(t->page, s);
}

static int show(void *self, const gt_recon_progress *p)
{
	struct reported *t = self;
	gt_live_page_progress(t->page, p);
	return 0;
}

static void reported_new(struct reported *t)
{
	*t = (struct reported){ .times = 0 };
	for (int a = 0; a < 3; a++)
		t->slice[a] = malloc(size_of(a) * sizeof(float));
}

static void reported_free(struct reported *t)
{
	for (int a = 0; a < 3; a++)
		free(t->slice[a]);
}

static void expect_middle(const struct reported *t, const float *x)
{
	const size_t *n = odd.n, i = n[0] / 2, j = n[1] / 2, k = n[2] / 2;
	for (size_t z = 0; z < n[2]; z++)
		for (size_t y = 0; y < n[1]; y++)
			ck_assert_float_eq(t->slice[0][z * n[1] + y], x[(z * n[1] + y) * n[0] + i]);
	for (size_t z = 0; z < n[2]; z++)
		for (size_t y = 0; y < n[0]; y++)
			ck_assert_float_eq(t->slice[1][z * n[0] + y], x[(z * n[1] + j) * n[0] + y]);
	for (size_t y = 0; y < n[1] * n[0]; y++)
		ck_assert_float_eq(t->slice[2][y], x[k * n[1] * n[0] + y]);
}

/* _i: single and double precision, with and without padding. */
GT_TESTS(are_of_the_volume, 4)
{
	const char *const set[][2] = { { "solver", "os-sart:iterations=5,subsets=4" },
		                       { "precision", _i % 2 ? "double" : "single" },
		                       { "padding", _i / 2 ? "yes" : "no" },
		                       { "init", "zero" },
		                       { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, set);
	gt_volume *v;
	struct reported t;
	reported_new(&t);
	ck_ok(gt_volume_new(&odd, &v));
	gt_recon_on_slices(r, 0, take, &t);
	ck_ok(gt_recon_run(r, v));
	ck_assert_int_eq(t.times, 5);
	ck_assert_int_eq(t.iteration, 5);
	expect_middle(&t, gt_volume_data(v));
	/* with an interval that never passes, the first and last iteration alone; without a callback, none */
	t.times = 0;
	gt_recon_on_slices(r, 1000, take, &t);
	ck_ok(gt_recon_run(r, v));
	ck_assert_int_eq(t.times, 2);
	gt_recon_on_slices(r, 0, NULL, NULL);
	ck_ok(gt_recon_run(r, v));
	ck_assert_int_eq(t.times, 2);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
	reported_free(&t);
}

GT_TEST(page)
{
	static const char *const set[][2] = { { "solver", "os-sart:iterations=4,subsets=4" }, { "init", "zero" }, { NULL, NULL } };
	static const char *const wrong[] = {
		"slice/3", "slice/0x", "slice/", "state/", "state/-1", "state/1/", "plane/0/0/0/0/slice", "x"
	};
	gt_projections *p = projections();
	gt_recon *r = recon(p, set);
	gt_volume *v;
	struct reported t;
	size_t bytes;
	gt_live_page *other = NULL;
	reported_new(&t);
	ck_ok(gt_volume_new(&odd, &v));
	ck_ok(gt_live_page_new("a <b>\n\"title\"", 0, &t.page));
	const char *address = gt_live_page_address(t.page);
	int port = 0;
	ck_assert_int_eq(sscanf(address, "http://127.0.0.1:%d", &port), 1);
	ck_refused(gt_live_page_new("second", port, &other), GT_ERR_IO, "is taken");
	ck_refused(gt_live_page_new("third", 70000, &other), GT_ERR_ARG, "expected 0 to 65535");
	ck_assert_ptr_null(other);
	char *text = gt_test_get(address, "state/0", &bytes);
	ck_assert(bytes && strstr(text, "\"points\":[]") && !strstr(text, "slices"));
	free(text);
	free(gt_test_get(address, "slice/0", &bytes));
	ck_assert_uint_eq(bytes, 0);
	gt_recon_on_slices(r, 0, take, &t);
	gt_recon_on_progress(r, show, &t);
	ck_ok(gt_recon_run(r, v));
	text = gt_test_get(address, "state/2", &bytes);
	ck_assert_msg(strstr(text, "\"iteration\":4,\"iterations\":4,") && strstr(text, "\"from\":2,\"points\":[[3,") &&
	                      strstr(text, "[4,"),
	              "%s", text);
	ck_assert(strstr(text, "\"version\":4,\"iteration\":4,\"n\":[23,18,5],\"index\":[11,9,2]"));
	free(text);
	for (int a = 0; a < 3; a++) {
		static const char *const path[] = { "slice/0", "slice/1", "slice/2" };
		text = gt_test_get(address, path[a], &bytes);
		ck_assert_uint_eq(bytes, size_of(a) * sizeof(float));
		ck_assert(!memcmp(text, t.slice[a], bytes));
		free(text);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		free(gt_test_get(address, wrong[i], &bytes));
		ck_assert_msg(!bytes, "%s is answered", wrong[i]);
	}
	text = gt_test_get(address, "", &bytes);
	ck_assert(bytes && strstr(text, "a &lt;b&gt;") && strstr(text, "class=\"live\"") && !strstr(text, "<b>"));
	free(text);
	gt_live_page_free(t.page, "done");
	gt_live_page_free(NULL, NULL);
	gt_live_page_progress(NULL, NULL);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
	reported_free(&t);
}

int main(void) { return gt_test_main("slices", NULL); }
