#ifndef GT_RECON_TEAM_MODEL_H
#define GT_RECON_TEAM_MODEL_H
/* Predicts the time of a team's iteration: computation of the ranks, exchanges, and passes over arrays. Constants are
 * for an H200 GPU, or a thread of a server CPU. */
#include <gantry/grid.h>
#include <gantry/scan.h>

typedef struct {
	const gt_grid *grid;
	const gt_scan *scan;
	size_t subsets;
	const char *penalty;            /* name or specification; NULL: none */
	int direct, on_cpu, threads;    /* threads: of a rank on the CPU */
	size_t element;                 /* bytes */
	int equal_views;                /* 1: ranks have equal numbers of views of a helix, not equal work */
} gt_model_case;

typedef struct {
	double seconds;                 /* per iteration, or of an analytic method: sum of the next three */
	double operators, exchange, passes;
	double moved;                   /* bytes that a rank receives in it */
} gt_model_times;

/* Height of the grid that a view sees, mm: within reach of all its rays, for a helix. */
double gt_model_height(const gt_grid *grid, const gt_scan *scan, const gt_view *view);
/* Number of first views with `part` (0 to 1) of the work of all, if views at the ends of a helix see fewer slices. */
size_t gt_views_with(const gt_grid *grid, const gt_scan *scan, double part);
/* slabs x blocks ranks; a single one: 1 x 1. */
void gt_model(const gt_model_case *c, size_t slabs, size_t blocks, gt_model_times *t);
/* Returns "by_NAME=12.3 ms by the model (compute 10, exchange 1.2, passes 1.1)"; malloc'ed, NULL without memory. */
char *gt_model_text(const char *name, const gt_model_times *t);
/* Returns the assumed rate of exchanges and its source: "exchange_at=300 GB/s and ..."; malloc'ed, NULL without
 * memory. */
char *gt_model_link_text(const gt_model_case *c);
#endif
