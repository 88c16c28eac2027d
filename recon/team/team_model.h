#ifndef GT_RECON_TEAM_MODEL_H
#define GT_RECON_TEAM_MODEL_H
/* How long an iteration of a team takes, as told before it runs: what members compute, what they exchange and what
 * passes over arrays cost. Of a GPU the constants are an H200's; of the CPU those of a thread of a server's. */
#include <gantry/grid.h>
#include <gantry/scan.h>

typedef struct {
	const gt_grid *grid;
	const gt_scan *scan;
	size_t subsets;
	const char *penalty;            /* its name or more; NULL: none */
	int direct, on_cpu, threads;    /* threads: of a member on the CPU */
	size_t element;                 /* bytes */
} gt_model_case;

typedef struct {
	double seconds;                 /* of an iteration, or of a direct method: the sum of the next three */
	double operators, exchange, passes;
	double moved;                   /* bytes that a member takes from others in it */
} gt_model_times;

/* Of slabs x blocks members; one alone: 1 x 1. */
void gt_model(const gt_model_case *c, size_t slabs, size_t blocks, gt_model_times *t);
/* "by_NAME=12.3 ms by the model (compute 10, exchange 1.2, passes 1.1)"; malloc'ed, NULL without memory. */
char *gt_model_text(const char *name, const gt_model_times *t);
/* At which speed the exchanges of a case are counted, and whose it is: "exchange_at=300 GB/s and ..."; the same. */
char *gt_model_link_text(const gt_model_case *c);
#endif
