/* Annotated sources: the graph, the programs of its paths, and messages about wrong lines.
 * labels: unit, backend: none */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/support/support.h"
#include "tuner/source.h"

static const char text[] =
	"start\n// tune\tBLOCK\t2 4\n// tune choose LOAD plain\nplain load\n\t// tune or shared\nshared load\n// tune or wide\n"
	"wide load\n// tune end\nbetween\n// tune choose SUM loop after plain shared\nloop\n// tune or tree after shared wide\ntree\n"
	"// tune end\n// tune keep LOAD != wide || BLOCK == 4\n// tune choose LOAD shared\nshared end\n// tune end\n// tuned\nend";

static void write_text(const char *path, const char *what)
{
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(what, f);
	ck_assert_int_eq(fclose(f), 0);
}

static void new_path(char *path)
{
	strcpy(path, "/tmp/source-XXXXXX");
	const int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	close(file);
}

GT_TEST(paths_are_programs)
{
	static const struct {
		const char *words, *program;
	} expected[] = {
		{ "BLOCK=2 LOAD=plain SUM=loop", "start\n#define BLOCK 2\nplain load\nbetween\nloop\n// tuned\nend" },
		{ "BLOCK=2 LOAD=shared SUM=loop", "start\n#define BLOCK 2\nshared load\nbetween\nloop\nshared end\n// tuned\nend" },
		{ "BLOCK=2 LOAD=shared SUM=tree", "start\n#define BLOCK 2\nshared load\nbetween\ntree\nshared end\n// tuned\nend" },
		{ "BLOCK=4 LOAD=plain SUM=loop", "start\n#define BLOCK 4\nplain load\nbetween\nloop\n// tuned\nend" },
		{ "BLOCK=4 LOAD=shared SUM=loop", "start\n#define BLOCK 4\nshared load\nbetween\nloop\nshared end\n// tuned\nend" },
		{ "BLOCK=4 LOAD=shared SUM=tree", "start\n#define BLOCK 4\nshared load\nbetween\ntree\nshared end\n// tuned\nend" },
		{ "BLOCK=4 LOAD=wide SUM=tree", "start\n#define BLOCK 4\nwide load\nbetween\ntree\n// tuned\nend" },
	};
	enum { CANDIDATES = sizeof expected / sizeof *expected };
	char path[32], variant[200], words[200], program[400];
	gt_source *s = NULL;
	new_path(path);
	write_text(path, text);
	ck_ok(gt_source_read(path, &s));
	const gt_space *space = gt_source_space(s);
	ck_assert_uint_eq(space->count, CANDIDATES);
	for (size_t i = 0; i < CANDIDATES; i++) {
		gt_space_text(space, i, variant, sizeof variant);
		gt_source_words(s, variant, words, sizeof words);
		ck_assert_str_eq(words, expected[i].words);
		ck_ok(gt_source_write(s, i, path));
		FILE *f = fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		program[fread(program, 1, sizeof program - 1, f)] = 0;
		fclose(f);
		ck_assert_str_eq(program, expected[i].program);
	}
	ck_assert_int_eq(gt_source_write(s, 0, "/nowhere/program"), GT_ERR_IO);
	ck_assert_int_eq(gt_source_write(s, 0, "/dev/full"), GT_ERR_IO);
	struct rlimit all;
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &all), 0);
	const struct rlimit little = { 10, all.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	const gt_status st = gt_source_write(s, 0, path);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
	ck_assert_int_eq(st, GT_ERR_IO);
	ck_assert_int_ne(access(path, F_OK), 0); /* no part of a program stays */
	gt_source_free(s);
	remove(path);
}

#define FOUR_TERMS "A == 1 || A == 1 || A == 1 || A == 1 || "
static const struct {
	const char *text, *message;
} faults[] = {
	{ "int x;\n", "expected layers" },
	{ "// tune A 1 2\n// tune A 3\n", "line 2: expected choose, or, end, keep, or a new layer, found \"A\"" },
	{ "// tune A 2 1\n", "ascending numbers" },
	{ "// tune 7 1\n", "line 1: expected choose" },
	{ "// tune or a\n", "line 1: expected an open choice" },
	{ "// tune end\n", "line 1: expected an open choice" },
	{ "// tune choose\n", "line 1: expected the name of a choice" },
	{ "// tune choose A\n", "line 1: expected the name of an alternative" },
	{ "// tune choose A a\n", "expected \"// tune end\" of a choice, found \"A\"" },
	{ "// tune choose A a\n// tune choose B b\n", "line 2: expected the end of the choice before" },
	{ "// tune choose A a\n// tune B 1\n", "line 2: expected code, or, or end" },
	{ "// tune choose A a\n// tune or a\n", "line 2: expected distinct names" },
	{ "// tune choose A a\n// tune end\n// tune choose B a\n", "line 3: expected distinct names" },
	{ "// tune choose A a\n// tune end\n// tune choose A b\n", "line 3: expected an alternative of the first position" },
	{ "// tune choose A a after b\n", "line 1: expected alternatives of one earlier choice, found \"b\"" },
	{ "// tune choose A a behind b\n", "line 1: expected \"after\"" },
	{ "// tune choose A a after\n", "line 1: expected names of alternatives" },
	{ "// tune A 1 2\n// tune choose A a\n", "line 2: expected a name that no layer of numbers has" },
	{ "// tune A 1 2\n// tune keep B == 1\n", "unknown name" },
	{ "// tune A 1 2\n// tune", "line 2: expected choose" },
	{ "// tune A 1 2\n// tune keep " FOUR_TERMS FOUR_TERMS FOUR_TERMS FOUR_TERMS FOUR_TERMS FOUR_TERMS "A == 1\n",
	  "line 2: expected a mark of at most 240 bytes" },
	{ "// tune A 1 2\n// tune keep A == 3\n", "no candidate is legal" },
};

GT_TESTS(faults_are_named, sizeof faults / sizeof *faults)
{
	char path[32];
	gt_source *s = NULL;
	new_path(path);
	write_text(path, faults[_i].text);
	ck_assert_int_ne(gt_source_read(path, &s), GT_OK);
	ck_assert_msg(strstr(gt_error(), faults[_i].message) != NULL, "%s", gt_error());
	remove(path);
}

int main(void) { return gt_test_main("sources", NULL); }
