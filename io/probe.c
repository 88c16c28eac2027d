/* HDF5, NetCDF and DCMTK are written for files of friends: a damaged one may end the process that opens it. A child
 * process may die of it. It is forked and not started anew, so that no other program is needed; it calls nothing but
 * the library in question and ends by _exit(), so that it neither prints nor removes what is its parent's. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "io/probe.h"

/* Seconds of the processor, and by the clock, that a file may take: opening the largest takes less than one. */
enum { MOST_CPU = 20, MOST_WALL = 120, KNOWN = 64 };

typedef struct {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
} identity;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static identity known[KNOWN];
static size_t next;

static int identify(const char *path, identity *id)
{
	struct stat s;
	memset(id, 0, sizeof *id);
	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
		return 0;
	id->device = s.st_dev;
	id->inode = s.st_ino;
	id->size = s.st_size;
	id->changed = s.st_mtim;
	return 1;
}

static int same(const identity *a, const identity *b)
{
	return a->inode == b->inode && a->device == b->device && a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

static int is_known(const identity *id)
{
	int found = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < KNOWN && !found; i++)
		found = same(&known[i], id);
	pthread_mutex_unlock(&lock);
	return found;
}

static void remember(const identity *id)
{
	pthread_mutex_lock(&lock);
	known[next++ % KNOWN] = *id;
	pthread_mutex_unlock(&lock);
}

/* In the child: no handler of the parent's, no core, no output, and an end. */
static void walk_and_exit(const char *path, gt_probe_walk walk)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU, SIGTERM, SIGINT };
	const struct rlimit none = { 0, 0 }, cpu = { MOST_CPU, MOST_CPU };
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigset_t empty;
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &cpu);
	alarm(MOST_WALL);
	if (nowhere >= 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
	walk(path);
	_exit(0);
}

static gt_status judge(const char *path, const char *library, int status)
{
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: %s does not come to an end with it (tried in a process of its own)", path,
		               library);
	if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0))
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: %s crashes on it (tried in a process of its own: %s)", path, library,
		               WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it gave up");
	return GT_OK;
}

gt_status gt_probe(const char *path, const char *library, gt_probe_walk walk)
{
	identity id;
	int status = 0;
	if (!identify(path, &id) || is_known(&id))
		return GT_OK;
	fflush(stdout);
	const pid_t child = fork();
	if (child == 0)
		walk_and_exit(path, walk);
	pid_t ended = child;
	if (child > 0)
		do
			ended = waitpid(child, &status, 0);
		while (ended < 0 && errno == EINTR);
	const gt_status st = child > 0 && ended == child ? judge(path, library, status) : GT_OK;
	if (st == GT_OK)
		remember(&id);
	return st;
}
