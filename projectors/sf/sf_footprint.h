#ifndef GT_PROJECTORS_SF_SF_FOOTPRINT_H
#define GT_PROJECTORS_SF_SF_FOOTPRINT_H
/* The coefficients of the separable footprint, defined only here: Long, Fessler, Balter, IEEE Trans. Med. Imaging 29
 * (2010) 1839, SF-TR and SF-TT.
 *
 *   a[kl; ijn] = chord * slant_kl * w1[k] * w2[l]
 *
 * w1 is the integral over column k of a trapezoid of height 1 between the columns of the voxel's four vertical edges,
 * at the height of its centre.
 *
 * w2 is the integral over row l of a function that rises from 0 to 1 at the voxel's lower face and falls at its upper
 * face. SF-TR has steps, at the rows of the faces on the vertical line through the centre. SF-TT has ramps, from the
 * minimum to the maximum row of a face's four corners; overlapping ramps add up to less than 1.
 *
 * The chord is the length through the voxel, in the plane of the slices, of the ray through its centre. For the
 * direction (ex, ey) it is |e| min(dx/|ex|, dy/|ey|). It equals the voxel's area, magnified, over the area of the
 * trapezoid.
 *
 * The slant is 1 / cosine of the angle between the ray of pixel (k, l) and the slices. It belongs to the pixel, so all
 * projections are multiplied by it once. Thus the polar amplitude factor is the pixel's, the transaxial factor the
 * voxel's.
 *
 * On detectors turned out of the vertical ("tilted"), the image of a vertical line is rolled against the columns. The
 * footprint of a voxel is then sheared instead of separable. The product keeps its area: w2 is stretched around the
 * voxel's row, to the height of the voxel along one column instead of along its own vertical line. Ramps omit the row
 * differences of a face along that direction. The approximation fails beyond GT_SF_MAX_ROLL.
 *
 * Positions are relative to edges: column k covers [k, k+1], row l [l, l+1]. Voxels count from centres, in units of the
 * pitches. Rows ascend with z. */
#include <gantry/author/scan_math.h>

#define GT_SF_MAX_ROLL 15.0         /* maximum degrees between the image of a vertical line and the columns */
#define GT_SF_STEEP 45.0        /* maximum degrees between a ray and the slices */

#ifdef __CUDACC__
#include "core/device/device_math.cuh"
#endif
#ifdef __CUDA_ARCH__
#define GT_SF_OVER(a, b) ((a) * gt_rcp_approx(b))
#define GT_SF_ROOT(a) ((a) * gt_rsqrt_approx(a))
#define GT_SF_IN_ROOT(a) gt_rsqrt_approx(a)
#define GT_SF_LESS(a, b) fminf(a, b)
#define GT_SF_MORE(a, b) fmaxf(a, b)
#else
#define GT_SF_OVER(a, b) ((a) / (b))
#define GT_SF_ROOT(a) sqrtf(a)
#define GT_SF_IN_ROOT(a) (1 / sqrtf(a))
#define GT_SF_LESS(a, b) ((a) < (b) ? (a) : (b))
#define GT_SF_MORE(a, b) ((a) < (b) ? (b) : (a))
#endif
#define GT_SF_SERIES 1
#define REAL float
#define GT_SF(name) name##_f
#define GT_SF_MATH(name) name##f
#include "projectors/sf/sf_real.inc"
#undef GT_SF_OVER
#undef GT_SF_ROOT
#undef GT_SF_IN_ROOT
#undef GT_SF_LESS
#undef GT_SF_MORE
#undef GT_SF_SERIES
#undef REAL
#undef GT_SF
#undef GT_SF_MATH
#define GT_SF_OVER(a, b) ((a) / (b))
#define GT_SF_ROOT(a) sqrt(a)
#define GT_SF_IN_ROOT(a) (1 / sqrt(a))
#define GT_SF_LESS(a, b) ((a) < (b) ? (a) : (b))
#define GT_SF_MORE(a, b) ((a) < (b) ? (b) : (a))
#define GT_SF_SERIES 0
#define REAL double
#define GT_SF(name) name
#define GT_SF_MATH(name) name
#include "projectors/sf/sf_real.inc"
#undef GT_SF_OVER
#undef GT_SF_ROOT
#undef GT_SF_IN_ROOT
#undef GT_SF_LESS
#undef GT_SF_MORE
#undef GT_SF_SERIES
#undef REAL
#undef GT_SF
#undef GT_SF_MATH

