#ifndef GT_CORE_TEAM_WORLD_H
#define GT_CORE_TEAM_WORLD_H
/* The processes of a launcher: who they are, what they tell each other outside of a team's work, and how one waits for
 * messages without waiting for ever. */
#include <gantry/recon.h>
#include <stddef.h>
#include "core/team/wire.h"

enum { GT_WORLD_MAX = 64, GT_WORLD_ALWAYS = 0x7fffffff, GT_WORLD_TEXT = 512 };

/* What went wrong, as it is told to the others: in which epoch (see gt_world_next()), with which member or process. */
typedef struct {
	int epoch, process, rank;
	gt_status status;
	char host[64], message[GT_WORLD_TEXT];
} gt_world_news;

/* Joins, once. */
gt_status gt_world_join(gt_wire_place *place);
const char *gt_world_host(void);
/* Every team and every run of one is an epoch, the same on all; messages of another one are never met. */
int  gt_world_next(void);
enum { GT_WORLD_GATHER, GT_WORLD_PIECES, GT_WORLD_LEAVE };
int  gt_world_tag(int epoch, int kind);
/* Tells all others, once in an epoch; fills in the host. */
void gt_world_tell(gt_world_news *news);
/* 1: that process is at its end, whether well or not: what it has not sent it never sends. */
int  gt_world_has_ended(int process);
/* What was told of this epoch, or always holds; NULL: nothing. */
const gt_world_news *gt_world_heard(int epoch);

typedef enum { GT_WORLD_DONE, GT_WORLD_NOT_YET, GT_WORLD_BAD } gt_world_step;
/* Looks at each; *missing: a process of which one is not done. */
gt_world_step gt_world_look(gt_wire *const *wire, const int *peer, size_t n, int *missing);
/* A rest between two looks, longer the more there were. */
void gt_world_rest(unsigned looks);

/* For tests: what this process says that it is. */
const char *gt_world_version(void);
void        gt_world_set_version(const char *version);
#endif
