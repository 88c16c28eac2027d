/* Teams of several processes: assignment of ranks, gather, and block exchange. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
#include "core/try.h"
#include "team/process_group.h"
#include "team/processes.h"

struct gt_processes {
	gt_transport_position place;
	int generation, first[GT_GROUP_MAX + 1]; /* first: first rank of each process */
	char host[GT_GROUP_MAX][64];
	char *all;
	size_t room;
};

/* Waiting ---------------------------------------------------------------------- */

/* Transfers in flight, with their peers. */
struct mail {
	gt_transfer **transfer;
	int *peer;
	size_t n, room;
};

static gt_status mail_new(size_t room, struct mail *m)
{
	*m = (struct mail){ .transfer = calloc(room + 1, sizeof *m->transfer), .peer = calloc(room + 1, sizeof *m->peer), .room = room };
	if (m->transfer && m->peer)
		return GT_OK;
	free(m->transfer);
	free(m->peer);
	*m = (struct mail){ .n = 0 };
	return gt_fail(GT_ERR_MEMORY, "no memory for messages between processes");
}

static void mail_free(struct mail *m)
{
	for (size_t i = 0; i < m->n; i++)
		gt_transport_free(m->transfer[i]);
	free(m->transfer);
	free(m->peer);
}

static void mail_add(struct mail *m, int peer, gt_transfer *w)
{
	m->peer[m->n] = peer;
	m->transfer[m->n++] = w;
}

/* Reason to stop waiting; GT_OK: none. *process: the one that failed or is missing. */
static gt_status why_not(const struct gt_processes *p, const struct mail *m, int missing, double seconds, double timeout, int *process,
                         int *rank)
{
	const gt_failure_report *report = gt_group_failure(p->generation);
	*process = missing;
	*rank = -1;
	if (report) {
		*process = report->process;
		*rank = report->rank;
		return gt_fail(report->status, "%s", report->message);
	}
	for (size_t i = 0; i < m->n; i++) {
		const int leaves = gt_transport_waiting(m->peer[i], gt_group_tag(p->generation, GT_GROUP_LEAVE)) >= 0;
		if ((!leaves && !gt_group_has_ended(m->peer[i])) || gt_transport_test(m->transfer[i]))
			continue;
		*process = m->peer[i];
		return gt_fail(GT_ERR_DEVICE, "it has ended %s",
		               leaves ? "while others wait for it" : "without the others, which wait for it");
	}
	if (seconds > timeout)
		return gt_fail(GT_ERR_DEVICE, "timeout: no message for %.3g s", seconds);
	return GT_OK;
}

/* Completes all of m; on failure *process and *rank name the origin. t NULL: the team does not exist yet. */
static gt_status wait_all(struct gt_processes *p, gt_team *t, const struct mail *m, double timeout, int *process, int *rank)
{
	enum { LOOKS = 16 }; /* polls between two checks for failures */
	const double start = gt_seconds();
	for (unsigned looks = 0;; looks++) {
		int missing = 0;
		const gt_group_step step = gt_group_poll(m->transfer, m->peer, m->n, &missing);
		if (step == GT_GROUP_DONE)
			return GT_OK;
		*process = missing;
		*rank = -1;
		if (step == GT_GROUP_BAD)
			return gt_fail(GT_ERR_DEVICE, "exchange: a message failed or has an unexpected size");
		if (looks % LOOKS == LOOKS - 1) {
			const gt_status st = why_not(p, m, missing, gt_seconds() - start, timeout, process, rank);
			if (st != GT_OK)
				return st;
		}
		if (t && gt_team_failure(t, rank, NULL) != GT_OK)
			return GT_ERR_DEVICE;
		gt_group_backoff(looks);
	}
}

/* Records the failure in the team, unless it has one already. */
static void fail_team(gt_team *t, gt_status st, int process, int rank)
{
	gt_team_fail(t, rank >= 0 ? rank : t->processes->first[process], st, gt_error());
}

