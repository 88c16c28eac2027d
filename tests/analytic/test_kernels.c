/* Every backprojection kernel against the CPU in double precision, on random data and the problems of
 * back_problems.h. */
/* labels: property */
#include "tests/analytic/back_problems.h"

#define GT_FORM(NAME, id, text) text,
static const char *const kernels[] = {
	"auto",
#include "analytic/fbp/back/forms.def"
};
#undef GT_FORM
#define GT_FORM(NAME, id, text) NAME,
enum {
	AUTO,
#include "analytic/fbp/back/forms.def"
	KERNELS
};
#undef GT_FORM
enum { TEXTURES = STRIDED /* the first with 8-bit fractions */ };

static double *on_cpu(const problem *p, const gt_grid *g, const gt_scan *s, const double *data)
{
	gt_backend *cpu;
	ck_ok(gt_backend_open("cpu", &cpu));
	double *x = reconstruct_as(cpu, GT_F64, gt_analytic_for(s)->name, p->text, g, s, data);
	gt_backend_close(cpu);
	return x;
}

/* Runs random data with these options and returns the status. */
static gt_status refused_as(gt_backend *be, const problem *p, gt_type type)
{
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	const gt_analytic *m = gt_analytic_for(s);
	gt_array *data = gt_test_array(be, type, gt_scan_size(s), 1), *x = gt_test_array(be, type, gt_grid_voxels(&g), 2);
	char options[256];
	ck_assert_uint_le(m->options_size, sizeof options);
	memcpy(options, m->defaults, m->options_size);
	ck_ok(gt_params_parse(m->params, p->text, options));
	const gt_status st = gt_analytic_run(m, be, &g, s, options, data, x);
	gt_array_free(data);
	gt_array_free(x);
	gt_scan_free(s);
	return st;
}

/* The problem's options with this kernel, unless they name one already. */
static const char *with_kernel(const problem *p, const char *kernel, size_t size, char *text)
{
	if (strstr(p->text, "kernel="))
		snprintf(text, size, "%s", p->text);
	else
		snprintf(text, size, "%s,kernel=%s", p->text, kernel);
	return text;
}

/* A kernel refuses unsupported problems by its name. */
static int refuses(gt_backend *be, const problem *p, const char *kernel, gt_type type)
{
	problem with = *p;
	char text[224], expected[64];
	with.text = with_kernel(p, kernel, sizeof text, text);
	snprintf(expected, sizeof expected, "kernel=%s", kernel);
	const gt_status st = refused_as(be, &with, type);
	if (st != GT_OK) {
		ck_assert_int_eq(st, GT_ERR_UNSUPPORTED);
		ck_assert_msg(strstr(gt_error(), expected) != NULL, "%s: %s", p->name, gt_error());
	}
	return st != GT_OK;
}

static int is_texture(const char *kernel)
{
	for (int k = TEXTURES; k < KERNELS; k++)
		if (!strcmp(kernels[k], kernel))
			return gt_test_is_gpu();
	return 0;
}

/* White noise amplifies rounding of positions: some millionths of a pixel, a hundred from the corner of a tile. */
static void compare(gt_backend *be, const problem *p, const char *kernel, gt_type type, const gt_grid *g, const gt_scan *s,
                    const double *data, const double *truth)
{
	char text[224];
	double *x = reconstruct_as(be, type, gt_analytic_for(s)->name, with_kernel(p, kernel, sizeof text, text), g, s, data);
	const double d = difference(x, truth, gt_grid_voxels(g)), max = type == GT_F64 ? 1e-12 : is_texture(kernel) ? 1e-2 : 1.5e-5;
	printf("%-32s %-10s %s: %.2e\n", p->name, kernel, gt_type_name(type), d);
	ck_assert_msg(d < max, "%s, kernel=%s, %s: differs from the CPU in double by %g", p->name, kernel, gt_type_name(type), d);
	free(x);
}

/* Compares unless the kernel refuses the problem. */
static void check_kernel(gt_backend *be, const problem *p, const char *kernel, gt_type type, const gt_grid *g, const gt_scan *s,
                         const double *data, const double *truth)
{
	if (strcmp(kernel, "auto") && strcmp(kernel, "plain") && refuses(be, p, kernel, type))
		printf("%-32s %-10s %s: refused\n", p->name, kernel, gt_type_name(type));
	else
		compare(be, p, kernel, type, g, s, data, truth);
}

GT_TESTS(every_kernel_is_the_reference, PROBLEMS)
{
	gt_backend *be = gt_test_backend();
	const problem *p = &problems[_i];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	double *data = random_data(gt_scan_size(s)), *truth = on_cpu(p, &g, s, data);
	/* the CPU has one kernel */
	for (int k = 0; k < (gt_test_is_gpu() ? KERNELS : 2); k++)
		check_kernel(be, p, kernels[k], GT_F32, &g, s, data, truth);
	check_kernel(be, p, "auto", GT_F64, &g, s, data, truth);
	free(data);
	free(truth);
	gt_scan_free(s);
	gt_backend_close(be);
}

/* Blocks, views and slices per launch: none divides the columns, the 37 views or the slices. */
static const char *const shaped[] = { "strided", "local-ahead", "transposed", "layered" };
static const char *const shapes[] = { "16x16", "256x1", "128x2", "64x4", "32x8",  "8x32",  "4x64", "2x128",
	                              "1x256", "8x8",   "16x8",  "8x16", "32x16", "16x32", "32x32" };
