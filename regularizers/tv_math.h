/* Total variation at one voxel, the only place where it is written. In C included once per type T, with NAMED(name), ROOT(x) and
 * INVERSE_ROOT(x) defined; in C++ once, as templates.
 *   D u: along axis a, w_a (u at the next voxel - u), 0 at the last voxel; w_a = (pitch of x)/(pitch of a)
 *   TV(u) = sum of |D u| over voxels; |d| is the Euclidean length (isotropic) or |d_x| + |d_y| + |d_z| (anisotropic)
 *   TV_eps: sqrt(|d|^2 + eps^2) for |d|, and for each |d_a| where anisotropic
 * Bit a of `next` (`previous`) says that the voxel has a next (a previous) one along axis a. */
#ifdef __cplusplus
#define TV_TYPED template <typename T>
#define TV_CONSTANTS tv_constants<T>
#define NAMED(name) name
#define ROOT(x) sqrt(x)
#define INVERSE_ROOT(x) rsqrt(x)
#else
#define TV_TYPED
#define TV_CONSTANTS struct NAMED(tv_constants)
#endif

/* The plan and one call, rounded to T. */
TV_TYPED struct NAMED(tv_constants) {
	size_t n[3], stride[3];
	int anisotropic;
	T w[3], eps, strength;
	T tau, step, ahead, lo, hi;
};

TV_TYPED GT_HD void NAMED(tv_constants_set)(TV_CONSTANTS *c, const struct gt_tv_plan *p, const struct gt_tv_step *s)
{
	for (int a = 0; a < 3; a++) {
		c->n[a] = p->n[a];
		c->stride[a] = a ? c->stride[a - 1] * p->n[a - 1] : 1;
		c->w[a] = (T)p->w[a];
	}
	c->anisotropic = p->anisotropic;
	c->eps = (T)p->eps;
	c->strength = (T)p->strength;
	c->tau = (T)s->tau;
	c->step = (T)s->step;
	c->ahead = (T)s->ahead;
	c->lo = (T)s->lo;
	c->hi = (T)s->hi;
}

/* D u at a voxel, from the values there and at the next ones. */
TV_TYPED GT_HD void NAMED(tv_differences)(const TV_CONSTANTS *c, T u, const T *u_next, unsigned next, T *d)
{
	for (int a = 0; a < 3; a++)
		d[a] = next >> a & 1 ? c->w[a] * (u_next[a] - u) : (T)0;
}

/* The same from an array; nothing is read where there is no voxel. */
TV_TYPED GT_HD void NAMED(tv_differences_at)(const TV_CONSTANTS *c, const T *x, size_t at, unsigned next, T *d)
{
	T x_next[3];
	for (int a = 0; a < 3; a++)
		x_next[a] = next >> a & 1 ? x[at + c->stride[a]] : (T)0;
	NAMED(tv_differences)(c, x[at], x_next, next, d);
}

TV_TYPED GT_HD T NAMED(tv_square)(const T *d) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }

TV_TYPED GT_HD T NAMED(tv_size)(int anisotropic, const T *d)
{
	T s = 0;
	for (int a = 0; a < 3; a++)
		s += d[a] < 0 ? -d[a] : d[a];
	return anisotropic ? s : ROOT(NAMED(tv_square)(d));
}

/* 1/sqrt(|d|^2 + eps^2), of which every axis has its own where anisotropic. */
TV_TYPED GT_HD void NAMED(tv_weights)(const TV_CONSTANTS *c, const T *d, T *weight)
{
	const T eps2 = c->eps * c->eps, all = c->anisotropic ? (T)0 : INVERSE_ROOT(NAMED(tv_square)(d) + eps2);
	for (int a = 0; a < 3; a++)
		weight[a] = c->anisotropic ? INVERSE_ROOT(d[a] * d[a] + eps2) : all;
}

/* g += D'(weight D x) and bound += its majorizer, both of one voxel and without the factor `strength`: since sqrt is concave,
 *   TV_eps(u) <= TV_eps(x) + <g, u - x> + 1/2 sum_v sum_a weight_a(v) (D_a (u - x))_v^2,
 * and (D_a h)^2 <= 2 w_a^2 (h_next^2 + h^2). */
TV_TYPED GT_HD void NAMED(tv_gradient)(const TV_CONSTANTS *c, const T *x, size_t at, unsigned next, unsigned previous, T *g, T *bound)
{
	T d[3], weight[3];
	NAMED(tv_differences_at)(c, x, at, next, d);
	NAMED(tv_weights)(c, d, weight);
	for (int a = 0; a < 3; a++) {
		*g -= c->w[a] * weight[a] * d[a];
		*bound += next >> a & 1 ? 2 * c->w[a] * c->w[a] * weight[a] : (T)0;
	}
	for (int a = 0; a < 3; a++)
		if (previous >> a & 1) {
			NAMED(tv_differences_at)(c, x, at - c->stride[a], next | 1u << a, d);
			NAMED(tv_weights)(c, d, weight);
			*g += c->w[a] * weight[a] * d[a];
			*bound += 2 * c->w[a] * c->w[a] * weight[a];
		}
}

/* The majorizer at its largest: all weights are 1/eps. */
TV_TYPED GT_HD T NAMED(tv_largest_bound)(const TV_CONSTANTS *c, unsigned next, unsigned previous)
{
	T sum = 0;
	for (int a = 0; a < 3; a++)
		sum += c->w[a] * c->w[a] * (T)((next >> a & 1) + (previous >> a & 1));
	return 2 * sum / c->eps;
}

/* Slope and curvature of TV_eps along D p, where D x is d. */
TV_TYPED GT_HD void NAMED(tv_line)(const TV_CONSTANTS *c, const T *d, const T *along, T *slope, T *curvature)
{
	T weight[3];
	NAMED(tv_weights)(c, d, weight);
	for (int a = 0; a < 3; a++) {
		*slope += weight[a] * d[a] * along[a];
		*curvature += weight[a] * along[a] * along[a];
	}
}

/* Proximal step ---------------------------------------------------------- */

/* P(z - tau D'r): r at the voxel and, along each axis, at the previous one (0 where there is none). */
TV_TYPED GT_HD T NAMED(tv_primal)(const TV_CONSTANTS *c, T z, const T *r, const T *r_previous)
{
	T s = 0;
	for (int a = 0; a < 3; a++)
		s += c->w[a] * (r_previous[a] - r[a]);
	const T u = z - c->tau * s;
	return u < c->lo ? c->lo : u > c->hi ? c->hi : u;
}

/* p = r + step D u, brought back to |p| <= 1. */
TV_TYPED GT_HD void NAMED(tv_dual)(const TV_CONSTANTS *c, T u, const T *u_next, unsigned next, const T *r, T *p)
{
	NAMED(tv_differences)(c, u, u_next, next, p);
	for (int a = 0; a < 3; a++)
		p[a] = r[a] + c->step * p[a];
	const T square = NAMED(tv_square)(p), shrink = !c->anisotropic && square > 1 ? INVERSE_ROOT(square) : (T)1;
	for (int a = 0; a < 3; a++)
		p[a] = !c->anisotropic ? shrink * p[a] : p[a] > 1 ? (T)1 : p[a] < -1 ? (T)-1 : p[a];
}
