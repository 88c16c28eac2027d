/* CPU backend: a pool of threads; loops_cpu.c has the array operations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/array.h>
#include <gantry/author/params.h>
#include "core/device/backend.h"
#include "core/device/host_memory.h"
#include "core/device/loops_cpu.h"
#include "core/linop.h"
#include "core/params.h"
#include "core/random_math.h"
#include "core/vectors/sets.h"

enum { GRAIN = 1 << 15 };

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

static const char *instructions(void)
{
#ifdef GT_X86_KERNELS
	return gt_runs_here("avx512") ? "AVX-512, " : gt_runs_here("avx2") ? "AVX2, " : "without AVX2, ";
#else
	return "";
#endif
}

/* Upper limit: more threads only cost stack memory. */
static long long max_threads(void)
{
	const long processors = sysconf(_SC_NPROCESSORS_CONF);
	return processors > 128 ? 8LL * processors : 1024;
}

static gt_status open_(gt_backend *be, const char *arg)
{
	long long threads = 0;
	char model[128];
	if (*arg) {
		const gt_status st = gt_parse_int("backend cpu:THREADS", arg, 1, max_threads(), &threads);
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

/* Linux overcommits memory and kills later. Checks the available memory first, and touches all pages of large arrays,
 * so that the next check sees the true value. */
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

static void close_(gt_backend *be)
{
	free(be->own);
	free(be->slot);
}
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
	.map = gt_cpu_map,
	.red = gt_cpu_red,
	.both = gt_cpu_both,
	.wait_reductions = gt_cpu_wait_reductions,
	.mul_normals = mul_normals_,
	.rows = rows_,
	.gather = gt_cpu_gather,
	.catch_up = gt_cpu_catch_up,
	.catch_up_of = gt_cpu_catch_up_of,
};
