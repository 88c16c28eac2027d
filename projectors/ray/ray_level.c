/* Sorts the rays of level scans into frames of entries: see ray_level.h. */
#include "projectors/ray/ray_level.h"

/* Larger positions exceed the kernels' fixed point. */
static const double farthest = 1 << 18;
/* A source nearer to the grid, in voxels, needs kernels that treat each ray separately. */
static const double near = 3;

/* A view before sorting. */
struct source {
	const gt_rays *g;
	const gt_ray_view *v;
	const gt_ray_column *column;
};

static const double *direction(const struct source *s, int k) { return s->g->fan ? s->column[k].at : s->v->base; }
static const double *point(const struct source *s, int k) { return s->g->fan ? s->v->base : s->column[k].at; }

/* Returns 1 if rows run along z, all columns have the same height, and no ray follows z more than x or y. */
static int is_level(const struct source *s)
{
	const double *row = s->v->row, height = fabs(row[2]);
	if (fabs(row[0]) > 1e-12 * height || fabs(row[1]) > 1e-12 * height)
		return 0;
	for (int k = 0; k < s->g->columns; k++) {
		double e[3] = { direction(s, k)[0], direction(s, k)[1], direction(s, k)[2] };
		if (fabs(s->column[k].at[2] - s->column[0].at[2]) > 1e-12 * height || gt_ray_axis(e) == 2)
			return 0;
		e[2] += s->g->fan ? (s->g->rows - 1) * row[2] : 0;
		if (gt_ray_axis(e) == 2)
			return 0;
	}
	return 1;
}

/* Finds the columns of an axis. Returns 0 unless they are adjacent and have the same direction. */
static int find_run(const struct source *s, int axis, gt_ray_frame *f)
{
	int last = -1;
	double sign = 0;
	for (int k = 0; k < s->g->columns; k++) {
		const double *e = direction(s, k);
		if (gt_ray_axis(e) != axis)
			continue;
		if (!f->count++) {
			f->start = k;
			sign = e[axis];
		}
		last = k;
		if (e[axis] * sign <= 0)
			return 0;
	}
	return !f->count || last - f->start + 1 == f->count;
}

static double entry_S(const struct source *s, int axis, int k)
{
	const double *e = direction(s, k), *p = point(s, k);
	return s->g->fan ? e[1 - axis] / fabs(e[axis]) : fma(-p[axis], e[1 - axis] / e[axis], p[1 - axis]);
}

static double entry_W(const struct source *s, int axis, int k)
{
	const double *e = direction(s, k), *p = point(s, k);
	return s->g->fan ? fabs(s->v->row[2]) / fabs(e[axis]) : fma(-p[axis], e[2] / e[axis], p[2]);
}

static void fill_frame(const struct source *s, int axis, gt_ray_frame *f)
{
	const double *base = s->v->base, V = s->v->row[2], sign = direction(s, f->start)[axis] > 0 ? 1 : -1;
	const double from = V < 0 ? (s->g->rows - 1) * V : 0; /* offset of the lowest row from row 0 */
	f->flip = V < 0;
	f->V = fabs(V);
	f->end = s->g->n[axis];
	if (!s->g->fan) {
		f->dR = f->F0 = 1;
		f->M0 = base[1 - axis] / base[axis];
		f->Z1 = base[2] / base[axis];
		f->c = from / f->V;
		return;
	}
	f->F1 = 1;
	f->dR = sign;
	f->R0 = -sign * base[axis];
	f->X0 = base[1 - axis];
	f->Z0 = base[2];
	f->c = (s->column[0].at[2] + from) / f->V;
	while (f->first < f->end && fma(f->first + 0.5, f->dR, f->R0) < 0.5)
		f->first++;
	while (f->first < f->end && fma(f->end - 0.5, f->dR, f->R0) < 0.5)
		f->end--;
}

