/* Failure messages: prefixed contexts, and truncation of long ones.
 * labels: unit backend: none */
#include <stdlib.h>
#include <string.h>
#include <gantry/status.h>
#include "tests/support/support.h"

GT_TEST(contexts)
{
	ck_assert_int_eq(gt_fail_in(gt_fail(GT_ERR_IO, "no %s", "space"), "%s", "a.nc"), GT_ERR_IO);
	ck_assert_str_eq(gt_error(), "a.nc: no space");
	ck_assert_int_eq(gt_fail_in(GT_OK, "b"), GT_OK);
	ck_assert_str_eq(gt_error(), "a.nc: no space");
	/* the arguments may be the message itself */
	gt_fail(GT_ERR_IO, "%s, %s", gt_error(), gt_error());
	ck_assert_str_eq(gt_error(), "a.nc: no space, a.nc: no space");
}

/* A path of 6000 characters hides neither the beginning nor the reason. */
GT_TEST(long_paths)
{
	char *path = malloc(6001);
	memset(path, 'x', 6000);
	path[6000] = 0;
	memcpy(path, "/begins", 7);
	gt_fail(GT_ERR_IO, "%s: Permission denied", path);
	ck_assert_uint_eq(strlen(gt_error()), 511);
	ck_assert(!strncmp(gt_error(), "/beginsxxx", 10));
	ck_assert_str_eq(gt_error() + 511 - 19, ": Permission denied");
	gt_fail_in(gt_fail(GT_ERR_IO, "Permission denied"), "%s", path);
	ck_assert_ptr_nonnull(strstr(gt_error(), "Permission denied"));
	free(path);
}

int main(void) { return gt_test_main("status", NULL); }
