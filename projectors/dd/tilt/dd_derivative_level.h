#ifndef GT_PROJECTORS_DD_TILT_DD_DERIVATIVE_LEVEL_H
#define GT_PROJECTORS_DD_TILT_DD_DERIVATIVE_LEVEL_H
/* Transpose of the derivative for level strips, in single precision. Their edges run along z, and their pieces have
 * equal heights. A strip visits the voxels of a slice from below, GT_DD_HEIGHTS at a time. Between two heights it reads
 * one pixel and the sum of those below. T is the position in pixels above piece p.l. The part f of the pixel y is below
 * the border, and A is the integral over the strip's voxels at each height. Then
 *
 *   B = the difference of (sum below + f y) between two borders,   q = (A below - A above) y,
 *
 *   sum of y (A(T_b) - A(T_a)) = - sum of q,   TURN = - sum of q T,   TURN_2 = - Q sum of q (T^2 + f (1 - f)),
 *
 * because the sums over the edges between two borders telescope. Sums by height are sums of running sums. */
#include "projectors/dd/tilt/dd_derivative.h"

enum { GT_DD_HEIGHTS = 64 };
#ifdef __CUDA_ARCH__
#define GT_DD_UNROLL_SOME _Pragma("unroll 8")
#define GT_DD_ANY(condition) __any_sync(__activemask(), condition)
#else
#define GT_DD_UNROLL_SOME
#define GT_DD_ANY(condition) (condition)
#endif

/* A pixel times its weight, and the sum of those below in its strip. */
struct __attribute__((aligned(8))) gt_dd_level_pixel { float below, value; };

/* The strip in a slice. */
struct gt_dd_gather {
	const float *low, *high, *middle;     /* voxels at its edges and the first between, lowest height */
	float in_low, in_high, in_middle;     /* parts of them in the strip; 0 outside the volume */
	int middles, along, up;               /* voxels between the edges; to the next one and to the next height */
	long long at, step;                   /* lowest border in pixels of the strip, and the way to the next */
	const struct gt_dd_level_pixel *from; /* piece 0 */
	int row, pieces;                      /* bytes to the next piece; pieces -1 and `pieces` are 0 */
};

/* Voxels of one height. */
struct gt_dd_level { float low, high, sum; };

/* Sums of a slice, and their running sums. */
struct gt_dd_level_sums { float low[2], high[2], seen, edge[3], curve; };

/* Adds the border between two heights; before: the sum at the border below. */
GT_HD void gt_dd_add_border(const struct gt_dd_gather *g, const struct gt_dd_level *below, float above, float *before,
                            struct gt_dd_level_sums *s)
{
	int l;
	const float part = gt_dd_split_single(g->at, &l);
	l = l > -1 ? l < g->pieces ? l : g->pieces : -1;
	const struct gt_dd_level_pixel y = *(const struct gt_dd_level_pixel *)((const char *)g->from + (long long)l * g->row);
	const float sum = y.below + part * y.value, B = sum - *before, edge = (below->sum - above) * y.value;
	*before = sum;
	s->low[0] += below->low * B;
	s->low[1] += s->low[0];
	s->high[0] += below->high * B;
	s->high[1] += s->high[0];
	s->seen += below->sum * B;
	s->edge[0] += edge;
	s->edge[1] += s->edge[0];
	s->edge[2] += s->edge[1];
	s->curve += edge * (part - part * part);
}

/* wide: there may be several voxels between the edges. */
GT_HD void gt_dd_add_level(struct gt_dd_gather g, int wide, int heights, struct gt_dd_level_sums *s)
{
	struct gt_dd_level below = { 0, 0, 0 };
	float before = 0;
	GT_DD_UNROLL_SOME
	for (int m = 0; m < heights; m++) {
		struct gt_dd_level v = { *g.low, *g.high, *g.middle };
		v.sum = v.low * g.in_low + (v.high * g.in_high + v.sum * g.in_middle);
		for (int i = 1; wide && i < g.middles; i++)
			v.sum += g.middle[i * g.along];
		gt_dd_add_border(&g, &below, v.sum, &before, s);
		below = v;
		g.low += g.up;
		g.high += g.up;
		g.middle += g.up;
		g.at += g.step;
	}
	gt_dd_add_border(&g, &below, 0, &before, s);
}

