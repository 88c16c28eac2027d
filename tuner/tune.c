/* gt_tune_try() evaluates one variant; gt_tune_ready() checks the requirements of tuning. */
#include <string.h>
#include "core/device/shared_limit.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "tuner/check.h"
#include "tuner/kernels.h"
#include "tuner/tune.h"
#include "tuner/tuner.h"

void gt_tune_defaults(gt_tune_options *o)
{
	memset(o, 0, sizeof *o);
	o->size = sizeof *o;
	o->kernel = "dd-forward";
	o->backend = "cuda:0";
	o->strategy = "climb";
	o->seed = 1;
	o->limit = 30;
}

gt_status gt_tune_ready(const gt_tune_options *o)
{
	if (o->size != sizeof *o || !o->scan || !o->grid || !o->kernel || !o->backend)
		return gt_fail(GT_ERR_ARG, "tuning: expected a kernel, a backend, a scan and a grid, after gt_tune_defaults()");
	const gt_tunable *k;
	char device[16];
	int shared;
	gt_status st = gt_tunable_find(o->kernel, &k);
	if (st != GT_OK)
		return st;
	if (!strncmp(o->backend, "cuda:", 5) && (st = gt_shared_limit_read(o->backend + 5, device, &shared)) != GT_OK)
		return st;
	/* Must not touch the device: children of fork() could not use it afterwards. */
	if (!k->at_run_time && gt_variant_no_compiler())
		return gt_fail(GT_ERR_UNSUPPORTED, "%s", gt_variant_no_compiler());
	return GT_OK;
}

gt_status gt_tune_try(const gt_tune_options *o, const char *variant, gt_tune_evaluation *t)
{
	gt_check *check = NULL;
	gt_child *child = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_tune_ready(o));
	GT_TRY(gt_check_new(o, &check));
	gt_check_pairs(check, 12);
	GT_TRY(gt_child_new(gt_check_try, check, o->limit, GT_TUNE_START, &child));
	gt_child_try(child, variant, t);
done:
	gt_child_free(child);
	gt_check_free(check);
	return st;
}
