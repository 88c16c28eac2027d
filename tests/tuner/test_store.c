/* Cache of tuned variants: entries by device, driver, source and class; damaged, foreign and read-only files; two
 * concurrent writers. Logs: parsing errors and replays.
 * labels: unit, backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/variant/folder.h"
#include "core/variant/of_run.h"
#include "core/variant/store.h"
#include "core/variant/variant.h"
#include "tests/support/support.h"
#include "tuner/log.h"
#include "tuner/tuner.h"

static char folder[] = "/tmp/gantry-store-XXXXXX";

static void make_folder(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
}
static void remove_folder(void)
{
	char command[200];
	snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", folder, folder);
	ck_assert_int_eq(system(command), 0);
}

static gt_store_entry entry(const char *about, const char *variant)
{
	gt_store_entry e;
	memset(&e, 0, sizeof e);
	strcpy(e.kernel, "toy");
	strcpy(e.source, "1234");
	strcpy(e.device, "A device");
	snprintf(e.about, sizeof e.about, "%s", about);
	snprintf(e.variant, sizeof e.variant, "%s", variant);
	e.driver = 13000;
	e.ms = 1.25;
	return e;
}

struct seen {
	int n;
	char last[512];
};
static void look(void *self, const gt_store_entry *e)
{
	struct seen *s = self;
	s->n++;
	snprintf(s->last, sizeof s->last, "%.99s %.99s %g", e->about, e->variant, e->ms);
}
static struct seen look_at(gt_status expected)
{
	struct seen s = { 0, "" };
	ck_assert_int_eq(gt_store_list("toy", look, &s), expected);
	return s;
}

GT_TEST(kept_and_replaced)
{
	gt_store_entry e = entry("rows=8", "A=1");
	make_folder();
	ck_assert_int_eq(look_at(GT_OK).n, 0);
	ck_ok(gt_store_put(&e));
	e = entry("rows=16", "A=2");
	ck_ok(gt_store_put(&e));
	ck_assert_int_eq(look_at(GT_OK).n, 2);
	e.driver = 13010; /* same major version */
	strcpy(e.variant, "A=3");
	ck_ok(gt_store_put(&e));
	struct seen s = look_at(GT_OK);
	ck_assert_int_eq(s.n, 2);
	ck_assert_str_eq(s.last, "rows=16 A=3 1.25");
	e.driver = 14000;
	ck_ok(gt_store_put(&e));
	strcpy(e.device, "Another");
	ck_ok(gt_store_put(&e));
	ck_assert_int_eq(look_at(GT_OK).n, 4);
	ck_ok(gt_store_forget("toy"));
	ck_assert_int_eq(look_at(GT_OK).n, 0);
	ck_ok(gt_store_forget("toy"));
	remove_folder();
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

GT_TEST(damaged_files)
{
	static const char *const damaged[] = { "",
		                               "{ \"format\": 1, \"kernel\": \"toy\", \"entr",
		                               "[]",
		                               "{ \"format\": 2, \"kernel\": \"toy\", \"entries\": [] }",
		                               "{ \"format\": 1, \"kernel\": \"other\", \"entries\": [] }",
		                               "{ \"format\": 1, \"kernel\": \"toy\", \"entries\": 5 }" };
	gt_store_entry e = entry("rows=8", "A=1");
	make_folder();
	ck_ok(gt_store_put(&e));
	char *path = gt_cache_path("toy.json", 0);
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		write_text(path, damaged[i]);
		ck_assert_int_eq(look_at(GT_ERR_FORMAT).n, 0);
		ck_assert_msg(strstr(gt_error(), "toy.json: damaged") && strstr(gt_error(), "built-in"), "%s", gt_error());
		ck_ok(gt_store_put(&e)); /* the file is valid again */
		ck_assert_int_eq(look_at(GT_OK).n, 1);
	}
	/* members of other types are ignored */
	write_text(path, "{ \"format\": 1, \"kernel\": \"toy\", \"entries\": [ 7, { \"class\": 3, \"variant\": [], \"ms\": \"x\" } ] }");
	ck_assert_int_eq(look_at(GT_OK).n, 2);
	free(path);
	remove_folder();
}

