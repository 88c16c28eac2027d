/* Translation-invariant wavelet sparsity: Coifman, Donoho, in Wavelets and Statistics, Lecture Notes in Statistics
 * 103 (1995) 125.
 *    R(x) = strength sum over levels j of 2^(-axes j/2) sum over voxels and bands of |(D_j x)|.
 * The D_j are the seven detail bands of level j of the undecimated separable transform (three for a slice; algorithm "a
 * trous"), with low passes of sum 1. R is the mean over all shifts of the l1 norm of the details of the orthonormal
 * transform.
 * The volume is mirrored at the border; an axis of one voxel has no details. Voxel sizes do not matter.
 *
 * The penalty is an analysis prior, not one on synthesis coefficients (Selesnick, Figueiredo, SPIE 7446 (2009) 74460D
 * compare them), so its proximal step has no closed form. Cycle spinning shrinks the details of all shifts and
 * averages; it is a good denoiser but not this step.
 * The function prox() is exact, by the accelerated primal-dual method of Chambolle and Pock, J. Math. Imaging Vis. 40
 * (2011) 120, algorithm 2, on
 *    |u - z|^2/2 + max over |p| <= 1 of sum of t strength_j <p_j, D_j u>.
 * p is stored between calls; u starts and ends as P(z - D'p), P being the projection on the bounds.
 *
 * In a team ranks fetch the slices that the coarsest filter reaches below and above, half its taps times
 * 2^(levels-1). An inner iteration exchanges 9 levels numbers per voxel of these slices. A rank may own fewer slices.
 *
 * Memory: 7 levels + 6 numbers per voxel, 3 levels + 6 in a slice. */
#include <gantry/regularizer.h>
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "regularizers/pass_params.h"
#include "regularizers/smooth_prior.h"
#include "regularizers/wavelet/wavelet_filters.h"
#include "team/team.h"

struct options {
	double strength;
	int filter, levels, inner;
};
static const struct options defaults = { .strength = 1, .filter = 0, .levels = 3, .inner = 30 };
static const gt_param params[] = {
	GT_PARAM_STRENGTH(struct options),
	{ .key = "filter",
	  .help = "Haar's, or Daubechies' of 4, 6 and 8 taps, sym4 being nearly symmetric",
	  .kind = GT_CHOICE,
	  .at = offsetof(struct options, filter),
	  .names = gt_wavelet_names },
	GT_PARAM_INT(struct options, levels, "scales, each twice as coarse as the one before", 1, 8),
	GT_PARAM_INT(struct options, inner, "iterations of a proximal step", 1, 1e6),
	{ .key = NULL },
};

/* Scratch arrays of split() and join(). */
enum { ROOM_COARSE, ROOM_OTHER, ROOM_AXIS, ROOMS = ROOM_AXIS + 2 };

struct state {
	struct gt_site site;
	double strength, norm2;
	int filter, levels, inner, axes, axis[3]; /* axes: number of axes with more than one voxel */
	gt_array *u, *ahead, *room[ROOMS], *dual; /* all but u are buffers of the site */
	gt_array *kept;                           /* state of dual */
};

static void *detail_at(const struct state *s, int level, int band)
{
	const size_t bands = ((size_t)1 << s->axes) - 1, k = (size_t)level * bands + (size_t)band - 1;
	return (char *)s->dual->data + k * gt_site_apart(&s->site) * gt_type_size(s->site.type);
}

static double weight(const struct state *s, int level) { return s->strength * pow(2, -s->axes * (level + 1) / 2.); }

static struct gt_pass_call stage(const struct state *s, int level, int axis)
{
	struct gt_pass_call call = { .k = { 0 } };
	double *k = call.k + GT_PASS_OWN;
	k[0] = s->axis[axis % 3];
	k[1] = (double)((size_t)1 << level);
	k[2] = gt_wavelet_filter(s->filter, k + 6);
	k[4] = k[5] = 1;
	return call;
}

enum { STORE, DUAL, SIZES = 2, ALL = 4 }; /* as in wavelet_math.inc */

/* A level: its low pass, an input or output, and the factor of its details. */
struct level {
	int level;
	double factor;
	void *coarse;
	void *sizes; /* NULL: the details go into the dual */
};

