/* Processes that were started together: joining, news of failures, and the end. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <gantry/version.h>
#include "core/arguments.h"
#include "core/clock.h"
#include "core/hash.h"
#include "core/team/world.h"

enum { NEWS = 1, ENDING, VERDICT, ENDED, WORK, FIRST_TAG = 16, KINDS = 4, EPOCHS = 8000 };
/* How long one that has failed waits: process 0 says it, unless it does not come. */
static const double first_waits = 3, others_wait = 4;

static struct {
	int begun, ended, aborts, epoch, told;
	gt_wire_place place;
	gt_world_news last;
	char host[64];
	const char *version;
} world = { .place = { 0, 1, 0, 1 }, .told = -1, .last = { .epoch = -1 } };

gt_status gt_world_join(gt_wire_place *place)
{
	gt_status st = GT_OK;
	if (!world.begun)
		st = gt_wire_start(&world.place);
	if (st == GT_OK && world.place.n > GT_WORLD_MAX)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%d processes of MPI: expected at most %d", world.place.n, GT_WORLD_MAX);
	if (st == GT_OK)
		world.begun = 1;
	*place = world.place;
	return st;
}

const char *gt_world_host(void)
{
	if (!*world.host && gethostname(world.host, sizeof world.host - 1))
		snprintf(world.host, sizeof world.host, "unknown");
	return world.host;
}

int gt_world_next(void) { return ++world.epoch; }
int gt_world_tag(int epoch, int kind) { return FIRST_TAG + epoch % EPOCHS * KINDS + kind; }
const char *gt_world_version(void) { return world.version ? world.version : gt_version(); }
void gt_world_set_version(const char *version) { world.version = version; }

/* Waiting ---------------------------------------------------------------------- */

gt_world_step gt_world_look(gt_wire *const *wire, const int *peer, size_t n, int *missing)
{
	gt_world_step step = GT_WORLD_DONE;
	for (size_t i = 0; i < n; i++) {
		const int done = wire[i] ? gt_wire_test(wire[i]) : -1;
		if (done == 1)
			continue;
		if (step == GT_WORLD_DONE || done < 0)
			*missing = peer[i];
		if (done < 0)
			return GT_WORLD_BAD;
		step = GT_WORLD_NOT_YET;
	}
	return step;
}

void gt_world_rest(unsigned looks)
{
	enum { YIELDS = 100, SHORT = 500 };
	if (looks < YIELDS)
		sched_yield();
	else
		nanosleep(&(struct timespec){ 0, looks < SHORT ? 50000 : 500000 }, NULL);
}

/* Of one message; 0: it is not done within so many seconds, and is given up. seconds 0: as long as it takes. */
static int wait_for(gt_wire *w, double seconds)
{
	const double until = gt_seconds() + seconds;
	int done = w ? gt_wire_test(w) : -1;
	for (unsigned looks = 0; !done && (!(seconds > 0) || gt_seconds() < until); looks++) {
		gt_world_rest(looks);
		done = gt_wire_test(w);
	}
	gt_wire_free(w);
	return done == 1;
}

/* News ------------------------------------------------------------------------- */

void gt_world_tell(gt_world_news *news)
{
	if (world.place.n == 1 || world.ended || world.told == news->epoch)
		return;
	world.told = news->epoch;
	snprintf(news->host, sizeof news->host, "%s", gt_world_host());
	for (int to = 0; to < world.place.n; to++)
		if (to != world.place.me)
			wait_for(gt_wire_send(to, NEWS, news, sizeof *news), 1);
}

static void listen(void)
{
	gt_world_news news;
	for (int from; (from = gt_wire_waiting(-1, NEWS)) >= 0;)
		if (wait_for(gt_wire_take(from, NEWS, &news, sizeof news), 1) && news.epoch > world.last.epoch)
			world.last = news;
}

const gt_world_news *gt_world_heard(int epoch)
{
	listen();
	return world.last.epoch == epoch || world.last.epoch == GT_WORLD_ALWAYS ? &world.last : NULL;
}

int gt_world_has_ended(int process) { return gt_wire_waiting(process, ENDED) >= 0; }

/* Parting ---------------------------------------------------------------------- */

/* 1: of every process; 0: one has ended before, which is found out where it is missed. */
static int swap_works(uint64_t *work)
{
	gt_wire *w[2 * GT_WORLD_MAX] = { NULL };
	int peer[2 * GT_WORLD_MAX], missing = 0, all = 0, ended = 0;
	size_t n = 0;
	for (int i = 0; i < world.place.n; i++) {
		if (i == world.place.me)
			continue;
		peer[n] = i;
		w[n++] = gt_wire_take(i, WORK, &work[i], sizeof *work);
		peer[n] = i;
		w[n++] = gt_wire_send(i, WORK, &work[world.place.me], sizeof *work);
	}
	for (unsigned looks = 0; !all && !ended; looks++) {
		ended = gt_world_heard(GT_WORLD_ALWAYS) != NULL;
		for (size_t k = 0; k < n; k++)
			ended |= gt_world_has_ended(peer[k]);
		all = gt_world_look(w, peer, n, &missing) == GT_WORLD_DONE;
		gt_world_rest(looks);
	}
	for (size_t k = 0; k < n; k++)
		gt_wire_free(w[k]);
	return all;
}

