/* Processors of a process that a launcher binds: the processes that share them.
 * labels: unit; backend: none */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "team/processes.h"
#include "tests/support/support.h"

static int mine, all; /* processors of this process and of its parent; 0: the call fails */

/* In place of the call of libc. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
	const int n = process == getppid() ? all : mine;
	CPU_ZERO_S(size, set);
	for (int i = 0; i < n; i++)
		CPU_SET_S((size_t)i, size, set);
	return n ? 0 : -1;
}

static const struct {
	int mine, all, locals, sharing;
} cases[] = {
	{ 32, 32, 4, 4 },                   /* not bound */
	{ 2, 2, 4, 4 },                     /* a container of two processors */
	{ 8, 32, 4, 1 },                    /* a part each, as srun --cpus-per-task=8 */
	{ 8, 32, 3, 1 },  { 16, 32, 4, 2 }, /* two processes to each of two sockets */
	{ 16, 32, 3, 2 }, { 1, 32, 2, 1 },  /* a core each */
	{ 0, 32, 4, 4 },  { 8, 0, 4, 4 },   /* the launcher is on another host, or not visible */
};

GT_TESTS(processes_that_share, sizeof cases / sizeof *cases)
{
	mine = cases[_i].mine;
	all = cases[_i].all;
	unsetenv("SLURM_CPUS_ON_NODE");
	ck_assert_int_eq(gt_processes_sharing(cases[_i].locals), cases[_i].sharing);
}

/* Slurm's launcher has all processors of the host, here 64. */
GT_TEST(processes_of_a_slurm_job)
{
	mine = 8;
	all = 64;
	setenv("SLURM_CPUS_ON_NODE", "8", 1); /* one set for all */
	ck_assert_int_eq(gt_processes_sharing(4), 4);
	setenv("SLURM_CPUS_ON_NODE", "32", 1); /* a part each */
	ck_assert_int_eq(gt_processes_sharing(4), 1);
}

int main(void) { return gt_test_main("binding", NULL); }