/* Allgather of `bytes` bytes of each process; its own are in `all` already. */
static gt_status swap(struct gt_processes *p, gt_team *t, const size_t *at, char *all, double timeout, int *process, int *rank)
{
	struct mail m;
	const int tag = gt_group_tag(p->generation, GT_GROUP_GATHER), me = p->place.me;
	gt_status st = mail_new(2 * (size_t)p->place.n, &m);
	if (st != GT_OK)
		return st;
	for (int i = 0; i < p->place.n; i++)
		if (i != me)
			mail_add(&m, i, gt_transport_receive(i, tag, all + at[i], at[i + 1] - at[i]));
	for (int i = 0; i < p->place.n; i++)
		if (i != me)
			mail_add(&m, i, gt_transport_send(i, tag, all + at[me], at[me + 1] - at[me]));
	st = wait_all(p, t, &m, timeout, process, rank);
	mail_free(&m);
	return st;
}

/* Opening ---------------------------------------------------------------------- */

void gt_processes_place(const struct gt_processes *p, int *n, int *first)
{
	*n = p->first[p->place.n];
	*first = p->first[p->place.me];
}

void gt_processes_free(struct gt_processes *p)
{
	if (!p)
		return;
	free(p->all);
	free(p);
}

/* Distributes the devices of a host over its processes; a single device runs a rank of each. */
static gt_status name_ranks(const char *spec, const gt_transport_position *place, int ranks, int *n, char name[GT_TEAM_MAX][32])
{
	const char *text = spec[3] && spec[4] ? spec + 4 : "auto";
	char list[GT_TEAM_MAX][32];
	gt_status st = GT_OK;
	int devices = 0;
	if (gt_team_is_spec(text)) {
		GT_TRY(gt_team_parse(text, &devices, list));
		if (devices % place->locals)
			GT_TRY(gt_fail(
				GT_ERR_ARG,
				"backend '%s': %d devices for %d processes on host %s: expected a multiple of the number of processes",
				spec, devices, place->locals, gt_group_host()));
		*n = devices / place->locals;
		memcpy(name, list + place->local * *n, (size_t)*n * sizeof *name);
	} else if (gt_device_count() > 0 && (!strcmp(text, "auto") || !strcmp(text, "cuda"))) {
		snprintf(name[0], 32, "cuda:%d", place->local % gt_device_count());
		*n = 1;
	} else if (!strcmp(text, "auto") || !strcmp(text, "cpu")) {
		GT_TRY(gt_team_name_alone(text, gt_processes_sharing(place->locals), n, name));
	} else {
		snprintf(name[0], 32, "%s", text);
		*n = 1;
	}
	if (ranks && ranks % place->n)
		GT_TRY(gt_fail(GT_ERR_ARG, "backend '%s': found %d processes: expected a divisor of %d", spec, place->n, ranks));
	if (ranks) {
		memcpy(list, name, sizeof list);
		GT_TRY(gt_team_distribute(spec, *n, list, ranks / place->n, name));
		*n = ranks / place->n;
	}
done:
	return st;
}

struct hello {
	gt_status status;
	int ranks;
	char version[64], host[64], message[GT_GROUP_TEXT];
};

static gt_status meet_all(struct gt_processes *p, const struct hello *all)
{
	for (int i = 0; i < p->place.n; i++) {
		if (all[i].status != GT_OK)
			return gt_fail(all[i].status, "%s", all[i].message);
		if (strcmp(all[i].version, all[0].version))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "process %d of %d (host %s) is of version %s, process 0 (host %s) of %s: expected one", i,
			               p->place.n, all[i].host, all[i].version, all[0].host, all[0].version);
		memcpy(p->host[i], all[i].host, sizeof p->host[i]);
		p->first[i + 1] = p->first[i] + all[i].ranks;
	}
	if (p->first[p->place.n] > GT_TEAM_MAX)
		return gt_fail(GT_ERR_ARG, "%d ranks of %d processes: expected at most %d", p->first[p->place.n], p->place.n, GT_TEAM_MAX);
	return GT_OK;
}

