#ifndef GT_ANALYTIC_FBP_GATHER_LINES_H
#define GT_ANALYTIC_FBP_GATHER_LINES_H
/* Transpose of the backprojection for a tile of a filtered view with upright rows, in single precision. Shared by C
 * and CUDA. A column of voxels has one weight per detector column, and its slices are equidistant on the rows. So each
 * column of voxels is resampled to the rows once, and added to the two detector columns next to it. Positions are
 * computed in double and rounded relative to the centre of the tile. Cost per row of the tile and column of voxels: 3
 * voxels and 15 instructions, if the distance of slices is at least 2/3 of a row. */
#include "analytic/fbp/gather.h"

enum { GT_LINES_COLUMNS = 8, GT_LINES_ROWS = 128, GT_LINES_CENTER = GT_LINES_ROWS / 2 };
/* Zeros before and after each column of voxels in the copy of the volume: rows at its ends read 3 slices beyond. */
enum { GT_LINES_PAD = 3 };

/* Tile of samples: columns column ... column + GT_LINES_COLUMNS - 1, likewise rows. The copy of the volume is
 * [iy - y[0]][x][PAD + z + PAD] and holds iy = y[0] ... y[1] - 1. */
struct gt_lines {
	const struct gt_back_grid *grid;
	const struct gt_back_view *view;
	size_t column, row, y[2];
	int axis;             /* index along the planes: 0 x, 1 y */
	double left[3], right[3]; /* lines that bound the support of the tile */
};

/* A column of voxels that the tile sees. Row GT_LINES_CENTER + j of the tile lies at slice base + shift + j slices. */
struct gt_lines_pixel {
	float shift, slices, rows, left; /* rows: per slice; left, right: weights of detector columns */
	float right;
	unsigned which;     /* the columns which - 1 and which of the tile; plus GT_LINES_SPECIAL: not INSIDE, or with tails */
	long long at;       /* slice `base` in the copy of the volume */
	int base, half;     /* half: voxels that a row interpolates on either side of the nearest */
	int kind, tails;    /* tails: 1: slices lie beyond row 0, 2: beyond the last row */
	int seen[2], tail[2]; /* slices within the detector; first slice not below row 0, and first above the last row */
	float gap[2];       /* slices between them and their row */
	float ends[2];      /* limits of the slices that EDGE rows may read, from `base` */
};
enum { GT_LINES_SPECIAL = 16 };

enum { GT_LINES_BIAS = 1 << 12 };

/* Kinds: no row meets the volume; rows interpolate 3 slices, all within the copy; 3 slices; any number. */
enum { GT_LINES_NONE, GT_LINES_INSIDE, GT_LINES_EDGE, GT_LINES_ANY };

GT_HD float gt_lines_clamp(float x)
{
#ifdef __CUDA_ARCH__
	return __saturatef(x);
#else
	return fminf(fmaxf(x, 0.0f), 1.0f);
#endif
}

GT_HD void gt_lines_set(struct gt_lines *a, const struct gt_back_grid *g, const struct gt_back_view *w, size_t column, size_t row)
{
	double middle[3];
	a->grid = g;
	a->view = w;
	a->column = column;
	a->row = row;
	gt_gather_line(g->shape, w, (double)column - 1, a->left);
	gt_gather_line(g->shape, w, (double)column + GT_LINES_COLUMNS, a->right);
	gt_gather_line(g->shape, w, (double)column + 0.5 * GT_LINES_COLUMNS, middle);
	a->axis = fabs(middle[0]) * g->pitch[0] < fabs(middle[1]) * g->pitch[1];
}

/* Planes of the tile, across the axis. */
GT_HD void gt_lines_planes(const struct gt_lines *a, size_t *first, size_t *end)
{
	*first = a->axis ? 0 : a->y[0];
	*end = a->axis ? a->grid->n[0] : a->y[1];
}

