/* Memory estimates from a dry run, compared with the memory of the run itself.
 * labels: unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "geometry/projections.h"
#include "recon/memory_estimate.h"
#include "recon/modules.h"
#include "recon/noise/strength_search.h"
#include "recon/stopping.h"
#include "tests/support/support.h"

enum { SIZE = 12, VIEWS = 10, ROWS = 9, COLUMNS = 17 };

static gt_projections p;
static const gt_grid grid = { { SIZE, SIZE, SIZE - 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
static float *weights;

static void setup(void)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 100,
		                 .source_to_detector = 150,
		                 .column_pitch = 1.5,
		                 .row_pitch = 1.5,
		                 .turn = 6.283185307179586 };
	p = (gt_projections){ 0 };
	ck_ok(gt_scan_orbit(&orbit, &p.scan));
	p.data = malloc(gt_scan_size(p.scan) * sizeof *p.data);
	weights = malloc(gt_scan_size(p.scan) * sizeof *weights);
	for (size_t i = 0; i < gt_scan_size(p.scan); i++) {
		p.data[i] = 0.1f;
		weights[i] = 0.5f + 0.01f * (float)(i % 50);
	}
}

static void teardown(void)
{
	gt_scan_free(p.scan);
	free(p.data);
	free(weights);
}

/* The real run ---------------------------------------------------------------- */

struct example {
	const char *method, *penalty;
	gt_type type;
	int weighted, finds_strength;
	gt_kappa kappa;
};
static const struct example examples[] = {
	{ "fdk", NULL, GT_F32, 0, 0, GT_KAPPA_NONE },
	{ "fdk", NULL, GT_F64, 0, 0, GT_KAPPA_NONE },
	{ "cgls:iterations=4", NULL, GT_F32, 0, 0, GT_KAPPA_NONE },
	{ "os-sqs:iterations=3,subsets=3", NULL, GT_F64, 1, 0, GT_KAPPA_NONE },
	{ "os-sart:iterations=3,subsets=3,keep=no", NULL, GT_F32, 0, 0, GT_KAPPA_NONE },
	{ "pcg:iterations=4", "huber:strength=1,delta=20HU", GT_F32, 1, 1, GT_KAPPA_NONE },
	{ "pdhg:iterations=4", "tv:strength=0.02,inner=4", GT_F64, 0, 0, GT_KAPPA_NONE },
	{ "pcg:iterations=2", "huber:strength=1,delta=20HU", GT_F64, 1, 0, GT_KAPPA_RESOLUTION },
	{ "pcg:iterations=2", "huber:strength=1,delta=20HU", GT_F32, 0, 0, GT_KAPPA_RESOLUTION },
	{ "os-sqs:iterations=2,subsets=3", "huber:strength=1,delta=20HU", GT_F32, 1, 1, GT_KAPPA_RESOLUTION },
	{ "os-sqs:iterations=2,subsets=3", "huber:strength=1,delta=20HU", GT_F32, 0, 1, GT_KAPPA_NOISE },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static size_t iterating; /* bytes allocated during an iteration */

static void each(void *self, const gt_progress *g, double seconds)
{
	(void)self, (void)seconds;
	iterating = gt_test_counters(gt_array_backend(g->x)).bytes;
}

static gt_status iterate(const struct example *c, const gt_method *m, gt_array *x, gt_memory_estimate *e)
{
	gt_backend *be = gt_array_backend(x);
	gt_subsets s = { 0 };
	gt_penalty *R = NULL;
	gt_run run = { .data_norm = 1, .each = each };
	size_t subsets = 1;
	if (m->solver->subsets)
		ck_ok(m->solver->subsets(m->options, VIEWS, &subsets));
	gt_fill(0, x);
	gt_memory_estimate_started(e, be);
	ck_ok(gt_subsets_new("dd", be, c->type, &grid, p.scan, p.data, c->weighted ? weights : NULL, subsets, &s));
	gt_memory_estimate_subsets(e, be, &s, c->weighted, p.scan);
	if (c->penalty)
		ck_ok(gt_regularizer_new(c->penalty, be, c->type, &grid, NULL, &R));
	const gt_penalty_spec asked = { .automatic = c->finds_strength, .kappa = c->kappa };
	gt_memory_estimate_penalty(e, x, &grid, c->penalty ? &asked : NULL);
	const gt_problem problem = { .subsets = subsets,
		                     .A = s.A,
		                     .b = s.b,
		                     .w = s.w,
		                     .R = R,
		                     .n = { grid.n[0], grid.n[1], grid.n[2] },
		                     .lo = -INFINITY,
		                     .hi = INFINITY };
	const gt_status st = gt_run_solve(&run, m->solver, &problem, m->options, x);
	gt_memory_estimate_solved(e, be, run.iterating_bytes, run.best_bytes, run.moved);
	gt_subsets_free(&s);
	gt_penalty_free(R);
	return st;
}

/* Repeats the work of gantry recon between opening and closing its backend. */
static size_t reconstruct(const struct example *c, int dry, gt_memory_estimate *e)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = NULL, *data = NULL;
	gt_method m;
	ck_ok(gt_method_parse(c->method, &m));
	if (dry)
		ck_ok(gt_backend_dry_run(be));
	gt_memory_estimate_open(e, be);
	ck_ok(gt_array_new(be, c->type, gt_grid_voxels(&grid), &x));
	gt_memory_estimate_volume(e, be);
	if (m.analytic) {
		ck_ok(gt_array_new(be, c->type, gt_scan_size(p.scan), &data));
		gt_array_put_float(p.data, data);
		ck_ok(gt_analytic_run(m.analytic, be, &grid, p.scan, m.options, data, x));
		ck_ok(gt_backend_status(be));
	} else {
		ck_ok(iterate(c, &m, x, e));
	}
	gt_memory_estimate_close(e, be);
	gt_array_free(data);
	gt_array_free(x);
	const size_t peak = gt_test_counters(be).peak_bytes;
	gt_method_free(&m);
	gt_backend_close(be);
	return peak;
}

