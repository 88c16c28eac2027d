/* fdk: cone and fan beams (Feldkamp, Davis, Kress, JOSA A 1 (1984) 612). Memory: as run.c says. */
#include "analytic/fbp/fbp.h"

static gt_status check(const gt_scan *scan)
{
	if (scan->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED, "fdk is for cone and fan beams and this scan is parallel: use fbp");
	if (gt_scan_is_helical(scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "fdk is for circular scans and this one is helical (pitch_per_turn=%g mm): use wfbp",
		               scan->pitch_per_turn);
	return GT_OK;
}

static gt_status takes(const gt_scan *scan)
{
	const gt_status st = check(scan);
	return st != GT_OK ? st : gt_fbp_takes("fdk", scan);
}

static gt_status run(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options, const gt_array *data, gt_array *x,
                     gt_analytic_times *times)
{
	const gt_status st = check(scan);
	return st != GT_OK ? st : gt_fbp_run("fdk", be, grid, scan, options, data, x, times);
}

const gt_analytic gt_analytic_fdk = {
	"fdk",
	"filtered backprojection of circular cone-beam and fan-beam scans (Feldkamp, Davis, Kress), full or short",
	gt_fbp_params,
	&gt_fbp_defaults,
	sizeof(gt_fbp_options),
	run,
	NULL,
	check,
	takes,
};
