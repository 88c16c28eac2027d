/* Simultaneous algebraic reconstruction with ordered subsets:
 *   x <- P[ x + relax C_S A_S' R_S (b_S - A_S x) ],   R_S = 1/(A_S 1),  C_S = 1/(A_S' 1)
 * Andersen and Kak, Ultrason. Imaging 6 (1984) 81; in this form Jiang and Wang, IEEE Trans. Image Process. 12 (2003) 957.
 * One subset is SIRT, one view each is SART. */
#include <math.h>
#include <stdlib.h>
#include "solvers/solver.h"

enum order { SEQUENTIAL, BIT_REVERSED, GOLDEN };
static const char *const orders[] = { "sequential", "bit-reversed", "golden", NULL };
enum keep { KEEP_AUTO, KEEP_YES, KEEP_NO };
static const char *const keeps[] = { "auto", "yes", "no", NULL };

struct options {
	int iterations, subsets, nonneg, order, keep;
	double relax, reduce, threshold;
};
static const struct options defaults = { .iterations = 20,
	                                 .subsets = 10,
	                                 .nonneg = 1,
	                                 .order = BIT_REVERSED,
	                                 .keep = KEEP_AUTO,
	                                 .relax = 1,
	                                 .reduce = 0.99,
	                                 .threshold = 1e-3 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "passes over all subsets", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "subsets",
	  .help = "ordered subsets of the views: 1 is SIRT, 0 one view each (SART)",
	  .kind = GT_INT,
	  .at = AT(subsets),
	  .least = 0,
	  .most = 1e6 },
	{ .key = "relax", .help = "step, below 2", .kind = GT_REAL, .at = AT(relax), .least = 0, .most = 2 },
	{ .key = "reduce", .help = "factor on the step after every iteration", .kind = GT_REAL, .at = AT(reduce), .least = 0, .most = 1 },
	{ .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = AT(nonneg) },
	{ .key = "order", .help = "in which subsets follow each other", .kind = GT_CHOICE, .at = AT(order), .names = orders },
	{ .key = "threshold",
	  .help = "voxels whose column sum is below this part of the largest stay as they are",
	  .kind = GT_REAL,
	  .at = AT(threshold),
	  .least = 0,
	  .most = 1 },
	{ .key = "keep",
	  .help = "keep the sums of all subsets instead of computing them every time; auto: if half the free memory holds them",
	  .kind = GT_CHOICE,
	  .at = AT(keep),
	  .names = keeps },
	{ .key = NULL },
};

static gt_status subsets(const void *options, size_t views, size_t *n)
{
	const struct options *o = options;
	if ((size_t)o->subsets > views)
		return gt_fail(GT_ERR_ARG, "subsets=%d: expected at most one per view, that is %zu", o->subsets, views);
	*n = o->subsets ? (size_t)o->subsets : views;
	return GT_OK;
}
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

static size_t reverse_bits(size_t i, size_t bits)
{
	size_t reversed = 0;
	for (size_t b = 0; b < bits; b++)
		reversed |= (i >> b & 1) << (bits - 1 - b);
	return reversed;
}

/* The first subset at or after `next` that is not in order[0..count): the golden-ratio sequence with collisions resolved. */
static size_t next_free(const size_t *order, size_t count, size_t n, size_t next)
{
	for (size_t k = 0; k < count; k++)
		if (order[k] == next) {
			next = (next + 1) % n;
			k = (size_t)-1;
		}
	return next;
}

/* Subset numbers in the order of access. */
static void fill_order(enum order kind, size_t n, size_t *order)
{
	size_t bits = 0, count = 0;
	while ((size_t)1 << bits < n)
		bits++;
	for (size_t i = 0; i < (kind == BIT_REVERSED ? (size_t)1 << bits : n); i++) {
		const size_t golden = (size_t)(fmod((double)i * 0.6180339887498949, 1) * (double)n);
		const size_t next = kind == SEQUENTIAL ? i : kind == GOLDEN ? next_free(order, count, n, golden) : reverse_bits(i, bits);
		if (next < n)
			order[count++] = next;
	}
}

struct state {
	const gt_problem *p;
	const struct options *o;
	size_t *order;
	gt_array *g, *old;     /* volumes */
	gt_array *r_room, **r; /* as large as the largest subset, and the part that each subset uses */
	gt_array **R, **C;     /* 1/sums of each subset, or room for them if they are not kept */
	gt_array *R_room, *C_room;
	int keep;
};

static size_t largest_subset(const gt_problem *p)
{
	size_t most = 0;
	for (size_t k = 0; k < p->subsets; k++)
		most = gt_array_size(p->b[k]) > most ? gt_array_size(p->b[k]) : most;
	return most;
}

/* R_k for rays that meet the volume, 0 elsewhere; overwrites g. */
static void row_weights(const struct state *s, size_t k)
{
	gt_fill(1, s->g);
	gt_forward(s->p->A[k], s->g, s->R[k]);
	gt_inv(1e-6 * gt_max(s->R[k]), s->R[k]);
}

