/* Output under a temporary name, renamed when complete; a signal that ends the program removes what is unfinished. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/format.h"

typedef struct unfinished {
	const char *volatile name;
	pid_t owner; /* a forked child must not remove its parent's files */
	struct unfinished *volatile next;
} unfinished;

static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGXFSZ };
enum { NSIGNALS = sizeof signals / sizeof *signals };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unfinished *volatile list;
static unsigned long serial;
static int handled[NSIGNALS];

/* Only async-signal-safe calls here. */
static void remove_and_die(int number)
{
	for (unfinished *u = list; u; u = u->next)
		if (u->name && u->owner == getpid())
			unlink(u->name);
	struct sigaction normal;
	memset(&normal, 0, sizeof normal);
	normal.sa_handler = SIG_DFL;
	sigaction(number, &normal, NULL);
	raise(number);
}

static void handle_signals(void)
{
	for (int i = 0; i < NSIGNALS; i++) {
		struct sigaction now, ours;
		if (sigaction(signals[i], NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
			continue;
		memset(&ours, 0, sizeof ours);
		ours.sa_handler = remove_and_die;
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

/* The list is only changed with our signals blocked, so that the handler of this thread sees it whole. */
static void list_lock(sigset_t *before)
{
	sigset_t block;
	sigemptyset(&block);
	for (int i = 0; i < NSIGNALS; i++)
		sigaddset(&block, signals[i]);
	pthread_sigmask(SIG_BLOCK, &block, before);
	pthread_mutex_lock(&lock);
}

static void list_unlock(const sigset_t *before)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void list_add(unfinished *u)
{
	if (!list)
		handle_signals();
	u->next = list;
	list = u;
}

static void list_remove(const char *name)
{
	unfinished *volatile *at = &list;
	while (*at && (*at)->name != name)
		at = &(*at)->next;
	unfinished *u = *at;
	if (u) {
		u->name = NULL;
		*at = u->next;
		free(u);
	}
	if (!list)
		release_signals();
}

static gt_status check_target(const char *path)
{
	struct stat s;
	if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
		return gt_fail(GT_ERR_IO, "%s: is there and is %s", path, S_ISDIR(s.st_mode) ? "a folder" : "not a regular file");
	return GT_OK;
}

gt_status gt_tmp_path(const char *path, char **tmp)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t size = strlen(path) + 64;
	char *name = malloc(size);
	unfinished *u = malloc(sizeof *u);
	gt_status st = GT_OK;
	sigset_t before;

	*tmp = NULL;
	if (!name || !u)
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	else if (!*base)
		st = gt_fail(GT_ERR_IO, "'%s': expected the name of a file", path);
	else
		st = check_target(path);
	if (st != GT_OK) {
		free(name);
		free(u);
		return st;
	}
	list_lock(&before);
	int file;
	do {
		snprintf(name, size, "%.*s.%s.%ld-%lu.tmp", (int)(base - path), path, base, (long)getpid(), serial++);
		file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	} while (file < 0 && errno == EEXIST);
	if (file < 0) {
		st = gt_fail(GT_ERR_IO, "%s: cannot create a file in the folder '%.*s': %s", path, slash ? (int)(base - path) : 1,
		             slash ? path : ".", strerror(errno));
		free(name);
		free(u);
	} else {
		close(file);
		u->name = *tmp = name;
		u->owner = getpid();
		list_add(u);
	}
	list_unlock(&before);
	return st;
}

/* Space is sometimes only taken when the data go to the disk: ask before the old file is replaced. */
static int to_disk(const char *name)
{
	const int file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	int failed = fsync(file);
	if (failed && (errno == EINVAL || errno == ENOSYS || errno == EROFS))
		failed = 0;
	const int why = errno;
	close(file);
	errno = why;
	return failed;
}

gt_status gt_tmp_commit(char *tmp, const char *path)
{
	gt_status st = GT_OK;
	sigset_t before;
	if (to_disk(tmp) != 0) {
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
		gt_tmp_drop(tmp);
		return st;
	}
	list_lock(&before);
	if (rename(tmp, path) != 0) {
		st = gt_fail(GT_ERR_IO, "%s: cannot be renamed from its temporary name: %s", path, strerror(errno));
		unlink(tmp);
	}
	list_remove(tmp);
	list_unlock(&before);
	free(tmp);
	return st;
}

void gt_tmp_drop(char *tmp)
{
	sigset_t before;
	if (!tmp)
		return;
	list_lock(&before);
	unlink(tmp);
	list_remove(tmp);
	list_unlock(&before);
	free(tmp);
}
