#ifndef GT_PROJECTORS_DD_TILT_DD_DERIVATIVE_H
#define GT_PROJECTORS_DD_TILT_DD_DERIVATIVE_H
/* Derivative of the distance-driven projections by the velocities of a view (kit/motion.h), for detectors in any pose.
 * The model is that of dd_tilt.h. A pixel is weight / F times the sum over slices n and heights j of
 *
 *   A_j B_j / H,   A_j = integral of voxels j along the slice over [X_a(j), X_b(j)],   B_j = overlap with [Z_a, Z_b],
 *
 * with H = Z_b - Z_a. It depends on the view by twelve scalars: five of the view, four of the strip's edges, three of
 * the strip. With the voxels x_a(j), x_b(j) at the edges,
 *
 *   d(sum) = sum of (x_b dX_b - x_a dX_a) B_j / H + (A(Z_b) dZ_b - A(Z_a) dZ_a) / H - A_j B_j dH / H^2.
 *
 * It is piecewise smooth. If an edge lies between two voxels, the derivative is the one towards either of them. */
#include "projectors/dd/tilt/dd_tilt_operator.h"
#include "projectors/kit/derivative.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The scalars of dd_tilt.h: of the view, of the strip's edges (0: lower, 1: upper), and of the strip. */
enum { GT_DD_X0, GT_DD_M0, GT_DD_Z0, GT_DD_Z1, GT_DD_R0, GT_DD_AT, GT_DD_SLOPE, GT_DD_AT_1, GT_DD_SLOPE_1, GT_DD_N0, GT_DD_Q, GT_DD_C,
       GT_DD_SCALARS };
enum { GT_DD_OF_VIEW = 5, GT_DD_OF_EDGE = 2, GT_DD_OF_STRIP = 3 };

/* Derivatives of the scalars by the velocities, [..][GT_VELOCITIES] each. */
typedef struct {
	double *view;  /* [views][GT_DD_OF_VIEW] */
	double *edge;  /* [views][longest + 1][GT_DD_OF_EDGE] */
	double *strip; /* [views][longest][GT_DD_OF_STRIP] */
} gt_dd_velocities;

typedef struct {
	gt_backend *be;
	gt_type type;
	gt_dd_tilt d;
	gt_dd_velocities by; /* tables on the backend, as those of d */
} gt_dd_derivative;

/* Functions of a backend; self: a gt_dd_derivative. */
struct gt_dd_derivative_impl {
	struct gt_derivative_ops ops;
	size_t (*scratch)(const gt_dd_derivative *d); /* bytes of gt_scratch() */
};
void gt_dd_derivative_free(void *self);
extern const struct gt_dd_derivative_impl gt_dd_derivative_cpu, gt_dd_derivative_cuda;

/* Fills the derivatives of view `at`, whose tables gt_dd_tilt_fill() made; by: tables of this view. */
void gt_dd_tilt_fill_by(const gt_scan *scan, const gt_grid *g, size_t at, const gt_dd_pose *v, const gt_dd_velocities *by);
/* Derivative by the motions of the views; scan: after the motion, jacobian: see projectors/kit/derivative.h. */
gt_status gt_dd_derivative_new(const gt_grid *g, const gt_scan *scan, const double *jacobian, const gt_array *volume, gt_linop **D);

/* The volume: distance of adjacent slices, of voxels along a slice, and of heights. in_single: slices are summed in
 * single precision. */
struct gt_dd_voxels {
	const void *x;
	gt_type type;
	int in_single;
	size_t slice, along, up;
};

/* Piece l of a strip of view v; e: edges of the strip. */
struct gt_dd_piece {
	const gt_dd_pose *v;
	const gt_dd_tilt_edge *e;
	const gt_dd_tilt_strip *strip;
	int l;
};

/* Sums over slices of one pixel, without the weight: of the pixel, and its derivatives by the scalars. */
struct gt_dd_sums {
	double plain, by[GT_DD_SCALARS];
};

/* Sums over the heights of one slice; above: times the height of the voxel's centre over that of N = 0. */
struct gt_dd_slice_sums {
	double plain, low, low_above, high, high_above; /* A B, x_a B, x_b B */
	double at[2];                                   /* A(Z_a), A(Z_b) */
};