gt_status gt_processes_new(const char *spec, int ranks, int *n, char name[GT_TEAM_MAX][32], struct gt_processes **out)
{
	static const double timeout = 600; /* seconds; reading takes some processes longer than others */
	struct hello all[GT_GROUP_MAX];
	size_t at[GT_GROUP_MAX + 1];
	int process = 0, rank;
	gt_status st = GT_OK;
	if (!gt_transport_is_launched())
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "backend '%s': no launcher of MPI has started this: expected mpirun -n 4 before the command", spec);
	struct gt_processes *p = calloc(1, sizeof *p);
	if (!p)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	GT_TRY(gt_group_join(&p->place));
	p->generation = gt_group_next_generation();
	*n = 0;
	struct hello *mine = &all[p->place.me];
	memset(mine, 0, sizeof *mine);
	mine->status = name_ranks(spec, &p->place, ranks, n, name);
	mine->ranks = *n;
	snprintf(mine->version, sizeof mine->version, "%s", gt_group_version());
	snprintf(mine->host, sizeof mine->host, "%s", gt_group_host());
	snprintf(mine->message, sizeof mine->message, "%s", mine->status == GT_OK ? "" : gt_error());
	for (int i = 0; i <= p->place.n; i++)
		at[i] = (size_t)i * sizeof *all;
	st = swap(p, NULL, at, (char *)all, timeout, &process, &rank);
	if (st != GT_OK) {
		const gt_failure_report *report = gt_group_failure(p->generation);
		GT_TRY(gt_fail_in(st, "process %d of %d%s%s%s", process, p->place.n, report ? " (host " : "", report ? report->host : "",
		                  report ? ")" : ""));
	}
	GT_TRY(meet_all(p, all));
	*out = p;
done:
	if (st != GT_OK)
		gt_processes_free(p);
	return st;
}

struct rank_report {
	gt_status status;
	char where[96], message[GT_GROUP_TEXT];
};

static void offsets(const struct gt_processes *p, size_t bytes, size_t at[GT_GROUP_MAX + 1])
{
	for (int i = 0; i <= p->place.n; i++)
		at[i] = (size_t)p->first[i] * bytes;
}

gt_status gt_processes_agree(gt_team *t, gt_status st)
{
	struct gt_processes *p = t->processes;
	size_t at[GT_GROUP_MAX + 1];
	int process = 0, rank, failed = -1;
	struct rank_report *all = calloc((size_t)t->n + 1, sizeof *all);
	if (!all)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	for (int i = t->first; i < t->first + t->here; i++) {
		all[i].status = st;
		snprintf(all[i].where, sizeof all[i].where, "host %.40s, %.40s", gt_group_host(),
		         t->be[i] ? gt_backend_name(t->be[i]) : "no device");
		snprintf(all[i].message, sizeof all[i].message, "%s", st == GT_OK ? "" : gt_error());
	}
	offsets(p, sizeof *all, at);
	st = swap(p, NULL, at, (char *)all, t->timeout, &process, &rank);
	for (int i = 0; i < t->n && st == GT_OK; i++) {
		memcpy(t->where[i], all[i].where, sizeof t->where[i]);
		if (all[i].status != GT_OK && failed < 0)
			failed = i;
	}
	if (failed >= 0)
		st = gt_fail(all[failed].status, "rank %d of %d (%s): %s", failed, t->n, all[failed].where, all[failed].message);
	free(all);
	return st;
}

/* Runs --------------------------------------------------------------------------- */

void gt_processes_begin_run(gt_team *t) { t->processes->generation = gt_group_next_generation(); }

static void report_failure(gt_team *t)
{
	gt_failure_report report = { .generation = t->processes->generation, .process = t->processes->place.me };
	report.status = gt_team_failure(t, &report.rank, report.message);
	const gt_failure_report *heard = gt_group_failure(report.generation);
	if (report.status != GT_OK && !heard)
		gt_group_broadcast(&report);
}

