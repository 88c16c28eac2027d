#ifndef GT_RECON_TEAM_SPLIT_H
#define GT_RECON_TEAM_SPLIT_H
/* Partitions the work of an operator among the ranks of a team. Ranks form slabs x blocks: groups along z, each with
 * runs of views. Local ranges are fixed: runs of slices, and runs of views of every subset. A rank with views of a
 * helix needs only the slices that these see. */
#include <gantry/recon.h>
#include "recon/team/team_model.h"
#include "team/split.h"

typedef enum { GT_SPLIT_AUTO, GT_SPLIT_VIEWS, GT_SPLIT_SLICES, GT_SPLIT_GRID } gt_split_kind;
typedef struct { gt_split_kind kind; size_t slabs, blocks; } gt_split_spec;

/* Parses "auto", "views", "slices" or "2x4" (slabs x blocks of views). GT_ERR_ARG. */
gt_status gt_split_spec_parse(const char *text, gt_split_spec *s);
/* Slabs and blocks for this number of ranks: as requested, or for `auto` the fastest by the model. GT_ERR_ARG: another
 * number of ranks; more slabs than slices, or more blocks than views of the smallest subset. */
gt_status gt_split_choose(const gt_split_spec *asked, size_t ranks, const gt_model_case *c, gt_split_spec *chosen);
/* Returns the k-th split that c allows for this number of ranks; 0: there are no more. */
int gt_split_nth(size_t ranks, const gt_model_case *c, size_t k, gt_split_spec *s);
/* Prints "views", "slices" or "2x4". */
void gt_split_print(const gt_split_spec *s, char text[32]);

/* Arguments of gt_subsets_new(); borrowed. */
typedef struct {
	const char *projector;
	gt_type type;
	const gt_grid *grid;
	const gt_scan *scan;
	const float *data, *weights;    /* weights NULL: 1 */
	size_t subsets;
} gt_team_problem;
/* Like gt_subsets_new(), on a rank's backend: operators of the team, and partitioned data. */
gt_status gt_team_subsets_new(const gt_split_spec *chosen, gt_backend *be, const gt_team_problem *q, gt_subsets *s);
/* Makes the operator of a scan, one of the subsets; q: projector, type and grid. like: grid of the operators whose data
 * it shares, see gt_team_views(). */
gt_status gt_team_operator(const gt_split_spec *chosen, const gt_team_problem *q, const gt_grid *like, gt_backend *be,
                           const gt_scan *scan, gt_linop **A);
/* Measures the seconds of a projection and a backprojection by this rank's operator of the first subset, without
 * exchange: the minimum of two runs. Frees what it allocates. */
gt_status gt_team_probe(const gt_split_spec *chosen, gt_backend *be, const gt_team_problem *q, double *seconds);
/* Views of a subset that a rank owns, by its load fraction. On a helix, runs of equal work if `s` divides views alone:
 * views near its ends see fewer slices. */
gt_range gt_team_views(const gt_split_spec *s, const gt_backend *be, int rank, const gt_grid *grid, const gt_scan *scan);
/* Slices of a slab that the views see, some for a helix, else all; rows that see the slices. n 0: none. */
gt_range gt_seen_slices(gt_pool *pool, const gt_grid *grid, const gt_scan *scan, gt_range slab, gt_range views);
gt_range gt_seen_rows  (const gt_grid *grid, const gt_scan *scan, gt_range slices, gt_range views);
/* Makes a scan of some views and rows. */
gt_status gt_scan_window(const gt_scan *scan, gt_range views, gt_range rows, gt_scan **part);
/* Returns slices first ... first+n-1 of a grid. */
gt_grid gt_grid_slab(const gt_grid *grid, gt_range slices);
#endif