/* Heights [z, z + heights) of a strip in some of the slices, of which the next is n. */
struct gt_dd_level_column {
	long long low, high, low_step, high_step; /* edges in slice n, and the way to the next */
	const struct gt_dd_level_pixel *from;
	int row, z, heights, n, apart;
	float strip[GT_DD_SUMS];                  /* RISE times Q, TURN_2 over Q */
};

/* per: 1 / F. T: of the border after the last. over: height of the voxel after the last over Z of N = 0. */
GT_HD void gt_dd_end_level(const struct gt_dd_level_sums *s, float per, float R, float T, float step, float over,
                           struct gt_dd_level_column *c)
{
	const float factor = per * per;
	const float low = s->low[0], low_over = over * low - s->low[1];
	const float high = s->high[0], high_over = over * high - s->high[1];
	const float turn = T * s->edge[0] - step * s->edge[1];
	const float turn_2 = T * (turn - step * s->edge[1]) + step * step * (2 * s->edge[2] - s->edge[1]) + s->curve;
	c->strip[GT_DD_LOW] += per * low;
	c->strip[GT_DD_LOW + 1] += per * R * low;
	c->strip[GT_DD_CHANGE] += per * (high - low);
	c->strip[GT_DD_CHANGE + 1] += per * R * (high - low);
	c->strip[GT_DD_RISE] -= factor * s->edge[0];
	c->strip[GT_DD_RISE + 1] -= factor * R * s->edge[0];
	c->strip[GT_DD_TURN] -= factor * turn;
	c->strip[GT_DD_TURN + 1] -= factor * R * turn;
	c->strip[GT_DD_LOW_OVER] += per * low_over;
	c->strip[GT_DD_CHANGE_OVER] += per * (high_over - low_over);
	c->strip[GT_DD_TURN_2] -= per * turn_2;
	c->strip[GT_DD_BY_SCALE] += factor * s->seen;
}

/* Begins a column at slice n, whose slices are `apart` slices apart. */
GT_HD void gt_dd_set_column(const struct gt_dd_piece *p, int n, int apart, struct gt_dd_level_column *c)
{
	const gt_dd_tilt_slice f = gt_dd_tilt_slice_of(p->v, p->v->first), next = gt_dd_tilt_slice_of(p->v, p->v->first + 1);
	const double low = gt_dd_tilt_across(&f, &p->e[0]), high = gt_dd_tilt_across(&f, &p->e[1]);
	c->low_step = gt_dd_position_single(gt_dd_tilt_across(&next, &p->e[0]) - low);
	c->high_step = gt_dd_position_single(gt_dd_tilt_across(&next, &p->e[1]) - high);
	c->low = gt_dd_position_single(low - gt_dd_lowered_single()) + (n - p->v->first) * c->low_step;
	c->high = gt_dd_position_single(high - gt_dd_lowered_single()) + (n - p->v->first) * c->high_step;
	c->low_step *= apart;
	c->high_step *= apart;
	c->n = n;
	c->apart = apart;
	for (int s = 0; s < GT_DD_SUMS; s++)
		c->strip[s] = 0;
}

