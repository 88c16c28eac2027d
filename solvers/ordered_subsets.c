/* Ordered subsets: access order, row and column sums, and the pass over the subsets. */
#include <math.h>
#include <stdlib.h>
#include "core/vectors/linop_step.h"
#include "core/log.h"
#include "core/partition/partition.h"
#include "core/try.h"
#include "solvers/ordered_subsets.h"
#include "team/team.h"

/* Smallest memory of a GPU that is left for later allocations, bytes. */
static const double LATER = 268435456;

const char *const gt_ordered_subsets_orders[] = { "sequential", "bit-reversed", "golden", NULL };
const char *const gt_ordered_subsets_keeps[] = { "auto", "yes", "no", NULL };

gt_status gt_ordered_subsets_subsets(const void *options, size_t views, size_t *n)
{
	const struct gt_ordered_subsets_options *o = options;
	if ((size_t)o->subsets > views)
		return gt_fail(GT_ERR_ARG, "subsets=%d: expected at most one per view, that is %zu", o->subsets, views);
	*n = o->subsets ? (size_t)o->subsets : views;
	return GT_OK;
}
int gt_ordered_subsets_nonneg(const void *options) { return ((const struct gt_ordered_subsets_options *)options)->nonneg; }

static size_t reverse_bits(size_t i, size_t bits)
{
	size_t reversed = 0;
	for (size_t b = 0; b < bits; b++)
		reversed |= (i >> b & 1) << (bits - 1 - b);
	return reversed;
}

/* Returns the first subset at or after `next` that is not in order[0..count): resolves collisions of the golden-ratio
 * sequence. */
static size_t next_free(const size_t *order, size_t count, size_t n, size_t next)
{
	for (size_t k = 0; k < count; k++)
		if (order[k] == next) {
			next = (next + 1) % n;
			k = (size_t)-1;
		}
	return next;
}

void gt_ordered_subsets_fill_order(enum gt_ordered_subsets_order kind, size_t n, size_t *order)
{
	size_t bits = 0, count = 0;
	while ((size_t)1 << bits < n)
		bits++;
	for (size_t i = 0; i < (kind == GT_OS_BIT_REVERSED ? (size_t)1 << bits : n); i++) {
		const size_t golden = (size_t)(fmod((double)i * 0.6180339887498949, 1) * (double)n);
		const size_t next = kind == GT_OS_SEQUENTIAL ? i
		                    : kind == GT_OS_GOLDEN   ? next_free(order, count, n, golden)
		                                             : reverse_bits(i, bits);
		if (next < n)
			order[count++] = next;
	}
}

struct gt_ordered_subsets {
	const gt_problem *p;
	double threshold;
	size_t *order;
	gt_array *g;           /* a volume */
	gt_array *r_room, **r; /* as large as the largest subset; the part that each subset uses */
	gt_array **R, **C;     /* 1/sums per subset, or scratch if they are not kept */
	gt_array *R_room, *C_room;
	gt_array *seen;       /* A z of steps/sweeps.c; NULL: not followed */
	double *min[2];       /* per subset: smallest valid sums of rays and of voxels; negative if unknown */
	double *square;       /* per subset: |b - A x|^2, valid after a wait */
	double unused;        /* receives sums that are not requested */
	size_t rows, columns; /* the first `rows` subsets keep R, the first `columns` keep C */
};

static size_t largest_subset(const gt_problem *p)
{
	size_t max = 0;
	for (size_t k = 0; k < p->subsets; k++)
		max = gt_array_here(p->b[k]) > max ? gt_array_here(p->b[k]) : max;
	return max;
}

/* The largest sum of a subset never changes, so it needs one wait only. */
static void invert(double part, gt_array *sums, double *min)
{
	if (*min < 0)
		*min = part * gt_max(sums);
	gt_reciprocal(*min, sums);
}

/* Computes R_k, 0 for rays outside the volume. Overwrites g. */
static void row_weights(const gt_ordered_subsets *s, size_t k)
{
	gt_fill(1, s->g);
	gt_forward(s->p->A[k], s->g, s->R[k]);
	invert(1e-6, s->R[k], &s->min[0][k]);
}

/* Computes C_k, 0 for voxels that the subset hardly sees. Overwrites r. */
static void column_weights(const gt_ordered_subsets *s, size_t k)
{
	gt_fill(1, s->r[k]);
	gt_adjoint(s->p->A[k], s->r[k], s->C[k]);
	invert(s->threshold, s->C[k], &s->min[1][k]);
}

