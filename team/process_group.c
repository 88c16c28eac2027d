/* Process group: joining, failure reports, and termination. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <gantry/processes.h>
#include <gantry/version.h>
#include "core/arguments.h"
#include "core/clock.h"
#include "core/hash.h"
#include "team/process_group.h"

enum { REPORT = 1, ENDING, VERDICT, ENDED, WORK, FIRST_TAG = 16, KINDS = 4, GENERATIONS = 8000 };
/* Seconds that a failed process waits; process 0 reports first, unless it does not arrive. */
static const double first_waits = 3, others_wait = 4;

static struct {
	int begun, ended, aborts, generation, reported;
	gt_transport_position place;
	gt_failure_report last;
	char host[64];
	const char *version;
} group = { .place = { 0, 1, 0, 1 }, .reported = -1, .last = { .generation = -1 } };

gt_status gt_group_join(gt_transport_position *place)
{
	gt_status st = GT_OK;
	if (!group.begun)
		st = gt_transport_start(&group.place);
	if (st == GT_OK && group.place.n > GT_GROUP_MAX)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%d processes of MPI: expected at most %d", group.place.n, GT_GROUP_MAX);
	if (st == GT_OK)
		group.begun = 1;
	*place = group.place;
	return st;
}

const char *gt_group_host(void)
{
	if (!*group.host && gethostname(group.host, sizeof group.host - 1))
		snprintf(group.host, sizeof group.host, "unknown");
	return group.host;
}

int gt_group_next_generation(void) { return ++group.generation; }
int gt_group_tag(int generation, int kind) { return FIRST_TAG + generation % GENERATIONS * KINDS + kind; }
const char *gt_group_version(void) { return group.version ? group.version : gt_version(); }
void gt_group_set_version(const char *version) { group.version = version; }

/* Waiting ---------------------------------------------------------------------- */

gt_group_step gt_group_poll(gt_transfer *const *transfer, const int *peer, size_t n, int *missing)
{
	gt_group_step step = GT_GROUP_DONE;
	for (size_t i = 0; i < n; i++) {
		const int done = transfer[i] ? gt_transport_test(transfer[i]) : -1;
		if (done == 1)
			continue;
		if (step == GT_GROUP_DONE || done < 0)
			*missing = peer[i];
		if (done < 0)
			return GT_GROUP_BAD;
		step = GT_GROUP_NOT_YET;
	}
	return step;
}

void gt_group_backoff(unsigned looks)
{
	enum { YIELDS = 100, SHORT = 500 };
	if (looks < YIELDS)
		sched_yield();
	else
		nanosleep(&(struct timespec){ 0, looks < SHORT ? 50000 : 500000 }, NULL);
}

/* Waits for one message; after `seconds` it abandons the message and returns 0. seconds 0: no timeout. */
static int wait_for(gt_transfer *w, double seconds)
{
	const double until = gt_seconds() + seconds;
	int done = w ? gt_transport_test(w) : -1;
	for (unsigned looks = 0; !done && (!(seconds > 0) || gt_seconds() < until); looks++) {
		gt_group_backoff(looks);
		done = gt_transport_test(w);
	}
	gt_transport_free(w);
	return done == 1;
}

/* Failure reports -------------------------------------------------------------- */

void gt_group_broadcast(gt_failure_report *report)
{
	if (group.place.n == 1 || group.ended || group.reported == report->generation)
		return;
	group.reported = report->generation;
	snprintf(report->host, sizeof report->host, "%s", gt_group_host());
	for (int to = 0; to < group.place.n; to++)
		if (to != group.place.me)
			wait_for(gt_transport_send(to, REPORT, report, sizeof *report), 1);
}

static void listen(void)
{
	gt_failure_report report;
	for (int from; (from = gt_transport_waiting(-1, REPORT)) >= 0;)
		if (wait_for(gt_transport_receive(from, REPORT, &report, sizeof report), 1) && report.generation > group.last.generation)
			group.last = report;
}

const gt_failure_report *gt_group_failure(int generation)
{
	listen();
	return group.last.generation == generation || group.last.generation == GT_GROUP_ALWAYS ? &group.last : NULL;
}

int gt_group_has_ended(int process) { return gt_transport_waiting(process, ENDED) >= 0; }

/* Leaving ---------------------------------------------------------------------- */

/* Allgather of a word of each process. 0: a process has ended already; the next call that needs it detects that. */
static int swap_words(uint64_t *work)
{
	gt_transfer *w[2 * GT_GROUP_MAX] = { NULL };
	int peer[2 * GT_GROUP_MAX], missing = 0, all = 0, ended = 0;
	size_t n = 0;
	for (int i = 0; i < group.place.n; i++) {
		if (i == group.place.me)
			continue;
		peer[n] = i;
		w[n++] = gt_transport_receive(i, WORK, &work[i], sizeof *work);
		peer[n] = i;
		w[n++] = gt_transport_send(i, WORK, &work[group.place.me], sizeof *work);
	}
	for (unsigned looks = 0; !all && !ended; looks++) {
		ended = gt_group_failure(GT_GROUP_ALWAYS) != NULL;
		for (size_t k = 0; k < n; k++)
			ended |= gt_group_has_ended(peer[k]);
		all = gt_group_poll(w, peer, n, &missing) == GT_GROUP_DONE;
		gt_group_backoff(looks);
	}
	for (size_t k = 0; k < n; k++)
		gt_transport_free(w[k]);
	return all;
}

