/* Every form of the backprojection against the CPU in double: random data, odd sizes, shifted grids and detectors, steps from
 * a fifth of a row per voxel to four, arcs, parallel rays, half a turn, detectors larger and smaller than a tile. */
/* labels: property */
#include "tests/analytic/bodies.h"

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
enum { TEXTURES = STRIDED /* the first of those with 8-bit fractions */ };

/* step: rows per voxel at the axis; wide: columns per voxel. */
typedef struct {
	const char *name;
	gt_shape shape;
	double turn, step, wide;
	size_t n[3], rows, columns, views;
	const char *text;
	double lean;
} problem;
static const problem problems[] = {
	{ "flat, step 1", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 83 }, 67, 61, 37, "mask=none", 0 },
	{ "flat, step 0.93, many slices", GT_FLAT, 2 * GT_PI, 0.93, 0.9, { 50, 33, 150 }, 160, 71, 29, "mask=fov", 0 },
	{ "flat, step 1, high", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 19, 21, 270 }, 281, 37, 23, "mask=none", 0 },
	{ "flat, step 0.2", GT_FLAT, 2 * GT_PI, 0.2, 0.2, { 49, 35, 70 }, 17, 15, 24, "mask=none", 0 },
	{ "flat, step 0.4", GT_FLAT, 2 * GT_PI, 0.4, 0.5, { 35, 39, 77 }, 41, 37, 31, "mask=none", 0 },
	{ "flat, step 0.7", GT_FLAT, 4.2, 0.7, 0.7, { 35, 39, 77 }, 61, 47, 31, "mask=none", 0 },
	{ "flat, step 1.6", GT_FLAT, 2 * GT_PI, 1.6, 1.6, { 33, 47, 45 }, 83, 91, 31, "mask=none", 0 },
	{ "flat, step 2.5", GT_FLAT, 2 * GT_PI, 2.5, 2.5, { 33, 31, 45 }, 119, 101, 31, "mask=none", 0 },
	{ "flat, step 4", GT_FLAT, 2 * GT_PI, 4, 4, { 33, 31, 19 }, 83, 155, 31, "mask=none", 0 },
	{ "flat, rows end at zero", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 83 }, 47, 51, 37, "mask=none,rows=zero", 0 },
	{ "flat, far beyond the rows", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 133 }, 19, 61, 37, "mask=fov", 0 },
	{ "flat, narrow columns", GT_FLAT, 2 * GT_PI, 1.1, 3.5, { 30, 27, 70 }, 83, 131, 30, "mask=none", 0 },
	{ "flat, many views", GT_FLAT, 4 * GT_PI, 0.9, 1, { 19, 21, 37 }, 33, 35, 523, "mask=none", 0 },
	{ "arc, step 1", GT_ARC, 2 * GT_PI, 1.0, 1.6, { 37, 41, 83 }, 67, 81, 37, "mask=none", 0 },
	{ "arc, step 0.4", GT_ARC, 3.9, 0.4, 0.6, { 37, 41, 83 }, 31, 41, 37, "mask=none", 0 },
	{ "arc, step 2.5", GT_ARC, 2 * GT_PI, 2.5, 2.2, { 37, 41, 9 }, 31, 101, 37, "mask=none", 0 },
	{ "flat, step 1.4", GT_FLAT, 2 * GT_PI, 1.4, 1.3, { 33, 47, 45 }, 75, 81, 31, "mask=none", 0 },
	{ "arc, step 1.75", GT_ARC, 2 * GT_PI, 1.75, 1.5, { 37, 41, 43 }, 91, 83, 31, "mask=none", 0 },
	{ "flat, step 1.6, two tiles high", GT_FLAT, 2 * GT_PI, 1.6, 3.1, { 17, 19, 67 }, 119, 91, 31, "mask=none,rows=zero", 0 },
	{ "arc, coarse voxels", GT_ARC, 2 * GT_PI, 1.0, 1.0, { 9, 11, 13 }, 19, 17, 19, "mask=none", 0 },
	{ "parallel", GT_PARALLEL, GT_PI, 1.0, 1.0, { 37, 41, 83 }, 77, 61, 37, "mask=none", 0 },
	{ "leaning a little, step 2.4", GT_FLAT, 3.9, 2.4, 2.4, { 37, 41, 53 }, 131, 111, 33, "mask=none", 3e-3 },
	{ "leaning much, step 0.9", GT_FLAT, 2 * GT_PI, 0.9, 0.9, { 37, 41, 53 }, 61, 53, 33, "mask=fov", 0.1 },
	{ "leaning, rows end at zero", GT_FLAT, 2 * GT_PI, 1.5, 1.3, { 37, 41, 53 }, 51, 53, 33, "mask=none,rows=zero", 0.05 },
	{ "leaning very little, step 2.4", GT_FLAT, 3.9, 2.4, 2.4, { 37, 41, 53 }, 131, 111, 33, "mask=none", 2e-5 },
	{ "leaning little, step 2.4", GT_FLAT, 3.9, 2.4, 2.4, { 37, 41, 53 }, 131, 111, 33, "mask=none", 1.5e-3 },
	{ "leaning, some blocks too wide", GT_FLAT, 3.9, 2.4, 3.2, { 67, 71, 37 }, 101, 261, 33, "mask=none", 1e-3 },
	{ "leaning much, step 2.4, blocks too wide", GT_FLAT, 3.9, 2.4, 3.2, { 67, 71, 37 }, 101, 261, 33, "mask=none", 0.02 },
	{ "leaning by rounding", GT_FLAT, 2 * GT_PI, 1.1, 1.3, { 27, 31, 53 }, 61, 53, 33, "mask=none", 1e-8 },
	{ "211 columns", GT_FLAT, 2 * GT_PI, 1.0, 1.6, { 37, 41, 17 }, 21, 211, 7, "mask=none", 0 },
	{ "401 columns, odd rows", GT_ARC, 2 * GT_PI, 1.0, 3, { 37, 41, 17 }, 13, 401, 7, "mask=none", 0 },
	{ "803 columns, truncated", GT_FLAT, 4.5, 1.0, 24, { 37, 41, 17 }, 15, 803, 17, "mask=none", 0 },
	{ "1301 columns", GT_FLAT, 2 * GT_PI, 1.0, 9, { 37, 41, 17 }, 11, 1301, 5, "mask=none,filter=hann", 0 },
	{ "2101 columns, not a power of two", GT_FLAT, 2 * GT_PI, 1.0, 15, { 37, 41, 5 }, 7, 2101, 5, "mask=none", 0 },
	{ "flat, many columns of voxels", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 300, 270, 19 }, 31, 401, 7, "mask=none", 0 },
	{ "flat, halves mirror", GT_FLAT, 2 * GT_PI, 1.0, 1.1, { 37, 41, 128 }, 143, 61, 37, "mask=none", 0 },
	{ "flat, halves mirror, not all in runs", GT_FLAT, 2 * GT_PI, 1.06, 1.1, { 37, 35, 64 }, 66, 61, 37, "mask=none", 0 },
	{ "arc, halves mirror, beyond the rows", GT_ARC, 2 * GT_PI, 0.95, 1.1, { 37, 41, 192 }, 62, 61, 37, "mask=fov", 0 },
	{ "parallel, halves mirror", GT_PARALLEL, GT_PI, 1.0, 1.0, { 33, 41, 64 }, 41, 61, 37, "mask=none,rows=zero", 0 },
	{ "one row", GT_FLAT, 2 * GT_PI, 1.0, 1.3, { 37, 41, 1 }, 1, 61, 37, "mask=none", 0 },
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* Voxels of 1.1 x 1.1 x 1.3 mm, coarser where few, and cells to match. Grids of 64 slices and their multiples lie in the middle of the
 * rows, all others beside it. */