GT_HD double gt_dd_value(const struct gt_dd_voxels *x, size_t i)
{
	return x->type == GT_F32 ? (double)((const float *)x->x)[i] : ((const double *)x->x)[i];
}

#define REAL float
#define OF_REAL(name) name##_single
#include "projectors/dd/tilt/dd_derivative_slice.inc"
#undef REAL
#undef OF_REAL
#define REAL double
#define OF_REAL(name) name##_double
#include "projectors/dd/tilt/dd_derivative_slice.inc"
#undef REAL
#undef OF_REAL

/* Adds slice n to the sums of a piece. */
GT_HD void gt_dd_add_slice(const gt_dd_tilt *d, const struct gt_dd_piece *at, int n, const struct gt_dd_voxels *x, struct gt_dd_sums *sums)
{
	const gt_dd_pose *v = at->v;
	const gt_dd_tilt_edge *e = at->e;
	const gt_dd_tilt_strip *p = at->strip;
	const double R = v->R0 + n * v->dR, t[2] = { gt_dd_tilt_piece(p, at->l), gt_dd_tilt_piece(p, at->l + 1) };
	const gt_dd_tilt_slice f = gt_dd_tilt_slice_of(v, n);
	const double x0[2] = { gt_dd_tilt_across(&f, &e[0]), gt_dd_tilt_across(&f, &e[1]) }, slope[2] = { e[0].slope, e[1].slope };
	const double z[2] = { f.zero + f.scale * (p->N0 + p->Q * t[0]), f.zero + f.scale * (p->N0 + p->Q * t[1]) };
	const int size[2] = { d->n[1 - v->axis], d->n[2] };
	const double height = z[1] - z[0], in = 1 / (height * f.scale), by_height = in * f.scale;
	const size_t first = (size_t)n * x->slice;
	const struct gt_dd_slice_sums s = x->in_single ? gt_dd_slice_single(size, x, first, f.zero, x0, slope, z)
	                                               : gt_dd_slice_double(size, x, first, f.zero, x0, slope, z);
	const double plain = s.plain * in, by_x[2] = { -s.low * in, s.high * in };
	const double by_low = plain * by_height - s.at[0] * in, by_high = s.at[1] * in - plain * by_height;
	const double by_z = by_low + by_high, by_q = by_low * t[0] + by_high * t[1];
	const double zero = by_z - slope[0] * by_x[0] - slope[1] * by_x[1];
	const double scale = e[0].at * by_x[0] + e[1].at * by_x[1] + p->N0 * by_z + p->Q * by_q - plain * in * height;
	sums->plain += plain;
	sums->by[GT_DD_X0] += by_x[0] + by_x[1];
	sums->by[GT_DD_M0] += R * (by_x[0] + by_x[1]);
	sums->by[GT_DD_Z0] += zero;
	sums->by[GT_DD_Z1] += R * zero;
	sums->by[GT_DD_R0] += v->F1 * scale + v->M0 * (by_x[0] + by_x[1]) + v->Z1 * zero;
	sums->by[GT_DD_AT] += f.scale * by_x[0];
	sums->by[GT_DD_AT_1] += f.scale * by_x[1];
	sums->by[GT_DD_SLOPE] -= s.low_above * in;
	sums->by[GT_DD_SLOPE_1] += s.high_above * in;
	sums->by[GT_DD_N0] += f.scale * by_z;
	sums->by[GT_DD_Q] += f.scale * by_q;
	sums->by[GT_DD_C] -= f.scale * p->Q * (by_low * t[0] * t[0] + by_high * t[1] * t[1]);
}

