/* Chunked runs from file to file: bit-identical to runs in memory for all chunk sizes; peak of memory; refused steps.
 * labels: unit property  backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/io.h>
#include <gantry/prepare.h>
#include "tests/prepare/half_turn.h"
#include "tests/support/support.h"

static void write_scan(const char *path, size_t views, size_t rows, size_t columns)
{
	gt_projections *p = half_turn((const size_t[]){ views, rows, columns }, (const double[]){ 0.4, 0.5 }, (const double[]){ 0.3, -1 });
	float *x = gt_projections_data(p);
	for (size_t i = 0; i < views * rows * columns; i++) {
		const double u = ((double)(i % columns) - 0.45 * (double)columns) / (0.3 * (double)columns), inside = 1 - u * u;
		const size_t pixel = i % (rows * columns), k = i % columns;
		x[i] = (float)((inside > 0 ? 1.5 * sqrt(inside) : 0) + 0.01 * gt_test_normal(1, i) - 0.02);
		x[i] += (float)(0.05 * gt_test_normal(2, k)) * (float)(k % 7 == 0);
		x[i] += pixel == 3 * columns + 20 ? 2.f : i % 1511 == 7 ? -1.f : 0;
		x[i] += k == 33 ? (float)(0.4 * gt_test_normal(3, i)) : 0;
	}
	ck_ok(gt_write_projections(path, NULL, p));
	gt_projections_free(p);
}

static gt_projections *read_back(const char *path)
{
	gt_projections *p = NULL;
	ck_ok(gt_read_projections(path, NULL, &p));
	return p;
}

static const char *const chains[][8] = {
	{ "views:range=1::2", "crop:first-rows=1,last-columns=2", "bad-pixels:method=views,tolerance=0.5", "air:left=8,right=8", "zingers",
	  "scatter:fraction=0.01", "bin:rows=1,columns=2", NULL },
	{ "bad-pixels:method=views,tolerance=0.5", "air:left=8,right=8", "zingers:photons=1e4", "beam-hardening:kv=90,aluminium=2",
	  "rings:method=all", NULL },
	{ "views:range=2:31", "scatter:fraction=0.02", "beam-hardening:polynomial=0.9:0.05", "rings:method=gain", NULL },
	{ "rings:method=dead", "beam-hardening:polynomial=1:0.01", NULL },
	{ "lag:rates=0.5:0.05,amounts=0.02:0.001", "rings:method=gain", NULL },
	{ "scatter:method=kernel,fraction=0.1,width=9", "bin:rows=1,columns=2", NULL },
	{ "phase:energy=20,distance=50,delta-beta=500", "bin:rows=2,columns=2", NULL },
	{ "crop:first-columns=18,last-columns=18", "extend:water=0.1", NULL },
	{ NULL },
};

static void in_chunks(const char *const *spec, double memory, int threads)
{
	gt_prepare_files f = gt_prepare_files_defaults;
	gt_prepare_options o = gt_prepare_defaults;
	f.input = "chunks-in.nc";
	f.output = "chunks-out.nc";
	f.spec = spec;
	while (spec[f.specs])
		f.specs++;
	f.memory = memory;
	f.command = "a command";
	o.threads = threads;
	ck_ok(gt_prepare_in_chunks(&f, &o));
}

GT_TESTS(same_bits, 9)
{
	static const double memory[] = { 1, 3e5 };
	write_scan("chunks-in.nc", 37, 7, 64);
	gt_projections *p = read_back("chunks-in.nc");
	for (size_t k = 0; chains[_i][k]; k++)
		ck_ok(gt_prepare(&p, chains[_i][k], NULL));
	const gt_scan *s = gt_projections_scan(p);
	for (int m = 0; m < 2; m++) {
		in_chunks(chains[_i], memory[m], 1 + 2 * m);
		gt_projections *q = read_back("chunks-out.nc");
		ck_assert_uint_eq(gt_scan_hash(gt_projections_scan(q)), gt_scan_hash(s));
		ck_assert_str_eq(gt_projections_provenance(q)->command, "a command");
		if (chains[_i][0])
			ck_assert_str_eq(gt_projections_provenance(q)->parameters, gt_projections_provenance(p)->parameters);
		ck_assert_int_eq(memcmp(gt_projections_data(q), gt_projections_data(p), gt_scan_size(s) * sizeof(float)), 0);
		const float *w = gt_projections_weights(p), *v = gt_projections_weights(q);
		for (size_t i = 0; i < gt_scan_size(s); i++)
			ck_assert_float_eq(v ? v[i] : 1, w ? w[i] : 1);
		ck_assert(!w || v);
		gt_projections_free(q);
	}
	gt_projections_free(p);
	remove("chunks-in.nc");
	remove("chunks-out.nc");
}

/* Returns the peak memory in bytes of a child process that prepares in chunks. */
static double peak_of(const char *const *spec, double memory)
{
	struct rusage used;
	int status;
	fflush(NULL);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		in_chunks(spec, memory, 2);
		_exit(0);
	}
	ck_assert_int_eq((int)wait4(child, &status, 0, &used), (int)child);
	ck_assert_int_eq(status, 0);
	return 1024. * (double)used.ru_maxrss;
}