GT_TEST(unwritable)
{
	gt_store_entry e = entry("rows=8", "A=1");
	make_folder();
	char file[100];
	snprintf(file, sizeof file, "%s/gantry", folder);
	write_text(file, "a file where a folder should be");
	ck_refused(gt_store_put(&e), GT_ERR_IO, "is not cached");
	ck_assert_int_eq(look_at(GT_OK).n, 0);
	remove_folder();
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	ck_refused(gt_store_put(&e), GT_ERR_IO, "no HOME");
}

GT_TEST(two_writers)
{
	enum { WRITERS = 4, EACH = 6 };
	pid_t child[WRITERS];
	make_folder();
	for (int w = 0; w < WRITERS; w++)
		if ((child[w] = fork()) == 0) {
			for (int i = 0; i < EACH; i++) {
				char about[40];
				snprintf(about, sizeof about, "writer=%d entry=%d", w, i);
				const gt_store_entry e = entry(about, "A=1");
				if (gt_store_put(&e) != GT_OK)
					_exit(1);
			}
			_exit(0);
		}
	for (int w = 0; w < WRITERS; w++) {
		int status = 1;
		waitpid(child[w], &status, 0);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_int_eq(look_at(GT_OK).n, WRITERS * EACH);
	remove_folder();
}

static const char head[] = "# gantry tune 1\n# kernel toy\n# class rows=8\n# device A device\n# built-in A=2 B=4\n"
			   "# built-in-ms 3\n# layer A 1 2\n# layer B 3 4\n";

GT_TEST(logs)
{
	char path[100], text[1000];
	double best[6];
	gt_tune_log log;
	make_folder();
	snprintf(path, sizeof path, "%s/log", folder);
	snprintf(text, sizeof text, "%s3 ok A=2 B=4 | x\ninf wrong A=1 B=3 | y\n2.5 ok A=1 B=4 | z\n", head);
	write_text(path, text);
	ck_ok(gt_log_read(path, &log));
	ck_assert_uint_eq(log.space->count, 3);
	ck_assert_double_eq(log.ms[log.first], 3);
	gt_log_free(&log);
	ck_ok(gt_tune_replay(path, "exhaustive", 1, 6, best));
	ck_assert(best[0] == 3 && best[5] == 2.5);
	ck_ok(gt_tune_replay(path, "climb", 1, 2, best));
	ck_assert(best[0] == 3 && best[1] == 2.5);
	static const struct {
		const char *line, *says;
	} wrong[] = { { "fast ok A=1 B=3\n", "line 9" },
		      { "1 ok A=1 B=5\n", "not in its layer" },
		      { "1 ok A=1\n", "not in its layer" },
		      { "1 ok A=1 B=3\n# layer C 1\n", "after the first candidate" },
		      { "", "no candidate" },
		      { "-1 ok A=1 B=3\n", "line 9" } };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		snprintf(text, sizeof text, "%s%s", head, wrong[i].line);
		write_text(path, text);
		ck_refused(gt_log_read(path, &log), GT_ERR_FORMAT, wrong[i].says);
	}
	write_text(path, "A scan\n");
	ck_refused(gt_tune_replay(path, "climb", 1, 6, best), GT_ERR_FORMAT, "no log of gantry tune");
	ck_refused(gt_tune_replay("/nowhere", "climb", 1, 6, best), GT_ERR_IO, "/nowhere");
	remove_folder();
}

static int finds(const char *kernel, const char *expected)
{
	char text[512];
	const gt_variant_request w = { kernel, "rows=8", "A=9" };
	const int found = gt_variant_find(&w, text, sizeof text);
	ck_assert_str_eq(text, expected);
	return found;
}

