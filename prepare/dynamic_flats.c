/* Flat fields that change within a scan: Van Nieuwenhove et al., Opt. Express 23 (2015) 27975. Each view was divided
 * by the mean flat field. It is divided again by 1 + sum a_k u_k, with the eigenflats u_k relative to that mean. The
 * coefficients a_k minimise the total variation of the transmission, binned 2 x 2, and the level of the view stays.
 * Gauss-Newton steps start at a = 0 and weight differences by their inverse magnitude. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "core/basis/symmetric.h"
#include "core/try.h"
#include "prepare/eigen_flats.h"

struct options {
	double factor;
	int max;
};
static const struct options defaults = { 1.1, 4 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "factor",
	  .help = "minimum eigenvalue of an eigenflat, as a multiple of that of noise",
	  .kind = GT_REAL,
	  .at = AT(factor),
	  .min = 1,
	  .max = 1e6 },
	{ .key = "most", .help = "eigenflats", .kind = GT_INT, .at = AT(max), .min = 1, .max = GT_MAX_EIGEN_FLATS },
	{ .key = NULL },
};
enum { MIN_FIELDS = 5, ROUNDS = 30, BIN = 2 };

typedef struct {
	gt_eigen_flats e;
	float *binned; /* [count][rows/2][columns/2] of u */
	size_t rows, columns;
} flats_known;

static void forget(void *self)
{
	flats_known *f = self;
	gt_eigen_flats_free(&f->e);
	free(f->binned);
	free(f);
}

static void bin(const float *x, size_t columns, size_t to_rows, size_t to_columns, float *out)
{
	for (size_t r = 0; r < to_rows; r++)
		for (size_t k = 0; k < to_columns; k++) {
			const float *a = x + BIN * r * columns + BIN * k;
			out[r * to_columns + k] = (a[0] + a[1] + a[columns] + a[columns + 1]) / 4;
		}
}

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_scan *s = c->source.scan;
	gt_status st = GT_OK;
	if (c->o->flats.images < MIN_FIELDS)
		return gt_fail(GT_ERR_ARG, "%zu flat fields of the whole detector: expected %d and more, before any bin",
		               c->o->flats.images, MIN_FIELDS);
	if (s->rows < 2 * BIN || s->columns < 2 * BIN)
		return gt_fail(GT_ERR_UNSUPPORTED, "%zu rows of %zu columns: expected 4 and more of both", s->rows, s->columns);
	GT_TRY(gt_prepare_known(c, sizeof(flats_known)));
	flats_known *f = c->known;
	c->forget = forget;
	GT_TRY(gt_eigen_flats_new(c, s->rows, s->columns, o->factor, (size_t)o->max, &f->e));
	f->rows = s->rows / BIN;
	f->columns = s->columns / BIN;
	if (!(f->binned = malloc((f->e.count ? f->e.count : 1) * f->rows * f->columns * sizeof *f->binned)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "flat fields: out of memory"));
	for (size_t k = 0; k < f->e.count; k++)
		bin(f->e.u + k * f->e.pixels, s->columns, f->rows, f->columns, f->binned + k * f->rows * f->columns);
done:
	return st;
}

/* One binned view and its corrected transmission. */
typedef struct {
	const flats_known *f;
	const float *t;
	double small; /* smaller differences count as squares */
} variation;

typedef struct {
	double value, gradient[GT_MAX_EIGEN_FLATS], product[GT_MAX_EIGEN_FLATS][GT_MAX_EIGEN_FLATS];
} normal_equations;

/* Computes t/(1 + sum a u) at a pixel and its derivatives. */
static double corrected(const variation *v, const double *a, size_t i, double *slope)
{
	const size_t n = v->f->rows * v->f->columns;
	double field = 1;
	for (size_t k = 0; k < v->f->e.count; k++)
		field += a[k] * v->f->binned[k * n + i];
	field = fmax(field, 0.05);
	for (size_t k = 0; slope && k < v->f->e.count; k++)
		slope[k] = -v->t[i] * v->f->binned[k * n + i] / (field * field);
	return v->t[i] / field;
}

static void add_difference(const variation *v, const double *a, size_t i, size_t j, normal_equations *q)
{
	double at_i[GT_MAX_EIGEN_FLATS], at_j[GT_MAX_EIGEN_FLATS];
	const double off = corrected(v, a, j, at_j) - corrected(v, a, i, at_i), size = sqrt(off * off + v->small * v->small);
	q->value += size;
	for (size_t k = 0; k < v->f->e.count; k++) {
		const double slope = at_j[k] - at_i[k];
		q->gradient[k] += off / size * slope;
		for (size_t l = 0; l <= k; l++)
			q->product[k][l] += slope * (at_j[l] - at_i[l]) / size;
	}
}

