/* Spaces: parsed from kernel headers with their rules, enumerated and looked up; errors name the wrong line.
 * labels: unit, backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/variant/sources.h"
#include "core/variant/variant.h"
#include "tests/support/support.h"
#include "tuner/space.h"

static const char text[] = "/* Something else.\n *\n * tune toy\n * A 1 2 4\n * B 3 5 7 11\n * C 0 1\n * keep A * B <= 20 && B != 5\n"
			   " * keep (A + B) % 2 == 0 || C == 1 - 0 * size\n * keep size > 4 || A < 4\n * end */\nint code;\n";

static int allowed(long a, long b, long c, long size)
{
	return a * b <= 20 && b != 5 && ((a + b) % 2 == 0 || c == 1) && (size > 4 || a < 4);
}

GT_TEST(lists_what_rules_allow)
{
	static const long A[] = { 1, 2, 4 }, B[] = { 3, 5, 7, 11 }, C[] = { 0, 1 };
	for (int size = 3; size < 7; size += 3) {
		char about[32], line[100];
		size_t count = 0;
		gt_space *s = NULL;
		snprintf(about, sizeof about, "other=9 size=%d", size);
		ck_ok(gt_space_read(text, "toy", about, &s));
		for (int i = 0; i < 24; i++) {
			const uint8_t pick[] = { (uint8_t)(i / 8), (uint8_t)(i / 2 % 4), (uint8_t)(i % 2) };
			const int is = allowed(A[pick[0]], B[pick[1]], C[pick[2]], size);
			const size_t at = gt_space_find(s, pick);
			count += (size_t)is;
			ck_assert_msg((at != SIZE_MAX) == is, "A=%ld B=%ld C=%ld, size %d", A[pick[0]], B[pick[1]], C[pick[2]], size);
			if (!is)
				continue;
			uint8_t again[GT_MAX_LAYERS];
			gt_space_text(s, at, line, sizeof line);
			ck_assert(gt_space_parse(s, line, again) && !memcmp(again, pick, 3));
			ck_assert_uint_eq(gt_space_near(s, line), at);
		}
		ck_assert_uint_eq(s->count, count);
		gt_space_free(s);
	}
}

GT_TEST(prefixes)
{
	static const int n[] = { 3, 4, 2 };
	gt_space *s = NULL;
	size_t first, end;
	const uint8_t pick[] = { 1, 2, 0 };
	ck_ok(gt_space_plain(3, n, NULL, NULL, &s));
	ck_assert_uint_eq(s->count, 24);
	gt_space_prefix(s, pick, 1, &first, &end);
	ck_assert(first == 8 && end == 16);
	gt_space_prefix(s, pick, 2, &first, &end);
	ck_assert(first == 12 && end == 14);
	const uint8_t list[] = { 2, 3, 1, 0, 0, 0, 2, 3, 1, 1, 1, 1 };
	ck_ok(gt_space_list(s, 4, list));
	ck_assert_uint_eq(s->count, 3);
	ck_assert_uint_eq(gt_space_find(s, list), 2);
	gt_space_free(s);
}

GT_TEST(what_is_wrong_is_named)
{
	static const struct {
		const char *block, *says;
		gt_status st;
	} wrong[] = {
		{ "tune toy\nA 1 2\nkeep A > 2\nend", "no candidate is legal", GT_ERR_UNSUPPORTED },
		{ "tune toy\nA 1 2\nkeep A > X\nend", "expected an earlier layer", GT_ERR_FORMAT },
		{ "tune toy\nkeep A > 1\nA 1 2\nend", "expected an earlier layer", GT_ERR_FORMAT },
		{ "tune toy\nA 1 2\nkeep A > (1\nend", "expected )", GT_ERR_FORMAT },
		{ "tune toy\nA 1 2\nkeep A 1\nend", "expected its end", GT_ERR_FORMAT },
		{ "tune toy\nA 1 2\nkeep A +\nend", "expected a number", GT_ERR_FORMAT },
		{ "tune toy\nA 2 1\nend", "ascending", GT_ERR_FORMAT },
		{ "tune toy\nA\nend", "no values", GT_ERR_FORMAT },
		{ "tune toy\nA one\nend", "ascending numbers", GT_ERR_FORMAT },
		{ "tune toy\nA 1 2\n", "no block", GT_ERR_FORMAT },
		{ "tune toys\nA 1 2\nend", "no block", GT_ERR_FORMAT },
		{ "tune toy\nend", "with layers", GT_ERR_FORMAT },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		gt_space *s = NULL;
		ck_refused(gt_space_read(wrong[i].block, "toy", "", &s), wrong[i].st, wrong[i].says);
	}
}

