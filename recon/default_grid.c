/* The grid of a reconstruction where none is asked for. */
#include <math.h>
#include <gantry/analytic.h>
#include <gantry/recon.h>

gt_status gt_recon_default_grid(const gt_scan *scan, gt_grid *grid, size_t *below, size_t *above)
{
	const gt_analytic *m = gt_analytic_for(scan);
	gt_analytic_coverage s;
	size_t unasked[2];
	below = below ? below : &unasked[0];
	above = above ? above : &unasked[1];
	*below = *above = 0;
	const gt_status st = gt_grid_default(scan, grid);
	if (st != GT_OK || !gt_scan_is_helical(scan) || !m->coverage || m->coverage(grid, scan, &s) != GT_OK || s.first == s.end)
		return st;
	*below = s.first;
	*above = grid->n[2] - s.end;
	grid->center[2] += ((double)*below - (double)*above) / 2 * grid->pitch[2];
	grid->n[2] = s.end - s.first;
	if (fabs(grid->center[2]) < 1e-9 * grid->pitch[2])
		grid->center[2] = 0;
	return GT_OK;
}