static void measure(const variation *v, const double *a, normal_equations *q)
{
	const size_t rows = v->f->rows, columns = v->f->columns;
	memset(q, 0, sizeof *q);
	for (size_t r = 0; r < rows; r++)
		for (size_t k = 0; k < columns; k++) {
			const size_t i = r * columns + k;
			if (k + 1 < columns)
				add_difference(v, a, i, i + 1, q);
			if (r + 1 < rows)
				add_difference(v, a, i, i + columns, q);
		}
}

/* Solves product x = gradient. Returns 0 if the product is singular. */
static int solve(const normal_equations *q, size_t n, double *x)
{
	double a[GT_MAX_EIGEN_FLATS * GT_MAX_EIGEN_FLATS];
	for (size_t i = 0; i < n; i++) {
		x[i] = q->gradient[i];
		for (size_t j = 0; j <= i; j++)
			a[i * n + j] = q->product[i][j];
	}
	if (gt_cholesky(n, 0, a) < n)
		return 0;
	gt_cholesky_solve(n, a, x);
	return 1;
}

static void min_variation(const variation *v, double *a)
{
	const size_t n = v->f->e.count;
	normal_equations here, there;
	double step[GT_MAX_EIGEN_FLATS], next[GT_MAX_EIGEN_FLATS];
	measure(v, a, &here);
	for (int round = 0; round < ROUNDS && solve(&here, n, step); round++) {
		double share = 1, before = here.value, largest = 0;
		do {
			largest = 0;
			for (size_t k = 0; k < n; k++) {
				next[k] = a[k] - share * step[k];
				largest = fmax(largest, fabs(share * step[k]));
			}
			measure(v, next, &there);
			share /= 2;
		} while (!(there.value < before) && largest > 1e-6);
		if (!(there.value < before))
			break;
		memcpy(a, next, n * sizeof *a);
		here = there;
		if (largest < 1e-5)
			break;
	}
}

typedef struct {
	const gt_projections *p;
	const flats_known *f;
	float *room; /* [workers][pixels + binned pixels] */
} flats_call;

static void one_view(const flats_call *c, float *p, float *room)
{
	const flats_known *f = c->f;
	const size_t n = f->e.pixels, small = f->rows * f->columns;
	float *t = room, *binned = room + n;
	double a[GT_MAX_EIGEN_FLATS] = { 0 }, mean = 0, level = 0, all = 0;
	for (size_t i = 0; i < n; i++)
		t[i] = expf(-p[i]);
	bin(t, c->p->scan->columns, f->rows, f->columns, binned);
	for (size_t i = 0; i < small; i++)
		mean += binned[i] / (double)small;
	const variation v = { f, binned, 1e-3 * mean };
	min_variation(&v, a);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			double field = 1;
			for (size_t k = 0; k < f->e.count; k++)
				field += a[k] * f->e.u[k * n + i];
			field = fmax(field, 0.05);
			if (pass) {
				p[i] += (float)log(field * all / level);
			} else {
				level += f->e.mean[i] * field;
				all += f->e.mean[i];
			}
		}
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	const flats_call *c = self;
	const size_t n = c->f->e.pixels, each = n + c->f->rows * c->f->columns;
	for (size_t v = begin; v < end; v++)
		one_view(c, c->p->data + v * n, c->room + (size_t)worker * each);
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const flats_known *f = c->known;
	const size_t each = f->e.pixels + f->rows * f->columns;
	flats_call call = { *c->p, f, NULL };
	(void)options;
	if (!f->e.count)
		return GT_OK;
	if (!(call.room = malloc((size_t)gt_pool_threads(c->pool) * each * sizeof *call.room)))
		return gt_fail(GT_ERR_MEMORY, "flat fields: out of memory");
	gt_parallel(c->pool, call.p->scan->views, 1, loop, &call);
	free(call.room);
	return GT_OK;
}

static void report(gt_prepare_call *c)
{
	const flats_known *f = c->known;
	gt_prepare_note(c, "%zu of %zu components of the flat fields stand out of noise%s", f->e.count, f->e.images,
	                f->e.count ? "" : ": nothing is changed");
}

const gt_preparation gt_preparation_dynamic_flats = {
	.name = "dynamic-flats",
	.about = "flat fields that change within the scan, by their principal components",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
	.report = report,
};