static const char *const counted[] = { "separate", "intra", "layered" }, *const counts[] = { "1",  "2",  "4",  "8", "12",
	                                                                                     "16", "20", "24", "32" };
enum { SHAPED = 4, SHAPES = 15, COUNTED = 3, COUNTS = 9 };

/* text is added to the problem's options; refused: part of the device's message, NULL: none. */
static void check_launch(gt_backend *be, const problem *p, const char *text, const char *refused, const double *data, const double *truth)
{
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	problem with = *p;
	char all[160], name[160];
	snprintf(all, sizeof all, "%s,%s", p->text, text);
	snprintf(name, sizeof name, "%.24s: %s", p->name, text);
	with.text = all;
	with.name = name;
	const char *kernel = strstr(text, "kernel=") + 7;
	if (refused) {
		ck_assert_msg(refuses(be, &with, kernel, GT_F32), "%s is not refused", text);
		ck_assert_msg(strstr(gt_error(), refused) != NULL, "%s: '%s' is not in: %s", text, refused, gt_error());
	} else {
		compare(be, &with, kernel, GT_F32, &g, s, data, truth);
	}
	gt_scan_free(s);
}

/* The 1024 threads of 32 x 32 have 64 registers each. */
GT_TESTS(every_launch_is_the_reference, 3)
{
	static const char *const max = "expected at most";
	static const int problem_of[] = { 0, 10, PROBLEMS - 1 };
	gt_backend *be = gt_test_backend();
	const problem *p = &problems[problem_of[_i]];
	const int gpu = gt_test_is_gpu();
	gt_grid g;
	char text[96];
	gt_scan *s = scan_of(p, &g);
	double *data = random_data(gt_scan_size(s)), *truth = on_cpu(p, &g, s, data);
	for (int k = 0; k < (gpu ? SHAPED : 1); k++)
		for (int i = 0; i < (gpu ? SHAPES : 2); i++) {
			const int many = !strcmp(shapes[i], "32x32") && !strcmp(shaped[k], "layered");
			snprintf(text, sizeof text, "block=%s,slab=%d,kernel=%s", shapes[i], 5 + 7 * i, shaped[k]);
			check_launch(be, p, text, gpu && many ? max : NULL, data, truth);
		}
	for (int k = 0; k < (gpu ? COUNTED : 1); k++)
		for (int i = 0; i < (gpu ? COUNTS : 2); i++) {
			snprintf(text, sizeof text, "views=%s,slab=%d,block=8x8,kernel=%s", counts[i], 1 + 9 * i, counted[k]);
			check_launch(be, p, text, NULL, data, truth);
			if (!gpu || i == 3 || i == 4)
				continue;
			snprintf(text, sizeof text, "views=%s,block=32x32,kernel=%s", counts[i], counted[k]);
			check_launch(be, p, text, i > 4 ? max : NULL, data, truth);
		}
	free(data);
	free(truth);
	gt_scan_free(s);
	gt_backend_close(be);
}

/* Kernels with a fixed launch refuse these options; GPU kernels accept only their published number of views. */
GT_TEST(other_launches_are_refused)
{
	static const struct {
		const char *text, *says;
		int gpu;
	} cases[] = {
		{ "block=8x8,kernel=auto", "block=8x8", 0 },
		{ "views=4,kernel=tiles", "views=4", 0 },
		{ "slab=5,kernel=plain", "slab=5", 0 },
		{ "views=16,kernel=tilted", "strided to layered", 0 },
		{ "views=8,kernel=batched", "expected views=0 or 4", 1 },
		{ "views=12,kernel=strided", "expected views=0 or 1", 1 },
		{ "views=20,kernel=atomic", "expected views=0 or 16", 1 },
		{ "views=8,kernel=local-once", "expected views=0 or 12", 1 },
	};
	gt_backend *be = gt_test_backend();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		problem with = problems[0];
		char all[160];
		snprintf(all, sizeof all, "%s,%s", problems[0].text, cases[i].text);
		if (cases[i].gpu && !gt_test_is_gpu())
			continue;
		with.text = all;
		ck_assert_msg(refused_as(be, &with, GT_F32) == GT_ERR_UNSUPPORTED, "%s is not refused", cases[i].text);
		ck_assert_msg(strstr(gt_error(), cases[i].says) != NULL, "%s: %s", cases[i].text, gt_error());
		ck_assert_msg(strstr(gt_error(), strstr(cases[i].text, "kernel=")) != NULL, "%s: %s", cases[i].text, gt_error());
	}
	gt_backend_close(be);
}

/* If rows are parallel to slices, a matrix describes the same view. */
GT_TEST(matrices_are_the_limit)
{
	gt_backend *be = gt_test_backend();
	problem p = problems[0], q = problems[0];
	gt_grid g;
	q.tilt = 1e-8;
	gt_scan *s = scan_of(&p, &g), *t = scan_of(&q, &g);
	double *data = random_data(gt_scan_size(s));
	double *x = reconstruct_as(be, GT_F64, "fdk", p.text, &g, s, data), *y = reconstruct_as(be, GT_F64, "fdk", p.text, &g, t, data);
	const double d = difference(x, y, gt_grid_voxels(&g));
	ck_assert_msg(d > 0 && d < 1e-5, "columns and matrices differ by %g", d);
	free(data);
	free(x);
	free(y);
	gt_scan_free(s);
	gt_scan_free(t);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("kernels", NULL); }