/* Memory for sums with keep=auto, for all of them (`bytes`) or some. Other programs need memory of the host, too. No
 * array follows, but a GPU needs memory for kernels when first used, and to compute sums that do not fit. */
static double memory_for_sums(const gt_array *x, double rays, double bytes)
{
	gt_backend *be = gt_array_backend(x);
	size_t available, total;
	gt_backend_memory(be, &available, &total);
	if (!gt_backend_is_gpu(be))
		return 0.5 * (double)available;
	const double memory = (double)available - fmax(0.05 * (double)available, LATER);
	return bytes <= memory ? memory : memory - rays - (double)gt_array_bytes(x);
}

/* Memory of an array. A GPU allocates units of 2 MiB. */
static double allocated(const gt_backend *be, size_t bytes)
{
	const size_t unit = (size_t)2 << 20;
	return (double)(gt_backend_is_gpu(be) ? (bytes + unit - 1) / unit * unit : bytes);
}

/* Number of n arrays of `each` bytes that fit the memory; subtracts them. */
static size_t fitting(size_t n, double each, double *memory)
{
	const size_t fit = (size_t)fmin((double)n, fmax(*memory, 0) / each);
	*memory -= (double)fit * each;
	return fit;
}

/* Reports the costs of sums that are not kept: one operator for each, in addition to the two of each subset. */
static void note_kept(const gt_ordered_subsets *s, double bytes)
{
	const size_t n = s->p->subsets, again = 2 * n - s->rows - s->columns;
	if (again)
		gt_choice_note("keep=auto: keeps the row sums of %zu and the column sums of %zu of %zu subsets in %.3g GiB, which fit; "
		               "computing the others makes each iteration about %.0f %% longer",
		               s->rows, s->columns, n, bytes / 1073741824, 50 * (double)again / (double)n);
}

/* R and C of a subset save one projection each; the smaller ones are kept first. Equal on all ranks. */
static void choose_kept(gt_ordered_subsets *s, int keep, const gt_array *x)
{
	gt_backend *be = gt_array_backend(x);
	const size_t n = s->p->subsets;
	const double volume = allocated(be, gt_array_bytes(x));
	const double rays = allocated(be, gt_array_size(s->r_room) * gt_type_size(gt_array_type(x)));
	double memory = keep == GT_OS_KEEP_AUTO ? memory_for_sums(x, rays, (double)n * (rays + volume)) : 0;
	const int rows_first = gt_team_min(be, rays <= volume) > 0;
	size_t rows = n, columns = n;
	if (keep != GT_OS_KEEP_YES) {
		rows = rows_first ? fitting(n, rays, &memory) : 0;
		columns = fitting(n, volume, &memory);
		rows = rows_first ? rows : fitting(n, rays, &memory);
	}
	s->rows = (size_t)gt_team_min(be, (double)rows);
	s->columns = (size_t)gt_team_min(be, (double)columns);
	if (keep == GT_OS_KEEP_AUTO && !gt_backend_is_dry_run(be))
		note_kept(s, (double)s->rows * rays + (double)s->columns * volume);
}

static gt_status make_subset(gt_ordered_subsets *s, size_t k, const gt_array *x)
{
	gt_status st = GT_OK;
	const gt_array *b = s->p->b[k];
	GT_TRY(gt_array_shaped(s->r_room, 0, b, &s->r[k]));
	GT_TRY(k < s->rows ? gt_array_like(b, &s->R[k]) : gt_array_shaped(s->R_room, 0, b, &s->R[k]));
	GT_TRY(k < s->columns ? gt_array_like(x, &s->C[k]) : gt_array_part(s->C_room, 0, gt_array_size(x), &s->C[k]));
	if (k < s->rows)
		row_weights(s, k);
	if (k < s->columns)
		column_weights(s, k);
done:
	return st;
}

