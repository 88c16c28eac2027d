/* A library that crashes on a file, or exhausts a resource, does so only in a probe process.
 * labels: unit backend: none */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/clones.h"
#include "io/probe.h"
#include "tests/support/support.h"

static char path[64], log_of_walks[80];

static void setup(void)
{
	strcpy(path, "/tmp/gantry-probe-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
	snprintf(log_of_walks, sizeof log_of_walks, "%s.log", path);
}

static void teardown(void)
{
	unlink(path);
	unlink(log_of_walks);
}

/* Changes size and time of the file. */
static void change(void)
{
	FILE *f = fopen(path, "ab");
	fputc('x', f);
	fclose(f);
}

static gt_status good(const char *name)
{
	FILE *f = fopen(name, "rb");
	if (f)
		fclose(f);
	return GT_OK;
}
static gt_status segv(const char *name)
{
	(void)name;
	raise(SIGSEGV);
	return GT_OK;
}
static gt_status fpe(const char *name)
{
	(void)name;
	raise(SIGFPE);
	return GT_OK;
}
static gt_status gives_up(const char *name)
{
	(void)name;
	printf("gives up\n");
	exit(255);
}
static gt_status endless(const char *name)
{
	(void)name;
	for (volatile size_t i = 0;; i++)
		;
	return GT_OK;
}
static gt_status refuses(const char *name) { return gt_fail(GT_ERR_UNSUPPORTED, "%s: refused by the walk", name); }
static gt_status greedy(const char *name)
{
	const size_t max = (size_t)1 << 30;
	char *more = malloc(max);
	if (!more)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", name);
	memset(more, 1, max);
	free(more);
	return GT_OK;
}
/* Like a library that continues without memory and reports nothing. */
static gt_status hides_it(const char *name)
{
	enum { BLOCKS = 1 << 14 };
	static void *block[BLOCKS];
	size_t n = 0;
	(void)name;
	while (n < BLOCKS && (block[n] = malloc(1 << 16)))
		n++;
	for (size_t i = 0; i < n; i++)
		free(block[i]);
	return GT_OK;
}
static gt_status deadlocks(const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	(void)name;
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	return GT_OK;
}
/* As if another thread held the lock at the first fork() only. */
static gt_status deadlocks_once(const char *name)
{
	char log[512];
	snprintf(log, sizeof log, "%s.locked", name);
	if (access(log, F_OK) == 0)
		return GT_OK;
	fclose(fopen(log, "w"));
	return deadlocks(name);
}
/* Overflows the stack, like nested sequences. */
static size_t deep(size_t n)
{
	volatile char frame[4096];
	frame[n % sizeof frame] = 1;
	return n ? deep(n - 1) + (size_t)frame[n % sizeof frame] : 0;
}
static gt_status overflow(const char *name)
{
	(void)name;
	return deep((size_t)1 << 20) ? GT_OK : GT_ERR_FORMAT;
}
static gt_status logged(const char *name)
{
	FILE *f = fopen(log_of_walks, "a");
	fprintf(f, "%ld %s\n", (long)getpid(), name);
	fclose(f);
	return GT_OK;
}

START_TEST(crashes_are_sentences)
{
	static const gt_probe_walk bad[] = { segv, fpe, gives_up, overflow };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		change();
		ck_refused(gt_probe(path, "the library", bad[i]), GT_ERR_FORMAT, ": damaged: the library crashes on it");
		ck_assert_ptr_nonnull(strstr(gt_error(), path));
		/* a second probe fails as well */
		ck_refused(gt_probe(path, "the library", bad[i]), GT_ERR_FORMAT, "crashes on it");
	}
	ck_refused(gt_probe(path, "the library", endless), GT_ERR_FORMAT, "does not terminate");
	ck_ok(gt_probe(path, "the library", good));
}
END_TEST

