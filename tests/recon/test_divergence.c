/* Divergence rules and the best image, on known sequences of cost, data term and residual.
 * labels: unit */
#include <math.h>
#include <string.h>
#include "recon/divergence.h"
#include "tests/support/support.h"

enum { VOXELS = 5, MAX_VALUES = 16 };
enum quantity { COST, DATA, RESIDUAL };

struct example {
	const char *name;
	enum quantity quantity;
	int at; /* iteration of divergence; 0: never */
	const char *why;
	double value[MAX_VALUES]; /* ends with 0 */
};

static const struct example examples[] = {
	{ "falls", COST, 0, NULL, { 10, 9, 8, 7, 6, 5, 4 } },
	{ "the fifth rise", COST, 8, "the cost rose 5 times in a row, to 2.25 times its lowest", { 10, 5, 4, 5, 6, 7, 8, 9, 10 } },
	{ "four rises", COST, 0, NULL, { 10, 5, 4, 50, 60, 70, 80 } },
	{ "an equal value is no rise", COST, 12, "rose 5 times in a row", { 10, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13 - 1e-9, 14 } },
	{ "to one and a half of the lowest", COST, 0, NULL, { 10, 4, 4.2, 4.4, 4.6, 4.8, 6 } },
	{ "just beyond it", COST, 7, "to 1.5 times its lowest", { 10, 4, 4.2, 4.4, 4.6, 4.8, 6.0000001 } },
	{ "on the seventh rise only", COST, 9, "rose 7 times in a row", { 10, 4, 4.2, 4.4, 4.6, 4.8, 5, 5.9, 6.1 } },
	{ "a millionth of the first", COST, 0, NULL, { 1e6, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0999 } },
	{ "more than that", COST, 7, "to 11 times its lowest", { 1e6, 0.1, 0.2, 0.3, 0.4, 0.5, 1.1001 } },
	{ "infinite", COST, 3, "the cost is not finite", { 10, 9, INFINITY } },
	{ "the data term rises", DATA, 6, "the data term rose 5 times in a row, to 6 times its lowest", { 1, 2, 3, 4, 5, 6 } },
	{ "the data term is infinite", DATA, 2, "the data term is not finite", { 1, INFINITY } },
	{ "a hundred times the first residual", RESIDUAL, 0, NULL, { 1, 2, 10, 50, 90, 100 } },
	{ "beyond it", RESIDUAL, 7, "the residual rose 6 times in a row, to 100 times its lowest", { 1, 2, 10, 50, 90, 99.9, 100.1 } },
	{ "times the first, not the lowest", RESIDUAL, 0, NULL, { 10, 1, 2, 10, 50, 90, 900 } },
	{ "the residual is infinite", RESIDUAL, 1, "the residual is not finite", { INFINITY } },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static gt_progress progress_with(int iteration, const gt_array *x, enum quantity quantity, double value)
{
	gt_progress p;
	gt_progress_of(iteration, 100, x, &p);
	*(quantity == COST ? &p.cost : quantity == DATA ? &p.data : &p.residual) = value;
	if (quantity == COST)
		p.data = 1, p.residual = 1; /* ignored if there is a cost */
	return p;
}

GT_TESTS(rules, EXAMPLES)
{
	const struct example *e = &examples[_i];
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, VOXELS, 1);
	gt_divergence d;
	int at = 0;
	const char *why = NULL;
	gt_divergence_start(&d, x);
	for (int i = 1; i <= MAX_VALUES && e->value[i - 1] > 0 && !at; i++) {
		const gt_progress p = progress_with(i, x, e->quantity, e->value[i - 1]);
		why = gt_divergence_update(&d, &p);
		at = why ? i : 0;
	}
	ck_assert_msg(at == e->at, "%s: diverged at iteration %d (%s), expected %d", e->name, at, why ? why : "", e->at);
	ck_assert_msg(!e->why || strstr(why, e->why), "%s: '%s', expected '%s'", e->name, why, e->why);
	gt_divergence_free(&d);
	gt_array_free(x);
	gt_backend_close(be);
}

/* Rises of two different quantities are not added. */
GT_TEST(another_value_starts_anew)
{
	static const enum quantity order[] = { COST, COST, COST, COST, COST, DATA, DATA, DATA, DATA, DATA, DATA };
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F64, VOXELS, 1);
	gt_divergence d;
	gt_divergence_start(&d, x);
	for (int i = 1; i <= 11; i++) {
		const gt_progress p = progress_with(i, x, order[i - 1], 100 * i);
		const char *why = gt_divergence_update(&d, &p);
		ck_assert_msg(!why == (i < 11), "iteration %d: %s", i, why ? why : "nothing");
	}
	ck_assert_str_eq(d.why, "the data term rose 5 times in a row, to 1.83 times its lowest");
	gt_divergence_free(&d);
	gt_array_free(x);
	gt_backend_close(be);
}

