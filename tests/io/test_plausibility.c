/* Values that no detector can have measured as line integrals are counted, with their range, and told.
 * labels: unit  backend: none */
#include <math.h>
#include <string.h>
#include "io/plausibility.h"
#include "tests/support/support.h"

static void remember(void *self, const gt_message *m) { strncpy(self, m->text, 399); }

START_TEST(strange_values)
{
	const float fine[] = { 0, -3, 50, 7 }, strange[] = { 0, -3.1f, 50, 51, 60000, 2 };
	char said[400] = "";
	const gt_listener log = { remember, said };
	gt_value_range r = { 0 };
	gt_value_range_look(&r, fine, 4);
	gt_value_range_note(&log, "scan.nc", &r);
	ck_assert_str_eq(said, "");
	gt_value_range_look(&r, strange, 6);
	ck_assert(r.looked == 10 && r.strange == 3 && r.least == -3.1f && r.most == 60000);
	gt_value_range_look(&r, fine, 4);
	ck_assert(r.looked == 14 && r.strange == 3);
	gt_value_range_note(&log, "scan.nc", &r);
	ck_assert_msg(!strncmp(said, "scan.nc: 3 of 14 values, from -3.1 to 6e+04, are no line integrals", 66), "%s", said);
	gt_value_range_note(NULL, "scan.nc", &r);
}
END_TEST

static void fill_suite(TCase *tc) { tcase_add_test(tc, strange_values); }

int main(void) { return gt_test_main("plausibility", fill_suite); }