/* Indices along the axis that the tile may see in a plane. */
GT_HD void gt_lines_range(const struct gt_lines *a, size_t plane, size_t *first, size_t *end)
{
	const struct gt_back_grid *g = a->grid;
	const double at = gt_gather_at(g, 1 - a->axis, (double)plane);
	const double ends[2] = { gt_gather_meet(g, a->view, a->left, a->axis, at), gt_gather_meet(g, a->view, a->right, a->axis, at) };
	gt_gather_hull(ends, 2, g->n[a->axis], first, end);
	if (a->axis) {
		*first = *first > a->y[0] ? *first : a->y[0];
		*end = *end < a->y[1] ? *end : a->y[1];
	}
}

GT_HD int gt_lines_int(double x) { return (int)fmin(fmax(x, -1073741824.0), 1073741824.0); }

/* Slices: row + z step. */
GT_HD void gt_lines_tails(const struct gt_lines *a, double row, double slices, struct gt_lines_pixel *p)
{
	const struct gt_back_grid *g = a->grid;
	const double low = -row * slices, high = ((double)g->rows - 1 - row) * slices;
	const int n = (int)g->n[2];
	size_t from = 0, to = g->n[2];
	p->tail[0] = gt_lines_int(ceil(low));
	p->tail[1] = gt_lines_int(floor(high) + 1);
	p->gap[0] = (float)(p->tail[0] - low);
	p->gap[1] = (float)(p->tail[1] - high);
	if (!g->clamp_rows)
		gt_back_slices(row, 1 / slices, g->rows, g->n[2], &from, &to);
	p->seen[0] = (int)from;
	p->seen[1] = (int)to;
	p->tails = (a->row == 0 && p->tail[0] > 0) + 2 * (a->row + GT_LINES_ROWS >= g->rows && p->tail[1] < n);
}

/* Returns 0 if no sample of the tile interpolates the column of voxels at index i of the plane. */
GT_HD int gt_lines_pixel(const struct gt_lines *a, size_t plane, size_t i, struct gt_lines_pixel *p)
{
	const struct gt_back_grid *g = a->grid;
	const struct gt_back_view *w = a->view;
	const size_t ix = a->axis ? plane : i, iy = a->axis ? i : plane;
	const double x = gt_gather_at(g, 0, (double)ix), y = gt_gather_at(g, 1, (double)iy);
	double column, lambda;
	if (gt_gather_masks(g, x, y) || !gt_back_column(g->shape, w, x, y, &column, &lambda) ||
	    !(column >= 0 && column <= (double)(g->wide - 1)))
		return 0;
	const double whole = floor(column), from = whole - (double)a->column + 1, part = column - whole;
	if (!(from >= 0 && from <= GT_LINES_COLUMNS))
		return 0;
	const double step = lambda * g->pitch[2] * w->per_row, slices = 1 / step;
	const double row = w->row0 + lambda * (g->first[2] - w->z0) * w->per_row;
	const double center = ((double)(a->row + GT_LINES_CENTER) - row) * slices, reach = (GT_LINES_CENTER + 1) * slices;
	p->left = (float)((1 - part) * lambda * lambda);
	p->right = (float)(part * lambda * lambda);
	p->slices = (float)slices;
	p->rows = (float)step;
	p->half = gt_lines_int(ceil(slices - 0.5 + 1e-3));
	p->base = gt_lines_int(floor(center));
	p->shift = (float)(center - p->base);
	p->at = (long long)(((iy - a->y[0]) * g->n[0] + ix) * (g->n[2] + 2 * GT_LINES_PAD) + GT_LINES_PAD) + p->base;
	p->ends[0] = (float)fmax(1.0 - GT_LINES_PAD - p->base, 1.0 - GT_LINES_BIAS);
	p->ends[1] = (float)fmin((double)g->n[2] - 2 + GT_LINES_PAD - p->base, GT_LINES_BIAS - 1.0);
	p->kind = p->half == 1 && reach < GT_LINES_BIAS - 2 ? GT_LINES_EDGE : GT_LINES_ANY;
	if (!(center + reach >= 0 && center - reach <= (double)g->n[2] - 1))
		p->kind = GT_LINES_NONE;
	else if (p->kind == GT_LINES_EDGE && center - reach >= 1 - GT_LINES_PAD && center + reach <= (double)g->n[2] - 2 + GT_LINES_PAD)
		p->kind = GT_LINES_INSIDE;
	gt_lines_tails(a, row, slices, p);
	p->which = (unsigned)from + (p->kind != GT_LINES_INSIDE || p->tails ? GT_LINES_SPECIAL : 0);
	return p->kind != GT_LINES_NONE || p->tails;
}

