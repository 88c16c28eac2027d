/* Shared arrays of several runs in sequence behave like arrays of one run.
 * labels: unit; backend: none */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "team/team.h"
#include "tests/support/support.h"

enum { N = 23 };
enum { RUNS = 3, LONGEST = 2 * N + 1, ALL = 3 * N + 4 };
static const size_t long_as[RUNS] = { N, 3, LONGEST };

static gt_status is(double found, double want, size_t i, const char *what)
{
	return fabs(found - want) > 1e-12 ? gt_fail(GT_ERR_MEMORY, "%s: element %zu is %g, expected %g", what, i, found, want) : GT_OK;
}

/* Arrays of three runs: put, get, operations and parts as for one array. */
static gt_status runs_on_rank(gt_backend *be, void *self)
{
	double host[ALL], back[ALL], want = 0, *sums = self;
	gt_partition_run run[RUNS];
	gt_array *a = NULL, *b = NULL, *part = NULL, *one = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < RUNS; i++) {
		const gt_range own = gt_local_range(be, long_as[i]);
		run[i] = (gt_partition_run){ long_as[i], own.first, own.n, 0 };
	}
	for (size_t i = 0; i < ALL; i++) {
		host[i] = (double)i - 7.5;
		want += host[i] * (2 * host[i] + 1);
	}
	GT_TRY(gt_array_new_runs(be, GT_F64, run, RUNS, &a));
	if (gt_array_size(a) != ALL || gt_array_here(a) != run[0].n + run[1].n + run[2].n)
		GT_TRY(gt_fail(GT_ERR_ARG, "%zu of %zu elements", gt_array_here(a), gt_array_size(a)));
	gt_array_put(host, a);
	GT_TRY(gt_array_like(a, &b));
	gt_fill(1, b);
	gt_axpy(2, a, b);
	gt_array_get(b, back);
	for (size_t i = 0; i < ALL; i++)
		GT_TRY(is(back[i], 2 * host[i] + 1, i, "2 a + 1"));
	sums[gt_rank(be)] = gt_dot(a, b);
	if (fabs(sums[gt_rank(be)] - want) > 1e-9)
		GT_TRY(gt_fail(GT_ERR_ARG, "the product is %g, expected %g", sums[gt_rank(be)], want));
	/* parts within a run, across an end and over a whole run; parts of these; and one run */
	for (size_t first = 0; first < ALL; first += 5)
		for (size_t n = 0; n <= ALL - first; n += 11) {
			GT_TRY(gt_array_part(a, first, n, &part));
			GT_TRY(gt_array_part(part, n / 3, n - n / 3, &one));
			gt_array_get(one, back);
			for (size_t i = 0; i < n - n / 3; i++)
				GT_TRY(is(back[i], host[first + n / 3 + i], i, "a part of a part"));
			gt_array_free(one);
			gt_array_free(part);
			part = one = NULL;
		}
	gt_array last = gt_array_run(b, RUNS - 1);
	gt_scale(-1, &last);
	gt_array_get(b, back);
	for (size_t i = 0; i < ALL; i++)
		GT_TRY(is(back[i], (i < N + 3 ? 1 : -1) * (2 * host[i] + 1), i, "the last run times -1"));
	GT_TRY(gt_backend_status(be));
	/* an array of equal length with other runs is refused */
	GT_TRY(gt_array_new_shared(be, GT_F64, 1, ALL, &one));
	gt_copy(one, b);
	if (gt_backend_status(be) != GT_ERR_ARG)
		st = gt_fail(GT_ERR_MEMORY, "runs were copied to others");
done:
	gt_array_free(part);
	gt_array_free(one);
	gt_array_free(b);
	gt_array_free(a);
	return st == GT_OK ? GT_ERR_ARG : st;
}

GT_TEST(runs)
{
	static const double uneven[] = { 1, 0.02, 3, 1.3, 0.7 };
	for (int ranks = 2; ranks < 6; ranks++) {
		char spec[16];
		double sums[8];
		gt_team *t = NULL;
		snprintf(spec, sizeof spec, "cpu:1x%d", ranks);
		ck_ok(gt_team_open(spec, &t));
		ck_ok(gt_team_set_weights(t, uneven));
		ck_refused(gt_team_run(t, runs_on_rank, sums), GT_ERR_ARG, "copy");
		for (int i = 1; i < ranks; i++)
			ck_assert(!memcmp(&sums[i], &sums[0], sizeof *sums));
		gt_team_close(t);
	}
}

int main(void) { return gt_test_main("runs", NULL); }
