#ifndef GT_RECON_TEAM_SPLIT_H
#define GT_RECON_TEAM_SPLIT_H
/* How members of a team share the work of an operator. Members form slabs x blocks: groups along z, each of which
 * has runs of views. Who owns what never changes: slices in runs, and of every subset views in runs. A helix cut
 * by views needs of the volume what its views see alone. */
#include <gantry/subsets.h>
#include "core/team/split.h"
#include "recon/team/team_model.h"

typedef enum { GT_SPLIT_AUTO, GT_SPLIT_VIEWS, GT_SPLIT_SLICES, GT_SPLIT_GRID } gt_split_kind;
typedef struct { gt_split_kind kind; size_t slabs, blocks; } gt_split_spec;

/* "auto", "views", "slices" or "2x4" (slabs x blocks of views). GT_ERR_ARG. */
gt_status gt_split_spec_parse(const char *text, gt_split_spec *s);
/* Slabs and blocks of this many members: as asked for, or for `auto` what takes the least time by the model.
 * GT_ERR_ARG: another number of members; more slabs than slices or blocks than views of the smallest subset. */
gt_status gt_split_choose(const gt_split_spec *asked, size_t ranks, const gt_model_case *c, gt_split_spec *chosen);
/* The k-th split of so many members that c allows; 0: there are no more. */
int gt_split_nth(size_t ranks, const gt_model_case *c, size_t k, gt_split_spec *s);
/* "views", "slices", "2x4". */
void gt_split_print(const gt_split_spec *s, char text[32]);

/* As the arguments of gt_subsets_new(): borrowed. */
typedef struct {
	const char *projector;
	gt_type type;
	const gt_grid *grid;
	const gt_scan *scan;
	const float *data, *weights;    /* weights NULL: 1 */
	size_t subsets;
} gt_team_problem;
/* As gt_subsets_new(), on a member's backend: operators of the team, and data that it shares. */
gt_status gt_team_subsets_new(const gt_split_spec *chosen, gt_backend *be, const gt_team_problem *q, gt_subsets *s);
/* Seconds of a projection and a backprojection by this member's operator of the first subset, without what is
 * exchanged; the lesser of two runs. What it takes is freed. */
gt_status gt_team_probe(const gt_split_spec *chosen, gt_backend *be, const gt_team_problem *q, double *seconds);
/* Slices of a slab that views see: of a helix some, else all; rows by which these are seen. n 0: none. */
gt_range gt_seen_slices(const gt_grid *grid, const gt_scan *scan, gt_range slab, gt_range views);
gt_range gt_seen_rows  (const gt_grid *grid, const gt_scan *scan, gt_range slices, gt_range views);
/* Some views and rows of a scan, as a scan of their own. */
gt_status gt_scan_window(const gt_scan *scan, gt_range views, gt_range rows, gt_scan **part);
/* Slices first ... first+n-1 of a grid. */
gt_grid gt_grid_slab(const gt_grid *grid, gt_range slices);
#endif