static gt_scan *scan_of(const problem *p, gt_grid *g)
{
	const double size = 40.0 / (double)p->n[0], enlarged = p->shape == GT_PARALLEL ? 1 : 1.55;
	const double beside = p->n[2] % 64 ? 1 : 0;
	const gt_orbit o = { .shape = p->shape,
		             .views = p->views,
		             .rows = p->rows,
		             .columns = p->columns,
		             .source_to_axis = 160,
		             .source_to_detector = p->shape == GT_PARALLEL ? 200 : 160 * enlarged,
		             .column_pitch = size * enlarged / p->wide,
		             .row_pitch = 1.2 * size * enlarged / p->step,
		             .column_offset = 0.4,
		             .row_offset = -0.6 * beside,
		             .start_angle = 0.3,
		             .turn = p->turn };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&o, &s));
	for (size_t v = 0; v < s->views && p->lean; v++) {
		lean(&s->view[v], p->lean * sin(3.0 * (double)v), p->lean * cos(2.0 * (double)v));
		s->view[v].source[2] += fmin(30 * p->lean, 0.2) * sin(5.0 * (double)v);
	}
	*g = (gt_grid){ { p->n[0], p->n[1], p->n[2] },
		        { size, 1.03 * size, 1.2 * size },
		        { 0.4 * size, -0.7 * size, 0.3 * size * beside } };
	return s;
}

static double *random_data(size_t n)
{
	float *r = malloc(n * sizeof *r);
	double *p = malloc(n * sizeof *p);
	ck_assert(r && p);
	gt_test_random(7, n, r);
	for (size_t i = 0; i < n; i++)
		p[i] = r[i];
	free(r);
	return p;
}

static double difference(const double *x, const double *y, size_t n)
{
	double d = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		d += (x[i] - y[i]) * (x[i] - y[i]);
		size += y[i] * y[i];
	}
	return size > 0 ? sqrt(d / size) : INFINITY;
}

static double *on_cpu(const problem *p, const gt_grid *g, const gt_scan *s, const double *data)
{
	gt_backend *cpu;
	ck_ok(gt_backend_open("cpu", &cpu));
	double *x = reconstruct_as(cpu, GT_F64, gt_analytic_for(s)->name, p->text, g, s, data);
	gt_backend_close(cpu);
	return x;
}

/* What comes of random numbers by those options. */
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