/* 22 MB of projections within 5 MB, in addition to the memory of the process itself. */
GT_TEST(memory)
{
	const double views = 60, rows = 300, columns = 300, all = views * rows * columns * 4;
	write_scan("chunks-in.nc", 9, 7, 64);
	const double min = peak_of(chains[1], 1e6);
	write_scan("chunks-in.nc", (size_t)views, (size_t)rows, (size_t)columns);
	static const char *const steps[] = { "air:left=8,right=8", "zingers:photons=1e4", "rings", NULL };
	const double peak = peak_of(steps, 5e6);
	fprintf(stderr, "chunks: %.3g MB of projections, %.3g MB in addition to %.3g MB of the process\n", all / 1e6, (peak - min) / 1e6,
	        min / 1e6);
	if (!gt_test_keeps_freed_memory())
		ck_assert_double_lt(peak - min, 0.5 * all);
	remove("chunks-in.nc");
	remove("chunks-out.nc");
}

GT_TEST(refused)
{
	static const char *const flatness[] = { "beam-hardening:method=flatness" }, *const order[] = { "rings", "zingers" };
	static const char *const picked[] = { "lag:rates=0.5,amounts=0.01", "views:range=:6" };
	gt_prepare_files f = gt_prepare_files_defaults;
	write_scan("chunks-in.nc", 9, 7, 64);
	f.input = "chunks-in.nc";
	f.output = "chunks-out.nc";
	f.specs = 1;
	f.spec = flatness;
	ck_refused(gt_prepare_in_chunks(&f, NULL), GT_ERR_UNSUPPORTED, "flatness takes all projections at once");
	f.spec = order;
	f.specs = 2;
	ck_refused(gt_prepare_in_chunks(&f, NULL), GT_ERR_UNSUPPORTED, "in chunks zingers runs before rings: run rings alone first");
	/* An earlier version wrote beyond the selected views. */
	f.spec = picked;
	ck_refused(gt_prepare_in_chunks(&f, NULL), GT_ERR_UNSUPPORTED, "in chunks views runs before lag: run lag alone first");
	f.output = "chunks-out.mha";
	ck_refused(gt_prepare_in_chunks(&f, NULL), GT_ERR_ARG, "mha");
	f.output = "no-folder/chunks-out.nc";
	f.specs = 1;
	ck_refused(gt_prepare_in_chunks(&f, NULL), GT_ERR_IO, "no-folder");
	ck_assert_int_ne(access("chunks-out.nc", F_OK), 0);
	gt_projections *p = read_back("chunks-in.nc");
	float *w = malloc(gt_scan_size(gt_projections_scan(p)) * sizeof *w);
	for (size_t i = 0; i < gt_scan_size(gt_projections_scan(p)); i++)
		w[i] = 1;
	ck_ok(gt_projections_set_weights(p, w));
	ck_ok(gt_write_projections("chunks-in.nc", NULL, p));
	f.output = "chunks-out.nc";
	ck_refused(gt_prepare_in_chunks(&f, NULL), GT_ERR_UNSUPPORTED, "holds weights or photons");
	gt_projections_free(p);
	free(w);
	remove("chunks-in.nc");
}

/* Fields are cropped with the detector, in memory by the caller and in chunks, with bit-identical results. Larger
 * pixels do not fit them. */
GT_TEST(fields_of_another_size)
{
	static const char *const steps[][2] = { { "crop:first-columns=3,last-rows=1", "bad-pixels:method=fields" },
		                                { "bin:rows=1,columns=2", "dynamic-flats" } };
	float *field = calloc(5 * 7 * 64, sizeof *field), *part = NULL;
	gt_prepare_files f = gt_prepare_files_defaults;
	gt_prepare_options o = gt_prepare_defaults;
	for (size_t i = 0; i < 5 * 7 * 64; i++)
		field[i] = (float)(i % (7 * 64) == 2 * 64 + 17 ? 10 : 1000 + 10 * gt_test_normal(4, i));
	write_scan("chunks-in.nc", 9, 7, 64);
	gt_projections *p = read_back("chunks-in.nc");
	gt_scan *whole = NULL;
	ck_ok(gt_scan_clone(gt_projections_scan(p), &whole));
	o.flats = (gt_field_images){ field, 5 };
	f.input = "chunks-in.nc";
	f.output = "chunks-out.nc";
	f.specs = 2;
	f.spec = steps[0];
	ck_ok(gt_prepare_in_chunks(&f, &o));
	ck_ok(gt_prepare(&p, steps[0][0], NULL));
	ck_ok(gt_prepare_crop_fields(whole, gt_projections_scan(p), &o.flats, &part));
	ck_assert_float_eq(part[0], field[3]);
	ck_assert_float_eq(part[6 * 61 * 4 + 61 + 2], field[7 * 64 * 4 + 64 + 5]);
	gt_prepare_options cropped = gt_prepare_defaults;
	cropped.flats = (gt_field_images){ part, 5 };
	ck_ok(gt_prepare(&p, steps[0][1], &cropped));
	gt_projections *q = read_back("chunks-out.nc");
	ck_assert_mem_eq(gt_projections_data(q), gt_projections_data(p), 9 * 6 * 61 * sizeof(float));
	ck_assert_mem_eq(gt_projections_weights(q), gt_projections_weights(p), 9 * 6 * 61 * sizeof(float));
	ck_assert_float_eq(gt_projections_weights(q)[2 * 61 + 14], 0);
	gt_free(part);
	ck_refused(gt_prepare_crop_fields(gt_projections_scan(p), whole, &o.flats, &part), GT_ERR_ARG,
	           "are no crop of the detector's 6 x 61");
	f.spec = steps[1];
	ck_refused(gt_prepare_in_chunks(&f, &o), GT_ERR_ARG, "before any bin");
	gt_projections_free(p);
	gt_projections_free(q);
	gt_scan_free(whole);
	free(field);
	remove("chunks-in.nc");
	remove("chunks-out.nc");
}

int main(void) { return gt_test_main("chunks", NULL); }
