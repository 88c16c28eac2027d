/* os-sart with keep=auto keeps the row and column sums of all subsets that fit into the free memory.
 * labels: property backend: none */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "core/text.h"
#include "core/log.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { SIDE = 96, VIEWS = 8, SUBSETS = 4 };

static char said[256];

static void hear(void *self, const gt_message *m)
{
	(void)self;
	gt_snprintf(said, sizeof said, "%s", m->text);
}

/* Bytes of the private writable memory of this process. */
static size_t private_bytes(void)
{
	char line[256];
	size_t kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && !kib && fgets(line, sizeof line, f))
		if (sscanf(line, "VmData: %zu", &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	ck_assert_uint_gt(kib, 0);
	return 1024 * kib;
}

/* Returns the peak of the arrays beyond the problem; x: the result. room: limit of further memory, 0: none.
 * *subset: bytes of the data of one. */
static size_t solve(const char *options, size_t room, size_t *subset, double *x)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_problem p = gt_test_problem(be, GT_F64, SIDE, VIEWS, SUBSETS);
	const gt_solver *s = gt_solver_find("os-sart");
	const size_t before = gt_test_counters(be).bytes;
	struct rlimit limit;
	*subset = gt_array_bytes(p.b[0]);
	void *o;
	ck_ok(gt_params_new(s->params, options, s->defaults, s->options_size, &o));
	ck_assert_int_eq(getrlimit(RLIMIT_DATA, &limit), 0);
	if (room) {
		const struct rlimit less = { private_bytes() + room, limit.rlim_max };
		ck_assert_int_eq(setrlimit(RLIMIT_DATA, &less), 0);
	}
	const gt_status st = gt_solve(s, &p.problem, o, p.x, NULL);
	ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
	ck_ok(st);
	*said = 0;
	gt_choice_report(&(gt_listener){ .say = hear });
	gt_array_get(p.x, x);
	free(o);
	gt_test_problem_free(&p);
	const size_t peak = gt_test_counters(be).peak_bytes - before;
	gt_backend_close(be);
	return peak;
}

GT_TEST(sums_that_fit_are_kept)
{
	const size_t volume = (size_t)SIDE * SIDE * SIDE * sizeof(double);
	size_t subset;
	double *x[2] = { malloc(volume), malloc(volume) };
	mallopt(M_MMAP_THRESHOLD, 1 << 16); /* so that freed arrays leave the process */
	const size_t none = solve("iterations=2,keep=no", 0, &subset, x[0]), all = solve("iterations=2,keep=yes", 0, &subset, x[0]);
	ck_assert_uint_eq(none + (SUBSETS - 1) * (volume + subset), all);
	ck_assert_str_eq(said, ""); /* only auto chooses */
	/* auto takes half of the free memory, after two volumes and a subset for the iteration. */
	for (size_t kept = 0; kept <= SUBSETS; kept += 2) {
		const size_t sums = SUBSETS * subset + kept * volume + volume / 2;
		const size_t peak = solve("iterations=2", 2 * volume + subset + 2 * sums, &subset, x[1]);
		printf("%zu of %d column sums: peak %zu, none %zu, all %zu bytes\n", kept, SUBSETS, peak, none, all);
		ck_assert_uint_eq(peak, all - (kept == SUBSETS ? 0 : (SUBSETS - 1 - kept) * volume));
		ck_assert_int_eq(memcmp(x[0], x[1], volume), 0);
		const size_t columns = kept == SUBSETS ? SUBSETS : kept;
		char expected[128];
		if (columns == SUBSETS)
			ck_assert_str_eq(said, "");
		for (int part = 0; columns < SUBSETS && part < 2; part++) {
			if (part)
				gt_snprintf(expected, sizeof expected, "about %zu %% longer", 100 * (SUBSETS - columns) / (2 * SUBSETS));
			else
				gt_snprintf(expected, sizeof expected, "column sums of %zu of %d subsets", columns, SUBSETS);
			ck_assert_msg(strstr(said, expected) != NULL, "%s", said);
		}
	}
	free(x[0]);
	free(x[1]);
}

int main(void) { return gt_test_main("kept sums", NULL); }
