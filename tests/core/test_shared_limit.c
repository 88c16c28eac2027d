/* The limit of shared memory in the name of a GPU: parsing, refusals and its device.
 * labels: unit, backend: none */
#include <stdio.h>
#include <string.h>
#include "core/device/shared_limit.h"
#include "recon/job.h"
#include "team/team.h"
#include "tests/support/support.h"

GT_TESTS(names, 6)
{
	static const struct {
		const char *arg, *device;
		int bytes;
	} of[] = { { "", "", 0 },
		   { "0", "0", 0 },
		   { "13", "13", 0 },
		   { "0,shared=48KiB", "0", 49152 },
		   { "1,shared=101376", "1", 101376 },
		   { ",shared=16KiB", "", 16384 } };
	char device[16];
	int bytes = -1;
	ck_ok(gt_shared_limit_read(of[_i].arg, device, &bytes));
	ck_assert_str_eq(device, of[_i].device);
	ck_assert_int_eq(bytes, of[_i].bytes);
}

GT_TESTS(refusals, 9)
{
	static const char *const wrong[] = { "0,shared=",       "0,shared=KiB",   "0,shared=48MiB",   "0,shared=48 KiB",
		                             "0,shared=-48KiB", "0,shared=15KiB", "0,shared=1025KiB", "0,shared=99999999999999999999KiB",
		                             "0,shared=48KiB,1" };
	char device[16];
	int bytes;
	ck_refused(gt_shared_limit_read(wrong[_i], device, &bytes), GT_ERR_ARG, "expected shared=BYTES or shared=NKiB, of 16 to 1024 KiB");
	ck_assert_msg(strstr(gt_error(), wrong[_i]) != NULL, "%s", gt_error());
}

GT_TEST(of_one_device)
{
	gt_shared_limit_set(1, 49152);
	ck_assert_int_eq(gt_shared_limit(0, 232448), 232448);
	ck_assert_int_eq(gt_shared_limit(1, 232448), 49152);
	ck_assert_int_eq(gt_shared_limit(1, 40000), 40000);
	gt_shared_limit_set(1, 0);
	ck_assert_int_eq(gt_shared_limit(1, 232448), 232448);
	gt_shared_limit_set(-1, 1);
	gt_shared_limit_set(1 << 20, 1);
	ck_assert_int_eq(gt_shared_limit(1 << 20, 7), 7);
}

/* A comma also separates the devices of a team. */
GT_TEST(no_team)
{
	ck_assert(!gt_team_is_spec("cuda:0,shared=48KiB"));
	ck_assert(gt_team_is_spec("cuda:0,1"));
}

/* As projectors choose: with 48 KiB of an H200's 227, and without a limit. Each kernel is noted once. */
GT_TEST(unsuitable_kernels_are_noted_once)
{
	const int all = 232448;
	gt_shared_left_forget();
	ck_assert(gt_shared_suffices("dd back", 75264, gt_shared_limit(0, all)));
	ck_assert_str_eq(gt_shared_left(), "");
	gt_shared_limit_set(0, 49152);
	ck_assert(gt_shared_suffices("sf back", 49152, gt_shared_limit(0, all)));
	for (int k = 0; k < 3; k++) {
		ck_assert(!gt_shared_suffices("dd back", 75264, gt_shared_limit(0, all)));
		ck_assert(!gt_shared_suffices("dd forward", 49153, gt_shared_limit(0, all)));
	}
	ck_assert(!gt_shared_suffices("dd", 1, 0));
	ck_assert_str_eq(gt_shared_left(), "dd back needs 73.5 KiB of 48; dd forward needs 48 KiB of 48; dd needs 0.000977 KiB of 0");
	for (int k = 0; k < 50; k++) {
		char name[16];
		snprintf(name, sizeof name, "kernel %d", k);
		ck_assert(!gt_shared_suffices(name, 100000, gt_shared_limit(0, all))); /* more names than fit */
	}
	ck_assert_uint_lt(strlen(gt_shared_left()), 512);
	gt_shared_left_forget();
	ck_assert_str_eq(gt_shared_left(), "");
	gt_shared_limit_set(0, 0);
}

static void heard(void *self, const gt_message *m)
{
	char *all = self;
	snprintf(all + strlen(all), 512 - strlen(all), "%s\n", m->text);
}

GT_TEST(a_run_says_it)
{
	char said[512] = "";
	const gt_listener log = { heard, said };
	gt_shared_left_forget();
	gt_recon_report_left(&log);
	ck_assert_str_eq(said, "");
	gt_shared_suffices("sf forward", 60000, 49152);
	gt_recon_report_left(&log);
	ck_assert_str_eq(said, "slower kernels run because a thread block has too little shared memory: sf forward needs 58.6 KiB of 48\n");
	gt_shared_left_forget();
}

int main(void) { return gt_test_main("limits of shared memory", NULL); }
