/* Loops of the CPU backend, generated from core/device/ops.def for both types: run at once, or several in one pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/clones.h"
#include "core/device/loops_cpu.h"

/* PARTS partial sums, independent of the number of threads. Each has LANES interleaved sums, because the additions of a
 * single one would depend on each other. */
enum { PARTS = 256, LANES = 8, GRAIN = 1 << 15 };

struct job;
/* Adds elements [i, end) of a reduction to its LANES sums, and writes results of combined operations. */
typedef void (*summing)(const struct job *j, size_t i, size_t end, double *sum);
struct job {
	size_t n, slot;
	void *y;
	const void *x, *z;
	double a, b, c, start, part[PARTS];
	gt_loop maps; /* either maps or sums */
	summing sums;
};
/* Deferred operations on arrays of equal size, see gt_backend_gather(): each CHUNK of elements is read once, and all
 * operations run on it in order. */
enum { LATE = 16, CHUNK = 1 << 12, GROUPS = 2 };
/* Operations of volume size and of data size form separate groups, unless one needs results of the other. */
struct late {
	struct group {
		size_t jobs, bytes; /* bytes of each array */
		gt_type type;
		struct job job[LATE];
	} group[GROUPS];
};

/* keeps NaN */
static inline float within_single(float v, float lo, float hi) { return v < lo ? lo : v > hi ? hi : v; }
static inline double within_double(double v, double lo, double hi) { return v < lo ? lo : v > hi ? hi : v; }
#define within(v, lo, hi) _Generic((v), float : within_single, default : within_double)(v, lo, hi)