/* C_k for voxels that the subset sees well, 0 elsewhere; overwrites r. */
static void column_weights(const struct state *s, size_t k)
{
	gt_fill(1, s->r[k]);
	gt_adjoint(s->p->A[k], s->r[k], s->C[k]);
	gt_inv(s->o->threshold * gt_max(s->C[k]), s->C[k]);
}

static int keeps_sums(const struct state *s, const gt_array *x)
{
	double needed = (double)s->p->subsets * (double)gt_array_bytes(x);
	size_t available, total;
	for (size_t k = 0; k < s->p->subsets; k++)
		needed += (double)gt_array_bytes(s->p->b[k]);
	gt_backend_memory(gt_array_backend(x), &available, &total);
	return s->o->keep == KEEP_YES || (s->o->keep == KEEP_AUTO && needed < 0.5 * (double)available);
}

static gt_status make_subset(struct state *s, size_t k, const gt_array *x)
{
	gt_status st = GT_OK;
	const size_t n = gt_array_size(s->p->b[k]);
	GT_TRY(gt_array_part(s->r_room, 0, n, &s->r[k]));
	GT_TRY(s->keep ? gt_array_like(s->p->b[k], &s->R[k]) : gt_array_part(s->R_room, 0, n, &s->R[k]));
	GT_TRY(s->keep ? gt_array_like(x, &s->C[k]) : gt_array_part(s->C_room, 0, gt_array_size(x), &s->C[k]));
	if (s->keep) {
		row_weights(s, k);
		column_weights(s, k);
	}
done:
	return st;
}

static gt_status prepare(struct state *s, const gt_array *x)
{
	gt_status st = GT_OK;
	const size_t n = s->p->subsets, most = largest_subset(s->p);
	s->order = malloc(n * sizeof *s->order);
	s->r = calloc(n, sizeof *s->r);
	s->R = calloc(n, sizeof *s->R);
	s->C = calloc(n, sizeof *s->C);
	if (!s->order || !s->r || !s->R || !s->C)
		return gt_fail(GT_ERR_MEMORY, "os-sart: no memory for the records of %zu subsets", n);
	fill_order((enum order)s->o->order, n, s->order);
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_like(x, &s->old));
	GT_TRY(gt_array_new(gt_array_backend(x), gt_array_type(x), most, &s->r_room));
	s->keep = keeps_sums(s, x);
	if (!s->keep) {
		GT_TRY(gt_array_like(s->r_room, &s->R_room));
		GT_TRY(gt_array_like(x, &s->C_room));
	}
	for (size_t k = 0; k < n; k++)
		GT_TRY(make_subset(s, k, x));
done:
	return st;
}

/* One subset; returns the squared residual that it found. */
static double update(const struct state *s, size_t k, double relax, gt_array *x)
{
	const gt_problem *p = s->p;
	gt_array *r = s->r[k];
	if (!s->keep)
		row_weights(s, k);
	gt_forward(p->A[k], x, r);
	gt_xpay(p->b[k], -1, r); /* r = b - A x */
	const double residual = gt_dot(r, r);
	gt_mul(s->R[k], r);
	gt_adjoint(p->A[k], r, s->g);
	if (!s->keep)
		column_weights(s, k);
	gt_mul(s->C[k], s->g);
	gt_axpy(relax, s->g, x);
	gt_clamp(p->lo, p->hi, x);
	return residual;
}

static void release(struct state *s)
{
	for (size_t k = 0; k < s->p->subsets; k++) {
		gt_array_free(s->r ? s->r[k] : NULL);
		gt_array_free(s->R ? s->R[k] : NULL);
		gt_array_free(s->C ? s->C[k] : NULL);
	}
	gt_array_free(s->g);
	gt_array_free(s->old);
	gt_array_free(s->r_room);
	gt_array_free(s->R_room);
	gt_array_free(s->C_room);
	free(s->order);
	free(s->r);
	free(s->R);
	free(s->C);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .p = p, .o = o };
	gt_status st = GT_OK;
	double relax = o->relax;
	GT_TRY(prepare(&s, x));
	for (int k = 1; k <= o->iterations; k++, relax *= o->reduce) {
		double residual = 0;
		gt_copy(x, s.old);
		for (size_t i = 0; i < p->subsets; i++)
			residual += update(&s, s.order[i], relax, x);
		gt_progress g = gt_progress_of(k, o->iterations, x);
		g.residual = sqrt(residual);
		g.change = sqrt(gt_dist2(x, s.old) / (double)gt_array_size(x));
		GT_TRY(gt_report(m, &g));
	}
done:
	release(&s);
	return st;
}

const gt_solver gt_solver_os_sart = {
	.name = "os-sart",
	.about = "algebraic reconstruction with ordered subsets (SIRT, SART)",
	.traits = GT_TAKES_SUBSETS | GT_TAKES_BOUNDS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.subsets = subsets,
	.nonneg = nonneg,
};
