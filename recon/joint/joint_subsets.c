/* Joins the subsets of several scans. Memory: data and weights once; twice for the subset being joined. */
#include <stdlib.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "recon/joint/block_operator.h"
#include "recon/joint/joint_subsets.h"
#include "team/team.h"

gt_status gt_joint_volumes_new(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, gt_array **x)
{
	const size_t plane = grid->n[0] * grid->n[1];
	const gt_range own = gt_local_range(be, grid->n[2]);
	gt_partition_run *run = malloc(volumes * sizeof *run);
	if (!run)
		return gt_fail(GT_ERR_MEMORY, "no memory for the runs of %zu volumes", volumes);
	for (size_t i = 0; i < volumes; i++)
		run[i] = (gt_partition_run){ plane * grid->n[2], plane * own.first, plane * own.n, 0 };
	const gt_status st = gt_array_new_runs(be, type, run, volumes, x);
	free(run);
	return st;
}

/* Concatenates the arrays of subset k of all parts, and frees the parts' arrays. */
static gt_status gather(gt_subsets *part, size_t parts, size_t k, int weights, gt_array **all)
{
	size_t first = 0;
	gt_status st = GT_OK;
	gt_backend *be = gt_linop_backend(part[0].A[k]);
	gt_partition_run *run = malloc(parts * sizeof *run);
	if (!run)
		return gt_fail(GT_ERR_MEMORY, "no memory for the runs of %zu arrays", parts);
	for (size_t i = 0; i < parts; i++) {
		const gt_range own = gt_array_own(part[i].b[k]);
		run[i] = (gt_partition_run){ gt_array_size(part[i].b[k]), own.first, own.n, 0 };
	}
	GT_TRY(gt_array_new_runs(be, gt_linop_type(part[0].A[k]), run, parts, all));
	for (size_t i = 0; i < parts; i++) {
		gt_array **from = weights ? part[i].w : part[i].b;
		gt_array to = gt_block_of(*all, i, first, run[i].all);
		if (from)
			gt_copy(from[k], &to);
		else
			gt_fill(1, &to);
		first += run[i].all;
	}
	GT_TRY(gt_backend_status(be));
done:
	free(run);
	return st;
}

static void take(gt_array **from, size_t k)
{
	if (!from)
		return;
	gt_array_free(from[k]);
	from[k] = NULL;
}

gt_status gt_joint_subsets_new(gt_subsets *part, size_t parts, gt_subsets *all)
{
	const size_t n = part[0].subsets;
	int weighted = 0;
	gt_status st = GT_OK;
	gt_linop **block = calloc(parts, sizeof *block);
	for (size_t i = 0; i < parts; i++)
		weighted |= part[i].w != NULL;
	*all = (gt_subsets){ .subsets = n,
		             .A = calloc(n, sizeof *all->A),
		             .b = calloc(n, sizeof *all->b),
		             .w = weighted ? calloc(n, sizeof *all->w) : NULL };
	if (!block || !all->A || !all->b || (weighted && !all->w))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < parts; i++)
			block[i] = part[i].A[k];
		GT_TRY(gt_block_operator_new(block, parts, &all->A[k]));
		if (weighted)
			GT_TRY(gather(part, parts, k, 1, &all->w[k]));
		GT_TRY(gather(part, parts, k, 0, &all->b[k]));
		for (size_t i = 0; i < parts; i++) {
			take(part[i].w, k);
			take(part[i].b, k);
		}
	}
done:
	free(block);
	return st;
}
