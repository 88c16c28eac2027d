/* The team of a backend as core sees it: its size, and the syntax of its names, which gt_backend_open() refuses. */
#include <string.h>
#include "core/device/backend.h"
#include "core/partition/rank.h"

int gt_ranks(const gt_backend *be) { return be && be->rank ? be->rank_ops->ranks(be) : 1; }

int gt_processes_are_spec(const char *spec) { return spec && !strncmp(spec, "mpi", 3) && (!spec[3] || spec[3] == ':'); }

int gt_team_is_spec(const char *spec)
{
	if (!spec)
		return 0;
	if (gt_processes_are_spec(spec))
		return 1;
	if (strchr(spec, '+'))
		return !strncmp(spec, "cpu:", 4) || !strncmp(spec, "cuda:", 5);
	if (!strncmp(spec, "cpu:", 4))
		return strchr(spec + 4, 'x') != NULL;
	return !strncmp(spec, "cuda:", 5) && strpbrk(spec + 5, ",-") != NULL && !strstr(spec, ",shared=");
}
