/* A pipeline stage in a thread of its own. Memory: two buffers, which the caller provides. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "core/pipeline_stage.h"

static void fail(gt_stage *s, gt_status st)
{
	s->status = st;
	snprintf(s->message, sizeof s->message, "%s", gt_error());
}

static gt_status told(const gt_stage *s) { return s->status == GT_OK ? GT_OK : gt_fail(s->status, "%s", s->message); }

static gt_status timed_work(gt_stage *s, size_t item)
{
	const double start = gt_seconds();
	const gt_status st = s->work(s->self, item, s->buffer[item % GT_STAGE_BUFFERS]);
	s->seconds += gt_seconds() - start;
	return st;
}

static void work_here(gt_stage *s, size_t item)
{
	const gt_status st = timed_work(s, item);
	if (st != GT_OK)
		fail(s, st);
}

/* 1: the filling (or emptying) side may start its next buffer. */
static int ready(const gt_stage *s, int fills) { return fills ? s->filled - s->emptied < GT_STAGE_BUFFERS : s->emptied < s->filled; }

/* Counts a filled (or emptied) buffer; call with the lock held. */
static void count(gt_stage *s, int fills)
{
	if (fills)
		s->filled++;
	else
		s->emptied++;
	pthread_cond_broadcast(&s->changed);
}

static void *run(void *self)
{
	gt_stage *s = self;
	pthread_mutex_lock(&s->lock);
	for (size_t item = 0; item < s->items && s->status == GT_OK; item++) {
		while (!s->stopped && !ready(s, s->fills))
			pthread_cond_wait(&s->changed, &s->lock);
		if (s->stopped)
			break;
		pthread_mutex_unlock(&s->lock);
		const gt_status st = timed_work(s, item);
		pthread_mutex_lock(&s->lock);
		if (st != GT_OK)
			fail(s, st);
		count(s, s->fills);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

gt_status gt_stage_start(gt_stage *s)
{
	s->filled = s->emptied = 0;
	s->status = GT_OK;
	s->stopped = 0;
	s->seconds = 0;
	if (s->alone)
		return GT_OK;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	const int failed = pthread_create(&s->thread, NULL, run, s);
	if (failed) {
		pthread_cond_destroy(&s->changed);
		pthread_mutex_destroy(&s->lock);
		return gt_fail(GT_ERR_MEMORY, "no thread: %s", strerror(failed));
	}
	s->started = 1;
	return GT_OK;
}

gt_status gt_stage_take(gt_stage *s, void **buffer)
{
	const int fills = !s->fills;
	if (s->alone) {
		const size_t item = s->fills ? s->emptied : s->filled;
		if (s->fills && s->status == GT_OK)
			work_here(s, item);
		*buffer = s->buffer[item % GT_STAGE_BUFFERS];
		return told(s);
	}
	pthread_mutex_lock(&s->lock);
	while (s->status == GT_OK && !ready(s, fills))
		pthread_cond_wait(&s->changed, &s->lock);
	*buffer = s->buffer[(fills ? s->filled : s->emptied) % GT_STAGE_BUFFERS];
	const gt_status st = told(s);
	pthread_mutex_unlock(&s->lock);
	return st;
}

void gt_stage_give(gt_stage *s)
{
	if (s->alone) {
		if (!s->fills && s->status == GT_OK)
			work_here(s, s->filled);
		s->filled++;
		s->emptied++;
		return;
	}
	pthread_mutex_lock(&s->lock);
	count(s, !s->fills);
	pthread_mutex_unlock(&s->lock);
}

static void join(gt_stage *s)
{
	if (!s->started)
		return;
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	s->started = 0;
}

gt_status gt_stage_end(gt_stage *s)
{
	join(s);
	return told(s);
}

void gt_stage_stop(gt_stage *s)
{
	if (!s->started)
		return;
	pthread_mutex_lock(&s->lock);
	s->stopped = 1;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	join(s);
}
