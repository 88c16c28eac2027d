/* Parameter tables: every kind, every refusal, and the way back to text.
 * labels: unit  backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/params.h>
#include "tests/support/support.h"

struct options {
	int count, order, flag;
	double size, delta;
};
static const char *const orders[] = { "first", "second", NULL };
static const gt_param table[] = {
	{ .key = "count", .help = "a number", .kind = GT_INT, .at = offsetof(struct options, count), .min = 0, .max = 10 },
	{ .key = "size", .help = "a length", .kind = GT_REAL, .at = offsetof(struct options, size), .min = -1, .max = 1 },
	{ .key = "delta", .help = "a contrast", .kind = GT_MU, .at = offsetof(struct options, delta), .min = 0, .max = 1 },
	{ .key = "order", .help = "which", .kind = GT_CHOICE, .at = offsetof(struct options, order), .names = orders },
	{ .key = "flag", .help = "or not", .kind = GT_FLAG, .at = offsetof(struct options, flag) },
	{ .key = NULL },
};

GT_TEST(all_kinds)
{
	struct options o = { 1, 0, 0, 0.5, 0 };
	char text[100];
	ck_ok(gt_params_parse(table, "count=7,order=second,flag,size=-2.5e-1,delta=25HU", &o));
	ck_assert(o.count == 7 && o.order == 1 && o.flag == 1 && o.size == -0.25 && fabs(o.delta - 5e-4) < 1e-18);
	ck_assert_int_eq(gt_params_print(table, &o, text, sizeof text), (int)strlen(text));
	ck_assert_str_eq(text, "count=7,size=-0.25,delta=0.0005,order=second,flag=yes");
	ck_ok(gt_params_parse(table, "flag=no,delta=3e-4mm-1", &o));
	ck_assert(o.delta == 3e-4);
	ck_ok(gt_params_parse(table, NULL, &o));
	ck_ok(gt_params_parse(table, "", &o));
	ck_assert(o.count == 7 && o.flag == 0);
	ck_assert_int_eq(gt_params_print(table, &o, text, 5), 52);
	ck_assert_str_eq(text, "coun");
}

GT_TEST(refusals)
{
	struct options o = { 1, 0, 0, 0.5, 0 };
	ck_refused(gt_params_parse(table, "count=11", &o), GT_ERR_ARG, "count=11: expected a whole number from 0 to 10");
	ck_refused(gt_params_parse(table, "count=1.5", &o), GT_ERR_ARG, "count=1.5");
	ck_refused(gt_params_parse(table, "count=", &o), GT_ERR_ARG, "count=");
	ck_refused(gt_params_parse(table, "count", &o), GT_ERR_ARG, "count=VALUE");
	ck_refused(gt_params_parse(table, "count=99999999999999999999", &o), GT_ERR_ARG, "count=99999999999999999999");
	ck_refused(gt_params_parse(table, "size=nan", &o), GT_ERR_ARG, "size=nan");
	ck_refused(gt_params_parse(table, "size=1x", &o), GT_ERR_ARG, "size=1x");
	ck_refused(gt_params_parse(table, "delta=5hu", &o), GT_ERR_ARG,
	           "delta=5hu: expected a number of HU as in 10HU, or of mm^-1 as in 2e-4mm-1");
	ck_refused(gt_params_parse(table, "delta=-5HU", &o), GT_ERR_ARG, "delta=-5HU");
	ck_refused(gt_params_parse(table, "order=third", &o), GT_ERR_ARG, "expected one of first, second");
	ck_refused(gt_params_parse(table, "flag=maybe", &o), GT_ERR_ARG, "expected yes or no");
	ck_refused(gt_params_parse(table, "colour=red", &o), GT_ERR_ARG, "(there are: count, size, delta, order, flag)");
	ck_refused(gt_params_parse(table, "count=2,,size=0", &o), GT_ERR_ARG, "unknown parameter ''");
	ck_refused(gt_params_parse(table, "siez=1", &o), GT_ERR_ARG, "unknown parameter 'siez': did you mean 'size'?");
	ck_refused(gt_params_parse(table, "count=2,flag,count=3", &o), GT_ERR_ARG, "count=2 and count=3: the parameter is given twice");
	ck_refused(gt_params_parse(table, "count=2,", &o), GT_ERR_ARG, "count=2,: ends with a comma");
	ck_refused(gt_params_parse(NULL, "count=2", &o), GT_ERR_ARG, "there are none here");
}

GT_TEST(new_options)
{
	const struct options defaults = { 3, 1, 0, 0.25, 0 };
	void *made = NULL;
	ck_ok(gt_params_new(table, "count=5", &defaults, sizeof defaults, &made));
	const struct options *o = made;
	ck_assert(o->count == 5 && o->order == 1 && o->size == 0.25);
	free(made);
	ck_refused(gt_params_new(table, "count=50", &defaults, sizeof defaults, &made), GT_ERR_ARG, "count=50");
	ck_assert_ptr_null(made);
	ck_ok(gt_params_new(NULL, NULL, NULL, 0, &made));
	ck_assert_ptr_null(made);
}

GT_TEST(context_of_messages)
{
	gt_fail(GT_ERR_ARG, "inner %d", 1);
	gt_fail_in(GT_ERR_ARG, "outer %s", "x");
	ck_assert_str_eq(gt_error(), "outer x: inner 1");
	gt_fail(GT_ERR_ARG, "again: %s", gt_error());
	ck_assert_str_eq(gt_error(), "again: outer x: inner 1");
	for (int i = 0; i < 100; i++)
		gt_fail_in(GT_ERR_ARG, "one of many contexts");
	ck_assert_uint_lt(strlen(gt_error()), 512);
}

int main(void) { return gt_test_main("params", NULL); }
