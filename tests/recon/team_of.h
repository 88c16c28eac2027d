#ifndef GT_TESTS_TEAM_OF_H
#define GT_TESTS_TEAM_OF_H
/* Teams for tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "team/team.h"
#include "tests/support/support.h"

/* Opens a team on the tested backend. Returns 0 if there are too few devices. If the processes of GT_TEAM=mpi do
 * not fit, all ranks are threads of each process. */
static inline int team_of(int ranks, gt_team **t)
{
	char spec[64];
	const char *tested = getenv("GT_BACKEND"), *processes = getenv("OMPI_COMM_WORLD_SIZE");
	const int on_gpu = tested && !strncmp(tested, "cuda", 4);
	if (on_gpu && gt_device_count() < ranks)
		return 0;
	if (getenv("GT_TEAM") && processes && ranks > 1) {
		if (ranks % atoi(processes))
			return 0;
		snprintf(spec, sizeof spec, on_gpu ? "mpi:cuda:0-%d" : "mpi:cpu:1x%d", on_gpu ? ranks - 1 : ranks);
	} else
		snprintf(spec, sizeof spec, on_gpu ? "cuda:0-%d" : "cpu:1x%d", on_gpu ? ranks - 1 : ranks);
	ck_assert_msg(gt_team_open(spec, t) == GT_OK, "%s: %s", spec, gt_error());
	return 1;
}

/* Index of the last rank in this process. */
static inline int last_here(const gt_team *t)
{
	int i = gt_team_size(t) - 1;
	while (!gt_team_backend(t, i))
		i--;
	return i;
}
#endif