/* Adds `plain` times the derivatives of the logarithm of gt_dd_tilt_weight(). */
GT_HD void gt_dd_add_weight(const gt_dd_tilt *d, const struct gt_dd_piece *at, struct gt_dd_sums *sums)
{
	const gt_dd_pose *v = at->v;
	const gt_dd_tilt_edge *e = at->e;
	const gt_dd_tilt_strip *p = at->strip;
	const double t[2] = { gt_dd_tilt_piece(p, at->l), gt_dd_tilt_piece(p, at->l + 1) };
	const double middle = 0.5 * (t[0] + t[1]), N = p->N0 + p->Q * middle;
	const double U = 0.5 * ((e[0].at + e[1].at) + (e[0].slope + e[1].slope) * N), width = gt_dd_tilt_width(e, N);
	const double px = d->pitch[1 - v->axis], pz = d->pitch[2], m = px * (v->M0 + v->F1 * U), n = pz * (v->Z1 + v->F1 * N);
	const double in = sums->plain / (1 + m * m + n * n), by_u = m * px * v->F1 * in, by_width = -sums->plain / width;
	const double by_n = 0.5 * by_u * (e[0].slope + e[1].slope) + n * pz * v->F1 * in + by_width * (e[1].slope - e[0].slope);
	sums->by[GT_DD_M0] += m * px * in;
	sums->by[GT_DD_Z1] += n * pz * in;
	sums->by[GT_DD_AT] += 0.5 * by_u - by_width;
	sums->by[GT_DD_AT_1] += 0.5 * by_u + by_width;
	sums->by[GT_DD_SLOPE] += N * (0.5 * by_u - by_width);
	sums->by[GT_DD_SLOPE_1] += N * (0.5 * by_u + by_width);
	sums->by[GT_DD_N0] += by_n;
	sums->by[GT_DD_Q] += middle * by_n;
	sums->by[GT_DD_C] -= 0.5 * p->Q * (t[0] * t[0] + t[1] * t[1]) * by_n;
}

/* Strip k and piece l of pixel i of a view. */
GT_HD void gt_dd_piece_of(const gt_dd_tilt *d, const gt_dd_pose *v, size_t i, int *k, int *l)
{
	const int column = (int)(i % (size_t)d->columns), row = (int)(i / (size_t)d->columns);
	const int upright = v->strips == d->columns && (v->to_strip == 1 || v->to_strip == -1);
	*k = upright ? column : row;
	*l = upright ? row : column;
	*k = v->to_strip < 0 ? v->strips - 1 - *k : *k;
	*l = v->to_piece < 0 ? v->pieces - 1 - *l : *l;
}

/* Derivative of pixel i of a view by the velocities. */
GT_HD void gt_dd_pixel_by(const gt_dd_derivative *d, const struct gt_dd_voxels *x, size_t view, size_t i, double by[GT_VELOCITIES])
{
	const gt_dd_pose *v = &d->d.view[view];
	const size_t longest = d->d.longest;
	struct gt_dd_sums sums = { 0, { 0 } };
	int k, l;
	gt_dd_piece_of(&d->d, v, i, &k, &l);
	const size_t at = view * (longest + 1) + (size_t)k, strip = view * longest + (size_t)k;
	const struct gt_dd_piece piece = { v, d->d.edge + at, d->d.strip + strip, l };
	for (int n = v->first; n < v->end; n++)
		gt_dd_add_slice(&d->d, &piece, n, x, &sums);
	gt_dd_add_weight(&d->d, &piece, &sums);
	const double weight = gt_dd_tilt_weight(&d->d, v, piece.e, piece.strip, l);
	const double *of_view = d->by.view + view * GT_DD_OF_VIEW * GT_VELOCITIES,
		     *of_edge = d->by.edge + at * GT_DD_OF_EDGE * GT_VELOCITIES,
		     *of_strip = d->by.strip + strip * GT_DD_OF_STRIP * GT_VELOCITIES;
	for (int c = 0; c < GT_VELOCITIES; c++) {
		double sum = 0;
		for (int s = 0; s < GT_DD_OF_VIEW; s++)
			sum += sums.by[s] * of_view[s * GT_VELOCITIES + c];
		for (int s = 0; s < 2 * GT_DD_OF_EDGE; s++) /* the upper edge is the lower one of the next strip */
			sum += sums.by[GT_DD_AT + s] * of_edge[s * GT_VELOCITIES + c];
		for (int s = 0; s < GT_DD_OF_STRIP; s++)
			sum += sums.by[GT_DD_N0 + s] * of_strip[s * GT_VELOCITIES + c];
		by[c] = weight * sum;
	}
}
#ifdef __cplusplus
}
#endif
#endif
