/* Test runner, backends, random numbers and temporary files of the tests. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <gantry/processes.h>
#include <gantry/recon.h>
#include "core/random.h"
#include "tests/support/support.h"

static const char *backend_name(void)
{
	const char *name = getenv("GT_BACKEND");
	return name && *name ? name : "cpu";
}

/* Opens the device in a child, because a process that has used CUDA must not fork. */
static int device_is_there(void)
{
	const pid_t child = fork();
	if (child == 0) {
		gt_backend *be = NULL;
		const gt_status st = gt_backend_open(backend_name(), &be);
		if (st != GT_OK)
			fprintf(stderr, "%s\n", gt_error());
		_exit(st == GT_OK ? 0 : 1);
	}
	int status = 1;
	waitpid(child, &status, 0);
	return status == 0;
}

/* An empty cache folder: tuned kernels and load fractions of the user, or of other tests, have no influence. */
static void make_cache(char folder[64])
{
	strcpy(folder, "/tmp/gantry-cache-XXXXXX");
	if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
		folder[0] = 0;
}

static int remove_cache(const char *folder)
{
	char command[96];
	snprintf(command, sizeof command, "rm -r %s", folder);
	return folder[0] ? system(command) : 1;
}

int gt_tests_every(void)
{
	const char *text = getenv("GT_TESTS_EVERY");
	const int every = text ? atoi(text) : 1;
	return every > 1 ? every : 1;
}

int gt_tests_long(void)
{
	const char *text = getenv("GT_LONG");
	return text && !strcmp(text, "1");
}

/* The defined tests, in the order of the source. */
static gt_test_definition *defined, **last_defined = &defined;

void gt_test_define(gt_test_definition *d)
{
	*last_defined = d;
	last_defined = &d->next;
}

static int run(const char *name, void (*fill)(TCase *tc), void (*setup)(void), void (*teardown)(void))
{
	if (!device_is_there()) {
		const char *must = getenv("GT_REQUIRE_GPU");
		return must && !strcmp(must, "1") ? 1 : 77;
	}
	char cache[64];
	make_cache(cache);
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(backend_name());
	tcase_set_timeout(tc, GT_TEST_HANGS);
	if (setup || teardown)
		tcase_add_checked_fixture(tc, setup, teardown);
	for (const gt_test_definition *d = defined; d; d = d->next)
		d->add(tc);
	if (fill)
		fill(tc);
	suite_add_tcase(suite, tc);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner) + (remove_cache(cache) != 0);
	srunner_free(runner);
	gt_processes_leave(failed != 0); /* a test under a launcher of MPI parts from the others; else nothing */
	return failed != 0;
}

int gt_test_main(const char *name, void (*fill)(TCase *tc)) { return run(name, fill, NULL, NULL); }

int gt_test_main_with(const char *name, void (*setup)(void), void (*teardown)(void)) { return run(name, NULL, setup, teardown); }

static gt_backend *open_backend(const char *name)
{
	gt_backend *be = NULL;
	ck_ok(gt_backend_open(name, &be));
	return be;
}

gt_backend *gt_test_backend(void) { return open_backend(backend_name()); }
gt_backend *gt_test_backend_alone(void) { return open_backend(gt_test_is_gpu() ? backend_name() : "cpu:1"); }

gt_counters gt_test_counters(const gt_backend *be)
{
	gt_counters count;
	ck_ok(gt_backend_counters(be, &count));
	return count;
}

int gt_test_is_gpu(void) { return !strncmp(backend_name(), "cuda", 4); }

void gt_test_random(unsigned seed, size_t n, float *x)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t w[4];
		gt_philox(seed, i, 7, w);
		x[i] = (float)((double)w[0] / 2147483648.0 - 1);
	}
}

gt_array *gt_test_array(gt_backend *be, gt_type t, size_t n, unsigned seed)
{
	gt_array *a = NULL;
	float *host = malloc(n * sizeof *host);
	ck_assert_ptr_nonnull(host);
	gt_test_random(seed, n, host);
	ck_ok(gt_array_new(be, t, n, &a));
	gt_array_put_float(host, a);
	free(host);
	return a;
}

double gt_test_rms(const float *x, const float *y, size_t n)
{
	double difference = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		difference += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
		size += (double)y[i] * y[i];
	}
	return sqrt(difference / size);
}

double gt_test_normal(uint64_t seed, uint64_t counter)
{
	gt_random r;
	gt_random_at(seed, counter, &r);
	return gt_normal(&r);
}

void gt_test_folder(char *folder)
{
	strcpy(folder, "/tmp/gantry-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

void gt_test_folder_remove(const char *folder) { ck_assert_msg(rmdir(folder) == 0, "files are left in %s", folder); }

void gt_test_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert(fputs(text, f) >= 0);
	ck_assert_int_eq(fclose(f), 0);
}

void gt_test_damage(const char *name, long at, const char *bytes, int n)
{
	FILE *f = fopen(name, "r+b");
	ck_assert_ptr_nonnull(f);
	fseek(f, at, SEEK_SET);
	fwrite(bytes, 1, (size_t)n, f);
	fclose(f);
	if (!n)
		ck_assert_int_eq(truncate(name, at), 0);
}

size_t gt_test_threads(void)
{
	size_t n = 0;
	DIR *d = opendir("/proc/self/task");
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* ThreadSanitizer has a thread of its own, and lists those that were joined for long. */
#if defined __SANITIZE_THREAD__
#define KNOWS_THREADS 0
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define KNOWS_THREADS 0
#endif
#endif
#ifndef KNOWS_THREADS
#define KNOWS_THREADS 1
#endif

#if defined __SANITIZE_ADDRESS__
#define KEEPS_FREED_MEMORY 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define KEEPS_FREED_MEMORY 1
#endif
#endif
#ifndef KEEPS_FREED_MEMORY
#define KEEPS_FREED_MEMORY 0
#endif

int gt_test_keeps_freed_memory(void) { return KEEPS_FREED_MEMORY; }

void gt_test_no_thread_left(size_t before)
{
	if (!KNOWS_THREADS)
		return;
	for (int i = 0; i < 60 * 200 && gt_test_threads() > before; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	ck_assert_uint_le(gt_test_threads(), before);
}
