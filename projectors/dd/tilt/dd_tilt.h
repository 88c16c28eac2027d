#ifndef GT_PROJECTORS_DD_TILT_DD_TILT_H
#define GT_PROJECTORS_DD_TILT_DD_TILT_H
/* The distance-driven coefficients for detectors in any pose, defined only here. Flat detectors may be tilted, rolled
 * or seen from behind, arcs may roll by less than 45 degrees; fan and parallel beams. The model is that of dd_row.h,
 * after De Man and Basu, Phys. Med. Biol. 49 (2004) 2463, with pixel footprints on a slice that are sheared rectangles.
 *
 * Each view cuts the volume into slices perpendicular to x or y. Units are voxels, with voxel i = [i, i+1] along the
 * in-slice axis and along z. R is the distance of a slice from the source plane along the slice axis. A ray (U, N)
 * meets the slice at
 *
 *   X = X0 + R M0 + F U,   Z = Z0 + R Z1 + F N,   F = F0 + R F1.
 *
 * Fan beams have F0 = 0, F1 = 1 and slopes U, N; parallel beams F0 = 1, F1 = 0 and positions. In the plane (U, N) the
 * detector is the projective image of a rectangle, so its straight lines stay straight. Strips are its columns, pieces
 * of a strip its rows. If the image of the rows is nearer to z (roll beyond 45 degrees), strips are rows and pieces
 * columns. The columns of an arc are straight lines as well. Their images meet in one point as those of a flat detector
 * do; its rows are not needed as lines.
 *
 *   edge k of the strips:        U = at + slope N
 *
 *   edge l of strip k's pieces:  N = N0 + Q T(l),  T(l) = l / (1 + C l),  on the strip's centre line
 *
 *   a[kl; inj] = weight_kl / F * overlap of voxel i with the strip at the height of the centre of voxel j
 *                              * overlap of voxel j with [Z_l, Z_l+1] / (Z_l+1 - Z_l)
 *
 *   weight_kl  = length of the pixel's ray in a slice / width of the strip in the centre of the piece, along U
 *
 * Strips and pieces fill the slice without gaps, and ascend with position. Upright detectors have slope = C = 0:
 * dd_row.h. */
#include <gantry/author/scan_math.h>

typedef struct {
	double R0, dR;                  /* R of slice n is R0 + n dR, mm */
	double X0, M0, Z0, Z1, F0, F1;
	double low, high;               /* minimum and maximum N of the detector */
	int axis;                       /* slices are perpendicular to this axis: 1 (y) or 0 (x) */
	int first, end;                 /* slices in front of the source */
	int strips, pieces;
	long start, to_strip, to_piece; /* piece (k, l) is the view's pixel start + k to_strip + l to_piece */
} gt_dd_pose;

typedef struct { double at, slope; } gt_dd_tilt_edge;
typedef struct { double N0, Q, C; } gt_dd_tilt_strip;

/* Parameters of the kernels; the tables hold `longest` strips per view. */
typedef struct {
	int n[3], rows, columns;
	size_t views, longest;
	int strips, pieces;             /* maximum of all views */
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
/* X of a strip edge on the slice, at Z = 0; it changes by the edge's slope per Z. */
GT_HD double gt_dd_tilt_across(const gt_dd_tilt_slice *s, const gt_dd_tilt_edge *e)
{
	return s->at - e->slope * s->zero + s->scale * e->at;
}

GT_HD double gt_dd_tilt_piece(const gt_dd_tilt_strip *s, double l) { return l / (1 + s->C * l); }
/* Inverse of gt_dd_tilt_piece(). */
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
