/* Files that passed a probe, in an open-addressed hash table, since series have thousands of files. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/fork.h"
#include "io/probed_files.h"

enum { MIN_SIZE = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static gt_probed_file *table;
static size_t size, used;
static struct {
	gt_probed_file file;
	char path[512], why[1024];
} failed;

/* Another thread may hold the lock during fork(). */
static void in_child(gt_fork_watch *self)
{
	(void)self;
	pthread_mutex_init(&lock, NULL);
}

static void begin_once(void)
{
	static gt_fork_watch watch;
	gt_fork_watch_begin(&watch, in_child);
}

static void take_lock(void)
{
	pthread_once(&once, begin_once);
	pthread_mutex_lock(&lock);
}

gt_status gt_probed_identify(const char *path, gt_probe_walk walk, gt_probed_file *f)
{
	struct stat s;
	memset(f, 0, sizeof *f);
	if (stat(path, &s) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(s.st_mode))
		return gt_fail(GT_ERR_IO, "%s: not a regular file", path);
	f->device = s.st_dev;
	f->inode = s.st_ino;
	f->size = s.st_size;
	f->changed = s.st_mtim;
	f->walk = walk;
	return GT_OK;
}

static int same(const gt_probed_file *a, const gt_probed_file *b)
{
	return a->inode == b->inode && a->device == b->device && a->walk == b->walk && a->size == b->size &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* The entry of the file, or the empty entry for it. */
static gt_probed_file *entry_of(gt_probed_file *in, size_t n, const gt_probed_file *f)
{
	size_t i = (size_t)(((uint64_t)f->inode * 0x9e3779b97f4a7c15u) >> 20) % n;
	while (in[i].walk && !same(&in[i], f))
		i = (i + 1) % n;
	return &in[i];
}

int gt_probed_is_known(const gt_probed_file *f)
{
	take_lock();
	const int found = size && entry_of(table, size, f)->walk;
	pthread_mutex_unlock(&lock);
	return found;
}

static int grow(void)
{
	const size_t more = size ? 2 * size : MIN_SIZE;
	gt_probed_file *to = calloc(more, sizeof *to);
	if (!to)
		return 0;
	for (size_t i = 0; i < size; i++)
		if (table[i].walk)
			*entry_of(to, more, &table[i]) = table[i];
	free(table);
	table = to;
	size = more;
	return 1;
}

void gt_probed_remember(const gt_probed_file *f)
{
	take_lock();
	if (2 * used < size || grow()) {
		gt_probed_file *to = entry_of(table, size, f);
		used += !to->walk;
		*to = *f;
	}
	pthread_mutex_unlock(&lock);
}

void gt_probed_remember_failure(const char *path, const gt_probed_file *f)
{
	take_lock();
	failed.file = *f;
	snprintf(failed.path, sizeof failed.path, "%s", path);
	snprintf(failed.why, sizeof failed.why, "%s", gt_error());
	pthread_mutex_unlock(&lock);
}

gt_status gt_probed_failure(const char *path, const gt_probed_file *f)
{
	char why[sizeof failed.why] = "";
	take_lock();
	if (failed.file.walk && same(&failed.file, f) && !strcmp(failed.path, path))
		memcpy(why, failed.why, sizeof why);
	pthread_mutex_unlock(&lock);
	return *why ? gt_fail(GT_ERR_FORMAT, "%s", why) : GT_OK;
}