/* The address that gt_lines_nearest() counts from lies before slice `base` by this number. On the device the bits of
 * the sum are the index, without a mask. */
GT_HD long long gt_lines_origin(void)
{
#ifdef __CUDA_ARCH__
	return 0x4b000000 + GT_LINES_BIAS;
#else
	return GT_LINES_BIAS;
#endif
}

/* Nearest integer of |x| < 2^12; *n: its index from the origin, within ends[0] ... ends[1] if `edge`. */
GT_HD float gt_lines_nearest(float x, int edge, const float *ends, unsigned *n)
{
#ifdef __CUDA_ARCH__
	const float magic = 8388608.0f + GT_LINES_BIAS, sum = x + magic; /* its low bits are the integer */
	*n = __float_as_uint(edge ? fminf(fmaxf(sum, ends[0] + magic), ends[1] + magic) : sum);
	return sum - magic;
#else
	const float at = (float)lrintf(x);
	*n = (unsigned)((int)(edge ? fminf(fmaxf(at, ends[0]), ends[1]) : at) + GT_LINES_BIAS);
	return at;
#endif
}

/* Resamples the column of voxels to a position in slices from `base`: GT_LINES_INSIDE, or GT_LINES_EDGE if `edge`. Row
 * GT_LINES_CENTER + j of the tile lies at p->shift + j p->slices. origin: slice `base` - gt_lines_origin(). */
GT_HD float gt_lines_three(const struct gt_lines_pixel *p, const float *origin, int edge, float position)
{
	unsigned n;
	const float at = gt_lines_nearest(position, edge, p->ends, &n), distance = (position - at) * p->rows, beside = 1.0f - p->rows;
	const float *x = origin + n;
	return gt_lines_clamp(1.0f - fabsf(distance)) * x[0] + gt_lines_clamp(beside - distance) * x[-1] +
	       gt_lines_clamp(beside + distance) * x[1];
}

/* Likewise for GT_LINES_ANY. line: slice 0. */
GT_HD float gt_lines_any(const struct gt_lines_pixel *p, const float *line, int slices, float position)
{
	const float at = rintf(position);
	const int n = p->base + (int)at;
	float sum = 0;
	for (int m = -p->half; m <= p->half; m++)
		if (n + m >= 0 && n + m < slices)
			sum += gt_lines_clamp(1.0f - fabsf(at + (float)m - position) * p->rows) * line[n + m];
	return sum;
}

/* Sums slices below row 0 (end = 0) or above the last row (1), every `stride`-th from `first` on. In that row they have
 * weight 1 within the detector and 0 beyond it, in place of the interpolation. */
GT_HD float gt_lines_beyond(const struct gt_lines_pixel *p, const float *line, int slices, int end, int first, int stride)
{
	const int from = end ? p->tail[1] : 0, to = end ? slices : p->tail[0] < slices ? p->tail[0] : slices;
	float sum = 0;
	for (int z = (from > 0 ? from : 0) + first; z < to; z += stride) {
		const float distance = end ? (float)(z - p->tail[1]) + p->gap[1] : (float)(p->tail[0] - z) - p->gap[0];
		const float seen = z >= p->seen[0] && z < p->seen[1] ? 1.0f : 0.0f;
		sum += (seen - gt_lines_clamp(1.0f - distance * p->rows)) * line[z];
	}
	return sum;
}

#endif
