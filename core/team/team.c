/* A team of threads: its members' backends, the text that all of them run, and where they meet. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <gantry/params.h>
#include "core/clock.h"
#include "core/team/team_impl.h"
#include "core/try.h"

enum { SPINS = 20000 }; /* looks before a member of a team of GPUs sleeps: some ten microseconds */
static const double patience = 600, patience_per_gap = 20;

struct gt_team {
	int n, spins;
	gt_backend *be[GT_TEAM_MAX];
	struct gt_member *member[GT_TEAM_MAX];
	const struct gt_exchange_impl *impl; /* NULL: the memory of all is the host's */
	double weight[GT_TEAM_MAX], patience, met, longest;
	/* Where members meet. */
	pthread_mutex_t lock, one; /* one: see gt_team_lock() */
	pthread_cond_t turn;
	atomic_uint meeting; /* how many there were */
	atomic_int failed;
	int arrived, left, is_here[GT_TEAM_MAX], has_left[GT_TEAM_MAX];
	/* Of the first failure. */
	gt_status status;
	int rank;
	char message[512];
};

const struct gt_exchange_impl *gt_exchange_of(const gt_team *t) { return t->impl; }
const struct gt_exchange_impl *gt_team_exchange_impl(const gt_backend *be) { return gt_exchange_of(be->member->team); }

/* Opening -------------------------------------------------------------------- */

