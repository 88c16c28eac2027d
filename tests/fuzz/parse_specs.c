/* Specs "NAME:key=value,...": accepted ones print, and printed ones read back equal. */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "tests/fuzz/fuzz.h"

static void there_and_back(const char *kind, const char *spec)
{
	const gt_module *module = NULL, *again = NULL;
	void *options = NULL, *same = NULL;
	if (gt_module_parse(kind, spec, &module, &options) != GT_OK) {
		gt_fuzz_failed();
		return;
	}
	char *text = gt_module_print(module, options), *twice = NULL;
	gt_fuzz_must(text && gt_module_parse(kind, text, &again, &same) == GT_OK && again == module, "what was printed is refused");
	twice = gt_module_print(again, same);
	gt_fuzz_must(twice && !strcmp(text, twice), "what was printed reads back otherwise");
	gt_free(text);
	gt_free(twice);
	gt_free(options);
	gt_free(same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kind[] = { "projector", "analytic", "solver", "regularizer", "format", "method" };
	gt_fuzz_input in = { data, size };
	char *spec = gt_fuzz_text(&in);
	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
		there_and_back(kind[i], spec);
	free(spec);
	return 0;
}
