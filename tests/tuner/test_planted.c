/* Faults planted in kernel sources are found on a GPU: wrong results, writes outside the result, runs that differ,
 * kernels that hang. Variants without a fault pass. Everywhere: each fault has its position in the kernel's source.
 * labels: slow */
#include <stdio.h>
#include <string.h>
#include <gantry/scan.h>
#include "core/variant/sources.h"
#include "core/variant/variant.h"
#include "tests/support/support.h"
#include "tuner/check.h"
#include "tuner/tuner.h"

static gt_scan *scan;
static gt_grid grid;

static void make_problem(void)
{
	const gt_orbit orbit = { .shape = GT_ARC,
		                 .source_to_axis = 541,
		                 .source_to_detector = 949,
		                 .columns = 111,
		                 .rows = 37,
		                 .views = 41,
		                 .column_pitch = 8.1912,
		                 .row_pitch = 2,
		                 .turn = 6.283185307179586 };
	const size_t n[3] = { 61, 67, 33 };
	ck_assert_int_eq(gt_scan_orbit(&orbit, &scan), GT_OK);
	memset(&grid, 0, sizeof grid);
	for (int a = 0; a < 3; a++) {
		grid.n[a] = n[a];
		grid.pitch[a] = a < 2 ? 7.8 : 1.3;
	}
}

enum { AT_ONCE = 8 };
struct trying {
	gt_check *check;
	gt_child *child;
};

/* Evaluates built-in values after compiling them with that fault. */
static void begin(const char *kernel, const char *variant, const char *from, const char *to, double limit, struct trying *y)
{
	gt_tune_options o;
	gt_tune_defaults(&o);
	o.kernel = kernel;
	o.scan = scan;
	o.grid = &grid;
	ck_assert_int_eq(gt_check_new(&o, &y->check), GT_OK);
	ck_assert_int_eq(gt_child_new(gt_check_try, y->check, limit, limit < 60 ? 15 : 60, &y->child), GT_OK);
	gt_variant_plant(from, to);
	gt_child_send(y->child, variant);
	gt_variant_plant(NULL, NULL);
}
static void end(struct trying *y, gt_tune_evaluation *t)
{
	gt_child_wait(y->child, t);
	gt_child_free(y->child);
	gt_check_free(y->check);
}

static const char write_out[] = "*y = j.add ? *y + value : value;", add_dd[] = "up - s->E[v][r] + 0.f, e & FRESH);",
		  add_sf[] = "out[e] = (a.fresh ? 0.f : out[e]) + (above - E[v][r]);",
		  put_sf[] = "*out = (a.first[v->axis] ? *out : 0.f) + sum * slant;",
		  put_joseph[] = "(sum[k] + (MODEL == GT_RAY_SIDDON ? w.extra[k * w.stride] : T(0))) *",
		  add_joseph[] = "x[z * plane + row] += sum[i][t];";