START_TEST(failures_are_returned)
{
	ck_refused(gt_probe(path, "the library", refuses), GT_ERR_UNSUPPORTED, "refused by the walk");
	ck_refused(gt_probe("/nowhere", "the library", good), GT_ERR_IO, "/nowhere: ");
	ck_refused(gt_probe("/dev/zero", "the library", good), GT_ERR_IO, "not a regular file");
	/* if a host program ignores SIGCHLD, waitpid() has no result */
	signal(SIGCHLD, SIG_IGN);
	ck_ok(gt_probe(path, "the library", good));
	ck_refused(gt_probe(path, "the library", segv), GT_ERR_FORMAT, "crashes on it");
	signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* A child that waits for a lock ends before the limit of wall time, and the file is not called damaged. */
START_TEST(deadlocks_end)
{
	char log[512];
	ck_refused(gt_probe(path, "the library", deadlocks), GT_ERR_IO, "wait for a lock that another thread held");
	ck_ok(gt_probe(path, "the library", good));
	change();
	ck_ok(gt_probe(path, "the library", deadlocks_once));
	snprintf(log, sizeof log, "%s.locked", path);
	ck_assert_int_eq(unlink(log), 0);
}
END_TEST

#if !GT_SANITIZED
/* A sanitizer reserves its address space at the start. */
START_TEST(memory_is_limited)
{
	ck_refused(gt_probe(path, "the library", greedy), GT_ERR_FORMAT, "needs more than 96");
	ck_refused(gt_probe(path, "the library", hides_it), GT_ERR_FORMAT, "needs more than 96");
	ck_assert_int_eq(truncate(path, (off_t)1 << 28), 0);
	ck_ok(gt_probe(path, "the library", greedy));
}
END_TEST
#endif

/* A file that passed is walked again only after a change, or by another walk. */
START_TEST(walked_once)
{
	change();
	ck_ok(gt_probe(path, "the library", logged));
	ck_ok(gt_probe(path, "the library", logged));
	struct stat s;
	ck_assert_int_eq(stat(log_of_walks, &s), 0);
	const off_t once = s.st_size;
	change();
	ck_ok(gt_probe(path, "the library", logged));
	ck_assert_int_eq(stat(log_of_walks, &s), 0);
	ck_assert_int_eq(s.st_size, 2 * once);
	ck_refused(gt_probe(path, "the library", segv), GT_ERR_FORMAT, "crashes on it");
}
END_TEST

/* A thousand files, one process; a failure ends it and is left to gt_probe(). */
static gt_status odd_ones(const char *name) { return strstr(name, "odd") ? gt_fail(GT_ERR_FORMAT, "%s: odd", name) : logged(name); }

START_TEST(many_in_one_process)
{
	enum { FILES = 1000, BAD = 900 };
	char folder[80], *name[FILES];
	snprintf(folder, sizeof folder, "%s.d", path);
	ck_assert_int_eq(mkdir(folder, 0777), 0);
	for (int i = 0; i < FILES; i++) {
		name[i] = malloc(120);
		snprintf(name[i], 120, "%s/%s%d", folder, i == BAD ? "odd" : "", i);
		fclose(fopen(name[i], "w"));
	}
	gt_probe_ahead((const char *const *)name, FILES, "the library", odd_ones);
	FILE *f = fopen(log_of_walks, "r");
	long process = 0, other, walks = 0;
	while (fscanf(f, "%ld %*s", &other) == 1) {
		ck_assert(walks == 0 || other == process);
		process = other;
		walks++;
	}
	fclose(f);
	ck_assert_int_eq(walks, BAD);
	ck_assert(process != (long)getpid());
	unlink(log_of_walks);
	for (int i = 0; i < BAD; i++)
		ck_ok(gt_probe(name[i], "the library", odd_ones));
	ck_assert_int_ne(access(log_of_walks, F_OK), 0);
	ck_refused(gt_probe(name[BAD], "the library", odd_ones), GT_ERR_FORMAT, ": odd");
	for (int i = 0; i < FILES; i++) {
		unlink(name[i]);
		free(name[i]);
	}
	rmdir(folder);
}
END_TEST

/* A system without free processes: this fork() precedes the C library's. */
static int no_children;
pid_t fork(void)
{
	union {
		void *object;
		pid_t (*call)(void);
	} next = { .object = dlsym(RTLD_NEXT, "fork") };
	errno = EAGAIN;
	return no_children ? -1 : next.call();
}

START_TEST(nothing_is_read_without_a_child)
{
	no_children = 1;
	ck_refused(gt_probe(path, "the library", good), GT_ERR_IO, "ulimit -u");
	no_children = 0;
	ck_ok(gt_probe(path, "the library", good));
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, crashes_are_sentences);
	tcase_add_test(tc, failures_are_returned);
	tcase_add_test(tc, deadlocks_end);
#if GT_SANITIZED
	(void)greedy, (void)hides_it;
#else
	tcase_add_test(tc, memory_is_limited);
#endif
	tcase_add_test(tc, walked_once);
	tcase_add_test(tc, many_in_one_process);
	tcase_add_test(tc, nothing_is_read_without_a_child);
}

int main(void) { return gt_test_main("probe", fill); }
