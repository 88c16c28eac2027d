#ifndef GT_TEAM_PROCESS_GROUP_H
#define GT_TEAM_PROCESS_GROUP_H
/* Group of MPI processes: membership, failure reports, and polling of messages with a timeout. */
#include <gantry/processes.h>
#include <stddef.h>
#include "team/transport.h"

enum { GT_GROUP_MAX = 64, GT_GROUP_ALWAYS = 0x7fffffff, GT_GROUP_TEXT = 512 };

/* A failure as reported to the other processes: its generation, see gt_group_next_generation(), and rank or process. */
typedef struct {
	int generation, process, rank;
	gt_status status;
	char host[64], message[GT_GROUP_TEXT];
} gt_failure_report;

gt_status gt_group_join(gt_transport_position *place);
const char *gt_group_host(void);
/* Begins a generation, a number common to all processes: one per team and per run. Tags contain it, so that messages of
 * another generation never match. */
int  gt_group_next_generation(void);
enum { GT_GROUP_GATHER, GT_GROUP_BLOCKS, GT_GROUP_LEAVE };
int  gt_group_tag(int generation, int kind);
/* Sends a failure report to all other processes, once per generation; fills in the host. */
void gt_group_broadcast(gt_failure_report *report);
/* 1: the process has ended and sends nothing more. */
int  gt_group_has_ended(int process);
/* Returns the failure report of this generation, or a permanent one; NULL: none. */
const gt_failure_report *gt_group_failure(int generation);

typedef enum { GT_GROUP_DONE, GT_GROUP_NOT_YET, GT_GROUP_BAD } gt_group_step;
/* Polls all transfers; *missing: process of an incomplete one. */
gt_group_step gt_group_poll(gt_transfer *const *transfer, const int *peer, size_t n, int *missing);
/* Sleeps between polls; the time grows with their number. */
void gt_group_backoff(unsigned looks);

/* Returns 1 if yes is not 0 in all processes, which all call it. If a process has ended, it returns yes: the next call
 * that needs the process reports it. Without a launcher it returns yes. */
int gt_group_all(int yes);

/* Returns the index of this process in the group; 0 before gt_processes_begin(). */
int gt_process(void);

/* For tests: version that this process reports. */
const char *gt_group_version(void);
void        gt_group_set_version(const char *version);
#endif