/* Coordinates relative to a ray: N = 0 on it, M > 0 in front of the source. Each is [0] + [1] x + [2] y + [3] z of the
 * voxel (x, y, z). Flat detectors have a voxel's column at column + N/M, parallel beams likewise with M = 1. For an arc
 * N and M are mm across and along the ray. */
typedef struct { double N[4], M[4], column; gt_sf_lens lens; } gt_sf_frame;

typedef struct {
	gt_sf_frame frame;              /* frame of the central ray */
	/* mm above the point where the rays are parallel to the slices; the row of a voxel is row + V stretch */
	double V[4];
	double row;
	double toward[2][2];            /* direction of a voxel's ray along x and y, in voxels: [0] + [1] index */
	double ray_step[3];             /* direction of a pixel's ray: gt_sf.ray + l ray_step */
	int upright;                    /* N and M do not depend on z: a column of voxels has one w1 */
	int flip_rows;                  /* rows descend with z in the data */
	int axis;                       /* axis of the slices that the rays cross at the larger angle: 0 (x) or 1 (y) */
} gt_sf_view;

typedef struct { double along[3]; } gt_sf_ray;

/* Parameters of the kernels, passed by value; the tables are on the backend. */
typedef struct {
	int n[3], rows, columns;
	size_t views;
	double pitch[3];                /* mm */
	double aspect;                  /* (column pitch / row pitch)^2 */
	int trapezoid;                  /* SF-TT */
	int tilted;                     /* 1 if any view is not upright */
	const gt_sf_view *view;         /* [views] */
	const gt_sf_ray *ray;           /* [views][columns]: at row edge 0 */
} gt_sf;

GT_HD double gt_sf_at(const double f[4], double x, double y, double z) { return f[0] + f[1] * x + f[2] * y + f[3] * z; }
/* Maximum change of f from the centre of a voxel to its vertical edges. */
GT_HD double gt_sf_reach(const double f[4]) { return (fabs(f[1]) + fabs(f[2])) / 2; }

/* Index of (view, ascending row, column) in [view][row][column]. */
GT_HD size_t gt_sf_pixel(const gt_sf *d, const gt_sf_view *v, size_t view, int l, int k)
{
	return (view * (size_t)d->rows + (size_t)(v->flip_rows ? d->rows - 1 - l : l)) * (size_t)d->columns + (size_t)k;
}
GT_HD double gt_sf_slant(const gt_sf_view *v, const gt_sf_ray *r, int l)
{
	const double x = r->along[0] + (l + 0.5) * v->ray_step[0], y = r->along[1] + (l + 0.5) * v->ray_step[1],
		     z = r->along[2] + (l + 0.5) * v->ray_step[2];
	return sqrt(1 + z * z / (x * x + y * y));
}

/* The frame relative to the ray of a column. */
GT_HD gt_sf_frame gt_sf_turned(const gt_sf_frame *f, double column)
{
	gt_sf_frame t = *f;
	t.column = column;
	if (!f->lens.arc) {
		for (int a = 0; a < 4; a++)
			t.N[a] -= (column - f->column) * f->M[a];
		return t;
	}
	const double beta = (column - f->column) / f->lens.columns + f->lens.spot_angle;
	const double u = sin(beta) - f->lens.spot_u, w = cos(beta) - f->lens.spot_w, c = w / sqrt(u * u + w * w),
		     s = u / sqrt(u * u + w * w);
	for (int a = 0; a < 4; a++) {
		t.N[a] = c * f->N[a] - s * f->M[a];
		t.M[a] = s * f->N[a] + c * f->M[a];
	}
	t.lens.spot_u = c * f->lens.spot_u - s * f->lens.spot_w;
	t.lens.spot_w = s * f->lens.spot_u + c * f->lens.spot_w;
	t.lens.spot_angle = asin(t.lens.spot_u);
	return t;
}

