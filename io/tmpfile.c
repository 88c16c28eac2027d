/* Output under a temporary name, renamed when complete; a signal that ends the program removes what is unfinished. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "core/try.h"

typedef struct unfinished {
	const char *volatile name;
	pid_t owner; /* a forked child must not remove its parent's files */
	struct unfinished *volatile next;
	/* Folders: how many files may be in it; the name it is given before they go, so that other threads make no more of them; where
	 * the name of one is put together: GONE/000001.EXTENSION. */
	size_t files;
	char *gone, *inner, *digits;
} unfinished;

enum { DIGITS = 6 };

static const int signals[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGXFSZ };
enum { NSIGNALS = sizeof signals / sizeof *signals };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unfinished *volatile list;
static unsigned long serial;
static int handled[NSIGNALS];

/* Only async-signal-safe calls here. */
static void remove_all(const unfinished *u)
{
	if (!u->inner) {
		unlink(u->name);
		return;
	}
	const int renamed = rename(u->name, u->gone) == 0;
	for (size_t i = 1; renamed && i <= u->files; i++) {
		size_t rest = i;
		for (int d = DIGITS; d-- > 0; rest /= 10)
			u->digits[d] = (char)('0' + rest % 10);
		unlink(u->inner);
	}
	rmdir(renamed ? u->gone : u->name);
}

void gt_tmp_remove(void)
{
	for (unfinished *u = list; u; u = u->next)
		if (u->name && u->owner == getpid())
			remove_all(u);
}

static void remove_and_die(int number)
{
	gt_tmp_remove();
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
		free(u->gone);
		free(u->inner);
		free(u);
	}
	if (!list)
		release_signals();
}

static void remove_named(const char *name)
{
	for (unfinished *u = list; u; u = u->next)
		if (u->name == name)
			remove_all(u);
}

static gt_status check_target(const char *path)
{
	struct stat s;
	if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
		return gt_fail(GT_ERR_IO, "%s: is there and is %s", path, S_ISDIR(s.st_mode) ? "a folder" : "not a regular file");
	return GT_OK;
}

static int make_file(const char *name)
{
	const int file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	return file < 0 ? -1 : close(file);
}

static int make_folder(const char *name) { return mkdir(name, 0777); }

/* Makes a new thing beside path and lists it as u, which is freed if that fails. */
static gt_status make_beside(const char *path, int (*make)(const char *), const char *kind, unfinished *u, char **tmp)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t size = strlen(path) + 64;
	char *name = malloc(size);
	sigset_t before;
	int failed;
	if (!name || !u) {
		free(name);
		free(u);
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	}
	list_lock(&before);
	do {
		snprintf(name, size, "%.*s.%s.%ld-%lu.tmp", (int)(base - path), path, base, (long)getpid(), serial++);
		failed = make(name);
	} while (failed && errno == EEXIST);
	const int why = errno;
	if (!failed) {
		u->name = *tmp = name;
		u->owner = getpid();
		list_add(u);
	}
	list_unlock(&before);
	if (!failed)
		return GT_OK;
	free(name);
	free(u);
	return gt_fail(GT_ERR_IO, "%s: cannot create a %s in the folder '%.*s': %s", path, kind, slash ? (int)(base - path) : 1,
	               slash ? path : ".", strerror(why));
}

gt_status gt_tmp_path(const char *path, char **tmp)
{
	const char *slash = strrchr(path, '/');
	gt_status st = GT_OK;
	*tmp = NULL;
	if (!*(slash ? slash + 1 : path))
		return gt_fail(GT_ERR_IO, "'%s': expected the name of a file", path);
	if ((st = check_target(path)) != GT_OK)
		return st;
	return make_beside(path, make_file, "file", calloc(1, sizeof(unfinished)), tmp);
}

static gt_status check_folder(const char *path)
{
	struct stat s;
	if (lstat(path, &s) != 0)
		return GT_OK;
	if (!S_ISDIR(s.st_mode))
		return gt_fail(GT_ERR_IO, "%s: is there and is not a folder", path);
	DIR *dir = opendir(path);
	int full = !dir;
	for (struct dirent *e; !full && (e = readdir(dir));)
		full = strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return full ? gt_fail(GT_ERR_IO, "%s: is there and is not empty: expected the name of a new folder", path) : GT_OK;
}

gt_status gt_tmp_folder(const char *given, size_t files, const char *extension, char **tmp)
{
	gt_status st = GT_OK;
	unfinished *u = NULL;
	char *path = strdup(given);
	size_t n = path ? strlen(path) : 0;
	*tmp = NULL;
	if (!path)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", given);
	while (n > 1 && path[n - 1] == '/')
		path[--n] = 0;
	if (!n || path[n - 1] == '/')
		GT_TRY(gt_fail(GT_ERR_IO, "'%s': expected the name of a folder", given));
	if (files >= 1000000)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: %zu files: expected fewer than a million", given, files));
	GT_TRY(check_folder(path));
	u = calloc(1, sizeof *u);
	GT_TRY(make_beside(path, make_folder, "folder", u, tmp));
	const size_t length = strlen(*tmp);
	char *gone = strdup(*tmp), *inner = malloc(length + strlen(extension) + DIGITS + 3);
	if (!gone || !inner) {
		rmdir(*tmp);
		gt_tmp_drop(*tmp);
		*tmp = NULL;
		free(gone);
		free(inner);
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", given);
		goto done;
	}
	gone[length - 1] = '-';
	sprintf(inner, "%s/%0*d.%s", gone, DIGITS, 0, extension);
	u->gone = gone;
	u->digits = inner + length + 1;
	u->files = files;
	u->inner = inner;
done:
	free(path);
	return st;
}

/* Space is sometimes only taken when the data go to the disk: ask before the old file is replaced. */
static int to_disk(const char *name)
{
	const int file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	struct stat s;
	const int folder = fstat(file, &s) == 0 && S_ISDIR(s.st_mode);
	int failed = folder ? syncfs(file) : fsync(file);
	if (failed && (errno == EINVAL || errno == ENOSYS || errno == EROFS))
		failed = 0;
	const int why = errno;
	close(file);
	errno = why;
	return failed;
}

/* taken: NULL where path may be there already. An empty file holds a new name until the rename, which would replace what another program
 * makes meanwhile. */
static gt_status commit(char *tmp, const char *path, int *taken)
{
	gt_status st = GT_OK;
	sigset_t before;
	if (to_disk(tmp) != 0) {
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
		gt_tmp_drop(tmp);
		return st;
	}
	list_lock(&before);
	if (taken && make_file(path) != 0 && errno == EEXIST) {
		*taken = 1;
		list_unlock(&before);
		return GT_OK;
	}
	if (rename(tmp, path) != 0) {
		st = gt_fail(GT_ERR_IO, "%s: cannot be renamed from its temporary name: %s", path, strerror(errno));
		remove_named(tmp);
		if (taken)
			unlink(path);
	}
	list_remove(tmp);
	list_unlock(&before);
	free(tmp);
	return st;
}

gt_status gt_tmp_commit(char *tmp, const char *path) { return commit(tmp, path, NULL); }

gt_status gt_tmp_commit_new(char *tmp, const char *path, int *taken)
{
	*taken = 0;
	return commit(tmp, path, taken);
}

void gt_tmp_drop(char *tmp)
{
	sigset_t before;
	if (!tmp)
		return;
	list_lock(&before);
	remove_named(tmp);
	list_remove(tmp);
	list_unlock(&before);
	free(tmp);
}