int gt_group_all(int yes)
{
	uint64_t word[GT_GROUP_MAX] = { 0 };
	gt_transport_position place;
	int all = 1;
	if (group.ended || gt_group_join(&place) != GT_OK || place.n == 1)
		return yes;
	word[place.me] = yes != 0;
	if (!swap_words(word))
		return yes;
	for (int i = 0; i < place.n; i++)
		all &= word[i] != 0;
	return all;
}

gt_status gt_processes_part(const char *text, int *alone)
{
	GT_NEED(text);
	GT_NEED(alone);
	uint64_t work[GT_GROUP_MAX];
	*alone = group.place.n == 1;
	if (*alone || !group.begun || group.ended)
		return GT_OK;
	work[group.place.me] = *text ? gt_hash(0, text, strlen(text)) : 0;
	int unlike = swap_words(work);
	for (int i = 0; i < group.place.n && unlike; i++) {
		unlike &= work[i] != 0;
		for (int k = 0; k < i; k++)
			unlike &= work[i] != work[k];
	}
	if (!unlike)
		return GT_OK;
	gt_transport_leave();
	group.begun = 0;
	group.place = (gt_transport_position){ 0, 1, 0, 1 };
	*alone = 1;
	return GT_OK;
}

/* Termination ------------------------------------------------------------------ */

gt_status gt_processes_begin(int *process, int *processes)
{
	gt_transport_position place = { 0, 1, 0, 1 };
	gt_status st = GT_OK;
	if (gt_transport_is_launched())
		st = gt_group_join(&place);
	*process = place.me;
	*processes = place.n;
	return st;
}

int gt_process(void) { return group.place.me; }

struct ending {
	gt_status status;
	char host[64], message[GT_GROUP_TEXT];
};

static gt_status failed_there(int process, const struct ending *e)
{
	return gt_fail(e->status, "process %d of %d (host %s): %s", process, group.place.n, e->host, e->message);
}

/* Process 0 collects all results and sends the verdict to every process. */
static gt_status end_first(gt_status st, const struct ending *mine)
{
	struct ending e[GT_GROUP_MAX];
	gt_transfer *w[GT_GROUP_MAX] = { NULL };
	int done[GT_GROUP_MAX] = { 0 }, missing = group.place.n - 1;
	double failed_at = st != GT_OK ? gt_seconds() : 0;
	gt_status all = st;
	for (int i = 1; i < group.place.n; i++)
		w[i] = gt_transport_receive(i, ENDING, &e[i], sizeof e[i]);
	for (unsigned looks = 0; missing && !(failed_at > 0 && gt_seconds() > failed_at + first_waits); looks++) {
		for (int i = 1; i < group.place.n; i++) {
			if (done[i] || !w[i] || !gt_transport_test(w[i]))
				continue;
			done[i] = 1;
			missing--;
			if (e[i].status != GT_OK && all == GT_OK) {
				all = failed_there(i, &e[i]);
				failed_at = gt_seconds();
			}
		}
		gt_group_backoff(looks);
	}
	if (st != GT_OK)
		gt_fail(st, "%s", mine->message);
	for (int i = 1; i < group.place.n; i++) {
		gt_transport_free(w[i]);
		if (done[i])
			wait_for(gt_transport_send(i, VERDICT, &all, sizeof all), 1);
	}
	group.aborts = missing > 0;
	return all;
}

static gt_status end_other(gt_status st, const struct ending *mine, int *tells)
{
	gt_status all = st;
	*tells = 0;
	wait_for(gt_transport_send(0, ENDING, mine, sizeof *mine), 1);
	if (wait_for(gt_transport_receive(0, VERDICT, &all, sizeof all), st != GT_OK ? others_wait : 0))
		return all;
	*tells = group.aborts = 1;
	return failed_there(group.place.me, mine);
}

/* Announces to all processes that this one has ended. */
static void tell_end(void)
{
	const char nothing = 0;
	for (int to = 0; to < group.place.n; to++)
		if (to != group.place.me)
			wait_for(gt_transport_send(to, ENDED, &nothing, 1), 1);
}

gt_status gt_processes_end(gt_status st, int *tells)
{
	struct ending mine = { .status = st };
	*tells = !group.place.me || group.aborts;
	if (group.place.n == 1 || group.ended)
		return st;
	snprintf(mine.host, sizeof mine.host, "%s", gt_group_host());
	snprintf(mine.message, sizeof mine.message, "%s", st == GT_OK ? "" : gt_error());
	if (st != GT_OK) {
		gt_failure_report report = { .generation = GT_GROUP_ALWAYS, .process = group.place.me, .rank = -1, .status = st };
		snprintf(report.message, sizeof report.message, "%s", mine.message);
		gt_group_broadcast(&report);
	}
	tell_end();
	group.ended = 1;
	return group.place.me == 0 ? end_first(st, &mine) : end_other(st, &mine, tells);
}

void gt_processes_leave(int code)
{
	char nothing;
	if (group.begun && group.aborts)
		gt_transport_abort(code);
	for (int from = 0; group.begun && group.ended && from < group.place.n; from++)
		if (gt_transport_waiting(from, ENDED) >= 0)
			wait_for(gt_transport_receive(from, ENDED, &nothing, 1), 1);
	if (group.begun)
		gt_transport_stop();
	group.begun = 0;
}