/* Voxels that may meet the columns between two edges and lie wholly in front of the source: all sides are > 0. The
 * front margin is chosen so that no voxel of a common grid lies exactly on it. */
typedef struct { double side[5][4]; int sides; } gt_sf_wedge;

GT_HD void gt_sf_front(const gt_sf_frame *f, double side[4])
{
	for (int a = 0; a < 4; a++)
		side[a] = f->M[a];
	side[0] -= 1.0137 * gt_sf_reach(f->M);
}
GT_HD gt_sf_wedge gt_sf_wedge_of(const gt_sf_frame *f, double from, double to)
{
	const gt_sf_frame left = gt_sf_turned(f, from), right = gt_sf_turned(f, to);
	gt_sf_wedge w;
	w.sides = 3;
	for (int a = 0; a < 4; a++) {
		w.side[0][a] = left.N[a];
		w.side[1][a] = -right.N[a];
	}
	w.side[0][0] += gt_sf_reach(left.N);
	w.side[1][0] += gt_sf_reach(right.N);
	gt_sf_front(f, w.side[2]);
	return w;
}
/* Excludes voxels that miss the rows between two edges, with a margin; no effect for an arc, whose rows are not
 * planar. */
GT_HD void gt_sf_wedge_rows(const gt_sf *d, const gt_sf_view *v, double from, double to, gt_sf_wedge *w)
{
	if (v->frame.lens.arc)
		return;
	for (int s = 0; s < 2; s++) {
		double *f = w->side[w->sides++];
		for (int a = 0; a < 4; a++) {
			f[a] = v->frame.lens.rows * v->V[a] - ((s ? to : from) - v->row) * v->frame.M[a];
			f[a] = s ? -f[a] : f[a];
		}
		f[0] += gt_sf_reach(f) + fabs(f[3]) * (0.6 + 0.15 * (d->pitch[0] + d->pitch[1]) / d->pitch[2]);
	}
}
/* Voxels [*from, *to) of the wedge on the line of n voxels along `axis` through the voxel `at`. */
GT_HD void gt_sf_interval(const gt_sf_wedge *w, int axis, const int at[3], int n, int *from, int *to)
{
	double low = -1, high = n;
	for (int s = 0; s < w->sides; s++) {
		const double *f = w->side[s], slope = f[1 + axis];
		const double at0 = gt_sf_at(f, axis == 0 ? 0 : at[0], axis == 1 ? 0 : at[1], axis == 2 ? 0 : at[2]), root = -at0 / slope;
		if (slope > 0)
			low = root > low ? root : low;
		else if (slope < 0)
			high = root < high ? root : high;
		else if (!(at0 > 0))
			high = -1;
	}
	*from = low < 0 ? 0 : low < n ? (int)low + 1 : n;
	*to = high > 0 ? (int)high : 0;
	*to += *to < high;
}
/* gt_sf_interval() for all slices z of [0, nz): lines across the view's axis, at n along it. */
GT_HD void gt_sf_span(const gt_sf *d, const gt_sf_view *v, const gt_sf_wedge *w, int n, int *from, int *to)
{
	const int along = 1 - v->axis;
	gt_sf_wedge columns = *w;
	int at[3], from1, to1;
	columns.sides = 3;
	at[v->axis] = n;
	at[along] = at[2] = 0;
	gt_sf_interval(&columns, along, at, d->n[along], from, to);
	if (v->upright)
		return;
	at[2] = d->n[2] - 1;
	gt_sf_interval(&columns, along, at, d->n[along], &from1, &to1);
	*from = from1 < *from ? from1 : *from;
	*to = to1 > *to ? to1 : *to;
}