GT_TEST(nothing_known_but_the_volume)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, VOXELS, 1);
	float host[VOXELS] = { 1, 2, NAN, 4, 5 };
	gt_divergence d;
	gt_progress p;
	gt_progress_of(1, 9, x, &p);
	gt_divergence_start(&d, x);
	ck_assert_ptr_null(gt_divergence_update(&d, &p));
	gt_array_put_float(host, x);
	ck_assert_str_eq(gt_divergence_update(&d, &p), "the volume is not finite");
	ck_assert(d.best_iteration == 0);
	gt_divergence_free(&d);
	gt_array_free(x);
	gt_backend_close(be);
}

/* The best image, if all voxels of iterate i are i. */
struct best {
	const char *name;
	enum quantity quantity;
	int before, partial; /* the value is of the previous iterate; summed over the subsets since then */
	int best;
	double value[MAX_VALUES];
};
static const struct best bests[] = {
	{ "the lowest", COST, 0, 0, 3, { 9, 7, 5, 6, 8 } },
	{ "the first of two equal", COST, 0, 0, 2, { 9, 5, 5, 6 } },
	{ "the iterate before", COST, 1, 0, 2, { 9, 7, 5, 6, 8 } },
	{ "the start", COST, 1, 0, 0, { 5, 7, 8 } },
	{ "the mean of two passes", COST, 1, 1, 2, { 10, 4, 4, 6, 7 } },
	{ "the mean, not the lower of them", COST, 1, 1, 3, { 10, 3, 6, 2, 7, 3 } },
	{ "one pass: the start", COST, 1, 1, 0, { 3 } },
	{ "the newest, of residuals", RESIDUAL, 0, 0, 5, { 1, 0.5, 3, 2, 90 } },
	{ "the newest before they are too large", RESIDUAL, 0, 0, 3, { 1, 0.5, 100, 101, 200 } },
};
enum { BESTS = sizeof bests / sizeof *bests };

GT_TESTS(best_image, BESTS)
{
	const struct best *e = &bests[_i];
	gt_backend *be = gt_test_backend();
	gt_array *x[2] = { gt_test_array(be, GT_F32, VOXELS, 1), gt_test_array(be, GT_F32, VOXELS, 1) };
	float host[VOXELS];
	gt_divergence d;
	gt_fill(0, x[0]);
	gt_divergence_start(&d, x[0]);
	for (int i = 1; i <= MAX_VALUES && e->value[i - 1] > 0; i++) {
		gt_fill(i, x[i % 2]);
		gt_progress p = progress_with(i, x[i % 2], e->quantity, e->value[i - 1]);
		p.cost_of = e->before ? x[1 - i % 2] : p.x;
		p.cost_is_partial = e->partial;
		gt_divergence_update(&d, &p);
	}
	gt_array_get_float(d.best, host);
	for (int v = 0; v < VOXELS; v++)
		ck_assert_msg(host[v] == (float)e->best, "%s: the best image is that of iteration %g, expected %d", e->name,
		              (double)host[v], e->best);
	ck_assert_msg(d.best_iteration == e->best, "%s: best_iteration is %g, expected %d", e->name, d.best_iteration, e->best);
	gt_divergence_free(&d);
	gt_array_free(x[0]);
	gt_array_free(x[1]);
	gt_backend_close(be);
}

/* Without memory for a second volume, the rules and the number of the best iteration are unchanged. */
GT_TEST(without_the_image)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, VOXELS, 1);
	gt_divergence d;
	gt_divergence_start(&d, x);
	gt_divergence_free(&d);
	ck_assert_ptr_null(d.best);
	for (int i = 1; i <= 6; i++) {
		const gt_progress p = progress_with(i, x, COST, i);
		ck_assert(!gt_divergence_update(&d, &p) == (i < 6));
	}
	ck_assert(d.best_iteration == 1);
	gt_array_free(x);
	gt_backend_close(be);
}

/* Names of the state entries in existing checkpoint files. */
GT_TEST(state)
{
	static const char *const names[] = { "best_iteration", "best_cost",    "lowest_cost", "last_cost",
		                             "first_cost",     "kind_of_cost", "rises",       "best_image" };
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, VOXELS, 1);
	gt_divergence d;
	gt_divergence_start(&d, x);
	for (int with_image = 0; with_image < 2; with_image++) {
		gt_state_entry list[GT_DIVERGENCE_STATE + 1];
		size_t n = 0;
		gt_divergence_list(&d, with_image, list);
		for (; list[n].name; n++) {
			ck_assert_str_eq(list[n].name, names[n]);
			ck_assert(n < 7 ? list[n].value && !list[n].array : !list[n].value && list[n].array == d.best);
		}
		ck_assert_uint_eq(n, with_image ? 8 : 7);
	}
	gt_divergence_free(&d);
	gt_array_free(x);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("divergence", NULL); }
