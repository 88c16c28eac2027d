/* Checkpoints from bytes with a correct checksum, as an attacker would make it. */
#include <stdlib.h>
#include "io/checkpoint.h"
#include "io/checksum.h"
#include "tests/fuzz/fuzz.h"

enum { N = 24 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static gt_backend *be;
	static gt_array *x;
	double t = 0;
	const gt_state_entry kept[] = { { "x", x, NULL }, { "t", NULL, &t }, { NULL, NULL, NULL } };
	gt_checkpoint *c = NULL;
	int has;
	gt_fuzz_clear();
	if (!be)
		gt_fuzz_must(gt_backend_open("cpu:1", &be) == GT_OK && gt_array_new(be, GT_F32, N, &x) == GT_OK, "no array");
	const char *path = gt_fuzz_file("a.ck", data, size);
	if (size % 2 == 0)
		gt_fuzz_must(gt_checksum_append(path, path) == GT_OK, "no checksum");
	if (gt_checkpoint_open(path, &c) != GT_OK) {
		gt_fuzz_failed();
		return 0;
	}
	gt_fuzz_must(gt_checkpoint_iteration(c) >= 0, "iterations below 0");
	(void)gt_checkpoint_text(c, "solver");
	if (gt_checkpoint_has(c, "x", &has) != GT_OK || gt_checkpoint_fill(c, kept) != GT_OK)
		gt_fuzz_failed();
	gt_checkpoint_free(c);
	return 0;
}