static const struct {
	const char *kernel, *variant, *what, *from, *to, *why; /* why NULL: no fault */
} faults[] = {
	{ "dd-forward", "WHOLE=96", "a row that is missing", write_out, "*y = l == 3 ? 0 : value;", "off the CPU" },
	{ "dd-forward", "WHOLE=96", "an entry off by 1e-4", write_out, "*y = value * (l == 3 && k0 + c == 7 ? 1.0002f : 1.f);",
	  "off the CPU" },
	{ "dd-forward", "WHOLE=96", "a row that is not written", write_out, "if (l != 3) *y = value;", "not finite" },
	{ "dd-forward", "WHOLE=96", "a write before the result", write_out, "*y = value; if (view == 0 && l == 0) j.y[-1] = 0;",
	  "outside" },
	{ "dd-forward", "WHOLE=96", "bits that differ", write_out, "*y = value * (1 + (float)(clock64() & 7) * 1e-7f);", "bit-identical" },
	{ "dd-forward", "WHOLE=96", "text that does not compile", write_out, "*y = value + no_such_thing;", "does not compile" },
	{ "dd-forward", "WHOLE=96", "nothing", write_out, "*y = j.add ? value + *y : value;", NULL },
	{ "dd-back", "SLOTS=2", "a slice that is missing", add_dd, "z == 4 ? 0.f : up - s->E[v][r], e & FRESH);", "off the CPU" },
	{ "dd-back", "SLOTS=2", "nothing", add_dd, "-(s->E[v][r] - up), e & FRESH);", NULL },
	{ "sf-back", "STAGES=2", "an entry off by 1e-4", add_sf,
	  "out[e] = (a.fresh ? 0.f : out[e]) + (above - E[v][r]) * (e == 3 && vx == 4 ? 1.0003f : 1.f);", "off the CPU" },
	{ "sf-back", "STAGES=2", "nothing", add_sf, "out[e] = (above - E[v][r]) + (a.fresh ? 0.f : out[e]);", NULL },
	{ "sf-forward", "STAGES=2", "a write after the result", put_sf,
	  "*out = (a.first[v->axis] ? *out : 0.f) + sum * slant; if (l == a.d.rows - 1) out[a.d.columns * a.d.rows] = 1;", "CPU|outside" },
	{ "sf-forward", "STAGES=2", "nothing", put_sf, "*out = sum * slant + (a.first[v->axis] ? *out : 0.f);", NULL },
	{ "joseph-forward", "VIEWS=4", "a row that is missing", put_joseph, "(c.l0 + k == 3 ? T(0) : sum[k]) *", "off the CPU" },
	{ "joseph-forward", "VIEWS=4", "nothing", put_joseph, "(T(0) + sum[k]) *", NULL },
	{ "joseph-back", "STRIP_WARPS=8", "a write before the result", add_joseph,
	  "x[z * plane + row] += sum[i][t]; if (z == 0 && i == 0 && n == 0) x[-1] = 1;", "outside" },
	{ "joseph-back", "STRIP_WARPS=8", "bits that differ", add_joseph,
	  "x[z * plane + row] += sum[i][t] * (1 + (float)(clock64() & 7) * 1e-7f);", "bit-identical" },
	{ "joseph-back", "STRIP_WARPS=8", "nothing", add_joseph, "x[z * plane + row] += T(1) * sum[i][t];", NULL },
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Returns 1 if text contains one of the words "one|other". */
static int says_one_of(const char *text, const char *words)
{
	char all[80], *rest = NULL;
	snprintf(all, sizeof all, "%s", words);
	for (char *one = strtok_r(all, "|", &rest); one; one = strtok_r(NULL, "|", &rest))
		if (strstr(text, one))
			return 1;
	return 0;
}

static int is_as_it_should(int i, const gt_tune_evaluation *t)
{
	printf("%s, %s: %s, %s; %g ms, built-in %g ms, off %.2e, adjoint %.2e\n", faults[i].kernel, faults[i].what,
	       gt_tune_verdict_text(t->verdict), t->why, t->ms, t->built_in_ms, t->error, t->off_adjoint);
	if (!faults[i].why)
		return t->verdict == GT_TUNE_OK && t->ms > 0 && t->built_in_ms > 0 && t->error > 0;
	return t->verdict != GT_TUNE_OK && says_one_of(t->why, faults[i].why);
}

START_TEST(planted_faults_are_found)
{
	struct trying trying[AT_ONCE];
	int wrong = 0;
	make_problem();
	for (int first = 0; first < FAULTS; first += AT_ONCE) {
		const int n = FAULTS - first < AT_ONCE ? FAULTS - first : AT_ONCE;
		for (int i = 0; i < n; i++)
			begin(faults[first + i].kernel, faults[first + i].variant, faults[first + i].from, faults[first + i].to, 90,
			      &trying[i]);
		for (int i = 0; i < n; i++) {
			gt_tune_evaluation t;
			end(&trying[i], &t);
			wrong += !is_as_it_should(first + i, &t);
		}
	}
	gt_scan_free(scan);
	ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(what_hangs_is_ended)
{
	struct trying y;
	gt_tune_evaluation t;
	make_problem();
	begin("dd-forward", "WHOLE=96", write_out, "*y = value; for (;;) if (clock64() == 0) break;", 2, &y);
	end(&y, &t);
	gt_scan_free(scan);
	printf("hangs: %s, %s\n", gt_tune_verdict_text(t.verdict), t.why);
	ck_assert_int_eq(t.verdict, GT_TUNE_ENDED);
	ck_assert_ptr_nonnull(strstr(t.why, "did not end"));
}
END_TEST

static int occurrences(const char *kernel, const char *text)
{
	const struct gt_kernel_file *f = gt_kernel_file_of(kernel);
	int n = 0;
	for (const char *at = f ? f->text : ""; (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* Needs no device: if a kernel's line changes, its faults must change too. */
START_TEST(faults_fit_the_source)
{
	const int n = occurrences(faults[_i].kernel, faults[_i].from);
	ck_assert_msg(n == 1, "%s, %s: '%s' occurs %d times in the kernel's source, expected once", faults[_i].kernel, faults[_i].what,
	              faults[_i].from, n);
	ck_assert_int_eq(occurrences(faults[_i].kernel, faults[_i].to), 0);
	ck_assert_int_eq(occurrences("no-such-kernel", faults[_i].from), 0);
}
END_TEST

static void fill(TCase *t)
{
	tcase_add_loop_test(t, faults_fit_the_source, 0, FAULTS);
	if (!gt_test_is_gpu() || gt_variant_no_compiler())
		return;
	tcase_add_test(t, planted_faults_are_found);
	tcase_add_test(t, what_hangs_is_ended);
}
int main(void) { return gt_test_main("planted faults", fill); }
