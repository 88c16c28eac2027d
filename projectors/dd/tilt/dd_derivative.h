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
#ifdef __CUDACC__
#include "projectors/dd/tilt/dd_tilt_cuda.cuh"
#endif
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
	int level;           /* the edges of all strips run along z */
	/* For level strips with pieces of equal heights, in single precision: the transpose visits voxels. It needs the
	 * projections for the derivatives of the weights. NULL: it visits pixels. */
	gt_linop *projector;
	gt_array *projections;
	const gt_array *volume;
} gt_dd_derivative;

/* Functions of a backend; self: a gt_dd_derivative. */
struct gt_dd_derivative_impl {
	struct gt_derivative_ops ops;
	size_t (*scratch)(const gt_dd_derivative *d); /* bytes of gt_scratch() */
};
void gt_dd_derivative_free(void *self);
extern const struct gt_dd_derivative_impl gt_dd_derivative_cpu, gt_dd_derivative_cuda;

/* Fills the derivatives of view `at`, whose tables are filled; by: tables of this view. */
void gt_dd_tilt_fill_by(const gt_scan *scan, const gt_grid *g, size_t at, const gt_dd_pose *v, const gt_dd_velocities *by);
/* Creates the projector of a scan. */
typedef gt_status (*gt_dd_projector_of)(gt_backend *be, gt_type type, const gt_grid *g, const gt_scan *scan, const void *options,
                                        gt_linop **A);
/* Derivative by the motions of the views; scan: after the motion, jacobian: see projectors/kit/derivative.h. */
gt_status gt_dd_derivative_new(const gt_grid *g, const gt_scan *scan, const void *options, gt_dd_projector_of make, const double *jacobian,
                               const gt_array *volume, gt_linop **D);

/* The volume, of the derivative's type: distance of adjacent slices, of voxels along a slice, and of heights. */
struct gt_dd_voxels {
	const void *x;
	size_t slice, along, up;
};

/* Piece l of a strip of view v; e: edges of the strip. */
struct gt_dd_piece {
	const gt_dd_pose *v;
	const gt_dd_tilt_edge *e;
	const gt_dd_tilt_strip *strip;
	int l;
};

/* Sums over slices and pieces for the transpose. Each piece is multiplied by its pixel and weight / (Z_b - Z_a) F. Four
 * terms have two sums each, without and with R: x_a B, (x_b - x_a) B, A(Z_b) - A(Z_a), and TURN. With m, the mean of A
 * minus A(Z_a), TURN is m Z_a' + (A(Z_b) - A(Z_a) - m) Z_b', and Z' = heights of the edges above the run. LOW_OVER,
 * CHANGE_OVER: the first two times the height of the voxel's centre over Z of N = 0. TURN_2: TURN with squared heights,
 * times F. BY_SCALE: A B / F. Differences are summed because they are small. */
enum { GT_DD_LOW, GT_DD_CHANGE = 2, GT_DD_RISE = 4, GT_DD_TURN = 6, GT_DD_LOW_OVER = 8, GT_DD_CHANGE_OVER, GT_DD_TURN_2, GT_DD_BY_SCALE,
       GT_DD_SUMS,
       GT_DD_RUN = 4 /* pieces that a thread climbs through */ };

#ifdef __CUDA_ARCH__
#define GT_DD_UNROLL _Pragma("unroll")
/* Reads what belongs to a piece again, instead of keeping it in registers. */
#define GT_DD_RELOAD(p) asm volatile("" : "+l"((p).v), "+l"((p).e), "+l"((p).strip), "+r"((p).l))
#else
#define GT_DD_UNROLL
#define GT_DD_RELOAD(p) ((void)0)
#endif
/* Positions in voxels. In single precision they are fixed-point numbers with 32 fractional bits, because doubles are
 * slow on a GPU. gt_dd_split_*() return the fraction. */
/* Edges of strips and pieces are lowered by this part of a voxel. In scans at rest an edge may lie exactly between two
 * voxels; it then belongs to the lower one, also after rounding. */