gt_status gt_processes_part(const char *text, int *alone)
{
	GT_NEED(text);
	GT_NEED(alone);
	uint64_t work[GT_WORLD_MAX];
	*alone = world.place.n == 1;
	if (*alone || !world.begun || world.ended)
		return GT_OK;
	work[world.place.me] = *text ? gt_hash(0, text, strlen(text)) : 0;
	int unlike = swap_works(work);
	for (int i = 0; i < world.place.n && unlike; i++) {
		unlike &= work[i] != 0;
		for (int k = 0; k < i; k++)
			unlike &= work[i] != work[k];
	}
	if (!unlike)
		return GT_OK;
	gt_wire_part();
	world.begun = 0;
	world.place = (gt_wire_place){ 0, 1, 0, 1 };
	*alone = 1;
	return GT_OK;
}

/* The end ---------------------------------------------------------------------- */

gt_status gt_processes_begin(int *process, int *processes)
{
	gt_wire_place place = { 0, 1, 0, 1 };
	gt_status st = GT_OK;
	if (gt_wire_is_launched())
		st = gt_world_join(&place);
	*process = place.me;
	*processes = place.n;
	return st;
}

int gt_process(void) { return world.place.me; }

struct ending {
	gt_status status;
	char host[64], message[GT_WORLD_TEXT];
};

/* What a process says of another one. */
static gt_status failed_there(int process, const struct ending *e)
{
	return gt_fail(e->status, "process %d of %d (host %s): %s", process, world.place.n, e->host, e->message);
}

/* Process 0 asks all, and tells them what became of all. */
static gt_status end_first(gt_status st, const struct ending *mine)
{
	struct ending e[GT_WORLD_MAX];
	gt_wire *w[GT_WORLD_MAX] = { NULL };
	int done[GT_WORLD_MAX] = { 0 }, missing = world.place.n - 1;
	double failed_at = st != GT_OK ? gt_seconds() : 0;
	gt_status all = st;
	for (int i = 1; i < world.place.n; i++)
		w[i] = gt_wire_take(i, ENDING, &e[i], sizeof e[i]);
	for (unsigned looks = 0; missing && !(failed_at > 0 && gt_seconds() > failed_at + first_waits); looks++) {
		for (int i = 1; i < world.place.n; i++) {
			if (done[i] || !w[i] || !gt_wire_test(w[i]))
				continue;
			done[i] = 1;
			missing--;
			if (e[i].status != GT_OK && all == GT_OK) {
				all = failed_there(i, &e[i]);
				failed_at = gt_seconds();
			}
		}
		gt_world_rest(looks);
	}
	if (st != GT_OK)
		gt_fail(st, "%s", mine->message);
	for (int i = 1; i < world.place.n; i++) {
		gt_wire_free(w[i]);
		if (done[i])
			wait_for(gt_wire_send(i, VERDICT, &all, sizeof all), 1);
	}
	world.aborts = missing > 0;
	return all;
}

static gt_status end_other(gt_status st, const struct ending *mine, int *tells)
{
	gt_status all = st;
	*tells = 0;
	wait_for(gt_wire_send(0, ENDING, mine, sizeof *mine), 1);
	if (wait_for(gt_wire_take(0, VERDICT, &all, sizeof all), st != GT_OK ? others_wait : 0))
		return all;
	*tells = world.aborts = 1;
	return failed_there(world.place.me, mine);
}

/* Whoever waits for this process learns that it comes no more. */
static void tell_end(void)
{
	const char nothing = 0;
	for (int to = 0; to < world.place.n; to++)
		if (to != world.place.me)
			wait_for(gt_wire_send(to, ENDED, &nothing, 1), 1);
}

gt_status gt_processes_end(gt_status st, int *tells)
{
	struct ending mine = { .status = st };
	*tells = !world.place.me || world.aborts;
	if (world.place.n == 1 || world.ended)
		return st;
	snprintf(mine.host, sizeof mine.host, "%s", gt_world_host());
	snprintf(mine.message, sizeof mine.message, "%s", st == GT_OK ? "" : gt_error());
	if (st != GT_OK) {
		gt_world_news news = { .epoch = GT_WORLD_ALWAYS, .process = world.place.me, .rank = -1, .status = st };
		snprintf(news.message, sizeof news.message, "%s", mine.message);
		gt_world_tell(&news);
	}
	tell_end();
	world.ended = 1;
	return world.place.me == 0 ? end_first(st, &mine) : end_other(st, &mine, tells);
}

void gt_processes_leave(int code)
{
	char nothing;
	if (world.begun && world.aborts)
		gt_wire_abort(code);
	for (int from = 0; world.begun && world.ended && from < world.place.n; from++)
		if (gt_wire_waiting(from, ENDED) >= 0)
			wait_for(gt_wire_take(from, ENDED, &nothing, 1), 1);
	if (world.begun)
		gt_wire_stop();
	world.begun = 0;
}
