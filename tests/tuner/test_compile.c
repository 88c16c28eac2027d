/* NVRTC compiles the embedded sources without the device: every kernel as built in and with other values of its
 * space. The hash of a source ignores comments.
 * labels: slow, backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/variant/sources.h"
#include "core/variant/variant.h"
#include "tests/support/support.h"
#include "tuner/space.h"
#include "tuner/tuner.h"

#define SF_BACK(R, E, W) \
	"shared_bytes<" #R "," #E "," #W ">() + GT_SF_BACK_STAGES * stage_bytes<WARP * " #R ", columns_for<" #R "," #E "," #W ">()>()"
#define SF_FORWARD(T, E, V) \
	"(sizeof(struct shared<" #T ", " #E ", " #V ">) + 127) / 128 * 128 + GT_SF_AHEAD_STAGES * stage_bytes<" #V ", " #E ">()"
static const struct {
	const char *kernel, *instance, *macro, *bytes;
} compiled[] = {
	{ "dd-forward", "forward_kernel<2,32,4,0,0,true>", "-DGT_DD_FORWARD_BLOCKS=4", NULL },
	{ "dd-back", "adjoint_kernel<16,2,0>", "-DGT_DD_ADJOINT_SLOTS=2", NULL },
	{ "dd-back", "adjoint_kernel<8,4,2>", "-DGT_DD_ADJOINT_SLOTS=3", NULL },
	{ "sf-back", "back_kernel<2,0,true>", "-DGT_SF_BACK_STAGES=2", SF_BACK(2, 0, true) },
	{ "sf-back", "back_kernel<1,1,false>", "-DGT_SF_BACK_STAGES=3", SF_BACK(1, 1, false) },
	{ "sf-forward", "forward_kernel<64,0,4>", "-DGT_SF_AHEAD_STAGES=2", SF_FORWARD(64, 0, 4) },
	{ "sf-forward", "forward_kernel<32,1,2>", "-DGT_SF_AHEAD_BYTES=24576", SF_FORWARD(32, 1, 2) },
	{ "joseph-forward", "forward_kernel<GT_RAY_JOSEPH,float,8>", "-DGT_RAY_FORWARD_VIEWS=4", NULL },
	{ "joseph-back", "strip_kernel<float,1,2,0>", "-DGT_RAY_STRIP=16", NULL },
	{ "joseph-back", "strip_kernel<float,0,1,1>", "-DGT_RAY_STRIP=12", NULL },
};

START_TEST(compiles)
{
	const char *const macros[] = { compiled[_i].macro, NULL };
	const gt_variant_code code = { gt_kernel_file_of(compiled[_i].kernel)->name, compiled[_i].instance, macros, compiled[_i].bytes };
	char *name = NULL;
	void *image = NULL;
	size_t bytes = 0;
	const gt_status st = gt_variant_compile(&code, "sm_90", &name, &image, &bytes);
	ck_assert_msg(st == GT_OK, "%s %s: %s", compiled[_i].kernel, compiled[_i].instance, gt_error());
	ck_assert(name && image && bytes > 1000);
	ck_assert(!compiled[_i].bytes || memmem(image, bytes, GT_VARIANT_BYTES, strlen(GT_VARIANT_BYTES)));
	free(name);
	free(image);
}
END_TEST

/* Variants compiled for devices with less shared memory take less. */
START_TEST(compiles_for_less)
{
	static const char *const bytes[] = { "sizeof(char[" SF_BACK(2, 0, true) " <= 49152 ? 1 : -1])",
		                             "sizeof(char[" SF_BACK(2, 0, true) " > 49152 ? 1 : -1])" };
	const char *const less[] = { "-DGT_SF_BACK_BLOCKS=3", "-DGT_MAX_SHARED=49152", NULL }, *const all[] = { less[0], NULL };
	const gt_variant_code code = { gt_kernel_file_of("sf-back")->name, "back_kernel<2,0,true>", _i ? all : less, bytes[_i] };
	char *name = NULL;
	void *image = NULL;
	size_t n = 0;
	ck_ok(gt_variant_compile(&code, "sm_90", &name, &image, &n));
	free(name);
	free(image);
}
END_TEST

START_TEST(sources_have_spaces)
{
	for (size_t i = 0; gt_tune_kernel_name(i); i++) {
		const char *kernel = gt_tune_kernel_name(i);
		const struct gt_kernel_file *f = gt_kernel_file_of(kernel);
		gt_space *s = NULL;
		ck_assert_msg(f != NULL, "%s: no source has it", kernel);
		ck_assert_uint_eq(strlen(gt_kernel_hash_of(kernel)), 16);
		ck_assert_str_eq(gt_kernel_hash_of(kernel), gt_kernel_hash_of_source(f->name));
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(gt_kernel_hash_of(kernel), gt_kernel_hash_of(gt_tune_kernel_name(k)));
		ck_ok(gt_space_read(f->text, kernel,
		                    "rows=64 slices=64 views=984 columns=768 across=512 together=4 height=8/8 edges=0 tilted=0", &s));
		printf("%s: %d layers, %zu candidates\n", kernel, s->layers, s->count);
		ck_assert_uint_gt(s->count, 20);
		gt_space_free(s);
	}
	ck_assert_ptr_null(gt_kernel_file_of("no-such"));
	ck_assert_str_eq(gt_kernel_hash_of("no-such"), "");
}
END_TEST

static void fill(TCase *t)
{
	tcase_add_loop_test(t, compiles_for_less, 0, 2);
	tcase_add_test(t, sources_have_spaces);
	if (!gt_variant_no_compiler())
		tcase_add_loop_test(t, compiles, 0, sizeof compiled / sizeof *compiled);
}
int main(void) { return gt_test_main("compiled kernels", fill); }