GT_HD double gt_dd_lowered_single(void) { return 0x1p-21; }
GT_HD double gt_dd_lowered_double(void) { return 0x1p-30; }
GT_HD long long gt_dd_position_single(double p) { return (long long)((p > -0x1p30 ? p < 0x1p30 ? p : 0x1p30 : -0x1p30) * 0x1p32); }
GT_HD float gt_dd_split_single(long long p, int *cell)
{
	*cell = (int)(p >> 32);
#ifdef __CUDA_ARCH__
	return __uint_as_float((unsigned)p >> 9 | 0x3f800000u) - 1;
#else
	return (float)((unsigned)p >> 9) * 0x1p-23f;
#endif
}
GT_HD double gt_dd_position_double(double p) { return p; }
GT_HD double gt_dd_split_double(double p, int *cell)
{
	const double whole = floor(p > -0x1p30 ? p < 0x1p30 ? p : 0x1p30 : -0x1p30);
	*cell = (int)whole;
	return p - whole;
}

/* Adds `plain` times the derivatives of the logarithm of gt_dd_tilt_weight(). */
GT_HD void gt_dd_add_weight(const gt_dd_tilt *d, const struct gt_dd_piece *at, double plain, double by[GT_DD_SCALARS])
{
	const gt_dd_pose *v = at->v;
	const gt_dd_tilt_edge *e = at->e;
	const gt_dd_tilt_strip *p = at->strip;
	const double t[2] = { gt_dd_tilt_piece(p, at->l), gt_dd_tilt_piece(p, at->l + 1) };
	const double middle = 0.5 * (t[0] + t[1]), N = p->N0 + p->Q * middle;
	const double U = 0.5 * ((e[0].at + e[1].at) + (e[0].slope + e[1].slope) * N), width = gt_dd_tilt_width(e, N);
	const double px = d->pitch[1 - v->axis], pz = d->pitch[2], m = px * (v->M0 + v->F1 * U), n = pz * (v->Z1 + v->F1 * N);
	const double in = plain / (1 + m * m + n * n), by_u = m * px * v->F1 * in, by_width = -plain / width;
	const double by_n = 0.5 * by_u * (e[0].slope + e[1].slope) + n * pz * v->F1 * in + by_width * (e[1].slope - e[0].slope);
	by[GT_DD_M0] += m * px * in;
	by[GT_DD_Z1] += n * pz * in;
	by[GT_DD_AT] += 0.5 * by_u - by_width;
	by[GT_DD_AT_1] += 0.5 * by_u + by_width;
	by[GT_DD_SLOPE] += N * (0.5 * by_u - by_width);
	by[GT_DD_SLOPE_1] += N * (0.5 * by_u + by_width);
	by[GT_DD_N0] += by_n;
	by[GT_DD_Q] += middle * by_n;
	by[GT_DD_C] -= 0.5 * p->Q * (t[0] * t[0] + t[1] * t[1]) * by_n;
}

/* Sets the derivatives of a run by the scalars, without those of the weights, from its sums over slices and pieces. */
GT_HD void gt_dd_run_by(const struct gt_dd_piece *at, const double sums[GT_DD_SUMS], double by[GT_DD_SCALARS])
{
	const gt_dd_pose *v = at->v;
	const gt_dd_tilt_edge *e = at->e;
	const gt_dd_tilt_strip *p = at->strip;
	const double T = gt_dd_tilt_piece(p, at->l), slope = e[1].slope - e[0].slope;
	const double *low = sums + GT_DD_LOW, *change = sums + GT_DD_CHANGE, *rise = sums + GT_DD_RISE;
	const double turn[2] = { T * rise[0] + sums[GT_DD_TURN] / p->Q, T * rise[1] + sums[GT_DD_TURN + 1] / p->Q };
	const double low_F = v->F0 * low[0] + v->F1 * low[1], change_F = v->F0 * change[0] + v->F1 * change[1];
	const double rise_F = v->F0 * rise[0] + v->F1 * rise[1], turn_F = v->F0 * turn[0] + v->F1 * turn[1];
	const double zero[2] = { rise[0] - slope * low[0] - e[1].slope * change[0], rise[1] - slope * low[1] - e[1].slope * change[1] };
	const double scale = (e[1].at - e[0].at) * low[0] + e[1].at * change[0] + p->N0 * rise[0] + p->Q * turn[0] - sums[GT_DD_BY_SCALE];
	by[GT_DD_X0] = change[0];
	by[GT_DD_M0] = change[1];
	by[GT_DD_Z0] = zero[0];
	by[GT_DD_Z1] = zero[1];
	by[GT_DD_R0] = v->F1 * scale + v->M0 * change[0] + v->Z1 * zero[0];
	by[GT_DD_AT] = -low_F;
	by[GT_DD_AT_1] = low_F + change_F;
	by[GT_DD_SLOPE] = -sums[GT_DD_LOW_OVER];
	by[GT_DD_SLOPE_1] = sums[GT_DD_LOW_OVER] + sums[GT_DD_CHANGE_OVER];
	by[GT_DD_N0] = rise_F;
	by[GT_DD_Q] = turn_F;
	/* squares of T from those of the heights above the run */
	by[GT_DD_C] = -p->Q * (T * (2 * turn_F - T * rise_F)) - sums[GT_DD_TURN_2] / p->Q;
}

