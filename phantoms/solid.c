/* Intersections of lines with convex solids: the quadratic in body coordinates scaled to unit size. It is evaluated at
 * the point of the line nearest to the centre, which avoids cancellation for a small solid far from the source. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/vec3.h>
#include "phantoms/solid.h"

gt_solid gt_solid_make(gt_solid_kind kind)
{
	gt_solid s = { .kind = kind, .taper = 1, .density = 1 };
	for (int a = 0; a < 3; a++) {
		s.axis[a][a] = 1;
		s.half[a] = 1;
	}
	return s;
}

void gt_solid_free(gt_solid *s)
{
	free(s->clip);
	s->clip = NULL;
	s->clips = 0;
}

gt_status gt_solid_clip(gt_solid *s, const double n[3], double d)
{
	double(*more)[4] = realloc(s->clip, (s->clips + 1) * sizeof *more);
	if (!more)
		return gt_fail(GT_ERR_MEMORY, "no memory for %zu clips of a shape", s->clips + 1);
	s->clip = more;
	const double length = sqrt(gt_dot3(n, n));
	for (int a = 0; a < 3; a++)
		more[s->clips][a] = n[a] / length;
	more[s->clips++][3] = d / length;
	return GT_OK;
}

static void turn(double v[3], double c, double s)
{
	const double x = v[0], y = v[1];
	v[0] = c * x - s * y;
	v[1] = s * x + c * y;
}

void gt_solid_move(gt_solid *s, double scale, double angle, const double shift[3])
{
	const double co = cos(angle), si = sin(angle);
	turn(s->center, co, si);
	for (int a = 0; a < 3; a++) {
		s->center[a] = scale * s->center[a] + shift[a];
		s->half[a] *= scale;
		turn(s->axis[a], co, si);
	}
	for (size_t i = 0; i < s->clips; i++) {
		turn(s->clip[i], co, si);
		s->clip[i][3] = scale * s->clip[i][3] + gt_dot3(s->clip[i], shift);
	}
}

/* Half extent along world axis a of the ellipse (or full ellipsoid) spanned by the first n axes. */
static double extent(const gt_solid *s, int a, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += s->axis[i][a] * s->half[i] * s->axis[i][a] * s->half[i];
	return sqrt(sum);
}

static void bound(gt_solid *s)
{
	for (int a = 0; a < 3; a++) {
		const double c = s->center[a], along = s->axis[2][a] * s->half[2];
		if (s->kind == GT_SOLID_CONE) {
			const double e = extent(s, a, 2);
			s->lo[a] = c + fmin(-along - e, along - s->taper * e);
			s->hi[a] = c + fmax(-along + e, along + s->taper * e);
			continue;
		}
		double e = fabs(s->axis[0][a]) * s->half[0] + fabs(s->axis[1][a]) * s->half[1] + fabs(along);
		if (s->kind == GT_SOLID_ELLIPSOID)
			e = extent(s, a, 3);
		s->lo[a] = c - e;
		s->hi[a] = c + e;
	}
}

/* Shrinks the box to its part in a half-space. */
static void bound_clip(gt_solid *s, const double clip[4])
{
	double min = 0, part[3];
	for (int a = 0; a < 3; a++) {
		part[a] = fmin(clip[a] * s->lo[a], clip[a] * s->hi[a]);
		min += part[a];
	}
	for (int a = 0; a < 3; a++) {
		const double limit = (clip[3] - (min - part[a])) / clip[a];
		if (clip[a] > 1e-9)
			s->hi[a] = fmax(s->lo[a], fmin(s->hi[a], limit));
		else if (clip[a] < -1e-9)
			s->lo[a] = fmin(s->hi[a], fmax(s->lo[a], limit));
	}
}

void gt_solid_finish(gt_solid *s)
{
	for (int i = 0; i < 3; i++)
		for (int a = 0; a < 3; a++)
			s->map[i][a] = s->axis[i][a] / s->half[i];
	bound(s);
	for (size_t i = 0; i < s->clips; i++)
		bound_clip(s, s->clip[i]);
	/* Rounding must never put a part of the solid outside its box. */
	for (int a = 0; a < 3; a++) {
		const double slack = 1e-9 * (s->hi[a] - s->lo[a]) + 1e-12 * (fabs(s->lo[a]) + fabs(s->hi[a]));
		s->lo[a] -= slack;
		s->hi[a] += slack;
	}
}

double gt_solid_reach(const gt_solid *s)
{
	double corner = 0, radius;
	for (int a = 0; a < 3; a++)
		corner = hypot(corner, fmax(fabs(s->lo[a]), fabs(s->hi[a])));
	if (s->kind == GT_SOLID_ELLIPSOID)
		radius = fmax(s->half[0], fmax(s->half[1], s->half[2]));
	else if (s->kind == GT_SOLID_CONE)
		radius = hypot(s->half[2], fmax(1, s->taper) * fmax(s->half[0], s->half[1]));
	else
		radius = sqrt(gt_dot3(s->half, s->half));
	return fmin(corner, sqrt(gt_dot3(s->center, s->center)) + radius);
}

