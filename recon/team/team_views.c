/* Views of a helix by work: those near its ends see fewer slices of the grid than those in its centre. */
#include <math.h>
#include "recon/team/team_split.h"

/* Work of a view beside that on slices, as a fraction of the work on the most slices that a view sees. */
static const double constant = 0.5;

size_t gt_views_with(const gt_grid *grid, const gt_scan *scan, double part)
{
	double all = 0, most = 0, done = 0;
	size_t n = 0;
	for (size_t v = 0; v < scan->views; v++) {
		const double height = gt_model_height(grid, scan, &scan->view[v]);
		all += height;
		most = fmax(most, height);
	}
	const double least = most > 0 ? constant * most : 1;
	all += least * (double)scan->views;
	for (; n < scan->views && part < 1; n++) {
		const double work = least + gt_model_height(grid, scan, &scan->view[n]);
		if (done + work / 2 > all * part)
			return n;
		done += work;
	}
	return scan->views;
}

/* Load of the ranks before this one, from 0 to 1. */
static double load_before(const gt_backend *be, int rank)
{
	const size_t fine = (size_t)1 << 30;
	return rank < gt_ranks(be) ? (double)gt_team_range(be, rank, fine).first / (double)fine : 1;
}

gt_range gt_team_views(const gt_split_spec *s, const gt_backend *be, int rank, const gt_grid *grid, const gt_scan *scan)
{
	if (s->slabs > 1 || gt_ranks(be) == 1 || scan->shape == GT_PARALLEL || !gt_scan_is_helical(scan))
		return gt_team_range(be, rank, scan->views);
	const size_t begin = gt_views_with(grid, scan, load_before(be, rank)), end = gt_views_with(grid, scan, load_before(be, rank + 1));
	return (gt_range){ begin, end - begin };
}
