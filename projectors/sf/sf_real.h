/* Part of sf_footprint.h, which includes it once for float and once for double: REAL is the type, GT_SF(name) the name
 * of a function or type, GT_SF_MATH(name) that of the C library's. OVER, ROOT and IN_ROOT: a/b, square root and 1 over
 * it, which a GPU may approximate in float to one or two units in the last place. LESS, MORE: the smaller and the
 * larger of two. */

/* How a ray's place becomes a column, and its length rows. N and M are what a view's frame gives for a point. */
typedef struct {
	REAL columns;                   /* flat, parallel: 1; arc: columns per rad, seen from the centre of the arc */
	/* flat, parallel: rows per unit of V/M; arc: of V over the distance, times the radius */
	REAL rows;
	/* arc: the focal spot from the centre of the arc, in radii; spot_angle: asin(spot_u) */
	REAL spot_u, spot_w, spot_angle;
	int arc;
} GT_SF(gt_sf_lens);

/* Angles near the ray of a frame are small: the series is exact to float there. */
GT_HD REAL GT_SF(gt_sf_atan)(REAL t)
{
	const REAL u = t * t;
	if (GT_SF_SERIES && u < (REAL)0.01)
		return t * (1 - u * ((REAL)1 / 3 - u * ((REAL)1 / 5 - u * ((REAL)1 / 7 - u * ((REAL)1 / 9)))));
	return GT_SF_MATH(atan)(t);
}

/* Of the ray of (N, M): its column from the frame's column, and rows per unit of V. M > 0. */
GT_HD REAL GT_SF(gt_sf_column)(const GT_SF(gt_sf_lens) *s, REAL N, REAL M)
{
	if (!s->arc)
		return GT_SF_OVER(N, M);
	const REAL psi = GT_SF(gt_sf_atan)(GT_SF_OVER(N, M));
	if (s->spot_u == 0 && s->spot_w == 0)
		return s->columns * psi;
	const REAL in = GT_SF_IN_ROOT(N * N + M * M);
	return s->columns * (psi + (GT_SF_MATH(asin)((s->spot_u * M - s->spot_w * N) * in) - s->spot_angle));
}
GT_HD REAL GT_SF(gt_sf_stretch)(const GT_SF(gt_sf_lens) *s, REAL N, REAL M)
{
	if (!s->arc)
		return GT_SF_OVER(s->rows, M);
	const REAL in = GT_SF_IN_ROOT(N * N + M * M);
	if (s->spot_u == 0 && s->spot_w == 0)
		return s->rows * in;
	const REAL side = (s->spot_u * M - s->spot_w * N) * in, along = (s->spot_u * N + s->spot_w * M) * in;
	return s->rows * in * (GT_SF_ROOT(1 - side * side) - along);
}

/* Rises from 0 to 1 between at[0] and at[1], falls between at[2] and at[3]; rise, fall: 1 / (2 width of the flank). */
typedef struct { REAL at[4], rise, fall; } GT_SF(gt_sf_trapezoid);

GT_HD void GT_SF(gt_sf_order)(REAL *a, REAL *b)
{
	const REAL low = GT_SF_LESS(*a, *b), high = GT_SF_MORE(*a, *b);
	*a = low;
	*b = high;
}
/* From the columns of the four corners, in any order. */
GT_HD GT_SF(gt_sf_trapezoid) GT_SF(gt_sf_trapezoid_of)(REAL a, REAL b, REAL c, REAL d)
{
	GT_SF(gt_sf_trapezoid) t;
	GT_SF(gt_sf_order)(&a, &b);
	GT_SF(gt_sf_order)(&c, &d);
	GT_SF(gt_sf_order)(&a, &c);
	GT_SF(gt_sf_order)(&b, &d);
	GT_SF(gt_sf_order)(&b, &c);
	t.at[0] = a;
	t.at[1] = b;
	t.at[2] = c;
	t.at[3] = d;
	t.rise = b > a ? GT_SF_OVER((REAL)0.5, b - a) : 0;
	t.fall = d > c ? GT_SF_OVER((REAL)0.5, d - c) : 0;
	return t;
}
GT_HD REAL GT_SF(gt_sf_within)(REAL s, REAL low, REAL high) { return GT_SF_LESS(GT_SF_MORE(s, low), high) - low; }
/* Its integral up to s. */
GT_HD REAL GT_SF(gt_sf_area)(const GT_SF(gt_sf_trapezoid) *t, REAL s)
{
	const REAL up = GT_SF(gt_sf_within)(s, t->at[0], t->at[1]), down = GT_SF(gt_sf_within)(s, t->at[2], t->at[3]);
	return up * up * t->rise + GT_SF(gt_sf_within)(s, t->at[1], t->at[2]) + (down - down * down * t->fall);
}

/* Length through a voxel, in the plane of the slices, of the ray through its centre with direction (a, b) in voxels. */
GT_HD REAL GT_SF(gt_sf_chord)(REAL a, REAL b, REAL dx, REAL dy)
{
	const REAL most = GT_SF_MATH(fabs)(a) > GT_SF_MATH(fabs)(b) ? GT_SF_MATH(fabs)(a) : GT_SF_MATH(fabs)(b);
	return GT_SF_OVER(GT_SF_ROOT(a * a * dx * dx + b * b * dy * dy), most);
}

/* What a ramp of half width h around 0 adds to the integral of a step there, up to d: 0 outside the ramp, h/4 at d =
 * 0. */
GT_HD REAL GT_SF(gt_sf_ramp)(REAL d, REAL h)
{
	const REAL in = h - GT_SF_MATH(fabs)(d);
	return in > 0 ? GT_SF_OVER(in * in, 4 * h) : 0;
}