static gt_status prepare(gt_ordered_subsets *s, const struct gt_ordered_subsets_options *o, const gt_array *x)
{
	gt_status st = GT_OK;
	const size_t n = s->p->subsets, max = largest_subset(s->p);
	s->order = malloc(n * sizeof *s->order);
	s->r = calloc(n, sizeof *s->r);
	s->R = calloc(n, sizeof *s->R);
	s->C = calloc(n, sizeof *s->C);
	s->square = malloc(n * sizeof *s->square);
	for (int i = 0; i < 2; i++)
		s->min[i] = malloc(n * sizeof *s->min[i]);
	if (!s->order || !s->r || !s->R || !s->C || !s->square || !s->min[0] || !s->min[1])
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", n);
	for (size_t k = 0; k < n; k++)
		s->min[0][k] = s->min[1][k] = -1;
	gt_ordered_subsets_fill_order((enum gt_ordered_subsets_order)o->order, n, s->order);
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_new(gt_array_backend(x), gt_array_type(x), max, &s->r_room));
	choose_kept(s, o->keep, x);
	if (s->rows < n)
		GT_TRY(gt_array_like(s->r_room, &s->R_room));
	if (s->columns < n)
		GT_TRY(gt_array_like(x, &s->C_room));
	for (size_t k = 0; k < n; k++)
		GT_TRY(make_subset(s, k, x));
	if (o->momentum && n == 1) {
		GT_TRY(gt_array_like(s->p->b[0], &s->seen));
		gt_fill(0, s->seen);
	}
done:
	return st;
}

/* r is A of the extrapolated point. */
static void follow(gt_ordered_subsets *s, double ahead, const gt_array *r)
{
	gt_axpby(1 / (1 + ahead), r, ahead / (1 + ahead), s->seen);
	gt_distance2_async(s->seen, s->p->b[0], &s->square[0]);
}

static void update(gt_ordered_subsets *s, size_t k, double relax, double ahead, const gt_array *from, gt_array *x)
{
	const gt_problem *p = s->p;
	gt_array *r = s->r[k];
	if (k >= s->rows)
		row_weights(s, k);
	gt_forward(p->A[k], from, r);
	if (s->seen)
		follow(s, ahead, r);
	gt_weighted_residual_async(p->b[k], s->R[k], r, s->seen ? &s->unused : &s->square[k]); /* r = R (b - A x) */
	const gt_step step = { relax, p->lo, p->hi, s->C[k], from };
	if (k < s->columns) {
		gt_adjoint_step(p->A[k], r, &step, s->g, x);
		return;
	}
	gt_adjoint(p->A[k], r, s->g);
	column_weights(s, k);
	gt_take_step(&step, s->g, x);
}

void gt_ordered_subsets_run(gt_ordered_subsets *s, double relax, double ahead, const gt_array *from, gt_array *x)
{
	for (size_t i = 0; i < s->p->subsets; i++)
		update(s, s->order[i], relax, ahead, i ? x : from, x);
}

void gt_ordered_subsets_misfit(gt_ordered_subsets *s, const gt_array *x)
{
	for (size_t k = 0; k < s->p->subsets; k++) {
		gt_forward(s->p->A[k], x, s->r[k]);
		gt_distance2_async(s->r[k], s->p->b[k], &s->square[k]);
	}
}

double gt_ordered_subsets_squares(gt_ordered_subsets *s)
{
	double sum = 0;
	gt_reductions_wait(gt_array_backend(s->g));
	for (size_t k = 0; k < s->p->subsets; k++)
		sum += s->square[k];
	return sum;
}

gt_array *gt_ordered_subsets_seen(gt_ordered_subsets *s) { return s->seen; }
gt_array *gt_ordered_subsets_volume(gt_ordered_subsets *s) { return s->g; }

void gt_ordered_subsets_free(gt_ordered_subsets *s)
{
	if (!s)
		return;
	for (size_t k = 0; k < s->p->subsets; k++) {
		gt_array_free(s->r ? s->r[k] : NULL);
		gt_array_free(s->R ? s->R[k] : NULL);
		gt_array_free(s->C ? s->C[k] : NULL);
	}
	gt_array_free(s->g);
	gt_array_free(s->r_room);
	gt_array_free(s->R_room);
	gt_array_free(s->C_room);
	gt_array_free(s->seen);
	free(s->order);
	free(s->square);
	free(s->min[0]);
	free(s->min[1]);
	free(s->r);
	free(s->R);
	free(s->C);
	free(s);
}

gt_status gt_ordered_subsets_new(const gt_problem *p, const struct gt_ordered_subsets_options *o, const gt_array *x,
                                 gt_ordered_subsets **out)
{
	gt_ordered_subsets *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", p->subsets);
	s->p = p;
	s->threshold = o->threshold;
	const gt_status st = prepare(s, o, x);
	if (st != GT_OK)
		gt_ordered_subsets_free(s);
	else
		*out = s;
	return st;
}