/* Rows of a column of voxels in an upright view. Edge e between slices (e = 0 below the first) is at start + e step;
 * its ramp has the half width |spread0 + e spread1| + spread. */
typedef struct { double start, step, spread0, spread1, spread; } gt_sf_rows;

/* least, most: minimum and maximum stretch at the corners; SF-TR: both are the centre's. */
GT_HD gt_sf_rows gt_sf_rows_of(const gt_sf_view *v, double x, double y, double min, double max, int trapezoid)
{
	const double mean = (min + max) / 2, half = (max - min) / 2, V0 = gt_sf_at(v->V, x, y, -0.5);
	gt_sf_rows r;
	r.start = v->row + V0 * mean;
	r.step = v->V[3] * mean;
	r.spread0 = V0 * half;
	r.spread1 = v->V[3] * half;
	r.spread = trapezoid ? gt_sf_reach(v->V) * mean : 0;
	return r;
}
GT_HD double gt_sf_spread(const gt_sf_rows *r, int e) { return fabs(r->spread0 + e * r->spread1) + r->spread; }

/* Footprint of a column of voxels in an upright view, from the columns (relative to the view's) and stretches of its
 * corners. */
typedef struct { gt_sf_trapezoid columns; gt_sf_rows rows; double chord; } gt_sf_footprint;
typedef struct { double column, stretch; } gt_sf_corner;

/* Footprint of one voxel in any view: row edges of the lower and the upper face, and half widths of their ramps. */
typedef struct { gt_sf_trapezoid columns; double chord, low, high, low_ramp, high_ramp; } gt_sf_voxel;

GT_HD double gt_sf_voxel_chord(const gt_sf *d, const gt_sf_view *v, int x, int y)
{
	return gt_sf_chord(v->toward[0][0] + v->toward[0][1] * x, v->toward[1][0] + v->toward[1][1] * y, d->pitch[0], d->pitch[1]);
}
GT_HD gt_sf_corner gt_sf_corner_at(const gt_sf_view *v, double x, double y)
{
	const double N = gt_sf_at(v->frame.N, x, y, 0), M = gt_sf_at(v->frame.M, x, y, 0);
	gt_sf_corner c = { 0, 0 };
	if (M > 0) {
		c.column = gt_sf_column(&v->frame.lens, N, M);
		c.stretch = gt_sf_stretch(&v->frame.lens, N, M);
	}
	return c;
}
/* low, high: two corners each, at the smaller and the larger y or x. Returns 0 if it is not in front of the source. */
GT_HD int gt_sf_footprint_of(const gt_sf *d, const gt_sf_view *v, int x, int y, const gt_sf_corner *low, const gt_sf_corner *high,
                          gt_sf_footprint *s)
{
	const double at = v->frame.column;
	double front[4], min, max;
	gt_sf_front(&v->frame, front);
	if (!(gt_sf_at(front, x, y, 0) > 0))
		return 0;
	s->columns = gt_sf_trapezoid_of(at + low[0].column, at + low[1].column, at + high[0].column, at + high[1].column);
	s->chord = gt_sf_voxel_chord(d, v, x, y);
	min = max = gt_sf_stretch(&v->frame.lens, gt_sf_at(v->frame.N, x, y, 0), gt_sf_at(v->frame.M, x, y, 0));
	if (d->trapezoid) {
		min = fmin(fmin(low[0].stretch, low[1].stretch), fmin(high[0].stretch, high[1].stretch));
		max = fmax(fmax(low[0].stretch, low[1].stretch), fmax(high[0].stretch, high[1].stretch));
	}
	s->rows = gt_sf_rows_of(v, x, y, min, max, d->trapezoid);
	return 1;
}
GT_HD void gt_sf_point(const gt_sf_view *v, double x, double y, double z, double *column, double *row)
{
	const double N = gt_sf_at(v->frame.N, x, y, z), M = gt_sf_at(v->frame.M, x, y, z);
	*column = v->frame.column + gt_sf_column(&v->frame.lens, N, M);
	*row = v->row + gt_sf_at(v->V, x, y, z) * gt_sf_stretch(&v->frame.lens, N, M);
}
/* Centre and half range of the rows of the four corners at height z; shear: rows per column by which the image is
 * rolled. */
