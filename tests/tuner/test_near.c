/* Neighbouring classes of problems: which are, and which of what is kept for them may be tried for another.
 * labels: unit, backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/variant/sources.h"
#include "tests/support/support.h"
#include "tuner/near.h"

static const char here[] = "rows=64 slices=72 views=24 columns=768 across=512 together=4 height=8/8";
static const struct {
	const char *other;
	int apart;
} classes[] = {
	{ here, 0 },
	{ "rows=72 slices=72 views=24 columns=768 across=512 together=4 height=8/8", 1 },
	{ "rows=56 slices=64 views=24 columns=768 across=512 together=4 height=8/8", 2 },
	{ "rows=72 slices=80 views=32 columns=1024 across=384 together=4 height=8/8", 5 },
	{ "rows=64 slices=72 views=16 columns=512 across=768 together=4 height=8/8", 3 },
	{ "rows=80 slices=72 views=24 columns=768 across=512 together=4 height=8/8", -1 }, /* two bins */
	{ "rows=64 slices=72 views=48 columns=768 across=512 together=4 height=8/8", -1 },
	{ "rows=64 slices=72 views=24 columns=768 across=512 together=2 height=8/8", -1 }, /* other code */
	{ "rows=64 slices=72 views=24 columns=768 across=512 together=4 height=9/8", -1 },
	{ "rows=64 slices=72 views=24 columns=768 across=512 together=4", -1 },
	{ "slices=72 rows=64 views=24 columns=768 across=512 together=4 height=8/8", -1 },
	{ "rows=64 slices=72 views=25 columns=768 across=512 together=4 height=8/8", -1 }, /* no bin */
	{ "rows=-8 slices=72 views=24 columns=768 across=512 together=4 height=8/8", -1 },
	{ "", -1 },
};

START_TEST(neighbours_are_one_bin_apart)
{
	ck_assert_int_eq(gt_near_classes(here, classes[_i].other), classes[_i].apart);
	ck_assert_int_eq(gt_near_classes(classes[_i].other, here), classes[_i].apart);
}
END_TEST

/* Above 128 bins are powers of two and the middle between them; the first are 1, 2, 3, 4, 6. */
START_TEST(bins_of_all_sizes)
{
	static const int bins[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
	char a[32], b[32];
	for (int i = 0; i + 1 < 8; i++)
		for (int k = i; k < 8; k++) {
			snprintf(a, sizeof a, "views=%d", bins[i]);
			snprintf(b, sizeof b, "views=%d", bins[k]);
			ck_assert_int_eq(gt_near_classes(a, b), k == i ? 0 : k == i + 1 ? 1 : -1);
		}
	ck_assert_int_eq(gt_near_classes("rows=128", "rows=192"), 1);
	ck_assert_int_eq(gt_near_classes("rows=120", "rows=128"), 1);
	ck_assert_int_eq(gt_near_classes("rows=128", "rows=256"), -1);
	ck_assert_int_eq(gt_near_classes("rows=8", "rows=16"), 1);
}
END_TEST

static gt_store_entry entry(const char *about, const char *variant)
{
	gt_store_entry e;
	memset(&e, 0, sizeof e);
	strcpy(e.kernel, "dd-back");
	snprintf(e.source, sizeof e.source, "%s", gt_kernel_hash_of("dd-back"));
	strcpy(e.device, "A device");
	snprintf(e.about, sizeof e.about, "%s", about);
	snprintf(e.variant, sizeof e.variant, "%s", variant);
	e.driver = 13000;
	e.ms = e.built_in_ms = 1;
	return e;
}

static const char two_bins[] = "EDGES=2 STRIP=8 BLOCKS=1 SLOTS=2 SLOT=12288 FILL=800",
		  one_bin[] = "EDGES=2 STRIP=8 BLOCKS=1 SLOTS=3 SLOT=12288 FILL=800",
		  of_itself[] = "EDGES=1 STRIP=8 BLOCKS=1 SLOTS=3 SLOT=12288 FILL=800",
		  not_legal[] = "EDGES=4 STRIP=16 BLOCKS=1 SLOTS=3 SLOT=12288 FILL=800", /* STRIP * EDGES > 32 */
	foreign[] = "EDGES=1 STRIP=4 BLOCKS=1 SLOTS=3 SLOT=12288 FILL=800";

START_TEST(kept_ones_are_tried_nearest_first)
{
	char folder[] = "/tmp/gantry-near-XXXXXX", command[64];
	gt_space *s = NULL;
	size_t candidate[8];
	char text[256];
	gt_store_entry e = entry(here, "");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
	ck_ok(gt_space_read(gt_kernel_file_of("dd-back")->text, "dd-back", here, &s));
	ck_assert_uint_eq(gt_near_find(s, &e, 8, candidate), 0); /* nothing is kept; what is shipped is of another device */
	e = entry(classes[2].other, two_bins);
	ck_ok(gt_store_put(&e));
	e = entry(classes[1].other, one_bin);
	ck_ok(gt_store_put(&e));
	e = entry(classes[4].other, one_bin); /* the same once more */
	ck_ok(gt_store_put(&e));
	e = entry(here, of_itself);
	ck_ok(gt_store_put(&e));
	e = entry("rows=64 slices=80 views=24 columns=768 across=512 together=4 height=8/8", not_legal);
	ck_ok(gt_store_put(&e));
	e = entry("rows=56 slices=80 views=24 columns=768 across=512 together=4 height=8/8", ""); /* as built in */
	ck_ok(gt_store_put(&e));
	e = entry(classes[5].other, foreign); /* too far */
	ck_ok(gt_store_put(&e));
	e = entry(classes[1].other, foreign);
	strcpy(e.device, "Another device");
	ck_ok(gt_store_put(&e));
	strcpy(e.device, "A device");
	e.driver = 12000;
	ck_ok(gt_store_put(&e));
	e.driver = 13000;
	strcpy(e.source, "0123");
	ck_ok(gt_store_put(&e));
	e = entry(here, "");
	e.driver = 13010;
	ck_assert_uint_eq(gt_near_find(s, &e, 8, candidate), 3);
	const char *const expected[] = { of_itself, one_bin, two_bins };
	for (int i = 0; i < 3; i++) {
		gt_space_text(s, candidate[i], text, sizeof text);
		ck_assert_str_eq(text, expected[i]);
	}
	ck_assert_uint_eq(gt_near_find(s, &e, 2, candidate), 2);
	gt_space_free(s);
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

static void fill(TCase *t)
{
	tcase_add_loop_test(t, neighbours_are_one_bin_apart, 0, sizeof classes / sizeof *classes);
	tcase_add_test(t, bins_of_all_sizes);
	tcase_add_test(t, kept_ones_are_tried_nearest_first);
}
int main(void) { return gt_test_main("neighbouring classes", fill); }
