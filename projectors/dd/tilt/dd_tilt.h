#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_H
#define GT_PROJECTORS_DD_TILT_DD_TILT_H
/* The distance-driven coefficients of detectors in any pose (flat ones tilted, rolled, seen from behind; arcs that roll
 * by less than 45 degrees; fans and parallel rays), the only place where they are written. The model of dd_row.h, after
 * De Man and Basu, Phys. Med. Biol. 49 (2004) 2463, with pixels whose image on a slice is a sheared rectangle in place
 * of an upright one.
 *
 * Each view cuts the volume into slices perpendicular to x or y. In units of voxels, with voxel i = [i, i+1] along the
 * in-slice axis and along z, and R the distance of a slice from the source plane along the slice axis, a ray (U, N)
 * meets the slice at
 *   X = X0 + R M0 + F U,   Z = Z0 + R Z1 + F N,   F = F0 + R F1.
 * Fans have F0 = 0, F1 = 1 and slopes U, N; parallel beams F0 = 1, F1 = 0 and places. In the plane (U, N) the detector
 * is the projective image of a rectangle: its straight lines stay straight. Strips are its columns, pieces of a strip
 * its rows; the other way round where the image of the rows is nearer to z (a roll by more than 45 degrees).
 * The columns of an arc are straight lines as well, and their images meet in one point as those of a flat detector do;
 * its rows are not needed as lines.
 *   edge k of the strips:        U = at + slope N
 *   edge l of strip k's pieces:  N = N0 + Q T(l),  T(l) = l / (1 + C l),  on the strip's middle line
 *   a[kl; inj] = weight_kl / F * overlap of voxel i with the strip at the height of the middle of voxel j
 *                              * overlap of voxel j with [Z_l, Z_l+1] / (Z_l+1 - Z_l)
 *   weight_kl  = length of the pixel's ray in a slice / width of the strip in the middle of the piece, along U
 * so that strips and pieces fill the slice without gaps. Upright detectors have slope = C = 0: dd_row.h.
 * Strips and pieces are counted in ascending order of position. */
#include <gantry/scan_math.h>

typedef struct {
	double R0, dR;                  /* R of slice n is R0 + n dR, mm */
	double X0, M0, Z0, Z1, F0, F1;
	double low, high;               /* least and greatest N of the detector */
	int axis;                       /* slices are perpendicular to this axis: 1 (y) or 0 (x) */
	int first, end;                 /* slices in front of the source */
	int strips, pieces;
	long start, to_strip, to_piece; /* piece (k, l) is the view's pixel start + k to_strip + l to_piece */
} gt_dd_pose;

typedef struct { double at, slope; } gt_dd_tilt_edge;
typedef struct { double N0, Q, C; } gt_dd_tilt_strip;

/* Everything a kernel needs; the tables have room for `longest` strips in each view. */
typedef struct {
	int n[3], rows, columns;
	size_t views, longest;
	int strips, pieces;             /* the most of any view */
	double pitch[3];                /* mm */
	const gt_dd_pose *view;         /* [views] */
	const gt_dd_tilt_edge *edge;    /* [views][longest + 1] */
	const gt_dd_tilt_strip *strip;  /* [views][longest] */
} gt_dd_tilt;

/* A slice n: its F, Z of N = 0, and X of U = 0. */
typedef struct { double scale, zero, at; } gt_dd_tilt_slice;
GT_HD gt_dd_tilt_slice gt_dd_tilt_slice_of(const gt_dd_pose *v, int n)
{
	const double R = v->R0 + n * v->dR;
	gt_dd_tilt_slice s;
	s.scale = v->F0 + R * v->F1;
	s.zero = v->Z0 + R * v->Z1;
	s.at = v->X0 + R * v->M0;
	return s;
}
/* X of an edge of the strips on it, at Z = 0; it moves by the edge's slope per Z. */
GT_HD double gt_dd_tilt_across(const gt_dd_tilt_slice *s, const gt_dd_tilt_edge *e)
{
	return s->at - e->slope * s->zero + s->scale * e->at;
}

GT_HD double gt_dd_tilt_piece(const gt_dd_tilt_strip *s, double l) { return l / (1 + s->C * l); }
/* Its inverse. */
GT_HD double gt_dd_tilt_piece_at(const gt_dd_tilt_strip *s, double t) { return t / (1 - s->C * t); }
GT_HD double gt_dd_tilt_width(const gt_dd_tilt_edge *e, double N) { return (e[1].at - e[0].at) + (e[1].slope - e[0].slope) * N; }

/* T(l+1) - T(l) */
GT_HD double gt_dd_tilt_height(const gt_dd_tilt_strip *s, double l) { return 1 / ((1 + s->C * l) * (1 + s->C * (l + 1))); }

/* weight_kl for strip k = [e[0], e[1]]. */
GT_HD double gt_dd_tilt_weight(const gt_dd_tilt *d, const gt_dd_pose *v, const gt_dd_tilt_edge *e, const gt_dd_tilt_strip *s, double l)
{
	const double N = s->N0 + s->Q * (0.5 * (gt_dd_tilt_piece(s, l) + gt_dd_tilt_piece(s, l + 1)));
	const double U = 0.5 * ((e[0].at + e[1].at) + (e[0].slope + e[1].slope) * N);
	const double m = d->pitch[1 - v->axis] * (v->M0 + v->F1 * U), n = d->pitch[2] * (v->Z1 + v->F1 * N);
	return d->pitch[v->axis] * sqrt(1 + m * m + n * n) / gt_dd_tilt_width(e, N);
}
#endif
