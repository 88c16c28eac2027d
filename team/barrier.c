/* Barrier between the ranks of one process, first error of the team, and execution of the rank function. */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/clock.h"
#include "team/processes.h"

static const double timeout_per_gap = 20;

struct gt_team_state {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	atomic_uint barrier; /* number of completed barriers */
	atomic_int failed;
	double met, longest;
	int arrived, left, is_here[GT_TEAM_MAX], has_left[GT_TEAM_MAX];
	int readers; /* ranks that read memory of others now */
	/* First failure: */
	gt_status status;
	int rank;
	char message[512];
};

gt_status gt_team_state_new(struct gt_team_state **out)
{
	pthread_condattr_t monotonic;
	struct gt_team_state *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->turn, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*out = s;
	return GT_OK;
}

void gt_team_state_free(struct gt_team_state *s)
{
	if (!s)
		return;
	pthread_cond_destroy(&s->turn);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Failing -------------------------------------------------------------------- */

/* Under the lock. */
static void fail(struct gt_team_state *s, int rank, gt_status st, const char *message)
{
	if (atomic_load(&s->failed))
		return;
	s->status = st;
	s->rank = rank;
	snprintf(s->message, sizeof s->message, "%s", message);
	atomic_store(&s->failed, 1);
	pthread_cond_broadcast(&s->turn);
}

void gt_team_fail(gt_team *t, int rank, gt_status st, const char *message)
{
	pthread_mutex_lock(&t->state->lock);
	fail(t->state, rank, st, message);
	pthread_mutex_unlock(&t->state->lock);
}

void gt_team_failed(gt_backend *be, gt_status st, const char *message) { gt_team_fail(be->rank->team, be->rank->id, st, message); }

gt_status gt_team_failure(gt_team *t, int *rank, char *message)
{
	struct gt_team_state *s = t->state;
	if (!atomic_load(&s->failed))
		return GT_OK;
	pthread_mutex_lock(&s->lock);
	*rank = s->rank;
	if (message)
		snprintf(message, sizeof s->message, "%s", s->message);
	pthread_mutex_unlock(&s->lock);
	return s->status;
}

double gt_team_timeout(const gt_team *t) { return t->timeout + timeout_per_gap * t->state->longest; }

/* Finds a missing rank; call with the lock held. */
static int one_missing(const gt_team *t, int left_only)
{
	for (int i = t->first; i < t->first + t->here; i++)
		if (!t->state->is_here[i] && (!left_only || t->state->has_left[i]))
			return i;
	return 0;
}

/* Fails the team if all remaining ranks wait for one that has ended; call with the lock held. */
static void check_left(gt_team *t)
{
	char text[200];
	if (!t->state->left || t->state->arrived + t->state->left < t->here || !t->state->arrived)
		return;
	const int missing = one_missing(t, 1);
	snprintf(text, sizeof text, "it has ended while %d other%s wait%s for it", t->state->arrived, t->state->arrived == 1 ? "" : "s",
	         t->state->arrived == 1 ? "s" : "");
	fail(t->state, missing, GT_ERR_DEVICE, text);
}

/* Sleeps until the barrier completes, the team fails or the timeout expires. Called with the lock held. */
static void wait_for_barrier(gt_team *t, unsigned barrier)
{
	const double seconds = gt_team_timeout(t);
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)((seconds - floor(seconds)) * 1e9);
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (atomic_load(&t->state->barrier) == barrier && !atomic_load(&t->state->failed))
		if (pthread_cond_timedwait(&t->state->turn, &t->state->lock, &until) == ETIMEDOUT &&
		    atomic_load(&t->state->barrier) == barrier) {
			char text[200];
			snprintf(text, sizeof text, "timeout: not at the barrier after %.3g s, %d other%s waited", seconds,
			         t->state->arrived, t->state->arrived == 1 ? "" : "s");
			fail(t->state, one_missing(t, 0), GT_ERR_DEVICE, text);
		}
}

/* Under the lock. */
static void begin_next(gt_team *t)
{
	const double now = gt_seconds();
	if (t->state->met > 0 && now - t->state->met > t->state->longest)
		t->state->longest = now - t->state->met;
	t->state->met = now;
	t->state->arrived = 0;
	memset(t->state->is_here, 0, sizeof t->state->is_here);
	atomic_fetch_add(&t->state->barrier, 1);
	pthread_cond_broadcast(&t->state->turn);
}