int gt_solid_holds(const gt_solid *s, const double x[3])
{
	double q[3];
	const double p[3] = { x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2] };
	for (int i = 0; i < 3; i++)
		q[i] = gt_dot3(s->map[i], p);
	if (s->kind == GT_SOLID_ELLIPSOID) {
		if (gt_dot3(q, q) > 1)
			return 0;
	} else if (s->kind == GT_SOLID_BOX) {
		if (fabs(q[0]) > 1 || fabs(q[1]) > 1 || fabs(q[2]) > 1)
			return 0;
	} else {
		const double r = 0.5 * ((1 + s->taper) + (s->taper - 1) * q[2]);
		if (fabs(q[2]) > 1 || q[0] * q[0] + q[1] * q[1] > r * r)
			return 0;
	}
	for (size_t i = 0; i < s->clips; i++)
		if (gt_dot3(s->clip[i], x) > s->clip[i][3])
			return 0;
	return 1;
}

/* Keeps o + t d <= limit. */
static int cut_plane(double o, double d, double limit, double *in, double *out)
{
	if (d == 0)
		return o <= limit;
	const double t = (limit - o) / d;
	if (d > 0 && t < *out)
		*out = t;
	else if (d < 0 && t > *in)
		*in = t;
	return *in < *out;
}

static int cut_slab(double o, double d, double *in, double *out) { return cut_plane(o, d, 1, in, out) && cut_plane(-o, -d, 1, in, out); }

static int cut_ellipsoid(const double o[3], const double d[3], double *in, double *out)
{
	const double a = gt_dot3(d, d), nearest = -gt_dot3(o, d) / a;
	const double w[3] = { o[0] + nearest * d[0], o[1] + nearest * d[1], o[2] + nearest * d[2] };
	const double rest = 1 - gt_dot3(w, w);
	if (!(rest > 0))
		return 0;
	const double half = sqrt(rest / a);
	*in = fmax(*in, nearest - half);
	*out = fmin(*out, nearest + half);
	return *in < *out;
}

/* Within the slab the radius m + s q_2 is not negative, so only one nappe of the double cone is met. */
static int cut_cone(double taper, const double o[3], const double d[3], double *in, double *out)
{
	if (!cut_slab(o[2], d[2], in, out))
		return 0;
	const double m = 0.5 * (1 + taper), s = 0.5 * (taper - 1);
	const double shift = -gt_dot3(o, d) / gt_dot3(d, d);
	const double p[3] = { o[0] + shift * d[0], o[1] + shift * d[1], o[2] + shift * d[2] };
	const double r = m + s * p[2], rd = s * d[2];
	const double a = d[0] * d[0] + d[1] * d[1] - rd * rd;
	const double b = p[0] * d[0] + p[1] * d[1] - r * rd;
	const double c = p[0] * p[0] + p[1] * p[1] - r * r;
	double disc = b * b - a * c;
	if (a > 0 && !(disc > 0))
		return 0;
	if (a == 0 && b == 0)
		return c <= 0;
	disc = fmax(disc, 0);
	const double q = -(b + copysign(sqrt(disc), b));
	const double one = q / a, two = q != 0 ? c / q : 0; /* a = 0: one is infinite, two the only root */
	const double first = shift + fmin(one, two), second = shift + fmax(one, two);
	if (a > 0) {
		*in = fmax(*in, first);
		*out = fmin(*out, second);
	} else if (a == 0) {
		if (b > 0)
			*out = fmin(*out, shift + two);
		else
			*in = fmax(*in, shift + two);
	} else if (rd > 0) {
		*in = fmax(*in, second);
	} else {
		*out = fmin(*out, first);
	}
	return *in < *out;
}

int gt_solid_cut(const gt_solid *s, const double from[3], const double direction[3], double *in, double *out)
{
	double o[3], d[3];
	const double p[3] = { from[0] - s->center[0], from[1] - s->center[1], from[2] - s->center[2] };
	for (int i = 0; i < 3; i++) {
		o[i] = gt_dot3(s->map[i], p);
		d[i] = gt_dot3(s->map[i], direction);
	}
	int left;
	if (s->kind == GT_SOLID_ELLIPSOID)
		left = cut_ellipsoid(o, d, in, out);
	else if (s->kind == GT_SOLID_CONE)
		left = cut_cone(s->taper, o, d, in, out);
	else
		left = cut_slab(o[0], d[0], in, out) && cut_slab(o[1], d[1], in, out) && cut_slab(o[2], d[2], in, out);
	for (size_t i = 0; left && i < s->clips; i++)
		left = cut_plane(gt_dot3(s->clip[i], from), gt_dot3(s->clip[i], direction), s->clip[i][3], in, out);
	return left;
}