/* Processes the axes from `axis` on; `band` has a bit for each previous high pass. */
static void split(const struct state *s, const struct level *l, int axis, int band, const void *from)
{
	struct gt_pass_call call = stage(s, l->level, axis);
	call.a[0] = (void *)(size_t)from;
	if (axis < 2 && axis + 1 < s->axes) {
		void *between = s->room[ROOM_AXIS + axis]->data;
		for (int high = 0; high < 2; high++) { /* halo slices too, because z reads them */
			call.a[1] = high ? NULL : between;
			call.a[2] = high ? between : NULL;
			gt_site_run_on(&s->site, s->site.n, GT_PASS_wavelet_split, &call);
			split(s, l, axis + 1, band | high << axis, between);
		}
	} else {
		call.k[GT_PASS_OWN + 3] = (l->sizes ? SIZES : DUAL) | (band ? ALL : STORE);
		call.k[GT_PASS_OWN + 4] = call.k[GT_PASS_OWN + 5] = l->factor;
		call.a[1] = !band ? l->coarse : l->sizes ? NULL : detail_at(s, l->level, band);
		call.a[2] = l->sizes ? NULL : detail_at(s, l->level, band | 1 << axis);
		call.a[3] = l->sizes;
		gt_site_run(&s->site, GT_PASS_wavelet_split, &call, NULL, NULL);
	}
}

/* Processes all levels. With `sizes` it adds the weighted magnitudes of the details of x to it. Else, for a proximal
 * step t, the dual moves by `dual` times the details of x, divided by t weight, since its bounds are 1. */
static void analyse(const struct state *s, gt_array *x, gt_array *sizes, double dual, double t)
{
	gt_array *from = x;
	for (int level = 0; level < s->levels; level++) {
		const double w = weight(s, level);
		gt_array *coarse = s->room[level % 2 ? ROOM_OTHER : ROOM_COARSE];
		const struct level l = { level, sizes ? w : dual / (t * w), coarse->data, sizes ? sizes->data : NULL };
		gt_site_refresh(&s->site, &from, 1);
		split(s, &l, 0, 0, from->data);
		from = coarse;
	}
}

/* Computes the transpose of split() into `to`; add: accumulates. */
static void join(const struct state *s, const struct level *l, int axis, int band, void *to, int add)
{
	struct gt_pass_call call = stage(s, l->level, axis);
	call.a[2] = to;
	if (axis < 2 && axis + 1 < s->axes) {
		void *between = s->room[ROOM_AXIS + axis]->data;
		for (int high = 0; high < 2; high++) {
			join(s, l, axis + 1, band | high << axis, between, 0);
			call.a[0] = high ? NULL : between;
			call.a[1] = high ? between : NULL;
			call.k[GT_PASS_OWN + 3] = add || high;
			gt_site_run(&s->site, GT_PASS_wavelet_join, &call, NULL, NULL);
		}
	} else {
		call.a[0] = band ? detail_at(s, l->level, band) : l->coarse;
		call.a[1] = detail_at(s, l->level, band | 1 << axis);
		call.k[GT_PASS_OWN + 3] = add;
		call.k[GT_PASS_OWN + 4] = band ? l->factor : 1;
		call.k[GT_PASS_OWN + 5] = l->factor;
		gt_site_run(&s->site, GT_PASS_wavelet_join, &call, NULL, NULL);
	}
}

/* Returns the array that holds the sum of t weight D'p. */
static gt_array *transpose(const struct state *s, double t)
{
	gt_array *from = NULL, *to = NULL, *const dual = s->dual;
	gt_site_refresh(&s->site, &dual, 1);
	for (int level = s->levels - 1; level >= 0; level--, from = to) {
		if (from)
			gt_site_refresh(&s->site, &from, 1);
		const struct level l = { level, t * weight(s, level), from ? from->data : NULL, NULL };
		to = s->room[level % 2 ? ROOM_OTHER : ROOM_COARSE];
		join(s, &l, 0, 0, to->data, 0);
	}
	return to;
}

static void value_async(void *self, const gt_array *x, double *value)
{
	const struct state *s = self;
	*value = NAN;
	if (!gt_site_fits(&s->site, x))
		return;
	gt_fill(0, s->ahead);
	if (s->axes) {
		gt_array own = gt_site_own(&s->site, s->room[ROOM_OTHER]);
		const gt_array here = gt_halo_local(x);
		gt_copy(&here, &own);
		analyse(s, s->room[ROOM_OTHER], s->ahead, 0, 0);
	}
	const gt_array sizes = gt_site_own(&s->site, s->ahead);
	gt_sum_async(&sizes, value);
	gt_team_join_later(s->site.be, value);
}

static double value(void *self, const gt_array *x)
{
	double sum;
	value_async(self, x, &sum);
	gt_reductions_wait(((const struct state *)self)->site.be);
	return sum;
}

