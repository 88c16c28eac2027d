/* List of unfinished files, and signal handlers that remove them, for programs that request it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <gantry/io.h>
#include "core/fork.h"
#include "io/tmp_list.h"

enum { ATTEMPTS = 1000 }; /* ms: another thread may be within open() */
enum { WAIT_MS = 2000 };  /* for a thread between begin and end: at most a rename on a slow network */

/* Signals that end a process by default, including limits, closed pipes and crashes: libnetcdf crashes if memory is
 * exhausted. */
static const int signals[] = { SIGINT,  SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM,
	                       SIGUSR1, SIGUSR2, SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGSYS,  SIGABRT };
enum { NSIGNALS = sizeof signals / sizeof *signals };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gt_unfinished *list;
static int handled[NSIGNALS];
static atomic_int wanted;   /* handlers, requested by gt_tmp_clean_on_signals() */
static atomic_int changing; /* threads between begin and end */
static atomic_int removing; /* threads that remove everything; then no other one can begin */

/* The child has none of the threads that were changing the list. */
static void in_child(gt_fork_watch *self)
{
	(void)self;
	pthread_mutex_init(&lock, NULL);
	atomic_store(&changing, 0);
	atomic_store(&removing, 0);
}

static void watch_forks(void)
{
	static gt_fork_watch watch;
	gt_fork_watch_begin(&watch, in_child);
}

static void sleep_ms(long ms)
{
	const struct timespec t = { 0, ms * 1000000 };
	nanosleep(&t, NULL);
}

void gt_tmp_delete(const gt_unfinished *u)
{
	if (!u->gone) {
		unlink(u->name);
		return;
	}
	const int renamed = rename(u->name, u->gone) == 0;
	const int folder = open(renamed ? u->gone : u->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[GT_TMP_DIGITS + 1 + sizeof u->extension];
	name[GT_TMP_DIGITS] = '.';
	memcpy(name + GT_TMP_DIGITS + 1, u->extension, sizeof u->extension);
	/* A file that another thread is opening may appear after its first deletion. */
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		for (size_t i = 1; folder >= 0 && i <= u->files; i++) {
			size_t rest = i;
			for (int d = GT_TMP_DIGITS; d-- > 0; rest /= 10)
				name[d] = (char)('0' + rest % 10);
			unlinkat(folder, name, 0);
		}
		if (rmdir(renamed ? u->gone : u->name) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
			break;
		sleep_ms(1);
	}
	if (folder >= 0)
		close(folder);
}

/* Waits until no thread changes the list. A thread that hangs there keeps its files. */
static void remove_listed(void)
{
	for (int ms = 0; atomic_load(&changing) && ms < WAIT_MS; ms++)
		sleep_ms(1);
	for (const gt_unfinished *u = atomic_load(&changing) ? NULL : list; u; u = u->next)
		if (u->owner == getpid())
			gt_tmp_delete(u);
}

void gt_tmp_remove(void)
{
	const int why = errno;
	if (atomic_fetch_add(&removing, 1) == 0)
		remove_listed();
	atomic_fetch_sub(&removing, 1);
	errno = why;
}

/* A second signal waits until the first one ends the process. */
static void remove_and_die(int number)
{
	struct sigaction normal;
	for (int ms = 0; atomic_fetch_add(&removing, 1) > 0 && ms < WAIT_MS; ms++)
		sleep_ms(1);
	remove_listed();
	memset(&normal, 0, sizeof normal);
	normal.sa_handler = SIG_DFL;
	sigaction(number, &normal, NULL);
	raise(number);
}

/* If HDF5 cannot initialise, it recurses until the stack overflows. Gives an alternate stack to the first thread that
 * creates a file. */
static void give_stack(void)
{
	static char stack[65536];
	static int given;
	stack_t now;
	if (given || sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
		return;
	given = 1;
	now = (stack_t){ .ss_sp = stack, .ss_size = sizeof stack };
	sigaltstack(&now, NULL);
}

static void handle_signals(void)
{
	give_stack();
	for (int i = 0; i < NSIGNALS; i++) {
		struct sigaction now, ours;
		if (sigaction(signals[i], NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
			continue;
		memset(&ours, 0, sizeof ours);
		ours.sa_handler = remove_and_die;
		ours.sa_flags = SA_ONSTACK;
		handled[i] = sigaction(signals[i], &ours, NULL) == 0;
	}
}

static void release_signals(void)
{
	for (int i = 0; i < NSIGNALS; i++) {
		struct sigaction now;
		if (handled[i] && sigaction(signals[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == remove_and_die) {
			now.sa_handler = SIG_DFL;
			sigaction(signals[i], &now, NULL);
		}
		handled[i] = 0;
	}
}

/* HDF5 exits the program if it cannot initialise. */
void gt_tmp_clean_on_signals(void)
{
	if (!atomic_exchange(&wanted, 1))
		atexit(gt_tmp_remove);
}

/* Blocks all signals: a handler of this thread would wait for itself. */
void gt_tmp_list_begin(sigset_t *before)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	sigset_t all;
	pthread_once(&once, watch_forks);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	for (;;) {
		pthread_mutex_lock(&lock);
		atomic_fetch_add(&changing, 1);
		if (!atomic_load(&removing))
			break;
		atomic_fetch_sub(&changing, 1);
		pthread_mutex_unlock(&lock);
		sleep_ms(1);
	}
	/* Before anything is created: another thread may receive the signal. */
	if (!list && atomic_load(&wanted))
		handle_signals();
}

void gt_tmp_list_end(const sigset_t *before)
{
	if (!list)
		release_signals();
	atomic_fetch_sub(&changing, 1);
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

void gt_tmp_list_add(gt_unfinished *u)
{
	u->next = list;
	list = u;
}

gt_unfinished *gt_tmp_list_find(const char *name)
{
	gt_unfinished *u = list;
	while (u && u->name != name)
		u = u->next;
	return u;
}

void gt_tmp_list_drop(gt_unfinished *u)
{
	gt_unfinished **at = &list;
	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	free(u->gone);
	free(u);
}