/* Fills the entries in ascending order of S. Returns 0 if they have no strict order. */
static int fill_entries(const struct source *s, int axis, gt_ray_frame *f, double *S, double *W, int *guess)
{
	const int last = f->start + f->count - 1;
	f->down = entry_S(s, axis, f->start) > entry_S(s, axis, last);
	f->W_low = INFINITY;
	f->W_high = -INFINITY;
	for (int p = f->start; p <= last; p++) {
		const int k = gt_ray_level_column(f, p);
		S[p] = entry_S(s, axis, k);
		W[p] = entry_W(s, axis, k);
		f->W_low = fmin(f->W_low, W[p]);
		f->W_high = fmax(f->W_high, W[p]);
		if (p > f->start && !(S[p] > S[p - 1]))
			return 0;
	}
	f->bins = f->count > 1 ? f->count / (S[last] - S[f->start]) : 0;
	for (int b = 0, m = 0; b < f->count; b++) {
		while (m < f->count - 1 && (S[f->start + m] - S[f->start]) * f->bins < b)
			m++;
		guess[f->start + b] = m;
	}
	return 1;
}

/* Clips [from, to] to the slices in which at + n step lies between 0 and n. */
static void within(double at, double step, double n, double *from, double *to)
{
	if (step == 0) {
		if (at < 0 || at > n)
			*to = *from;
		return;
	}
	const double one = -at / step, two = (n - at) / step;
	*from = fmax(*from, fmin(one, two));
	*to = fmax(*from, fmin(*to, fmax(one, two)));
}

/* Adds the entry's slices within the grid, from a sample of its rows. Returns 0 if its positions exceed the fixed
 * point. */
static int measure(const gt_rays *g, const gt_ray_frame *f, int axis, double S, double W, gt_ray_level *level)
{
	const gt_ray_line l = gt_ray_level_line(GT_RAY_SIDDON, f, S, W, g->n[axis]);
	const int step = g->rows / 8 + 1;
	double first = f->first, end = f->end;
	for (int k = 0; k < 2; k++) {
		const double n = k ? end : first, low = fma(n, l.z_step, l.z), high = low + g->rows * fma(n, l.row_step, l.row);
		if (!(fabs(low) < farthest && fabs(high) < farthest))
			return 0;
	}
	within(l.x, l.x_step, g->n[1 - axis], &first, &end);
	for (int k = 0; k < 2 && end > first; k++) {
		const double height = fma(k ? end : first, l.row_step, l.row);
		level->lowest = fmin(level->lowest, height);
		level->highest = fmax(level->highest, height);
	}
	for (int q = 0; q < g->rows; q += step) {
		const int rows = g->rows - q < step ? g->rows - q : step;
		double from = first, to = end;
		within(fma(q + rows / 2, l.row, l.z), fma(q + rows / 2, l.row_step, l.z_step), g->n[2], &from, &to);
		level->samples += rows * (to - from);
		level->crossings += rows * (to - from) * fabs(l.x_step);
	}
	return 1;
}

static int source_is_near(const struct source *s, int axis)
{
	int away = 0;
	for (int a = 0; a < 2; a++) {
		const double min = a == axis ? 2 : near, at = s->v->base[a];
		away |= at < -min || at > s->g->n[a] + min;
	}
	return s->g->fan && !away;
}

int gt_ray_level_fill(const gt_rays *g, gt_ray_frame *frame, double *S, double *W, int *guess, gt_ray_level *level)
{
	if (g->n[0] > farthest || g->n[1] > farthest || g->n[2] > farthest)
		return 0;
	*level = (gt_ray_level){ .lowest = INFINITY }; /* without tables */
	for (size_t view = 0; view < g->views; view++) {
		const size_t at = view * (size_t)g->columns;
		const struct source s = { g, &g->view[view], g->column + at };
		if (!is_level(&s))
			return 0;
		for (int axis = 0; axis < 2; axis++) {
			gt_ray_frame *f = &frame[2 * view + (size_t)axis];
			if (!find_run(&s, axis, f))
				return 0;
			if (!f->count)
				continue;
			fill_frame(&s, axis, f);
			if (source_is_near(&s, axis) || !fill_entries(&s, axis, f, S + at, W + at, guess + at))
				return 0;
			for (int p = f->start; p < f->start + f->count; p++)
				if (!measure(g, f, axis, S[at + (size_t)p], W[at + (size_t)p], level))
					return 0;
			level->sliced[axis] = 1;
		}
	}
	return 1;
}