#define NAMED(name, T) name##_##T
#define MAP_LOOP(name, T, expr)                                                        \
	static void NAMED(map_##name, T)(void *self, size_t i, size_t end, int worker) \
	{                                                                              \
		const struct job *j = self;                                            \
		const T a = (T)j->a, b = (T)j->b, c = (T)j->c, *X = j->x, *Z = j->z;   \
		T *Y = j->y;                                                           \
		(void)a, (void)b, (void)c, (void)worker;                               \
		for (; i < end; i++) {                                                 \
			const T x = X[i], y = Y[i], z = Z[i];                          \
			(void)x, (void)y, (void)z;                                     \
			Y[i] = (T)(expr);                                              \
		}                                                                      \
	}
/* Sum (start 0), maximum (start -inf) or minimum (start inf). */
static double join(double start, size_t n, const double *part)
{
	double s = start;
	for (size_t k = 0; k < n; k++)
		s = start < 0 ? (part[k] > s ? part[k] : s) : start > 0 ? (part[k] < s ? part[k] : s) : s + part[k];
	return s;
}

#define RED_LOOP(name, T, unused, next)                                                                     \
	GT_WIDER static void NAMED(red_##name, T)(const struct job *j, size_t i, size_t end, double *lanes) \
	{                                                                                                   \
		const T *X = j->x, *Y = j->z;                                                               \
		double sum[LANES];                                                                          \
		memcpy(sum, lanes, sizeof sum);                                                             \
		for (; i + LANES <= end; i += LANES)                                                        \
			for (int q = 0; q < LANES; q++) {                                                   \
				const double x = X[i + q], y = Y[i + q], s = sum[q];                        \
				(void)y;                                                                    \
				sum[q] = next;                                                              \
			}                                                                                   \
		for (int q = 0; i < end; i++, q++) {                                                        \
			const double x = X[i], y = Y[i], s = sum[q];                                        \
			(void)y;                                                                            \
			sum[q] = next;                                                                      \
		}                                                                                           \
		memcpy(lanes, sum, sizeof sum);                                                             \
	}

/* z and the written value are rounded to the type; the sum is in double. */
#define BOTH_LOOP(name, T, expr, term)                                                                       \
	GT_WIDER static void NAMED(both_##name, T)(const struct job *j, size_t i, size_t end, double *lanes) \
	{                                                                                                    \
		const T *X = j->x, *Z = j->z;                                                                \
		T *Y = j->y;                                                                                 \
		double s = *lanes;                                                                           \
		for (; i < end; i++) {                                                                       \
			const double x = X[i], y = Y[i], z = Z[i];                                           \
			(void)z;                                                                             \
			s += term;                                                                           \
			Y[i] = (T)(expr);                                                                    \
		}                                                                                            \
		*lanes = s;                                                                                  \
	}

#define MAP(name, expr) MAP_LOOP(name, float, expr) MAP_LOOP(name, double, expr)
#define RED(name, start, next) RED_LOOP(name, float, start, next) RED_LOOP(name, double, start, next)
#define BOTH(name, expr, term) BOTH_LOOP(name, float, expr, term) BOTH_LOOP(name, double, expr, term)
#include "core/device/ops.def"
#undef MAP
#undef RED
#undef BOTH

#define MAP(name, expr) { map_##name##_float, map_##name##_double },
#define RED(name, start, next)
#define BOTH(name, expr, term)
static const gt_loop maps[][2] = {
#include "core/device/ops.def"
};
#undef MAP
#undef RED
#define MAP(name, expr)
#define RED(name, start, next) { { red_##name##_float, red_##name##_double }, start },
static const struct {
	summing of[2];
	double start;
} reds[] = {
#include "core/device/ops.def"
};
#undef RED
#undef BOTH
#define RED(name, start, next)
#define BOTH(name, expr, term) { both_##name##_float, both_##name##_double },
static const summing boths[][2] = {
#include "core/device/ops.def"
};
#undef MAP
#undef RED
#undef BOTH

struct jobs {
	struct job *job;
	size_t n;
};

static void some_parts(void *self, size_t k, size_t last, int worker)
{
	const struct jobs *all = self;
	const size_t n = all->job->n, part = (n + PARTS - 1) / PARTS, step = all->n > 1 ? CHUNK : part;
	double sum[LATE][LANES];
	for (; k < last; k++) {
		const size_t end = (k + 1) * part < n ? (k + 1) * part : n;
		for (size_t q = 0; q < all->n; q++)
			for (int lane = 0; lane < LANES; lane++)
				sum[q][lane] = all->job[q].start;
		for (size_t i = k * part, to; i < end; i = to) {
			to = end - i < step ? end : i + step;
			for (size_t q = 0; q < all->n; q++) {
				struct job *j = &all->job[q];
				if (j->maps)
					j->maps(j, i, to, worker);
				else
					j->sums(j, i, to, sum[q]);
			}
		}
		for (size_t q = 0; q < all->n; q++)
			all->job[q].part[k] = join(all->job[q].start, LANES, sum[q]);
	}
}

static void compute(gt_backend *be, struct job *job, size_t n)
{
	struct jobs all = { job, n };
	if (n == 1 && job->maps)
		gt_parallel(be->pool, job->n, GRAIN, job->maps, job);
	else
		gt_parallel(be->pool, PARTS, 1, some_parts, &all);
	for (size_t k = 0; k < n; k++)
		if (job[k].sums)
			be->slot[job[k].slot] = join(job[k].start, PARTS, job[k].part);
}

static void compute_group(gt_backend *be, struct group *g)
{
	const size_t n = g->jobs;
	g->jobs = 0;
	if (n)
		compute(be, g->job, n);
}

void gt_cpu_catch_up(gt_backend *be)
{
	struct late *l = be->own;
	be->late = 0;
	for (int k = 0; l && k < GROUPS; k++)
		compute_group(be, &l->group[k]);
}

static int overlap(const void *p, size_t bytes_p, const void *q, size_t bytes_q)
{
	const char *a = p, *b = q;
	return a && b && (a < b ? (size_t)(b - a) < bytes_p : (size_t)(a - b) < bytes_q);
}

void gt_cpu_catch_up_of(gt_backend *be, const void *p, size_t bytes)
{
	struct late *l = be->own;
	int left = 0;
	for (int i = 0; l && i < GROUPS; i++) {
		struct group *g = &l->group[i];
		int touched = 0;
		for (size_t k = 0; k < g->jobs && !touched; k++) {
			const struct job *j = &g->job[k];
			touched = overlap(j->y, g->bytes, p, bytes) || overlap(j->x, g->bytes, p, bytes) ||
			          overlap(j->z, g->bytes, p, bytes);
		}
		if (touched)
			compute_group(be, g);
		left |= g->jobs > 0;
	}
	be->late = left;
}

/* 1: one operation writes memory of the other that is not accessed elementwise in the same chunk. */
static int conflict(const struct job *j, size_t bytes, const struct job *k, size_t bytes_k, int same)
{
	const struct {
		const void *of_j, *of_k;
	} pair[] = { { j->y, k->y }, { j->y, k->x }, { j->y, k->z }, { j->x, k->y }, { j->z, k->y } };
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (!(same && pair[i].of_j == pair[i].of_k) && overlap(pair[i].of_j, bytes, pair[i].of_k, bytes_k))
			return 1;
	return 0;
}

/* Group that can defer this operation; NULL: run the deferred operations first. */
static struct group *group_for(struct late *l, gt_type t, const struct job *j)
{
	const size_t bytes = j->n * gt_type_size(t);
	struct group *own = NULL;
	for (int i = 0; i < GROUPS; i++) {
		struct group *g = &l->group[i];
		const int same = g->jobs && g->type == t && g->bytes == bytes;
		for (size_t k = 0; k < g->jobs; k++)
			if (conflict(j, bytes, &g->job[k], g->bytes, same))
				return NULL;
		if (same && g->jobs == LATE)
			return NULL;
		if (same || (!g->jobs && !own))
			own = g;
	}
	return own;
}

static void submit(gt_backend *be, gt_type t, struct job *j)
{
	struct late *l = be->own;
	if (!l || !gt_backend_is_outermost(be)) {
		compute(be, j, 1);
		return;
	}
	struct group *g = group_for(l, t, j);
	if (!g) {
		gt_cpu_catch_up(be);
		g = &l->group[0];
	}
	g->type = t;
	g->bytes = j->n * gt_type_size(t);
	g->job[g->jobs++] = *j;
	be->late = 1;
}

void gt_cpu_map(gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y)
{
	struct job j = { .n = n, .y = y, .x = x, .z = z, .a = abc[0], .b = abc[1], .c = abc[2], .maps = maps[op][t] };
	submit(be, t, &j);
}

void gt_cpu_red(gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y, size_t slot)
{
	struct job j = { .n = n, .x = x, .z = y, .slot = slot, .start = reds[op].start, .sums = reds[op].of[t] };
	submit(be, t, &j);
}

void gt_cpu_both(gt_backend *be, gt_type t, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot)
{
	struct job j = { .n = n, .x = x, .z = z, .y = y, .slot = slot, .sums = boths[op][t] };
	submit(be, t, &j);
}

void gt_cpu_wait_reductions(gt_backend *be, size_t slots)
{
	(void)slots;
	gt_cpu_catch_up(be);
}

gt_status gt_cpu_gather(gt_backend *be)
{
	if (!be->own && !(be->own = calloc(1, sizeof(struct late))))
		return gt_fail(GT_ERR_MEMORY, "no memory for deferred operations");
	return GT_OK;
}
