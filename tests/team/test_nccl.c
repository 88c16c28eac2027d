/* GPUs of several processes without a usable NCCL: the message names the missing part and the rank. No GPU is
 * needed. Each test runs in its own process, because the result is cached.
 * labels: unit; backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "team/nccl.h"
#include "team/remote.h"
#include "tests/support/support.h"

/* Unusable values of GANTRY_NCCL and their messages; checked twice, like by two teams. */
static const struct {
	const char *library, *says;
} missing[] = { { "/no/such/libnccl.so.2", "NCCL cannot be opened (/no/such/libnccl.so.2: cannot open shared object file" },
	        { "no", "GANTRY_NCCL=no" },
	        { "libm.so.6", "NCCL has no ncclGetVersion" },
	        { __FILE__, "NCCL cannot be opened (" } };

GT_TESTS(what_is_missing_is_named, (int)(sizeof missing / sizeof *missing))
{
	const gt_nccl *n = NULL;
	setenv("GANTRY_NCCL", missing[_i].library, 1);
	for (int k = 0; k < 2; k++)
		ck_refused(gt_nccl_open(&n), GT_ERR_UNSUPPORTED, missing[_i].says);
}

static struct gt_remote_report report_of(const char *host, const char *device)
{
	struct gt_remote_report s = { .can = 1, .version = 22809 };
	snprintf(s.host, sizeof s.host, "%s", host);
	snprintf(s.device, sizeof s.device, "%s", device);
	return s;
}

GT_TEST(ranks_agree_collectively)
{
	struct gt_remote_report all[3] = { report_of("a", "0000:17:00.0"), report_of("a", "0000:65:00.0"), report_of("b", "0000:17:00.0") };
	char why[GT_REMOTE_REASON] = "?";
	ck_assert_int_eq(gt_remote_can(all, 3, why), 1);
	ck_assert_str_eq(why, "");
	all[2] = report_of("a", "0000:17:00.0");
	ck_assert_int_eq(gt_remote_can(all, 3, why), 0);
	ck_assert_str_eq(why, "ranks 0 and 2 share a device (0000:17:00.0 of a)");
	all[2] = report_of("b", "");
	all[2].can = 0;
	snprintf(all[2].why, sizeof all[2].why, "NCCL cannot be opened (libnccl.so.2: cannot open shared object file)");
	ck_assert_int_eq(gt_remote_can(all, 3, why), 0);
	ck_assert_str_eq(why, "rank 2 (b): NCCL cannot be opened (libnccl.so.2: cannot open shared object file)");
}

int main(void) { return gt_test_main("nccl", NULL); }