static gt_status add_member(gt_team *t, const char *name)
{
	gt_status st = GT_OK;
	struct gt_member *m = calloc(1, sizeof *m);
	if (!m)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	m->team = t;
	m->rank = t->n;
	t->member[t->n] = m;
	if (!(m->sum = calloc(GT_SLOTS, sizeof *m->sum)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a team"));
	GT_TRY(gt_backend_open(name, &t->be[t->n]));
	t->be[t->n]->member = m;
done:
	t->n++; /* also of one that failed: closing frees what there is */
	return st;
}

static gt_status open_members(int n, char name[GT_TEAM_MAX][32], gt_team **out)
{
	gt_status st = GT_OK;
	gt_team *t = calloc(1, sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	pthread_mutex_init(&t->lock, NULL);
	pthread_mutex_init(&t->one, NULL);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&t->turn, &monotonic);
	pthread_condattr_destroy(&monotonic);
	t->patience = patience;
	for (int i = 0; i < GT_TEAM_MAX; i++)
		t->weight[i] = 1;
	for (int i = 0; i < n; i++)
		GT_TRY(add_member(t, name[i]));
	t->impl = gt_backend_is_gpu(t->be[0]) ? GT_IF_CUDA(&gt_exchange_cuda) : NULL;
	t->spins = t->impl ? SPINS : 0;
	for (int i = 0; t->impl && i < n; i++)
		GT_TRY(t->impl->open(t->be, n, i, &t->member[i]->state));
	*out = t;
done:
	if (st != GT_OK)
		gt_team_close(t);
	return st;
}

gt_status gt_team_open(const char *spec, gt_team **out)
{
	char name[GT_TEAM_MAX][32];
	int n = 0;
	const gt_status st = gt_team_parse(spec, &n, name);
	return st == GT_OK ? open_members(n, name, out) : st;
}

gt_status gt_team_open_dealt(const char *spec, int members, gt_team **out)
{
	char name[GT_TEAM_MAX][32], dealt[GT_TEAM_MAX][32];
	int n = 0;
	gt_status st = GT_OK;
	if (gt_team_is_spec(spec))
		GT_TRY(gt_team_parse(spec, &n, name));
	else
		GT_TRY(gt_team_name_alone(spec, members, &n, name));
	if (members % n && n % members)
		GT_TRY(gt_fail(GT_ERR_ARG, "backend '%s': %d devices: expected a number of which %d is a multiple", spec, n, members));
	for (int i = 0; i < members; i++)
		memcpy(dealt[i], name[i * n / members], sizeof dealt[i]);
	st = open_members(members, dealt, out);
done:
	return st;
}

void gt_team_close(gt_team *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->n; i++) {
		if (t->be[i]) {
			gt_backend_wait(t->be[i]);
			if (t->impl && t->member[i]->state)
				t->impl->close(t->be[i], t->member[i]->state);
			t->be[i]->member = NULL;
			gt_backend_close(t->be[i]);
		}
		free(t->member[i]->sum);
		free(t->member[i]);
	}
	pthread_cond_destroy(&t->turn);
	pthread_mutex_destroy(&t->one);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

int gt_team_size(const gt_team *t) { return t->n; }
gt_backend *gt_team_backend(const gt_team *t, int member) { return t->be[member]; }
void gt_team_set_patience(gt_team *t, double seconds) { t->patience = seconds; }

gt_status gt_team_set_weights(gt_team *t, const double *weight)
{
	for (int i = 0; weight && i < t->n; i++)
		if (!(weight[i] > 0) || !isfinite(weight[i]))
			return gt_fail(GT_ERR_ARG, "share of member %d: %g: expected a number above 0", i, weight[i]);
	for (int i = 0; i < t->n; i++)
		t->weight[i] = weight ? weight[i] : 1;
	return GT_OK;
}

int gt_member(const gt_backend *be) { return be && be->member ? be->member->rank : 0; }
int gt_members(const gt_backend *be) { return be && be->member && !be->member->alone ? be->member->team->n : 1; }
void gt_team_alone(gt_backend *be, int alone)
{
	if (be->member)
		be->member->alone = alone;
}

void gt_team_lock(gt_backend *be)
{
	if (be->member)
		pthread_mutex_lock(&be->member->team->one);
}

void gt_team_unlock(gt_backend *be)
{
	if (be->member)
		pthread_mutex_unlock(&be->member->team->one);
}

const struct gt_member *gt_team_peer(const gt_backend *be, int rank) { return be->member->team->member[rank]; }

gt_range gt_team_share_among(const gt_backend *be, int first, int members, int member, size_t n)
{
	if (!be->member)
		return (gt_range){ 0, n };
	const double *weight = be->member->team->weight;
	double before = 0, all = 0;
	for (int i = first; i < first + members; i++) {
		before += i < member ? weight[i] : 0;
		all += weight[i];
	}
	const size_t begin = (size_t)floor((double)n * before / all + 0.5);
	const size_t end = member + 1 == first + members ? n : (size_t)floor((double)n * (before + weight[member]) / all + 0.5);
	return (gt_range){ begin, end - begin };
}

gt_range gt_team_share(const gt_backend *be, int member, size_t n) { return gt_team_share_among(be, 0, gt_members(be), member, n); }

gt_range gt_my_share(const gt_backend *be, size_t n) { return gt_team_share(be, gt_member(be), n); }

/* Failing -------------------------------------------------------------------- */

/* Under the lock. */
static void fail(gt_team *t, int rank, gt_status st, const char *message)
{
	if (atomic_load(&t->failed))
		return;
	t->status = st;
	t->rank = rank;
	snprintf(t->message, sizeof t->message, "%s", message);
	atomic_store(&t->failed, 1);
	pthread_cond_broadcast(&t->turn);
}

void gt_team_failed(gt_backend *be, gt_status st, const char *message)
{
	gt_team *t = be->member->team;
	pthread_mutex_lock(&t->lock);
	fail(t, be->member->rank, st, message);
	pthread_mutex_unlock(&t->lock);
}

/* Under the lock: of those that are not here. */
static int one_missing(const gt_team *t, int left_only)
{
	for (int i = 0; i < t->n; i++)
		if (!t->is_here[i] && (!left_only || t->has_left[i]))
			return i;
	return 0;
}

/* Under the lock: all that are left wait for one that has ended. */
static void check_left(gt_team *t)
{
	char text[200];
	if (!t->left || t->arrived + t->left < t->n || !t->arrived)
		return;
	const int missing = one_missing(t, 1);
	snprintf(text, sizeof text, "it has ended while %d other%s wait%s for it", t->arrived, t->arrived == 1 ? "" : "s",
	         t->arrived == 1 ? "s" : "");
	fail(t, missing, GT_ERR_DEVICE, text);
}

/* Under the lock. Sleeps until the meeting is over, the team has failed, or the patience is at its end. */
static void wait_for_turn(gt_team *t, unsigned meeting)
{
	const double seconds = t->patience + patience_per_gap * t->longest;
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)((seconds - floor(seconds)) * 1e9);
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (atomic_load(&t->meeting) == meeting && !atomic_load(&t->failed))
		if (pthread_cond_timedwait(&t->turn, &t->lock, &until) == ETIMEDOUT && atomic_load(&t->meeting) == meeting) {
			char text[200];
			snprintf(text, sizeof text, "no answer for %.3g s, for which %d other%s waited", seconds, t->arrived,
			         t->arrived == 1 ? "" : "s");
			fail(t, one_missing(t, 0), GT_ERR_DEVICE, text);
		}
}

/* Under the lock. */
static void begin_next(gt_team *t)
{
	const double now = gt_seconds();
	if (t->met > 0 && now - t->met > t->longest)
		t->longest = now - t->met;
	t->met = now;
	t->arrived = 0;
	memset(t->is_here, 0, sizeof t->is_here);
	atomic_fetch_add(&t->meeting, 1);
	pthread_cond_broadcast(&t->turn);
}

static void sentence(const gt_team *t, char text[700])
{
	const int of_device = t->status != GT_STOPPED && t->status != GT_ERR_ARG && t->status != GT_ERR_UNKNOWN &&
	                      t->status != GT_ERR_UNSUPPORTED && t->status != GT_ERR_DIVERGED;
	if (of_device)
		snprintf(text, 700, "member %d of %d (%s): %s", t->rank, t->n, gt_backend_name(t->be[t->rank]), t->message);
	else
		snprintf(text, 700, "%s", t->message);
}

int gt_team_meet(gt_backend *be)
{
	gt_team *t = be->member->team;
	char text[700];
	pthread_mutex_lock(&t->lock);
	const unsigned meeting = atomic_load(&t->meeting);
	if (!atomic_load(&t->failed)) {
		t->is_here[be->member->rank] = 1;
		if (++t->arrived == t->n)
			begin_next(t);
		else
			check_left(t);
	}
	if (t->spins && atomic_load(&t->meeting) == meeting) {
		pthread_mutex_unlock(&t->lock);
		for (int i = 0; i < t->spins && atomic_load(&t->meeting) == meeting && !atomic_load(&t->failed); i++)
			;
		pthread_mutex_lock(&t->lock);
	}
	wait_for_turn(t, meeting);
	const int met = atomic_load(&t->meeting) != meeting;
	const gt_status st = t->status;
	if (!met)
		sentence(t, text);
	pthread_mutex_unlock(&t->lock);
	if (!met)
		gt_backend_fail(be, gt_fail(st, "%s", text));
	return met;
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
	pthread_mutex_lock(&t->lock);
	if (st != GT_OK)
		fail(t, r->rank, st, gt_error());
	t->left++;
	t->has_left[r->rank] = 1;
	check_left(t);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void begin(gt_team *t)
{
	atomic_store(&t->failed, 0);
	t->status = GT_OK;
	t->arrived = t->left = 0;
	t->met = t->longest = 0;
	memset(t->is_here, 0, sizeof t->is_here);
	memset(t->has_left, 0, sizeof t->has_left);
}

gt_status gt_team_run(gt_team *t, gt_status (*text)(gt_backend *be, void *self), void *self)
{
	struct running r[GT_TEAM_MAX];
	pthread_t thread[GT_TEAM_MAX];
	int is_running[GT_TEAM_MAX] = { 0 };
	char say[700];
	begin(t);
	for (int i = 0; i < t->n; i++)
		r[i] = (struct running){ t, i, text, self };
	for (int i = 1; i < t->n; i++) {
		is_running[i] = pthread_create(&thread[i], NULL, run_one, &r[i]) == 0;
		if (!is_running[i])
			gt_team_failed(t->be[i], GT_ERR_MEMORY, "no thread can be started for it");
	}
	run_one(&r[0]);
	for (int i = 1; i < t->n; i++)
		if (is_running[i])
			pthread_join(thread[i], NULL);
	for (int i = 0; i < t->n; i++)
		gt_backend_status(t->be[i]); /* clears it: what went wrong is known */
	if (!atomic_load(&t->failed))
		return GT_OK;
	sentence(t, say);
	return gt_fail(t->status, "%s", say);
}
