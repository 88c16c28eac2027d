/* A library that crashes on a file crashes a child process alone.
 * labels: unit  backend: none */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/probe.h"
#include "tests/support/support.h"

static char path[64];

static void setup(void)
{
	strcpy(path, "/tmp/gantry-trial-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
}

static void teardown(void) { unlink(path); }

/* Another file than before, as far as a look at it tells. */
static void change(void)
{
	FILE *f = fopen(path, "ab");
	fputc('x', f);
	fclose(f);
}

static void good(const char *name)
{
	FILE *f = fopen(name, "rb");
	if (f)
		fclose(f);
}
static void segv(const char *name)
{
	(void)name;
	raise(SIGSEGV);
}
static void fpe(const char *name)
{
	(void)name;
	raise(SIGFPE);
}
static void gives_up(const char *name)
{
	(void)name;
	printf("gives up\n");
	exit(255);
}
static void endless(const char *name)
{
	(void)name;
	raise(SIGXCPU);
}
/* The stack ends: as with sequences in sequences. */
static size_t deep(size_t n)
{
	volatile char room[4096];
	room[n % sizeof room] = 1;
	return n ? deep(n - 1) + (size_t)room[n % sizeof room] : 0;
}
static void overflow(const char *name)
{
	(void)name;
	if (deep((size_t)1 << 20))
		return;
}

START_TEST(crashes_are_sentences)
{
	static const gt_probe_walk bad[] = { segv, fpe, gives_up, overflow };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		change();
		ck_refused(gt_probe(path, "the library", bad[i]), GT_ERR_FORMAT, ": damaged: the library crashes on it");
		ck_assert_ptr_nonnull(strstr(gt_error(), path));
		/* It is no better when it is tried again. */
		ck_refused(gt_probe(path, "the library", bad[i]), GT_ERR_FORMAT, "crashes on it");
	}
	change();
	ck_refused(gt_probe(path, "the library", endless), GT_ERR_FORMAT, "does not come to an end");
	ck_ok(gt_probe(path, "the library", good));
}
END_TEST

/* What has passed is not tried again, until it is changed. */
START_TEST(tried_once)
{
	change();
	ck_ok(gt_probe(path, "the library", good));
	ck_ok(gt_probe(path, "the library", segv));
	change();
	ck_refused(gt_probe(path, "the library", segv), GT_ERR_FORMAT, "crashes on it");
	ck_ok(gt_probe("/nowhere", "the library", segv));
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, crashes_are_sentences);
	tcase_add_test(tc, tried_once);
}

int main(void) { return gt_test_main("trial", fill); }
