/* Iterations on arrays in files: equal results, files that exist only during the run, and refusals.
 * labels: unit */
#include <dirent.h>
#include <string.h>
#include <unistd.h>
#include <gantry/array.h>
#include "core/clones.h"
#include "core/device/host_memory.h"
#include "core/device/mapped_files.h"
#include "recon/stream/scratch.h"
#include "tests/recon/small_recon.h"
#include "tests/support/clock.h"

static const gt_grid fine = { { 160, 150, 40 }, { 0.9, 0.95, 0.9 }, { 1, -2, 3 } };
static char folder[64];

/* In shared memory if possible; the speed of the disk is not tested. */
static void make_folder(void)
{
	double room;
	const int shared = !access("/dev/shm", W_OK) && gt_folder_space("/dev/shm", &room) == GT_OK && room > 2e8;
	snprintf(folder, sizeof folder, "%s/gantry-scratch-XXXXXX", shared ? "/dev/shm" : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

struct seen {
	int iterations, in_files; /* iterations at whose end pages of these files were mapped */
};

static int look(void *self, const gt_recon_progress *p)
{
	struct seen *s = self;
	char line[512];
	int found = 0;
	if (p->phase != GT_RECON_ITERATION)
		return 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof line, maps))
		found |= strstr(line, folder) != NULL;
	fclose(maps);
	s->iterations++;
	s->in_files += found;
	return 0;
}

/* bytes: memory limit of the run; 0: all memory. */
static void run(const gt_projections *p, const char *solver, double bytes, int with_files, struct seen *s, gt_volume **v)
{
	char text[32];
	gt_recon *r = recon(p, NULL);
	ck_ok(gt_recon_set(r, "backend", "cpu:2"));
	ck_ok(gt_recon_set(r, "solver", solver));
	ck_ok(gt_recon_set(r, "init", "zero"));
	if (with_files)
		ck_ok(gt_recon_set(r, "scratch", folder));
	ck_ok(gt_volume_new(&fine, v));
	if (bytes > 0) {
		snprintf(text, sizeof text, "%.0f", gt_host_used() + bytes);
		ck_ok(gt_recon_set(r, "host-memory", text));
	}
	gt_recon_on_progress(r, look, s);
	ck_ok(gt_recon_run(r, *v));
	gt_recon_free(r);
}

static double needs(const gt_projections *p, const char *solver, double *scratch)
{
	gt_memory_estimate e = { .size = sizeof e };
	gt_recon *r = recon(p, NULL);
	ck_ok(gt_recon_set(r, "backend", "cpu:2"));
	ck_ok(gt_recon_set(r, "solver", solver));
	ck_ok(gt_recon_set(r, "init", "zero"));
	ck_ok(gt_recon_set(r, "grid", "160x150x40@0.9x0.95x0.9+1,-2,3"));
	ck_ok(gt_recon_plan(r, &e, NULL));
	ck_assert(e.moved > 0);
	*scratch = e.scratch;
	gt_recon_free(r);
	return e.host_peak;
}

static const char *const solvers[] = { "os-sart:iterations=2,subsets=3", "sirt:iterations=2", "cgls:iterations=2" };

GT_TESTS_ALIKE(arrays_in_files_compute_the_same, sizeof solvers / sizeof *solvers)
{
	gt_projections *p = projections();
	struct seen all = { 0 }, files = { 0 };
	gt_volume *v[2];
	double scratch;
	make_folder();
	const double max = needs(p, solvers[_i], &scratch);
	ck_assert_double_eq(scratch, 0);
	run(p, solvers[_i], 0, 1, &all, &v[0]);
	run(p, solvers[_i], max - 2.5e6, 1, &files, &v[1]);
	ck_assert_int_eq(all.iterations, 2);
	ck_assert_int_eq(all.in_files, 0);
	ck_assert_int_eq(files.in_files, 2);
	for (size_t i = 0, n = gt_grid_voxels(&fine); i < n; i++)
		ck_assert_float_eq_tol(gt_volume_data(v[0])[i], gt_volume_data(v[1])[i], 2e-7f);
	ck_assert_int_eq(rmdir(folder), 0);
	gt_volume_free(v[0]);
	gt_volume_free(v[1]);
	gt_projections_free(p);
}

/* A device limit does not make slabs exceed the memory, and slabs do not count as arrays in files. */
GT_TESTS(slabs_stay_in_memory, 2)
{
	static const char *const backends[] = { "cpu:2", "stream:cpu:2" };
	if (GT_SANITIZED) /* estimates count growth of the process, which sanitizers multiply */
		return;
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	gt_memory_estimate e = { .size = sizeof e };
	const char *settings;
	char text[32];
	double scratch;
	const double max = needs(p, "sirt:iterations=2", &scratch);
	snprintf(text, sizeof text, "%.0f", gt_host_used() + 0.3 * max);
	ck_ok(gt_recon_set(r, "backend", backends[_i]));
	ck_ok(gt_recon_set(r, "solver", "sirt:iterations=2"));
	ck_ok(gt_recon_set(r, "init", "zero"));
	ck_ok(gt_recon_set(r, "grid", "160x150x40@0.9x0.95x0.9+1,-2,3"));
	ck_ok(gt_recon_set(r, "scratch", "/tmp"));
	ck_ok(gt_recon_set(r, "device-memory", "1GB"));
	ck_ok(gt_recon_set(r, "host-memory", text));
	const gt_status st = gt_recon_plan(r, &e, &settings);
	if (_i == 1) {
		ck_refused(st, GT_ERR_MEMORY, "in addition to the ");
		ck_assert_double_gt(e.host_peak - e.scratch, e.host_free);
	} else {
		ck_ok(st);
		ck_assert_double_gt(e.scratch, 0);
		if (settings && strstr(settings, "stream:"))
			ck_assert_double_le(e.scratch + (double)e.operators, (double)e.peak);
	}
	gt_recon_free(r);
	gt_projections_free(p);
}

GT_TEST(slow_disks_are_refused_with_the_figures)
{
	gt_scratch_cost c = { "/scratch", "pcg", 854e9, 2.5e9, 20 };
	ck_refused(
		gt_scratch_is_worth(&c), GT_ERR_ARG,
		"--scratch=/scratch: an iteration of pcg would read and write 795 GiB there, which takes 342 s at the measured 2.33 GiB/s; "
		"its operators take 20 s: expected a solver with less traffic");
	c.solver = "sirt";
	c.moved = 250e9;
	ck_ok(gt_scratch_is_worth(&c));
}

GT_TEST(what_computes_all_at_once_takes_no_folder)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_set(r, "backend", "cpu:1"));
	ck_ok(gt_recon_set(r, "solver", "fdk"));
	ck_ok(gt_recon_set(r, "scratch", "/tmp"));
	ck_refused(gt_recon_run(r, v), GT_ERR_ARG, "--scratch=/tmp: expected an iterative method, or a run by slabs");
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* With this clock the folder takes 64 GiB/s; the result does not depend on other programs. */
static void setup(void) { gt_test_clock(1e-3); }

int main(void) { return gt_test_main_with("scratch", setup, NULL); }
