/* Stores host numbers of a run in a device array by a queued fill. */
#include "core/device/backend.h"
#include "solvers/numbers.h"

void gt_number_put(gt_array *numbers, size_t at, double value)
{
	gt_array *part = NULL;
	const gt_status st = gt_array_part(numbers, at, 1, &part);
	if (st == GT_OK)
		gt_fill(value, part);
	else
		gt_backend_fail(gt_array_backend(numbers), st);
	gt_array_free(part);
}