/* Adds slice c->n, and continues at the next. */
GT_HD void gt_dd_add_column(const gt_dd_tilt *d, const struct gt_dd_piece *p, const struct gt_dd_voxels *x, struct gt_dd_level_column *c)
{
	const gt_dd_pose *v = p->v;
	const int n = c->n, count = d->n[1 - v->axis];
	const gt_dd_tilt_slice f = gt_dd_tilt_slice_of(v, n);
	const double step = 1 / (f.scale * p->strip->Q), T = (c->z + gt_dd_lowered_single() - f.zero - f.scale * p->strip->N0) * step;
	const struct gt_dd_level_sums none = { { 0, 0 }, { 0, 0 }, 0, { 0, 0, 0 }, 0 };
	struct gt_dd_level_sums sums = none;
	struct gt_dd_climb_single at;
	struct gt_dd_gather g;
	gt_dd_place_single(c->low, c->high, count, &at);
	c->low += c->low_step;
	c->high += c->high_step;
	c->n += c->apart;
	if (at.low[0] >= (float)(count - at.start) || at.high[0] <= (float)-at.start || T > v->pieces + 1 || T + step * c->heights < -1)
		return;
	at.low[1] = at.high[1] = 0;
	const struct gt_dd_cells_single cells = gt_dd_cells_at_single(&at, 0);
	const float inside[2] = { (float)(cells.low >= 0 && cells.low < count), (float)(cells.high >= 0 && cells.high < count) };
	const float *line = (const float *)x->x + (ptrdiff_t)n * (ptrdiff_t)x->slice + (ptrdiff_t)c->z * (ptrdiff_t)x->up;
	const int last = count - 1, middle = cells.low < last ? cells.low + 1 : last;
	g.low = line + (cells.low > 0 ? cells.low < last ? cells.low : last : 0) * (ptrdiff_t)x->along;
	g.high = line + (cells.high > 0 ? cells.high < last ? cells.high : last : 0) * (ptrdiff_t)x->along;
	g.middle = line + middle * (ptrdiff_t)x->along;
	g.in_low = cells.in_low * inside[0];
	g.in_high = cells.in_high * inside[1];
	g.in_middle = (float)(cells.low + 1 < cells.to);
	g.middles = cells.to - cells.low - 1;
	g.along = (int)x->along;
	g.up = (int)x->up;
	g.at = gt_dd_position_single(T);
	g.step = gt_dd_position_single(step);
	g.from = c->from;
	g.row = c->row;
	g.pieces = v->pieces;
	if (GT_DD_ANY(g.middles > 1))
		gt_dd_add_level(g, 1, c->heights, &sums);
	else
		gt_dd_add_level(g, 0, c->heights, &sums);
	for (int i = 0; i < 2; i++) {
		sums.low[i] *= inside[0];
		sums.high[i] *= inside[1];
	}
	gt_dd_end_level(&sums, (float)(step * p->strip->Q), (float)(v->R0 + n * v->dR), (float)(T + step * (c->heights + 1) - p->l),
	                (float)step, (float)(c->z + c->heights + 0.5 - f.zero), c);
}

/* Sets the derivatives of a column by the scalars, without those of the weights. */
GT_HD void gt_dd_column_by(const struct gt_dd_piece *p, const struct gt_dd_level_column *c, double by[GT_DD_SCALARS])
{
	double strip[GT_DD_SUMS];
	for (int s = 0; s < GT_DD_SUMS; s++)
		strip[s] = (double)c->strip[s];
	strip[GT_DD_RISE] /= p->strip->Q;
	strip[GT_DD_RISE + 1] /= p->strip->Q;
	strip[GT_DD_TURN_2] *= p->strip->Q;
	gt_dd_run_by(p, strip, by);
}

/* Piece at the centre of heights [z, z + heights) in the central slice. */
GT_HD int gt_dd_middle_piece(const struct gt_dd_piece *p, int z, int heights)
{
	const gt_dd_tilt_slice f = gt_dd_tilt_slice_of(p->v, (p->v->first + p->v->end) / 2);
	const double T = ((z + 0.5 * heights - f.zero) / f.scale - p->strip->N0) / p->strip->Q;
	return (int)(T > 0 ? T < p->v->pieces ? T : p->v->pieces : 0);
}
#endif