/* u = P(z - D'p) */
static void from_dual(const struct state *s, double t, double lo, double hi, const gt_array *z, gt_array *u)
{
	gt_array back = gt_site_own(&s->site, transpose(s, t)), to = gt_halo_local(u);
	const gt_array from = gt_halo_local(z);
	gt_sub_clamped(&from, lo, hi, &back);
	gt_copy(&back, &to);
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	const struct state *s = self;
	if (!gt_site_fits(&s->site, z) || !gt_site_fits(&s->site, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	if (!s->axes || !(t * s->strength > 0)) {
		if (x != z)
			gt_copy(z, x);
		gt_clamp(lo, hi, x);
		return;
	}
	gt_array ahead = gt_site_own(&s->site, s->ahead);
	const size_t own[3] = { s->site.n[0], s->site.n[1], s->site.end - s->site.from };
	from_dual(s, t, lo, hi, z, s->u);
	gt_copy(s->u, &ahead);
	double primal = 1 / sqrt(s->norm2), dual = primal;
	for (int i = 0; i < s->inner; i++) {
		const double beyond = 1 / sqrt(1 + 2 * primal);
		analyse(s, s->ahead, NULL, dual, t);
		gt_array back = gt_site_own(&s->site, transpose(s, t));
		struct gt_pass_call call = { .a = { z->data, s->u->data, ahead.data, back.data } };
		call.k[GT_PASS_OWN] = primal;
		call.k[GT_PASS_OWN + 1] = beyond;
		call.k[GT_PASS_OWN + 2] = lo;
		call.k[GT_PASS_OWN + 3] = hi;
		gt_site_run_on(&s->site, own, GT_PASS_wavelet_primal, &call);
		primal *= beyond;
		dual /= beyond;
	}
	from_dual(s, t, lo, hi, z, x);
}

static size_t state(void *self, gt_state_entry *list)
{
	const struct state *s = self;
	list[0] = (gt_state_entry){ "wavelet_dual", s->kept, NULL };
	return 1;
}

static void release(void *self)
{
	struct state *s = self;
	gt_array_free(s->u);
	gt_array_free(s->ahead);
	gt_array_free(s->kept);
	gt_array_free(s->dual);
	for (int i = 0; i < ROOMS; i++)
		gt_array_free(s->room[i]);
	gt_site_close(&s->site);
	free(s);
}

static const struct gt_penalty_ops ops = {
	.name = "wavelet", .value = value, .prox = prox, .free = release, .state = state, .value_async = value_async
};

/* A single voxel has no details, and one dual number that stays 0. */
static gt_status fill(struct state *s)
{
	gt_array **const rooms[] = { &s->ahead, &s->room[0], &s->room[1], &s->room[2], &s->room[3] };
	const size_t bands = s->axes ? ((size_t)1 << s->axes) - 1 : 1;
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
		GT_TRY(gt_site_room(&s->site, 1, rooms[i]));
	GT_TRY(gt_array_new(s->site.be, s->site.type, s->site.voxels, &s->u));
	GT_TRY(gt_site_room(&s->site, bands * (size_t)s->levels, &s->dual));
	GT_TRY(gt_site_kept(&s->site, s->dual, 0, &s->kept));
done:
	return st;
}

/* Returns the slices that the coarsest filter reads below and above. */
static size_t reach(const struct options *o)
{
	double low[GT_WAVELET_TAPS];
	return (size_t)(gt_wavelet_filter(o->filter, low) / 2) << (o->levels - 1);
}

/* The taps of the last level are 2^(levels-1) voxels apart: on an axis no longer than this they meet only mirror
 * images. */
static gt_status check_levels(const struct options *o, const gt_grid *grid)
{
	static const char *const along[] = { "voxels along x", "voxels along y", "slices" };
	for (int a = 0; a < 3; a++) {
		int max = 1;
		while ((size_t)1 << max < grid->n[a] && max < o->levels)
			max++;
		if (grid->n[a] > 1 && max < o->levels)
			return gt_fail(GT_ERR_ARG, "penalty 'wavelet': levels=%d on %zu %s: expected at most levels=%d, or more of them",
			               o->levels, grid->n[a], along[a], max);
	}
	return GT_OK;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const struct options *o = options;
	struct state *s = NULL;
	gt_status st = gt_no_kappa("wavelet", kappa);
	GT_TRY(st);
	GT_TRY(check_levels(o, grid));
	if (!(s = calloc(1, sizeof *s)))
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'wavelet'");
	s->strength = o->strength;
	s->filter = o->filter;
	s->levels = o->levels;
	s->inner = o->inner;
	for (int a = 0; a < 3; a++)
		if (grid->n[a] > 1)
			s->axis[s->axes++] = a;
	GT_TRY(gt_site_open_wide(&s->site, "wavelet", be, type, grid, reach(o)));
	GT_TRY(fill(s));
	GT_TRY(gt_wavelet_norm2(o->filter, o->levels, grid->n, &s->norm2));
	return gt_penalty_new(&ops, s, be, type, gt_grid_voxels(grid), 1, R);
done:
	if (s)
		release(s);
	return st;
}

const gt_regularizer gt_regularizer_wavelet = {
	.name = "wavelet",
	.about = "sparse details of an undecimated wavelet transform; for solvers with proximal steps",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.make = make,
	.no_automatic_strength = 1, /* the strength search needs a gradient */
};
