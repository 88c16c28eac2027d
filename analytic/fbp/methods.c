/* fdk for cone and fan beams, fbp for parallel beams: one filtered backprojection with different checks of the scan. */
#include "analytic/fbp/fbp.h"

/* Rows are interpolated between columns: a single column has no width. */
static gt_status check_columns(const char *who, const gt_scan *scan)
{
	return scan->columns > 1
	               ? GT_OK
	               : gt_fail(GT_ERR_UNSUPPORTED,
	                         "%s interpolates between columns and this detector has 1: expected at least 2; use an iterative solver",
	                         who);
}

static gt_status check_fdk(const gt_scan *scan)
{
	if (scan->shape == GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED, "fdk is for cone and fan beams and this scan is parallel: use fbp");
	if (gt_scan_is_helical(scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "fdk is for circular scans and this one is helical (pitch_per_turn=%g mm): use wfbp",
		               scan->pitch_per_turn);
	return check_columns("fdk", scan);
}

static gt_status check_fbp(const gt_scan *scan)
{
	if (scan->shape != GT_PARALLEL)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "fbp is for parallel beams and this scan has a cone or fan beam on a detector of shape %s: use fdk",
		               gt_shape_names[scan->shape]);
	/* Without a pitch, different heights are shifts of the detector, which the table of views holds. */
	if (scan->pitch_per_turn != 0 && gt_scan_is_helical(scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "fbp is for circular scans and this one is helical (pitch_per_turn=%g mm): use wfbp",
		               scan->pitch_per_turn);
	return check_columns("fbp", scan);
}

#define METHOD(id, text)                                                                                                               \
	static gt_status supports_##id(const gt_scan *scan)                                                                            \
	{                                                                                                                              \
		const gt_status st = check_##id(scan);                                                                                 \
		return st != GT_OK ? st : gt_fbp_supports(#id, scan);                                                                  \
	}                                                                                                                              \
	static gt_status run_##id(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options, const gt_array *data, \
	                          gt_array *x, gt_analytic_times *times)                                                               \
	{                                                                                                                              \
		const gt_status st = check_##id(scan);                                                                                 \
		return st != GT_OK ? st : gt_fbp_run(#id, be, grid, scan, options, data, x, times);                                    \
	}                                                                                                                              \
	const gt_analytic gt_analytic_##id = { .name = #id,                                                                            \
		                               .about = text,                                                                          \
		                               .params = gt_fbp_params,                                                                \
		                               .defaults = &gt_fbp_defaults,                                                           \
		                               .options_size = sizeof(gt_fbp_options),                                                 \
		                               .run = run_##id,                                                                        \
		                               .check = check_##id,                                                                    \
		                               .supports = supports_##id };

METHOD(fdk, "filtered backprojection of circular cone-beam and fan-beam scans (Feldkamp, Davis, Kress), full or short")
METHOD(fbp, "filtered backprojection of parallel-beam scans over at least 180 degrees")