/* The built-in values of the kernel are in its space, for the tiles that they belong to. */
GT_TEST(of_the_forward_kernel)
{
	static const char *const built_in[] = {
		"ROWS=2 LANES=32 COLUMNS=4 EXTRA=0 WARPS=8 SLOT=23424 SLOTS=2 BLOCKS=4 WHOLE=96 FLUSH=2048 AHEAD=1",
		"ROWS=4 LANES=32 COLUMNS=4 EXTRA=0 WARPS=8 SLOT=33152 SLOTS=2 BLOCKS=3 WHOLE=96 FLUSH=2048 AHEAD=1",
		"ROWS=2 LANES=16 COLUMNS=8 EXTRA=0 WARPS=8 SLOT=22400 SLOTS=2 BLOCKS=4 WHOLE=96 FLUSH=2048 AHEAD=0",
		"ROWS=2 LANES=32 COLUMNS=2 EXTRA=0 WARPS=8 SLOT=32128 SLOTS=2 BLOCKS=3 WHOLE=96 FLUSH=2048 AHEAD=0",
		"ROWS=4 LANES=32 COLUMNS=2 EXTRA=0 WARPS=8 SLOT=33152 SLOTS=2 BLOCKS=3 WHOLE=96 FLUSH=2048 AHEAD=1",
		"ROWS=4 LANES=4 COLUMNS=8 EXTRA=3 WARPS=8 SLOT=22400 SLOTS=2 BLOCKS=4 WHOLE=96 FLUSH=2048 AHEAD=0",
	};
	gt_space *s = NULL;
	uint8_t pick[GT_MAX_LAYERS];
	ck_ok(gt_space_read(gt_kernel_file_of("dd-forward")->text, "dd-forward", "rows=104 slices=104", &s));
	for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
		ck_assert_msg(gt_space_parse(s, built_in[i], pick), "%s", built_in[i]);
		ck_assert_msg(gt_space_find(s, pick) != SIZE_MAX, "%s", built_in[i]);
	}
	ck_assert_uint_gt(s->count, 1000);
	gt_space_free(s);
}

/* A device with less shared memory has fewer variants, none of which takes more. */
GT_TESTS(little_shared_memory, 3)
{
	static const struct {
		const char *kernel;
		size_t min;
	} of[] = { { "dd-forward", 1000 }, { "dd-back", 20 }, { "sf-forward", 50 } };
	const char *about = "rows=64 slices=64 views=64 columns=768 across=512 together=4 height=8/8 edges=0";
	char limited[200], variant[512];
	gt_space *all = NULL, *few = NULL;
	snprintf(limited, sizeof limited, "%s shared=49152", about);
	ck_ok(gt_space_read(gt_kernel_file_of(of[_i].kernel)->text, of[_i].kernel, about, &all));
	ck_ok(gt_space_read(gt_kernel_file_of(of[_i].kernel)->text, of[_i].kernel, limited, &few));
	ck_assert_uint_lt(few->count, all->count);
	ck_assert_uint_ge(few->count, of[_i].min);
	for (size_t i = 0; i < few->count; i++) {
		gt_space_text(few, i, variant, sizeof variant);
		ck_assert_int_le(gt_variant_value(variant, "SLOT", 0) * gt_variant_value(variant, "SLOTS", 0), 49152);
		ck_assert_int_le(gt_variant_value(variant, "BYTES", 0) / 6 * (2 + gt_variant_value(variant, "VIEWS", 0)) *
		                         gt_variant_value(variant, "STAGES", 0),
		                 49152);
	}
	printf("%s: %zu of %zu variants take at most 48 KiB\n", of[_i].kernel, few->count, all->count);
	gt_space_free(all);
	gt_space_free(few);
}

int main(void) { return gt_test_main("spaces", NULL); }
