/* Suggestions for unknown names: letters replaced, missing, added and transposed; common beginnings.
 * labels: unit, backend: none */
#include <string.h>
#include "core/module.h"
#include "tests/support/support.h"

static const struct {
	const char *wanted, *best;
} cases[] = {
	{ "fkd", "fdk" }, { "hlep", "help" },        { "os-satr", "os-sart" }, { "os-sarg", "os-sart" }, { "ed", "red" },
	{ "FDK", "fdk" }, { "iters", "iterations" }, { "keeep", "keep" },      { "zzzz", NULL },         { "x", NULL },
};
static const char *const names[] = { "red", "fdk", "keep", "help", "sart", "os-sart", "iterations" };

GT_TESTS(nearest, sizeof cases / sizeof *cases)
{
	const char *best = NULL;
	size_t distance = (size_t)-1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		gt_nearer(cases[_i].wanted, names[i], &best, &distance);
	if (!cases[_i].best)
		ck_assert_msg(!best, "%s gave %s, expected no suggestion", cases[_i].wanted, best ? best : "");
	else
		ck_assert_msg(best && !strcmp(best, cases[_i].best), "%s gave %s, expected %s", cases[_i].wanted, best ? best : "none",
		              cases[_i].best);
}

int main(void) { return gt_test_main("suggest", NULL); }