/* The problem's own options with this kernel, which a launch may name already: a parameter is given once. */
static const char *with_kernel(const problem *p, const char *kernel, size_t size, char *text)
{
	if (strstr(p->text, "kernel="))
		snprintf(text, size, "%s", p->text);
	else
		snprintf(text, size, "%s,kernel=%s", p->text, kernel);
	return text;
}

/* What a kernel cannot do it refuses by its name; auto and plain can do all. */
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
		ck_assert_msg(strcmp(kernel, "auto") && strcmp(kernel, "plain"), "%s: %s", p->name, gt_error());
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

/* White noise makes most of roundings of places: some millionths of a cell, a hundred of them from the tile's corner. */
static void check_kernel(gt_backend *be, const problem *p, const char *kernel, gt_type type, const gt_grid *g, const gt_scan *s,
                         const double *data, const double *truth)
{
	char text[224];
	if (refuses(be, p, kernel, type)) {
		printf("%-32s %-10s %s: refused\n", p->name, kernel, gt_type_name(type));
		return;
	}
	double *x = reconstruct_as(be, type, gt_analytic_for(s)->name, with_kernel(p, kernel, sizeof text, text), g, s, data);
	const double d = difference(x, truth, gt_grid_voxels(g)), most = type == GT_F64 ? 1e-12 : is_texture(kernel) ? 1e-2 : 1.5e-5;
	printf("%-32s %-10s %s: %.2e\n", p->name, kernel, gt_type_name(type), d);
	ck_assert_msg(d < most, "%s, kernel=%s, %s: differs from the CPU in double by %g", p->name, kernel, gt_type_name(type), d);
	free(x);
}

START_TEST(every_kernel_is_the_reference)
{
	gt_backend *be = gt_test_backend();
	const problem *p = &problems[_i];
	gt_grid g;
	gt_scan *s = scan_of(p, &g);
	double *data = random_data(gt_scan_size(s)), *truth = on_cpu(p, &g, s, data);
	/* The CPU has one form, whatever is asked. */
	for (int k = 0; k < (gt_test_is_gpu() ? KERNELS : 2); k++)
		check_kernel(be, p, kernels[k], GT_F32, &g, s, data, truth);
	check_kernel(be, p, "auto", GT_F64, &g, s, data, truth);
	free(data);
	free(truth);
	gt_scan_free(s);
	gt_backend_close(be);
}
END_TEST

/* Blocks, views and slices per launch: none divides the columns, the 37 views or the slices. */
static const char *const shaped[] = { "strided", "local-ahead", "transposed", "layered" };
static const char *const shapes[] = { "16x16", "256x1", "128x2", "64x4", "32x8",  "8x32",  "4x64", "2x128",
	                              "1x256", "8x8",   "16x8",  "8x16", "32x16", "16x32", "32x32" };
static const char *const counted[] = { "separate", "intra", "layered" }, *const counts[] = { "1",  "2",  "4",  "8", "12",
	                                                                                     "16", "20", "24", "32" };
enum { SHAPED = 4, SHAPES = 15, COUNTED = 3, COUNTS = 9 };

/* Text is with the problem's own; refused: what the device must say, NULL: nothing. */
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
		ck_assert_msg(!refuses(be, &with, kernel, GT_F32), "%s: %s", text, gt_error());
		check_kernel(be, &with, kernel, GT_F32, &g, s, data, truth);
	}
	gt_scan_free(s);
}

/* The 1024 threads of 32 x 32 have 64 registers each. */
START_TEST(every_launch_is_the_reference)
{
	static const char *const most = "expected at most";
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
			check_launch(be, p, text, gpu && many ? most : NULL, data, truth);
		}
	for (int k = 0; k < (gpu ? COUNTED : 1); k++)
		for (int i = 0; i < (gpu ? COUNTS : 2); i++) {
			snprintf(text, sizeof text, "views=%s,slab=%d,block=8x8,kernel=%s", counts[i], 1 + 9 * i, counted[k]);
			check_launch(be, p, text, NULL, data, truth);
			if (!gpu || i == 3 || i == 4)
				continue;
			snprintf(text, sizeof text, "views=%s,block=32x32,kernel=%s", counts[i], counted[k]);
			check_launch(be, p, text, i > 4 ? most : NULL, data, truth);
		}
	free(data);
	free(truth);
	gt_scan_free(s);
	gt_backend_close(be);
}
END_TEST

/* What has a launch of its own takes none; and the device's forms no other number of views than they were published with. */
START_TEST(other_launches_are_refused)
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
END_TEST

/* A matrix is another way to say the same of rows that are parallel to slices. */
START_TEST(matrices_are_the_limit)
{
	gt_backend *be = gt_test_backend();
	problem p = problems[0], q = problems[0];
	gt_grid g;
	q.lean = 1e-8;
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
END_TEST

static void fill(TCase *tc)
{
	tcase_add_loop_test(tc, every_kernel_is_the_reference, 0, PROBLEMS);
	tcase_add_loop_test(tc, every_launch_is_the_reference, 0, 3);
	tcase_add_test(tc, other_launches_are_refused);
	tcase_add_test(tc, matrices_are_the_limit);
}

int main(void) { return gt_test_main("kernels", fill); }
