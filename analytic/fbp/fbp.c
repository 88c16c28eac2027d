/* fbp: parallel beams (Kak, Slaney, Principles of Computerized Tomographic Imaging, 1988, ch. 3). Memory: as run.c
 * says. */
#include "analytic/fbp/fbp.h"

static gt_status check(const gt_scan *scan)
{
	if (scan->shape != GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "fbp is for parallel beams and this scan has a cone or fan beam on a detector of shape %s: use fdk",
		               gt_shape_names[scan->shape]);
	/* Without a pitch, heights that differ are shifts of the detector: the table of views holds them. */
	if (scan->pitch_per_turn != 0 && gt_scan_is_helical(scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "fbp is for circular scans and this one is helical (pitch_per_turn=%g mm): use wfbp",
		               scan->pitch_per_turn);
	return GT_OK;
}

static gt_status takes(const gt_scan *scan)
{
	const gt_status st = check(scan);
	return st != GT_OK ? st : gt_fbp_takes("fbp", scan);
}

static gt_status run(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options, const gt_array *data, gt_array *x,
                     gt_analytic_times *times)
{
	const gt_status st = check(scan);
	return st != GT_OK ? st : gt_fbp_run("fbp", be, grid, scan, options, data, x, times);
}

const gt_analytic gt_analytic_fbp = {
	"fbp",
	"filtered backprojection of parallel-beam scans over half a turn or more",
	gt_fbp_params,
	&gt_fbp_defaults,
	sizeof(gt_fbp_options),
	run,
	NULL,
	check,
	takes,
};
