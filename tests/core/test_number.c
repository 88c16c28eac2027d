/* Numbers in texts and files have a decimal point, also if the program has set a locale with a comma.
 * labels: unit, backend: none */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/grid.h>
#include <gantry/io.h>
#include <gantry/module.h>
#include <gantry/recon.h>
#include <gantry/regularizer.h>
#include "core/text.h"
#include "regularizers/spec_of_water.h"
#include "tests/support/support.h"

/* Sets a locale of the system, or one made in a temporary folder; 0: neither works. */
static int set_comma(void)
{
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8" };
	char folder[] = "/tmp/test_number_XXXXXX", command[256];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (setlocale(LC_ALL, names[i]))
			return 1;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", folder, folder);
	const int made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
	snprintf(command, sizeof command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
	return made;
}

static int has_comma(void)
{
	char text[8];
	if (!set_comma())
		return 0;
	snprintf(text, sizeof text, "%.1f", 0.5);
	ck_assert_str_eq(text, "0,5");
	return 1;
}

GT_TEST(texts)
{
	char text[64], *end, *made;
	gt_grid g;
	double value;
	const gt_module *m;
	void *options;
	if (!has_comma())
		return;
	ck_assert(gt_strtod("1.5x", &end) == 1.5 && *end == 'x');
	gt_snprintf(text, sizeof text, "%.1f", 0.5);
	ck_assert_str_eq(text, "0.5");
	made = gt_text("%g", 2.25);
	ck_assert_str_eq(made, "2.25");
	free(made);
	gt_fail(GT_ERR_ARG, "%g", 0.25);
	ck_assert_str_eq(gt_error(), "0.25");
	ck_ok(gt_grid_parse("7x5x3@1.5x2.75x0.125+0.5,-1.5,2.5", &g));
	ck_assert(g.pitch[0] == 1.5 && g.pitch[1] == 2.75 && g.pitch[2] == 0.125 && g.center[1] == -1.5);
	gt_grid_print(&g, text, sizeof text);
	ck_assert_str_eq(text, "7x5x3@1.5x2.75x0.125+0.5,-1.5,2.5");
	ck_ok(gt_bytes_parse("size", "1.5kB", &value));
	ck_assert(value == 1500);
	ck_ok(gt_recon_check("stop", "change=0.5HU,gradient=0.001"));
	made = gt_penalty_spec_of_water("qggmrf:c=2.5HU", 0.5);
	ck_assert_str_eq(made, "qggmrf:c=0.00125");
	free(made);
	ck_ok(gt_module_parse("solver", "os-sart:relax=0.75", &m, &options));
	made = gt_module_print(m, options);
	ck_assert_msg(strstr(made, "relax=0.75") != NULL, "%s", made);
	gt_free(made);
	gt_free(options);
	/* the locale is still the program's */
	snprintf(text, sizeof text, "%.1f", 0.5);
	ck_assert_str_eq(text, "0,5");
}

/* Positions and pitches in a text header. */
GT_TEST(files)
{
	char folder[] = "/tmp/test_number_XXXXXX", path[64];
	const gt_grid g = { { 2, 3, 4 }, { 0.5, 0.625, 1.25 }, { 1.5, -0.25, 3.75 } };
	gt_volume *v, *again;
	if (!has_comma())
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/v.mha", folder);
	ck_ok(gt_volume_new(&g, &v));
	ck_ok(gt_write_volume(path, NULL, v));
	ck_ok(gt_read_volume(path, NULL, &again));
	ck_assert(gt_grid_same(gt_volume_grid(again), &g));
	gt_volume_free(again);
	setlocale(LC_ALL, "C");
	ck_ok(gt_read_volume(path, NULL, &again));
	ck_assert(gt_grid_same(gt_volume_grid(again), &g));
	gt_volume_free(again);
	gt_volume_free(v);
	remove(path);
	rmdir(folder);
}

int main(void) { return gt_test_main("number", NULL); }