/* Weight of a piece over its height in N. */
GT_HD double gt_dd_piece_weight(const gt_dd_tilt *d, const struct gt_dd_piece *p)
{
	return gt_dd_tilt_weight(d, p->v, p->e, p->strip, p->l) / (p->strip->Q * gt_dd_tilt_height(p->strip, p->l));
}

#define REAL float
#define POSITION long long
#define OF_REAL(name) name##_single
#include "projectors/dd/tilt/dd_derivative_run.inc"
#undef REAL
#undef POSITION
#undef OF_REAL
#define REAL double
#define POSITION double
#define OF_REAL(name) name##_double
#include "projectors/dd/tilt/dd_derivative_run.inc"
#undef REAL
#undef POSITION
#undef OF_REAL

/* Strip k of a view. */
GT_HD struct gt_dd_piece gt_dd_strip_of(const gt_dd_derivative *d, size_t view, int k)
{
	const size_t longest = d->d.longest;
	const size_t edge = view * (longest + 1) + (size_t)k, strip = view * longest + (size_t)k;
	const struct gt_dd_piece p = { &d->d.view[view], d->d.edge + edge, d->d.strip + strip, 0 };
	return p;
}

/* Derivatives of scalar s of strip k by the velocities. The upper edge is the lower one of the next strip. */
GT_HD const double *gt_dd_scalar_by(const gt_dd_derivative *d, size_t view, int k, int s)
{
	const size_t longest = d->d.longest, edge = (view * (longest + 1) + (size_t)k) * GT_DD_OF_EDGE,
		     strip = (view * longest + (size_t)k) * GT_DD_OF_STRIP;
	return s < GT_DD_AT ? d->by.view + (view * GT_DD_OF_VIEW + (size_t)s) * GT_VELOCITIES
	       : s < GT_DD_N0 ? d->by.edge + (edge + (size_t)(s - GT_DD_AT)) * GT_VELOCITIES
	                      : d->by.strip + (strip + (size_t)(s - GT_DD_N0)) * GT_VELOCITIES;
}

/* Changes of the scalars of strip k by the velocities of its view. */
GT_HD void gt_dd_changes(const gt_dd_derivative *d, size_t view, int k, const double *velocity, double change[GT_DD_SCALARS])
{
	for (int s = 0; s < GT_DD_SCALARS; s++) {
		const double *by = gt_dd_scalar_by(d, view, k, s);
		change[s] = 0;
		for (int c = 0; c < GT_VELOCITIES; c++)
			change[s] += by[c] * velocity[c];
	}
}

/* Returns velocity c of the transpose of gt_dd_changes(). */
GT_HD double gt_dd_change_back(const gt_dd_derivative *d, size_t view, int k, const double change[GT_DD_SCALARS], int c)
{
	double sum = 0;
	for (int s = 0; s < GT_DD_SCALARS; s++)
		sum += gt_dd_scalar_by(d, view, k, s)[c] * change[s];
	return sum;
}

#ifdef __cplusplus
}
#endif
#endif
