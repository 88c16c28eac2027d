/* Checkpoints of a team, through copies on the host. */
#include <stdlib.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "io/checkpoint.h"
#include "recon/team/team_checkpoint.h"
#include "team/team.h"

/* Allocates a host array for each array in `kept`; *list ends like kept. */
static gt_status new_copies(gt_backend *host, const gt_state_entry *kept, size_t n, gt_state_entry *list)
{
	gt_status st = GT_OK;
	for (size_t i = 0; i < n; i++) {
		list[i] = (gt_state_entry){ kept[i].name, NULL, kept[i].value };
		if (kept[i].array)
			GT_TRY(gt_array_new(host, gt_array_type(kept[i].array), gt_array_size(kept[i].array), &list[i].array));
	}
done:
	return st;
}

gt_status gt_team_checkpoint_write(gt_backend *be, const char *path, const gt_checkpoint_line *run, int iteration,
                                   const gt_state_entry *kept)
{
	gt_backend *host = NULL;
	gt_status st = GT_OK;
	size_t n = 0;
	while (kept[n].name)
		n++;
	const int writes = gt_rank(be) == 0;
	gt_state_entry *copy = writes ? calloc(n + 1, sizeof *copy) : NULL;
	if (writes)
		st = copy ? gt_backend_open("cpu:1", &host) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	if (writes && st == GT_OK)
		st = new_copies(host, kept, n, copy);
	/* The other ranks contribute their data even if rank 0 has no memory for it. */
	for (size_t i = 0; i < n; i++)
		if (kept[i].array && gt_array_is_shared(kept[i].array))
			gt_array_get(kept[i].array, copy && st == GT_OK ? gt_array_data(copy[i].array) : NULL);
		else if (kept[i].array && writes && st == GT_OK)
			gt_array_get(kept[i].array, gt_array_data(copy[i].array));
	if (writes && st == GT_OK)
		st = gt_backend_known(be);
	if (writes && st == GT_OK)
		st = gt_checkpoint_write(path, run, iteration, copy);
	for (size_t i = 0; copy && i < n; i++)
		gt_array_free(copy[i].array);
	free(copy);
	gt_backend_close(host);
	return st;
}