void gt_processes_end_run(gt_team *t)
{
	struct gt_processes *p = t->processes;
	const int tag = gt_group_tag(p->generation, GT_GROUP_LEAVE);
	char here = 0, there[GT_GROUP_MAX];
	int process = 0, rank = -1;
	struct mail m;
	gt_status st = gt_team_failure(t, &rank, NULL);
	if (st == GT_OK && (st = mail_new(2 * (size_t)p->place.n, &m)) == GT_OK) {
		for (int i = 0; i < p->place.n; i++)
			if (i != p->place.me)
				mail_add(&m, i, gt_transport_send(i, tag, &here, 1));
		for (int i = 0; i < p->place.n; i++)
			if (i != p->place.me)
				mail_add(&m, i, gt_transport_receive(i, tag, &there[i], 1));
		st = wait_all(p, t, &m, gt_team_timeout(t), &process, &rank);
		mail_free(&m);
	}
	if (st != GT_OK)
		fail_team(t, st, process, rank);
	report_failure(t);
}

/* Collective calls ---------------------------------------------------------------- */

const void *gt_processes_gather(gt_team *t, size_t bytes)
{
	struct gt_processes *p = t->processes;
	size_t at[GT_GROUP_MAX + 1];
	int process = 0, rank = -1;
	if ((size_t)t->n * bytes > p->room) {
		free(p->all);
		p->room = (size_t)t->n * bytes;
		p->all = malloc(p->room);
		if (!p->all)
			p->room = 0;
	}
	gt_status st = p->all ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for the data of a gather");
	for (int i = t->first; i < t->first + t->here && st == GT_OK; i++)
		memcpy(p->all + (size_t)i * bytes, t->rank[i]->post, bytes);
	offsets(p, bytes, at);
	if (st == GT_OK)
		st = swap(p, t, at, p->all, gt_team_timeout(t), &process, &rank);
	if (st == GT_OK)
		return p->all;
	fail_team(t, st, process, rank);
	report_failure(t);
	return NULL;
}

static int process_of(const struct gt_processes *p, int rank)
{
	int i = 0;
	while (rank >= p->first[i + 1])
		i++;
	return i;
}

void gt_processes_ranks(const gt_team *t, int rank, int *first, int *end)
{
	const int process = process_of(t->processes, rank);
	*first = t->processes->first[process];
	*end = t->processes->first[process + 1];
}

/* Posts blocks of rank i of this process, in their order: sends to `peer`, or receives from it. */
static void post_blocks(struct gt_processes *p, const struct gt_rank *m, int peer, int takes, struct mail *mail)
{
	const gt_exchange_block *block = takes ? m->takes : m->post;
	const size_t n = takes ? m->takings : m->posts;
	const int process = process_of(p, peer), tag = gt_group_tag(p->generation, GT_GROUP_BLOCKS);
	for (size_t k = 0; k < n; k++)
		if (block[k].peer == peer)
			mail_add(mail, process,
			         takes ? gt_transport_receive(process, tag, block[k].at, block[k].bytes)
			               : gt_transport_send(process, tag, block[k].at, block[k].bytes));
}

/* Both sides use the same order: by sending rank, then by receiving rank. */
void gt_processes_exchange(gt_team *t)
{
	struct gt_processes *p = t->processes;
	const int first = t->first, end = t->first + t->here;
	int process = 0, rank = -1;
	size_t blocks = 0;
	struct mail mail;
	for (int i = first; i < end; i++)
		blocks += t->rank[i]->posts + t->rank[i]->takings;
	gt_status st = mail_new(blocks, &mail);
	if (st == GT_OK) {
		for (int from = 0; from < t->n; from++)
			for (int to = first; to < end && gt_is_remote(t, from); to++)
				post_blocks(p, t->rank[to], from, 1, &mail);
		for (int from = first; from < end; from++)
			for (int to = 0; to < t->n; to++)
				if (gt_is_remote(t, to))
					post_blocks(p, t->rank[from], to, 0, &mail);
		st = wait_all(p, t, &mail, gt_team_timeout(t), &process, &rank);
		mail_free(&mail);
	}
	if (st == GT_OK)
		return;
	fail_team(t, st, process, rank);
	report_failure(t);
}
