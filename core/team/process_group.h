#ifndef GT_CORE_TEAM_PROCESS_GROUP_H
#define GT_CORE_TEAM_PROCESS_GROUP_H
/* The processes of a launcher: who they are, what they tell each other outside of a team's work, and how one waits for
 * messages without waiting for ever. */
#include <gantry/recon.h>
#include <stddef.h>
#include "core/team/transport.h"

enum { GT_GROUP_MAX = 64, GT_GROUP_ALWAYS = 0x7fffffff, GT_GROUP_TEXT = 512 };

/* A failure as reported to the other processes: its generation, see gt_group_next_generation(), and rank or process. */
typedef struct {
	int generation, process, rank;
	gt_status status;
	char host[64], message[GT_GROUP_TEXT];
} gt_failure_report;

/* Joins, once. */
gt_status gt_group_join(gt_transport_position *place);
const char *gt_group_host(void);
/* Every team and every run of one is an epoch, the same on all; messages of another one are never met. */
int  gt_group_next_generation(void);
enum { GT_GROUP_GATHER, GT_GROUP_BLOCKS, GT_GROUP_LEAVE };
int  gt_group_tag(int generation, int kind);
/* Tells all others, once in an epoch; fills in the host. */
void gt_group_broadcast(gt_failure_report *report);
/* 1: that process is at its end, whether well or not: what it has not sent it never sends. */
int  gt_group_has_ended(int process);
/* What was told of this epoch, or always holds; NULL: nothing. */
const gt_failure_report *gt_group_failure(int generation);

typedef enum { GT_GROUP_DONE, GT_GROUP_NOT_YET, GT_GROUP_BAD } gt_group_step;
/* Looks at each; *missing: a process of which one is not done. */
gt_group_step gt_group_poll(gt_transfer *const *transfer, const int *peer, size_t n, int *missing);
/* A rest between two looks, longer the more there were. */
void gt_group_backoff(unsigned looks);

/* For tests: what this process says that it is. */
const char *gt_group_version(void);
void        gt_group_set_version(const char *version);
#endif