GT_HD void gt_sf_face(const gt_sf_view *v, int x, int y, double z, double shear, double *middle, double *ramp)
{
	double low = 0, high = 0, column[4], row[4];
	for (int c = 0; c < 4; c++)
		gt_sf_point(v, x + (c & 1) - 0.5, y + (c >> 1) - 0.5, z, &column[c], &row[c]);
	for (int c = 0; c < 4; c++) {
		const double at = row[c] + shear * (column[c] - (column[0] + column[1] + column[2] + column[3]) / 4);
		low = c && low < at ? low : at;
		high = c && high > at ? high : at;
	}
	*middle = (low + high) / 2;
	*ramp = (high - low) / 2;
}
/* Returns 0 if the voxel is not in front of the source. */
GT_HD int gt_sf_voxel_of(const gt_sf *d, const gt_sf_view *v, int x, int y, int z, gt_sf_voxel *p)
{
	double k[4], l[4], below[2], above[2];
	double front[4];
	gt_sf_front(&v->frame, front);
	if (!(gt_sf_at(front, x, y, z) > 0))
		return 0;
	for (int c = 0; c < 4; c++)
		gt_sf_point(v, x + (c & 1) - 0.5, y + (c >> 1) - 0.5, z, &k[c], &l[c]);
	gt_sf_point(v, x, y, z - 0.5, &below[0], &below[1]);
	gt_sf_point(v, x, y, z + 0.5, &above[0], &above[1]);
	/* Gradients of column and row along x and y, per mm; roll: columns per row of a vertical line. */
	const double kx = (k[1] + k[3] - k[0] - k[2]) / d->pitch[0], ky = (k[2] + k[3] - k[0] - k[1]) / d->pitch[1];
	const double lx = (l[1] + l[3] - l[0] - l[2]) / d->pitch[0], ly = (l[2] + l[3] - l[0] - l[1]) / d->pitch[1];
	const double roll = (above[0] - below[0]) / (above[1] - below[1]), x1 = kx - roll * lx, y1 = ky - roll * ly;
	const double taller = sqrt((x1 * x1 + y1 * y1) / (kx * kx + ky * ky));
	p->columns = gt_sf_trapezoid_of(k[0], k[1], k[2], k[3]);
	p->chord = gt_sf_voxel_chord(d, v, x, y);
	p->low = below[1];
	p->high = above[1];
	p->low_ramp = p->high_ramp = 0;
	if (d->trapezoid) {
		gt_sf_face(v, x, y, z - 0.5, roll * d->aspect, &p->low, &p->low_ramp);
		gt_sf_face(v, x, y, z + 0.5, roll * d->aspect, &p->high, &p->high_ramp);
	}
	const double middle = (p->low + p->high) / 2, half = taller * (p->high - p->low) / 2;
	p->low = middle - half;
	p->high = middle + half;
	return 1;
}
GT_HD void gt_sf_voxel_at(const gt_sf_footprint *s, int z, gt_sf_voxel *p)
{
	p->columns = s->columns;
	p->chord = s->chord;
	p->low = s->rows.start + z * s->rows.step;
	p->high = s->rows.start + (z + 1) * s->rows.step;
	p->low_ramp = gt_sf_spread(&s->rows, z);
	p->high_ramp = gt_sf_spread(&s->rows, z + 1);
}
/* Integral of the row function up to row edge l; w2[l] is the difference of two. */
GT_HD double gt_sf_rise(const gt_sf_voxel *p, double l)
{
	const double above = l - p->low, beyond = l - p->high;
	return (above > 0 ? above : 0) - (beyond > 0 ? beyond : 0) + gt_sf_ramp(above, p->low_ramp) - gt_sf_ramp(beyond, p->high_ramp);
}
#endif