/* Host volumes that a penalty needs. kappa is one. The strength needs a copy and a list of voxels, the size of two.
 * Uniform noise needs both and the blur of the data. With so few views the strength copies all data twice, before it
 * needs patches. */
static double at_host(const struct example *c)
{
	const int kappa = c->kappa == GT_KAPPA_NOISE || (c->kappa == GT_KAPPA_RESOLUTION && c->weighted);
	return c->finds_strength ? 3 + kappa + (c->kappa == GT_KAPPA_NOISE) : kappa;
}

GT_TESTS(as_the_run_itself, EXAMPLES)
{
	const struct example *c = &examples[_i];
	const size_t element = gt_type_size(c->type), voxels = SIZE * SIZE * (SIZE - 1), cells = VIEWS * ROWS * COLUMNS;
	gt_memory_estimate e = { .host_free = 1e12, .peak = 77 };
	gt_memory_estimate_begin(&e, &p, &grid);
	ck_assert(e.size == sizeof e && e.host_free == 1e12 && e.peak == 0);
	const size_t dry = reconstruct(c, 1, &e), real = reconstruct(c, 0, NULL);
	ck_assert_uint_eq(dry, e.peak);
	ck_assert_msg(e.peak == real, "%s: %zu bytes are expected, %zu are taken", c->method, e.peak, real);
	ck_assert_uint_eq(e.volume, voxels * element);
	ck_assert_int_eq(e.on_host, !gt_test_is_gpu());
	ck_assert(e.free > e.peak && e.total >= e.free && e.backend[0] && e.about[0] && gt_memory_estimate_fits(&e));
	ck_assert(e.host_volume == (double)voxels * 4 && e.host_projections == (double)cells * 4);
	if (!e.subsets) {
		ck_assert(e.data == 0 && e.solver == 0 && e.best_image == 0 && e.host_subset == 0 && e.host_weights == 0);
		return;
	}
	ck_assert_uint_eq(e.data, cells * element);
	ck_assert_uint_eq(e.weights, c->weighted ? cells * element : 0);
	ck_assert_uint_eq(e.best_image, e.volume);
	ck_assert_uint_eq(e.volume + e.data + e.weights + e.operators + e.penalty + e.solver + e.best_image, iterating);
	ck_assert_uint_le(iterating, e.peak);
	ck_assert(c->penalty || e.penalty == 0);
	ck_assert(e.host_weights == (c->weighted ? (double)cells * 4 : 0));
	ck_assert_uint_eq(e.views, VIEWS);
	/* ten views in three subsets: 4, 3 and 3 */
	ck_assert(e.host_subset == (e.subsets == 3 ? 4. * ROWS * COLUMNS * 4 : 0));
	const double patches = gt_strength_patch_bytes(&grid, 0);
	ck_assert(e.host_strength == at_host(c) * e.host_volume + (c->finds_strength ? fmax(2 * e.host_projections, patches) : 0));
	ck_assert(e.on_host || e.host_making == e.host_strength);
	ck_assert(!e.on_host || !c->penalty || e.host_making >= at_host(c) * e.host_volume + (double)e.penalty_peak);
	ck_assert(e.host_peak >= e.host_projections + e.host_volume + e.host_weights + e.host_making);
}

GT_TEST(of_the_host)
{
	gt_memory_estimate e = { .host_free = -1 };
	p.weight = p.photons = weights;
	gt_memory_estimate_begin(&e, &p, &grid);
	p.weight = p.photons = NULL;
	ck_assert(e.host_projections == 3. * VIEWS * ROWS * COLUMNS * 4);
	ck_assert(e.host_data == 1. * VIEWS * ROWS * COLUMNS * 4);
}