static void sentence(const gt_team *t, char text[700])
{
	const int of_device = t->state->status != GT_STOPPED && t->state->status != GT_ERR_ARG && t->state->status != GT_ERR_UNKNOWN &&
	                      t->state->status != GT_ERR_UNSUPPORTED && t->state->status != GT_ERR_DIVERGED;
	if (of_device)
		snprintf(text, 700, "rank %d of %d (%s): %s", t->state->rank, t->n, t->where[t->state->rank], t->state->message);
	else
		snprintf(text, 700, "%s", t->state->message);
}

int gt_team_barrier(gt_backend *be)
{
	gt_team *t = be->rank->team;
	char text[700];
	pthread_mutex_lock(&t->state->lock);
	const unsigned barrier = atomic_load(&t->state->barrier);
	if (!atomic_load(&t->state->failed)) {
		t->state->is_here[be->rank->id] = 1;
		if (++t->state->arrived == t->here)
			begin_next(t);
		else
			check_left(t);
	}
	if (t->spins && atomic_load(&t->state->barrier) == barrier) {
		pthread_mutex_unlock(&t->state->lock);
		for (int i = 0; i < t->spins && atomic_load(&t->state->barrier) == barrier && !atomic_load(&t->state->failed); i++)
			;
		pthread_mutex_lock(&t->state->lock);
	}
	wait_for_barrier(t, barrier);
	const int met = atomic_load(&t->state->barrier) != barrier;
	/* After a failure the caller frees its memory: waits for the last reader of it. */
	while (!met && t->state->readers)
		pthread_cond_wait(&t->state->turn, &t->state->lock);
	const gt_status st = t->state->status;
	if (!met)
		sentence(t, text);
	pthread_mutex_unlock(&t->state->lock);
	if (!met)
		gt_backend_fail(be, gt_fail(st, "%s", text));
	return met;
}

int gt_team_begin_reading(gt_backend *be)
{
	struct gt_team_state *s = be->rank->team->state;
	pthread_mutex_lock(&s->lock);
	const int begins = !atomic_load(&s->failed);
	s->readers += begins;
	pthread_mutex_unlock(&s->lock);
	return begins;
}

void gt_team_end_reading(gt_backend *be)
{
	struct gt_team_state *s = be->rank->team->state;
	pthread_mutex_lock(&s->lock);
	if (--s->readers == 0)
		pthread_cond_broadcast(&s->turn);
	pthread_mutex_unlock(&s->lock);
}

/* Running -------------------------------------------------------------------- */

struct running {
	gt_team *t;
	int rank;
	gt_status (*text)(gt_backend *be, void *self);
	void *self;
};

static void *run_one(void *arg)
{
	const struct running *r = arg;
	gt_team *t = r->t;
	const gt_status st = r->text(t->be[r->rank], r->self);
	pthread_mutex_lock(&t->state->lock);
	if (st != GT_OK)
		fail(t->state, r->rank, st, gt_error());
	t->state->left++;
	t->state->has_left[r->rank] = 1;
	check_left(t);
	pthread_mutex_unlock(&t->state->lock);
	return NULL;
}

static void begin(gt_team *t)
{
	atomic_store(&t->state->failed, 0);
	t->state->status = GT_OK;
	t->state->arrived = t->state->left = 0;
	t->state->met = t->state->longest = 0;
	memset(t->state->is_here, 0, sizeof t->state->is_here);
	memset(t->state->has_left, 0, sizeof t->state->has_left);
}

gt_status gt_team_run(gt_team *t, gt_status (*text)(gt_backend *be, void *self), void *self)
{
	struct running r[GT_TEAM_MAX];
	pthread_t thread[GT_TEAM_MAX];
	int is_running[GT_TEAM_MAX] = { 0 };
	char say[700];
	const int first = t->first, end = t->first + t->here;
	begin(t);
	if (t->processes)
		gt_processes_begin_run(t);
	for (int i = first; i < end; i++)
		r[i] = (struct running){ t, i, text, self };
	for (int i = first + 1; i < end; i++) {
		is_running[i] = pthread_create(&thread[i], NULL, run_one, &r[i]) == 0;
		if (!is_running[i])
			gt_team_failed(t->be[i], GT_ERR_MEMORY, "no thread can be started for it");
	}
	run_one(&r[first]);
	for (int i = first + 1; i < end; i++)
		if (is_running[i])
			pthread_join(thread[i], NULL);
	if (t->processes)
		gt_processes_end_run(t);
	for (int i = first; i < end; i++)
		gt_backend_status(t->be[i]); /* clears the failure, which is known already */
	if (!atomic_load(&t->state->failed))
		return GT_OK;
	sentence(t, say);
	return gt_fail(t->state->status, "%s", say);
}
