/* Measures bandwidths between host and devices, and between devices. */
#include <stdio.h>
#include <stdlib.h>
#include <gantry/array.h>
#include "core/clock.h"
#include "core/device/upload.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "team/links.h"
#include "team/team_impl.h"

enum { REPEAT = 5, SMALL = 8, SMALL_REPEAT = 21 };

/* Median duration of once(self) in seconds. */
static double time_of(void (*once)(void *self), void *self, int repeat)
{
	double seconds[SMALL_REPEAT];
	once(self);
	for (int i = 0; i < repeat; i++) {
		const double start = gt_seconds();
		once(self);
		seconds[i] = gt_seconds() - start;
	}
	return gt_median(seconds, (size_t)repeat);
}

/* Host and device ------------------------------------------------------------- */

struct copy {
	gt_backend *be;
	void *host, *device;
	size_t bytes;
	int back;
};

static void copy_once(void *self)
{
	const struct copy *c = self;
	gt_backend_lock(c->be);
	if (c->back)
		c->be->ops->get(c->be, c->device, c->host, c->bytes);
	else
		c->be->ops->put(c->be, c->host, c->device, c->bytes);
	gt_backend_unlock(c->be);
}

static void name_link(gt_link *l, const char *from, const char *to)
{
	*l = (gt_link){ .size = sizeof *l, .peer = -1 };
	snprintf(l->from, sizeof l->from, "%s", from);
	snprintf(l->to, sizeof l->to, "%s", to);
}

static gt_status measure_host(gt_backend *be, size_t bytes, int locked, gt_link two[2])
{
	const char *host = locked ? "host" : "host-paged";
	struct copy c = { .be = be };
	gt_status st = GT_OK;
	c.device = gt_backend_alloc(be, bytes, "memory to copy into");
	c.host = locked ? gt_locked_new(be, bytes, "memory to copy") : calloc(1, bytes);
	if (!c.device || !c.host)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory of %zu bytes to copy between host and %s", bytes, gt_backend_name(be)));
	for (int i = 0; i < 2; i++) {
		name_link(&two[i], i ? gt_backend_name(be) : host, i ? host : gt_backend_name(be));
		c.back = i;
		c.bytes = bytes;
		two[i].bytes_per_second = (double)bytes / time_of(copy_once, &c, REPEAT);
		c.bytes = SMALL;
		two[i].latency = time_of(copy_once, &c, SMALL_REPEAT);
	}
	GT_TRY(gt_backend_status(be));
done:
	if (locked)
		gt_locked_free(be, c.host);
	else
		free(c.host);
	gt_backend_free(be, c.device, bytes);
	return st;
}

/* Between ranks --------------------------------------------------------------- */

struct pair {
	gt_backend *be;
	void *mine, *theirs;
	size_t bytes;
	int sends, takes;
};

static void exchange_once(void *self)
{
	const struct pair *p = self;
	const int peer = 1 - gt_rank(p->be);
	const gt_exchange_block out = { peer, p->mine, p->bytes, 1, 0 }, in = { peer, p->theirs, p->bytes, 1, 0 };
	gt_team_exchange(p->be, &out, (size_t)p->sends, &in, (size_t)p->takes);
	gt_backend_wait(p->be);
	gt_team_first(p->be, 0); /* synchronises both ranks, so that the time covers both */
}

struct measured {
	size_t bytes;
	gt_link *two; /* from rank 0 to 1, and the reverse */
};

static gt_status measure_rank(gt_backend *be, void *self)
{
	const struct measured *m = self;
	const int me = gt_rank(be);
	gt_status st = GT_OK;
	struct pair p = { .be = be, .bytes = m->bytes };
	p.mine = gt_backend_alloc(be, m->bytes, "memory to copy");
	p.theirs = gt_backend_alloc(be, m->bytes, "memory to copy into");
	if (!p.mine || !p.theirs)
		GT_TRY(GT_ERR_MEMORY);
	for (int way = 0; way < 3; way++) {
		p.sends = way == 2 || me == way;
		p.takes = way == 2 || me != way;
		p.bytes = m->bytes;
		const double seconds = time_of(exchange_once, &p, REPEAT);
		p.bytes = SMALL;
		const double latency = time_of(exchange_once, &p, SMALL_REPEAT);
		if (me)
			continue;
		if (way < 2) {
			m->two[way].bytes_per_second = (double)m->bytes / seconds;
			m->two[way].latency = latency;
		} else {
			m->two[0].both_ways = m->two[1].both_ways = (double)m->bytes / seconds;
		}
	}
	st = gt_backend_known(be);
done:
	gt_backend_wait(be);
	gt_backend_free(be, p.mine, m->bytes);
	gt_backend_free(be, p.theirs, m->bytes);
	return st;
}

static gt_status measure_pair(const char *spec, size_t bytes, gt_link two[2])
{
	gt_team *t = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_team_open(spec, &t));
	const char *name[2] = { gt_backend_name(gt_team_backend(t, 0)), gt_backend_name(gt_team_backend(t, 1)) };
	for (int i = 0; i < 2; i++) {
		const struct gt_exchange_impl *impl = gt_exchange_of(t);
		name_link(&two[i], name[i], name[1 - i]);
		two[i].peer = impl ? impl->reaches(gt_team_backend(t, i), gt_team_backend(t, 1 - i)) : -1;
	}
	struct measured m = { bytes, two };
	GT_TRY(gt_team_run(t, measure_rank, &m));
done:
	gt_team_close(t);
	return st;
}

static gt_status measure_devices(int devices, size_t bytes, gt_link *l)
{
	gt_backend *be = NULL;
	gt_status st = GT_OK;
	char spec[48];
	for (int i = 0; i < devices; i++) {
		snprintf(spec, sizeof spec, "cuda:%d", i);
		GT_TRY(gt_backend_open(spec, &be));
		for (int locked = 1; locked >= 0; locked--, l += 2)
			GT_TRY(measure_host(be, bytes, locked, l));
		gt_backend_close(be);
		be = NULL;
	}
	for (int i = 0; i < devices; i++)
		for (int k = i + 1; k < devices; k++, l += 2) {
			snprintf(spec, sizeof spec, "cuda:%d,%d", i, k);
			GT_TRY(measure_pair(spec, bytes, l));
		}
done:
	gt_backend_close(be);
	return st;
}

gt_status gt_links_measure(size_t bytes, gt_link **links, size_t *n)
{
	const int devices = gt_device_count();
	gt_status st = GT_OK;
	if (!links || !n)
		return gt_fail(GT_ERR_ARG, "gt_links_measure: NULL: expected an array for the links");
	*links = NULL;
	*n = devices ? (size_t)(4 * devices + devices * (devices - 1)) : 2;
	if (bytes < SMALL)
		return gt_fail(GT_ERR_ARG, "gt_links_measure: copies of %zu bytes: expected %d at least", bytes, SMALL);
	gt_link *l = calloc(*n, sizeof *l);
	if (!l)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(devices ? measure_devices(devices, bytes, l) : measure_pair("cpu:1x2", bytes, l));
	*links = l;
done:
	if (st != GT_OK)
		free(l);
	return st;
}