GT_TEST(variants_of_a_run)
{
	char about[256], built_in[512];
	make_folder();
	gt_variant_only("dd-forward[A=1,B=2];dd-back[C=3]");
	ck_assert_int_eq(finds("dd-forward", "A=1 B=2"), GT_VARIANT_CACHED);
	ck_assert_int_eq(finds("dd-back", "C=3"), GT_VARIANT_CACHED);
	ck_assert_int_eq(finds("dd", ""), GT_VARIANT_NONE);
	ck_assert_int_eq(finds("sf-back", ""), GT_VARIANT_NONE);
	gt_variant_try("sf-back", "D=4");
	ck_assert_int_eq(finds("sf-back", "D=4"), GT_VARIANT_TRIED);
	ck_assert_int_eq(finds("dd-back", ""), GT_VARIANT_NONE);
	gt_variant_try(NULL, NULL);
	gt_variant_only("built-in");
	ck_assert_int_eq(finds("dd-back", ""), GT_VARIANT_NONE);
	gt_variant_same(1);
	gt_variant_only("dd-forward[A=1,B=2]");
	finds("dd-forward", "A=1 B=2");
	finds("dd-back", "");
	gt_variant_only("dd-forward[A=3];dd-back[C=3]"); /* as for another class of problems */
	ck_assert_int_eq(finds("dd-forward", "A=1 B=2"), GT_VARIANT_CACHED);
	ck_assert_int_eq(finds("dd-back", ""), GT_VARIANT_NONE);
	gt_variant_same(0);
	finds("dd-forward", "A=3");
	gt_variant_only(NULL);
	ck_assert_int_eq(gt_variant_asked("dd-back", about, built_in, sizeof about), 1);
	ck_assert_str_eq(built_in, "A=9");
	ck_assert_int_eq(gt_variant_asked("joseph-back", about, built_in, sizeof about), 0);
	gt_variant_took(NULL, NULL);
	ck_assert_int_eq(gt_variant_asked("dd-back", about, built_in, sizeof about), 0);
	ck_assert_str_eq(gt_variant_taken(), "");
	gt_variant_took("dd-forward", "A=1 B=2");
	gt_variant_took("dd-back", "C=3");
	ck_assert_str_eq(gt_variant_taken(), "dd-forward[A=1,B=2];dd-back[C=3]");
	gt_variant_took(NULL, NULL);
	remove_folder();
}

/* A value out of bounds leaves the others as built in. */
GT_TEST(numbers_of_a_run)
{
	static const gt_variant_number numbers[] = { { "A", 1, 8, 0 }, { "B", 1, 8, 0 }, { "C", 1, 8, 0 }, { NULL, 0, 0, 0 } };
	static const gt_variant_family family = { "dd-forward", "a.cuh", "GT_", numbers };
	int value[3] = { 5, 6, 7 }, found;
	make_folder();
	gt_variant_only("dd-forward[A=2,B=9,C=3]");
	ck_ok(gt_variant_choose(&family, "rows=8", value, &found));
	ck_assert_int_eq(found, GT_VARIANT_NONE);
	ck_assert(value[0] == 5 && value[1] == 6 && value[2] == 7);
	gt_variant_only("dd-forward[A=2,C=3]");
	ck_ok(gt_variant_choose(&family, "rows=8", value, &found));
	ck_assert_int_eq(found, GT_VARIANT_CACHED);
	ck_assert(value[0] == 2 && value[1] == 6 && value[2] == 3);
	gt_variant_only(NULL);
	remove_folder();
}

static void shipped(void *self, const gt_store_entry *e)
{
	int *n = self;
	++*n;
	ck_assert_int_eq(e->shipped, 1);
	ck_assert(*e->device && *e->about && *e->variant && *e->source && e->ms > 0 && e->built_in_ms > e->ms);
}

/* The shipped tables are valid and name existing kernels. */
GT_TEST(tables)
{
	int n = 0;
	for (size_t i = 0; gt_tune_kernel_name(i); i++)
		gt_store_list_shipped(gt_tune_kernel_name(i), shipped, &n);
	gt_store_list_shipped("toy", shipped, &n);
	printf("%d entries came with the library\n", n);
}

int main(void) { return gt_test_main("what tuning keeps", NULL); }