/* Closes the estimate with the counts of a backend that had this peak (bytes). */
static void close_at(gt_memory_estimate *e, size_t peak)
{
	gt_backend *be = NULL;
	gt_array *x = NULL;
	ck_ok(gt_backend_open("cpu:1", &be));
	ck_ok(gt_array_new(be, GT_F32, peak / 4, &x));
	gt_array_free(x);
	gt_memory_estimate_close(e, be);
	gt_backend_close(be);
}

GT_TEST(at_most)
{
	/* with a device the host holds only its own arrays; on the CPU both, but the solver allocates after the
	 * subset transfer */
	gt_memory_estimate e = { .free = 4000, .host_projections = 100, .host_volume = 20, .host_weights = 3, .host_subset = 50 };
	close_at(&e, 4000);
	ck_assert(e.peak == 4000 && e.host_peak == 173);
	e.host_subset = 0;
	close_at(&e, 4000);
	ck_assert(e.host_peak == 123);
	e.host_strength = 60;
	e.host_subset = 50;
	close_at(&e, 4000);
	ck_assert(e.host_peak == 183);
	e.on_host = 1;
	e.solver = 40;
	e.best_image = 15;
	close_at(&e, 4000);
	ck_assert(e.host_peak == 4123 + 60 - 55);
	e.solver = 50;
	close_at(&e, 4000);
	ck_assert(e.host_peak == 4123);
	/* building the penalty may need more memory than the solver */
	e.host_making = 4000;
	close_at(&e, 4000);
	ck_assert(e.host_peak == 4123);
	e.host_making = 4007;
	close_at(&e, 4000);
	ck_assert(e.host_peak == 4130);
}

/* If memory is short, a run omits the best image, unless the penalty already needed the same memory. */
GT_TEST(without_the_best_image)
{
	gt_memory_estimate e = { .free = 4000, .best_image = 400 };
	close_at(&e, 4000);
	ck_assert(e.peak == 4000 && e.best_image == 400);
	close_at(&e, 4004);
	ck_assert(e.peak == 3604 && e.best_image == 0);
	e.best_image = 400;
	e.penalty_peak = 3800;
	close_at(&e, 4004);
	ck_assert(e.peak == 3800 && e.best_image == 0);
	e.best_image = 400;
	e.penalty_peak = 4004;
	close_at(&e, 4004);
	ck_assert(e.peak == 4004 && e.best_image == 400);
}

GT_TEST(limits)
{
	gt_memory_estimate e = { .free = 1000, .peak = 900, .host_peak = 50, .host_free = -1 };
	ck_assert(gt_memory_estimate_fits(&e));
	gt_memory_estimate_limit(&e, 0);
	ck_assert(!e.limited && e.free == 1000);
	gt_memory_estimate_limit(&e, 5000);
	ck_assert(e.limited && e.free == 1000 && gt_memory_estimate_fits(&e));
	gt_memory_estimate_limit(&e, 900);
	ck_assert(e.free == 900 && gt_memory_estimate_fits(&e));
	gt_memory_estimate_limit(&e, 899);
	ck_assert(!gt_memory_estimate_fits(&e));
	e.on_host = 1; /* no remedy, because a limit was given */
	ck_assert(!gt_memory_estimate_fits(&e));
	e.limited = 0;
	ck_assert(gt_memory_estimate_fits(&e));
	e.host_free = 49;
	ck_assert(!gt_memory_estimate_fits(&e));
	e.host_free = 50;
	ck_assert(gt_memory_estimate_fits(&e));
}

/* Only for arrays on the host, and at most all of them. */
GT_TEST(spilled_into_files)
{
	gt_memory_estimate e = { .on_host = 1, .host_peak = 100, .host_free = 60, .peak = 70 };
	ck_assert(!gt_memory_estimate_fits(&e));
	gt_memory_estimate_spill(&e, (double)e.peak);
	ck_assert(e.scratch == 46 && gt_memory_estimate_fits(&e));
	e.host_free = 20;
	gt_memory_estimate_spill(&e, (double)e.peak);
	ck_assert(e.scratch == 70 && !gt_memory_estimate_fits(&e));
	e.host_free = 112;
	gt_memory_estimate_spill(&e, (double)e.peak);
	ck_assert(e.scratch == 0 && gt_memory_estimate_fits(&e));
	e.host_free = -1;
	gt_memory_estimate_spill(&e, (double)e.peak);
	ck_assert(e.scratch == 0);
	e.host_free = 60;
	e.on_host = 0;
	gt_memory_estimate_spill(&e, (double)e.peak);
	ck_assert(e.scratch == 0 && !gt_memory_estimate_fits(&e));
}

int main(void) { return gt_test_main_with("memory_estimate", setup, teardown); }
