#ifndef GT_PROJECTORS_RAY_RAY_LEVEL_H
#define GT_PROJECTORS_RAY_RAY_LEVEL_H
/* Tables for level scans: rows run along z, and all rays follow x or y more than z. The rays of a column then share
 * their in-plane path, and their rows are evenly spaced along z in each slice. The rays are those of ray_walk.h, sorted
 * for kernels that process many at once.
 *
 * A view has a frame for slices perpendicular to x and one for y. Each has a run of adjacent columns, sorted by
 * ascending position along the slice (axis b). Rows are counted by ascending z. With R = R0 + n dR, entry (S, W) meets
 * face n at
 *
 *   x = X0 + R M0 + (F0 + R F1) S,   row q at   z = Z0 + R Z1 + F0 W + (c + q) s,   s = F0 V + R F1 W.
 *
 * Fan beams have F0 = 0, F1 = 1 (S a slope, R the distance from the source), parallel beams F0 = 1, F1 = 0 (S a
 * position, R = n). */
#include "projectors/ray/ray_walk.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	double R0, dR, X0, M0, F0, F1, Z0, Z1, c, V;
	int first, end;                 /* slices in front of the source */
	int start, count;               /* the run of columns: entries start .. start + count */
	int down;                       /* entries count columns in descending order: see gt_ray_level_column() */
	int flip;                       /* rows descend: see gt_ray_level_row() */
	double bins;                    /* per unit of S: see gt_ray_level.guess */
	double W_low, W_high;           /* range of W of all entries */
} gt_ray_frame;

/* Passed by value; the tables are on the backend. */
typedef struct {
	const gt_ray_frame *frame;      /* [views][2]: slices perpendicular to x, to y */
	const double *S, *W;            /* [views][columns], in the order of the entries */
	/* [views][columns]: initial guess of the entry for a given S, relative to start */
	const int *guess;
	int sliced[2];                  /* 1 if views have slices perpendicular to x, to y */
	double samples, crossings;      /* (ray, slice) pairs within the grid; faces that rays cross along the slices */
	double lowest, highest;         /* range of the distance between rows, in voxels, within the grid */
} gt_ray_level;

/* Fills tables in host memory (frame: zeroed) and all of level but its pointers. Returns 0 if the scan has other rays,
 * or positions beyond the range of the tables. */
int gt_ray_level_fill(const gt_rays *host, gt_ray_frame *frame, double *S, double *W, int *guess, gt_ray_level *level);

/* Positions of an entry in slice n, as in gt_ray: x + n x_step; row q at (z + n z_step) + q (row + n row_step). */
typedef struct { double x, x_step, z, z_step, row, row_step; } gt_ray_line;

GT_HD gt_ray_line gt_ray_level_line(gt_ray_model model, const gt_ray_frame *f, double S, double W, int slices)
{
	const double half = model == GT_RAY_JOSEPH ? 0.5 : 0, R = fma(half, f->dR, f->R0);
	gt_ray_line l;
	l.row = fma(R * f->F1, W, f->F0 * f->V);
	l.row_step = f->dR * f->F1 * W;
	l.x = fma(fma(R, f->F1, f->F0), S, fma(R, f->M0, f->X0)) - half;
	l.x_step = f->dR * fma(f->F1, S, f->M0);
	l.z = fma(f->c, l.row, fma(R, f->Z1, fma(f->F0, W, f->Z0))) - half;
	l.z_step = fma(f->c, l.row_step, f->dR * f->Z1);
	if (model == GT_RAY_SIDDON)
		gt_ray_settle(&l.x, &l.x_step, slices);
	return l;
}

/* Length of row q within a slice, mm; pitches along d, b and z. */
GT_HD double gt_ray_level_length(const gt_ray_line *l, int q, double pd, double pb, double pz)
{
	const double x = l->x_step * pb, z = fma((double)q, l->row_step, l->z_step) * pz;
	return sqrt(fma(pd, pd, fma(x, x, z * z)));
}

/* Column and row of the detector. */
GT_HD int gt_ray_level_column(const gt_ray_frame *f, int entry) { return f->down ? 2 * f->start + f->count - 1 - entry : entry; }
GT_HD int gt_ray_level_row(const gt_ray_frame *f, int rows, int q) { return f->flip ? rows - 1 - q : q; }

/* The S at position x of slice n (Joseph's positions: at its centre, relative to the centre of voxel 0). */
GT_HD double gt_ray_level_find(const gt_ray_frame *f, double n, double x)
{
	const double R = fma(n + 0.5, f->dR, f->R0);
	return (x + 0.5 - fma(R, f->M0, f->X0)) / fma(R, f->F1, f->F0);
}

/* Returns 0 if no row of any entry comes within low .. high, along z from the edge of voxel 0, in slice n or the
 * next. */
GT_HD int gt_ray_level_meets(const gt_ray_frame *f, int rows, int n, double low, double high)
{
	const double R = fma(n + 0.5, f->dR, f->R0), level = fma(R, f->Z1, f->Z0), margin = 2;
	const double s = fma(R * f->F1, f->W_low, f->F0 * f->V), t = fma(R * f->F1, f->W_high, f->F0 * f->V);
	const double a = fma(f->F0, f->W_low, fma(f->c, s, level)), b = fma(f->F0, f->W_high, fma(f->c, t, level));
	return fmin(a, b) < high + margin && fmax(fma(rows - 1.0, s, a), fma(rows - 1.0, t, b)) > low - margin;
}

/* First entry with a larger S, relative to the start of the run. */
GT_HD int gt_ray_level_search(const gt_ray_frame *f, const double *S, const int *guess, double s)
{
	const double bin = (s - S[f->start]) * f->bins;
	int m = guess[f->start + (bin > 0 ? bin < f->count - 1 ? (int)bin : f->count - 1 : 0)];
	while (m > 0 && S[f->start + m - 1] > s)
		m--;
	while (m < f->count && S[f->start + m] <= s)
		m++;
	return m;
}
#ifdef __cplusplus
}
#endif
#endif
