/* The CPU backend: a pool of threads, loops generated from core/device/ops.def for both types. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/host_memory.h>
#include <gantry/params.h>
#include "core/device/backend.h"
#include "core/random_math.h"
#include "core/vectors/sets.h"

/* PARTS sums whatever the number of threads: a reduction does not depend on it. Each is of LANES sums, every LANES-th
 * term in one: a single sum would wait for each of its additions. */
enum { PARTS = 256, LANES = 8, GRAIN = 1 << 15 };

struct job {
	size_t n, part_size;
	void *y;
	const void *x, *z;
	double a, b, c, part[PARTS];
};

/* NaN stays NaN. */
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
/* Sums, or of minus infinity the largest, of infinity the smallest. */
static double join(double start, size_t n, const double *part)
{
	double s = start;
	for (size_t k = 0; k < n; k++)
		s = start < 0 ? (part[k] > s ? part[k] : s) : start > 0 ? (part[k] < s ? part[k] : s) : s + part[k];
	return s;
}

#define RED_LOOP(name, T, start, next)                                                       \
	static void NAMED(red_##name, T)(void *self, size_t k, size_t last, int worker)      \
	{                                                                                    \
		struct job *j = self;                                                        \
		const T *X = j->x, *Y = j->z;                                                \
		(void)worker;                                                                \
		for (; k < last; k++) {                                                      \
			size_t i = k * j->part_size, end = i + j->part_size;                 \
			double sum[LANES];                                                   \
			for (int q = 0; q < LANES; q++)                                      \
				sum[q] = start;                                              \
			for (end = end < j->n ? end : j->n; i + LANES <= end; i += LANES)    \
				for (int q = 0; q < LANES; q++) {                            \
					const double x = X[i + q], y = Y[i + q], s = sum[q]; \
					(void)y;                                             \
					sum[q] = next;                                       \
				}                                                            \
			for (int q = 0; i < end; i++, q++) {                                 \
				const double x = X[i], y = Y[i], s = sum[q];                 \
				(void)y;                                                     \
				sum[q] = next;                                               \
			}                                                                    \
			j->part[k] = join(start, LANES, sum);                                \
		}                                                                            \
	}

/* z comes rounded to the type, and so does what is written; the sum is of doubles. */
#define BOTH_LOOP(name, T, expr, term)                                                   \
	static void NAMED(both_##name, T)(void *self, size_t k, size_t last, int worker) \
	{                                                                                \
		struct job *j = self;                                                    \
		const T *X = j->x, *Z = j->z;                                            \
		T *Y = j->y;                                                             \
		(void)worker;                                                            \
		for (; k < last; k++) {                                                  \
			size_t i = k * j->part_size, end = i + j->part_size;             \
			double s = 0;                                                    \
			for (end = end < j->n ? end : j->n; i < end; i++) {              \
				const double x = X[i], y = Y[i], z = Z[i];               \
				(void)z;                                                 \
				s += term;                                               \
				Y[i] = (T)(expr);                                        \
			}                                                                \
			j->part[k] = s;                                                  \
		}                                                                        \
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
	gt_loop of[2];
	double start;
} reds[] = {
#include "core/device/ops.def"
};
#undef RED
#undef BOTH
#define RED(name, start, next)
#define BOTH(name, expr, term) { both_##name##_float, both_##name##_double },
static const gt_loop boths[][2] = {
#include "core/device/ops.def"
};
#undef MAP
#undef RED
#undef BOTH

static void map_(gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y)
{
	struct job j = { .n = n, .y = y, .x = x, .z = z, .a = abc[0], .b = abc[1], .c = abc[2] };
	gt_parallel(be->pool, n, GRAIN, maps[op][t], &j);
}

static void red_(gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y, size_t slot)
{
	struct job j = { .n = n, .x = x, .z = y, .part_size = (n + PARTS - 1) / PARTS };
	gt_parallel(be->pool, PARTS, 1, reds[op].of[t], &j);
	be->slot[slot] = join(reds[op].start, PARTS, j.part);
}

static void both_(gt_backend *be, gt_type t, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot)
{
	struct job j = { .n = n, .x = x, .z = z, .y = y, .part_size = (n + PARTS - 1) / PARTS };
	gt_parallel(be->pool, PARTS, 1, boths[op][t], &j);
	be->slot[slot] = join(0, PARTS, j.part);
}
static void settle_(gt_backend *be, size_t slots) { (void)be, (void)slots; }

struct normals {
	uint64_t seed;
	void *y;
};

static void normals_single(void *self, size_t i, size_t end, int worker)
{
	const struct normals *s = self;
	(void)worker;
	for (float *y = s->y; i < end; i++)
		y[i] = (float)(y[i] * gt_normal_at(s->seed, i));
}

static void normals_double(void *self, size_t i, size_t end, int worker)
{
	const struct normals *s = self;
	(void)worker;
	for (double *y = s->y; i < end; i++)
		y[i] *= gt_normal_at(s->seed, i);
}

static void rows_(gt_backend *be, gt_type t, const void *x, const gt_array_rows *r, float *y)
{
	(void)be;
	for (size_t k = 0; k < r->rows; k++)
		for (size_t i = 0; i < r->run; i++) {
			const size_t at = r->first + k * r->stride + i;
			*y++ = t == GT_F32 ? ((const float *)x)[at] : (float)((const double *)x)[at];
		}
}

static void mul_normals_(gt_backend *be, gt_type t, size_t n, uint64_t seed, void *y)
{
	struct normals s = { seed, y };
	gt_parallel(be->pool, n, GRAIN, t == GT_F32 ? normals_single : normals_double, &s);
}

static void cpu_model(char *text, size_t size)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");
	snprintf(text, size, "CPU");
	while (f && fgets(line, sizeof line, f)) {
		const char *colon = strchr(line, ':');
		if (!strncmp(line, "model name", 10) && colon) {
			snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
			break;
		}
	}
	if (f)
		fclose(f);
}

/* Of x86-64: the vectors of its kernels. */
static const char *instructions(void)
{
#ifdef GT_X86_KERNELS
	return gt_runs_here("avx512") ? "AVX-512, " : gt_runs_here("avx2") ? "AVX2, " : "without AVX2, ";
#else
	return "";
#endif
}

static gt_status open_(gt_backend *be, const char *arg)
{
	long long threads = 0;
	char model[128];
	if (*arg) {
		const gt_status st = gt_parse_int("backend cpu:THREADS", arg, 1, 65536, &threads);
		if (st != GT_OK)
			return st;
	}
	const gt_status known = gt_instructions_check();
	if (known != GT_OK)
		return known;
	if (!(be->slot = malloc(GT_SLOTS * sizeof *be->slot)))
		return gt_fail(GT_ERR_MEMORY, "no memory for backend 'cpu'");
	const gt_status st = gt_pool_new((int)threads, &be->pool);
	if (st != GT_OK) {
		free(be->slot);
		return st;
	}
	cpu_model(model, sizeof model);
	snprintf(be->name, sizeof be->name, "cpu:%d", gt_pool_threads(be->pool));
	snprintf(be->about, sizeof be->about, "%s, %s%d thread%s", model, instructions(), gt_pool_threads(be->pool),
	         gt_pool_threads(be->pool) == 1 ? "" : "s");
	return GT_OK;
}

static void memory_(gt_backend *be, size_t *available, size_t *total)
{
	(void)be;
	*total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	const double room = gt_host_available();
	*available = room >= 0 && room < (double)*total ? (size_t)room : *total;
}

enum { PAGE = 4096 };
static void touch(void *self, size_t page, size_t end, int worker)
{
	(void)worker;
	for (volatile char *p = self; page < end; page++)
		p[page * PAGE] = 0;
}

/* The kernel hands out more than there is and kills later: ask first, and take at once what large arrays ask for, so
 * that the next one asks for what is really left. */
static void *alloc_(gt_backend *be, size_t bytes)
{
	size_t available, total;
	if (bytes > 64u << 20) {
		memory_(be, &available, &total);
		if (bytes > available)
			return NULL;
	}
	void *p = NULL;
	const int large = bytes >= GT_HOST_LARGE;
	if (large && (p = gt_host_alloc(bytes)))
		gt_parallel(be->pool, bytes / PAGE, 0, touch, p);
	if (!large && posix_memalign(&p, 64, bytes) != 0)
		return NULL;
	return p;
}

static void close_(gt_backend *be) { free(be->slot); }
static void free_(gt_backend *be, void *p)
{
	(void)be;
	free(p);
}
static void wait_(gt_backend *be) { (void)be; }
static void copy_(gt_backend *be, const void *src, void *dst, size_t bytes)
{
	(void)be;
	memcpy(dst, src, bytes);
}

static double rate_(gt_backend *be, gt_resource r)
{
	(void)be, (void)r;
	return 0;
}

const struct gt_backend_ops gt_backend_cpu = {
	.name = "cpu",
	.open = open_,
	.close = close_,
	.alloc = alloc_,
	.free = free_,
	.put = copy_,
	.get = copy_,
	.wait = wait_,
	.memory = memory_,
	.rate = rate_,
	.map = map_,
	.red = red_,
	.both = both_,
	.settle = settle_,
	.mul_normals = mul_normals_,
	.rows = rows_,
};
