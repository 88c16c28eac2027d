/* Binding by an MPI launcher, which reduces the processors of a process. The launcher is the parent of the process and
 * keeps the processors of its caller, so a limit of a container is no binding. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/text.h"
#include "team/process_group.h"
#include "team/processes.h"

/* Number of processors of this process and of the launcher; 0: unknown. Slurm's launcher is not within the job, but
 * names the job's processors of this host. */
static void count_processors(int *mine, int *all)
{
	const char *of_job = getenv("SLURM_CPUS_ON_NODE");
	const int job = of_job ? atoi(of_job) : 0;
	cpu_set_t set;
	*mine = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
	*all = getppid() > 0 && sched_getaffinity(getppid(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
	if (job > 0 && job < *all)
		*all = job;
}

int gt_processes_sharing(int locals)
{
	int mine, all;
	count_processors(&mine, &all);
	return mine && mine < all ? (locals * mine + all - 1) / all : locals;
}

static int threads_here(const gt_team *t)
{
	int n = 0;
	for (int i = t->first; i < t->first + t->here; i++)
		n += gt_pool_threads(gt_backend_pool(t->be[i]));
	return n;
}

char *gt_team_binding(const gt_team *t, const char *spec)
{
	gt_transport_position place;
	int mine, all;
	if (!t->processes || gt_group_join(&place) != GT_OK)
		return NULL;
	count_processors(&mine, &all);
	const int part = all / place.locals, threads = threads_here(t);
	const int useful = !strncmp(spec, "mpi:cpu:", 8) && threads < part ? threads : part;
	if (!mine || mine >= useful)
		return NULL;
	return gt_text("the launcher binds %s to %d of %d processors: mpirun --bind-to none, or srun --cpus-per-task=%d, lets %s use %d",
	               place.locals > 1 ? "each process" : "the process", mine, all, useful, place.locals > 1 ? "each" : "it", useful);
}
