/* Allocation on a failed device reports the device failure, not a full memory.
 * labels: unit, backend: none */
#include <string.h>
#include <gantry/array.h>
#include "core/device/backend.h"
#include "tests/support/support.h"

static int known; /* whether the failure is reported at the allocation */

static void *none(gt_backend *be, size_t bytes)
{
	(void)bytes;
	if (known)
		be->ops->wait(be);
	return NULL;
}
static void no_answer(gt_backend *be, size_t *available, size_t *total)
{
	(void)be;
	*available = *total = 0;
}
static void full(gt_backend *be, size_t *available, size_t *total)
{
	(void)be;
	*available = 0;
	*total = 1 << 20;
}
static void fails_on_wait(gt_backend *be)
{
	gt_fail(GT_ERR_DEVICE, "queue: a kernel read what is not there");
	gt_backend_fail(be, GT_ERR_DEVICE);
}

static void with(struct gt_backend_ops *ops, gt_status expected, const char *text)
{
	gt_backend *be = NULL;
	gt_array *a = NULL;
	ck_ok(gt_backend_open("cpu:1", &be));
	const struct gt_backend_ops *own = be->ops;
	memcpy(ops, own, sizeof *ops);
	ops->alloc = none;
	ops->memory = expected == GT_ERR_DEVICE ? no_answer : full;
	if (expected == GT_ERR_DEVICE)
		ops->wait = fails_on_wait;
	be->ops = ops;
	ck_refused(gt_array_new(be, GT_F32, 7, &a), expected, text);
	ck_assert_ptr_null(a);
	be->ops = own;
	ck_assert_int_eq(gt_backend_status(be), expected == GT_ERR_DEVICE ? GT_ERR_DEVICE : GT_OK);
	gt_backend_close(be);
}

GT_TESTS(the_failure_is_told, 2)
{
	struct gt_backend_ops ops;
	known = _i;
	with(&ops, GT_ERR_DEVICE, "array of 7 floats: queue: a kernel read what is not there");
}

GT_TEST(a_full_device_is_full)
{
	struct gt_backend_ops ops;
	known = 0;
	with(&ops, GT_ERR_MEMORY, "0 bytes of 1 MiB are free");
}

int main(void) { return gt_test_main("a device that failed", NULL); }
