/* TIGRE's geometry (Biguri et al., Biomed. Phys. Eng. Express 2 (2016) 055010). In the frame of a view x points to the
 * source:
 *   source (DSO, 0, 0), panel (-(DSD - DSO), offset u, offset v), columns along y, rows along z,
 * all shifted by COR along y. D = Rz(rotation 2) Ry(rotation 1) Rx(rotation 0) rotates the axes, and
 * Rz(alpha) Ry(beta) Rz(psi) the frame. */
#include <math.h>
#include <stdlib.h>
#include "geometry/exchange/exchange.h"

static void place(const gt_tigre_orbit *o, size_t v, double far, gt_step_view *w)
{
	const double source[3] = { o->parallel ? far : o->dso, o->cor[v], 0 };
	const double panel[3] = { o->parallel ? -far : o->dso - o->dsd, o->offset[v][0] + o->cor[v], o->offset[v][1] };
	const double column[3] = { 0, o->pitch[0], 0 }, row[3] = { 0, 0, o->pitch[1] };
	double a[9], b[9], c[9], part[9], frame[9], axes[9];
	gt_mat3_turn(2, o->angle[v][0], a);
	gt_mat3_turn(1, o->angle[v][1], b);
	gt_mat3_turn(2, o->angle[v][2], c);
	gt_mat3_product(a, b, part);
	gt_mat3_product(part, c, frame);
	gt_mat3_turn(2, o->rotation[v][2], a);
	gt_mat3_turn(1, o->rotation[v][1], b);
	gt_mat3_turn(0, o->rotation[v][0], c);
	gt_mat3_product(a, b, part);
	gt_mat3_product(part, c, a);
	gt_mat3_product(frame, a, axes);
	gt_mat3_apply(frame, source, w->source);
	gt_mat3_apply(frame, panel, w->panel);
	gt_mat3_apply(axes, column, w->column_step);
	gt_mat3_apply(axes, row, w->row_step);
	/* Parallel rays run along x of the frame, from the centre of the panel. */
	const double back[3] = { 2 * far, 0, 0 };
	if (o->parallel) {
		gt_mat3_apply(frame, back, w->source);
		for (int i = 0; i < 3; i++)
			w->source[i] += w->panel[i];
	}
}

gt_status gt_scan_of_tigre(const gt_tigre_orbit *o, const gt_scan_size3 *size, gt_scan **scan)
{
	const double center[2] = { ((double)size->columns - 1) / 2, ((double)size->rows - 1) / 2 };
	const double far = 2 * ((double)size->columns * o->pitch[0] + (double)size->rows * o->pitch[1]);
	gt_step_view *view = calloc(size->views ? size->views : 1, sizeof *view);
	gt_status st = view ? GT_OK : gt_fail(GT_ERR_MEMORY, "geometry of %zu views: out of memory", size->views);
	*scan = NULL;
	for (size_t v = 0; v < size->views && st == GT_OK; v++)
		place(o, v, far, &view[v]);
	if (st == GT_OK)
		st = gt_scan_of_steps(o->parallel ? GT_PARALLEL : GT_FLAT, size, center, view, scan);
	free(view);
	return st;
}
