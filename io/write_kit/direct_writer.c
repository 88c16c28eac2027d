/* Writes aligned blocks past the page cache (O_DIRECT), and the remainder at either end through the cache. If the file
 * system refuses O_DIRECT, everything goes through the cache. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/device/host_memory.h"
#include "core/try.h"
#include <gantry/array.h>
#include "io/file_access.h"
#include "io/write_kit/direct_writer.h"

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

enum { WRITERS = 2 };
/* Floats in a block; blocks below 4 MiB are slower with O_DIRECT. */
#define BLOCK (GT_DIRECT_WRITER_BYTES / WRITERS / sizeof(float))
/* Fraction of available memory. Linux allows a fifth of it as dirty pages, and starts writeback at half of that. */
#define MAX_CACHED 0.1

struct gt_direct_writer {
	const char *path;
	int file, direct; /* direct: -1 if everything goes through the cache */
	off_t begin;
	double water;
	gt_pool *pool;
	float *room; /* [WRITERS][BLOCK] for conversion or alignment; NULL: not needed */
};

struct call {
	gt_direct_writer *s;
	size_t first, end, block; /* block: block index of the first value */
	const float *data;
	gt_failure failure;
};

static void change(double water, size_t n, const float *from, float *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float)(1000 * (from[i] / water - 1));
}

static gt_status write_block(const struct call *c, size_t i, int worker)
{
	gt_direct_writer *s = c->s;
	const size_t low = (c->block + i) * BLOCK, first = low > c->first ? low : c->first,
		     end = low + BLOCK < c->end ? low + BLOCK : c->end;
	const size_t n = end - first, bytes = n * sizeof(float);
	const off_t at = s->begin + (off_t)(first * sizeof(float));
	const int past = s->direct >= 0 && n == BLOCK;
	const float *from = c->data + (first - c->first);
	if (past || s->water > 0) {
		float *to = s->room + (size_t)worker * BLOCK;
		if (s->water > 0)
			change(s->water, n, from, to);
		else
			memcpy(to, from, bytes);
		from = to;
	}
	/* After a failure the write is repeated through the cache, which reports the cause. */
	if (past && pwrite(s->direct, from, bytes, at) == (ssize_t)bytes)
		return GT_OK;
	return gt_write_at(s->path, s->file, at, bytes, from);
}

static void write_blocks(void *self, size_t i, size_t end, int worker)
{
	struct call *c = self;
	for (; i < end && !gt_failure_at(&c->failure, i); i++)
		gt_failure_note(&c->failure, i, write_block(c, i, worker));
}

gt_status gt_direct_writer_write(gt_direct_writer *s, size_t first, size_t n, const float *data)
{
	struct call c = { s, first, first + n, first / BLOCK, data, GT_NO_FAILURE };
	gt_parallel(s->pool, n ? (c.end - 1) / BLOCK - c.block + 1 : 0, 1, write_blocks, &c);
	return gt_failure_status(&c.failure);
}

gt_pool *gt_direct_writer_pool(gt_direct_writer *s) { return s->pool; }

int gt_direct_writer_past(double bytes)
{
	const double available = gt_host_available();
	return available >= 0 && bytes > MAX_CACHED * available;
}

gt_status gt_direct_writer_new(const char *path, const char *tmp, int file, off_t begin, int past, double water, gt_direct_writer **out)
{
	gt_status st = GT_OK;
	gt_direct_writer *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	*s = (gt_direct_writer){ .path = path, .file = file, .direct = -1, .begin = begin, .water = water };
	if (O_DIRECT && begin == 0 && past)
		s->direct = open(tmp, O_WRONLY | O_DIRECT | O_CLOEXEC);
	GT_TRY(gt_pool_new(WRITERS, &s->pool));
	if ((s->direct >= 0 || water > 0) && posix_memalign((void **)&s->room, 4096, WRITERS * BLOCK * sizeof *s->room) != 0)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	*out = s;
	s = NULL;
done:
	gt_direct_writer_free(s);
	return st;
}

void gt_direct_writer_free(gt_direct_writer *s)
{
	if (!s)
		return;
	gt_pool_free(s->pool);
	if (s->direct >= 0)
		close(s->direct);
	free(s->room);
	free(s);
}
